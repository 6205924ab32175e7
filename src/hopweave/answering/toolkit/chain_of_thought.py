"""Chains of thought, with and without demonstrations, one or several: shared by all methods that write them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hopweave.answering.demonstrations import Demonstration
from hopweave.answering.toolkit.demos import asked, packed, rationale
from hopweave.answering.toolkit.final_answer import bare_answer, file_missing, is_missing
from hopweave.answering.toolkit.voting import Tie, Vote, file_vote, mean_logprob, vote
from hopweave.core.errors import BudgetReached
from hopweave.core.prompt import prompts_beside
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Message, Question
from hopweave.text.final import MARKER, demanded, final_answer

NEXT_EXAMPLE = ("\nQ:",)
PLAIN_MARKER = "The answer is"
"""The marker of Auto-CoT and of Recite-and-answer."""

_PROMPTS = prompts_beside(__file__)


@dataclass(frozen=True, slots=True)
class Elected:
    """The result of several chains of thought.

    Attributes:
        vote: on their answers.
        rationales: the text of each sample.
        answers: the bare answer of each; empty if it has none.
        how: how the winning answer was found, as in `text.final.final_answer`.
        reached: the limit that cut the number of samples, if any.
    """

    vote: Vote
    rationales: tuple[str, ...]
    answers: tuple[str, ...]
    how: str
    reached: BudgetReached | None = None


async def cot_prompt(
    workbench: MethodContext, question: Question, demos: Sequence[Demonstration], max_tokens: int, *, probes: bool = False
) -> str:
    """The prompt of a few-shot chain of thought (Wei et al. 2022).

    Args:
        workbench: the question's workbench.
        question: the question.
        demos: shown as `Q:` and `A:` with their reasoning.
        max_tokens: the maximum length of the reply.
        probes: ask whether the model can answer; it is told to reply NO! if not.

    Raises:
        ModelError, BudgetReached, ReplayMiss: as in `MethodContext.count_tokens`.
    """
    prompt = _PROMPTS["cot_probe" if probes else "cot"]
    wanted = demanded(question.form, question.labels)
    examples = [f"Q: {asked(workbench, question, one.question)}\nA: {rationale(one, question.form)}" for one in demos]
    text = asked(workbench, question)
    fitting = await packed(workbench, examples, f"{prompt.text}{wanted}{text}", max_tokens)
    return workbench.fill(prompt, demanded=wanted, examples=fitting, question=text)


def trigger(workbench: MethodContext) -> str:
    """The words that start the reasoning without a demonstration (Kojima et al. 2022; the wording is our own)."""
    return workbench.fill(_PROMPTS["trigger"])


def zero_shot_prompt(workbench: MethodContext, question: Question, *, probes: bool = False) -> str:
    """The prompt of a chain of thought without demonstrations: the question, and words that start the reasoning."""
    return workbench.fill(
        _PROMPTS["zero_shot_probe" if probes else "zero_shot"], question=asked(workbench, question), trigger=trigger(workbench)
    )


async def finish(
    workbench: MethodContext, question: Question, turns: Sequence[Message], *, max_tokens: int, purpose: str = "answer"
) -> tuple[str, str, str]:
    """Asks for the answer that a reasoning leads to.

    Args:
        workbench: the question's workbench.
        question: the question.
        turns: the messages that the reasoning replied to, and the reasoning as the model's turn; without one, the request is
            appended to the user's message.
        max_tokens: the maximum length of the reply.
        purpose: the purpose of the call.

    Returns:
        The bare answer, how it was found, and a sentence that gives it (or the reply itself, if there is none).

    Raises:
        ModelError, BudgetReached, ReplayMiss: as in `MethodContext.reply`.
    """
    request = workbench.fill(_PROMPTS["finish"], demanded=demanded(question.form, question.labels))
    *before, last = turns
    is_open = last.role == "user"
    more = [*before, replace(last, text=f"{last.text}\n\n{request}")] if is_open else [*turns, Message("user", request)]
    said = (
        await workbench.reply(more, purpose=purpose, sampling=replace(workbench.sampling, max_tokens=max_tokens))
    ).text.strip()
    short, how = bare_answer(workbench, said, question)
    if not short:
        return "", how, said
    return short, "forced", said if MARKER.lower() in said.lower() or question.form == "long" else f"{MARKER} {short}."


def plainly_demanded(question: Question) -> str:
    """How the last sentence is requested if it begins with `PLAIN_MARKER`."""
    return demanded(question.form, question.labels).replace(MARKER, PLAIN_MARKER)


async def self_consistent(
    workbench: MethodContext,
    question: Question,
    prompt: str,
    *,
    num_samples: int,
    temperature: float,
    max_tokens: int,
    tie: Tie = "logprob",
    top_p: float = 1.0,
    stop: tuple[str, ...] = NEXT_EXAMPLE,
) -> Elected:
    """Samples chains of thought and votes on their answers (Wang et al. 2023).

    A sample without the marker gives no vote, and counts as a parse failure; if none has it, the whole text of each counts.

    Raises:
        ModelError, BudgetReached, ReplayMiss: as in `MethodContext.samples`.
    """
    sampling = replace(
        workbench.sampling,
        temperature=temperature,
        top_p=top_p,
        max_tokens=max_tokens,
        stop=stop,
        top_logprobs=1 if workbench.abilities.logprobs else 0,
    )
    drawn = await workbench.samples([Message("user", prompt)], num_samples, purpose="reasoning", sampling=sampling)
    texts = tuple(reply.text.strip() for reply in drawn.replies)
    read = [final_answer(text, question) for text in texts]
    for text, (_, how) in zip(texts, read, strict=True):
        if is_missing(how, question.form):
            file_missing(workbench, text)
    answers = tuple("" if is_missing(how, question.form) else short for short, how in read)
    if not any(answers):
        answers = tuple(short for short, _ in read)
    elected = vote(answers, form=question.form, tie=tie, logprobs=[mean_logprob(reply) for reply in drawn.replies])
    file_vote(workbench, elected, answers)
    return Elected(elected, texts, answers, read[elected.first][1], drawn.reached)
