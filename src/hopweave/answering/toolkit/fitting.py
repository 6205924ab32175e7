"""Passages as they are shown in a prompt, numbered, as many of the best as fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hopweave.answering.toolkit.fenced import fenced
from hopweave.answering.toolkit.few_shot import cut_words
from hopweave.core.prompt import prompts_beside
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Passage

_PROMPTS = prompts_beside(__file__)


@dataclass(frozen=True, slots=True)
class Fitting:
    """The passages that fit.

    Attributes:
        passages: in order; the number of each in the text is its place, from 1.
        text: for the prompt; it says so if there is no passage.
        is_full: whether something of the passages did not fit.
    """

    passages: tuple[Passage, ...]
    text: str
    is_full: bool = False


async def fitting(workbench: MethodContext, passages: Sequence[Passage], room: int, max_words: int = 0) -> Fitting:
    """Shows passages until one does not fit. The first is shown in any case: if it is too long, as many of its words as fit.

    Args:
        workbench: the question's workbench; what does not fit is noted in the record.
        passages: best first.
        room: in tokens.
        max_words: longer passages are truncated to this many words; 0 for no limit.

    Raises:
        ModelError, BudgetReached, ReplayMiss: as in `MethodContext.count_tokens`.
    """
    texts: list[str] = []
    left = room
    for number, passage in enumerate(passages, start=1):
        text = _shown(workbench, number, passage, max_words)
        left -= await _count(workbench, text)
        if left < 0:
            break
        texts.append(text)
    if passages and not texts:
        text, words = await _first(workbench, passages[0], room, max_words)
        whole = len(passages[0].text.split())
        workbench.decide("packed", f"the first of {len(passages)} passages is cut to {words} of its {whole} words")
        return Fitting((passages[0],), text, is_full=True)
    is_full = len(texts) < len(passages)
    if is_full:
        workbench.decide("packed", f"{len(texts)} of {len(passages)} passages fit")
    return Fitting(tuple(passages[: len(texts)]), "\n".join(texts) or workbench.fill(_PROMPTS["none"]), is_full)


async def _first(workbench: MethodContext, passage: Passage, room: int, max_words: int) -> tuple[str, int]:
    """The first passage, cut to the largest number of words that fits, at least 1, and that number."""
    fewest, most = 1, len(passage.text.split())
    most = max(1, min(most, max_words or most))
    while fewest < most:
        middle = (fewest + most + 1) // 2
        if await _count(workbench, _shown(workbench, 1, passage, middle)) <= room:
            fewest = middle
        else:
            most = middle - 1
    return _shown(workbench, 1, passage, fewest), fewest


def _shown(workbench: MethodContext, number: int, passage: Passage, max_words: int) -> str:
    shown = fenced(passage, cut_words(passage.text, max_words))
    return workbench.fill(_PROMPTS["passage"], number=str(number), passage=shown)


async def _count(workbench: MethodContext, text: str) -> int:
    return await workbench.count_tokens(f"{text}\n")
