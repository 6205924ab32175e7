"""Shared by the methods that plan sub-questions: the list of a plan, and requesting a missing answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hopweave.answering.parsing.queries import fresh
from hopweave.answering.toolkit.chain_of_thought import finish
from hopweave.answering.toolkit.final_answer import MARKED
from hopweave.answering.toolkit.stepwise import Step
from hopweave.core.errors import BudgetReached
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Message, Question
from hopweave.text.final import final_answer, map_label
from hopweave.text.refusal import does_not_know

MAX_SUB_QUESTIONS = 6
"""The maximum number of sub-questions in a plan."""

_MAX_TOKENS_LONG = 256


@dataclass(frozen=True, slots=True)
class Settled:
    """A final answer.

    Attributes:
        short: the bare answer; empty if there is none.
        how: how it was found.
        said: the text that gives it.
        stopped_because: `finished`, or the limit that prevented asking for a missing answer.
    """

    short: str
    how: str
    said: str
    stopped_because: str = "finished"


def numbered(lines: Sequence[str]) -> str:
    """Lines as a numbered list."""
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))


def distinct(items: Sequence[str], question: Question, max_items: int = MAX_SUB_QUESTIONS) -> tuple[str, ...]:
    """The first sub-questions of a list, each once, without the question itself."""
    return tuple(fresh(items, [question.text])[0][:max_items])


async def settled(
    workbench: MethodContext,
    question: Question,
    prompt: str,
    text: str,
    *,
    said: str,
    max_tokens: int,
    steps: Sequence[Step] = (),
) -> Settled:
    """The final answer of a reply; if it is missing, it is requested once more.

    Args:
        workbench: the question's workbench.
        question: the question, whose form decides how the answer is read and requested.
        prompt: the prompt of the reply.
        text: the entire reply.
        said: the part of it that should contain the answer.
        max_tokens: the limit for the second call, unless a long answer is expected.
        steps: the steps so far; if there is still no answer, the best one of theirs is used.

    Raises:
        ModelError, ReplayMiss: as in `MethodContext.reply`.
    """
    short, how = final_answer(said, question)
    if is_said(short, how, question):
        return Settled(short, how, said)
    turns = [Message("user", prompt)]
    if text.strip():
        turns.append(Message("assistant", text.strip()))
    else:  # some servers do not accept an empty turn
        workbench.parse_failed("final", "the reply is empty", text)
    longest = _MAX_TOKENS_LONG if question.form == "long" else max_tokens
    try:
        end = Settled(*await finish(workbench, question, turns, max_tokens=longest))
    except BudgetReached as reached:
        if how == "label-anywhere":
            return Settled(short, how, said, reached.limit)
        end = Settled("", "empty", said, reached.limit)
    if end.short:
        return end
    short, how = best_so_far(question, steps)
    return replace(end, short=short, how=how)


def is_said(short: str, how: str, question: Question) -> bool:
    """Whether a reply names the final answer; a label mentioned in passing does not count."""
    return bool(short) and (how in MARKED or question.form == "long")


def best_so_far(question: Question, steps: Sequence[Step]) -> tuple[str, str]:
    """The best answer from the steps alone, and how it was found: that of the last step with an answer, if it fits the form."""
    known = [step.answer for step in steps if step.answer and not does_not_know(step.answer)]
    last = known[-1] if known else ""
    if question.form == "label":
        last = map_label(last, question.labels)
    return (last, "last-claim") if last else ("", "empty")
