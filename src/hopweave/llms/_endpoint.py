"""The one door to the network: calls an OpenAI-compatible endpoint through the official SDK and reads its JSON ourselves.

The SDK's typed parsing costs more CPU than the rest of a call, so requests go through its `post` with the plain response as
the type to cast to, which the SDK documents for endpoints that it does not know.
"""

from __future__ import annotations

import asyncio
import json
import logging
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

from hopweave.errors import ModelError
from hopweave.llms._wire import (
    StreamedReply,
    Wire,
    failure,
    is_loopback,
    not_a_completion,
    prefill_of,
    read_completions,
    refused_field,
    request_body,
)
from hopweave.protocols import OnText
from hopweave.types import Message, Reply, Sampling

_log = logging.getLogger(__name__)

# Below the 5 s after which uvicorn and llama.cpp close an idle connection, so that no call meets one that is being closed.
_KEEP_ALIVE_SECONDS = 4.0

# A pool looks through all its connections at every call: several small ones cost a sixth less CPU at 64 calls at a time.
_CONNECTIONS_PER_CLIENT = 8


@dataclass(frozen=True, slots=True)
class _Line:
    """The clients of one event loop.

    Attributes:
        turns: lets so many calls through at a time as there may be connections.
        free: the clients with a connection to spare, once for each; the one used last is at the end, and used next.
        clients: all of them.
        closing: closes them.
    """

    turns: asyncio.Semaphore
    free: list[Any]
    clients: list[Any]
    closing: AsyncGenerator[None, None]


