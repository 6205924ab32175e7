"""Where an answer that was made from several passages stands in them."""

from __future__ import annotations

from collections.abc import Sequence

from hopweave.citing import locate
from hopweave.errors import BudgetReached
from hopweave.matching import is_contained, is_yes_or_no
from hopweave.types import Hit, Passage, Reading
from hopweave.workbench import Workbench

Evidence = tuple[Passage, Reading]
"""A passage and the words in it."""


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
    says_yes_or_no = is_yes_or_no(answer)
    if not says_yes_or_no:
        for hit in hits:
            span = locate(answer, hit.passage.text)
            if span is not None:
                return hit.passage, Reading(hit.passage.text[span.start : span.end], span, 0.0)
    if reads and bench.parts.reader is not None:
        try:
            return await _read(query, answer, hits, bench, any_words=says_yes_or_no)
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
