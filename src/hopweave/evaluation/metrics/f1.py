"""F1: the word overlap between the answer and a right answer.

Definition. With o words in common (counted with multiplicity), P = o / words of the answer, R = o / words of the right answer,

    F1 = 2 P R / (P + R), and 0 if o = 0; the best over the right answers

on normalised words. Precision and recall are those of the right answer with the best F1. Source: SQuAD (Rajpurkar et al. 2016);
two answers that normalise to nothing agree (SQuAD 2). `variant = "hotpotqa"`: a yes, no or noanswer on either side scores 0
against anything else, and an empty answer scores 0 (the official script). `variant = "drop"` (Dua et al. 2019, the measure of
IRCoT's tables): sets of words split at spaces and hyphens, numbers as numbers, best one-to-one pairing of spans, 0 if the gold
has numbers and the answer none of them, to two decimals; it has no precision or recall. Range 0 to 1, higher is better.

>>> from support.worked import worked
>>> round(F1().score(*worked("Toronto, Ontario", ["Toronto"]))["f1"], 4)
0.6667
>>> F1(variant="hotpotqa").score(*worked("yes it is", ["yes"]))["f1"]
0.0
>>> F1(variant="drop").score(*worked("12 red hens", ["13 red hens"]))
{'f1': 0.0}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from hopweave.core.types import Column, Example
from hopweave.evaluation.metrics._overlap import drop_f1, hotpotqa_overlap, squad_golds, squad_overlap
from hopweave.record import Record


@dataclass(frozen=True, slots=True)
class F1:
    """The word overlap between the answer and a right answer."""

    columns: ClassVar[Mapping[str, Column]] = {
        "f1": Column("words shared with a right answer"),
        "f1_precision": Column("share of the answer's words that are right"),
        "f1_recall": Column("share of the right answer's words that were said"),
    }
    counts_failures: ClassVar[bool] = False

    variant: Annotated[Literal["squad", "hotpotqa", "drop"], "whose rule"] = "squad"
    separator: Annotated[str, "drop: separator of the spans of an answer; empty for a single span"] = ""

    def applies_to(self, example: Example) -> bool:
        return bool(example.gold.answers)

    def score(self, record: Record, example: Example) -> Mapping[str, float]:
        golds = example.gold.answers
        if record.answer is None or not self.applies_to(example):
            return {}
        said = record.answer.short
        if self.variant == "drop":
            return {"f1": max(drop_f1(self._spans(said), self._spans(gold)) for gold in golds)}
        if self.variant == "hotpotqa":
            best = max((hotpotqa_overlap(said, gold) for gold in golds), key=lambda one: one.f1)
        else:
            best = max((squad_overlap(said, gold) for gold in squad_golds(golds)), key=lambda one: one.f1)
        return {"f1": best.f1, "f1_precision": best.precision, "f1_recall": best.recall}

    def _spans(self, text: str) -> list[str]:
        return text.split(self.separator) if self.separator else [text]
