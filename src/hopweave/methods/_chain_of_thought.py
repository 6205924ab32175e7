"""A few-shot chain of thought, once or many times: what `cot`, `cot_sc` and the methods that fall back on them share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hopweave.demonstrations import Demonstration
from hopweave.errors import BudgetReached
from hopweave.methods._demos import asked, packed, rationale
from hopweave.methods._voting import Tie, Vote, mean_logprob, vote
from hopweave.parse.final import demanded, final_answer
from hopweave.prompt import prompts_beside
from hopweave.types import Message, Question
from hopweave.workbench import Workbench

NEXT_EXAMPLE = ("\nQ:",)
_PROMPTS = prompts_beside(__file__)


@dataclass(frozen=True, slots=True)
class Elected:
    """What several chains of thought come to.

    Attributes:
        vote: on their answers.
        rationales: what each sample said.
        answers: the bare answer of each; empty where it has none.
        reached: the limit that left fewer samples than were asked for.
    """

    vote: Vote
    rationales: tuple[str, ...]
    answers: tuple[str, ...]
    reached: BudgetReached | None = None


async def cot_prompt(bench: Workbench, question: Question, demos: Sequence[Demonstration], max_tokens: int) -> str:
    """The prompt of a few-shot chain of thought (Wei et al. 2022).

    Args:
        bench: of the question.
        question: what is asked.
        demos: shown as `Q:` and `A:` with their reasoning.
        max_tokens: of the reply.

    Raises:
        ModelError, BudgetReached, ReplayMiss: as `Workbench.count_tokens`.
    """
    wanted = demanded(question.form, question.labels)
    examples = [f"Q: {asked(bench, question, one.question)}\nA: {rationale(one, question.form)}" for one in demos]
    text = asked(bench, question)
    fitting = await packed(bench, examples, f"{_PROMPTS['cot'].text}{wanted}{text}", max_tokens)
    return bench.fill(_PROMPTS["cot"], demanded=wanted, examples=fitting, question=text)


async def self_consistent(
    bench: Workbench,
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

    A sample without the marker gives no vote, and is filed as unread; if none has it, the whole text of each counts.

    Raises:
        ModelError, BudgetReached, ReplayMiss: as `Workbench.samples`.
    """
    sampling = replace(
        bench.sampling,
        temperature=temperature,
        top_p=top_p,
        max_tokens=max_tokens,
        stop=stop,
        top_logprobs=1 if bench.abilities.logprobs else 0,
    )
    drawn = await bench.samples([Message("user", prompt)], num_samples, purpose="reasoning", sampling=sampling)
    texts = tuple(reply.text.strip() for reply in drawn.replies)
    read = [final_answer(text, question) for text in texts]
    for text, (short, how) in zip(texts, read, strict=True):
        if not short or (how == "full" and question.form != "long"):
            bench.unread("final", "no sentence says what the final answer is" if text else "the reply is empty", text)
    answers = tuple(short if how != "full" or question.form == "long" else "" for short, how in read)
    if not any(answers):
        answers = tuple(short for short, _ in read)
    elected = vote(answers, form=question.form, tie=tie, logprobs=[mean_logprob(reply) for reply in drawn.replies])
    bench.decide(
        "vote", f"{elected.num_votes} of {elected.num_samples} samples: {elected.answer or '?'}", answers=list(answers)
    )
    return Elected(elected, texts, answers, drawn.reached)
