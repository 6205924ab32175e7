"""Tokens of calls that no endpoint counted: of replies that were cut before their count came, and of calls that failed.

An estimate is marked (`Usage.is_estimated`), so that it can be told from a count. It takes a token for every 4 bytes of UTF-8:
English has some 4 characters a token, of a byte each; scripts of 2 or 3 bytes a character have fewer characters a token.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hopweave.core.types import Message, Reply, Usage
from hopweave.text.content_words import estimated_tokens


def usage_of_prompt(messages: Sequence[Message]) -> Usage:
    """The estimate for messages that were sent and to which no reply came."""
    return Usage(prompt_tokens=sum(estimated_tokens(message.text) for message in messages), is_estimated=True)


def with_usage(messages: Sequence[Message], replies: Sequence[Reply]) -> list[Reply]:
    """The replies of one request, with the usage of the whole at the first alone.

    Where the endpoint did not count, it is an estimate: no prompt is without tokens, so a count of 0 is none. What was counted
    of the replies is kept. Where each came with a usage of its own, the prompt was read once, and what was written adds up.

    Args:
        messages: that were sent.
        replies: all of the request.
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
        usage = replace(
            usage_of_prompt(messages), completion_tokens=written or sum(estimated_tokens(reply.text) for reply in replies)
        )
    return [replace(replies[0], usage=usage), *(replace(reply, usage=Usage()) for reply in replies[1:])]
