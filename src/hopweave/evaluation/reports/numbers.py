"""The numbers of a report: how each is printed, and the key under which `numbers.json` holds it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from hopweave.core.types import Column
from hopweave.evaluation.scoring.results import Interval, Mean
from hopweave.show.table import NO_DATA, Number, TableCell, Words, plain_text

MINUS = "\u2212"

TOO_FEW = "too few questions"
"""Said in place of an interval that says nothing."""
MIN_QUESTIONS = 10
"""An interval over fewer questions is not shown: its ends are as much a matter of chance as the mean."""
MAX_WIDTH = 0.5
"""An interval of a share that is wider is not shown: next to nothing is known."""


def is_telling(interval: Interval, num_questions: int, *, is_share: bool) -> bool:
    """Whether an interval says enough to be shown: by the number of questions, and for a share by its width.

    >>> is_telling(Interval(0.2, 0.9), 20, is_share=True), is_telling(Interval(20, 90), 20, is_share=False)
    (False, True)
    """
    return num_questions >= MIN_QUESTIONS and not (is_share and interval.high - interval.low > MAX_WIDTH)


def is_share(column: Column) -> bool:
    """Whether the values of a column are shares, from 0 to 1."""
    return (column.low, column.high, column.unit) == (0.0, 1.0, "")


@dataclass(frozen=True, slots=True)
class Style:
    """The number of decimals of a printed column, and whether its values are shares, from 0 to 1."""

    num_decimals: int = 3
    is_share: bool = False

    def text(self, value: float | None, *, is_signed: bool = False) -> str:
        """A value in words; a missing value is "no data"."""
        if value is None:
            return NO_DATA
        said = f"{value:{'+' if is_signed else ''},.{self.num_decimals}f}"
        if not any(sign in "123456789" for sign in said):
            said = said.lstrip("+-")
        return said.replace("-", MINUS)

    def number(self, key: str, value: float | None, *, is_signed: bool = False) -> Number:
        """A value under a key."""
        return Number(key, value, self.text(value, is_signed=is_signed))


def style_for(column: Column, values: Iterable[float | None]) -> Style:
    """How to print a column: shares with three digits, anything else by the size of the greatest of the values."""
    if column.high == 1 and not column.unit:
        return Style(3, is_share(column))
    greatest = max((abs(value) for value in values if value is not None), default=0.0)
    for limit, num_decimals in ((100, 0), (10, 1), (0.995, 2), (0.0995, 3), (0.00995, 4), (0.000995, 5)):
        if greatest >= limit:
            return Style(num_decimals)
    return Style(6 if greatest else 0)


@dataclass(frozen=True, slots=True)
class MeanNumbers:
    """A mean and its counts and bounds, under keys that begin with `prefix`."""

    prefix: str
    mean: Mean
    style: Style = field(default_factory=Style)

    @property
    def value(self) -> Number:
        """The mean itself."""
        return self.style.number(f"{self.prefix}/mean", self.mean.value)

    @property
    def interval(self) -> Words:
        """The 95% interval in brackets; empty if there is none."""
        return self._pair(self.mean.interval, "low", "high")

    @property
    def told_interval(self) -> Words:
        """The interval, or that there are too few questions for one."""
        interval = self.mean.interval
        if interval is None or is_telling(interval, self.mean.num_scored, is_share=self.style.is_share):
            return self.interval
        return (TOO_FEW,)

    @property
    def bounds(self) -> Words:
        """The mean with all failures at their worst and at their best; empty if there are none."""
        return self._pair(self.mean.bounds, "worst", "best")

    @property
    def answered(self) -> Number:
        """The mean over the answered questions alone."""
        return self.style.number(f"{self.prefix}/answered", self.mean.answered)

    @property
    def unscored(self) -> Number:
        """How many could not be scored."""
        return count(f"{self.prefix}/unscored", self.mean.num_unscored)

    @property
    def scored(self) -> Number:
        """How many questions it is the mean of, failed ones included."""
        return count(f"{self.prefix}/scored", self.mean.num_scored)

    @property
    def failed(self) -> Number:
        """How many of them failed."""
        return count(f"{self.prefix}/failed", self.mean.num_failed)

    @property
    def no_data(self) -> Number:
        """How many the column does not apply to."""
        return count(f"{self.prefix}/no_data", self.mean.num_no_data)

    def _pair(self, pair: Interval | None, low: str, high: str) -> Words:
        if pair is None:
            return ()
        ends = [self.style.number(f"{self.prefix}/{name}", end) for name, end in ((low, pair.low), (high, pair.high))]
        return ("[", ends[0], ", ", ends[1], "]")


def count(key: str, number: int) -> Number:
    """A count under a key."""
    return Number(key, number, f"{number:,}")


def key_of(*parts: str | int) -> str:
    """A key of several parts; a slash within a part is written as %2F, so that no two keys are alike."""
    return "/".join(str(part).replace("%", "%25").replace("/", "%2F") for part in parts)


def book(numbers: Iterable[Number]) -> Mapping[str, Number]:
    """The numbers by key, in alphabetical order.

    Raises:
        ValueError: if a key has two values: a report that contradicts itself must not be written.
    """
    found: dict[str, Number] = {}
    for number in numbers:
        if found.setdefault(number.key, number).value != number.value:
            raise ValueError(f"the report has two values for {number.key}: {found[number.key].value} and {number.value}")
    return dict(sorted(found.items()))


def entry(*words: str | Number, below: Words = ()) -> TableCell:
    """A cell of a table; an empty one is a dash."""
    return TableCell(words if plain_text(words) else ("\u2013",), (below,) if below else ())
