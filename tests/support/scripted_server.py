"""A small real HTTP server that answers like an OpenAI-compatible endpoint, as a script tells it to.

In a test:

    async with ScriptedServer([Behaviour(status=429, headers={"Retry-After": "1"}), Behaviour(text="Paris")]) as server:
        llm = OpenAICompatible(model="m", base_url=server.base_url)

As a process of its own, for benchmarks (prints its port, serves until it is killed):

    python tests/support/scripted_server.py --port 0 --delay 1.0 --script behaviours.json

The script is a JSON list of behaviours. They are used in order; after the last one it begins again. Standard library only.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

REASONS = {
    200: "OK",
    400: "Bad Request",
    401: "Unauthorized",
    404: "Not Found",
    429: "Too Many Requests",
    500: "Internal Server Error",
}


@dataclass(frozen=True)
class Request:
    """What a client sent; `number` counts from 0."""

    number: int
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def prefill(self) -> str:
        """The last turn of the assistant, if the conversation ends with one."""
        messages = self.body.get("messages") or [{"role": ""}]
        return messages[-1].get("content", "") if messages[-1]["role"] == "assistant" else ""


@dataclass(frozen=True)
class Behaviour:
    """What to do with a request.

    Attributes:
        text: of the reply; `None` is sent as null.
        status: of the response; other than 200, `text` becomes the message of an error.
        headers: added to the response.
        delay: seconds before the response begins.
        finish_reason: as sent.
        usage: as sent.
        extra: fields added to the completion, over the usual ones.
        logprobs: for each token, the token and its alternatives with their log-probabilities.
        raw: sent as the whole body instead, with its bytes as they are.
        is_endless: sends `raw`, or the pieces of a stream, again and again without an end.
        truncate: sends half of the body and closes.
        close: closes the connection without a response.
        num_choices: choices of the completion, each with the same text and its number; by default as many as are asked for.
        echo: puts the prefill before the text, as llama.cpp does.
        pieces: how a streamed text is cut; by words if absent.
        piece_delay: seconds after each piece.
        stall_after: while streaming, goes silent after so many pieces.
        close_after: while streaming, closes the connection after so many pieces.
    """

    text: str | None = "ok"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    finish_reason: str = "stop"
    usage: Mapping[str, Any] = field(default_factory=lambda: {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10})
    extra: Mapping[str, Any] = field(default_factory=dict)
    logprobs: Sequence[tuple[str, Mapping[str, float]]] = ()
    raw: str | bytes | None = None
    is_endless: bool = False
    truncate: bool = False
    close: bool = False
    num_choices: int | None = None
    echo: bool = False
    pieces: Sequence[str] | None = None
    piece_delay: float = 0.0
    stall_after: int | None = None
    close_after: int | None = None


Script = Sequence[Behaviour] | Callable[[Request], Behaviour]


class ScriptedServer:
    """Serves a script on 127.0.0.1.

    Attributes:
        requests: all that came in.
        max_open: the most requests that were open at a time.
        num_abandoned: requests whose client went away before the response was complete.
        num_connections: connections that were ever opened.

    Args:
        script: what it does, in turn, or what decides that.
        port: where it listens; 0 takes a free one.
        delay: seconds before each response.
        tls: makes it a secure server.
        takes_gets: whether the script is followed for requests without a body, too. Otherwise there is nothing to get, which
            is answered at once and counted nowhere, so that a client may ask what kind of server it is.
    """

    def __init__(
        self,
        script: Script = (Behaviour(),),
        *,
        port: int = 0,
        delay: float = 0.0,
        tls: ssl.SSLContext | None = None,
        takes_gets: bool = False,
    ) -> None:
        self.script = script
        self.delay = delay
        self.requests: list[Request] = []
        self.num_open = self.max_open = self.num_abandoned = self.num_connections = self.num_requests = 0
        self.keeps_requests = True
        self.takes_gets = takes_gets
        self._port = port
        self._tls = tls
        self._server: asyncio.Server | None = None
        self.connections: set[_Connection] = set()

    @property
    def port(self) -> int:
        assert self._server is not None
        return self._server.sockets[0].getsockname()[1]

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def __aenter__(self) -> ScriptedServer:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Connection(self), "127.0.0.1", self._port, backlog=1024, ssl=self._tls)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for connection in list(self.connections):
            connection.transport.abort()
        await asyncio.sleep(0)

    def behaviour(self, request: Request) -> Behaviour:
        return self.script(request) if callable(self.script) else self.script[request.number % len(self.script)]

    def counted(self, head: bytes, body: bytes) -> Request:
        lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:] if line)}
        request = Request(self.num_requests, lines[0].split(" ")[1], headers, json.loads(body) if body else {})
        self.num_requests += 1
        if self.keeps_requests:
            self.requests.append(request)
        return request


class _Connection(asyncio.Protocol):
    """One connection: reads requests, and answers them one after the other."""

    def __init__(self, server: ScriptedServer) -> None:
        self.server = server
        self.buffer = b""
        self.task: asyncio.Task[None] | None = None
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.server.num_connections += 1
        self.server.connections.add(self)

    def connection_lost(self, _: Exception | None) -> None:
        self.server.connections.discard(self)
        if self.task is not None and not self.task.done():
            self.task.cancel()

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, found, rest = self.buffer.partition(b"\r\n\r\n")
        if not found:
            return
        length = _content_length(head)
        if len(rest) < length:
            return
        self.buffer = rest[length:]
        if head.startswith(b"GET ") and not self.server.takes_gets:
            self.transport.write(_NOTHING_THERE)
            return
        request = self.server.counted(head, rest[:length])
        self.task = asyncio.get_running_loop().create_task(self.serve(request))

    async def serve(self, request: Request) -> None:
        server = self.server
        server.num_open += 1
        server.max_open = max(server.max_open, server.num_open)
        try:
            await self.respond(request, server.behaviour(request))
        except asyncio.CancelledError:
            server.num_abandoned += 1
        finally:
            server.num_open -= 1

    async def respond(self, request: Request, behaviour: Behaviour) -> None:
        delay = behaviour.delay or self.server.delay
        if delay:
            await asyncio.sleep(delay)
        if behaviour.close:
            self.transport.close()
        elif behaviour.raw is not None and behaviour.is_endless:
            await self.pour(behaviour)
        elif behaviour.status == 200 and behaviour.raw is None and request.body.get("stream"):
            await self.stream(request, behaviour)
        else:
            body = _body(request, behaviour)
            self.transport.write(
                _head(behaviour, "application/json", len(body)) + body[: len(body) // (2 if behaviour.truncate else 1)]
            )
            if behaviour.truncate:
                self.transport.close()

    async def pour(self, behaviour: Behaviour) -> None:
        self.transport.write(_head(behaviour, "application/json", None))
        while True:
            self.chunk(_bytes_of(behaviour.raw))
            await asyncio.sleep(behaviour.piece_delay)

    async def stream(self, request: Request, behaviour: Behaviour) -> None:
        self.transport.write(_head(behaviour, "text/event-stream", None))
        text = (request.prefill if behaviour.echo else "") + (behaviour.text or "")
        pieces = behaviour.pieces or [word + " " * (i < text.count(" ")) for i, word in enumerate(text.split(" "))]
        for number, piece in enumerate(itertools.cycle(pieces) if behaviour.is_endless else pieces):
            if behaviour.stall_after is not None and number >= behaviour.stall_after:
                await asyncio.sleep(3600)
            if behaviour.close_after is not None and number >= behaviour.close_after:
                self.transport.close()
                return
            delta = (
                {"text": piece}
                if request.path.endswith("/completions") and "prompt" in request.body
                else {"delta": {"content": piece}}
            )
            if behaviour.logprobs and number < len(behaviour.logprobs):
                delta["logprobs"] = {"content": _chat_logprobs(behaviour.logprobs[number : number + 1])}
            self.event({"choices": [{"index": 0, **delta, "finish_reason": None}]})
            await asyncio.sleep(behaviour.piece_delay)
        last = {"text": ""} if "prompt" in request.body else {"delta": {}}
        self.event({"choices": [{"index": 0, **last, "finish_reason": behaviour.finish_reason}]})
        self.event({"choices": [], "usage": dict(behaviour.usage), **behaviour.extra})
        self.chunk(b"data: [DONE]\n\n")
        self.transport.write(b"0\r\n\r\n")

    def event(self, payload: Mapping[str, Any]) -> None:
        self.chunk(b"data: " + json.dumps(payload).encode() + b"\n\n")

    def chunk(self, data: bytes) -> None:
        self.transport.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")


_NOTHING_THERE = b"HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"


def _content_length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line[15:])
    return 0


def _head(behaviour: Behaviour, kind: str, length: int | None) -> bytes:
    size = "Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}"
    more = "".join(f"{name}: {value}\r\n" for name, value in behaviour.headers.items())
    reason = REASONS.get(behaviour.status, "Status")
    own = "" if any(name.lower() == "content-type" for name in behaviour.headers) else f"Content-Type: {kind}\r\n"
    return f"HTTP/1.1 {behaviour.status} {reason}\r\n{own}{size}\r\n{more}\r\n".encode()


def _bytes_of(raw: str | bytes | None) -> bytes:
    return raw.encode() if isinstance(raw, str) else raw or b""


def _body(request: Request, behaviour: Behaviour) -> bytes:
    if behaviour.raw is not None:
        return _bytes_of(behaviour.raw)
    if behaviour.status != 200:
        return json.dumps({"error": {"message": behaviour.text, "code": behaviour.status}}).encode()
    text = behaviour.text
    if behaviour.echo and text is not None:
        text = request.prefill + text
    choice: dict[str, Any] = {"index": 0, "finish_reason": behaviour.finish_reason}
    if "prompt" in request.body:
        choice["text"] = text
        if behaviour.logprobs:
            choice["logprobs"] = _completion_logprobs(behaviour.logprobs)
    else:
        choice["message"] = {"role": "assistant", "content": text}
        if behaviour.logprobs:
            choice["logprobs"] = {"content": _chat_logprobs(behaviour.logprobs)}
    num = request.body.get("n", 1) if behaviour.num_choices is None else behaviour.num_choices
    choices = [choice] if num == 1 else [_numbered(choice, index) for index in reversed(range(num))]
    return json.dumps(
        {"id": "x", "object": "completion", "choices": choices, "usage": dict(behaviour.usage), **behaviour.extra}
    ).encode()


def _numbered(choice: Mapping[str, Any], index: int) -> dict[str, Any]:
    """A choice of several, with its number in its text; servers do not promise an order."""
    if "text" in choice:
        return {**choice, "index": index, "text": f"{choice['text']} {index}"}
    message = choice["message"]
    return {**choice, "index": index, "message": {**message, "content": f"{message['content']} {index}"}}


def _chat_logprobs(tokens: Sequence[tuple[str, Mapping[str, float]]]) -> list[dict[str, Any]]:
    return [
        {
            "token": token,
            "logprob": top.get(token, 0.0),
            "top_logprobs": [{"token": other, "logprob": value} for other, value in top.items()],
        }
        for token, top in tokens
    ]


def _completion_logprobs(tokens: Sequence[tuple[str, Mapping[str, float]]]) -> dict[str, Any]:
    return {
        "tokens": [token for token, _ in tokens],
        "token_logprobs": [top.get(token, 0.0) for token, top in tokens],
        "top_logprobs": [dict(top) for _, top in tokens],
    }


async def _serve_forever(options: argparse.Namespace) -> None:
    script = [Behaviour(**item) for item in json.loads(options.script.read_text())] if options.script else [Behaviour()]
    server = ScriptedServer(script, port=options.port, delay=options.delay)
    server.keeps_requests = False
    async with server:
        print(server.port, flush=True)
        await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description="An OpenAI-compatible endpoint that answers as a script tells it to.")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each response")
    parser.add_argument("--script", type=Path, help="a JSON list of behaviours")
    asyncio.run(_serve_forever(parser.parse_args()))


if __name__ == "__main__":
    main()
