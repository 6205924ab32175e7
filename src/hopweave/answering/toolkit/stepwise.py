"""Results of methods that answer step by step: a claim for each step and one for the answer, and a text that cites both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hopweave.answering.toolkit.claims import Assertion, answer_from_claims, passages_of
from hopweave.answering.toolkit.fenced import fenced
from hopweave.answering.toolkit.few_shot import cut_words
from hopweave.citations.citing import on_one_line
from hopweave.core.prompt import unescape
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Hit, Origin, Question

NOTHING_FOUND = "No results found."
"""Replaces the passages in a text that the model continues, if there are none."""

TOKENS_PER_WORD = 2
"""Tokens reserved for each word of passages to come: a generous estimate."""

SHOWN_WORDS = 350
"""The maximum number of words of a passage in a prompt (as in the code of IRCoT's and DecomP's authors)."""


@dataclass(frozen=True, slots=True)
class Step:
    """A sub-question, its answer (empty if there is none), and the passages that were shown for it, best first."""

    query: str
    answer: str
    hits: tuple[Hit, ...] = ()


def shown(hits: Sequence[Hit], max_words: int = SHOWN_WORDS) -> list[str]:
    """Passages as shown in a prompt, best first: fenced, and cut to `max_words`."""
    return [fenced(hit.passage, cut_words(hit.passage.text, max_words)) for hit in hits]


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
        question: the question.
        steps: in the order of the reasoning.
        short: the bare answer; empty if there is none.
        how: how it was found.
        workbench: records each claim and the end.
        said: the model's final text, which is used for a long answer; otherwise the text is written from the claims, so that
            each of its sentences is one.
        stopped_because: for the answer.
    """
    passages = [hit.passage for step in steps for hit in step.hits]
    text = said.strip() if question.form == "long" else ""
    return answer_from_claims(
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
