"""How many tokens a model that runs here may think with, and the words in which its chat template is told."""

from __future__ import annotations

from typing import Any

from hopweave.models.llms._servers import SHARES, Level
from hopweave.models.weights.known import Thinking

MAX_THINKING_TOKENS = 4096
"""The default of `max_thinking_tokens` for models that run here."""


def thinking_budget(thinking: Thinking, level: Level, max_tokens: int) -> int:
    """The most tokens of a model's thoughts, at least 1 if it thinks at all.

    Where a model has no levels of thinking, a level is a share of the most that it may think with.

    Args:
        thinking: whether the model thinks.
        level: how much it is to think.
        max_tokens: the most that it may think with at any level.
    """
    if thinking == "no" or (level == "off" and thinking != "effort"):
        return 0
    if thinking == "effort":
        return max_tokens
    return max(1, max_tokens // SHARES[level])


def template_words(thinking: Thinking, level: Level) -> dict[str, Any]:
    """The variables that tell a chat template how much its model is to think; none if that is left to the model."""
    if level == "auto" or thinking in ("no", "always"):
        return {}
    if thinking == "switch":
        return {"enable_thinking": level != "off"}
    return {"reasoning_effort": "low" if level in ("off", "minimal") else level}
