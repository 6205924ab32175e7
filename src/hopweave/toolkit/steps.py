"""What methods that answer step by step hand back: a claim for each step and one for the answer, and a text that cites both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hopweave.grounding.citing import on_one_line
from hopweave.prompting.prompt import fence, unescape
from hopweave.protocols import MethodContext
from hopweave.toolkit.claims import Assertion, concluded, passages_of
from hopweave.toolkit.few_shot import cut_words
from hopweave.types import Answer, Hit, Origin, Question

NOTHING_FOUND = "No results found."
"""What stands where passages would, in a text that the model goes on from."""

TOKENS_PER_WORD = 2
"""What is kept free for each word of passages to come: rather too much."""

SHOWN_WORDS = 350
"""The most words of a passage that a prompt shows (the authors of IRCoT and DecomP cut there)."""


@dataclass(frozen=True, slots=True)
class Step:
    """A sub-question, its answer (empty if there is none), and the passages that were shown for it, best first."""

    query: str
    answer: str
    hits: tuple[Hit, ...] = ()


def shown(hits: Sequence[Hit], max_words: int = SHOWN_WORDS) -> list[str]:
    """Passages as a prompt shows them, best first: fenced, and cut to `max_words`."""
    return [fence(cut_words(hit.passage.text, max_words), hit.passage.title) for hit in hits]


def stepwise_answer(
    question: Question,
    steps: Sequence[Step],
    short: str,
    how: str,
    workbench: MethodContext,
    *,
    said: str = "",
    stopped_because: str = "finished",
) -> Answer:
    """The answer that steps lead to.

    Args:
        question: what was asked.
        steps: in the order of the reasoning.
        short: the bare answer; empty if there is none.
        how: how it was found.
        workbench: is told of each claim and of the end.
        said: the model's final words, which become the text where a long answer is wanted; otherwise the text is written from
            the claims, so that each sentence of it is one.
        stopped_because: goes into the answer.
    """
    passages = [hit.passage for step in steps for hit in step.hits]
    text = said.strip() if question.form == "long" else ""
    return concluded(
        question,
        [_assertion(step) for step in steps],
        short,
        how,
        workbench,
        retrieved=passages,
        text=text,
        stopped_because=stopped_because,
    )


def _assertion(step: Step) -> Assertion:
    origin: Origin = "retrieved" if step.hits else "model"
    return Assertion(step.query, on_one_line(unescape(step.answer)), origin, passages_of(step.hits))
