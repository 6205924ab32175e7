"""Calls an OpenAI-compatible endpoint: a request goes out, and its response becomes replies or an error of the hierarchy."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit
from weakref import WeakKeyDictionary

from pydantic_core import PydanticSerializationError, to_json

from hopweave.core.errors import ModelError
from hopweave.core.protocols import OnText
from hopweave.core.redaction import Secrets, secrets_of
from hopweave.core.types import Message, Reply, Sampling, Usage
from hopweave.models.llms._address import Address, Wire
from hopweave.models.llms._failures import (
    TransportError,
    ended_within_thoughts,
    explained,
    failure,
    is_too_long,
    not_a_completion,
    nothing_but_thoughts,
    refused_to_reply,
    reported,
    silent,
    takes_no_tools,
    too_slow,
    withheld,
)
from hopweave.models.llms._json import MALFORMED, parsed
from hopweave.models.llms._learnt import Learnt, Memory
from hopweave.models.llms._plan import Plan, is_cut_off, is_hidden_thought, may_begin_inside, plan_of
from hopweave.models.llms._refusals import (
    Refusal,
    clashes_with_prefill,
    exceeds_limit,
    names_a_field,
    refusal_of,
    wants_thoughts_back,
)
from hopweave.models.llms._servers import LIMITS, nearest_level
from hopweave.models.llms._wire import (
    Parsed,
    StreamedReply,
    limit_name,
    most_bytes,
    parse_completion,
    prefill_of,
    request_body,
)

if TYPE_CHECKING:
    from hopweave.models.llms._http import Client, Response

NO_KEY = "no-key-needed"
"""Sent to a server that needs no key: some expect one anyway."""

_MAX_ERROR_BYTES = 1 << 20
_MAX_LISTING_BYTES = 1 << 23
_LISTING_SECONDS = 5.0
_MIN_ROOM = 256
_THINKING_TOKENS_PER_SECOND = 25.0  # of a slow endpoint: the timeout of a whole call grows with the room for thoughts
_WITHHELD = frozenset({"content_filter", "safety", "recitation", "prohibited_content", "blocklist", "refusal"})
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Line:
    """The client of one event loop.

    Attributes:
        turns: limits concurrent calls to the maximum number of connections.
        client: holds the connections.
        closing: closes the client.
    """

    turns: asyncio.Semaphore
    client: Client
    closing: AsyncGenerator[None, None]


@dataclass(frozen=True, slots=True)
class _Request:
    """The content of one call.

    Attributes:
        messages: the conversation.
        sampling: the sampling.
        on_text: called with each piece as it arrives.
        is_streamed: whether the reply is streamed.
        num: the number of replies.
        is_again: whether an earlier attempt ended within thoughts.
    """

    messages: Sequence[Message]
    sampling: Sampling
    on_text: OnText | None
    is_streamed: bool
    num: int = 1
    is_again: bool = False

    @property
    def salt(self) -> str:
        """Tells the tool calls of one turn from those of another."""
        return str(len(self.messages))


class Endpoint:
    """Calls one endpoint.

    Args:
        wire: how to talk to it.
        key: returns the key when the first call needs it.
        timeout_seconds: for a whole call; between chunks, when streaming.
        connect_timeout_seconds: for opening a connection.
        max_connections: maximum concurrent calls; others queue, and queueing does not count towards the timeout.
        stream_seconds: for a whole streamed reply.
    """

    def __init__(
        self,
        wire: Wire,
        key: Callable[[], str],
        *,
        timeout_seconds: float,
        connect_timeout_seconds: float,
        max_connections: int,
        stream_seconds: float,
    ) -> None:
        self.wire = wire
        self.address = Address.of(wire.base_url)
        self._url = self.address.url(wire.path)
        self._key = key
        self._timeout_seconds = timeout_seconds
        self._connect_timeout_seconds = connect_timeout_seconds
        self._max_connections = max_connections
        self._stream_seconds = max(stream_seconds, timeout_seconds)
        self._lines: WeakKeyDictionary[asyncio.AbstractEventLoop, _Line] = WeakKeyDictionary()
        self._memory = Memory(f"{self.address.key}:{wire.model}" if wire.is_remembered else "")
        self._max_room: int | None = None
        self._has_told = False
        self._ends_streams = wire.server == "llama.cpp"

    async def open(self) -> None:
        """Sets up a client, which includes the time to import its library; nothing is sent."""
        await self._line()

    async def reply(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None, *, is_streamed: bool
    ) -> Reply:
        """Replies once; see `LanguageModel.reply`."""
        return (await self._ask(_Request(messages, sampling, on_text, is_streamed)))[0]

    async def replies(self, messages: Sequence[Message], sampling: Sampling, num: int) -> list[Reply]:
        """Draws several replies in one request; see `ManyReplies.replies`."""
        replies = await self._ask(_Request(messages, sampling, None, is_streamed=False, num=num))
        if len(replies) < num:
            raise ModelError(
                f"{self.wire.shown} sent {len(replies)} of {num} replies: it does not draw several in one request; "
                f"set {self.wire.settings_name}.samples=no"
            )
        return replies[:num]

    async def look(self, url: str, body: Mapping[str, Any] | None = None) -> tuple[Any, Mapping[str, str]]:
        """The JSON response to a body, or to none, with its headers. The connection stays open for the first call.

        Raises:
            ModelError, SettingsError: as in `reply`.
        """
        line = await self._line()
        return await self._json(line.client, url, body, self._timeout_seconds, None)

    @property
    def has_key(self) -> bool:
        """Whether requests carry a key."""
        return bool(self.address.basic) or self._key() != NO_KEY

    @property
    def learnt(self) -> Learnt:
        """What is known of the model from its behaviour."""
        return self._memory.known

    def learn(self, learnt: Learnt) -> None:
        """Adds to what is known of the model."""
        self._memory.learn(learnt)

    async def fetch(self, url: str, body: Mapping[str, Any] | None, seconds: float) -> Any:
        """The JSON response to a body, or to none, without queueing.

        Raises:
            ModelError: if there is none.
        """
        # This is called only occasionally.
        return (await self._json((await self._line()).client, url, body, seconds, {"Connection": "close"}))[0]

    async def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """The JSON response to a body that does not request replies, queueing like other calls.

        Raises:
            ModelError: if there is none.
        """
        line = await self._line()
        async with line.turns:
            return (await self._json(line.client, self.address.url(path), body, self._timeout_seconds, None))[0]

    async def _json(
        self, client: Client, url: str, body: Mapping[str, Any] | None, seconds: float, headers: Mapping[str, str] | None
    ) -> tuple[Any, Mapping[str, str]]:
        try:
            async with asyncio.timeout(seconds):
                response = await client.send(url, None if body is None else json.dumps(body).encode(), headers)
                try:
                    content = await response.read(_MAX_LISTING_BYTES)
                finally:
                    response.close()
        except TimeoutError:
            raise silent(self.wire, seconds) from None
        except TransportError as error:
            raise explained(self.wire, error) from None
        try:
            if response.status != 200:
                raise failure(self.wire, response.status, response.headers, content.decode(errors="replace"))
            return parsed(content), response.headers
        except MALFORMED as error:
            raise not_a_completion(self.wire, content, error) from None

    async def close(self) -> None:
        """Closes the connections of the running loop; those of other loops were closed when their loops ended."""
        line = self._lines.pop(asyncio.get_running_loop(), None)
        if line is not None:
            await line.closing.aclose()

    async def _ask(self, request: _Request) -> list[Reply]:
        line = await self._line()
        if request.num > 1 and "n" in self.learnt.refused:
            return await self._one_by_one(request)
        async with line.turns:
            spent, sent = Usage(), None
            while True:
                plan = self._plan(request)
                before, sent = sent, self._body(request, plan)
                try:
                    found = await self._call(line.client, request, plan, sent)
                except _Refused as refused:
                    if refused.name == "n":
                        break
                    if sent == before:  # what was refused cannot be left out
                        raise refused.error from None
                    continue
                self._learn_from(found, plan)
                if not plan.expects_thoughts and self._is_used_up(found, sent):
                    spent, request = found[0].reply.usage, self._again(request, found)
                    continue
                return self._checked(found, plan, spent)
        return await self._one_by_one(request)

    async def _one_by_one(self, request: _Request) -> list[Reply]:
        """Several replies from an endpoint that draws one at a time."""
        seed = request.sampling.seed
        samplings = [replace(request.sampling, seed=None if seed is None else seed + number) for number in range(request.num)]
        asked = (self._ask(replace(request, num=1, sampling=sampling)) for sampling in samplings)
        drawn = [replies[0] for replies in await asyncio.gather(*asked)]
        usage = _sum([one.usage for one in drawn])
        return [replace(one, usage=usage if number == 0 else Usage()) for number, one in enumerate(drawn)]

    def _plan(self, request: _Request) -> Plan:
        return plan_of(
            self.wire,
            self.learnt,
            request.sampling,
            has_prefill=bool(prefill_of(request.messages)),
            must_have_room=request.is_again,
            max_room=self._max_room,
        )

    def _body(self, request: _Request, plan: Plan) -> dict[str, Any]:
        refused = self.learnt.refused
        if request.sampling.tools and self.wire.tools and "tools" in refused:
            raise takes_no_tools(self.wire)
        self._tell_what_is_known(request)
        return request_body(
            self.wire,
            request.messages,
            request.sampling,
            refused,
            is_streamed=request.is_streamed,
            num=request.num,
            plan=plan,
        )

    def _tell_what_is_known(self, request: _Request) -> None:
        """Says once what this process knows from an earlier one, since it affects the replies."""
        if self._has_told:
            return
        self._has_told = True
        refused = sorted(self.learnt.refused - {*LIMITS, "stream_options"})
        if refused:
            names = ", ".join(refused)
            _log.warning("%s at %s is known to refuse %s; continuing without", self.wire.model, self.wire.shown, names)

    def _learn_refusal(self, refusal: Refusal, plan: Plan) -> None:
        known, wire = self.learnt, self.wire
        if refusal.value:
            self.learn(Learnt(levels=frozenset({plan.level})))
            instead = nearest_level(plan.level, self.learnt.levels)
            how = "leaving it to the endpoint" if instead == "auto" else f"trying {instead}"
            _log.warning("%s at %s does not take the level %s of thinking; %s", wire.model, wire.shown, plan.level, how)
            return
        self.learn(Learnt(refused=frozenset({refusal.name})))
        self._has_told = True
        if refusal.name in known.refused:
            return
        other = limit_name(wire, self.learnt.refused) if refusal.name in LIMITS else None
        how = f"sending {other} in its place" if other else "continuing without it"
        _log.warning("%s at %s refuses %s; %s", wire.model, wire.shown, refusal.name, how)

    def _learn_from(self, found: Sequence[Parsed], plan: Plan) -> None:
        """Remembers whether the model thinks, and how its thoughts begin."""
        known = self.learnt
        replies = [one.reply for one in found]
        thinks = any(one.thoughts or one.usage.thinking_tokens or is_hidden_thought(one) for one in replies)
        new = Learnt(thinks=frozenset({plan.mode})) if thinks and plan.mode not in known.thinks else Learnt()
        if any(one.has_only_closing and one.reply.thoughts for one in found):
            new = replace(new, begins_inside=True)
        elif plan.begins_inside and any(one.text and not is_cut_off(one.finish_reason) for one in replies) and not thinks:
            new = replace(new, begins_inside=False)
        if new.begins_inside == may_begin_inside(self.wire, known):
            new = replace(new, begins_inside=None)
        if new != Learnt():
            self.learn(new)

    def _is_used_up(self, found: Sequence[Parsed], sent: Mapping[str, Any]) -> bool:
        """Whether thoughts used up the limit of a reply that had no room for them, or a stop string cut it within them."""
        replies = [one.reply for one in found]
        if any(one.tool_calls for one in replies):
            return False
        if all(is_cut_off(one.finish_reason) for one in replies):
            are_thoughts = any(one.thoughts or one.usage.thinking_tokens or is_hidden_thought(one) for one in replies)
            return are_thoughts and self.wire.max_thinking_tokens > 0
        return "stop" in sent and all(one.thoughts and not one.text for one in replies)

    def _again(self, request: _Request, found: Sequence[Parsed]) -> _Request:
        """The same request with room for thoughts. What was shown cannot be retracted, so the rest is then not shown."""
        is_shown = any(one.reply.text for one in found)
        return replace(request, is_again=True, on_text=None if is_shown else request.on_text)

    def _checked(self, found: Sequence[Parsed], plan: Plan, spent: Usage) -> list[Reply]:
        """The replies, if there is one that is not empty for a reason."""
        replies = [one.reply for one in found]
        problems = [self._problem(one, plan) for one in found]
        if all(problem is not None for problem in problems):
            raise problems[0] or ModelError("")
        return [replace(replies[0], usage=_sum([spent, replies[0].usage])), *replies[1:]]

    def _problem(self, parsed: Parsed, plan: Plan) -> ModelError | None:
        reply = parsed.reply
        if reply.text or reply.tool_calls:
            return None
        if parsed.refusal:
            return refused_to_reply(self.wire, parsed.refusal)
        if reply.finish_reason.lower() in _WITHHELD:
            return withheld(self.wire, reply.finish_reason)
        if is_cut_off(reply.finish_reason) and (reply.thoughts or reply.usage.thinking_tokens or is_hidden_thought(reply)):
            return nothing_but_thoughts(self.wire, reply.usage.completion_tokens)
        return ended_within_thoughts(self.wire) if reply.thoughts else None

    async def _line(self) -> _Line:
        loop = asyncio.get_running_loop()
        line = self._lines.get(loop)
        if line is None:
            client = self._new_client()
            line = _Line(asyncio.Semaphore(self._max_connections), client, _closing(client))
            self._lines[loop] = line
            await anext(line.closing)
        return line

    def _new_client(self) -> Client:
        from hopweave.models.llms._http import Client, proxy_for

        address, key = self.address, "" if self.address.basic else self._key()
        proxy = urlsplit(proxy_for(address))
        hidden = [key] if key != NO_KEY else []
        hidden += [*address.secrets, unquote(proxy.password or ""), *secrets_of(dict(self.wire.extra_body), "extra_body")]
        self.wire = replace(self.wire, secrets=Secrets(hidden))
        headers = _headers(address, key) | (_openai_headers() if self.wire.server == "openai" else {})
        return Client(address, headers, connect_timeout_seconds=self._connect_timeout_seconds)

    async def _call(self, client: Client, request: _Request, plan: Plan, body: dict[str, Any]) -> list[Parsed]:
        content = _json_of(body)
        # llama.cpp closes a connection after each stream although it promises to keep it; the next call must not reuse it.
        headers = {"Connection": "close"} if request.is_streamed and self._ends_streams else None
        ends_at = asyncio.get_running_loop().time() + self._stream_seconds
        seconds = self._seconds_for(request, plan)
        try:
            async with asyncio.timeout(seconds) as clock:
                response = await client.send(self._url, content, headers)
                try:
                    if response.status != 200:
                        raise await self._failure(client, response, plan, body)
                    max_bytes = most_bytes(self.wire, request.sampling, request.num, len(content))
                    return await self._read(response, request, plan, max_bytes, clock, ends_at)
                finally:
                    response.close()
        except TimeoutError:
            if asyncio.get_running_loop().time() >= ends_at:
                raise too_slow(self.wire, self._stream_seconds) from None
            raise silent(self.wire, seconds) from None
        except TransportError as error:
            raise explained(self.wire, error) from None

    def _seconds_for(self, request: _Request, plan: Plan) -> float:
        """The timeout of a call: a whole reply takes longer if the model thinks before it."""
        if request.is_streamed or not plan.room:
            return self._timeout_seconds
        return min(self._stream_seconds, self._timeout_seconds + plan.room / _THINKING_TOKENS_PER_SECOND)

    async def _read(
        self, response: Response, request: _Request, plan: Plan, max_bytes: int, clock: asyncio.Timeout, ends_at: float
    ) -> list[Parsed]:
        if not request.is_streamed:
            return self._whole(await response.read(max_bytes), request, plan)
        self._ends_streams = self._ends_streams or response.headers.get("server") == "llama.cpp"
        if "event-stream" in response.headers.get("content-type", ""):
            return [await self._streamed(response, request, plan, max_bytes, clock, ends_at)]
        found = self._whole(await response.read(max_bytes), request, plan)
        if request.on_text is not None and found[0].reply.text:
            request.on_text(found[0].reply.text)
        return found

    def _whole(self, content: bytes, request: _Request, plan: Plan) -> list[Parsed]:
        try:
            data = parsed(content)
            if isinstance(data, dict) and data.get("error"):
                raise reported(self.wire, data["error"])
            prefill = prefill_of(request.messages)
            return parse_completion(self.wire, data, prefill, request.sampling, plan=plan, salt=request.salt)
        except MALFORMED as error:
            raise not_a_completion(self.wire, content, error) from None

    async def _streamed(
        self, response: Response, request: _Request, plan: Plan, max_bytes: int, clock: asyncio.Timeout, ends_at: float
    ) -> Parsed:
        loop = asyncio.get_running_loop()
        prefill = prefill_of(request.messages)
        streamed = StreamedReply(self.wire, prefill, request.sampling, plan=plan, salt=request.salt)
        show = request.on_text or _ignore
        async for data in response.pieces(max_bytes):
            for piece in streamed.feed(data):
                show(piece)
            if streamed.is_cut:
                break
            if b"data:" in data:  # keep-alive messages alone are not progress
                clock.reschedule(min(ends_at, loop.time() + self._timeout_seconds))
        rest, found = streamed.finish()
        if rest:
            show(rest)
        return found

    async def _failure(self, client: Client, response: Response, plan: Plan, body: Mapping[str, Any]) -> Exception:
        text = (await response.read(_MAX_ERROR_BYTES)).decode(errors="replace")
        status = response.status
        models = await self._models() if status == 404 else None
        is_about_field = names_a_field(status, text, body)
        error = failure(self.wire, status, response.headers, text, models, is_about_field=is_about_field)
        if plan.room and (exceeds_limit(status, text, body) or is_too_long(status, text)):
            self._leave_less_room(plan)
            return _Refused("", error)
        if learnt := self._missed(status, text, plan):
            self.learn(learnt)
            return _Refused("", error)
        refusal = refusal_of(status, text, body)
        if refusal is None or refusal.name in self.wire.extra_body:  # which the user has to correct
            return error
        if refusal.value and plan.level == "auto":
            refusal = Refusal(refusal.name)
        self._learn_refusal(refusal, plan)
        return takes_no_tools(self.wire, text) if refusal.name == "tools" else _Refused(refusal.name, error)

    def _missed(self, status: int, text: str, plan: Plan) -> Learnt | None:
        """What a request lacked, if the response says so: thoughts of earlier turns, or that a begun turn needs no thought."""
        if not plan.sends_thoughts_back and wants_thoughts_back(status, text):
            return Learnt(wants_thoughts_back=True)
        if plan.mode == "prefill" and not plan.fields and clashes_with_prefill(status, text):
            return Learnt(thinks=frozenset({"on"}))
        return None

    def _leave_less_room(self, plan: Plan) -> None:
        room = plan.room // 2
        self._max_room = room if room >= _MIN_ROOM else 0
        _log.warning(
            "%s at %s takes no limit of %d tokens on top of the reply's; leaving %d for thoughts",
            self.wire.model,
            self.wire.shown,
            plan.room,
            self._max_room,
        )

    async def _models(self) -> list[str] | None:
        """The names of the endpoint's models; `None` if it does not list them."""
        try:
            data = await self.fetch(self.address.url("/models"), None, _LISTING_SECONDS)
            return [str(model["id"]) for model in data["data"]]
        except (ModelError, *MALFORMED):
            return None


