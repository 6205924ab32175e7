"""For methods that can also search: the vote of several chains of thought (`toolkit.chain_of_thought`) as the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hopweave.answering.demonstrations import Demonstration
from hopweave.answering.toolkit.chain_of_thought import Elected, cot_prompt, self_consistent
from hopweave.answering.toolkit.claims import one_answer
from hopweave.answering.toolkit.wiki import Sentence
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Question


@dataclass(frozen=True, slots=True)
class Voting:
    """How chains of thought are sampled; the options of the methods describe each field."""

    n_samples: int
    temperature: float
    max_tokens_reasoning: int


async def elect(workbench: MethodContext, question: Question, demos: Sequence[Demonstration], voting: Voting) -> Elected:
    """Samples chains of thought, shown the same demonstrations, and votes.

    Raises:
        ModelError, BudgetReached, ReplayMiss: as in `MethodContext.samples`.
    """
    prompt = await cot_prompt(workbench, question, demos, voting.max_tokens_reasoning)
    return await self_consistent(
        workbench,
        question,
        prompt,
        num_samples=voting.n_samples,
        temperature=voting.temperature,
        max_tokens=voting.max_tokens_reasoning,
    )


def voted_answer(
    question: Question, elected: Elected, sentences: Sequence[Sentence] = (), stopped_because: str = "finished"
) -> Answer:
    """The majority answer, with the reasoning of its most confident sample.

    Evidence is searched for in the passages shown before, if any; the samples themselves have not seen them.
    """
    if elected.reached is not None:
        stopped_because = elected.reached.limit
    text = elected.rationales[elected.vote.best] if elected.rationales else ""
    hits = list({sentence.hit.passage.id: sentence.hit for sentence in sentences}.values())
    how = "vote" if elected.vote.answer else "empty"
    return one_answer(question, text, elected.vote.answer, how, hits, stopped_because)
