"""The protocol of OpenAI-compatible endpoints: what is sent, how a reply is parsed, and what a failure means. No network."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hopweave.core.json_text import whole
from hopweave.core.types import Message, Reply, Sampling, TokenLogprob, Usage
from hopweave.models.llms._address import Wire
from hopweave.models.llms._failures import broken_off, not_a_completion, reported, too_much
from hopweave.models.llms._json import MALFORMED, Malformed, parsed

_MAX_STOPS_AT_OPENAI = 4

MAX_TOKENS = 10_000_000
"""Maximum tokens of a call that an endpoint may report: ten times the longest existing context."""
PIECES_PER_TOKEN = 16
"""Maximum stream chunks per requested token: a server that sends single letters stays below it."""
_MAX_REASON = 100
_SPARE_BYTES = 1 << 20
_BYTES_PER_TOKEN = 1 << 10  # in a separate event
_BYTES_PER_ALTERNATIVE = 1 << 8
_MAX_BYTES = 1 << 28


def most_bytes(sampling: Sampling, num: int, num_sent: int) -> int:
    """The maximum number of bytes of the response to a request of `num_sent` bytes, for `num` replies."""
    of_a_token = _BYTES_PER_TOKEN + _BYTES_PER_ALTERNATIVE * sampling.top_logprobs
    return min(_MAX_BYTES, _SPARE_BYTES + num_sent + num * sampling.max_tokens * of_a_token)


def prefill_of(messages: Sequence[Message]) -> str:
    """The text that the model is to continue; empty if there is none."""
    return messages[-1].text if messages and messages[-1].role == "assistant" else ""


def request_body(
    wire: Wire, messages: Sequence[Message], sampling: Sampling, refused: frozenset[str], *, is_streamed: bool, num: int = 1
) -> dict[str, Any]:
    """The JSON of a request for `num` replies, without the fields that this endpoint has refused."""
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
    strict = schema.get("additionalProperties") is False  # the only schemas that OpenAI's strict mode accepts
    wanted: dict[str, Any] = {
        "response_format": {"type": "json_schema", "json_schema": {"name": "reply", "schema": dict(schema), "strict": strict}}
    }
    if wire.endpoint == "completion" and wire.server == "llama.cpp":
        wanted["json_schema"] = dict(schema)
    return wanted


def _goes_with_schema(wire: Wire, prefill: str) -> bool:
    # llama.cpp treats the prefill as the beginning of the JSON and refuses any other beginning. Elsewhere the constraint
    # applies only to the new text, so that a prefill and a schema contradict each other.
    return not prefill or (wire.server == "llama.cpp" and prefill.lstrip().startswith(("{", "[")))


def _prefill_wanted(wire: Wire, messages: Sequence[Message]) -> dict[str, Any]:
    if wire.endpoint == "chat" and wire.prefill and wire.server in ("vllm", "other") and prefill_of(messages):
        return {"continue_final_message": True, "add_generation_prompt": False}
    return {}


class Cutter:
    """Passes text through piece by piece, without an echoed prefill, and only up to the first stop string.

    A possible beginning of either is held back, so that nothing shown has to be retracted.
    """

    def __init__(self, prefill: str = "", stop: Sequence[str] = ()) -> None:
        self.is_cut = False
        self.shown = ""
        self._held = ""
        self._prefill = prefill
        self._stop = tuple(text for text in stop if text)

    def push(self, piece: str) -> str:
        """Takes a piece and returns what can be shown now."""
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
        """What was held back, at the end of the text."""
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
    text = text.removeprefix(prefill)
    places = [place for place in (text.find(one) for one in stop if one) if place >= 0]
    return (text[: min(places)], True) if places else (text, False)


def read_completions(wire: Wire, data: Any, prefill: str, stop: Sequence[str]) -> list[Reply]:
    """Parses all choices of a completion, in order, at least one; the first has the usage of the whole request.

    Raises:
        one of `MALFORMED`: if it is invalid.
    """
    choices = _choices(data)
    if len(choices) == 1:
        return [_reply_of(wire, choices[0], usage_of(data), prefill, stop)]
    ordered = sorted(choices, key=lambda choice: choice.get("index") or 0)
    usages = [usage_of(data), *[Usage()] * len(choices)]
    return [_reply_of(wire, choice, usage, prefill, stop) for choice, usage in zip(ordered, usages, strict=False)]


def _reply_of(wire: Wire, choice: Mapping[str, Any], usage: Usage, prefill: str, stop: Sequence[str]) -> Reply:
    text, is_cut = cut(_text_of(choice), prefill, stop)
    reason, logprobs = _reason_of(choice), tuple(_logprobs_of(choice.get("logprobs")))
    if is_cut:
        reason, logprobs = "stop", _covering(logprobs, len(text))
    return _without_secrets(wire, text, reason or "stop", usage, logprobs)


def _without_secrets(wire: Wire, text: str, reason: str, usage: Usage, logprobs: tuple[TokenLogprob, ...]) -> Reply:
    hidden = wire.secrets.out_of_reply(text)
    if logprobs:
        words = [token.token for token in logprobs]
        words += [" ", *(f"{other} " for token in logprobs for other, _ in token.top)]
        spelled = "".join(words)
        if hidden != text or wire.secrets.out_of_reply(spelled) != spelled:  # the tokens would reveal the secret
            logprobs = ()
    return Reply(hidden, whole(wire.secrets.out_of_reply(reason)), usage, logprobs)


def _choices(data: Any) -> list[Mapping[str, Any]]:
    choices = data.get("choices") if isinstance(data, dict) else None
    if not isinstance(choices, list) or not choices:
        raise Malformed
    for choice in choices:
        if not isinstance(choice, dict) or (not isinstance(choice.get("message"), dict) and "text" not in choice):
            raise Malformed
    return choices


def _reason_of(choice: Mapping[str, Any]) -> str:
    reason = choice.get("finish_reason") or ""
    if not isinstance(reason, str) or len(reason) > _MAX_REASON:
        raise Malformed("finish_reason is not text")
    return reason


def _text_of(choice: Mapping[str, Any]) -> str:
    message = choice.get("message")
    content = choice.get("text") if message is None else message.get("content") or message.get("refusal")
    return content if isinstance(content, str) else _joined(content)


def _joined(content: Any) -> str:
    if isinstance(content, list):  # some servers split the content into parts
        return "".join(part.get("text") or "" for part in content if isinstance(part, dict))
    if content is None:
        return ""
    if not isinstance(content, str):
        raise Malformed("the content is not text")
    return content


def usage_of(data: Mapping[str, Any]) -> Usage:
    """Token counts, if the endpoint gives them.

    Raises:
        Malformed, AttributeError: for an impossible count.
    """
    usage = data.get("usage") or {}
    details = usage.get("prompt_tokens_details") or {}
    cached = details.get("cached_tokens")
    if cached is None:
        cached = (data.get("timings") or {}).get("cache_n")
    prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
    return Usage(_count("prompt_tokens", prompt), _count("completion_tokens", completion), _count("cached_tokens", cached))


def _count(name: str, value: Any) -> int:
    if value is None:
        return 0
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= MAX_TOKENS or value != int(value):
        raise Malformed(f"{name} = {str(value)[:20]} is impossible")
    return int(value)


def _logprobs_of(logprobs: Any) -> Iterator[TokenLogprob]:
    if not logprobs:
        return
    if logprobs.get("content"):
        for entry in logprobs["content"]:
            top = [(_word(other["token"]), _logprob(other["logprob"])) for other in entry.get("top_logprobs") or ()]
            yield _token(entry["token"], entry["logprob"], top)
    elif logprobs.get("tokens"):
        tops = logprobs.get("top_logprobs") or [None] * len(logprobs["tokens"])
        for token, logprob, top in zip(logprobs["tokens"], logprobs["token_logprobs"], tops, strict=True):
            if logprob is not None:
                yield _token(token, logprob, [(_word(other), _logprob(value)) for other, value in (top or {}).items()])


def _token(token: Any, logprob: Any, top: list[tuple[str, float]]) -> TokenLogprob:
    word, value = _word(token), _logprob(logprob)
    if top and all(other != word for other, _ in top):
        top.append((word, value))
    top.sort(key=lambda pair: -pair[1])
    return TokenLogprob(word, value, tuple(top))


def _word(token: Any) -> str:
    if not isinstance(token, str):
        raise Malformed("a token is not text")
    return token


def _logprob(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value) or value > 1:  # rounding aside, 0
        raise Malformed(f"{str(value)[:20]} is not a log-probability")
    return float(value)


def _covering(logprobs: tuple[TokenLogprob, ...], length: int) -> tuple[TokenLogprob, ...]:
    """The tokens that start within the first `length` characters."""
    kept, start = 0, 0
    while kept < len(logprobs) and start < length:
        start += len(logprobs[kept].token)
        kept += 1
    return logprobs[:kept]


class StreamedReply:
    """Assembles a reply from the events of a stream.

    Args:
        wire: how to talk to the endpoint.
        prefill: text that it may repeat before its reply.
        sampling: the sampling of the request.
    """

    def __init__(self, wire: Wire, prefill: str, sampling: Sampling) -> None:
        self._wire = wire
        self._cutter = Cutter(prefill, sampling.stop)
        self._veil = wire.secrets.veil()
        self._logprobs: list[TokenLogprob] = []
        self._finish_reason = ""
        self._usage = Usage()
        self._num_pieces = 0
        self._max_tokens = sampling.max_tokens
        self._waiting: list[bytes] = []

    @property
    def is_cut(self) -> bool:
        """Whether a stop string arrived that the server missed: there is nothing more to wait for."""
        return self._cutter.is_cut

    def feed(self, data: bytes) -> Iterator[str]:
        """Takes bytes as they arrive and yields what can be shown now.

        Raises:
            ModelError: for a malformed event, one that reports an error, or more events than a reply can have.
        """
        self._waiting.append(data)
        if b"\n" not in data:
            return
        *lines, rest = b"".join(self._waiting).split(b"\n")
        self._waiting = [rest]
        for line in lines:
            payload = line.removeprefix(b"data:").strip() if line.startswith(b"data:") else b""
            if payload and payload != b"[DONE]":
                shown = self._veil.push(self._cutter.push(self._event(payload)))
                if shown:
                    yield shown
            if self.is_cut:
                return

    def _event(self, payload: bytes) -> str:
        try:
            event = parsed(payload)
            if isinstance(event, dict) and event.get("error"):
                raise reported(self._wire, event["error"])
            if event.get("usage"):
                self._usage = usage_of(event)
            return "".join(self._piece(choice) for choice in event.get("choices") or ())
        except MALFORMED as error:
            raise not_a_completion(self._wire, payload, error) from None

    def _piece(self, choice: Mapping[str, Any]) -> str:
        self._finish_reason = _reason_of(choice) or self._finish_reason
        self._logprobs += _logprobs_of(choice.get("logprobs"))
        text = _joined((choice.get("delta") or {}).get("content") or choice.get("text"))
        self._num_pieces += bool(text)
        if self._num_pieces > PIECES_PER_TOKEN * self._max_tokens:
            raise too_much(self._wire, f"{self._num_pieces:,} pieces of a reply that was to have {self._max_tokens:,} tokens")
        return text

    def end(self) -> tuple[str, Reply]:
        """What was held back, and the whole reply, at the end of the stream.

        Raises:
            ModelError: retryable, if the stream broke off.
        """
        rest = self._veil.push(self._cutter.rest()) + self._veil.rest()
        shown = self._cutter.shown
        if not self._finish_reason and not self.is_cut:
            raise broken_off(self._wire, shown)
        logprobs = tuple(self._logprobs)
        return rest, _without_secrets(
            self._wire,
            shown,
            "stop" if self.is_cut else self._finish_reason,
            # a reply that we cut short never receives its usage; a chunk is a token with nearly every server
            self._usage if self._usage != Usage() else Usage(completion_tokens=self._num_pieces),
            _covering(logprobs, len(shown)) if self.is_cut else logprobs,
        )
