"""How the BM25 index is searched: terms with weights, and only among some passages where that is asked."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import tantivy

from hopweave.retrievers._bm25_index import analyzer, schema, searchable, stored
from hopweave.types import Passage
from hopweave.visibility import Condition

MAX_QUERY_TERMS = 256
"""Of a longer query, the terms that are in the fewest passages are searched for; the first in the query among equals."""

SCORE_DECIMALS = 4
_MAX_TIES = 1000


def query_terms(searcher: tantivy.Searcher, query: str) -> dict[str, int]:
    """The terms of a query that some passage holds, and how often the query has them."""
    terms = Counter(terms_of(query))
    num_passages = {term: searcher.doc_freq("all", term) for term in terms}
    known = [term for term in terms if num_passages[term]]
    if len(known) > MAX_QUERY_TERMS:
        known = sorted(known, key=num_passages.__getitem__)[:MAX_QUERY_TERMS]
    return {term: terms[term] for term in known}


def terms_of(text: str) -> list[str]:
    """The terms of any text, in order."""
    # Half of a surrogate pair is no character; the engine takes none.
    return analyzer().analyze(searchable(text.encode("utf-8", "replace").decode("utf-8")))


def weighted_query(terms: Mapping[str, float], fields: Mapping[str, float]) -> tantivy.Query:
    """A query whose score is the sum of its terms' BM25 scores, each times its weight.

    Args:
        terms: with their weights, above 0.
        fields: the fields that are searched, with their weights; those of weight 0 are left out.
    """
    return tantivy.Query.boolean_query(
        [
            (tantivy.Occur.Should, _term_query(name, term, weight * of_term))
            for name, weight in fields.items()
            if weight > 0
            for term, of_term in terms.items()
        ]
    )


def among(
    query: tantivy.Query, field: str, values: Collection[str] | Collection[int], *, found_only: bool = False
) -> tantivy.Query:
    """The query over the passages alone that have one of the values in a field.

    Args:
        query: that scores them.
        field: which holds the values.
        values: of which one is enough.
        found_only: leave out what the query does not find; else that scores 0.
    """
    has_value = tantivy.Query.const_score_query(tantivy.Query.term_set_query(schema(), field, list(values)), 0.0)
    occur = tantivy.Occur.Must if found_only else tantivy.Occur.Should
    return tantivy.Query.boolean_query([(tantivy.Occur.Must, has_value), (occur, query)])


def shown_only(query: tantivy.Query, conditions: Sequence[Condition]) -> tantivy.Query:
    """The query over the passages alone that meet every condition; their scores stay as they are."""
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


def best_with_ties(searcher: tantivy.Searcher, query: tantivy.Query, max_hits: int) -> list[tuple[float, tantivy.DocAddress]]:
    """The best hits and all that tie with the last of them (up to 1,000), so that the order is ours to decide."""
    limit = max_hits + 8
    while True:
        hits = searcher.search(query, limit, count=False).hits
        if len(hits) <= max_hits:
            return hits
        lowest = round(hits[max_hits - 1][0], SCORE_DECIMALS)
        if len(hits) < limit or round(hits[-1][0], SCORE_DECIMALS) < lowest or limit >= max_hits + _MAX_TIES:
            return [hit for hit in hits if round(hit[0], SCORE_DECIMALS) >= lowest]
        limit = max_hits + min(_MAX_TIES, 8 * (limit - max_hits))


def idf(num_with_term: int, num_passages: int) -> float:
    """How much a term says, as BM25 has it; 0 for one that no passage holds."""
    return math.log(1 + (num_passages - num_with_term + 0.5) / (num_with_term + 0.5)) if num_with_term else 0.0


def scored_passages(
    searcher: tantivy.Searcher, hits: Iterable[tuple[float, tantivy.DocAddress]]
) -> list[tuple[float, Passage]]:
    """Scores and passages of hits, best first; by passage id among equals."""
    scored = [(round(score, SCORE_DECIMALS), stored(searcher, address)[1]) for score, address in hits]
    return sorted(scored, key=lambda hit: (-hit[0], hit[1].id))


def _term_query(name: str, term: str, weight: float) -> tantivy.Query:
    query = tantivy.Query.term_query(schema(), name, term, index_option="freq")
    return query if weight == 1 else tantivy.Query.boost_query(query, weight)
