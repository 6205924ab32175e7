"""The operator's settings of a server: corpora, methods, keys, limits. A TOML file, or the flags of `hopweave serve`.

    answers = "answers"

    [corpora]
    light = "light-index"

    [keys.anna]
    sha256 = "5f0c..."
    corpora = ["light"]
    access = ["board"]

A file contains the SHA-256 of a key, never the key: keys are 256 random bits, so nothing slower is needed against guessing.
"""

from __future__ import annotations

import hashlib
import ipaddress
import os
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from hopweave.core.errors import SettingsError, suggest
from hopweave.core.files import read_toml, read_whole
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.visibility import Visible
from hopweave.run.opening import STARTER

KEYS_VARIABLE = "HOPWEAVE_SERVER_KEYS"
MIN_KEY_CHARACTERS = 24
LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "[::1]")

_NAME = lazy_pattern(r"[a-z0-9][a-z0-9_.-]{0,63}")
_SHA256 = lazy_pattern(r"[0-9a-f]{64}")


class KeySettings(BaseModel):
    """What the holder of a key may do.

    Attributes:
        sha256: of the key, in hexadecimal.
        corpora: the names of the corpora that they may search; all if absent.
        access: the access labels that they hold.
        requests_per_minute: requests of any kind.
        questions_per_day, tokens_per_day: in a day of UTC; no limit if absent.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    sha256: str
    corpora: tuple[str, ...] | None = None
    access: tuple[str, ...] = ()
    requests_per_minute: Annotated[int, Field(ge=1)] = 120
    questions_per_day: Annotated[int | None, Field(ge=0)] = None
    tokens_per_day: Annotated[int | None, Field(ge=0)] = None

    @field_validator("sha256")
    @classmethod
    def _hexadecimal(cls, given: str) -> str:
        if not _SHA256.fullmatch(given):
            raise ValueError("a key is given by its SHA-256 in 64 hexadecimal digits; make one with: hopweave serve --new-key")
        return given

    @field_validator("access", mode="before")
    @classmethod
    def _labels(cls, given: Any) -> Any:
        return Visible(access=given).access


class Limits(BaseModel):
    """Bounds of requests and questions. Those of a question apply unless the settings have lower ones.

    Attributes:
        max_header_seconds: a connection that takes longer to send the headers of its next request is closed.
        max_body_bytes: a larger body is refused.
        max_body_seconds: a body that takes longer to arrive is refused.
        max_connections: open at a time; if absent, as many as the process may open files for, less a reserve, up to 4,096.
        max_connections_per_peer: of these from one address (IPv6: one network of 64 bits); half of them if absent.
        max_running: concurrent questions; further ones are refused for now.
        max_hits: of a search.
        max_seconds, max_llm_calls, max_tokens, max_searches: of each question; a request may only lower them.
        grace_seconds: how long questions may continue after a signal to stop.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_header_seconds: Annotated[float, Field(gt=0)] = 10.0
    max_body_bytes: Annotated[int, Field(ge=1)] = 1_000_000
    max_body_seconds: Annotated[float, Field(gt=0)] = 30.0
    max_connections: Annotated[int | None, Field(ge=1)] = None
    max_connections_per_peer: Annotated[int | None, Field(ge=1)] = None
    max_running: Annotated[int, Field(ge=1)] = 256
    max_hits: Annotated[int, Field(ge=1)] = 100
    max_seconds: Annotated[float, Field(gt=0)] = 300.0
    max_llm_calls: Annotated[int, Field(ge=1)] = 200
    max_tokens: Annotated[int | None, Field(ge=1)] = None
    max_searches: Annotated[int | None, Field(ge=1)] = None
    grace_seconds: Annotated[float, Field(ge=0)] = 30.0

    def of_questions(self) -> dict[str, float]:
        """The limits of each question, as keys of a budget."""
        named = {name: getattr(self, name) for name in ("max_seconds", "max_llm_calls", "max_tokens", "max_searches")}
        return {name: value for name, value in named.items() if value is not None}


