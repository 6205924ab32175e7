"""Reads a corpus: files and folders in, passages out, as a stream, so that memory does not grow with it."""

from __future__ import annotations

from hopweave.ingest.find import find_files
from hopweave.ingest.formats import CorpusFile
from hopweave.ingest.intake import Intake
from hopweave.ingest.read import CorpusOptions, TakenId, content_id, read_corpus
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
