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
from hopweave.core.types import Message, Reply, Sampling
from hopweave.models.llms._address import Address, Wire
from hopweave.models.llms._failures import (
    TransportError,
    explained,
    failure,
    not_a_completion,
    refused_field,
    reported,
    silent,
    too_slow,
)
from hopweave.models.llms._json import MALFORMED, parsed
from hopweave.models.llms._wire import StreamedReply, most_bytes, prefill_of, read_completions, request_body

if TYPE_CHECKING:
    from hopweave.models.llms._http import Client, Response

NO_KEY = "no-key-needed"
"""Sent to a server that needs no key: some expect one anyway."""

_MAX_ERROR_BYTES = 1 << 20
_MAX_LISTING_BYTES = 1 << 23
_LISTING_SECONDS = 5.0
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
    """The content of one call."""

    messages: Sequence[Message]
    sampling: Sampling
    on_text: OnText | None
    is_streamed: bool
    num: int = 1


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
        self._refused: frozenset[str] = frozenset()
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

    async def fetch(self, url: str, body: Mapping[str, Any] | None, seconds: float) -> Any:
        """The JSON response to a body, or to none, without queueing.

        Raises:
            ModelError: if there is none.
        """
        # This is called only occasionally.
        return await self._json((await self._line()).client, url, body, seconds, {"Connection": "close"})

    async def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """The JSON response to a body that does not request replies, queueing like other calls.

        Raises:
            ModelError: if there is none.
        """
        line = await self._line()
        async with line.turns:
            return await self._json(line.client, self.address.url(path), body, self._timeout_seconds, None)

    async def _json(
        self, client: Client, url: str, body: Mapping[str, Any] | None, seconds: float, headers: Mapping[str, str] | None
    ) -> Any:
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
            return parsed(content)
        except MALFORMED as error:
            raise not_a_completion(self.wire, content, error) from None

    async def close(self) -> None:
        """Closes the connections of the running loop; those of other loops were closed when their loops ended."""
        line = self._lines.pop(asyncio.get_running_loop(), None)
        if line is not None:
            await line.closing.aclose()

    async def _ask(self, request: _Request) -> list[Reply]:
        line = await self._line()
        async with line.turns:
            while True:
                body = request_body(
                    self.wire,
                    request.messages,
                    request.sampling,
                    self._refused,
                    is_streamed=request.is_streamed,
                    num=request.num,
                )
                try:
                    return await self._call(line.client, request, body)
                except _Refused as refused:
                    # Each iteration permanently removes a field from the request, so this terminates.
                    _log.warning("%s at %s refuses %s; continuing without it", self.wire.model, self.wire.shown, refused.name)
                    self._refused |= {refused.name}

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

    async def _call(self, client: Client, request: _Request, body: dict[str, Any]) -> list[Reply]:
        content = _json_of(body)
        # llama.cpp closes a connection after each stream although it promises to keep it; the next call must not reuse it.
        headers = {"Connection": "close"} if request.is_streamed and self._ends_streams else None
        ends_at = asyncio.get_running_loop().time() + self._stream_seconds
        try:
            async with asyncio.timeout(self._timeout_seconds) as clock:
                response = await client.send(self._url, content, headers)
                try:
                    if response.status != 200:
                        raise await self._failure(client, response, body)
                    max_bytes = most_bytes(request.sampling, request.num, len(content))
                    return await self._read(response, request, max_bytes, clock, ends_at)
                finally:
                    response.close()
        except TimeoutError:
            if asyncio.get_running_loop().time() >= ends_at:
                raise too_slow(self.wire, self._stream_seconds) from None
            raise silent(self.wire, self._timeout_seconds) from None
        except TransportError as error:
            raise explained(self.wire, error) from None

    async def _read(
        self, response: Response, request: _Request, max_bytes: int, clock: asyncio.Timeout, ends_at: float
    ) -> list[Reply]:
        if not request.is_streamed:
            return self._whole(await response.read(max_bytes), request)
        self._ends_streams = self._ends_streams or response.headers.get("server") == "llama.cpp"
        if "event-stream" in response.headers.get("content-type", ""):
            return [await self._streamed(response, request, max_bytes, clock, ends_at)]
        replies = self._whole(await response.read(max_bytes), request)
        if request.on_text is not None and replies[0].text:
            request.on_text(replies[0].text)
        return replies

    def _whole(self, content: bytes, request: _Request) -> list[Reply]:
        try:
            data = parsed(content)
            if isinstance(data, dict) and data.get("error"):
                raise reported(self.wire, data["error"])
            return read_completions(self.wire, data, prefill_of(request.messages), request.sampling.stop)
        except MALFORMED as error:
            raise not_a_completion(self.wire, content, error) from None

    async def _streamed(
        self, response: Response, request: _Request, max_bytes: int, clock: asyncio.Timeout, ends_at: float
    ) -> Reply:
        loop = asyncio.get_running_loop()
        streamed = StreamedReply(self.wire, prefill_of(request.messages), request.sampling)
        show = request.on_text or _ignore
        async for data in response.pieces(max_bytes):
            for piece in streamed.feed(data):
                show(piece)
            if streamed.is_cut:
                break
            if b"data:" in data:  # keep-alive messages alone are not progress
                clock.reschedule(min(ends_at, loop.time() + self._timeout_seconds))
        rest, reply = streamed.end()
        if rest:
            show(rest)
        return reply

    async def _failure(self, client: Client, response: Response, body: Mapping[str, Any]) -> Exception:
        text = (await response.read(_MAX_ERROR_BYTES)).decode(errors="replace")
        name = refused_field(response.status, text, body)
        if name is not None:
            return _Refused(name)
        models = await self._models() if response.status == 404 else None
        return failure(self.wire, response.status, response.headers, text, models)

    async def _models(self) -> list[str] | None:
        """The names of the endpoint's models; `None` if it does not list them."""
        try:
            data = await self.fetch(self.address.url("/models"), None, _LISTING_SECONDS)
            return [str(model["id"]) for model in data["data"]]
        except (ModelError, *MALFORMED):
            return None


class _Refused(Exception):
    """The endpoint does not accept one of the request's fields."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


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
