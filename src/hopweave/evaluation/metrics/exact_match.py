"""Exact match: whether the answer is a right answer, once both are normalised.

Definition. 1 if the normalised bare answer equals a normalised right answer; else 0.

    EM(p, G) = max over g in G of [norm(p) = norm(g)]

Source: SQuAD (Rajpurkar et al. 2016), whose rule HotpotQA, MuSiQue and 2WikiMultiHopQA also use; `variant = "drop"` is that of
DROP (Dua et al. 2019), which IRCoT's own tables use: words are also split at hyphens, and numbers compared as numbers. Range 0
to 1, higher is better. Golds that normalise to nothing count only if there is no other; without a gold there is no data.

>>> from support.worked import worked
>>> ExactMatch().score(*worked("The Toronto Coach Terminal.", ["Toronto Coach Terminal"]))
{'exact_match': 1.0}
>>> ExactMatch().score(*worked("June-July 1863", ["June July 1863"]))
{'exact_match': 0.0}
>>> ExactMatch(variant="drop").score(*worked("June-July 1863", ["June July 1863"]))
{'exact_match': 1.0}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from hopweave.core.types import Column, Example
from hopweave.evaluation.metrics._overlap import drop_exact, squad_golds
from hopweave.record import Record
from hopweave.text.matching import normalize_answer


@dataclass(frozen=True, slots=True)
class ExactMatch:
    """Whether the answer is a right answer, once both are normalised."""

    columns: ClassVar[Mapping[str, Column]] = {"exact_match": Column("the answer is a right answer")}
    counts_failures: ClassVar[bool] = False

    variant: Annotated[Literal["squad", "drop"], "whose normaliser; HotpotQA and its like use SQuAD's"] = "squad"
    separator: Annotated[str, "drop: separator of the spans of an answer; empty for a single span"] = ""

    def applies_to(self, example: Example) -> bool:
        return bool(example.gold.answers)

    def score(self, record: Record, example: Example) -> Mapping[str, float]:
        golds = example.gold.answers
        if record.answer is None or not self.applies_to(example):
            return {}
        if self.variant == "drop":
            return {"exact_match": float(any(drop_exact(self._spans(record.answer.short), self._spans(one)) for one in golds))}
        said = normalize_answer(record.answer.short)
        return {"exact_match": float(any(said == normalize_answer(gold) for gold in squad_golds(golds)))}

    def _spans(self, text: str) -> list[str]:
        return text.split(self.separator) if self.separator else [text]