class Endpoint:
    """Calls one endpoint.

    Args:
        wire: how to speak to it.
        key: gives the key when the first call needs it.
        timeout_seconds: for a whole call; between pieces, where it streams.
        connect_timeout_seconds: to open a connection.
        max_connections: calls at a time; more wait for their turn, and that wait does not count against the timeout.
    """

    def __init__(
        self,
        wire: Wire,
        key: Callable[[], str],
        *,
        timeout_seconds: float,
        connect_timeout_seconds: float,
        max_connections: int,
    ) -> None:
        self.wire = wire
        self._key = key
        self._timeout_seconds = timeout_seconds
        self._connect_timeout_seconds = connect_timeout_seconds
        self._max_connections = max_connections
        self._lines: WeakKeyDictionary[asyncio.AbstractEventLoop, _Line] = WeakKeyDictionary()
        self._refused: frozenset[str] = frozenset()
        self._ends_streams = wire.server == "llama.cpp"

    async def open(self) -> None:
        """Sets up a client, which takes the time that importing the SDK takes; nothing is sent."""
        async with self._client(await self._line()):
            pass

    async def reply(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None, *, is_streamed: bool
    ) -> Reply:
        """Replies once; see `LanguageModel.reply`."""
        return (await self._ask(messages, sampling, on_text, is_streamed=is_streamed, num=1))[0]

    async def replies(self, messages: Sequence[Message], sampling: Sampling, num: int) -> list[Reply]:
        """Draws several replies in one request; see `ManyReplies.replies`."""
        replies = await self._ask(messages, sampling, None, is_streamed=False, num=num)
        if len(replies) < num:
            raise ModelError(
                f"{self.wire.base_url} sent {len(replies)} of {num} replies: it does not draw several in one request; "
                "set llms.openai_compatible.samples=no"
            )
        return replies[:num]

    async def _ask(
        self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None, *, is_streamed: bool, num: int
    ) -> list[Reply]:
        line = await self._line()
        async with self._client(line) as client:
            while True:
                body = request_body(self.wire, messages, sampling, self._refused, is_streamed=is_streamed, num=num)
                try:
                    return await self._call(client, body, prefill_of(messages), sampling.stop, on_text)
                except _Refused as refused:
                    # Each turn takes one field out of the request for good, so this ends.
                    _log.warning("%s at %s refuses %s; going on without", self.wire.model, self.wire.base_url, refused.name)
                    self._refused |= {refused.name}

    async def post(self, path: str, body: dict[str, Any]) -> Any:
        """The JSON that comes back for a body that is no conversation.

        Raises:
            ModelError: if none comes.
        """
        import httpx2

        content = json.dumps(body).encode()
        async with self._client(await self._line()) as client, self._translated(body):
            response = await client.post(path, cast_to=httpx2.Response, content=content)
            try:
                return json.loads(response.content)
            except ValueError:
                raise not_a_completion(self.wire, response.content[:2000].decode(errors="replace")) from None

    async def close(self) -> None:
        """Closes the connections of the running loop; those of other loops were closed when their loops ended."""
        line = self._lines.pop(asyncio.get_running_loop(), None)
        if line is not None:
            await line.closing.aclose()

    async def _line(self) -> _Line:
        loop = asyncio.get_running_loop()
        line = self._lines.get(loop)
        if line is None:
            clients: list[Any] = []
            line = _Line(asyncio.Semaphore(self._max_connections), [], clients, _closing(clients))
            self._lines[loop] = line
            await anext(line.closing)
        return line

    @asynccontextmanager
    async def _client(self, line: _Line) -> AsyncIterator[Any]:
        async with line.turns:
            if not line.free:
                client = self._new_client()
                line.clients.append(client)
                line.free.extend([client] * _CONNECTIONS_PER_CLIENT)
            client = line.free.pop()
            try:
                yield client
            finally:
                line.free.append(client)

    def _new_client(self) -> Any:
        import httpx2
        import openai

        base_url = self.wire.base_url
        client = openai.AsyncOpenAI(
            api_key=self._key(),
            base_url=base_url,
            max_retries=0,  # retrying is the workbench's business
            http_client=openai.DefaultAsyncHttpxClient(
                timeout=httpx2.Timeout(None, connect=self._connect_timeout_seconds),  # calls are timed here, below
                limits=httpx2.Limits(
                    max_connections=_CONNECTIONS_PER_CLIENT,
                    max_keepalive_connections=_CONNECTIONS_PER_CLIENT,
                    keepalive_expiry=_KEEP_ALIVE_SECONDS,
                ),
                verify=_certificates(),
                trust_env=not is_loopback(base_url),  # a proxy cannot reach this machine
            ),
            timeout=httpx2.Timeout(None, connect=self._connect_timeout_seconds),
        )
        if self.wire.server != "openai":  # the SDK takes them from the environment, and they are no one else's business
            client.organization = client.project = None
        return client

    async def _call(
        self, client: Any, body: dict[str, Any], prefill: str, stop: Sequence[str], on_text: OnText | None
    ) -> list[Reply]:
        import httpx2

        content = json.dumps(body).encode()
        is_streamed = "stream" in body
        async with self._translated(body) as clock:
            response = await client.post(
                self.wire.path, cast_to=httpx2.Response, content=content, stream=is_streamed, options=self._options(is_streamed)
            )
            self._ends_streams = self._ends_streams or response.headers.get("server") == "llama.cpp"
            if not is_streamed:
                return self._whole(response.content, prefill, stop)
            try:
                if "event-stream" in response.headers.get("content-type", ""):
                    return [await self._streamed(response, prefill, stop, on_text, clock)]
                replies = self._whole(await response.aread(), prefill, stop)
            finally:
                await response.aclose()
            if on_text is not None and replies[0].text:
                on_text(replies[0].text)
            return replies

    def _options(self, is_streamed: bool) -> dict[str, Any]:  # noqa: FBT001 - one caller, above
        # llama.cpp closes a connection after each stream although it promises to keep it; the next call must not run into that.
        return {"headers": {"Connection": "close"}} if is_streamed and self._ends_streams else {}

    def _whole(self, content: bytes, prefill: str, stop: Sequence[str]) -> list[Reply]:
        excerpt = content[:2000].decode(errors="replace")
        try:
            data = json.loads(content)
        except ValueError:
            raise not_a_completion(self.wire, excerpt) from None
        return read_completions(self.wire, data, excerpt, prefill, stop)

    async def _streamed(
        self, response: Any, prefill: str, stop: Sequence[str], on_text: OnText | None, clock: asyncio.Timeout
    ) -> Reply:
        loop = asyncio.get_running_loop()
        streamed = StreamedReply(self.wire, prefill, stop)
        async for data in response.aiter_bytes():
            for piece in streamed.feed(data):
                if on_text is not None:
                    on_text(piece)
            if streamed.is_cut:
                break
            if b"data:" in data:  # a server that only sends signs of life is not getting anywhere
                clock.reschedule(loop.time() + self._timeout_seconds)
        rest, reply = streamed.end()
        if rest and on_text is not None:
            on_text(rest)
        return reply

    @asynccontextmanager
    async def _translated(self, body: dict[str, Any]) -> AsyncIterator[asyncio.Timeout]:
        """Holds a call to its time, and turns what goes wrong in it into the family of errors."""
        import openai

        try:
            async with asyncio.timeout(self._timeout_seconds) as clock:
                yield clock
        except TimeoutError:
            raise self._silent() from None
        except openai.APIStatusError as error:
            status, text = error.response.status_code, self._without_key(error.response.text)
            name = refused_field(status, text, body)
            if name is not None:
                raise _Refused(name) from None
            raise failure(self.wire, status, error.response.headers, text) from None
        except _network_errors() as error:
            raise self._unreachable(error) from None

    def _silent(self) -> ModelError:
        said = f"{self.wire.base_url} was silent for {self._timeout_seconds:g} s"
        return ModelError(f"{said}; {self.wire.advice}", retryable=True)

    def _unreachable(self, error: BaseException) -> ModelError:
        cause = error.__cause__ or error
        said = self._without_key(f"{type(cause).__name__}: {cause}".rstrip(": "))
        return ModelError(f"cannot reach {self.wire.base_url} ({said}); {self.wire.advice}", retryable=True)

    def _without_key(self, text: str) -> str:
        return text.replace(self._key(), "***")


class _Refused(Exception):
    """The endpoint does not take one of the request's fields."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


async def _closing(clients: list[Any]) -> AsyncGenerator[None, None]:
    # An event loop closes its open generators before it ends (`shutdown_asyncgens`), and with this one the connections of the
    # client: a caller who runs `asyncio.run` again and again leaves nothing open.
    try:
        yield
    finally:
        for client in clients:
            await client.close()


@cache
def _certificates() -> ssl.SSLContext:
    import httpx2

    return httpx2.create_ssl_context()  # reading them takes 40 ms


@cache
def _network_errors() -> tuple[type[Exception], ...]:
    import anyio
    import httpx2
    import openai

    return (openai.APIError, httpx2.HTTPError, httpx2.StreamError, anyio.EndOfStream, OSError)
