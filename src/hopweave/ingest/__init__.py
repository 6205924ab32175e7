"""Reads a corpus: files and folders in, passages out, as a stream, so that memory does not grow with it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hopweave.ingest.find import find_files
    from hopweave.ingest.formats import CorpusFile
    from hopweave.ingest.intake import Intake
    from hopweave.ingest.lookup import content_id
    from hopweave.ingest.read import CorpusOptions, read_corpus
    from hopweave.ingest.reasons import TakenId
    from hopweave.ingest.split import split_spans
    from hopweave.ingest.tally import Tally, Unread

__all__ = [
    "CorpusFile",
    "CorpusOptions",
    "Intake",
    "TakenId",
    "Tally",
    "Unread",
    "content_id",
    "find_files",
    "read_corpus",
    "split_spans",
]

_NAMES = {
    "find": "find_files",
    "formats": "CorpusFile",
    "intake": "Intake",
    "lookup": "content_id",
    "read": "CorpusOptions read_corpus",
    "reasons": "TakenId",
    "split": "split_spans",
    "tally": "Tally Unread",
}
"""The names, by the module that they are in."""

_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    # Imported when first used: what searches an index, such as a search worker, needs little of this room.
    if name in _HOME:
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
