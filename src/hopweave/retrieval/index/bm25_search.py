"""Searches the BM25 index: terms with weights, over all passages or given ones.

The engine reads every posting of every term of a query, so a common word costs as much as all rare ones together: 7 ns per
posting, or 35 ms for a word that is in all of 5 million passages. Two ways around it:

- `best` finds the same hits as the whole query, by the MaxScore rule (Turtle and Flood, 1995): passages with none of the
  rare terms cannot be among the best if all common terms together score less than the last of the best. So only the
  passages with a rare term are examined, and the common terms are looked up for those.
- `num_within` selects the terms that can be searched for within a number of postings: they find candidates, and `scores`
  computes the scores of those only.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache
from heapq import nsmallest
from operator import itemgetter
from typing import NamedTuple

import tantivy

from hopweave.core.memoize import Kept
from hopweave.core.types import Passage
from hopweave.core.visibility import Condition
from hopweave.retrieval.index.analysis import ENGLISH, Analysis
from hopweave.retrieval.index.bm25_index import schema, stored

MAX_QUERY_TERMS = 256
"""For a longer query, only the terms in the fewest passages are searched for; ties go to the first in the query."""

TERMS_AT_ONCE = 20
"""Of so many powers of two, any sum is an exact score: the engine's have 24 bits."""

SCORE_DECIMALS = 4
_K1 = 1.2
_MAX_TIES = 1000
_MARGIN = 0.001
_CHAIN = 6
"""Larger than the rounding errors of 32-bit sums."""

_FEW_POSTINGS = 10_000
"""Fewer postings are read all at once."""

_LOOKUP = 5
"""The cost of looking up one term for one passage, in postings read sequentially."""

_OF_THE_INDEX: ContextVar[Analysis] = ContextVar("analysis of the index", default=ENGLISH)


_MAX_FREQUENCIES = 1 << 16

Frequency = Callable[[str, str], int]
"""How many passages have a term, by field and term."""


def query_terms(frequency: Frequency, query: str) -> dict[str, int]:
    """The terms of a query that occur in some passage, and how often the query has them."""
    terms = Counter(terms_of(query))
    num_passages = {term: frequency("all", term) for term in terms}
    known = [term for term in terms if num_passages[term]]
    if len(known) > MAX_QUERY_TERMS:
        known = sorted(known, key=num_passages.__getitem__)[:MAX_QUERY_TERMS]
    return {term: terms[term] for term in known}


def terms_of(text: str) -> list[str]:
    """The terms of any text, in order, as in the index that is being searched; see `searching_with`."""
    return _OF_THE_INDEX.get().terms_of(text)


def terms_of_each(texts: Sequence[str]) -> list[list[str]]:
    """The terms of each of some texts, likewise."""
    return _OF_THE_INDEX.get().terms_of_each(texts)


@contextmanager
def searching_with(analysis: Analysis) -> Iterator[None]:
    """Analyses texts as an index does, until the end of its search."""
    before = _OF_THE_INDEX.set(analysis)
    try:
        yield
    finally:
        _OF_THE_INDEX.reset(before)


Place = tuple[int, int]
"""The place of a passage; see `place_of`."""

Found = list[tuple[float, tantivy.DocAddress]]
"""Hits: scores and addresses of passages; best first."""

Search = Callable[[tantivy.Query, int], Found]
"""Searches an index for a query with a maximum number of hits. All searches here go through it."""


class Clause(NamedTuple):
    """A term that is searched for in a field.

    Attributes:
        field: the field.
        term: the term.
        weight: the factor of its BM25 score.
        num_passages: how many passages have it there; at least 1.
        most: the most that it can add to a score.
    """

    field: str
    term: str
    weight: float
    num_passages: int
    most: float


def clauses(terms: Mapping[str, float], fields: Mapping[str, float], frequency: Frequency, num_passages: int) -> list[Clause]:
    """The clauses of a query, rarest first; terms that no passage has are left out.

    Args:
        terms: the terms with their weights, above 0.
        fields: the searched fields with their weights; those of weight 0 are left out.
        frequency: returns how many passages have a term.
        num_passages: number of passages in the index.
    """
    found = []
    for name, of_field in fields.items():
        for term, of_term in terms.items() if of_field > 0 else ():
            num = frequency(name, term)
            if num:
                weight = of_field * of_term
                found.append(Clause(name, term, weight, num, weight * (_K1 + 1) * idf(num, num_passages)))
    return sorted(found, key=lambda clause: clause.num_passages)


