"""Chooses among many sampled answers by the probabilities of Lazaridou et al. 2022, as far as an endpoint reports them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hopweave.core.types import Reply
from hopweave.text.matching import normalize_answer

Scorer = Literal["poe", "direct", "rag", "noisy_channel"]
Used = Literal["poe", "poe_without_noisy_channel", "direct", "rag", "noisy_channel", "fallback"]

NOT_SCORED = "p(q|a,p) and p(a|p) are of given words, which this endpoint does not score"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sampled answer.

    Attributes:
        paragraph: position of the paragraph that was shown.
        answer: the bare answer.
        how: how it was found.
        text: the text that it was found in.
        logprob: log p(answer | question, paragraph), natural; `None` if the endpoint does not report it.
        channel: the noisy channel, log p(question | answer, paragraph) + log p(answer | paragraph); `None` if it is unknown.
    """

    paragraph: int
    answer: str
    how: str
    text: str
    logprob: float | None
    channel: float | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """An answer with its score, how many samples gave it, and the sample that weighs most of them."""

    best: Candidate
    score: float
    num_votes: int


@dataclass(frozen=True, slots=True)
class Rescored:
    """Answers, best first, with the scorer that was actually used, and why it is not the requested one (empty if it is)."""

    ranking: tuple[Ranked, ...]
    used: Used
    why: str


def rescore(
    candidates: Sequence[Candidate],
    p_ret: Sequence[float],
    scorer: Scorer,
    *,
    num_samples: int,
    no_channel: str = NOT_SCORED,
) -> Rescored:
    """Ranks the answers; those that normalise to the same text are merged. Among equal scores, the earliest comes first.

    With a the answer, q the question, p a paragraph:

    - `direct`: the highest log p(a|q,p).
    - `rag`: log of the sum over paragraphs of p_ret(p|q) p(a|q,p).
    - `noisy_channel`: the highest log p(q|a,p) + log p(a|p).
    - `poe`: the highest log p(a|q,p) + log p_ret(p|q) + log p(q|a,p) + log p(a|p).
    - `poe_without_noisy_channel`: the highest log p(a|q,p) + log p_ret(p|q).
    - `fallback`: the sum over paragraphs of p_ret(p|q) times the share of its samples that say a.

    Args:
        candidates: those with an answer, in the order of paragraphs and samples.
        p_ret: p_ret of each paragraph.
        scorer: the requested scorer.
        num_samples: the number of samples for each paragraph.
        no_channel: why the noisy channel is not known for all candidates, if it is not.
    """
    used, why = _usable(candidates, scorer, no_channel)
    groups: dict[str, list[Candidate]] = {}
    for one in candidates:
        groups.setdefault(normalize_answer(one.answer) or one.answer, []).append(one)
    ranked = [_ranked(group, p_ret, used, num_samples) for group in groups.values()]
    return Rescored(tuple(sorted(ranked, key=lambda one: -one.score)), used, why)


def answer_logprob(reply: Reply, *, is_one_line: bool, is_mean: bool) -> float | None:
    """The log-probability of a sampled answer: the sum over its tokens, or their mean; `None` if it was not reported.

    Args:
        reply: the sample.
        is_one_line: ignore everything after the first line.
        is_mean: normalise by length.
    """
    values: list[float] = []
    has_begun = False
    for token in reply.logprobs:
        if is_one_line and has_begun and "\n" in token.token:
            break
        values.append(token.logprob)
        has_begun = has_begun or bool(token.token.strip())
    if not values:
        return None
    return sum(values) / len(values) if is_mean else sum(values)


def channel_logprob(reply: Reply, answer: str, question: str, between: str, *, is_mean: bool) -> float:
    """The noisy channel from the scores of an answer and a question with fixed words in between, which are not included.

    Args:
        reply: the scores of `answer + between + question`; see `core.protocols.TextScorer`.
        answer: the first words, and `question` the last.
        question: see `answer`.
        between: the fixed words.
        is_mean: normalise each of the two by its length.
    """
    # The part of the first token that precedes the text is before position 0.
    end = len(f"{answer}{between}{question}") - sum(len(token.token) for token in reply.logprobs)
    parts: tuple[list[float], list[float]] = ([], [])
    for token in reply.logprobs:
        end += len(token.token)
        if end <= len(answer):
            parts[0].append(token.logprob)
        elif end > len(answer) + len(between):
            parts[1].append(token.logprob)
    return sum(sum(values) / len(values) if is_mean else sum(values) for values in parts if values)


def _usable(candidates: Sequence[Candidate], scorer: Scorer, no_channel: str) -> tuple[Used, str]:
    lacks_channel = any(one.channel is None for one in candidates)
    if scorer == "noisy_channel":
        return ("fallback", no_channel) if lacks_channel else (scorer, "")
    if any(one.logprob is None for one in candidates):
        return "fallback", "the endpoint reports no log-probabilities"
    if scorer == "poe" and lacks_channel:
        return "poe_without_noisy_channel", no_channel
    return scorer, ""


def _ranked(group: Sequence[Candidate], p_ret: Sequence[float], used: Used, num_samples: int) -> Ranked:
    if used == "fallback":
        best = max(group, key=lambda one: p_ret[one.paragraph])
        return Ranked(best, sum(p_ret[one.paragraph] for one in group) / num_samples, len(group))

    def weight(one: Candidate) -> float:
        direct = 0.0 if used == "noisy_channel" else one.logprob or 0.0
        paragraph = 0.0 if used in ("direct", "noisy_channel") else math.log(p_ret[one.paragraph])
        channel = one.channel or 0.0 if used in ("poe", "noisy_channel") else 0.0
        return direct + paragraph + channel

    best = max(group, key=weight)
    if used != "rag":
        return Ranked(best, weight(best), len(group))
    of_paragraph: dict[int, float] = {}  # a sample that is drawn twice is still one event
    for one in group:
        of_paragraph[one.paragraph] = max(weight(one), of_paragraph.get(one.paragraph, -math.inf))
    highest = max(of_paragraph.values())
    total = highest + math.log(sum(math.exp(value - highest) for value in of_paragraph.values()))
    return Ranked(best, total, len(group))
