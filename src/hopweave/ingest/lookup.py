"""Passages by the ids that citations name, and the documents that they were split from."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Hit, Passage

_SPLIT_ID = lazy_pattern(r"(.+)#\d+", re.DOTALL)

MAX_ID_BYTES = 10_000
"""Of the id of a passage in an index."""

MAX_DOCUMENT_ID_BYTES = MAX_ID_BYTES - 20
"""Of the id of a document or record: the ids of passages that it is split into are longer by their numbers."""


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


def content_id(title: str, text: str) -> str:
    """The id of a passage that has none: 16 hexadecimal digits derived from its title and text alone."""
    return content_hash(title, text).hex()


def content_hash(title: str, text: str) -> bytes:
    """Eight bytes derived from the title and the text of a passage alone."""
    return hashlib.blake2b(f"{title}\0{text}".encode(), digest_size=8).digest()


@dataclass(frozen=True, slots=True)
class NumDocuments:
    """How many documents there are, and how many of them are rows of a table or records that share their file.

    Attributes:
        num_all: documents, each row or record being one.
        num_records: those of them whose file holds others as well.
        num_files: the files that hold these.
    """

    num_all: int
    num_records: int = 0
    num_files: int = 0

    def __str__(self) -> str:
        """Such as `3 documents`, or `1 document, and 5 rows or records of 2 files`."""
        alone = self.num_all - self.num_records
        documents = f"{alone:,} document{'s' * (alone != 1)}"
        if not self.num_records:
            return documents
        records = f"{self.num_records:,} rows or records of {self.num_files:,} file{'s' * (self.num_files != 1)}"
        return f"{documents}, and {records}" if alone else records


def count_documents(passages: Iterable[Passage]) -> NumDocuments:
    """Counts documents, given by a passage of each. Rows and records have the `source` of their file; others have their own."""
    held = Counter(passage.source for passage in passages)
    shared = [num for source, num in held.items() if source and num > 1]
    return NumDocuments(held.total(), sum(shared), len(shared))
