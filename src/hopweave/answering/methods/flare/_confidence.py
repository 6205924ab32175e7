"""How sure the model is of the tokens of a sentence, and what FLARE makes of that: a masked query, and the spans in doubt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Reply

_NEAR = 5  # tokens; spans that are nearer to each other are one
_WORD = lazy_pattern(r"\w+(?:['’.,-]\w+)*")


@dataclass(frozen=True, slots=True)
class SureToken:
    """A token of a sentence, and the probability that the model gave to it."""

    text: str
    probability: float


def tokens_of(reply: Reply, sentence: str) -> tuple[SureToken, ...]:
    """The tokens that a sentence of a reply consists of; none if the endpoint reports no log-probabilities.

    Where the tokens do not spell the reply out, as when letters are split among several, their lengths decide.
    """
    joined = "".join(one.token for one in reply.logprobs)
    start = joined.find(sentence)
    if start < 0:
        start = max(0, reply.text.find(sentence))
    end = start + len(sentence)
    found, position = [], 0
    for one in reply.logprobs:
        if position < end and position + len(one.token) > start:
            found.append(SureToken(one.token, math.exp(min(0.0, one.logprob))))
        position += len(one.token)
    return tuple(found)


def masked(tokens: Sequence[SureToken], beta: float) -> str:
    """The sentence without its tokens of a probability below beta (section 3.2.2, implicit queries)."""
    return " ".join("".join(one.text if one.probability >= beta else " " for one in tokens).split())


def spans_in_doubt(tokens: Sequence[SureToken], beta: float) -> list[str]:
    """The runs of tokens of a probability below beta, extended to whole words (section 3.2.2, explicit queries).

    Runs that are fewer than 5 tokens apart are one, as in the authors' code; those without a letter or digit are left out.
    """
    text = "".join(one.text for one in tokens)
    words = [match.span() for match in _WORD.finditer(text)]
    spans = []
    for first, last in _runs(tokens, beta):
        start = sum(len(one.text) for one in tokens[:first])
        end = start + sum(len(one.text) for one in tokens[first : last + 1])
        touched = [word for word in words if word[0] < end and word[1] > start]
        if touched:
            spans.append(text[touched[0][0] : touched[-1][1]])
    return list(dict.fromkeys(spans))


def _runs(tokens: Sequence[SureToken], beta: float) -> list[tuple[int, int]]:
    """The first and last position of each run."""
    runs: list[tuple[int, int]] = []
    for position, one in enumerate(tokens):
        if one.probability >= beta:
            continue
        if runs and position - runs[-1][1] < _NEAR:
            runs[-1] = (runs[-1][0], position)
        else:
            runs.append((position, position))
    return runs
