"""The HTTP client: sends requests to an endpoint and returns bytes, within limits. Only this module uses `aiohttp`."""

from __future__ import annotations

import os
import ssl
import zlib
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from yarl import URL

from hopweave.core.errors import SettingsError
from hopweave.core.redaction import public_address
from hopweave.models.llms._address import Address, is_loopback
from hopweave.models.llms._failures import CannotConnect, ConnectionLost, Misdirected, TooManyBytes

# Below the 5 s after which uvicorn and llama.cpp close an idle connection, so that no call uses one that is being closed.
_KEEP_ALIVE_SECONDS = 4.0
_MAX_REDIRECTS = 3
# Where systems keep their trusted certificates, for a Python that was built for another system.
_CERTIFICATES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)


def proxy_for(address: Address) -> str:
    """The proxy that the environment, or the system, sets for an address; empty if there is none.

    Raises:
        SettingsError: for an unsupported kind of proxy.
    """
    if is_loopback(f"{address.scheme}://{address.place}") or proxy_bypass(address.place):  # no proxy can reach it
        return ""
    known = getproxies()
    proxy = known.get(address.scheme) or known.get("all") or ""
    if not proxy:
        return ""
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    if urlsplit(proxy).scheme not in ("http", "https"):
        shown = public_address(proxy)
        raise SettingsError(f"the proxy {shown} cannot be used: only HTTP proxies can; set NO_PROXY={address.host}, or another")
    return proxy


class Client:
    """Connections of one event loop to one endpoint.

    Args:
        address: the endpoint.
        headers: sent with every request.
        connect_timeout_seconds: for opening a connection.
    """

    def __init__(self, address: Address, headers: Mapping[str, str], *, connect_timeout_seconds: float) -> None:
        proxy = proxy_for(address)
        is_secure = address.scheme == "https" or proxy.startswith("https:")
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=0,  # limited by the caller
                keepalive_timeout=_KEEP_ALIVE_SECONDS,
                ssl=_trusted() if is_secure else True,
            ),
            headers=headers,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None, connect=connect_timeout_seconds),  # callers time their own calls
            proxy=URL(proxy) if proxy else None,
            auto_decompress=False,
            trust_env=False,  # it would look again for every request, and take keys from ~/.netrc
        )

    async def send(self, url: str, content: bytes | None, headers: Mapping[str, str] | None = None) -> Response:
        """Sends a POST, or a GET if there is no content. Redirects are followed only within the same host.

        The caller closes the response.

        Raises:
            CannotConnect, ConnectionLost: see those classes.
            Misdirected: for a redirect to another host, or an endless one.
        """
        for _ in range(_MAX_REDIRECTS + 1):
            response = await self._sent(url, content, headers)
            if not 300 <= response.status < 400:
                return response
            response.close()
            named = response.headers.get("location", "")
            target = _target(url, named)
            if response.status not in (307, 308) or not target:  # other statuses would change the request
                raise Misdirected(named)
            url = target
        raise Misdirected(url)

    async def close(self) -> None:
        """Closes all connections."""
        await self._session.close()

    async def _sent(self, url: str, content: bytes | None, headers: Mapping[str, str] | None) -> Response:
        method, where = "GET" if content is None else "POST", URL(url, encoded=url.isascii())
        with _translated():
            return Response(await self._session.request(method, where, data=content, headers=headers, allow_redirects=False))


class Response:
    """The head of a response, and its body as it arrives.

    Attributes:
        status: the HTTP status.
        headers: by name, case-insensitive.
    """

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response
        self.status = response.status
        self.headers: Mapping[str, str] = response.headers

    async def read(self, max_bytes: int) -> bytes:
        """The whole body, of at most `max_bytes` both compressed and decompressed.

        Raises:
            TooManyBytes, ConnectionLost: see those classes.
        """
        length = self._response.content_length
        if length is not None and length <= max_bytes and "content-encoding" not in self.headers:
            with _translated():
                return await self._response.read()
        return b"".join([data async for data in self.pieces(max_bytes)])

    async def pieces(self, max_bytes: int) -> AsyncIterator[bytes]:
        """The body as it arrives.

        Raises:
            TooManyBytes, ConnectionLost: see those classes.
        """
        unpacked = _unpacker(self.headers.get("content-encoding", ""))
        num_packed = num_bytes = 0
        while True:
            with _translated():
                data = await self._response.content.readany()
            if not data:
                return
            num_packed += len(data)
            if unpacked is not None:
                with _translated():
                    data = unpacked.decompress(data, max_bytes - num_bytes + 1)
            num_bytes += len(data)
            if max(num_packed, num_bytes) > max_bytes:
                raise TooManyBytes(f"{max_bytes:,}")
            if data:
                yield data

    def close(self) -> None:
        """Closes the connection, unless the whole body has arrived and the connection can be reused."""
        self._response.close()


