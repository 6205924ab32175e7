"""The elements of a report, independent of its format: sections of paragraphs, tables, figures; and its numbers, by key.

Nothing is printed that `numbers.json` does not hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hopweave.evaluation.scoring.results import ExampleAnswer
from hopweave.show.table import Number, Table, Words, numbers_in


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing, which is also written as a file of that name."""

    name: str
    drawing: str
    caption: str


@dataclass(frozen=True, slots=True)
class Figures:
    """Drawings that may be placed side by side."""

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
    """Names with their meanings."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Commands:
    """Lines to type."""

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
    """The report before it is written: what it shows comes first, a paragraph each, then what it is of."""

    title: str
    conclusions: tuple[Words, ...]
    lead: Words
    sections: tuple[Section, ...]

    def figures(self) -> Iterator[Figure]:
        """Yields all drawings, in order."""
        return (figure for section in self.sections for block in section.blocks for figure in figures_in(block))

    def numbers(self) -> Iterator[Number]:
        """Yields all numbers that are printed in texts and tables."""
        for words in (*self.conclusions, self.lead):
            yield from numbers_in(words)
        for section in self.sections:
            for block in section.blocks:
                yield from _numbers_of(block)


def figures_in(block: Block) -> tuple[Figure, ...]:
    """The drawings of a block; none if it is not a figure."""
    return (block,) if isinstance(block, Figure) else block.figures if isinstance(block, Figures) else ()


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
