"""What is certain about a corpus that is not read as a whole: the number of its documents and passages, and some titles."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, runtime_checkable

from hopweave.core.catalog import load
from hopweave.core.indexing import DescribesIndex, SearchesFolder
from hopweave.core.types import Passage
from hopweave.core.visibility import PUBLIC, Visible
from hopweave.ingest.lookup import NumDocuments, count_documents, document_id_of

MAX_PASSAGES = 20_000
"""How many passages are counted; more would take longer than people wait."""
MAX_TITLES = 8


@runtime_checkable
class HoldsPassages(Protocol):
    """An engine that can go through its passages: every one of hopweave that has an index or a collection of its own."""

    visible: Visible

    def all_passages(self) -> Iterator[Passage]:
        """Yields all passages, including hidden ones."""


@dataclass(frozen=True, slots=True)
class Overview:
    """How much of a corpus may be shown.

    Attributes:
        documents: how many there are.
        num_passages: their passages.
        titles: of all documents if there are few, else of some from all over the corpus; ids of documents without a title.
        is_complete: whether all passages were counted.
    """

    documents: NumDocuments
    num_passages: int
    titles: tuple[str, ...]
    is_complete: bool


def overview_of(engine: object) -> Overview | None:
    """Counts what an engine may show; `None` if the engine cannot go through its passages.

    Args:
        engine: it is asked if it can; one that searches the index of another engine has that index counted.

    Raises:
        DataError: if that index cannot be read.
    """
    if isinstance(engine, HoldsPassages):
        return _counted(engine)
    if not (isinstance(engine, SearchesFolder) and isinstance(engine, DescribesIndex) and engine.INDEX.of):
        return None
    part: Any = load("retrievers", engine.INDEX.of)
    with closing(part(index=engine.index, visible=getattr(engine, "visible", PUBLIC))) as holder:
        return _counted(holder)


def _counted(engine: HoldsPassages) -> Overview:
    waiting = iter(engine.all_passages())
    documents: dict[str, Passage] = {}
    num_passages = 0
    for passage in islice(waiting, MAX_PASSAGES):
        if engine.visible.shows(passage):
            num_passages += 1
            documents.setdefault(document_id_of(passage), passage)
    different = list(dict.fromkeys(passage.title or key for key, passage in documents.items()))
    some = different[:: -(-len(different) // MAX_TITLES) or 1]
    return Overview(count_documents(documents.values()), num_passages, tuple(some), next(waiting, None) is None)
