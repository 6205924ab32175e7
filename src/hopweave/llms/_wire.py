"""The language of OpenAI-compatible endpoints: what is sent, how a reply is read, and what a failure means. No network here."""

from __future__ import annotations

import email.utils
import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

from hopweave.errors import ModelError
from hopweave.types import Message, Reply, Sampling, TokenLogprob, Usage

Server = Literal["openai", "vllm", "llama.cpp", "ollama", "other"]
"""The servers whose habits differ."""

_OPENAI_HOSTS = re.compile(r"(^|\.)(openai\.com|openai\.azure\.com|cognitiveservices\.azure\.com)$")
_SERVER_OF_PORT: Mapping[int, Server] = {8000: "vllm", 8080: "llama.cpp", 11434: "ollama"}
_LOOPBACK = re.compile(r"^(localhost|127(\.\d+){3}|::1)$")
_TOO_LONG = re.compile(
    r"context.?(length|size|window)|maximum context|prompt is too long|too many (input )?tokens", re.IGNORECASE
)
_MAX_STOPS_AT_OPENAI = 4
_MALFORMED = (KeyError, TypeError, ValueError, AttributeError, IndexError)

LEAVABLE = frozenset({"temperature", "top_p", "stop", "seed", "logprobs", "top_logprobs", "response_format", "stream_options"})
"""Fields that a request can do without: stop strings are cut on our side, and the rest asks for more than a model may offer."""


@dataclass(frozen=True, slots=True)
class Wire:
    """How to speak to one endpoint.

    Attributes:
        model: its name there.
        base_url: up to and including `/v1`.
        endpoint: `chat`, or `completion` for models without a chat template.
        server: whose habits to follow.
        prefill: whether it goes on from a last turn of the assistant.
        json_schema: whether it constrains a reply to a schema.
        max_tokens_field: the name of the limit on new tokens.
        key_variable: the environment variable that holds the key, for messages.
        advice: how to start a server there or to point elsewhere, for messages.
        advice_if_too_long: what to do about a prompt that is too long, for messages.
        extra_body: fields added to every request.
    """

    model: str
    base_url: str
    endpoint: Literal["chat", "completion"] = "chat"
    server: Server = "other"
    prefill: bool = False
    json_schema: bool = True
    max_tokens_field: str = "max_tokens"
    key_variable: str = ""
    advice: str = ""
    advice_if_too_long: str = "ask for fewer or shorter passages, or use a model with a longer context"
    extra_body: Mapping[str, Any] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """Where requests go, below `base_url`."""
        return "/chat/completions" if self.endpoint == "chat" else "/completions"


def server_at(base_url: str) -> Server:
    """The server that an address suggests: by its host, or by the port that is usual for it."""
    parts = urlsplit(base_url)
    if _OPENAI_HOSTS.search(parts.hostname or ""):
        return "openai"
    return _SERVER_OF_PORT.get(parts.port or 0, "other")


def is_loopback(base_url: str) -> bool:
    """Whether an address is on this machine."""
    return bool(_LOOPBACK.match(urlsplit(base_url).hostname or ""))


def prefill_of(messages: Sequence[Message]) -> str:
    """The words that the model is to go on from; empty if there are none."""
    return messages[-1].text if messages and messages[-1].role == "assistant" else ""


def request_body(
    wire: Wire, messages: Sequence[Message], sampling: Sampling, refused: frozenset[str], *, is_streamed: bool, num: int = 1
) -> dict[str, Any]:
    """The JSON of a request for `num` replies, without the fields that this endpoint refused before."""
    body: dict[str, Any] = {"model": wire.model}
    if wire.endpoint == "chat":
        body["messages"] = [{"role": message.role, "content": message.text} for message in messages]
    else:
        body["prompt"] = "\n\n".join(message.text for message in messages)
    body |= {"temperature": sampling.temperature, "top_p": sampling.top_p, wire.max_tokens_field: sampling.max_tokens}
    if "max_tokens" in refused and "max_tokens" in body:
        body["max_completion_tokens"] = body.pop("max_tokens")
    if sampling.stop:
        body["stop"] = list(sampling.stop[: _MAX_STOPS_AT_OPENAI if wire.server == "openai" else None])
    if sampling.seed is not None:
        body["seed"] = sampling.seed
    if num > 1:
        body["n"] = num
    body |= _logprobs_wanted(wire, sampling) | _schema_wanted(wire, messages, sampling) | _prefill_wanted(wire, messages)
    if is_streamed:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    body |= wire.extra_body
    return {name: value for name, value in body.items() if name not in refused}


