"""Log-probabilities of the tokens of a reply: read from a response, and cut to the part of the text that is the reply."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from hopweave.core.types import TokenLogprob
from hopweave.models.llms._json import Malformed


def logprobs_of(logprobs: Any) -> Iterator[TokenLogprob]:
    """The tokens of a choice, in either form.

    Raises:
        one of `MALFORMED`: if it is invalid.
    """
    if not logprobs:
        return
    if logprobs.get("content"):
        for entry in logprobs["content"]:
            top = [(_word(other["token"]), _logprob(other["logprob"])) for other in entry.get("top_logprobs") or ()]
            yield _token(entry["token"], entry["logprob"], top)
    elif logprobs.get("tokens"):
        tops = logprobs.get("top_logprobs") or [None] * len(logprobs["tokens"])
        for token, logprob, top in zip(logprobs["tokens"], logprobs["token_logprobs"], tops, strict=True):
            if logprob is not None:
                yield _token(token, logprob, [(_word(other), _logprob(value)) for other, value in (top or {}).items()])


def _token(token: Any, logprob: Any, top: list[tuple[str, float]]) -> TokenLogprob:
    word, value = _word(token), _logprob(logprob)
    if top and all(other != word for other, _ in top):
        top.append((word, value))
    top.sort(key=lambda pair: -pair[1])
    return TokenLogprob(word, value, tuple(top))


def _word(token: Any) -> str:
    if not isinstance(token, str):
        raise Malformed("a token is not text")
    return token


def _logprob(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value) or value > 1:  # rounding aside, 0
        raise Malformed(f"{str(value)[:20]} is not a log-probability")
    return float(value)


def covering(logprobs: tuple[TokenLogprob, ...], length: int) -> tuple[TokenLogprob, ...]:
    """The tokens that start within the first `length` characters."""
    kept, start = 0, 0
    while kept < len(logprobs) and start < length:
        start += len(logprobs[kept].token)
        kept += 1
    return logprobs[:kept]


def of_text(logprobs: tuple[TokenLogprob, ...], text: str) -> tuple[TokenLogprob, ...]:
    """The tokens of a text that follows thoughts; none if they cannot be told apart."""
    spelled = "".join(token.token for token in logprobs)
    start = spelled.rfind(text) if text else -1
    if start < 0:
        return ()
    place = 0
    while start >= len(logprobs[place].token):
        start -= len(logprobs[place].token)
        place += 1
    first = logprobs[place]
    if first.token[:start].strip():  # a token that is part of both
        return ()
    return covering((replace(first, token=first.token[start:]), *logprobs[place + 1 :]), len(text))
