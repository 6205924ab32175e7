"""Validates what models, retrievers and readers return against `core.protocols`."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from hopweave.core.errors import ReadError, SearchError
from hopweave.core.json_text import whole
from hopweave.core.types import Hit, Passage, Reading, Reply, Span, TokenLogprob, ToolCall, Usage


def checked_reply(reply: Reply) -> Reply:
    """The reply, if its fields are valid; unpaired surrogates in its text are replaced, since some servers split characters."""
    if not isinstance(reply, Reply):
        raise TypeError(f"the model handed back {type(reply).__name__}, not a Reply")
    _check_fields(reply)
    if reply.text.isascii() and reply.finish_reason.isascii() and not (reply.logprobs or reply.thoughts or reply.tool_calls):
        return reply
    logprobs = tuple(
        replace(token, token=whole(token.token), top=tuple((whole(other), value) for other, value in token.top))
        for token in reply.logprobs
    )
    return replace(
        reply,
        text=whole(reply.text),
        finish_reason=whole(reply.finish_reason),
        logprobs=logprobs,
        thoughts=whole(reply.thoughts),
        tool_calls=tuple(ToolCall(whole(call.id), whole(call.name), whole(call.arguments)) for call in reply.tool_calls),
    )


def _check_fields(reply: Reply) -> None:
    """Raises for a value that no record or store could keep."""
    usage = reply.usage
    counts: tuple[Any, ...] = (None,)
    if isinstance(usage, Usage):
        counts = (usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens, usage.thinking_tokens)
    if not all(isinstance(text, str) for text in (reply.text, reply.finish_reason, reply.thoughts)):
        raise TypeError("the model handed back a reply whose text, thoughts or finish_reason is no text")
    for call in reply.tool_calls:
        if not isinstance(call, ToolCall) or not all(isinstance(text, str) for text in (call.id, call.name, call.arguments)):
            raise TypeError(f"the model handed back the tool call {call!r}, which cannot be")
    if any(type(count) is not int or count < 0 for count in counts):
        raise TypeError(f"the model handed back a reply with the usage {usage!r}, which cannot be")
    for token in reply.logprobs:
        pairs = [(token.token, token.logprob), *token.top] if isinstance(token, TokenLogprob) else [(None, None)]
        if not all(isinstance(word, str) and isinstance(value, float | int) for word, value in pairs):
            raise TypeError(f"the model handed back the log-probability {token!r}, which cannot be")


def checked_hits(found: list[list[Hit]], max_hits: int) -> list[list[Hit]]:
    """The hits, if they satisfy `Retriever.search`."""
    for hits in found:
        if len(hits) > max_hits:
            raise SearchError(f"the retriever sent {len(hits)} hits where {max_hits} were asked for")
        for hit in hits:
            if not math.isfinite(hit.score):
                raise SearchError(f"the retriever gave passage {hit.passage.id!r} the score {hit.score}, which is no number")
    return found


def checked_reading(reading: Reading, passage: Passage) -> Reading:
    """The reading with plain numbers, if it satisfies `Reader.read`."""
    confidence, span = float(reading.confidence), reading.span
    if not math.isfinite(confidence):
        raise ReadError(f"the reader is sure of passage {passage.id!r} by {confidence}, which is no number")
    if span is not None:
        span = Span(int(span.start), int(span.end))
    if reading.in_title:
        if span is not None or not reading.text or reading.text not in passage.title:
            raise ReadError(f"the reader says that {reading.text!r} stands in the title of passage {passage.id!r}; it does not")
        return Reading(reading.text, None, confidence, in_title=True)
    start, end = (span.start, span.end) if span is not None else (0, 0)
    if (span is None) != (not reading.text) or not 0 <= start <= end or passage.text[start:end] != reading.text:
        raise ReadError(
            f"the reader says that {reading.text!r} stands in passage {passage.id!r} at {start} to {end}; it does not"
        )
    return Reading(reading.text, span, confidence)
