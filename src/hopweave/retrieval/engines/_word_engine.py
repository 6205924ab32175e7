"""What the engines over an index of words share: opening it, building, updating and checking it, and reading its passages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import ClassVar

import tantivy

from hopweave.core.errors import DataError, SearchError
from hopweave.core.indexing import Elsewhere, IndexSummary
from hopweave.core.memoize import Kept
from hopweave.core.types import Passage
from hopweave.core.visibility import Condition, Visible
from hopweave.retrieval.index.analysis import Analysis
from hopweave.retrieval.index.bm25_index import (
    Companion,
    analysis_in,
    by_term,
    conditions_of,
    in_order,
    load,
    stored,
    writing_to,
)
from hopweave.retrieval.index.bm25_intake import delete as delete_ids
from hopweave.retrieval.index.bm25_search import Frequency, shown_frequency
from hopweave.retrieval.index.index_folder import Manifest, open_index
from hopweave.retrieval.index.index_writing import Staging, replace_index

_PAGE = 1000


class WordEngine:
    """A retriever over an index of words.

    Class attributes:
        engine_name: of the engine, as the manifest of its index has it.
    """

    engine_name: ClassVar[str]

    index: Path
    visible: Visible
    _manifest: Manifest
    _searcher: tantivy.Searcher | None
    _frequency: Frequency | None
    _passages: Kept[Passage]
    _analysis: Analysis
    _conditions: Sequence[Condition]

    @property
    def num_passages(self) -> int:
        """Passages in the index."""
        return self._manifest.num_passages

    @property
    def elsewhere(self) -> Elsewhere | None:
        """See `core.indexing.OpensElsewhere`."""
        return Elsewhere.of(self, self._manifest)

    def has_terms(self, query: str) -> bool:
        """See `core.protocols.WordSearcher`."""
        return bool(self._analysis.terms_of(query))

    def close(self) -> None:
        """Closes the index."""
        self._searcher = self._frequency = None

    def passages_of(self, any_ids: Iterable[str], *, documents: bool = True) -> list[Passage]:
        """See `ingest.lookup.LooksUp`."""
        searcher = self._open_searcher()
        found: dict[int, Passage] = {}
        for any_id in any_ids:
            for name in ("id", "document") if documents else ("id",):
                found |= dict(stored(searcher, address) for address in by_term(searcher, name, any_id))
        return [found[number] for number in sorted(found) if self.visible.shows(found[number])]

    def all_passages(self) -> Iterator[Passage]:
        """Yields all passages, including hidden ones, in the order in which they were added, in constant memory."""
        searcher = self._open_searcher()
        for first in range(0, self._manifest.state["next_number"], _PAGE):
            for _, passage in in_order(searcher, range(first, first + _PAGE)):
                yield passage

    @classmethod
    def build(
        cls,
        folder: Path,
        passages: Iterable[Passage],
        *,
        language: str | None = None,
        on_passage: Callable[[int], None] | None = None,
        num_passages: int | None = None,
    ) -> IndexSummary:
        """Builds an index. An existing one is replaced, but stays in use until the new one is complete.

        Args:
            folder: the index.
            passages: consumed one by one.
            language: their language, as a name or ISO 639-1 code; `None` to detect it from the first of them.
            on_passage: called with the number of passages so far, after each.
            num_passages: their approximate number, if `passages` has no length. If it is known, an index of a million or more
                passages is faster to search.

        Raises:
            SettingsError: for a language without an analyzer.
            DataError: for a repeated id, no passages, a folder that is not an index, another writer, or a full disk. The
                existing content is not changed.
        """
        num = num_passages or (len(passages) if isinstance(passages, Sized) else 0)
        share_read = (lambda num_added: num_added / num) if num else None
        with (
            replace_index(folder, engine=cls.engine_name, update=False) as staging,
            cls._companion(staging) as companion,
            writing_to(staging, language, share_read, companion) as writing,
        ):
            for passage in passages:
                writing.add(passage)
                if on_passage is not None:
                    on_passage(writing.num_added)
            if not writing.num_added:
                raise DataError(f"there is no passage to index in {folder}; give at least one")
            return writing.publish()

    @classmethod
    def update(
        cls,
        folder: Path,
        *,
        upsert: Iterable[Passage] = (),
        delete: Iterable[str] = (),
        missing_ok: bool = False,
        language: str | None = None,
        on_passage: Callable[[int], None] | None = None,
    ) -> IndexSummary:
        """Deletes passages, then adds and replaces passages, without rebuilding the rest.

        A document that was split into passages (`id#1`, `id#2`, ...) is replaced and deleted entirely.

        Args:
            folder: the index.
            upsert: passages to add; one with an existing id replaces that passage.
            delete: ids of passages or of documents.
            missing_ok: ignore ids that do not exist.
            language: the language that the index must have, if given.
            on_passage: called with the number of passages added so far, after each.

        Raises:
            SettingsError: for a language other than that of the index.
            DataError: for an id to delete that does not exist, an id that is added twice, no index, another writer, or a full
                disk. The index is not changed.
        """
        with (
            replace_index(folder, engine=cls.engine_name, update=True) as staging,
            cls._companion(staging) as companion,
            writing_to(staging, language, companion=companion) as writing,
        ):
            delete_ids(writing, staging.data, delete, missing_ok=missing_ok)
            for passage in upsert:
                writing.replace(passage)
                if on_passage is not None:
                    on_passage(writing.num_added)
            return writing.publish()

    @classmethod
    def check(cls, folder: Path) -> IndexSummary:
        """Verifies every byte of an index, whatever its size.

        Raises:
            DataError: names what is damaged.
        """
        manifest, _ = open_index(folder, cls.engine_name, load, full=True)
        return IndexSummary(manifest.num_passages, 0, 0, manifest.num_bytes, manifest.fingerprint)

    @classmethod
    def _companion(cls, staging: Staging) -> AbstractContextManager[Companion | None]:
        """What writes further files of the index; by default, there are none."""
        del staging
        return nullcontext()

    def _begin(self, manifest: Manifest, searcher: tantivy.Searcher) -> None:
        """Takes an index that was opened.

        Raises:
            DataError: if metadata are queried in an index built before metadata were stored.
        """
        self._manifest, self._searcher = manifest, searcher
        self._passages = Kept()
        self._analysis = analysis_in(self.index, manifest)
        self._conditions = conditions_of(self.index, manifest, self.visible)
        self._frequency = shown_frequency(searcher, self._conditions, manifest.state["next_number"])

    def _open_searcher(self) -> tantivy.Searcher:
        if self._searcher is None:
            raise self._closed()
        return self._searcher

    def _open_frequency(self) -> Frequency:
        if self._frequency is None:
            raise self._closed()
        return self._frequency

    def _closed(self) -> SearchError:
        return SearchError(f"the {self.engine_name} retriever on {self.index} is closed")
