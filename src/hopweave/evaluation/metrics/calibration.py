"""Calibration: whether answers given with more confidence are more often right.

Definition. The confidence of a record, 0 to 1, is that of its verdict, as fitted by `hopweave calibrate` (`verdict`); without
one, the share of samples that agree if it voted (`vote`), else, if a reader read what it cites (`readers`), the logistic
function of the lowest confidence among its claims, each taken at its best citation: an answer is only as certain as its weakest
step. Readers' confidences are logits or log-odds on different scales, so ECE and Brier score also measure how far this
interpretation holds; AUROC depends only on the order. An answer is right by cover-EM, or by exact match.

For a whole cell, over the records that have a confidence and a gold answer:

    ECE    = sum over 10 bins of equal width of (records in bin / records) x |accuracy in bin - mean confidence in bin|
    Brier  = mean of (confidence - right)^2
    AUROC  = P(confidence of a right answer > that of a wrong one), ties half

The ECE of few answers is too high: for confidences between 0 and 1 that are exactly right, it is about 0.13 over 60 answers,
0.08 over 150 and 0.04 over 500.

Source: Naeini et al. 2015 (ECE), Brier 1950. Range 0 to 1; ECE and Brier: lower is better; AUROC: higher, 0.5 is chance. A
record without a confidence has no data; AUROC has none if all answers are right or all are wrong.

>>> from support.worked import worked
>>> said = [worked("Ulm", ["Ulm"], decisions=[("vote", {"consistency": 0.9})]), worked("Ulm", ["Bonn"])]
>>> said.append(worked("Ulm", ["Bonn"], decisions=[("vote", {"consistency": 0.3})]))
>>> values = [Calibration().score(*one) for one in said]
>>> values
[{'confidence': 0.9, 'confident_right': 1.0}, {}, {'confidence': 0.3, 'confident_right': 0.0}]
>>> {name: round(value, 4) for name, value in Calibration().combine(values).items()}
{'ece': 0.2, 'brier': 0.05, 'auroc': 1.0}
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from hopweave.core.options import Bounded, Count
from hopweave.core.types import Column, Example
from hopweave.evaluation.metrics._covering import is_right
from hopweave.evaluation.metrics._readings import reading_confidences
from hopweave.evaluation.metrics._reliability import auroc, brier_score, expected_calibration_error
from hopweave.record import Decision, Record
from hopweave.text.matching import normalize_answer


@dataclass(frozen=True, slots=True)
class Calibration(Bounded):
    """Whether answers given with more confidence are more often right."""

    columns: ClassVar[Mapping[str, Column]] = {
        "confidence": Column("how sure the method was of its answer", better=""),
        "confident_right": Column("the answer is right, of those with a confidence"),
    }
    combined: ClassVar[Mapping[str, Column]] = {
        "ece": Column("expected calibration error", better="lower"),
        "brier": Column("Brier score", better="lower"),
        "auroc": Column("right answers have more confidence than wrong ones"),
    }
    counts_failures: ClassVar[bool] = False

    source: Annotated[
        Literal["auto", "verdict", "vote", "readers"],
        "where confidence is taken from; auto: the first of verdict, vote and readers that there is",
    ] = "auto"
    right: Annotated[Literal["cover_em", "exact_match"], "what makes an answer right"] = "cover_em"
    num_bins: Annotated[Count, "bins of the ECE"] = 10

    def applies_to(self, example: Example) -> bool:
        return any(map(normalize_answer, example.gold.answers))

    def score(self, record: Record, example: Example) -> Mapping[str, float]:
        if record.answer is None:
            return {}
        right, confidence = is_right(record.answer.short, example, self.right), self._confidence(record)
        return {} if right is None or confidence is None else {"confidence": confidence, "confident_right": float(right)}

    def combine(self, values: Sequence[Mapping[str, float]]) -> Mapping[str, float]:
        scored = [(value["confidence"], value["confident_right"] > 0) for value in values if "confidence" in value]
        if not scored:
            return {}
        area = auroc(scored)
        figures = {"ece": expected_calibration_error(scored, self.num_bins), "brier": brier_score(scored)}
        return figures if area is None else {**figures, "auroc": area}

    def _confidence(self, record: Record) -> float | None:
        names = _SOURCES if self.source == "auto" else (self.source,)
        return next((found for name in names if (found := _SOURCES[name](record)) is not None), None)


def _of_verdict(record: Record) -> float | None:
    return record.answer.verdict.confidence if record.answer is not None else None


def _of_vote(record: Record) -> float | None:
    votes = [step.data.get("consistency") for step in record.steps if isinstance(step, Decision) and step.label == "vote"]
    told = [value for value in votes if isinstance(value, int | float) and 0 <= value <= 1]
    return float(told[-1]) if told else None


def _of_readers(record: Record) -> float | None:
    of_claims = [max(one) for one in reading_confidences(record)]
    return _logistic(min(of_claims)) if of_claims else None


_SOURCES: Mapping[str, Callable[[Record], float | None]] = {
    "verdict": _of_verdict,
    "vote": _of_vote,
    "readers": _of_readers,
}


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value)) if value >= 0 else math.exp(max(value, -700.0)) / (1 + math.exp(max(value, -700.0)))
