"""Passages by the ids that citations name, and the documents that they were cut from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

from hopweave.core.types import Hit, Passage

_SPLIT_ID = re.compile(r"(.+)#\d+", re.DOTALL)


@runtime_checkable
class LooksUp(Protocol):
    """What has its passages by id: every engine that comes with hopweave and has a corpus of its own."""

    def passages_of(self, any_ids: Iterable[str], *, documents: bool = True) -> list[Passage]:
        """The passages that have one of these ids, or are cut from a document that has one, each once.

        An id without a passage gives none, and a passage that is not shown (`visible`) is as if it were not there.

        Args:
            any_ids: of passages and documents.
            documents: whether an id may be that of a document; if not, it is that of a passage alone.

        Raises:
            SearchError: when the engine fails.
        """


class PassageLookup(LooksUp, Protocol):
    """An engine that is asked for passages by id, and for those in which words stand."""

    def search(self, queries: Sequence[str], max_hits: int) -> list[list[Hit]]:
        """See `core.protocols.Retriever`."""

    def close(self) -> None:
        """Releases files and memory."""


def document_id_of(passage: Passage) -> str:
    """The id of the document that a passage was cut from; its own if it is whole."""
    match = _SPLIT_ID.fullmatch(passage.id) if passage.start is not None else None
    return match[1] if match else passage.id
