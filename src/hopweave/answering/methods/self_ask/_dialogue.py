"""Self-Ask's prompt, the parsing of its replies, and its forced ending: shared by `self_ask` and `self_ask_no_search`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hopweave.answering.demonstrations import Demonstration
from hopweave.answering.parsing.follow_ups import FollowUps, parse_follow_ups
from hopweave.answering.toolkit.demos import asked, packed
from hopweave.answering.toolkit.final_answer import MARKED, after_marker, forced, of_form
from hopweave.answering.toolkit.transcript import Transcript
from hopweave.core.prompt import prompts_beside
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Question
from hopweave.text.final import MARKER, final_answer

PROMPTS = prompts_beside(str(Path(__file__).with_name("self_ask.py")))
NEXT_EXAMPLE = "\nQuestion:"
BEGUN = " Yes."
"""The text after "Are follow up questions needed here:" and before the first follow-up."""


async def fitting_examples(
    workbench: MethodContext, question: Question, demos: Sequence[Demonstration], max_tokens: int
) -> str:
    """The demonstrations in Self-Ask's form, as many as fit.

    Args:
        workbench: the question's workbench.
        question: the question, which determines the form.
        demos: worked questions; each of their steps becomes a follow-up.
        max_tokens: the limit for the reply and any growth of the prompt.

    Raises:
        ModelError, BudgetReached, ReplayMiss: as in `MethodContext.count_tokens`.
    """
    rest = prompt_of(workbench, question, "")
    key = (__name__, question.form, question.labels, tuple(demos))
    examples = workbench.written_once(key, lambda: [_example(workbench, question, one) for one in demos])
    return await packed(workbench, examples, rest, max_tokens)


def prompt_of(workbench: MethodContext, question: Question, examples: str, context: str = "") -> str:
    """The prompt; `context` are passages above the question."""
    wanted = of_form(workbench, PROMPTS, "wanted", question)
    text = asked(workbench, question)
    return workbench.fill(PROMPTS["self_ask"], wanted=wanted, examples=examples, context=context, question=text)


def exchange(query: str, answer: str) -> str:
    """A follow-up and its intermediate answer, as the transcript continues."""
    return f"\nFollow up: {query}\nIntermediate answer: {answer}"


def stopped(text: str) -> str:
    """A short text as a sentence."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


def final_of(read: FollowUps, question: Question) -> tuple[str, str]:
    """The bare answer and how it was found; without the usual marker, that after another marker in the remaining lines.

    Returns:
        An empty answer, and `empty`, if none is given.
    """
    if read.final:
        return after_marker(read.final, question)
    if not read.pairs and question.form != "long":
        short, how = final_answer(read.rest, question)
        if how in MARKED:
            return short, how
    return "", "empty"


async def closed(transcript: Transcript, question: Question, *, max_tokens: int) -> tuple[str, str]:
    """Writes the final marker for the model and has it continue; see `toolkit.final_answer`.

    Raises:
        ModelError, BudgetReached, ReplayMiss: as in `MethodContext.reply`.
    """
    transcript.add(f"\n{MARKER}:")
    return await forced(
        transcript,
        question,
        max_tokens=max_tokens,
        next_example=NEXT_EXAMPLE,
        words_of=lambda said: parse_follow_ups(said).final or said,
    )


def last_answer(answers: Sequence[str], question: Question) -> tuple[str, str]:
    """The last intermediate answer, if there is no other answer: the last resort."""
    for answer in reversed(answers):
        short, _ = after_marker(answer, question) if answer else ("", "")
        if short:
            return short, "last-claim"
    return "", "empty"


def _example(workbench: MethodContext, question: Question, one: Demonstration) -> str:
    steps = "".join(exchange(step.query, stopped(step.answer)) for step in one.steps)
    return (
        f"Question: {asked(workbench, question, one.question)}\nAre follow up questions needed here:{BEGUN}"
        f"{steps}\n{MARKER}: {stopped(one.answer)}"
    )
