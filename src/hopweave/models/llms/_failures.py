"""Interprets failures of an endpoint: whether to retry, how long to wait, and what to tell the user to do."""

from __future__ import annotations

import email.utils
import json
import os
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

from hopweave.core.errors import ModelError, suggest
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.models.llms._address import Address, Wire
from hopweave.models.llms._json import Malformed, parsed

_TOO_LONG = lazy_pattern(
    r"context.?(length|size|window|limit)|maximum context|(prompt|input) is too long|too many (input )?tokens"
    r"|input token count|input tokens exceed|model token limit|range of input length"
    r"|maximum (model|prompt) length|`inputs` tokens \+|reduce the length of (the|your) (messages|prompt|input)",
    re.IGNORECASE,
)
# Unlike a rate that is used up, which passes, this is said of a request that is larger than the whole rate.
_TOO_LARGE = lazy_pattern(r"request.too.large", re.IGNORECASE)
_ABOUT_KEY = lazy_pattern(
    r"\b(?:api|access|secret|subscription|invalid|incorrect|wrong|your|this|the)[ _-]?(?:api[ _-]?)?keys?\b|credential"
    r"|authentica|unauthori[sz]ed|(?:invalid|expired|missing|bearer|access|auth)[ _-]token",
    re.IGNORECASE,
)
_ERROR_CODE = lazy_pattern(r"[45]\d\d")
_MAX_QUOTED = 200
_MAX_READ = 1 << 16
_MAX_NAMED = 5


class TransportError(Exception):
    """A request that failed before its response could be examined."""


class CannotConnect(TransportError):
    """No connection could be made; the message says why."""


class ConnectionLost(TransportError):
    """The connection ended, or its data cannot be decoded; the message says how."""


class TooManyBytes(TransportError):
    """A response exceeds its maximum number of bytes; the message gives the maximum."""


class Misdirected(TransportError):
    """A redirect to another host; the message is the target."""


def explained(wire: Wire, error: TransportError) -> ModelError:
    """The error that the caller gets for a failed request."""
    said = quoted(wire, str(error))
    match error:
        case CannotConnect():
            return ModelError(f"cannot reach {wire.shown} ({said}); {wire.advice}", retryable=True)
        case TooManyBytes():
            return too_much(wire, f"more than the {said} bytes that a reply of this length can have")
        case Misdirected():  # the key and the prompt are for this host only
            advice = "set base_url to the address to call"
            return ModelError(f"{wire.shown} redirects to {said!r}, which is not followed; {advice}")
    return ModelError(f"{wire.shown} ended the connection in the middle of a call ({said})", retryable=True)


def quoted(wire: Wire, text: str) -> str:
    """What an endpoint sent, in one short line and without secrets."""
    text = wire.secrets.out_of(text[:_MAX_READ])  # before truncation, so that no part of a secret remains
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text[: 4 * _MAX_QUOTED]).split())
    return line if len(line) <= _MAX_QUOTED else line[: _MAX_QUOTED - 3] + "..."


def not_a_completion(wire: Wire, content: bytes, error: Exception | None = None) -> ModelError:
    """The error for a response that is not a completion; `error` may say which part is invalid."""
    text = content[:_MAX_READ].decode(errors="replace")
    why = f" ({quoted(wire, str(error))})" if isinstance(error, Malformed) and str(error) else ""
    said = f"sent what is not a completion{why}: {quoted(wire, text)!r}" if text.strip() else "sent an empty response"
    return ModelError(f"{wire.shown} {said}{_about_address(wire)}", retryable=True)


def reported(wire: Wire, error: Any) -> ModelError:
    """The error that a server reports in place of a completion, despite a success status.

    If it has the code of an HTTP error, it is one; otherwise a retry may help.
    """
    message = _message_of({"error": error})
    if _TOO_LONG.search(message[:_MAX_READ]) or _TOO_LONG.search(str(error)[:_MAX_READ]):
        return _too_long(wire, message)
    status = _status_of(error)
    if status is not None:
        return failure(wire, status, {}, json.dumps({"error": error}))
    return ModelError(f"{wire.shown} reports: {quoted(wire, message)}{_about_address(wire)}", retryable=True)