def _logprobs_wanted(wire: Wire, sampling: Sampling) -> dict[str, Any]:
    if not sampling.top_logprobs:
        return {}
    if wire.endpoint == "completion":
        return {"logprobs": sampling.top_logprobs}
    return {"logprobs": True, "top_logprobs": sampling.top_logprobs}


def _schema_wanted(wire: Wire, messages: Sequence[Message], sampling: Sampling) -> dict[str, Any]:
    schema = sampling.json_schema
    if schema is None or not wire.json_schema or not _goes_with_schema(wire, prefill_of(messages)):
        return {}
    strict = schema.get("additionalProperties") is False  # the only schemas that OpenAI's strict mode takes
    wanted: dict[str, Any] = {
        "response_format": {"type": "json_schema", "json_schema": {"name": "reply", "schema": dict(schema), "strict": strict}}
    }
    if wire.endpoint == "completion" and wire.server == "llama.cpp":
        wanted["json_schema"] = dict(schema)
    return wanted


def _goes_with_schema(wire: Wire, prefill: str) -> bool:
    # llama.cpp counts the prefill as the beginning of the JSON and refuses any other beginning. Elsewhere the constraint holds
    # for the new words alone, so that a prefill and a schema contradict each other.
    return not prefill or (wire.server == "llama.cpp" and prefill.lstrip().startswith(("{", "[")))


def _prefill_wanted(wire: Wire, messages: Sequence[Message]) -> dict[str, Any]:
    if wire.endpoint == "chat" and wire.prefill and wire.server in ("vllm", "other") and prefill_of(messages):
        return {"continue_final_message": True, "add_generation_prompt": False}
    return {}


class Cutter:
    """Lets text through piece by piece: without an echoed prefill, and not beyond the first stop string.

    What could still turn out to be the beginning of either is held back, so that nothing shown has to be taken back.
    """

    def __init__(self, prefill: str = "", stop: Sequence[str] = ()) -> None:
        self.is_cut = False
        self.shown = ""
        self._held = ""
        self._prefill = prefill
        self._stop = tuple(text for text in stop if text)

    def push(self, piece: str) -> str:
        """Takes a piece in and returns what can be shown now."""
        if self.is_cut:
            return ""
        self._held += piece
        if self._prefill:
            if len(self._held) < len(self._prefill) and self._prefill.startswith(self._held):
                return ""
            self._held = self._held.removeprefix(self._prefill)
            self._prefill = ""
        return self._show(self._safe_length())

    def rest(self) -> str:
        """What was held back, once nothing more comes."""
        return "" if self.is_cut else self._show(len(self._held))

    def _safe_length(self) -> int:
        found = [place for place in (self._held.find(text) for text in self._stop) if place >= 0]
        if found:
            self.is_cut = True
            return min(found)
        kept = (n for text in self._stop for n in range(1, len(text)) if self._held.endswith(text[:n]))
        return len(self._held) - max(kept, default=0)

    def _show(self, length: int) -> str:
        text, self._held = self._held[:length], self._held[length:]
        self.shown += text
        return text


def cut(text: str, prefill: str, stop: Sequence[str]) -> tuple[str, bool]:
    """A whole text without an echoed prefill, up to the first stop string, and whether there was one."""
    cutter = Cutter(prefill, stop)
    cutter.push(text)
    cutter.rest()
    return cutter.shown, cutter.is_cut


def read_completions(wire: Wire, data: Any, excerpt: str, prefill: str, stop: Sequence[str]) -> list[Reply]:
    """Reads all choices of a completion, in order, at least one; the first has the usage of the whole.

    Raises:
        ModelError: retryable, if it is none; `excerpt` is quoted.
    """
    choices = _choices(wire, data, excerpt)
    try:
        ordered = sorted(choices, key=lambda choice: choice.get("index") or 0)
        usages = [usage_of(data), *[Usage()] * len(choices)]
        return [_reply_of(choice, usage, prefill, stop) for choice, usage in zip(ordered, usages, strict=False)]
    except _MALFORMED:
        raise not_a_completion(wire, excerpt) from None


def _reply_of(choice: Mapping[str, Any], usage: Usage, prefill: str, stop: Sequence[str]) -> Reply:
    text, is_cut = cut(_text_of(choice), prefill, stop)
    logprobs = tuple(_logprobs_of(choice.get("logprobs")))
    return Reply(
        text=text,
        finish_reason="stop" if is_cut else choice.get("finish_reason") or "stop",
        usage=usage,
        logprobs=_covering(logprobs, len(text)) if is_cut else logprobs,
    )


