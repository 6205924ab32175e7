"""The probability that an answer is right, from the signals of its record and weights fitted on labelled questions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from hopweave.core.errors import DataError
from hopweave.core.files import read_whole
from hopweave.core.json_text import one_line_of_json
from hopweave.record.record import Record
from hopweave.record.signals import CHECKED, SIGNALS, signals_of

SCHEMA = "hopweave.calibration/1"


@dataclass(frozen=True, slots=True)
class Weight:
    """The weight of a signal, which is centred and scaled first.

    Attributes:
        mean: of the signal on the labelled questions.
        scale: its standard deviation there; 1 if it did not vary.
        weight: in log-odds, for one standard deviation.
    """

    mean: float
    scale: float
    weight: float


@dataclass(frozen=True, slots=True)
class Guarantee:
    """What is known about answers with a tick, by answers whose confidence was predicted without them.

    Attributes:
        num_ticked: labelled answers above the threshold.
        num_right: how many of them are right.
        at_least: the lower end of the exact one-sided interval of the share of right ones (Clopper-Pearson).
        level: of that interval, such as 0.95.
    """

    num_ticked: int
    num_right: int
    at_least: float
    level: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """The weights of the signals, and the threshold from which an answer gets a tick.

    Attributes:
        schema: version of this layout.
        llm: the identity of the model that answered the labelled questions.
        methods: the methods that did.
        num_labels: labelled answers.
        num_right: how many of them are right.
        intercept: in log-odds.
        weights: by signal: all of `SIGNALS`, and those of `CHECKED` if every labelled answer was to be checked.
        threshold: the least confidence of an answer with a tick, 0 to 1.
        wanted: the share of right ticks that the threshold was chosen for.
        guarantee: what is known about ticks above it.
        ece: expected calibration error of predictions made without the answer itself, 10 bins.
        brier: their Brier score.
    """

    schema: str
    llm: str
    methods: tuple[str, ...]
    num_labels: int
    num_right: int
    intercept: float
    weights: Mapping[str, Weight]
    threshold: float
    wanted: float
    guarantee: Guarantee
    ece: float
    brier: float

    def fits(self, llm: str, method: str) -> bool:
        """Whether it was fitted on answers of this model, by its identity, with this method."""
        return llm == self.llm and method in self.methods

    @property
    def needs_checks(self) -> bool:
        """Whether it has weights for the outcomes of checks, so that it applies to answers that are checked."""
        return not self.weights.keys().isdisjoint(CHECKED)

    def confidence(self, signals: Mapping[str, float]) -> float:
        """The probability that an answer with these signals is right, 0 to 1. See `probability_of`."""
        return probability_of(signals, self.intercept, self.weights)

    def applied(self, record: Record) -> Record:
        """The record, with the confidence of its answer and the threshold of a tick in its verdict."""
        signals = signals_of(record)
        if record.answer is None or not signals:
            return record
        verdict = replace(record.answer.verdict, confidence=round(self.confidence(signals), 4), threshold=self.threshold)
        return replace(record, answer=replace(record.answer, verdict=verdict))

    def to_json(self) -> str:
        """The calibration as one line of JSON."""
        return one_line_of_json(_adapter(), self)

    @classmethod
    def read(cls, path: Path) -> Calibration:
        """Reads a file that `hopweave calibrate` wrote.

        Raises:
            DataError: if it is no such file, or was written for other signals.
        """
        try:
            made = _adapter().validate_json(read_whole(path))
        except OSError as error:
            raise DataError(
                f"cannot read the calibration {path}: {error.strerror}; make one with: hopweave calibrate RUN --out {path}"
            ) from None
        except ValidationError as error:
            raise DataError(
                f"{path} is no calibration: {error.errors()[0]['msg']}; make one with: hopweave calibrate RUN --out FILE"
            ) from None
        if made.schema != SCHEMA or made.weights.keys() - CHECKED.keys() != SIGNALS.keys():
            raise DataError(
                f"{path} is a calibration of another version of hopweave; make one with: hopweave calibrate RUN --out FILE"
            )
        return made


def probability_of(signals: Mapping[str, float], intercept: float, weights: Mapping[str, Weight]) -> float:
    """The probability that an answer is right, 0 to 1. A signal that is NaN is taken to be at its mean, which adds nothing.

    Args:
        signals: of the answer.
        intercept: in log-odds.
        weights: by signal; signals without one are ignored.
    """
    known = ((signals[name], one) for name, one in weights.items() if not math.isnan(signals[name]))
    log_odds = intercept + math.fsum(one.weight * (value - one.mean) / one.scale for value, one in known)
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, log_odds))))


@cache
def _adapter() -> TypeAdapter[Calibration]:
    return TypeAdapter(Calibration)
