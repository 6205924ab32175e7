"""Slides of a presentation, whatever its format: a part each, under its title, with the notes at its end."""

from __future__ import annotations

from dataclasses import dataclass, field

from hopweave.ingest.document import Blocks, Part


@dataclass(slots=True)
class Slide:
    """A slide.

    Attributes:
        titles: its title, as a rule one; it comes first, wherever it stands in the file.
        texts: of its shapes and tables.
        notes: of the speaker, and comments.
    """

    titles: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        """Its title on one line; empty if it has none."""
        return " ".join(" ".join(self.titles).split())

    def part(self, number: int) -> Part:
        """Its text, with its number as the place."""
        blocks = Blocks()
        blocks.add_heading(self.title, 1)
        for text in (*self.texts, *self.notes):
            blocks.add(text)
        return blocks.part(f"slide={number}")