def _choices(wire: Wire, data: Any, excerpt: str) -> list[Mapping[str, Any]]:
    if isinstance(data, dict) and data.get("error"):
        raise reported(wire, data["error"])
    choices = data.get("choices") if isinstance(data, dict) else None
    if not isinstance(choices, list) or not choices:
        raise not_a_completion(wire, excerpt)
    for choice in choices:
        if not isinstance(choice, dict) or (not isinstance(choice.get("message"), dict) and "text" not in choice):
            raise not_a_completion(wire, excerpt)
    return choices


def _text_of(choice: Mapping[str, Any]) -> str:
    message = choice.get("message")
    content = choice.get("text") if message is None else message.get("content") or message.get("refusal")
    return _joined(content)


def _joined(content: Any) -> str:
    if isinstance(content, list):  # some servers cut the content into parts
        return "".join(part.get("text") or "" for part in content if isinstance(part, dict))
    if content is None:
        return ""
    if not isinstance(content, str):
        raise TypeError("the content is no text")
    return content


def usage_of(data: Mapping[str, Any]) -> Usage:
    """Tokens, as far as the endpoint counts them."""
    usage = data.get("usage") or {}
    details = usage.get("prompt_tokens_details") or {}
    cached = details.get("cached_tokens")
    if cached is None:
        cached = (data.get("timings") or {}).get("cache_n")
    return Usage(int(usage.get("prompt_tokens") or 0), int(usage.get("completion_tokens") or 0), int(cached or 0))


def _logprobs_of(logprobs: Any) -> Iterator[TokenLogprob]:
    if not logprobs:
        return
    if logprobs.get("content"):
        for entry in logprobs["content"]:
            top = [(other["token"], float(other["logprob"])) for other in entry.get("top_logprobs") or ()]
            yield _token(entry["token"], entry["logprob"], top)
    elif logprobs.get("tokens"):
        tops = logprobs.get("top_logprobs") or [None] * len(logprobs["tokens"])
        for token, logprob, top in zip(logprobs["tokens"], logprobs["token_logprobs"], tops, strict=True):
            if logprob is not None:
                yield _token(token, logprob, [(other, float(value)) for other, value in (top or {}).items()])


def _token(token: str, logprob: float, top: list[tuple[str, float]]) -> TokenLogprob:
    if top and all(other != token for other, _ in top):
        top.append((token, float(logprob)))
    top.sort(key=lambda pair: -pair[1])
    return TokenLogprob(token, float(logprob), tuple(top))


def _covering(logprobs: tuple[TokenLogprob, ...], length: int) -> tuple[TokenLogprob, ...]:
    """The tokens that begin within the first so many characters."""
    kept, start = 0, 0
    while kept < len(logprobs) and start < length:
        start += len(logprobs[kept].token)
        kept += 1
    return logprobs[:kept]


class StreamedReply:
    """Puts a reply together from the events of a stream."""

    def __init__(self, wire: Wire, prefill: str, stop: Sequence[str]) -> None:
        self._wire = wire
        self._cutter = Cutter(prefill, stop)
        self._logprobs: list[TokenLogprob] = []
        self._finish_reason: str | None = None
        self._usage = Usage()
        self._num_pieces = 0
        self._waiting = b""

    @property
    def is_cut(self) -> bool:
        """Whether a stop string came that the server let pass: there is nothing more to wait for."""
        return self._cutter.is_cut

    def feed(self, data: bytes) -> Iterator[str]:
        """Takes in bytes as they arrive and yields what can be shown now.

        Raises:
            ModelError: retryable, for an event that is none, or that reports an error.
        """
        *lines, self._waiting = (self._waiting + data).split(b"\n")
        for line in lines:
            payload = line.removeprefix(b"data:").strip() if line.startswith(b"data:") else b""
            if payload and payload != b"[DONE]":
                shown = self._cutter.push(self._event(payload))
                if shown:
                    yield shown
            if self.is_cut:
                return

    def _event(self, payload: bytes) -> str:
        try:
            event = json.loads(payload)
            if isinstance(event, dict) and event.get("error"):
                raise reported(self._wire, event["error"])
            if event.get("usage"):
                self._usage = usage_of(event)
            return "".join(self._piece(choice) for choice in event.get("choices") or ())
        except _MALFORMED:
            raise not_a_completion(self._wire, payload.decode(errors="replace")) from None

    def _piece(self, choice: Mapping[str, Any]) -> str:
        self._finish_reason = choice.get("finish_reason") or self._finish_reason
        self._logprobs += _logprobs_of(choice.get("logprobs"))
        text = _joined((choice.get("delta") or {}).get("content") or choice.get("text"))
        self._num_pieces += bool(text)
        return text

    def end(self) -> tuple[str, Reply]:
        """What was held back, and the whole reply, once the stream is over.

        Raises:
            ModelError: retryable, if the stream broke off.
        """
        rest = self._cutter.rest()
        if self._finish_reason is None and not self.is_cut:
            begun = self._cutter.shown
            raise ModelError(f"{self._wire.base_url} broke off in the middle of a reply ({_short(begun)!r})", retryable=True)
        logprobs = tuple(self._logprobs)
        return rest, Reply(
            text=self._cutter.shown,
            finish_reason="stop" if self.is_cut else self._finish_reason or "stop",
            # a reply that we cut short never gets to its usage; a piece is a token at nearly every server
            usage=self._usage if self._usage != Usage() else Usage(completion_tokens=self._num_pieces),
            logprobs=_covering(logprobs, len(self._cutter.shown)) if self.is_cut else logprobs,
        )


