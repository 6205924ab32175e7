"""Multi-hop retrieval without a model: from the passages that share words with a question to those that complete it.

`bm25` finds passages that share words with a question; the next hop ("the director of that film") is in passages that share
none. `weave` searches once, then follows links from the best passages to the documents that they name, searches for the words
of the question that are still open, checks each link against those words, and chooses the passages as a set. See docs/weave.md;
docs/design/measured.md has the figures.

Any engine that asks no model may search first (`first`); links and words always come from the bm25 index.

Calls of a model: none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Annotated, Any, ClassVar

from hopweave.core.errors import DataError, SearchError
from hopweave.core.indexing import Elsewhere, IndexTraits, how_to_rebuild
from hopweave.core.options import AtLeast, Count, Whole, check_options
from hopweave.core.protocols import Retriever
from hopweave.core.types import Hit, Via
from hopweave.core.visibility import PUBLIC, Visible
from hopweave.retrieval.index.bm25_index import ENGINE, LAYOUT, PARTS_SINCE, analysis_in, conditions_of, load
from hopweave.retrieval.index.bm25_search import searching_with
from hopweave.retrieval.index.index_folder import open_index
from hopweave.retrieval.index.weaving import FIRST_HITS, Weaving, Woven
from hopweave.retrieval.index.word_index import WordIndex
from hopweave.text.alternatives import alternatives
from hopweave.text.evidence import shortened
from hopweave.text.word_vectors import word_vectors


@dataclass(eq=False)
class Weave:
    """Finds passages that share words with the query, and passages that those lead to.

    An instance serves one thread at a time. It searches an index of `bm25` in the state in which it was opened.

    Raises:
        DataError: if the index cannot be opened, or was built before `weave` existed, with what to do.
        SettingsError: for an invalid option.
    """

    INDEX: ClassVar[IndexTraits] = IndexTraits(of=ENGINE)

    index: Annotated[Path, "folder of the index, as built by: hopweave index"]
    depth: Annotated[Whole, "hops from the passages that the query itself finds; 0 follows none"] = 2
    links: Annotated[bool, "follow the titles that passages name"] = True
    references: Annotated[bool, "among links, follow references to sections and tables, and terms to their definitions"] = True
    residual: Annotated[bool, "search for the words of the query that a passage leaves open"] = True
    set_choice: Annotated[bool, "choose each passage by what it adds to those before it"] = True
    title_weight: Annotated[float, AtLeast(0, 1000), "how much the title's own BM25 score adds"] = 0.5
    comparisons: Annotated[bool, "search for each of the two things that a query compares"] = True
    values: Annotated[bool, "after bm25, prefer passages with a value of the kind asked for: a time for 'how long'"] = True
    word_vectors: Annotated[bool, "after bm25, count nearness in meaning, by: hopweave models fetch word-vectors"] = True
    max_tokens: Annotated[Count | None, "show only the likeliest sentences, up to this many tokens; none: entire passages"] = (
        None
    )
    first: Annotated[str, "the engine whose hits are followed; one that asks no model, such as dense or hybrid"] = ENGINE
    engine_options: Annotated[Mapping[str, Mapping[str, Any]], "options of that engine, by name; as in retrievers.NAME"] = (
        field(default_factory=dict)
    )
    visible: Annotated[Visible, "which passages may be shown; from the settings access and where"] = PUBLIC

    def __post_init__(self) -> None:
        check_options(self)
        self.index = Path(self.index)
        self._manifest, searcher = open_index(self.index, ENGINE, load)
        if self._manifest.state.get(LAYOUT, 1) < 2:
            raise DataError(
                f"index {self.index} was built before there was weave, and holds no names; {how_to_rebuild(self.index)}"
            )
        fields = {"all": 1.0, "title": self.title_weight}
        conditions = conditions_of(self.index, self._manifest, self.visible)
        num_passages = self._manifest.num_passages
        most_passages = self._manifest.state["next_number"]
        self._words: WordIndex | None = WordIndex(searcher, num_passages, most_passages, fields, self.visible, conditions)
        self._analysis = analysis_in(self.index, self._manifest)
        self._first: Retriever | None = None
        if self.first != ENGINE:
            from hopweave.retrieval.opened_engines import opened

            self._first = opened(self.first, self.index, self.engine_options, "retrievers.weave", self.visible)

    @property
    def identity(self) -> str:
        """Name, options, and the fingerprint of the corpus."""
        first = f" first={self._first.identity}" if self._first is not None else ""
        name = word_vectors() if self.word_vectors and self._first is None else ""
        vectors = f" word_vectors={name}" if name else ""
        return (
            f"weave depth={self.depth} links={self.links} references={self._follows_references} "
            f"residual={self.residual} set_choice={self.set_choice} "
            f"comparisons={self.comparisons} values={self.values} title_weight={self.title_weight:g} "
            f"max_tokens={self.max_tokens} analyzer={self._manifest.analyzer} "
            f"corpus={self._manifest.fingerprint}{self.visible.identity}{vectors}{first}"
        )

    @property
    def num_passages(self) -> int:
        """Passages in the index."""
        return self._manifest.num_passages

    @property
    def _follows_references(self) -> bool:
        """Whether references are followed: an index that was built before they were has none."""
        return self.links and self.references and self._manifest.state[LAYOUT] >= PARTS_SINCE

    @property
    def elsewhere(self) -> Elsewhere | None:
        """See `core.indexing.OpensElsewhere`."""
        return Elsewhere.of(self, self._manifest, parts=() if self._first is None else (self._first,))

    def search(self, queries: Sequence[str], max_hits: int) -> list[list[Hit]]:
        """See `core.protocols.Retriever`.

        A hit's score is its value, at most that of the preceding hit, times the share of the query's words (by idf) that the
        first hit has: where that has little of the query, all scores are low.
        """
        if self._words is None:
            raise SearchError(f"the weave retriever on {self.index} is closed")
        words = self._words
        try:
            with searching_with(self._analysis):
                asked = [self._asked(words, query) for query in queries]
            flat = list(chain.from_iterable(asked))
            first = iter(self._first.search(flat, FIRST_HITS) if self._first is not None else [None] * len(flat))
            with searching_with(self._analysis):
                return [
                    self._search_one(words, query, each, first, max_hits) for query, each in zip(queries, asked, strict=True)
                ]
        except ValueError as error:
            raise SearchError(f"weave search in {self.index} failed: {error}") from error

    def has_terms(self, query: str) -> bool:
        """See `core.protocols.WordSearcher`."""
        return bool(self._analysis.terms_of(query))

    def close(self) -> None:
        """Closes the index, and the engine that searches first."""
        self._words = None
        if self._first is not None:
            self._first.close()

    def _asked(self, words: WordIndex, query: str) -> Sequence[str]:
        """The query, or the question for each of two things that it compares; titles lead on from both in one search."""
        compared = alternatives(query) if self.comparisons else None
        if compared is None or all(words.mentions(one.words, code=False) for one in compared):
            return [query]
        return [one.question for one in compared]

    def _search_one(
        self, words: WordIndex, query: str, asked: Sequence[str], first: Iterator[Sequence[Hit] | None], max_hits: int
    ) -> list[Hit]:
        """The hits for a query, from the searches for what is asked, in turns.

        Args:
            words: the index.
            query: the query.
            asked: what is searched for.
            first: what another engine found for each of these; `None` for each without another engine.
            max_hits: how many at most.
        """
        found = [self._woven(words, one, next(first), max_hits, is_whole=len(asked) == 1) for one in asked]
        hits: dict[str, Hit] = {}
        best = math.inf
        for woven in islice(_in_turns(found), max_hits):
            best = min(best, woven.value)
            via = None if woven.via is None or _leads_back(woven.via, woven.passage.id, hits) else woven.via
            hits[woven.passage.id] = Hit(woven.passage, round(best, 4), len(hits) + 1, via)
        return list(hits.values()) if self.max_tokens is None else shortened(query, list(hits.values()), self.max_tokens)

    def _woven(
        self, words: WordIndex, asked: str, first: Sequence[Hit] | None, max_hits: int, *, is_whole: bool
    ) -> list[Woven]:
        weaving = Weaving(
            words,
            asked,
            first,
            depth=self.depth,
            use_links=self.links,
            use_references=self._follows_references and is_whole,
            use_residual=self.residual and is_whole,
            use_values=self.values,
            use_vectors=self.word_vectors,
        )
        chosen = weaving.chosen(max_hits, as_set=self.set_choice)
        # Another engine's scores do not depend on words.
        share = weaving.share_of(chosen[0].passage) if chosen and first is None else 1.0
        return [replace(woven, value=share * woven.value) for woven in chosen]


def _in_turns(found: Sequence[Sequence[Woven]]) -> Iterator[Woven]:
    """Yields the passages of several searches in turns, each once."""
    seen: set[str] = set()
    for woven in filter(None, chain.from_iterable(zip_longest(*found))):
        if woven.passage.id not in seen:
            seen.add(woven.passage.id)
            yield woven


def _leads_back(via: Via, passage_id: str, hits: Mapping[str, Hit]) -> bool:
    """Whether what led to a passage was led to by the passage itself, as it may be if two searches found them."""
    source: Via | None = via
    while source is not None and source.passage_id != passage_id:
        hit = hits.get(source.passage_id)
        source = hit.via if hit is not None else None
    return source is not None
