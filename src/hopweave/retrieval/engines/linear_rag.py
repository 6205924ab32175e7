"""LinearRAG: passages by PageRank over a graph of entities, sentences and passages that is built without a language model.

Zhuang et al., "LinearRAG: Linear Graph Retrieval Augmented Generation on Large-scale Corpora", 2025 (arXiv 2510.10114). The
graph has no relations: it only tells which sentence, and so which passage, mentions which entities. A query is answered in two
stages. Its entities activate others through sentences that resemble it, for `rounds` rounds. Then personalised PageRank, which
starts from the active entities and from the passages' own relevance, ranks the passages.

Figures are the defaults of the authors' program. Where the paper uses vectors and a tagger for names, this uses words, so that
no model is needed:

- Entities are runs of capitalised words, and titles; each sentence counts as mentioning the title. See `index.entities`.
- A name in the query that is not an entity is linked to the one whose words are most similar, by idf.
- A sentence resembles the query by the words that it shares with it; see `QueryWords.similarities`.
- A passage's own relevance is its BM25 score over the best one, for the `NUM_RELEVANT` best passages, and 0 for all others. If
  the query names no entity, passages are ranked by BM25 alone.

Decided here: what is active already is not activated again, and an entity that several sentences activate in one round gets
the highest of their scores (the program adds them up). The program also links each passage to the next in the file. This does
not: in corpora that were pooled from questions, neighbours are mostly passages of one question.

The index has a BM25 index of its own. `--corpus` names it, or an index of `bm25` with one inside, in the folder `linear_rag`.

Calls of a model: none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
import tantivy

from hopweave.core.errors import SearchError
from hopweave.core.indexing import IndexSummary, IndexTraits
from hopweave.core.options import AtLeast, Count, check_options
from hopweave.core.types import Hit, Passage, Via
from hopweave.core.visibility import PUBLIC, Visible
from hopweave.retrieval.engines._word_engine import WordEngine
from hopweave.retrieval.index.arrays import Floats, Integers
from hopweave.retrieval.index.bm25_index import Companion, load, stored
from hopweave.retrieval.index.bm25_search import (
    Found,
    best,
    best_passages,
    clauses,
    having,
    idf,
    query_terms,
    searching,
    searching_with,
    terms_of,
)
from hopweave.retrieval.index.entity_graph import ENGINE, EntityGraph
from hopweave.retrieval.index.entity_linking import linked
from hopweave.retrieval.index.entity_spreading import NOWHERE, Active, QueryWords, Spreading, entity_bonus, pagerank
from hopweave.retrieval.index.entity_writing import writing_entities
from hopweave.retrieval.index.index_folder import Manifest, open_index
from hopweave.retrieval.index.index_writing import Staging
from hopweave.retrieval.opened_engines import index_for

FIELDS: Mapping[str, float] = {"all": 1.0, "title": 0.5}
"""The fields of BM25 with their weights, as in `bm25` by default."""

NUM_RELEVANT = 500
"""How many passages have a relevance of their own."""

_DECIMALS = 8
_MAX_TIES = 1000


def _opened(data: Path, manifest: Manifest) -> tuple[tantivy.Searcher, EntityGraph]:
    return load(data, manifest), EntityGraph(data, manifest)


@dataclass(eq=False)
class LinearRag(WordEngine):
    """Finds passages by the entities that connect them with the query.

    An instance serves one thread at a time. It keeps the state of the index that it opened, even while the index is updated.

    Raises:
        DataError: if the index cannot be opened, with what to do.
        SettingsError: for an invalid option.
    """

    INDEX: ClassVar[IndexTraits] = IndexTraits(has_language=True)
    engine_name = ENGINE

    index: Annotated[Path, "folder of the index, or of a bm25 index with one in its folder linear_rag"]
    rounds: Annotated[Count, "rounds of activation; the entities of the query are the first"] = 3
    threshold: Annotated[float, AtLeast(0, 1), "least activation of an entity, and least similarity of a name to it"] = 0.5
    num_sentences: Annotated[Count, "through how many of its sentences an entity activates others"] = 1
    passage_ratio: Annotated[float, AtLeast(0, 1000), "how much a passage's own relevance counts against its entities"] = 1.5
    passage_weight: Annotated[float, AtLeast(0, 1000), "how often walks start at passages, against entities"] = 0.05
    damping: Annotated[float, AtLeast(0, 0.99), "probability that a walk goes on at each step"] = 0.5
    visible: Annotated[Visible, "which passages may be shown; from the settings access and where"] = PUBLIC

    def __post_init__(self) -> None:
        check_options(self)
        self.index = index_for(Path(self.index), ENGINE)
        manifest, (searcher, graph) = open_index(self.index, ENGINE, _opened)
        self._begin(manifest, searcher)
        self._search = searching(searcher, self._conditions)
        self._graph: EntityGraph | None = graph
        if self._conditions:
            graph.show_only(self._numbers(self._search(tantivy.Query.all_query(), max(1, manifest.num_passages))))

    @property
    def identity(self) -> str:
        """Name, options, and the fingerprint of the corpus."""
        return (
            f"linear_rag rounds={self.rounds} threshold={self.threshold:g} num_sentences={self.num_sentences} "
            f"passage_ratio={self.passage_ratio:g} passage_weight={self.passage_weight:g} damping={self.damping:g} "
            f"analyzer={self._manifest.analyzer} corpus={self._manifest.fingerprint}{self.visible.identity}"
        )

    def search(self, queries: Sequence[str], max_hits: int) -> list[list[Hit]]:
        """See `core.protocols.Retriever`.

        A hit's score is the share of walks that are at the passage; of a query that names no entity, its BM25 score.
        """
        graph = self._graph
        if graph is None or max_hits < 1:
            self._open_searcher()
            return [[] for _ in queries]
        try:
            with searching_with(self._analysis):
                return [self._search_one(graph, query, max_hits) for query in queries]
        except ValueError as error:
            raise SearchError(f"linear_rag search in {self.index} failed: {error}") from error

    def close(self) -> None:
        """Closes the index."""
        super().close()
        if self._graph is not None:
            self._graph.close()
        self._graph = None

    @classmethod
    def check(cls, folder: Path) -> IndexSummary:
        """See `core.indexing.IndexedRetriever`; whatever the size of the index."""
        manifest, (_, graph) = open_index(folder, ENGINE, _opened, full=True)
        graph.close()
        return IndexSummary(manifest.num_passages, 0, 0, manifest.num_bytes, manifest.fingerprint)

    @classmethod
    def _companion(cls, staging: Staging) -> AbstractContextManager[Companion]:
        return writing_entities(staging)

    def _search_one(self, graph: EntityGraph, query: str, max_hits: int) -> list[Hit]:
        searcher = self._open_searcher()
        frequency = self._open_frequency()
        terms = query_terms(frequency, query)
        asked = clauses(terms, FIELDS, frequency, self._manifest.state["next_number"])
        seeds = linked(query, graph, self._weight, self.threshold)
        if not seeds:
            found = best_passages(searcher, best(self._search, asked, max_hits), max_hits, self._passages)
            return [Hit(passage, score, rank) for rank, (score, passage) in enumerate(found, start=1)]
        words = QueryWords.of({term: self._idf(term) for term in terms})
        active = Spreading(self.rounds, self.threshold, self.num_sentences).active(graph, seeds, words)
        own = self.passage_ratio * self._relevance(graph, best(self._search, asked, NUM_RELEVANT))
        own += np.log1p(entity_bonus(graph, active))
        entities = {entity: one.score for entity, one in active.items()}
        scores = pagerank(graph, entities, own * self.passage_weight, self.damping)
        return self._hits(graph, scores, active, max_hits)

    def _relevance(self, graph: EntityGraph, found: Found) -> Floats:
        """The BM25 score of each passage, over the best one."""
        relevance = np.zeros(len(graph.numbers))
        if found:
            relevance[graph.rows_of(self._numbers(found))] = [score / found[0][0] for score, _ in found]
        return relevance

    def _numbers(self, found: Found) -> Integers:
        """The numbers of the passages that were found."""
        addresses = [address for _, address in found]
        numbers = self._open_searcher().fast_field_values("number", addresses) if addresses else []
        return np.array(numbers, dtype=np.int64)

    def _hits(self, graph: EntityGraph, scores: Floats, active: Mapping[int, Active], max_hits: int) -> list[Hit]:
        rounded = scores.round(_DECIMALS)
        rows = np.flatnonzero(rounded)
        rows = rows[np.argsort(-rounded[rows], kind="stable")]
        if len(rows) > max_hits:  # those that tie with the last are ordered by id
            rows = rows[rounded[rows] >= rounded[rows[max_hits - 1]]][: max_hits + _MAX_TIES]
        passages = self._passages_in(graph, rows)
        ranked = sorted(zip(rows.tolist(), passages, strict=True), key=lambda one: (-rounded[one[0]], one[1].id))[:max_hits]
        return [
            Hit(passage, float(rounded[row]), rank, self._via(graph, row, active))
            for rank, (row, passage) in enumerate(ranked, start=1)
        ]

    def _via(self, graph: EntityGraph, row: int, active: Mapping[int, Active]) -> Via | None:
        """The passage whose sentence activated an entity of this one; `None` if the query names one of its entities.

        The entity of the earliest round counts. The sentence that activated it mentions one of an earlier round, so the paths
        form a tree.
        """
        found = [active[entity] for entity in graph.entities_of(row).tolist() if entity in active]
        first = min(found, key=lambda one: (one.round, -one.score), default=None)
        if first is None or first.sentence == NOWHERE:
            return None
        [source] = self._passages_in(graph, np.array([graph.row_of_sentence(first.sentence)]))
        return Via(source.id, source.title, "link")

    def _passages_in(self, graph: EntityGraph, rows: Integers) -> list[Passage]:
        """The passages in some of the rows, in the same order."""
        searcher = self._open_searcher()
        numbers = graph.numbers[rows].tolist()
        missing = [number for number in numbers if self._passages.get(number) is None]
        read: dict[int, Passage] = {}
        if missing:
            read = dict(stored(searcher, address) for _, address in self._search(having("number", missing), len(missing)))
        found = [read[number] if number in read else self._passages.get(number) for number in numbers]
        for number, passage in read.items():
            self._passages.keep(number, passage)
        return [passage for passage in found if passage is not None]

    def _idf(self, term: str) -> float:
        return idf(self._open_frequency()("all", term), self._manifest.num_passages)

    def _weight(self, word: str) -> float:
        """The idf of the rarest term of a word: 0 for a stop word; a word that no passage has is as rare as can be."""
        rarest = math.log(1 + (self._manifest.num_passages + 0.5) / 0.5)
        return max((self._idf(term) or rarest for term in terms_of(word)), default=0.0)