def broken_off(wire: Wire, begun: str) -> ModelError:
    """The error for a stream that ends before its reply does."""
    return ModelError(f"{wire.shown} broke off in the middle of a reply ({quoted(wire, begun)!r})", retryable=True)


def too_much(wire: Wire, what: str) -> ModelError:
    """The error for an endpoint that never stops sending."""
    advice = "check that it is the right server, or try another server or model"
    return ModelError(f"{wire.shown} sent {what}, and was cut off; {advice}")


def too_slow(wire: Wire, seconds: float) -> ModelError:
    """The error for a stream that takes too long to end."""
    raise_it = f"raise {wire.settings_name}.{wire.seconds_option}" if wire.settings_name else wire.advice
    return ModelError(f"{wire.shown} had not ended its reply after {seconds:g} s; ask for fewer tokens, or {raise_it}")


def silent(wire: Wire, seconds: float) -> ModelError:
    """The error for an endpoint that sends nothing for too long."""
    wait = f"if the model needs longer, raise {wire.settings_name}.timeout_seconds; if not, " if wire.settings_name else ""
    return ModelError(f"{wire.shown} was silent for {seconds:g} s; {wait}{wire.advice}", retryable=True)


def nothing_but_thoughts(wire: Wire, num_tokens: int) -> ModelError:
    """The error for a reply that a limit ended within its thoughts."""
    table = f"{wire.settings_name}." if wire.settings_name else ""
    most = f"raise {table}max_thinking_tokens (now {wire.max_thinking_tokens})"
    return ModelError(
        f"{wire.model} at {wire.shown} did not come to a reply: all {num_tokens:,} tokens went into thoughts; {most}, or set "
        f'{table}thinking = "low" or "off"'
    )


def ended_within_thoughts(wire: Wire) -> ModelError:
    """The error for a reply that the model itself ended within its thoughts."""
    table = f"{wire.settings_name}." if wire.settings_name else ""
    return ModelError(
        f"{wire.model} at {wire.shown} ended its reply within its thoughts; if the server takes replies for thoughts, check "
        f'its parser of thoughts, or set {table}thinking = "off"'
    )


def ended_by_error(wire: Wire, reason: str) -> ModelError:
    """The error for a reply that the endpoint itself says it could not complete."""
    return ModelError(f"{wire.shown} could not complete the reply ({quoted(wire, reason)})", retryable=True)


def withheld(wire: Wire, reason: str) -> ModelError:
    """The error for a reply that a filter of the endpoint ended, whether or not a part of it came."""
    advice = "ask in other words, or use another model"
    return ModelError(f"{wire.shown} withheld the reply ({quoted(wire, reason)}); {advice}")


def refused_to_reply(wire: Wire, refusal: str) -> ModelError:
    """The error for a refusal in place of a reply."""
    return ModelError(f"{wire.model} at {wire.shown} refuses to reply: {quoted(wire, refusal)}")


def takes_no_tools(wire: Wire, said: str = "") -> ModelError:
    """The error for a model that cannot call tools."""
    because = f": {quoted(wire, _message_of_text(said))}" if said else ""
    return ModelError(f"{wire.model} at {wire.shown} takes no tools{because}; set {wire.settings_name}.tools=no")


def is_too_long(status: int, body: str) -> bool:
    """Whether an error response says that prompt and reply together are too long."""
    if status in (413, 429) and _TOO_LARGE.search(body) is not None:
        return True
    return status in (400, 413, 422) and _TOO_LONG.search(body) is not None


