"""Holds what models, retrievers and readers hand back to what `protocols` says of it."""

from __future__ import annotations

import math
from dataclasses import replace

from hopweave.errors import ReadError, SearchError
from hopweave.trace import whole
from hopweave.types import Hit, Passage, Reading, Reply, Span


def checked_reply(reply: Reply) -> Reply:
    """The reply, its text as UTF-8 can hold it: some servers cut a character in two."""
    if not isinstance(reply, Reply):
        raise TypeError(f"the model handed back {type(reply).__name__}, not a Reply")
    logprobs = tuple(
        replace(token, token=whole(token.token), top=tuple((whole(other), value) for other, value in token.top))
        for token in reply.logprobs
    )
    return replace(reply, text=whole(reply.text), logprobs=logprobs)


def checked_hits(found: list[list[Hit]], max_hits: int) -> list[list[Hit]]:
    """The hits, if they are as `Retriever.search` says."""
    for hits in found:
        if len(hits) > max_hits:
            raise SearchError(f"the retriever sent {len(hits)} hits where {max_hits} were asked for")
        for hit in hits:
            if not math.isfinite(hit.score):
                raise SearchError(f"the retriever gave passage {hit.passage.id!r} the score {hit.score}, which is no number")
    return found


def checked_reading(reading: Reading, passage: Passage) -> Reading:
    """The reading in plain numbers, if it is as `Reader.read` says."""
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
