"""OpenAI's chat API: a method over a corpus is a model, so that any chat client can ask.

The last message is the question; the turns before it are the conversation from which a follow-up is completed. Sampling
parameters are accepted and have no effect, since a method sets its own.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from hopweave.apps.cited import verdict_values
from hopweave.apps.server.answer_citations import Cited, cited, without_sources
from hopweave.apps.server.asking import Asked
from hopweave.apps.server.callers import Caller
from hopweave.apps.server.following import KEEP_ALIVE, ClientGone, Done, Watched, followed, unless_gone
from hopweave.apps.server.inert_markdown import inert
from hopweave.apps.server.kept import new_id
from hopweave.apps.server.refusals import Refused, refusing
from hopweave.apps.server.routes._given import BEARER, TheCaller, TheService, trace_of
from hopweave.apps.server.routes.answers import CLIENT_GONE, EVENT_STREAM
from hopweave.apps.server.schemas import MAX_EARLIER, REFUSALS, Options
from hopweave.apps.server.service import Answered, Service
from hopweave.core.errors import DataError, HopweaveError, suggest
from hopweave.core.json_text import mapping_adapter, one_line_of_json
from hopweave.record import Decision, Record
from hopweave.run.asked import question_asked
from hopweave.run.conversation import Turn

router = APIRouter(tags=["chat"], dependencies=[BEARER], responses=REFUSALS)

AT = "@"
_MAX_CHARACTERS = 200_000


class _Part(BaseModel):
    """A part of a message."""

    type: Annotated[str, Field(max_length=50)]
    text: Annotated[str, Field(max_length=_MAX_CHARACTERS)] = ""


class _Message(BaseModel):
    """A message of a conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Annotated[str, Field(max_length=_MAX_CHARACTERS)] | list[_Part] | None = None

    @property
    def text(self) -> str:
        """Its text.

        Raises:
            Refused: for a part that is not text.
        """
        if not isinstance(self.content, list):
            return self.content or ""
        if any(part.type != "text" for part in self.content):
            raise Refused(422, "invalid_request", "messages may contain only text; leave out images, audio and files")
        return "\n".join(part.text for part in self.content)


class _StreamOptions(BaseModel):
    """Additional content of a stream."""

    include_usage: bool = False


class ChatRequest(BaseModel):
    """A conversation. Other fields of OpenAI's API are accepted and have no effect."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "model": "searchain@starter",
                    "messages": [{"role": "user", "content": "Who designed the tower that Sauvestre drew the arches of?"}],
                }
            ]
        }
    )

    model: Annotated[
        str, Field(description="METHOD@CORPUS, or METHOD alone for the first corpus.", min_length=1, max_length=400)
    ]
    messages: Annotated[list[_Message], Field(min_length=1, max_length=1000)]
    stream: bool | None = False
    stream_options: _StreamOptions | None = None
    n: Annotated[int | None, Field(ge=1, le=1, description="One answer is given.")] = None
    hopweave: Annotated[Options, Field(description="`options` of POST /v1/answers.", max_length=50)] = Field(
        default_factory=dict
    )


@router.get("/v1/models")
async def models(service: TheService, caller: TheCaller) -> dict[str, Any]:
    """Each method over each corpus that the caller may search, the server's default first."""
    found = [_model(name) for name in _names(service, caller)]
    return {"object": "list", "data": found}


@router.get("/v1/models/{name}")
async def model(name: str, service: TheService, caller: TheCaller) -> dict[str, Any]:
    """A model."""
    _chosen(name, service, caller)
    return _model(name)


@router.post("/v1/chat/completions", responses={502: {"description": "The question failed, as the error says."}})
async def complete(body: ChatRequest, request: Request, service: TheService, caller: TheCaller) -> Response:
    """Answers the last message of a conversation.

    The text has numbered references, and the sources below it; `annotations` and `citations` hold them for programs. In a
    stream the steps of the reasoning come as `reasoning_content` while they happen, then the answer.
    """
    asked = replace(_asked(body, service, caller), within=trace_of(request))
    asked = await service.admit(caller, asked)
    reply = _Reply(body.model, new_id(), f"{str(request.base_url).rstrip('/')}/v1/corpora/{asked.corpus}/passages/")
    if body.stream:
        with_usage = body.stream_options is not None and body.stream_options.include_usage
        chunks = _chunks(service, caller, asked, reply, with_usage=with_usage)
        return Watched(chunks, media_type=EVENT_STREAM, headers={"Cache-Control": "no-store"})
    try:
        answered = await unless_gone(request, service.answer(asked, caller, answer_id=reply.answer_id))
    except ClientGone:
        return Response(status_code=CLIENT_GONE)
    return JSONResponse(reply.whole(_succeeded(answered)))


