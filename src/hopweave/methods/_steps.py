"""What methods that answer step by step hand back: a claim for each step and one for the answer, and a text that cites both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hopweave.citing import cite
from hopweave.matching import normalize_answer
from hopweave.methods._claims import file_path, marked_answer, on_one_line, text_of
from hopweave.methods._closing import one_claim
from hopweave.methods._evidence import standing_in
from hopweave.methods._few_shot import cut_words
from hopweave.parse.final import MARKER
from hopweave.parse.refusal import does_not_know
from hopweave.prompt import fence, unblunt
from hopweave.types import Answer, Claim, Hit, Question
from hopweave.workbench import Workbench

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


def claims_of_steps(steps: Sequence[Step]) -> list[Claim]:
    """A claim for each step; the number of a claim, from 1, is the mark of its citation.

    A step is `verified` where its answer stands in a passage that was shown for it, `unsupported` where it has no answer (or
    says that it has none), else the model's own (`known`).
    """
    return [_claim(mark, step) for mark, step in enumerate(steps, start=1)]


def stepwise_answer(
    question: Question,
    steps: Sequence[Step],
    short: str,
    how: str,
    bench: Workbench,
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
        bench: is told of each claim and of the end.
        said: the model's final words, which become the text where a long answer is wanted; otherwise the text is written from
            the claims, so that each sentence of it is one.
        stopped_because: goes into the answer.
    """
    claims = claims_of_steps(steps)
    hits = [hit for step in steps for hit in step.hits]
    words = unblunt(short)
    if not (claims and normalize_answer(claims[-1].text) == normalize_answer(words) and question.form == "short"):
        passages = list({hit.passage.id: hit.passage for hit in hits}.values())
        claims.append(one_claim(question, words, passages, mark=len(claims) + 1))
    file_path(bench, claims, stopped_because, how)
    text = said.strip() if question.form == "long" and said.strip() else _written(claims[: len(steps)], words)
    retrieved = (hit.passage.id for hit in hits)
    return marked_answer(text, short, how, retrieved, tuple(claims), stopped_because, add_missing=True)


def _claim(mark: int, step: Step) -> Claim:
    answer = on_one_line(unblunt(step.answer))
    if not answer or does_not_know(answer):
        return Claim(step.query, "", "unsupported")
    found = standing_in(answer, [hit.passage for hit in step.hits])
    return Claim(step.query, answer, "verified", (cite(mark, *found),)) if found else Claim(step.query, answer, "known")


def _written(claims: Sequence[Claim], short: str) -> str:
    end = f"{MARKER} {on_one_line(short).rstrip('.')}." if short else ""
    return " ".join(filter(None, [text_of(claims), end]))
