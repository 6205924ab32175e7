"""Calls an OpenAI-compatible endpoint: a request goes out, and its response becomes replies or an error of the hierarchy."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
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
    CannotConnect,
    ConnectionLost,
    TransportError,
    explained,
    failure,
    is_too_long,
    not_a_completion,
    reported,
    silent,
    takes_no_tools,
    too_slow,
)
from hopweave.models.llms._json import MALFORMED, parsed
from hopweave.models.llms._learner import Learner, again, checked, is_used_up, sum_of
from hopweave.models.llms._learnt import Learnt, Memory
from hopweave.models.llms._plan import Plan, Request, plan_of
from hopweave.models.llms._refusals import Refusal, names_a_field, refusal_of, suspect_of
from hopweave.models.llms._request_body import most_bytes, request_body
from hopweave.models.llms._wire import Parsed, StreamedReply, parse_completion

if TYPE_CHECKING:
    from hopweave.models.llms._http import Client, Response

NO_KEY = "no-key-needed"
"""Sent to a server that needs no key: some expect one anyway."""

_MAX_ERROR_BYTES = 1 << 20
_MAX_LISTING_BYTES = 1 << 23
_LISTING_SECONDS = 5.0
_USAGE_SECONDS = 5.0  # for the usage, which may follow a reply that is complete
_END_SECONDS = 0.25  # for the end of a stream that says it has ended: only then can its connection be used again
_THINKING_TOKENS_PER_SECOND = 25.0  # of a slow endpoint: the timeout of a whole call grows with the room for thoughts


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


class Endpoint:
    """Calls one endpoint.

    Args:
        wire: how to talk to it.
        key: returns the key when the first call needs it.
        timeout_seconds: for a whole call; between chunks, when streaming.
        connect_timeout_seconds: for opening a connection.
        max_connections: maximum concurrent calls; others queue, and queueing does not count towards the timeout.
        stream_seconds: for a whole streamed reply.
        known: what is known of the model before it is called.
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
        known: Learnt | None = None,
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
        memory = Memory(f"{self.address.key}:{wire.model}" if wire.is_remembered else "")
        if known is not None:
            memory.learn(known)
        self._learner = Learner(memory)
        self._ends_streams = wire.server == "llama.cpp"

    async def open(self) -> None:
        """Sets up a client, which includes the time to import its library; nothing is sent."""
        await self._line()

    async def reply(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None, *, is_streamed: bool
    ) -> Reply:
        """Replies once; see `LanguageModel.reply`."""
        return (await self._ask(Request(messages, sampling, on_text, is_streamed)))[0]

    async def replies(self, messages: Sequence[Message], sampling: Sampling, num: int) -> list[Reply]:
        """Draws several replies in one request; see `ManyReplies.replies`."""
        replies = await self._ask(Request(messages, sampling, None, is_streamed=False, num=num))
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
        return self._learner.known

    async def fetch(self, url: str, body: Mapping[str, Any] | None, seconds: float) -> Any:
        """The JSON response to a body, or to none, without queueing.

        Raises:
            ModelError: if there is none.
        """
        # This is called only occasionally.
        return (await self._json((await self._line()).client, url, body, seconds, {"Connection": "close"}))[0]

    async def templated(self, messages: Sequence[Message], sampling: Sampling) -> str:
        """The text that the model gets for messages. Only llama.cpp's server tells it.

        Raises:
            ModelError, KeyError, TypeError: if this one does not.
        """
        request = Request(messages, sampling)
        body = self._body(request, plan_of(self.wire, self.learnt, request))
        return str((await self.fetch(self.address.url("/apply-template", ""), body, self._timeout_seconds))["prompt"])

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

    async def _ask(self, request: Request) -> list[Reply]:
        line = await self._line()
        if request.num > 1 and "n" in self.learnt.refused:
            return await self._one_by_one(request)
        async with line.turns:
            spent, sent, suspects = Usage(), None, frozenset[str]()
            while True:
                plan = plan_of(self.wire, self.learnt, request)
                before, sent = sent, self._body(request, plan, suspects)
                try:
                    found = await self._call(line.client, request, plan, sent)
                except _Refused as refused:
                    suspects |= {refused.name} if refused.is_suspect else set()
                    if refused.name == "n":
                        break
                    if sent == before:  # what was refused cannot be left out
                        raise refused.error from None
                    continue
                self._confirmed(suspects, plan)
                suspects = frozenset()
                # Tags that the prompt asked for say nothing of the model.
                if request.sampling.thinking != "in_text" or any(one.has_thoughts for one in found):
                    self._learner.replied(self.wire, found, plan)
                if not plan.expects_thoughts and is_used_up(self.wire, found, sent):
                    spent, request = found[0].reply.usage, again(request, found)
                    continue
                return checked(self.wire, found, spent, may_be_thoughts=request.sampling.thinking == "in_text")
        replies = await self._one_by_one(request)
        self._confirmed(suspects, plan)
        return replies

    def _confirmed(self, suspects: frozenset[str], plan: Plan) -> None:
        """Remembers that fields were refused, since a request without them has succeeded."""
        for name in sorted(suspects):
            self._learner.refused(self.wire, Refusal(name), plan)

    async def _one_by_one(self, request: Request) -> list[Reply]:
        """Several replies from an endpoint that draws one at a time."""
        seed = request.sampling.seed
        samplings = [replace(request.sampling, seed=None if seed is None else seed + number) for number in range(request.num)]
        asked = (self._ask(replace(request, num=1, sampling=sampling)) for sampling in samplings)
        drawn = [replies[0] for replies in await asyncio.gather(*asked)]
        usage = sum_of([one.usage for one in drawn])
        return [replace(one, usage=usage if number == 0 else Usage()) for number, one in enumerate(drawn)]

    def _body(self, request: Request, plan: Plan, suspects: frozenset[str] = frozenset()) -> dict[str, Any]:
        refused = self.learnt.refused | suspects
        if request.sampling.tools and self.wire.tools and "tools" in refused:
            raise takes_no_tools(self.wire)
        self._learner.tell(self.wire)
        return request_body(
            self.wire,
            request.messages,
            request.sampling,
            refused,
            is_streamed=request.is_streamed,
            num=request.num,
            plan=plan,
        )

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

    async def _call(self, client: Client, request: Request, plan: Plan, body: dict[str, Any]) -> list[Parsed]:
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
                        raise await self._failure(client, response, request, plan, body)
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

    def _seconds_for(self, request: Request, plan: Plan) -> float:
        """The timeout of a call: a whole reply takes longer if the model thinks before it."""
        if request.is_streamed or not plan.room:
            return self._timeout_seconds
        return min(self._stream_seconds, self._timeout_seconds + plan.room / _THINKING_TOKENS_PER_SECOND)

    async def _read(
        self, response: Response, request: Request, plan: Plan, max_bytes: int, clock: asyncio.Timeout, ends_at: float
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

    def _whole(self, content: bytes, request: Request, plan: Plan) -> list[Parsed]:
        try:
            data = parsed(content)
            if isinstance(data, dict) and data.get("error"):
                raise reported(self.wire, data["error"])
            return parse_completion(self.wire, data, request.prefill, request.sampling, plan=plan, salt=request.salt)
        except MALFORMED as error:
            raise not_a_completion(self.wire, content, error) from None

    async def _streamed(
        self, response: Response, request: Request, plan: Plan, max_bytes: int, clock: asyncio.Timeout, ends_at: float
    ) -> Parsed:
        streamed = StreamedReply(self.wire, request.prefill, request.sampling, plan=plan, salt=request.salt)
        show, first_by = request.on_text or _ignore, clock.when()
        clock.reschedule(None)  # another takes its place, whose end may be that of a reply
        try:
            async with asyncio.timeout_at(first_by) as clock_of_stream:
                await self._feed(streamed, response.pieces(max_bytes), show, clock_of_stream, ends_at)
        except (TimeoutError, CannotConnect, ConnectionLost):
            if not streamed.is_complete:
                raise
        rest, found = streamed.finish()
        if rest:
            show(rest)
        return found

    async def _feed(
        self, streamed: StreamedReply, pieces: AsyncIterator[bytes], show: OnText, clock: asyncio.Timeout, ends_at: float
    ) -> None:
        loop = asyncio.get_running_loop()
        async for data in pieces:
            for piece in streamed.feed(data):
                show(piece)
            if streamed.is_cut:
                return
            if streamed.is_done:
                clock.reschedule(loop.time() + _END_SECONDS)
                await anext(pieces, b"")
                return
            if b"data:" in data:  # keep-alive messages alone are not progress
                seconds = min(_USAGE_SECONDS, self._timeout_seconds) if streamed.is_complete else self._timeout_seconds
                clock.reschedule(min(ends_at, loop.time() + seconds))

    async def _failure(
        self, client: Client, response: Response, request: Request, plan: Plan, body: Mapping[str, Any]
    ) -> Exception:
        text = (await response.read(_MAX_ERROR_BYTES)).decode(errors="replace")
        status = response.status
        models = await self._models() if status == 404 else None
        is_about_field = names_a_field(status, text, body)
        error = failure(self.wire, status, response.headers, text, models, is_about_field=is_about_field)
        if self._learner.adapts(self.wire, request, plan, status, text, body):
            return _Refused("", error)
        refusal = refusal_of(status, text, body)
        suspect = suspect_of(status, text, body) if refusal is None and not is_too_long(status, text) else None
        name = refusal.name if refusal is not None else suspect
        if name is None or name in self.wire.extra_body:  # which the user has to correct
            return error
        if refusal is None:
            return _Refused(name, error, is_suspect=True)
        self._learner.refused(self.wire, refusal, plan)
        return takes_no_tools(self.wire, text) if name == "tools" else _Refused(name, error)

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
        is_suspect: whether the field may only seem to be what is not accepted.
    """

    def __init__(self, name: str, error: ModelError, *, is_suspect: bool = False) -> None:
        super().__init__(name)
        self.name = name
        self.error = error
        self.is_suspect = is_suspect


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
