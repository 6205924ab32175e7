"""The probability that a model gave to its answer."""

from __future__ import annotations

import math

from hopweave.core.types import Reply


def probability_of(reply: Reply, answer: str) -> float:
    """The geometric mean of the probabilities of an answer's tokens; 1 if the endpoint reports none."""
    start = reply.text.rfind(answer)
    if start < 0 or not answer or not reply.logprobs:
        return 1.0
    end, position, within = start + len(answer), 0, []
    for token in reply.logprobs:
        if position < end and position + len(token.token) > start:
            within.append(token.logprob)
        position += len(token.token)
    return math.exp(sum(within) / len(within)) if within else 1.0