def failure(
    wire: Wire,
    status: int,
    headers: Mapping[str, str],
    body: str,
    models: Sequence[str] | None = None,
    *,
    is_about_field: bool = False,
) -> ModelError:
    """The error for an HTTP error response.

    Args:
        wire: how to talk to the endpoint.
        status: of the response.
        headers: of the response.
        body: of the response.
        models: the names of models that the endpoint lists, if any.
        is_about_field: whether the response names a field of the request, so that it is not about the key.
    """
    message = quoted(wire, _message_of_text(body) or f"status {status}")
    where = f"{wire.shown} ({status})"
    is_key_unset = not os.environ.get(wire.key_variable)
    is_about_key = status == 401 or (status == 403 and _ABOUT_KEY.search(body[:_MAX_READ]) is not None)
    if is_about_key and not is_about_field:  # the server's own message may contain a part of the key
        unset = ", which is not set" if is_key_unset else ""
        return ModelError(f"{where} refuses the key; check the environment variable {wire.key_variable}{unset}")
    if status == 403 and is_key_unset and wire.key_variable and not is_about_field:
        message += f"; the environment variable {wire.key_variable} is not set"
    if status in (404, 405):
        return _missing(wire, where, message, models)
    if is_too_long(status, body):
        return _too_long(wire, message)
    retryable = status in (408, 409, 429) or status >= 500
    if _error_of(body).get("code") == "insufficient_quota":
        retryable = False
    seconds = retry_after_seconds(headers) if retryable else None
    is_refusal = retryable and status in (429, 503, 529)
    return ModelError(f"{where} said: {message}", retryable=retryable, retry_after_seconds=seconds, is_refusal=is_refusal)


def _missing(wire: Wire, where: str, message: str, models: Sequence[str] | None) -> ModelError:
    if models is not None and wire.model in models:
        return ModelError(f"{where} said: {message}")
    if models is not None:
        pull = f"get it with: ollama pull {wire.model}, or " if wire.server == "ollama" else ""
        listed = suggest(wire.model, models) if len(models) <= _MAX_NAMED else _nearest(wire.model, models)
        return ModelError(f"{where} has no model {wire.model!r}; {pull}{wire.secrets.out_of(listed)}")
    if not Address.of(wire.base_url).has_version:
        return ModelError(f"{where} has no {wire.path} there: {message}{_about_address(wire)}")
    return ModelError(f"{where} has no model {wire.model!r} there: {message}; check the model's name and base_url")


def _nearest(model: str, models: Sequence[str]) -> str:
    near = suggest(model, models)
    return near if near.startswith("did") else f"choose one of: {', '.join(sorted(models)[:_MAX_NAMED])}, ..."


def _about_address(wire: Wire) -> str:
    """Advice about an address that does not end as usual; empty if it does."""
    if Address.of(wire.base_url).has_version:
        return ""
    shown = wire.shown.partition("?")[0].rstrip("/")
    if shown.endswith(wire.path):
        return f"; base_url ends before {wire.path}: {shown.removesuffix(wire.path)}"
    return f"; is /v1 missing? base_url goes up to and including it: {shown}/v1"


def _too_long(wire: Wire, message: str) -> ModelError:
    return ModelError(f"the prompt is too long for {wire.model}: {quoted(wire, message)}; {wire.advice_if_too_long}")


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """How long a server asks us to wait, in seconds; it may use milliseconds, seconds or a date."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return max(0.0, milliseconds / 1000)
    value = headers.get("retry-after")
    seconds = _number(value)
    if seconds is None and value:
        try:
            seconds = email.utils.parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, OverflowError, OSError):
            return None
    return None if seconds is None else max(0.0, seconds)


def _number(text: str | None) -> float | None:
    try:
        number = float(text) if text else None
    except ValueError:
        return None
    return number if number is None or (number == number and abs(number) != float("inf")) else None  # noqa: PLR0124 - not a number


def _read(text: str) -> Any:
    return parsed(text.encode("utf-8", "replace"))


def _status_of(error: Any) -> int | None:
    """The status of an HTTP error that an error has as its code; `None` if it has none."""
    code = error.get("code") if isinstance(error, dict) else None
    return int(code) if isinstance(code, int | str) and _ERROR_CODE.fullmatch(str(code)) else None


def _error_of(body: str) -> Mapping[str, Any]:
    try:
        data = _read(body)
    except ValueError:
        return {}
    error = data.get("error") if isinstance(data, dict) else None
    return error if isinstance(error, dict) else {}


def _message_of_text(body: str) -> str:
    try:
        return _message_of(_read(body))
    except ValueError:
        return body


def _message_of(data: Any) -> str:
    if isinstance(data, list) and data and isinstance(data[0], dict):  # Gemini
        data = data[0]
    error = data.get("error", data) if isinstance(data, dict) else data
    if isinstance(error, dict):
        error = error.get("message") or error.get("detail") or json.dumps(error)
    return error if isinstance(error, str) else json.dumps(error)