def searching(searcher: tantivy.Searcher, conditions: Sequence[Condition]) -> Search:
    """Searches only passages that meet every condition."""
    return lambda query, max_hits: searcher.search(shown_only(query, conditions), max_hits, count=False).hits


def shown_frequency(searcher: tantivy.Searcher, conditions: Sequence[Condition], most_passages: int) -> Frequency:
    """How many passages have a term, including hidden ones; 0 if no visible one has it.

    So a search does not show whether a hidden passage has a word that no visible one has: it is as unknown as any other. Counts
    are remembered, since the same terms recur within a search.

    Args:
        searcher: the index.
        conditions: that visible passages meet.
        most_passages: the most passages that the index has ever had.
    """
    if not conditions:
        return lru_cache(_MAX_FREQUENCIES)(searcher.doc_freq)
    search = searching(searcher, conditions)

    @cache
    def most_hidden() -> int:
        shown = searcher.search(shown_only(tantivy.Query.all_query(), conditions), 1, count=True)
        return most_passages - shown.count  # type: ignore[attr-defined, no-any-return]  # its stub lacks the number

    @lru_cache(_MAX_FREQUENCIES)
    def frequency(field: str, term: str) -> int:
        num = searcher.doc_freq(field, term)
        # More passages than are hidden: one of them is visible, and none has to be searched for.
        return num if num and (num > most_hidden() or search(having(field, [term]), 1)) else 0

    return frequency