def not_a_completion(wire: Wire, body: str) -> ModelError:
    """The error for a response that is no completion."""
    said = f"sent what is not a completion: {_short(body)!r}" if body.strip() else "sent an empty response"
    return ModelError(f"{wire.base_url} {said}", retryable=True)


def reported(wire: Wire, error: Any) -> ModelError:
    """The error that a server reports in place of a completion, although its status says that all is well."""
    message = _message_of({"error": error})
    if _TOO_LONG.search(f"{message} {error}"):
        return _too_long(wire, message)
    return ModelError(f"{wire.base_url} reports: {_short(message)}", retryable=True)


def refused_field(status: int, body: str, sent: Mapping[str, Any]) -> str | None:
    """The field of a request that this model does not take, if that is why it was refused and the request can do without."""
    if status not in (400, 422):
        return None
    error = _error_of(body)
    name = error.get("param")
    if error.get("code") not in ("unsupported_parameter", "unsupported_value") or not isinstance(name, str) or name not in sent:
        return None
    return name if name in LEAVABLE or name == "max_tokens" else None


def failure(wire: Wire, status: int, headers: Mapping[str, str], body: str) -> ModelError:
    """What a response with an error's status means."""
    message = _short(_message_of_text(body) or f"status {status}")
    where = f"{wire.base_url} ({status})"
    if status in (401, 403):  # the server's own words may hold a part of the key
        return ModelError(f"{where} refuses the key; check the environment variable {wire.key_variable}")
    if status == 404:
        return ModelError(f"{where} has no model {wire.model!r} there: {message}; check the model's name and base_url")
    if status in (400, 413, 422) and _TOO_LONG.search(body):
        return _too_long(wire, message)
    retryable = status in (408, 409, 429) or status >= 500
    if _error_of(body).get("code") == "insufficient_quota":
        retryable = False
    seconds = retry_after_seconds(headers) if retryable else None
    is_refusal = retryable and status in (429, 503, 529)
    return ModelError(f"{where} said: {message}", retryable=retryable, retry_after_seconds=seconds, is_refusal=is_refusal)


def _too_long(wire: Wire, message: str) -> ModelError:
    return ModelError(f"the prompt is too long for {wire.model}: {_short(message)}; {wire.advice_if_too_long}")


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """How long a server asks us to wait, in seconds; it may say so in milliseconds, in seconds or as a date."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return max(0.0, milliseconds / 1000)
    value = headers.get("retry-after")
    seconds = _number(value)
    if seconds is None and value:
        try:
            seconds = email.utils.parsedate_to_datetime(value).timestamp() - time.time()
        except ValueError:
            return None
    return None if seconds is None else max(0.0, seconds)


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None


def _error_of(body: str) -> Mapping[str, Any]:
    try:
        data = json.loads(body)
    except ValueError:
        return {}
    error = data.get("error") if isinstance(data, dict) else None
    return error if isinstance(error, dict) else {}


def _message_of_text(body: str) -> str:
    try:
        return _message_of(json.loads(body))
    except ValueError:
        return body


def _message_of(data: Any) -> str:
    error = data.get("error", data) if isinstance(data, dict) else data
    if isinstance(error, dict):
        error = error.get("message") or error.get("detail") or json.dumps(error)
    return error if isinstance(error, str) else json.dumps(error)


def _short(text: str, max_characters: int = 200) -> str:
    line = " ".join(text.split())
    return line if len(line) <= max_characters else line[: max_characters - 3] + "..."
