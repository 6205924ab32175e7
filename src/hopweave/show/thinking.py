"""What a model thought before it replied, and the tools that it called, in the words of every drawing.

A record keeps thoughts whole. A page shows at most the first `MAX_THOUGHTS_CHARACTERS` of each call, and says how many more
there are. Thoughts and the arguments of tool calls are external text like any reply: each drawing escapes them.
"""

from __future__ import annotations

from collections.abc import Sequence

from hopweave.core.types import ToolCall, Usage
from hopweave.show.plain import counted, cut, one_line, visible
from hopweave.text.content_words import estimated_tokens

MAX_THOUGHTS_CHARACTERS = 20_000
"""The maximum number of characters of the thoughts, or of the arguments of a tool call, that are shown of one call."""

MAX_CALL_CHARACTERS = 160


def bounded(text: str) -> str:
    """Thoughts or arguments as they are shown: control characters made visible, and the end left out if they are long."""
    text = visible(text)
    num_left_out = len(text) - MAX_THOUGHTS_CHARACTERS
    if num_left_out <= 0:
        return text
    return f"{text[:MAX_THOUGHTS_CHARACTERS].rstrip()}\n\u2026 {num_left_out:,} more characters are in the record"


def thinking_amount(usage: Usage, thoughts: str) -> str:
    """How much a model thought before a reply, such as `1,204 tokens`; empty if it did not, or nothing is known of it.

    If the endpoint shows the thoughts and does not count them, the number is an estimate and is said to be one.
    """
    if usage.thinking_tokens:
        return counted(usage.thinking_tokens, "token")
    return f"about {counted(estimated_tokens(thoughts), 'token')}" if thoughts.strip() else ""


def thinking_text(usage: Usage, thoughts: str) -> str:
    """The same as words: `thought for 1,204 tokens`; empty if it did not think."""
    amount = thinking_amount(usage, thoughts)
    return f"thought for {amount}" if amount else ""


def of_which(thinking: int, estimated: int = 0) -> str:
    """What there is to say of tokens, to follow their number; empty if nothing.

    Args:
        thinking: how many the model thought with.
        estimated: how many no endpoint counted, such as those of the prompt of a failed call, which may be billed.
    """
    said = [f"{num:,} {what}" for num, what in ((thinking, "thinking"), (estimated, "estimated")) if num]
    return f" (of which {', '.join(said)})" if said else ""


def called_text(calls: Sequence[ToolCall]) -> str:
    """Tool calls on one line: `search {"query": "Kerrow Light"}`."""
    return cut("; ".join(one_line(f"{call.name} {call.arguments}") for call in calls), MAX_CALL_CHARACTERS)
