"""What a report is made of, whichever way it is written: sections of paragraphs, tables, figures; and its numbers, by key.

Nothing is printed that `numbers.json` does not hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from hopweave.evaluation.scoring.tables import ExampleAnswer, Interval, Mean
from hopweave.render.table import NO_DATA, Number, Table, TableCell, Words, numbers_in, plain_text
from hopweave.types import Column

MINUS = "\u2212"


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing, written as a file of that name, too."""

    name: str
    drawing: str
    caption: str


@dataclass(frozen=True, slots=True)
class Figures:
    """Drawings that may stand beside each other."""

    figures: tuple[Figure, ...]
    caption: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph; a warning must not be overlooked."""

    words: Words
    is_warning: bool = False


@dataclass(frozen=True, slots=True)
class Subtitle:
    """The title of a part of a section."""

    text: str


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list."""

    items: tuple[Words, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """Names with what they are."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Commands:
    """Lines to be typed."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """An answer with its citations; `number` counts from 1."""

    number: int
    example: ExampleAnswer
    scores: tuple[tuple[str, Number], ...]


Block = Table | Figure | Figures | Paragraph | Subtitle | Bullets | Facts | Commands | ShownAnswer


@dataclass(frozen=True, slots=True)
class Section:
    """A section with its blocks; `name` is its anchor."""

    name: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """The report before it is written."""

    title: str
    lead: Words
    sections: tuple[Section, ...]

    def figures(self) -> Iterator[Figure]:
        """Yields all drawings, in order."""
        for block in (block for section in self.sections for block in section.blocks):
            if isinstance(block, Figure):
                yield block
            elif isinstance(block, Figures):
                yield from block.figures

    def numbers(self) -> Iterator[Number]:
        """Yields all numbers that are printed in texts and tables."""
        yield from numbers_in(self.lead)
        for section in self.sections:
            for block in section.blocks:
                yield from _numbers_of(block)


def _numbers_of(block: Block) -> Iterator[Number]:
    match block:
        case Table():
            yield from block.numbers()
        case Paragraph():
            yield from numbers_in(block.words)
        case Bullets():
            for item in block.items:
                yield from numbers_in(item)
        case ShownAnswer():
            yield from (number for _, number in block.scores)
        case _:
            pass


@dataclass(frozen=True, slots=True)
class Style:
    """With how many digits after the point a column is printed."""

    num_decimals: int = 3

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
        return Style(3)
    greatest = max((abs(value) for value in values if value is not None), default=0.0)
    for limit, num_decimals in ((100, 0), (10, 1), (0.995, 2), (0.0995, 3), (0.00995, 4), (0.000995, 5)):
        if greatest >= limit:
            return Style(num_decimals)
    return Style(6 if greatest else 0)


@dataclass(frozen=True, slots=True)
class MeanNumbers:
    """A mean and what belongs to it, under keys that begin with `prefix`."""

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
    def bounds(self) -> Words:
        """From all failures at their worst to all at their best; empty if there are none."""
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
    """A cell of a table; nothing to say is a dash."""
    return TableCell(words if plain_text(words) else ("\u2013",), (below,) if below else ())
