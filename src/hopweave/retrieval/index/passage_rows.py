"""A passage as the engines store it: a list of plain values, for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hopweave.core.types import Passage


def row_of_passage(passage: Passage) -> list[Any]:
    """The values; those that not every passage has are at the end, as far as there are any."""
    row = [passage.id, passage.title, passage.text, passage.source, passage.start, passage.end]
    if passage.sections:
        return [*row, dict(passage.metadata), passage.access, passage.sections]
    return [*row, dict(passage.metadata), passage.access] if passage.metadata or passage.access else row


def passage_of_row(row: Sequence[Any]) -> Passage:
    """The passage with these values."""
    passage_id, title, text, source, start, end, *more = row
    metadata = more[0] if more else {}
    access = more[1] if more else ()
    sections = more[2] if len(more) > 2 else ()
    return Passage(passage_id, text, title, source, start, end, metadata, tuple(access), tuple(sections))