class _Unpacker(Protocol):
    def decompress(self, data: bytes, max_length: int = 0, /) -> bytes: ...


class _Deflate:
    """Decompresses what servers call `deflate`, with or without the zlib header that the standard requires."""

    def __init__(self) -> None:
        self._unpacker: Any = None

    def decompress(self, data: bytes, max_length: int = 0, /) -> bytes:
        if self._unpacker is None:
            is_framed = data[0] & 0x0F == 8
            self._unpacker = zlib.decompressobj(zlib.MAX_WBITS if is_framed else -zlib.MAX_WBITS)
        unpacked: bytes = self._unpacker.decompress(data, max_length)
        return unpacked


def _unpacker(encoding: str) -> _Unpacker | None:
    match encoding.strip().lower():
        case "" | "identity":
            return None
        case "gzip" | "x-gzip":
            return zlib.decompressobj(16 + zlib.MAX_WBITS)
        case "deflate":
            return _Deflate()
        case other:
            raise ConnectionLost(f"a response encoded as {other!r}, which was not requested")


def _target(url: str, named: str) -> str:
    """The target of a redirect; empty if it is another host or port, or no longer a secure connection."""
    try:
        target = urljoin(url, named)
        before, after = urlsplit(url), urlsplit(target)
        ports = (before.port, after.port)
    except ValueError:
        return ""
    is_made_secure = (before.scheme, after.scheme) == ("http", "https") and ports in {(None, None), (80, 443), (None, 443)}
    stays = (before.scheme, ports[0]) == (after.scheme, ports[1]) or is_made_secure
    return target if stays and before.hostname == after.hostname else ""


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except aiohttp.ClientConnectorCertificateError as error:
        raise CannotConnect(f"{error.certificate_error}; SSL_CERT_FILE may name certificates to trust") from None
    except aiohttp.ClientProxyConnectionError as error:
        raise CannotConnect(f"the proxy {error.host}:{error.port} cannot be reached: {_cause(error.os_error)}") from None
    except aiohttp.ClientConnectorSSLError as error:
        said = getattr(error.os_error, "reason", None) or "no TLS"
        raise CannotConnect(f"no secure connection: {said}; if it serves plain HTTP, its address begins with http://") from None
    except aiohttp.ClientConnectorError as error:
        raise CannotConnect(_cause(error.os_error)) from None
    except aiohttp.ConnectionTimeoutError:
        raise CannotConnect("no connection in time") from None
    except aiohttp.ServerDisconnectedError:
        raise CannotConnect("it closed the connection without a response") from None
    except (aiohttp.ClientError, OSError, zlib.error, EOFError, ValueError) as error:
        raise ConnectionLost(f"{type(error).__name__}: {error}".rstrip(": ")) from None


def _cause(error: OSError) -> str:
    return os.strerror(error.errno) if error.errno is not None and error.errno > 0 else error.strerror or str(error)


@cache
def _trusted() -> ssl.SSLContext:
    """The trusted certificates: those of SSL_CERT_FILE and SSL_CERT_DIR, else the system's. Reading them takes 40 ms."""
    context = ssl.create_default_context()
    if not context.cert_store_stats()["x509_ca"] and not os.environ.get("SSL_CERT_FILE") and not os.environ.get("SSL_CERT_DIR"):
        for place in _CERTIFICATES:
            if Path(place).is_file():
                context.load_verify_locations(place)
                break
    return context
