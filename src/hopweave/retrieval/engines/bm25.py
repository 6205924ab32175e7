"""BM25 over an index on disk (tantivy), with extra weight for words of the title.

The text analysis is Lucene's English one: words of letters and digits in lower case, without possessives and 33 stop words,
stemmed by Porter 2. Three fields are indexed: the title, the text, and both together. The score is

    bm25(title and text) + title_weight * bm25(title)          k1 = 1.2, b = 0.75

A query's terms are looked up one by one; no query language is involved, so no text can be a syntax error. A term that occurs
twice in a query counts twice, as in Lucene. Scores are rounded to four decimals, since their 32-bit sums depend on the order of
the terms beyond that; equal scores are ordered by passage id.

IRCoT's own retriever (Elasticsearch, English analyzer, text alone) is `fields="text", title_weight=0`.

Deleted passages have no effect once an index is published, except in large segments of which less than a twentieth is deleted
(see `bm25_compaction`): until then, document frequencies there still include the deleted passages.

The language of an index determines stop words and stemming, for passages and queries alike; see `analysis`.

The filter for visible passages (`visible`) is part of every query. Terms are weighted by all passages, including hidden ones,
except those that no visible passage has: these count as unknown.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import tantivy

from hopweave.core.errors import DataError, SearchError, SettingsError
from hopweave.core.indexing import IndexSummary, IndexTraits
from hopweave.core.types import Hit, Passage
from hopweave.core.visibility import PUBLIC, Visible
from hopweave.ingest.file_states import copies_in, origin_of
from hopweave.ingest.lookup import document_id_of
from hopweave.ingest.origin import Origin
from hopweave.retrieval.engines._word_engine import WordEngine
from hopweave.retrieval.index.bm25_index import (
    COUNTS,
    ENGINE,
    FILE_STATES,
    LABELLED,
    analysis_in,
    by_term,
    links_in,
    load,
    stored,
    writing_to,
)
from hopweave.retrieval.index.bm25_intake import delete as delete_ids
from hopweave.retrieval.index.bm25_intake import num_files, take_in
from hopweave.retrieval.index.bm25_search import best, best_passages, clauses, query_terms, searching, searching_with
from hopweave.retrieval.index.index_folder import open_index, read_manifest
from hopweave.retrieval.index.index_writing import replace_index

if TYPE_CHECKING:
    from hopweave.ingest.intake import Intake


@dataclass(eq=False)
class BM25(WordEngine):
    """Finds passages by the words they share with the query.

    An instance serves one thread at a time. It keeps the state of the index that it opened, even while the index is updated.

    Raises:
        DataError: if the index cannot be opened, with the reason.
        SettingsError: for a title weight that is negative or not a number.
    """

    INDEX: ClassVar = IndexTraits(has_language=True)
    engine_name = ENGINE

    index: Annotated[Path, "folder of the index, as built by: hopweave index"]
    title_weight: Annotated[float, "how much the title's own score adds; 0 leaves it out"] = 0.5
    fields: Annotated[Literal["title_and_text", "text"], "the main field; 'text' with title_weight 0 is IRCoT's retriever"] = (
        "title_and_text"
    )
    visible: Annotated[Visible, "which passages may be shown; from the settings access and where"] = PUBLIC

    def __post_init__(self) -> None:
        if not (math.isfinite(self.title_weight) and self.title_weight >= 0):
            raise SettingsError(f"title_weight cannot be {self.title_weight}; give 0 or more")
        if self.fields not in ("title_and_text", "text"):
            raise SettingsError(f"fields cannot be {self.fields!r}; choose one of: text, title_and_text")
        self.index = Path(self.index)
        self._begin(*open_index(self.index, ENGINE, load))

    @property
    def identity(self) -> str:
        return (
            f"bm25 fields={self.fields} title_weight={self.title_weight:g} analyzer={self._manifest.analyzer} "
            f"corpus={self._manifest.fingerprint}{self.visible.identity}"
        )

    def search(self, queries: Sequence[str], max_hits: int) -> list[list[Hit]]:
        searcher = self._open_searcher()
        try:
            with searching_with(self._analysis):
                return [self._search_one(searcher, query, max_hits) for query in queries]
        except ValueError as error:
            raise SearchError(f"bm25 search in {self.index} failed: {error}") from error

    def passages(self, ids: Iterable[str]) -> list[Passage]:
        """Passages by id, in the order of the ids.

        Raises:
            DataError: for an id that the index does not have, or whose passage may not be shown; the message is the same.
        """
        searcher = self._open_searcher()
        return [self._shown(searcher, passage_id)[1] for passage_id in ids]

    def origin_of(self, passage_id: str) -> Origin | None:
        """The file that a passage comes from; `None` if the index does not know it, e.g. if it was not built from files.

        Raises:
            DataError: as in `passages`; also if the list of files is damaged.
        """
        number, _ = self._shown(self._open_searcher(), passage_id)
        return origin_of(self.index / self._manifest.data / FILE_STATES, number, passage_id)

    def documents(self) -> Iterator[tuple[str, str, int, list[str]]]:
        """The id, title and number of passages of each document, in the order in which they were added.

        The fourth value are the names of other documents that have text of it, which was left out there.

        Raises:
            DataError: if the list of files is damaged.
        """
        copies = copies_in(self.index / self._manifest.data / FILE_STATES)
        for document_id, passages in groupby(self.all_passages(), document_id_of):
            titles: Counter[str] = Counter()
            also_in: dict[str, None] = {}
            for passage in passages:
                titles[passage.title] += 1
                also_in |= dict.fromkeys(source.partition("#")[0] for source in copies.get(passage.id, ()))
            yield document_id, next(iter(titles)), titles.total(), list(also_in)

    @classmethod
    def take_in(
        cls,
        folder: Path,
        intake: Intake,
        *,
        update: bool,
        delete: Iterable[str] = (),
        missing_ok: bool = False,
        language: str | None = None,
        on_passage: Callable[[int], None] | None = None,
    ) -> IndexSummary:
        """Reads files into an index, and keeps the list of files and their states with it.

        Args:
            folder: the index.
            intake: which files, and whether to add them or to bring the index in line with them.
            update: start with the existing index, which must exist; otherwise it is replaced.
            delete: ids of passages or of documents to delete before; the other arguments are as in `update`.
            missing_ok: ignore ids that do not exist.
            language: for a new index, as in `build`; for one that is updated, as in `update`.
            on_passage: called with the number of passages added so far, after each.

        Raises:
            SettingsError: as in `build` and `update`.
            DataError: as in `read_corpus`, `build` and `update`. The existing content is not changed.
        """
        if not update:
            intake.num_bytes()  # before the folder of the index can be one of the files' folders
        with (
            replace_index(folder, engine=ENGINE, update=update) as staging,
            writing_to(staging, language, lambda _: intake.share_read()) as writing,
        ):
            delete_ids(writing, staging.data, delete, missing_ok=missing_ok)
            is_changed = take_in(writing, staging.data, intake, on_passage)
            if is_changed or staging.previous is None:
                return writing.publish()
            previous = staging.previous
            return IndexSummary(previous.num_passages, 0, 0, previous.num_bytes, previous.fingerprint)

    @classmethod
    def stats(cls, folder: Path) -> dict[str, int | str]:
        """A summary of an index, in display order, without reading the passages.

        Raises:
            DataError: if there is no index, or one of another engine.
        """
        manifest = read_manifest(folder, ENGINE)
        analysis = analysis_in(folder, manifest)
        counts = {name: manifest.state.get(name, "not counted: built by an earlier version") for name in COUNTS}
        return {
            "passages": manifest.num_passages,
            **counts,
            **({LABELLED: manifest.state[LABELLED]} if LABELLED in manifest.state else {}),
            "files": num_files(folder / manifest.data),
            "bytes": manifest.num_bytes,
            "links": links_in(manifest),
            "language": analysis.language,
            "analyzer": manifest.analyzer,
            "built": manifest.created_at,
            "updated": manifest.updated_at,
            "fingerprint": manifest.fingerprint,
        }

    def _shown(self, searcher: tantivy.Searcher, passage_id: str) -> tuple[int, Passage]:
        """The number and the passage with an id. Errors as in `passages`."""
        address = next(by_term(searcher, "id", passage_id), None)
        number, passage = stored(searcher, address) if address is not None else (0, None)
        if passage is None or not self.visible.shows(passage):
            raise DataError(f"index {self.index} has no passage {passage_id!r}; check the id, or update the index")
        return number, passage

    def _search_one(self, searcher: tantivy.Searcher, query: str, max_hits: int) -> list[Hit]:
        frequency = self._open_frequency()
        terms = query_terms(frequency, query)
        if not terms or max_hits < 1:
            return []
        weights = {"all" if self.fields == "title_and_text" else "text": 1.0, "title": self.title_weight}
        asked = clauses(terms, weights, frequency, self._manifest.state["next_number"])
        hits = best(searching(searcher, self._conditions), asked, max_hits)
        found = best_passages(searcher, hits, max_hits, self._passages)
        return [Hit(passage, score, rank) for rank, (score, passage) in enumerate(found, start=1)]
