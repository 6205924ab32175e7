"""Checks every request before any route sees it: its host name, its key, the rate, and the size of its body.

This is a plain ASGI layer rather than middleware of the framework, so that no body is read for an unauthorized client, and a
route can still tell when its client disconnects.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from hopweave.apps.server.refusals import Refused
from hopweave.apps.server.service import Service

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

OPEN_PATHS = frozenset({"/", "/healthz", "/readyz", "/openapi.json"})
"""They need no key: they say nothing about a corpus."""
OPEN_FOLDERS = ("/static/",)
_SPARED = frozenset({"/healthz", "/readyz", "/metrics"})
"""They do not count as requests, and are answered until the server has stopped."""
_NO_GUESSING = (b"x-content-type-options", b"nosniff")
"""Browsers must not guess the type of the content (MIME sniffing)."""
_WITH_BODY = frozenset({"POST", "PUT", "PATCH", "DELETE"})


class Gate:
    """Admits requests.

    Args:
        app: the application behind it.
        service: which knows the callers and the limits.
    """

    def __init__(self, app: App, service: Service) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves a request, or refuses it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 500

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), _NO_GUESSING]
            await send(message)

        try:
            body = await self._admitted(scope, receive)
            if body is not None:
                await self._app(scope, body, watched)
            else:
                status = 499
        except Refused as refused:
            await refused.reply()(scope, receive, watched)
        finally:
            self._service.metrics.request(_route_of(scope), status)

    async def _admitted(self, scope: Scope, receive: Receive) -> Receive | None:
        """The `receive` for the application; `None` if the client disconnected before its request was complete.

        Raises:
            Refused: if the request may not pass.
        """
        headers = _headers_of(scope)
        self._check_host(headers.get("host", ""))
        path = scope["path"]
        is_open = path in OPEN_PATHS or path.startswith(OPEN_FOLDERS) or scope["method"] == "OPTIONS"
        if self._service.is_draining and path not in _SPARED:
            raise Refused(503, "stopping", "the server is stopping; ask another one, or later", headers={"Retry-After": "5"})
        if not is_open:
            caller = self._service.callers.find(headers.get("authorization", ""))
            scope.setdefault("state", {})["caller"] = caller
            if path not in _SPARED:
                self._service.allowance.request(caller)
        if scope["method"] not in _WITH_BODY:
            return receive
        return await self._with_body(headers.get("content-length", ""), receive)

    def _check_host(self, host: str) -> None:
        allowed = self._service.server.allowed_hosts
        name = host if host.endswith("]") else host.rpartition(":")[0] or host
        if allowed and name.lower() not in allowed:
            raise Refused(421, "unknown_host", "the server is not known under this name; add it to its setting hosts")

    async def _with_body(self, announced: str, receive: Receive) -> Receive | None:
        """A `receive` that returns the complete body first, and later messages after it."""
        limits = self._service.server.limits
        too_large = Refused(413, "body_too_large", f"a body may have {limits.max_body_bytes:,} bytes; send less")
        if announced.isdecimal() and (len(announced) > 18 or int(announced) > limits.max_body_bytes):
            raise too_large
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(limits.max_body_seconds):
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        return None
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    if size > limits.max_body_bytes:
                        raise too_large
                    if not message.get("more_body", False):
                        break
        except TimeoutError:
            raise Refused(
                408, "body_too_slow", f"the body took longer than {limits.max_body_seconds:g} s; send it faster"
            ) from None
        whole: list[Message] = [{"type": "http.request", "body": b"".join(parts), "more_body": False}]

        async def replayed() -> Message:
            return whole.pop() if whole else await receive()

        return replayed


def _headers_of(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


def _route_of(scope: Scope) -> str:
    """The path template of the route, so that ids in paths create no new labels."""
    route = scope.get("route")
    return str(getattr(route, "path", "none"))
