"""Questions and kept answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import cache
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import Response
from pydantic import TypeAdapter

from hopweave.apps.server.asking import Asked
from hopweave.apps.server.callers import Caller
from hopweave.apps.server.following import KEEP_ALIVE, ClientGone, Done, Watched, followed, unless_gone
from hopweave.apps.server.kept import Entry, answer_json, new_id
from hopweave.apps.server.refusals import Refused, error_of, refusing
from hopweave.apps.server.routes._given import BEARER, TheCaller, TheService, trace_of
from hopweave.apps.server.schemas import REFUSALS, AnswerList, AnswerReply, AnswerRequest
from hopweave.apps.server.service import Answered, Branching, Service
from hopweave.apps.server.telling import Telling, told_line
from hopweave.core.errors import DataError, HopweaveError
from hopweave.core.json_text import mapping_adapter, one_line_of_json
from hopweave.record import Record, Started, Step, TextPiece, changes_of
from hopweave.run.asked import question_asked
from hopweave.run.conversation import asked_of
from hopweave.show.browser import GrowingDrawing

router = APIRouter(tags=["answers"], dependencies=[BEARER], responses=REFUSALS)

EVENT_STREAM = "text/event-stream"
CLIENT_GONE = 499
AnswerId = Annotated[str, Path(description="As in the reply to the question.", max_length=100)]


@router.post(
    "/v1/answers",
    response_model=AnswerReply,
    responses={
        200: {
            "content": {
                EVENT_STREAM: {
                    # Of each event, as FastAPI writes it; `schema` would be read as that of an event or of the stream.
                    "itemSchema": {
                        "type": "object",
                        "properties": {
                            "event": {"type": "string"},
                            "data": {"type": "string", "contentMediaType": "application/json"},
                        },
                        "required": ["event", "data"],
                    },
                    "example": 'event: started\ndata: {"id":"...","question":"...","method":"searchain","corpus":"starter",'
                    '"usual":{"seconds":12.5,"num_answers":4}}\n\n'
                    'event: step\ndata: {"id":0,"parent":null,"label":"tree","text":"...","kind":"decision"}\n\n'
                    'event: answer\ndata: {"id":"...","record":{}}\n\n',
                }
            }
        }
    },
)
async def ask(body: AnswerRequest, request: Request, service: TheService, caller: TheCaller) -> Response:
    """Answers a question, and keeps the answer. With `of` and `changes`, a kept answer is asked again with changes.

    With `stream`, or `Accept: text/event-stream`, the steps of the trace come as they happen, as server-sent events: `started`
    (with the `usual` seconds of the caller's earlier answers by the method, if there are any), `begun` (a running call), `step`
    (as in the record, but its id may still change), and `answer` or `failed`.
    With `drawing`, each `begun` and `step` is followed by `drawing`: what it changes in the drawing of the steps.
    A question that fails is a record with an error. A client that closes its connection cancels its question.
    """
    branch = None
    if body.of is not None:
        asked, branch = await _again(body, body.of, service, caller)
    else:
        asked = _asked(body, service, caller)
    asked = replace(asked, within=trace_of(request))
    asked = await service.admit(caller, asked)
    if body.stream or EVENT_STREAM in request.headers.get("accept", ""):
        return Watched(
            _events(service, caller, asked, branch, draws=body.drawing),
            media_type=EVENT_STREAM,
            headers={"Cache-Control": "no-store"},
        )
    try:
        answered = await unless_gone(request, service.answer(asked, caller, branch=branch))
    except ClientGone:
        return Response(status_code=CLIENT_GONE)
    return _reply(answer_json(answered.id, answered.record_line))


@router.get("/v1/answers")
async def answers(
    service: TheService,
    caller: TheCaller,
    before: Annotated[str | None, Query(description="`next` of the previous page.", max_length=100)] = None,
    limit: Annotated[int, Query(description="The number of answers, at most.", ge=1, le=100)] = 20,
) -> AnswerList:
    """The caller's kept answers, newest first."""
    entries, following = await asyncio.to_thread(service.kept.page, caller.name, before=before, limit=limit)
    told = [Telling(caller).entry(entry) for entry in entries if service.may_read(caller, entry)]
    return AnswerList(answers=told, next=following)


@router.get("/v1/answers/{answer_id}", response_model=AnswerReply)
async def answer(answer_id: AnswerId, service: TheService, caller: TheCaller) -> Response:
    """A kept answer."""
    entry = await entry_of(service, caller, answer_id)
    kept = await record_line_of(service, caller, entry.id)
    return _reply(answer_json(entry.id, await asyncio.to_thread(told_line, caller, kept)))


@router.delete("/v1/answers/{answer_id}", status_code=204)
async def delete(answer_id: AnswerId, service: TheService, caller: TheCaller) -> None:
    """Deletes a kept answer for good. Changed runs of it stay."""
    entry = await entry_of(service, caller, answer_id)
    if not await asyncio.to_thread(service.kept.delete, caller.name, entry.id):
        raise _no_answer()


async def entry_of(service: Service, caller: Caller, answer_id: str) -> Entry:
    """The entry of one of the caller's answers.

    Raises:
        Refused: if there is none that they may read.
    """
    entry = await asyncio.to_thread(service.kept.entry, caller.name, answer_id)
    if entry is None or not service.may_read(caller, entry):
        raise _no_answer()
    return entry


async def record_line_of(service: Service, caller: Caller, answer_id: str) -> str:
    """The kept record of an answer that has an entry.

    Raises:
        Refused: if it is gone.
    """
    line = await asyncio.to_thread(service.kept.record_line, caller.name, answer_id)
    if line is None:
        raise _no_answer()
    return line


def _no_answer() -> Refused:
    return Refused(404, "unknown_answer", "there is no such answer of yours; GET /v1/answers lists them")


async def _again(body: AnswerRequest, of: str, service: Service, caller: Caller) -> tuple[Asked, Branching]:
    """A kept answer to ask again, with its question and options."""
    entry = await entry_of(service, caller, of)
    record = Record.from_json(await record_line_of(service, caller, entry.id))
    question, earlier = asked_of(record)
    same: dict[str, tuple[Any, ...]] = {
        "question": (entry.question, question.text),
        "method": (entry.method,),
        "corpus": (entry.corpus,),
        "options": (entry.options,),
    }
    for name in body.model_fields_set - {"of", "changes", "stream", "drawing"}:
        if getattr(body, name) not in (None, *same.get(name, ())):
            raise Refused(422, "invalid_request", f"with of, everything except the changes stays as it was; leave out {name}")
    asked = service.choices.asked(
        question, entry.method, entry.corpus, entry.options, access=entry.access, where=entry.filter, earlier=earlier
    )
    with refusing(DataError):
        changes_of(body.changes)
    return asked, Branching(entry.id, record, body.changes)


def _asked(body: AnswerRequest, service: Service, caller: Caller) -> Asked:
    if body.question is None:
        raise Refused(422, "invalid_request", "question: there is none; ask something, or name a kept answer with of")
    if body.changes:
        raise Refused(422, "invalid_request", "changes: they are of a kept answer; name it with of")
    with refusing(DataError):
        question = question_asked(body.question, long=body.long, labels=body.labels)
    return service.choices.asked(
        question,
        body.method,
        service.corpus_of(caller, body.corpus),
        body.options,
        access=caller.access,
        where=body.filter,
        earlier=tuple(turn.turn() for turn in body.earlier),
    )


async def _events(
    service: Service, caller: Caller, asked: Asked, branch: Branching | None, *, draws: bool
) -> AsyncIterator[str]:
    answer_id = new_id()
    said = {"question": asked.question.text, "method": asked.method_name, "corpus": asked.corpus}
    usual = await _usual(service, caller, asked) if branch is None else None
    yield event("started", _json({"id": answer_id, **said, "usual": usual}))
    drawing = GrowingDrawing() if draws else None
    work = followed(lambda observer: service.answer(asked, caller, observers=[observer], answer_id=answer_id, branch=branch))
    async for one in work:
        match one:
            case None:
                yield KEEP_ALIVE
            case Done():
                yield _end(one, answer_id)
            case Started():
                yield event("begun", _json({"id": one.id, "parent": one.parent, "kind": one.kind, "label": one.label}))
            case TextPiece():
                pass
            case _:
                yield event("step", one_line_of_json(_step_adapter(), one))
        if drawing is not None and one is not None and not isinstance(one, Done) and (changes := drawing.changes(one)):
            yield event("drawing", _json(changes))


async def _usual(service: Service, caller: Caller, asked: Asked) -> dict[str, float] | None:
    """How long a question like this one usually takes; `None` if it is not known."""
    try:
        found = await asyncio.to_thread(service.kept.usual_seconds, caller.name, asked.method_name)
    except DataError:  # the question itself fails with it when its answer is kept
        return None
    return {"seconds": found[0], "num_answers": found[1]} if found is not None else None


def _end(done: Done[Answered], answer_id: str) -> str:
    try:
        answered = done.result()
    except (Refused, HopweaveError) as error:
        return event("failed", _json({"id": answer_id, "error": Refused.of(error).error}))
    record = answered.record
    if record.error is None:
        return event("answer", answer_json(answer_id, answered.record_line))
    # The record is kept nevertheless, with every step before the failure.
    said = _json(error_of(502, record.error.kind, record.error.in_words))
    return event("failed", f'{{"id":"{answer_id}","error":{said},"record":{answered.record_line}}}')


def event(name: str, data: str) -> str:
    """A server-sent event; the data are one line of JSON."""
    return f"event: {name}\ndata: {data}\n\n"


def _reply(text: str) -> Response:
    return Response(text, media_type="application/json")


def _json(value: dict[str, Any]) -> str:
    return one_line_of_json(mapping_adapter(), value)


@cache
def _step_adapter() -> TypeAdapter[Any]:
    return TypeAdapter(Step)