class ServerSettings(BaseModel):
    """What a server offers, and to whom.

    Attributes:
        host, port: where it listens.
        corpora: the index of each corpus, by the name that clients use; the first one is the default.
        methods: the methods that clients may choose; all if empty.
        answers: where answers are kept: a folder, or a database such as `postgres://HOST/DATABASE`.
        keep_days: how long answers are kept, from when they were asked for; forever if absent.
        keys: by the name of the holder. Without any, everyone who reaches the server may ask.
        runs: folders of evaluations that the explorer shows, by name; only where there are no keys.
        limits: see `Limits`.
        page_images: whether a caller who may see a passage of a PDF is also shown its whole page, as an image. If absent, only
            if the server listens at a loopback address and has no keys.
        telemetry: what is sent as OpenTelemetry spans: nothing, times and counts, or also texts.
        cors: origins whose pages may call the server from a browser.
        hosts: the names under which it may be called; any if empty. On a loopback address only its own, unless given.
        proxies: addresses and networks of proxies, to which `max_connections_per_peer` does not apply, and which are believed
            when they tell the scheme and the address of a client (`X-Forwarded-Proto`, `X-Forwarded-For`).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65_535)] = 8000
    corpora: dict[str, str] = Field(default_factory=lambda: {STARTER: STARTER})
    methods: tuple[str, ...] = ()
    answers: str = "answers"
    keep_days: Annotated[float | None, Field(gt=0, le=100_000)] = None
    keys: dict[str, KeySettings] = Field(default_factory=dict)
    runs: dict[str, str] = Field(default_factory=dict)
    limits: Limits = Limits()
    page_images: bool | None = None
    telemetry: Literal["off", "times", "texts"] = "off"
    cors: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ("127.0.0.0/8", "::1")

    @field_validator("corpora", "keys", "runs")
    @classmethod
    def _named(cls, given: dict[str, Any]) -> dict[str, Any]:
        for name in given:
            if not _NAME.fullmatch(name):
                raise ValueError(f"{name!r} is not a valid name; give lower-case letters, digits, dots and dashes")
        return given

    @field_validator("proxies")
    @classmethod
    def _networks(cls, given: tuple[str, ...]) -> tuple[str, ...]:
        for proxy in given:
            try:
                ipaddress.ip_network(proxy, strict=False)
            except ValueError:
                raise ValueError(f"{proxy!r} is not an address or network; give one such as 10.0.0.5 or 10.0.0.0/16") from None
        return given

    @field_validator("corpora")
    @classmethod
    def _some(cls, given: dict[str, str]) -> dict[str, str]:
        if not given:
            raise ValueError("a server needs a corpus; give NAME = INDEX")
        return given

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        return is_loopback(self.host)

    @property
    def is_private(self) -> bool:
        """Whether only its operator uses it: it has no keys, and only this machine can reach it."""
        return self.is_local and not self.keys

    @property
    def networks_of_proxies(self) -> tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]:
        """The proxies, each as a network."""
        return tuple(ipaddress.ip_network(proxy, strict=False) for proxy in self.proxies)

    @property
    def shows_pages(self) -> bool:
        """Whether pages of PDFs are shown as images."""
        return self.page_images if self.page_images is not None else self.is_private

    @property
    def allowed_hosts(self) -> tuple[str, ...]:
        """The names under which it may be called; any if empty."""
        # A foreign page may have its own name resolve to this machine (DNS rebinding), and would then share its origin.
        return self.hosts or (LOOPBACK_HOSTS if self.is_private else ())


def is_loopback(host: str) -> bool:
    """Whether an address belongs only to this machine."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def read_server_settings(
    file: Path | None, given: Mapping[str, Any], *, usual: Mapping[str, Any] | None = None, is_open: bool = False
) -> ServerSettings:
    """The settings of a server: those of a file, overridden by those given, with the keys of the environment.

    Args:
        file: TOML; none for the defaults.
        given: by name; empty values were not given.
        usual: values that replace the defaults if neither sets them.
        is_open: whether a public address may go without keys.

    Raises:
        SettingsError: for an invalid file or value, or a public address without keys.
    """
    values = {
        **(usual or {}),
        **_of_file(file),
        **{key: value for key, value in given.items() if value not in (None, "", (), {})},
    }
    keys = {**values.get("keys", {}), **dict(_keys_of_environment())} if isinstance(values.get("keys", {}), dict) else {}
    try:
        settings = ServerSettings(**{**values, "keys": keys})
    except ValidationError as error:
        raise SettingsError(_explained(error)) from None
    for name, key in settings.keys.items():
        for corpus in key.corpora or ():
            if corpus not in settings.corpora:
                raise SettingsError(f"keys.{name} names the corpus {corpus!r}; {suggest(corpus, settings.corpora)}")
    if not settings.is_local and not settings.keys and not is_open:
        raise SettingsError(
            f"{settings.host} can be reached from other machines, and the server has no keys; make one with: "
            "hopweave serve --new-key NAME; or let everyone ask with --open"
        )
    return settings


def hash_of(key: str) -> str:
    """The SHA-256 of a key, in hexadecimal."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def new_key(name: str) -> tuple[str, str]:
    """A new key, and the lines that let its holder in, for the file of the server's settings.

    Raises:
        SettingsError: for an invalid name.
    """
    if not _NAME.fullmatch(name):
        raise SettingsError(f"{name!r} is not a valid name for a key; give lower-case letters, digits, dots and dashes")
    key = f"hw-{secrets.token_urlsafe(32)}"
    return key, f'[keys."{name}"]\nsha256 = "{hash_of(key)}"\n'


def _of_file(file: Path | None) -> dict[str, Any]:
    if file is None:
        return {}
    try:
        return read_toml(read_whole(file))
    except OSError as error:
        raise SettingsError(f"cannot read the server's settings {file}: {error.strerror}; check the path") from None
    except ValueError as error:
        raise SettingsError(f"the server's settings {file} are not TOML: {error}; correct them there") from None


def _keys_of_environment() -> Iterator[tuple[str, KeySettings]]:
    for pair in filter(None, (one.strip() for one in os.environ.get(KEYS_VARIABLE, "").split(","))):
        name, equals, key = pair.partition("=")
        if not equals or len(key) < MIN_KEY_CHARACTERS:
            raise SettingsError(
                f"{KEYS_VARIABLE} expects NAME=KEY, several separated by commas, with keys of at least {MIN_KEY_CHARACTERS} "
                "characters; make one with: hopweave serve --new-key NAME"
            )
        yield name, KeySettings(sha256=hash_of(key))


def _explained(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        known = {"keys": KeySettings.model_fields, "limits": Limits.model_fields}
        fields = known.get(str(first["loc"][0]), ServerSettings.model_fields) if len(first["loc"]) > 1 else None
        return f"{place} is not a setting of a server; {suggest(str(first['loc'][-1]), fields or ServerSettings.model_fields)}"
    return f"the server's setting {place}: {first['msg']}; correct it"
