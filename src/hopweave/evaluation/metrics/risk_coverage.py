"""Risk and coverage: how many questions get a tick, how many ticks are right, and what the confidence is worth.

Definition. A question has a tick if it has an answer that the support rule finds supported and, where a confidence was
estimated, at least as confident as the threshold (`Verdict.has_tick`). `tick` is 1 for such a question, else 0: its mean is the
coverage, over all questions that were asked, of which failed ones have no tick. An answer is right by cover-EM; one to a
question of the form `long`, or without a gold answer, is neither right nor wrong.

For a whole cell:

    ticks_right = right answers with a tick / answers with a tick
    AURC        = mean over k = 1 ... n of (wrong answers among the k most confident ones / k)

AURC is the area under the risk-coverage curve over the n answers with a confidence in their verdict; answers of the same
confidence count in the mean of all their orders. Without such answers there is no AURC. It depends on the share of right
answers too: a method that errs less has a lower one at the same quality of confidence. For that quality alone see `auroc`, and
for what the confidence means as a probability `ece` and `brier` of `calibration`.

Source: El-Yaniv and Wiener 2010 (risk and coverage), Geifman et al. 2019 (AURC). Range 0 to 1; `tick` and `ticks_right`: higher
is better; AURC: lower.

>>> from support.worked import rated, worked
>>> said = [rated(0.9, worked("Ulm", ["Ulm"])), rated(0.7, worked("Ulm", ["Bonn"])), rated(0.2, worked("Ulm", ["Ulm"]))]
>>> values = [RiskCoverage().score(*one) for one in said]
>>> values[0]
{'tick': 1.0, 'answer_right': 1.0, 'answer_confidence': 0.9}
>>> {name: round(value, 4) for name, value in RiskCoverage().combine(values).items()}
{'ticks_right': 0.5, 'aurc': 0.2778}
>>> RiskCoverage().num_combined(values)
{'ticks_right': 2, 'aurc': 3}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from hopweave.core.types import Column, Example
from hopweave.evaluation.metrics._covering import is_right
from hopweave.evaluation.metrics._reliability import selective_risks
from hopweave.record import Record


@dataclass(frozen=True, slots=True)
class RiskCoverage:
    """How many questions get a tick, and how many of the ticks are right."""

    columns: ClassVar[Mapping[str, Column]] = {
        "tick": Column("the answer has a tick"),
        "answer_right": Column("the answer is right", better=""),
        "answer_confidence": Column("the confidence of its verdict", better=""),
    }
    combined: ClassVar[Mapping[str, Column]] = {
        "ticks_right": Column("the answer is right, of those with a tick"),
        "aurc": Column("area under the risk-coverage curve", better="lower"),
    }
    counts_failures: ClassVar[bool] = False

    def score(self, record: Record, example: Example) -> Mapping[str, float]:
        if record.answer is None:
            return {}
        verdict = record.answer.verdict
        values = {"tick": float(verdict.has_tick)}
        right = is_right(record.answer.short, example) if example.question.form != "long" else None
        if right is not None:
            values["answer_right"] = float(right)
        if verdict.confidence is not None:
            values["answer_confidence"] = verdict.confidence
        return values

    def combine(self, values: Sequence[Mapping[str, float]]) -> Mapping[str, float]:
        ticked, rated = _with_a_tick(values), _with_a_confidence(values)
        risks = selective_risks([(value["answer_confidence"], value["answer_right"] > 0) for value in rated])
        figures = {"ticks_right": sum(value["answer_right"] for value in ticked) / len(ticked)} if ticked else {}
        return figures | ({"aurc": sum(risks) / len(risks)} if risks else {})

    def num_combined(self, values: Sequence[Mapping[str, float]]) -> Mapping[str, int]:
        return {"ticks_right": len(_with_a_tick(values)), "aurc": len(_with_a_confidence(values))}


def _with_a_tick(values: Sequence[Mapping[str, float]]) -> list[Mapping[str, float]]:
    """Those of the right and wrong answers that have a tick."""
    return [value for value in values if "answer_right" in value and value["tick"]]


def _with_a_confidence(values: Sequence[Mapping[str, float]]) -> list[Mapping[str, float]]:
    """Those of the right and wrong answers that have a confidence."""
    return [value for value in values if "answer_right" in value and "answer_confidence" in value]
