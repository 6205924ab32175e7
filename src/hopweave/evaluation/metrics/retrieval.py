"""Hits@K, MAP@K and MRR@K of the retrieval result, as MultiHop-RAG computes them or by the standard definitions.

Definition. A retrieved passage is relevant if its text contains a gold fact (compared without spaces and line breaks,
case-sensitively) or, if the dataset names passages, if it is one of them. With the passages in ranked order, each once:

    Hits@K  1 if a relevant one is among the first K, else 0 (`hits` with `cutoff`, `hits_early` with `early_cutoff`)
    MRR@K   1 / rank of the first relevant one within K, else 0
    MAP@K   multihop_rag: sum over ranks j within K of c_j / j, divided by min(number of golds, K), where c_j counts the golds
            found for the first time at rank j; it is not cumulative, so that a perfect ranking of two golds scores 0.75
            standard: sum over relevant ranks j within K of (relevant ones up to j) / j, divided by the number of relevant ones;
            with facts, a passage that adds nothing new is not relevant again, and a fact that is never found counts as missed

Source: MultiHop-RAG (Tang and Yang 2024) and its evaluation code with K = 10 and 4, the setting of ToQD's table 3. Range 0
to 1, higher is better. MultiHop-RAG's MAP can exceed 1 if there are more than K golds; it is capped there. A question without
golds (its null queries) has no data, nor has a record that never searched, unless `without_search = "zero"`.

>>> from support.worked import worked
>>> from hopweave.core.types import Passage
>>> found = [Passage("1", "Ulm was founded in 850."), Passage("2", "Nothing."), Passage("3", "It lies on the Danube.")]
>>> said = worked("Ulm", passages=found, facts=["founded in 850", "on the Danube"])
>>> {name: round(value, 4) for name, value in Retrieval().score(*said).items()}
{'hits': 1.0, 'hits_early': 1.0, 'map': 0.6667, 'mrr': 1.0}
>>> round(Retrieval(definition="standard").score(*said)["map"], 4)
0.8333
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from hopweave.core.options import Bounded, Count
from hopweave.core.types import Column, Example, Gold
from hopweave.evaluation.metrics._retrieved import WithoutSearch, relevance, retrieved_ids
from hopweave.record import Record


@dataclass(frozen=True, slots=True)
class Retrieval(Bounded):
    """Hits, MAP and MRR of the retrieval result, in ranked order."""

    columns: ClassVar[Mapping[str, Column]] = {
        "hits": Column("something relevant is among the first K"),
        "hits_early": Column("something relevant is among the first few"),
        "map": Column("mean average precision within the first K"),
        "mrr": Column("1 / rank of the first relevant passage within the first K"),
    }
    counts_failures: ClassVar[bool] = False

    definition: Annotated[Literal["multihop_rag", "standard"], "whose MAP"] = "multihop_rag"
    relevant: Annotated[Literal["auto", "facts", "passages"], "what is looked for; auto: facts where there are any"] = "auto"
    cutoff: Annotated[Count, "K, how many passages count, best first"] = 10
    early_cutoff: Annotated[Count, "the K of hits_early"] = 4
    folds: Annotated[bool, "compare facts whatever the shape of quotation marks and dashes, as ToQD's copy does"] = False
    without_search: Annotated[WithoutSearch, "what a record that never searched is worth"] = "no_data"

    def applies_to(self, example: Example) -> bool:
        return bool(self._num_golds(example.gold))

    def score(self, record: Record, example: Example) -> Mapping[str, float]:
        """See `evaluation.metric.Metric`.

        Raises:
            DataError: if a passage that counts is not in the record.
        """
        gold = example.gold
        by_facts, num_golds = self._is_by_facts(gold), self._num_golds(gold)
        ids = retrieved_ids(record, self.without_search)
        if ids is None or not num_golds:
            return {}
        found = relevance(record, ids, gold, by_facts=by_facts, folds=self.folds)
        ranks = [rank for rank, golds in enumerate(found, start=1) if golds]
        first = ranks[0] if ranks else len(found) + self.cutoff + 1
        precision = _first_finds if self.definition == "multihop_rag" else _average_precision
        return {
            "hits": float(first <= self.cutoff),
            "hits_early": float(first <= self.early_cutoff),
            "map": precision(_fresh(found), num_golds, self.cutoff),
            "mrr": 1 / first if first <= self.cutoff else 0.0,
        }

    def _is_by_facts(self, gold: Gold) -> bool:
        return bool(gold.facts) if self.relevant == "auto" else self.relevant == "facts"

    def _num_golds(self, gold: Gold) -> int:
        return len(gold.facts if self._is_by_facts(gold) else gold.passage_ids)


def _fresh(found: Sequence[frozenset[int]]) -> list[int]:
    """How many golds each rank has that no earlier rank had."""
    seen: set[int] = set()
    counts = []
    for golds in found:
        counts.append(len(golds - seen))
        seen |= golds
    return counts


def _first_finds(fresh: Sequence[int], num_golds: int, cutoff: int) -> float:
    """MultiHop-RAG's MAP@K of one query."""
    total = sum(count / rank for rank, count in enumerate(fresh[:cutoff], start=1))
    return min(1.0, total / min(num_golds, cutoff))


def _average_precision(fresh: Sequence[int], num_golds: int, cutoff: int) -> float:
    """The standard AP@K: each rank that adds something new is relevant, each gold that is never found counts as one more."""
    ranks = [rank for rank, count in enumerate(fresh, start=1) if count]
    num_relevant = len(ranks) + num_golds - sum(fresh)
    return sum(place / rank for place, rank in enumerate(ranks, start=1) if rank <= cutoff) / num_relevant
