"""Estimates the tokens of calls that no endpoint counted: replies that were cut off before their count arrived, failed calls.

An estimate is marked (`Usage.is_estimated`), which distinguishes it from a count. It assumes one token per 4 bytes of UTF-8:
English has about 4 characters per token, of one byte each; scripts with 2 or 3 bytes per character have fewer characters per
token.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hopweave.core.types import Message, Reply, Usage
from hopweave.text.content_words import estimated_tokens


def usage_of_prompt(messages: Sequence[Message]) -> Usage:
    """The estimate for messages that were sent but got no reply."""
    return Usage(prompt_tokens=sum(estimated_tokens(message.text) for message in messages), is_estimated=True)


def with_usage(messages: Sequence[Message], replies: Sequence[Reply]) -> list[Reply]:
    """The replies of one request, with the usage of the entire request in the first one.

    If the endpoint did not count, the usage is an estimate: every prompt has tokens, so a count of 0 means that there is none.
    Counts of reply tokens are kept. If each reply has its own usage, the prompt is counted once and the replies are added up.

    Args:
        messages: the messages that were sent.
        replies: all replies of the request.
    """
    if not replies:
        return []
    usage = replies[0].usage
    written = sum(reply.usage.completion_tokens for reply in replies)
    if usage.prompt_tokens and len(replies) == 1:
        return list(replies)
    if usage.prompt_tokens:
        usage = replace(usage, completion_tokens=written)
    else:
        texts = [text for reply in replies for text in (reply.thoughts, reply.text, *(c.arguments for c in reply.tool_calls))]
        usage = replace(usage_of_prompt(messages), completion_tokens=written or sum(map(estimated_tokens, texts)))
    return [replace(replies[0], usage=usage), *(replace(reply, usage=Usage()) for reply in replies[1:])]
