"""Passages by the ids that citations name, and the documents that they were split from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

from hopweave.core.types import Hit, Passage

_SPLIT_ID = re.compile(r"(.+)#\d+", re.DOTALL)


@runtime_checkable
class LooksUp(Protocol):
    """Finds its passages by id: every engine of hopweave with its own corpus."""

    def passages_of(self, any_ids: Iterable[str], *, documents: bool = True) -> list[Passage]:
        """The passages that have one of these ids, or come from a document that has one, each once.

        An id without a passage gives none, and a passage that is not shown (`visible`) does not exist here.

        Args:
            any_ids: of passages and documents.
            documents: whether an id may be that of a document; if not, it can only be that of a passage.

        Raises:
            SearchError: when the engine fails.
        """


class PassageLookup(LooksUp, Protocol):
    """An engine that finds passages by id, and those that contain words."""

    def search(self, queries: Sequence[str], max_hits: int) -> list[list[Hit]]:
        """See `core.protocols.Retriever`."""

    def close(self) -> None:
        """Releases files and memory."""


def document_id_of(passage: Passage) -> str:
    """The id of the document that a passage was split from; its own if it is a whole document."""
    match = _SPLIT_ID.fullmatch(passage.id) if passage.start is not None else None
    return match[1] if match else passage.id