def best(search: Search, asked: Sequence[Clause], max_hits: int) -> Found:
    """The best hits for a query, and all that tie with the last of them; see `best_with_ties`.

    Args:
        search: the index.
        asked: `clauses`.
        max_hits: how many; ties with the last come in addition.
    """
    total = sum(clause.num_passages for clause in asked)
    first = num_within(asked, min(_FEW_POSTINGS, total // 100))
    while total > _FEW_POSTINGS and _cost(asked, first) < total:
        hits = best_with_ties(search, _adding(any_of(asked[:first]), list(map(_term_query, asked[first:]))), max_hits)
        lowest = round(hits[max_hits - 1][0], SCORE_DECIMALS) if len(hits) >= max_hits else 0.0
        needed = _num_needed(asked, lowest)
        if needed <= first:
            return hits
        # Too few hits give no bound yet; the next term brings more.
        first = needed if lowest else first + 1
    return best_with_ties(search, any_of(asked), max_hits) if asked else []


def num_within(asked: Sequence[Clause], max_postings: int) -> int:
    """How many of the rarest clauses have at most this many postings together; at least one."""
    left = max_postings
    for at, clause in enumerate(asked):
        left -= clause.num_passages
        if left < 0:
            return max(1, at)
    return len(asked)


def any_of(asked: Sequence[Clause]) -> tantivy.Query:
    """The passages with any of some terms; the score is the sum."""
    return together(list(map(_term_query, asked)))


def having(field: str, values: Collection[str] | Collection[int]) -> tantivy.Query:
    """The passages with any of some values in a field, each with the score 0."""
    # Not the engine's set query, which walks through the dictionary of the field.
    terms = [tantivy.Query.term_query(schema(), field, value, index_option="basic") for value in values]
    return tantivy.Query.const_score_query(together(terms), 0.0)


def together(queries: Sequence[tantivy.Query]) -> tantivy.Query:
    """What any of some queries finds; the score is the sum."""
    return tantivy.Query.boolean_query([(tantivy.Occur.Should, query) for query in queries])


def scores(search: Search, asked: Sequence[Clause], numbers: Collection[int]) -> Found:
    """The scores of given passages for a query, best first; 0 for those that it does not match.

    Args:
        search: the index.
        asked: `clauses`.
        numbers: of the passages.
    """
    return scores_among(search, asked, having("number", numbers), len(numbers)) if numbers else []


def scores_among(search: Search, asked: Sequence[Clause], among: tantivy.Query, most: int) -> Found:
    """The same for the passages of another query, whose scores are 0, and of which there are at most so many."""
    return search(_adding(among, list(map(_term_query, asked))), most)


def terms_in(search: Search, terms: Sequence[str], numbers: Collection[int]) -> Iterator[tuple[Place, frozenset[str]]]:
    """Yields the places of given passages, and which of some terms are there in title, sections and text.

    Args:
        search: the index.
        terms: at most `TERMS_AT_ONCE`.
        numbers: of the passages.
    """
    queries = []
    for at, term in enumerate(terms):  # the score of each is one bit
        query = tantivy.Query.term_query(schema(), "all", term, index_option="basic")
        queries.append(tantivy.Query.const_score_query(query, float(1 << at)))
    for score, address in search(_adding(having("number", numbers), queries), len(numbers)) if numbers else ():
        yield place_of(address), frozenset(term for at, term in enumerate(terms) if int(score) >> at & 1)


def shown_only(query: tantivy.Query, conditions: Sequence[Condition]) -> tantivy.Query:
    """The query restricted to passages that meet every condition; scores are unchanged."""
    if not conditions:
        return query
    met = [
        tantivy.Query.boolean_query(
            [(tantivy.Occur.Should, tantivy.Query.term_query(schema(), name, value, index_option="basic")) for value in values]
        )
        for name, values in conditions
    ]
    filters = [(tantivy.Occur.Must, tantivy.Query.const_score_query(one, 0.0)) for one in met]
    return tantivy.Query.boolean_query([*filters, (tantivy.Occur.Must, query)])


def best_with_ties(search: Search, query: tantivy.Query, max_hits: int) -> Found:
    """The best hits and all that tie with the last of them (up to 1,000), so that we can decide the order."""
    limit = 2 * max_hits + 8
    while True:
        hits = search(query, limit)
        if len(hits) <= max_hits:
            return hits
        lowest = round(hits[max_hits - 1][0], SCORE_DECIMALS)
        if len(hits) < limit or round(hits[-1][0], SCORE_DECIMALS) < lowest or limit >= max_hits + _MAX_TIES:
            return hits[: bisect_right(hits, -lowest, key=descending)]
        limit = max_hits + min(_MAX_TIES, 8 * (limit - max_hits))


def descending(hit: tuple[float, tantivy.DocAddress]) -> float:
    """The sort key of hits, best first; equal for those that tie."""
    return -round(hit[0], SCORE_DECIMALS)


def idf(num_with_term: int, num_passages: int) -> float:
    """The idf of a term as in BM25; 0 for one that no passage has."""
    return math.log(1 + (num_passages - num_with_term + 0.5) / (num_with_term + 0.5)) if num_with_term else 0.0


def place_of(address: tantivy.DocAddress) -> Place:
    """An address as a hashable key, which the engine's own is not."""
    return address.segment_ord, address.doc


def best_passages(
    searcher: tantivy.Searcher, hits: Iterable[tuple[float, tantivy.DocAddress]], max_hits: int, kept: Kept[Passage]
) -> list[tuple[float, Passage]]:
    """Scores and passages of the best hits, best first; ties by passage id.

    Args:
        searcher: the index.
        hits: the hits in it.
        max_hits: how many.
        kept: passages of this index by place, so that one found by many queries is read once.
    """
    scored = []
    for score, address in hits:
        place = place_of(address)
        passage = kept.get(place) or kept.keep(place, stored(searcher, address)[1])
        scored.append((-round(score, SCORE_DECIMALS), passage.id, passage))
    return [(-score, passage) for score, _, passage in nsmallest(max_hits, scored, key=itemgetter(0, 1))]


def _cost(asked: Sequence[Clause], num_rare: int) -> int:
    """The cost, in postings, of examining the passages with one of the rarest terms, looking up the other terms for each."""
    return sum(clause.num_passages for clause in asked[:num_rare]) * (1 + _LOOKUP * (len(asked) - num_rare))


def _num_needed(asked: Sequence[Clause], lowest: float) -> int:
    """How many of the rarest clauses, of which a passage needs one to score as much; at least one."""
    needed = len(asked)
    rest = 0.0
    while needed > 1 and (rest := rest + asked[needed - 1].most) < lowest - _MARGIN:
        needed -= 1
    return needed


def _adding(query: tantivy.Query, optional: Sequence[tantivy.Query]) -> tantivy.Query:
    """The passages of a query, with their scores for other queries added."""
    # One term inside the other: a union of optional terms would be read in blocks of thousands of passages around each one.
    # Each level copies what is inside it, so there are several short chains, over all passages, instead of one long chain.
    required = [query]
    for at in range(0, len(optional), _CHAIN):
        chain = tantivy.Query.const_score_query(tantivy.Query.all_query(), 0.0)
        for one in optional[at : at + _CHAIN]:
            chain = tantivy.Query.boolean_query([(tantivy.Occur.Must, chain), (tantivy.Occur.Should, one)])
        required.append(chain)
    return tantivy.Query.boolean_query([(tantivy.Occur.Must, one) for one in required])


def _term_query(clause: Clause) -> tantivy.Query:
    query = tantivy.Query.term_query(schema(), clause.field, clause.term, index_option="freq")
    return query if clause.weight == 1 else tantivy.Query.boost_query(query, clause.weight)
