"""A question with the passages that were found for it, as they are, in one prompt."""

from __future__ import annotations

from collections.abc import Sequence

from hopweave.answering.toolkit.fenced import fenced
from hopweave.answering.toolkit.final_answer import closing_request
from hopweave.answering.toolkit.probing import probed
from hopweave.core.prompt import prompts_beside
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Passage, Question

_PROMPTS = prompts_beside(__file__)


def prompt_with(
    workbench: MethodContext, question: Question, passages: Sequence[Passage], *, examples: str = "", is_probe: bool = False
) -> str:
    """The question, the kind of answer that it wants, and passages in their order.

    Args:
        workbench: the question's workbench.
        question: the question.
        passages: best first.
        examples: other questions with passages and answers, which come first; see `example`.
        is_probe: whether the model is to say if it can answer at all; see `probing`.
    """
    ask, labels = closing_request(workbench, _PROMPTS, question)
    return workbench.fill(
        _PROMPTS["answer"],
        ask=probed(workbench, ask, from_passages=True) if is_probe else ask,
        labels=labels,
        passages=_shown(workbench, passages) or workbench.fill(_PROMPTS["none"]),
        question=question.text,
        examples=examples,
    )


def example(workbench: MethodContext, question: str, passages: Sequence[Passage], answer: str) -> str:
    """A question with its passages and its answer, to be shown before another."""
    return workbench.fill(_PROMPTS["example"], passages=_shown(workbench, passages), question=question, answer=answer)


def _shown(workbench: MethodContext, passages: Sequence[Passage]) -> str:
    return "\n".join(
        workbench.fill(_PROMPTS["passage"], rank=str(rank), passage=fenced(passage))
        for rank, passage in enumerate(passages, start=1)
    )
