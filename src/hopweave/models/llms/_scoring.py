"""Scoring of a given text at an endpoint: the completions API with `echo`, which repeats the prompt with log-probabilities.

    POST /v1/completions {"prompt": PROMPT + TEXT, "echo": true, "logprobs": 1, "max_tokens": 1}

vLLM and llama-cpp-python support it. llama.cpp's own server refuses `echo`, or omits the prompt from its report (as of 2026),
and OpenAI's newer models do not echo. A response too short to contain the text is refused here, so that no number is made up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from hopweave.core.errors import ModelError
from hopweave.core.types import Reply, TokenLogprob, Usage
from hopweave.models.llms._json import MALFORMED, Malformed

PATH = "/completions"


def scoring_body(model: str, prompt: str, text: str, extra_body: Mapping[str, Any]) -> dict[str, Any]:
    """The request. It asks for one new token, since not every server accepts zero."""
    asked = {"model": model, "prompt": f"{prompt}{text}", "echo": True, "logprobs": 1, "max_tokens": 1, "temperature": 0.0}
    return asked | dict(extra_body)


def read_scores(data: Any, text: str, where: str, settings_name: str) -> Reply:
    """The scores of a text, from a response.

    Args:
        data: the response.
        text: the text to be scored, at the very end of the prompt.
        where: the endpoint, for messages.
        settings_name: the table of its settings, for messages.

    Raises:
        ModelError: if it does not contain the log-probabilities of the text.
    """
    try:
        return _scores(data, text)
    except MALFORMED:
        raise ModelError(
            f"{where} does not report log-probabilities of the words it is given; set {settings_name}.scores=no"
        ) from None


def _scores(data: Any, text: str) -> Reply:
    reported = data["choices"][0]["logprobs"]
    tokens, values = list(reported["tokens"]), list(reported["token_logprobs"])
    usage = data.get("usage") or {}
    num_new, num_given = int(usage.get("completion_tokens", 1)), int(usage.get("prompt_tokens", len(tokens) - 1))
    if len(tokens) != len(values) or not 0 <= num_new <= len(tokens) or num_given < 0:
        raise Malformed("the counts do not agree")
    end = len(tokens) - num_new
    start = _start(tokens[:end], text)
    scored = tuple(TokenLogprob(tokens[place], _logprob(values[place])) for place in range(start, end))
    return Reply("", usage=Usage(num_given, num_new), logprobs=scored)


def _start(tokens: Sequence[str], text: str) -> int:
    """The position of the first token of the text, which is at the end.

    A character that is split into several tokens is not readable in any of them, so non-ASCII characters are not compared.
    """
    wanted, length, found = _plain(text), 0, ""
    for place in range(len(tokens) - 1, -1, -1):
        length += len(tokens[place])
        found = _plain(tokens[place]) + found
        if length >= len(text) and found.endswith(wanted):
            return place
    raise Malformed("the text is not among the tokens")


def _plain(text: str) -> str:
    return "".join(sign for sign in text if sign.isascii() and not sign.isspace())


def _logprob(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value) or value > 0:
        raise Malformed("a log-probability is none")
    return float(value)
