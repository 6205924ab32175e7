"""Validates what models, retrievers and readers return against `core.protocols`, and questions that are asked."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from inspect import iscoroutine
from itertools import chain
from typing import Any, cast, get_args

from hopweave.core.characters import whole
from hopweave.core.errors import ReadError, SearchError
from hopweave.core.types import AnswerForm, Hit, Passage, Question, Reading, Reply, Span, TokenLogprob, ToolCall, Usage

_FORMS: tuple[str, ...] = get_args(AnswerForm)


def checked_reply(reply: Reply) -> Reply:
    """The reply, if its fields are valid; unpaired surrogates in its text are replaced, since some servers split characters.

    Raises:
        TypeError: for a value that no record or store could keep, such as a text that is not a string, or a negative count of
            tokens.
    """
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


def lists_of_hits(found: Any, num_queries: int, retriever: object) -> list[Any]:
    """What a retriever handed back for each query, if it is as much as it was asked for.

    Args:
        found: what the retriever handed back.
        num_queries: how many queries were asked.
        retriever: messages name its class.

    Raises:
        SearchError: if it is no list for each query, or the method is asynchronous.
    """
    named = f"{type(retriever).__name__}.search"
    if iscoroutine(found):
        found.close()
        raise SearchError(f"{named} is asynchronous; define it with def, since it runs in a thread")
    if not isinstance(found, Iterable):
        raise SearchError(f"{named} handed back {type(found).__name__}, not a list of hits for each query")
    lists = list(found)
    if len(lists) != num_queries:
        raise SearchError(f"{named} handed back {len(lists)} lists of hits for {num_queries} queries; there is one for each")
    return lists


def checked_hits(found: Any, max_hits: int, retriever: object) -> list[list[Hit]]:
    """The hits, if they satisfy `Retriever.search`, and a record can keep them.

    Args:
        found: what the retriever handed back.
        max_hits: how many hits were asked for.
        retriever: messages name its class.

    Raises:
        SearchError: for more hits than were asked for, or one of a wrong type, without a finite score, or with a passage that
            no record could keep.
    """
    named = type(retriever).__name__
    for hits in found:
        if isinstance(hits, str) or not isinstance(hits, Collection):
            raise SearchError(f"{named} handed back {type(hits).__name__} for a query, not a list of hits")
        if len(hits) > max_hits:
            raise SearchError(f"{named} sent {len(hits)} hits where {max_hits} were asked for")
        for hit in hits:
            if problem := _problem_of_hit(hit):
                raise SearchError(f"{named} {problem}")
    return cast("list[list[Hit]]", found)


def _problem_of_hit(hit: Any) -> str:
    """What a retriever did wrong in a hit, as the end of a sentence; empty if nothing."""
    if not isinstance(hit, Hit):
        return f"handed back {type(hit).__name__} where a Hit was expected"
    if problem := problem_of_passage(hit.passage):
        return f"handed back {problem}"
    if hit.via is not None and not _are_texts((hit.via.passage_id, hit.via.title, hit.via.by)):
        return f"came to passage {hit.passage.id!r:.80} by {hit.via!r:.80}, of which a field is no text"
    try:
        is_number = math.isfinite(hit.score)
    except TypeError:
        is_number = False
    return "" if is_number else f"gave passage {hit.passage.id!r:.80} the score {hit.score!r:.80}, which is no number"


def problem_of_passage(passage: Any) -> str:
    """What of a passage no record could keep; empty if a record can keep it.

    >>> problem_of_passage(Passage("a", "In 1999.", metadata={"year": "1999"}))
    ''
    >>> problem_of_passage(Passage("a", "In 1999.", metadata={"year": 1999}))
    "passage 'a' with the metadata {'year': 1999}, in which something is no text"
    """
    if not isinstance(passage, Passage):
        return f"{type(passage).__name__} where a Passage was expected"
    for name in ("id", "text", "title", "source"):
        value = getattr(passage, name)
        if not isinstance(value, str):
            return f"passage {passage.id!r:.80} whose {name} is {type(value).__name__}, not a text"
    metadata = passage.metadata
    if not isinstance(metadata, Mapping) or not _are_texts(chain(*metadata.items())):
        return f"passage {passage.id!r:.80} with the metadata {metadata!r:.80}, in which something is no text"
    for name in ("access", "sections"):
        value = getattr(passage, name)
        if not isinstance(value, tuple) or not _are_texts(value):
            return f"passage {passage.id!r:.80} with {name} = {value!r:.80}, which is no tuple of texts"
    for name in ("start", "end"):
        value = getattr(passage, name)
        if value is not None and not isinstance(value, int):
            return f"passage {passage.id!r:.80} whose {name} is {value!r:.80}, not a whole number"
    return ""


def tuples_of(question: Question) -> Question:
    """The question, with a tuple wherever it has a list.

    >>> tuples_of(Question("1", "Which?", "label", labels=["yes", "no"])).labels
    ('yes', 'no')
    """
    given: dict[str, Any] = {name: getattr(question, name) for name in ("labels", "pinned")}
    lists: dict[str, Any] = {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
    return replace(question, **lists) if lists else question


def problem_of_question(question: Any) -> str:
    """What of a question no record could keep; empty if a record can keep it."""
    for name in ("id", "text", "family", "dataset"):
        value = getattr(question, name)
        if not isinstance(value, str):
            return f"the {name} of the question is {value!r:.80}, which is no text"
    if question.form not in _FORMS:
        return f"question {question.id!r:.80} has the form {question.form!r:.80}; it can be one of: {', '.join(_FORMS)}"
    if not isinstance(question.labels, list | tuple) or not _are_texts(question.labels):
        return f"question {question.id!r:.80} has the labels {question.labels!r:.80}; give it a tuple of texts"
    if not isinstance(question.pinned, list | tuple):
        return f"question {question.id!r:.80} has pinned {question.pinned!r:.80}; give it a tuple of passages"
    problem = next(filter(None, map(problem_of_passage, question.pinned)), "")
    return f"question {question.id!r:.80} has pinned {problem}" if problem else ""


def _are_texts(values: Iterable[object]) -> bool:
    return all(isinstance(value, str) for value in values)


def checked_reading(reading: Reading, passage: Passage) -> Reading:
    """The reading with plain numbers, if it satisfies `Reader.read`.

    Raises:
        ReadError: if its confidence is not finite, or its words are not at its span, or not in the title that they are said to
            be in.
    """
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