class _Refused(Exception):
    """The endpoint does not accept something in the request, which is left out or changed from now on.

    Attributes:
        name: the field, if it is one.
        error: the error for the user if nothing can be changed.
    """

    def __init__(self, name: str, error: ModelError) -> None:
        super().__init__(name)
        self.name = name
        self.error = error


def _sum(usages: Sequence[Usage]) -> Usage:
    """The sum of what several requests took."""
    return Usage(
        sum(one.prompt_tokens for one in usages),
        sum(one.completion_tokens for one in usages),
        sum(one.cached_tokens for one in usages),
        thinking_tokens=sum(one.thinking_tokens for one in usages),
    )


def _headers(address: Address, key: str) -> dict[str, str]:
    """The headers of every request. Azure has its own header for keys; its tokens, like all others, are bearer tokens."""
    headers = {
        "Accept": "application/json",
        "Accept-Encoding": "gzip, deflate",
        "Connection": "keep-alive",
        "Content-Type": "application/json",
        "User-Agent": f"hopweave/{version('hopweave')}",
    }
    if address.basic:
        return headers | {"Authorization": address.basic}
    if address.is_azure and key.count(".") != 2:  # a token has three parts
        return headers | {"api-key": key}
    return headers | {"Authorization": f"Bearer {key}"}


def _openai_headers() -> dict[str, str]:
    """Headers for OpenAI only, from the environment: the account to bill, as in OpenAI's own client."""
    named = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}
    return {header: os.environ[name] for header, name in named.items() if os.environ.get(name)}


def _json_of(body: Mapping[str, Any]) -> bytes:
    try:
        return to_json(body, inf_nan_mode="constants")  # faster, and shorter
    except PydanticSerializationError:  # an unpaired surrogate, which can be sent as an escape
        return json.dumps(body).encode()


def _ignore(_: str) -> None:
    """Shows nothing."""


async def _closing(client: Client) -> AsyncGenerator[None, None]:
    # An event loop closes its open generators before it ends (`shutdown_asyncgens`), and with this one the client's
    # connections: a caller who runs `asyncio.run` repeatedly leaves nothing open.
    try:
        yield
    finally:
        await client.close()
