"""ROUGE-L: how much of a long right answer is stated in the same order.

Definition. The longest common subsequence of the words of both texts gives P (over the words of the answer) and R (over
those of the right answer); the value is F, the best over the right answers. Source: Lin 2004; ELI5 comes from KILT (Petroni et
al. 2021), so `variant = "kilt"` is what KILT's evaluator computes with the Python package `rouge`: pieces between full stops,
unions of common subsequences as sets of words, case-sensitive (`_rouge.py` has the formula). `variant = "seq"` is the plain
sequence over the whole texts, lower case, letters and digits only, as in Google's `rouge_score` without stemming. The papers do
not say which they used, and the two differ: report the variant with every number. Range 0 to 1, higher is better. An answer
without words scores 0; without a gold there is no data. Marks `[k]` are removed from the answer.

>>> from support.worked import worked
>>> said = worked("a b c d. a b", ["a b. c d"], form="long")
>>> round(RougeL().score(*said)["rouge_l"], 4), RougeL(variant="seq").score(*said)["rouge_l"]
(1.0, 0.8)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from hopweave.core.types import Column, Example
from hopweave.evaluation.metrics._rouge import rouge_l_kilt
from hopweave.record import Record
from hopweave.text.citation_marks import settle_marks
from hopweave.text.matching import rouge_l


@dataclass(frozen=True, slots=True)
class RougeL:
    """How much of a long right answer is stated in the same order."""

    columns: ClassVar[Mapping[str, Column]] = {"rouge_l": Column("F of the longest common subsequence with a right answer")}
    counts_failures: ClassVar[bool] = False

    variant: Annotated[Literal["kilt", "seq"], "kilt: as KILT's evaluator; seq: over the whole texts, as rouge_score"] = "kilt"

    def applies_to(self, example: Example) -> bool:
        return bool(example.gold.answers)

    def score(self, record: Record, example: Example) -> Mapping[str, float]:
        if record.answer is None or not self.applies_to(example):
            return {}
        said, _ = settle_marks(record.answer.short, ())
        if self.variant == "seq":
            return {"rouge_l": max(rouge_l(said, gold)[2] for gold in example.gold.answers)}
        return {"rouge_l": max(rouge_l_kilt(said, gold) for gold in example.gold.answers)}
