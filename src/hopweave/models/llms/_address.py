"""The location of an endpoint: the address to send to, what of it may be shown, and what it reveals about the server."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

from hopweave.core.errors import SettingsError
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.redaction import Secrets, is_secret_field, public_address
from hopweave.models.llms._servers import KINDS, Kind, Level, Server, server_of_host

_AZURE_HOSTS = lazy_pattern(r"(^|\.)((openai|cognitiveservices)\.azure\.com|services\.ai\.azure\.com)$")
_LOOPBACK = lazy_pattern(r"^(localhost|127(\.\d+){3}|::1)$")
_VERSION = lazy_pattern(r"/v\d+[a-z0-9]*(/openai)?$|/deployments/[^/]+$")


@dataclass(frozen=True, slots=True)
class Address:
    """The parts of an endpoint's `base_url`.

    Attributes:
        scheme: `http` or `https`.
        place: host and port.
        path: without a trailing slash.
        query: sent with every request, such as Azure's `api-version`.
        basic: the header for a user name and password in the address, if there are any.
        secrets: the parts that must not be shown.
        host: in lower case.
    """

    scheme: str
    place: str
    path: str
    query: str
    basic: str
    secrets: tuple[str, ...]
    host: str

    @classmethod
    def of(cls, base_url: str) -> Address:
        """Parses an address.

        Raises:
            SettingsError: if it is invalid.
        """
        try:
            parts = urlsplit(base_url)
            host, _ = parts.hostname, parts.port
        except ValueError:
            parts, host = SplitResult("", "", "", "", ""), None
        if parts.scheme not in ("http", "https") or not host or any(sign.isspace() for sign in base_url):
            shown = public_address(base_url)
            raise SettingsError(f"base_url = {shown!r} is not a valid address; give one like http://127.0.0.1:8000/v1")
        user, secrets = _user_of(parts)
        secrets += [text for name, text in parse_qsl(parts.query) if is_secret_field(name)]
        basic = f"Basic {base64.b64encode(user.encode()).decode()}" if user else ""
        place = parts.netloc.rpartition("@")[2]
        return cls(parts.scheme, place, parts.path.rstrip("/"), parts.query, basic, (*secrets, basic[6:]), host)

    def url(self, path: str, path_before: str | None = None) -> str:
        """The URL of a path below the address, or below another path there."""
        before = self.path if path_before is None else path_before
        return urlunsplit((self.scheme, self.place, before + path, self.query, ""))

    @property
    def key(self) -> str:
        """What it is known by: nothing in it is secret."""
        return f"{self.scheme}://{self.place}{self.path}"

    @property
    def is_azure(self) -> bool:
        """Whether it is an Azure address, which takes keys in a special header."""
        return bool(_AZURE_HOSTS.search(self.host))

    @property
    def has_version(self) -> bool:
        """Whether it ends as addresses of such endpoints usually do: in `/v1` or similar."""
        return bool(_VERSION.search(self.path))


def _user_of(parts: SplitResult) -> tuple[str, list[str]]:
    if parts.username is None:
        return "", []
    name, password = unquote(parts.username), unquote(parts.password or "")
    return f"{name}:{password}", [password or name]


def server_at(base_url: str) -> Server:
    """The server that an address suggests: by its host, or by its default port."""
    parts = urlsplit(base_url)
    return server_of_host(parts.hostname or "", parts.port)


def is_loopback(base_url: str) -> bool:
    """Whether an address is on this machine."""
    return bool(_LOOPBACK.match(urlsplit(base_url).hostname or ""))


@dataclass(frozen=True, slots=True)
class Wire:
    """How to talk to one endpoint.

    Attributes:
        model: its name there.
        base_url: up to and including `/v1`.
        endpoint: `chat`, or `completion` for models without a chat template.
        server: the server whose behaviour to expect.
        prefill: whether it continues a final assistant turn.
        json_schema: whether it constrains a reply to a schema.
        tools: whether it calls tools.
        thinking: how much the model is to think.
        max_thinking_tokens: the most tokens that it may think with, on top of those of the reply.
        context_tokens: the model's context length, if known.
        max_tokens_field: the name of the limit on new tokens.
        key_variable: the environment variable that holds the key, for messages.
        settings_name: the settings table of this endpoint, such as `llms.ollama`, for messages.
        seconds_option: the option that limits the time of a streamed reply, for messages.
        advice: how to start a server there or use a different address, for messages.
        advice_if_too_long: what to do about a prompt that is too long, for messages.
        extra_body: fields added to every request.
        is_remembered: whether what is learnt about the model is kept for other clients and processes.
        secrets: secrets that must not appear in any message or reply.
    """

    model: str
    base_url: str
    endpoint: Literal["chat", "completion"] = "chat"
    server: Server = "other"
    prefill: bool = False
    json_schema: bool = True
    tools: bool = False
    thinking: Level = "auto"
    max_thinking_tokens: int = 0
    context_tokens: int | None = None
    max_tokens_field: str = "max_tokens"
    key_variable: str = ""
    settings_name: str = ""
    seconds_option: str = "stream_seconds"
    advice: str = ""
    advice_if_too_long: str = "ask for fewer or shorter passages, or use a model with a longer context"
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    is_remembered: bool = False
    secrets: Secrets = field(default_factory=Secrets)

    @property
    def kind(self) -> Kind:
        """The kind of server."""
        return KINDS[self.server]

    @property
    def shown(self) -> str:
        """`base_url` as shown in messages."""
        return self.secrets.out_of(public_address(self.base_url))

    @property
    def path(self) -> str:
        """The path of requests, below `base_url`."""
        return "/chat/completions" if self.endpoint == "chat" else "/completions"
