"""Where an answer that was made from passages stands in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hopweave.citing import locate
from hopweave.errors import BudgetReached
from hopweave.matching import is_contained, is_yes_or_no
from hopweave.types import Hit, Passage, Reading, Span
from hopweave.workbench import Workbench

Evidence = tuple[Passage, Reading]
"""A passage and the words in it."""


def standing_in(answer: str, passages: Iterable[Passage]) -> tuple[Passage, Span] | None:
    """The first passage that holds the words of an answer, and where; `None` if none does. Yes or no stands in no passage."""
    if not is_yes_or_no(answer):
        for passage in passages:
            span = locate(answer, passage.text)
            if span is not None:
                return passage, span
    return None


async def evidence_for(query: str, answer: str, hits: Sequence[Hit], bench: Workbench, *, reads: bool) -> Evidence | None:
    """The shown passage that holds an answer, and where; `None` if none is found to.

    The words of the answer are looked for first, best passage first. If they stand in none (a whole sentence, a yes or no)
    and there is a reader, it reads the passages for the query, best first, until it finds words that agree with the answer: the
    one has to hold the other, which of a yes or no cannot be asked.

    Args:
        query: what was answered.
        answer: what was said.
        hits: the passages that were shown.
        bench: of the question.
        reads: whether the reader may be asked. A budget that it reaches ends the search for evidence and nothing else.
    """
    found = standing_in(answer, [hit.passage for hit in hits])
    if found is not None:
        passage, span = found
        return passage, Reading(passage.text[span.start : span.end], span, 0.0)
    if reads and bench.parts.reader is not None:
        try:
            return await _read(query, answer, hits, bench, any_words=is_yes_or_no(answer))
        except BudgetReached:
            return None
    return None


async def _read(query: str, answer: str, hits: Sequence[Hit], bench: Workbench, *, any_words: bool) -> Evidence | None:
    for hit in hits:
        reading = await bench.read(query, hit.passage)
        agrees = any_words or is_contained(reading.text, answer) or is_contained(answer, reading.text)
        if reading.span is not None and any(char.isalnum() for char in reading.text) and agrees:
            return hit.passage, reading
    return None
