"""Self-consistency: which of several sampled answers wins (Wang et al. 2023, and the tie-breaking rules of later work)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from hopweave.core.protocols import MethodContext
from hopweave.core.types import AnswerForm, Reply
from hopweave.text.matching import normalize_answer, rouge_l

Tie = Literal["logprob", "first", "shorter"]


@dataclass(frozen=True, slots=True)
class Vote:
    """The outcome of a vote.

    Attributes:
        answer: as worded in the first sample of the winning group; empty if no sample has an answer.
        first: position of that sample.
        best: position of the group's sample with the highest mean token log-probability; the first one if the endpoint reports
            none.
        num_votes: how many samples agree.
        num_samples: how many there are, including those without an answer.
    """

    answer: str
    first: int
    best: int
    num_votes: int
    num_samples: int

    @property
    def consistency(self) -> float:
        """The share of samples that agree, 0 to 1."""
        return self.num_votes / self.num_samples


def mean_logprob(reply: Reply) -> float | None:
    """Mean natural log-probability of a reply's tokens; `None` if the endpoint does not report it."""
    values = [token.logprob for token in reply.logprobs]
    return sum(values) / len(values) if values else None


def vote(
    answers: Sequence[str],
    *,
    form: AnswerForm = "short",
    tie: Tie = "first",
    logprobs: Sequence[float | None] = (),
    normalize: Callable[[str], str] = normalize_answer,
) -> Vote:
    """The plurality of sampled answers.

    Empty answers are left out unless all are empty. Labels agree if they are equal; short answers if they normalise to the
    same text, or are equal if nothing is left after normalisation. Ties are broken by `tie`: `logprob` prefers the group with
    the highest mean log-probability (samples without log-probabilities come last, and without any it equals `first`), `first`
    the earliest sample, `shorter` the shorter text (RECITE). For long answers, on which no two samples agree, the one most
    similar to all others wins (highest mean ROUGE-L F1: minimum Bayes risk); it has one vote.

    Args:
        answers: one per sample, at least one.
        form: the form of the question.
        tie: see above.
        logprobs: mean log-probability of each sample, if available.
        normalize: decides whether two short answers are the same.

    >>> vote(["Rome", "Paris", "the Paris", ""]).answer
    'Paris'
    >>> [vote(["Bonn am Rhein", "Ulm"], tie=tie, logprobs=[-2.0, -1.0]).answer for tie in ("first", "shorter", "logprob")]
    ['Bonn am Rhein', 'Ulm', 'Ulm']
    """
    if form == "long":
        return _most_alike(answers)
    surest = list(logprobs) or [None] * len(answers)
    groups: dict[str, list[int]] = {}
    for index, answer in enumerate(answers):
        if answer.strip():
            key = answer if form == "label" else normalize(answer) or answer.strip()
            groups.setdefault(key, []).append(index)
    if not groups:
        return Vote("", 0, 0, 0, len(answers))

    def rank(group: list[int]) -> tuple[float, float, float]:
        second = 0.0
        if tie == "logprob":
            known = [value for index in group if (value := surest[index]) is not None]
            second = sum(known) / len(known) if known else float("-inf")
        elif tie == "shorter":
            second = -float(len(answers[group[0]]))
        return len(group), second, -group[0]

    winners = max(groups.values(), key=rank)
    best = max(winners, key=lambda index: (surest[index] if surest[index] is not None else float("-inf"), -index))
    return Vote(answers[winners[0]], winners[0], best, len(winners), len(answers))


def file_vote(workbench: MethodContext, held: Vote, answers: Sequence[str]) -> None:
    """Records a vote as a decision.

    Args:
        workbench: the question's workbench.
        held: its outcome.
        answers: the answers that were voted on, one per sample.
    """
    text = f"{held.num_votes} of {held.num_samples} samples: {held.answer or '?'}"
    workbench.decide("vote", text, answers=list(answers), consistency=held.consistency)


def _most_alike(answers: Sequence[str]) -> Vote:
    said = [index for index, answer in enumerate(answers) if answer.strip()]
    if not said:
        return Vote("", 0, 0, 0, len(answers))

    def likeness(index: int) -> float:
        return sum(rouge_l(answers[index], answers[other])[2] for other in said if other != index)

    best = max(said, key=lambda index: (likeness(index), -index))
    return Vote(answers[best], best, best, 1, len(answers))