class _Reply:
    """The reply, complete or in chunks."""

    def __init__(self, model: str, answer_id: str, address: str) -> None:
        self.answer_id = answer_id
        self._model = model
        self._address = address
        self._created = int(time.time())

    def cited(self, record: Record) -> Cited:
        """The answer of a record."""
        return cited(record, self._address)

    def whole(self, record: Record) -> dict[str, Any]:
        """The completion."""
        said = self.cited(record)
        message = {"role": "assistant", "content": said.text, "refusal": None, "annotations": said.annotations}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        more = {"citations": said.citations, **_verdict(record)}
        return {**self._head("chat.completion"), "choices": [choice], "usage": _usage(record), **more}

    def piece(self, delta: dict[str, Any], *, finish: str | None = None, **more: Any) -> str:
        """A chunk of a stream."""
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return _data({**self._head("chat.completion.chunk"), "choices": [choice], **more})

    def usage(self, record: Record) -> str:
        """The last chunk of a stream, if it is wanted."""
        return _data({**self._head("chat.completion.chunk"), "choices": [], "usage": _usage(record)})

    def _head(self, kind: str) -> dict[str, Any]:
        named = {"id": f"chatcmpl-{self.answer_id}", "object": kind, "created": self._created, "model": self._model}
        return {**named, "answer_id": self.answer_id}


async def _chunks(service: Service, caller: Caller, asked: Asked, reply: _Reply, *, with_usage: bool) -> AsyncIterator[str]:
    yield reply.piece({"role": "assistant", "content": ""})
    answer_id = reply.answer_id
    work = followed(lambda observer: service.answer(asked, caller, observers=[observer], answer_id=answer_id))
    async for one in work:
        match one:
            case None:
                yield KEEP_ALIVE
            case Decision():
                yield reply.piece({"reasoning_content": f"{one.label}: {inert(' '.join(one.text.split()))}\n"})
            case Done():
                for chunk in _end(one, reply, with_usage=with_usage):
                    yield chunk
            case _:
                pass
    yield "data: [DONE]\n\n"


def _end(done: Done[Answered], reply: _Reply, *, with_usage: bool) -> list[str]:
    try:
        record = _succeeded(done.result())
    except (Refused, HopweaveError) as error:
        return [_data({"error": Refused.of(error).error})]
    said = reply.cited(record)
    chunks = [
        reply.piece({"content": said.text}),
        reply.piece({"annotations": said.annotations}, finish="stop", citations=said.citations, **_verdict(record)),
    ]
    return [*chunks, reply.usage(record)] if with_usage else chunks


def _succeeded(answered: Answered) -> Record:
    error = answered.record.error
    if error is not None:
        raise Refused(502, error.kind, f"{error.in_words}; its record is kept as {answered.id}")
    return answered.record


def _asked(body: ChatRequest, service: Service, caller: Caller) -> Asked:
    method, corpus = _chosen(body.model, service, caller)
    said = [message for message in body.messages if message.role in ("user", "assistant")]
    if not said or said[-1].role != "user":
        raise Refused(422, "invalid_request", "the last message must be the user's; it is the question")
    with refusing(DataError):
        question = question_asked(said[-1].text)
    return service.choices.asked(question, method, corpus, body.hopweave, access=caller.access, earlier=_turns(said[:-1]))


def _turns(messages: list[_Message]) -> tuple[Turn, ...]:
    """The latest turns of a conversation: each message of the user with what was answered."""
    turns: list[Turn] = []
    for message in messages[-2 * MAX_EARLIER :]:
        if message.role == "user":
            turns.append(Turn(message.text))
        elif turns:
            turns[-1] = Turn(turns[-1].question, f"{turns[-1].answer} {without_sources(message.text)}".strip())
    return tuple(turns)


def _chosen(name: str, service: Service, caller: Caller) -> tuple[str, str]:
    """The method and the corpus of a model; either alone is a model, too.

    Raises:
        Refused: if there is no such model, or the caller may not search its corpus.
    """
    method, at, corpus = name.partition(AT)
    if not at and method not in service.choices.methods:
        method, at, corpus = service.choices.default_method, AT, name
    if method in service.choices.methods and (corpus or not at):
        try:
            return method, service.corpus_of(caller, corpus if at else None)
        except Refused:
            pass
    near = suggest(name[:100], _names(service, caller))
    advice = near if near.startswith("did") else "GET /v1/models lists them"
    raise Refused(404, "model_not_found", f"there is no model {name[:100]!r}; {advice}")


def _names(service: Service, caller: Caller) -> list[str]:
    corpora = [name for name in service.server.corpora if caller.may_search(name)]
    first = service.choices.default_method
    methods = [first, *(name for name in service.choices.methods if name != first)]
    return [f"{method}{AT}{corpus}" for corpus in corpora for method in methods]


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "hopweave"}


def _usage(record: Record) -> dict[str, Any]:
    totals = record.totals()
    spent: dict[str, Any] = {"prompt_tokens": totals.prompt_tokens, "completion_tokens": totals.completion_tokens}
    spent["total_tokens"] = totals.prompt_tokens + totals.completion_tokens
    thinking = {"completion_tokens_details": {"reasoning_tokens": totals.thinking_tokens}} if totals.thinking_tokens else {}
    return spent | thinking


def _verdict(record: Record) -> dict[str, Any]:
    return verdict_values(record.answer.verdict) if record.answer is not None else {}


def _data(value: dict[str, Any]) -> str:
    return f"data: {one_line_of_json(mapping_adapter(), value)}\n\n"
