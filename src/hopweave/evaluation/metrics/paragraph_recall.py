"""Paragraph recall at a fixed budget: how many of the gold paragraphs were retrieved.

Definition. With the first 15 distinct paragraphs that the answer was based on as a set,

    recall = |gold paragraphs among them| / |gold paragraphs|

Ids are compared in lower case without spaces; order is ignored. Source: IRCoT (section 4.2), whose budget is 15. Range 0 to
1, higher is better. A question without gold paragraphs has no data (IRCoT's code gives it 0), nor has a record that never
searched, unless `without_search = "zero"`. `paragraphs_retrieved` is the number of paragraphs behind the recall.

>>> from support.worked import worked
>>> from hopweave.core.types import Passage
>>> found = [Passage("Ulm", "Ulm lies on the Danube."), Passage("Bonn", "Bonn lies on the Rhine.")]
>>> ParagraphRecall().score(*worked("Ulm", passages=found, gold_ids=["ulm", "Linz"]))
{'paragraph_recall': 0.5, 'paragraphs_retrieved': 2.0}
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from hopweave.core.options import Bounded, Count
from hopweave.core.types import Column, Example
from hopweave.evaluation.metrics._retrieved import WithoutSearch, plain_id, retrieved_ids
from hopweave.record import Record


@dataclass(frozen=True, slots=True)
class ParagraphRecall(Bounded):
    """How many of the gold paragraphs were retrieved, at a fixed budget."""

    columns: ClassVar[Mapping[str, Column]] = {
        "paragraph_recall": Column("share of the gold paragraphs that were retrieved"),
        "paragraphs_retrieved": Column("paragraphs that count, at most the budget", better="", high=math.inf),
    }
    counts_failures: ClassVar[bool] = False

    budget: Annotated[Count, "how many retrieved paragraphs count, the earliest or best first"] = 15
    without_search: Annotated[WithoutSearch, "what a record that never searched is worth"] = "no_data"

    def applies_to(self, example: Example) -> bool:
        return bool(example.gold.passage_ids)

    def score(self, record: Record, example: Example) -> Mapping[str, float]:
        wanted = {plain_id(passage_id) for passage_id in example.gold.passage_ids}
        ids = retrieved_ids(record, self.without_search)
        if ids is None or not wanted:
            return {}
        found = {plain_id(passage_id) for passage_id in list(dict.fromkeys(map(plain_id, ids)))[: self.budget]}
        return {"paragraph_recall": len(found & wanted) / len(wanted), "paragraphs_retrieved": float(len(found))}
