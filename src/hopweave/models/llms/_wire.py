"""The protocol of OpenAI-compatible endpoints: what is sent, how a reply is parsed, and what a failure means. No network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hopweave.core.errors import ModelError
from hopweave.core.json_text import whole
from hopweave.core.types import Message, Reply, Sampling, TokenLogprob, ToolCall, Usage
from hopweave.models.llms._address import Wire
from hopweave.models.llms._failures import broken_off, not_a_completion, reported, too_much
from hopweave.models.llms._json import MALFORMED, Malformed, parsed
from hopweave.models.llms._logprobs import covering, logprobs_of, of_text
from hopweave.models.llms._plan import Plan, is_cut_off, prefill_of
from hopweave.models.llms._reply_text import Cutter, ReplyText, Words, cut, words_of
from hopweave.models.llms._servers import LIMITS
from hopweave.models.llms._tools import ToolCalls, message_json, tools_json

__all__ = [
    "Cutter",
    "Parsed",
    "StreamedReply",
    "cut",
    "limit_name",
    "most_bytes",
    "parse_completion",
    "prefill_of",
    "read_completions",
    "request_body",
]

MAX_TOKENS = 10_000_000
"""Maximum tokens of a call that an endpoint may report: ten times the longest existing context."""
PIECES_PER_TOKEN = 16
"""Maximum stream chunks per requested token: a server that sends single letters stays below it."""
_MAX_REASON = 100
_MIN_HIDDEN_TOKENS = 16
_TOKENS_OF_A_CALL = 64  # for the marks around it
_SPARE_BYTES = 1 << 20
_BYTES_PER_TOKEN = 1 << 10  # in a separate event
_BYTES_PER_ALTERNATIVE = 1 << 8
_MAX_BYTES = 1 << 28


def most_bytes(wire: Wire, sampling: Sampling, num: int, num_sent: int) -> int:
    """The maximum number of bytes of the response to a request of `num_sent` bytes, for `num` replies with their thoughts."""
    of_a_token = _BYTES_PER_TOKEN + _BYTES_PER_ALTERNATIVE * sampling.top_logprobs
    num_tokens = sampling.max_tokens + wire.max_thinking_tokens
    return min(_MAX_BYTES, _SPARE_BYTES + num_sent + num * num_tokens * of_a_token)


def request_body(
    wire: Wire,
    messages: Sequence[Message],
    sampling: Sampling,
    refused: frozenset[str],
    *,
    is_streamed: bool,
    num: int = 1,
    plan: Plan | None = None,
) -> dict[str, Any]:
    """The JSON of a request for `num` replies, without the fields that this endpoint has refused."""
    plan = plan or Plan()
    body: dict[str, Any] = {"model": wire.model}
    if wire.endpoint == "chat":
        body["messages"] = [message_json(message, with_thoughts=plan.sends_thoughts_back) for message in messages]
    else:
        body["prompt"] = "\n\n".join(message.text for message in messages)
    if wire.kind.samples_freely_while_thinking or plan.level in ("auto", "off"):
        body |= {"temperature": sampling.temperature, "top_p": sampling.top_p}
    if limit := limit_name(wire, refused):
        body[limit] = sampling.max_tokens + plan.room
    if not plan.expects_thoughts and (stop := _stops_taken(wire, sampling.stop)):
        body["stop"] = stop
    if sampling.seed is not None:
        body["seed"] = sampling.seed
    if num > 1:
        body["n"] = num
    body |= _logprobs_wanted(wire, sampling, refused) | _tools_wanted(wire, sampling)
    body |= _schema_wanted(wire, messages, sampling) | _prefill_wanted(wire, messages)
    if is_streamed:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    body |= plan.fields
    body |= wire.extra_body
    return {name: value for name, value in body.items() if name not in refused}


def limit_name(wire: Wire, refused: frozenset[str]) -> str | None:
    """The name of the limit on new tokens: the usual one, or the other if that is refused; `None` if both are."""
    names = [wire.max_tokens_field, *(name for name in LIMITS if name != wire.max_tokens_field)]
    return next((name for name in names if name not in refused), None)


def _stops_taken(wire: Wire, stop: Sequence[str]) -> list[str]:
    taken = [text for text in stop if wire.kind.takes_blank_stops or text.strip()]
    return taken[: wire.kind.max_stops]


def _tools_wanted(wire: Wire, sampling: Sampling) -> dict[str, Any]:
    if not sampling.tools or not wire.tools or wire.endpoint != "chat":
        return {}
    return {"tools": tools_json(sampling.tools), "tool_choice": "auto"}


def _logprobs_wanted(wire: Wire, sampling: Sampling, refused: frozenset[str]) -> dict[str, Any]:
    if not sampling.top_logprobs or "logprobs" in refused:
        return {}
    if wire.endpoint == "completion":
        return {"logprobs": sampling.top_logprobs}
    return {"logprobs": True, "top_logprobs": sampling.top_logprobs}


def _schema_wanted(wire: Wire, messages: Sequence[Message], sampling: Sampling) -> dict[str, Any]:
    schema = sampling.json_schema
    if schema is None or not wire.json_schema or not _goes_with_schema(wire, prefill_of(messages)):
        return {}
    if sampling.tools and wire.tools and not wire.kind.takes_schema_with_tools:
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
    if wire.endpoint == "chat" and wire.prefill and wire.kind.takes_fields_to_continue and prefill_of(messages):
        return {"continue_final_message": True, "add_generation_prompt": False}
    return {}


@dataclass(frozen=True, slots=True)
class Parsed:
    """A reply, and what else its response says.

    Attributes:
        reply: the reply.
        has_thoughts: whether the model thought, if only for a moment, whether or not the endpoint shows it.
        is_bare: whether there is nothing but thoughts, even before a stop string was looked for.
        begins_inside: whether its text begins inside thoughts, since the template opens them; `None` if it does not show.
        refusal: what the model said in place of a reply, if the endpoint marks it as a refusal.
    """

    reply: Reply
    has_thoughts: bool = False
    is_bare: bool = False
    begins_inside: bool | None = None
    refusal: str = ""


def read_completions(wire: Wire, data: Any, prefill: str, stop: Sequence[str]) -> list[Reply]:
    """The replies of a completion; see `parse_completion`."""
    return [one.reply for one in parse_completion(wire, data, prefill, Sampling(stop=tuple(stop)))]


def parse_completion(
    wire: Wire, data: Any, prefill: str, sampling: Sampling, *, plan: Plan | None = None, salt: str = ""
) -> list[Parsed]:
    """Parses all choices of a completion, in order, at least one; the first has the usage of the whole request.

    Args:
        wire: how to talk to the endpoint.
        data: the completion.
        prefill: text that it may repeat before its reply.
        sampling: the sampling of the request.
        plan: how the request was made.
        salt: for the ids of tool calls that have none.

    Raises:
        one of `MALFORMED`: if it is invalid.
    """
    choices, plan = _choices(data), plan or Plan()
    usage = usage_of(data, wire)
    if len(choices) == 1:
        return [_parsed(wire, choices[0], usage, prefill, sampling, plan, salt)]
    ordered = sorted(choices, key=lambda choice: choice.get("index") or 0)
    first, *rest = (_parsed(wire, choice, Usage(), prefill, sampling, plan, salt) for choice in ordered)
    has_thoughts = first.has_thoughts or usage.thinking_tokens > 0
    return [replace(first, reply=replace(first.reply, usage=usage), has_thoughts=has_thoughts), *rest]


def _parsed(
    wire: Wire, choice: Mapping[str, Any], usage: Usage, prefill: str, sampling: Sampling, plan: Plan, salt: str
) -> Parsed:
    message = choice.get("message")
    content = choice.get("text") if message is None else message.get("content")
    own = _own_thoughts(message or {}, content)
    reason = _reason_of(choice)
    words = words_of(
        _joined(content),
        prefill,
        sampling.stop,
        begins_inside=plan.begins_inside and not own,
        is_cut_off=is_cut_off(reason),
        is_all_text=sampling.thinking == "in_text",
    )
    calls: tuple[ToolCall, ...] = ()
    if sampling.tools and message is not None:
        found = ToolCalls()
        found.add(message.get("tool_calls"))
        calls = found.all(salt)
    logprobs = tuple(logprobs_of(choice.get("logprobs")))
    return _assembled(wire, words, own, reason, usage, logprobs, calls, _refusal_in(message))


def _assembled(
    wire: Wire,
    words: Words,
    own_thoughts: str,
    reason: str,
    usage: Usage,
    logprobs: tuple[TokenLogprob, ...],
    calls: tuple[ToolCall, ...],
    refusal: str,
) -> Parsed:
    thoughts = "\n\n".join(part for part in (own_thoughts.strip(), words.thoughts) if part)
    if thoughts or words.begins_inside:
        logprobs = of_text(logprobs, words.text)
    if words.is_cut:
        logprobs = covering(logprobs, len(words.shown))
    reason = "stop" if words.is_cut else reason or "stop"
    return Parsed(
        _without_secrets(wire, words.shown, reason, usage, logprobs, thoughts, calls),
        has_thoughts=bool(thoughts) or words.is_inside or usage.thinking_tokens > 0 or hides_thoughts(words.text, calls, usage),
        is_bare=not words.text and not calls,
        begins_inside=False if own_thoughts and words.text and not words.begins_inside else words.begins_inside,
        refusal=wire.secrets.out_of_reply(refusal),
    )


def hides_thoughts(text: str, calls: tuple[ToolCall, ...], usage: Usage) -> bool:
    """Whether a reply took more tokens than it can consist of, a token being at least a byte: the rest must be thoughts."""
    num_left = usage.completion_tokens - _MIN_HIDDEN_TOKENS
    if num_left < len(text):  # as with nearly all replies
        return False
    written = "".join([text, *(call.name + call.arguments for call in calls)])
    return num_left >= len(written.encode("utf-8", "replace")) + _TOKENS_OF_A_CALL * len(calls)


def _without_secrets(
    wire: Wire,
    text: str,
    reason: str,
    usage: Usage,
    logprobs: tuple[TokenLogprob, ...],
    thoughts: str,
    calls: tuple[ToolCall, ...],
) -> Reply:
    hide = wire.secrets.out_of_reply
    hidden = hide(text)
    if logprobs:
        words = [token.token for token in logprobs]
        words += [" ", *(f"{other} " for token in logprobs for other, _ in token.top)]
        spelled = "".join(words)
        if hidden != text or hide(spelled) != spelled:  # the tokens would reveal the secret
            logprobs = ()
    calls = tuple(ToolCall(hide(call.id), hide(call.name), hide(call.arguments)) for call in calls)
    return Reply(hidden, whole(hide(reason)), usage, logprobs, hide(thoughts), calls)


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


def _joined(content: Any) -> str:
    if isinstance(content, list):  # some servers split the content into parts
        return "".join(part.get("text") or "" for part in content if isinstance(part, dict) and not _is_thought(part))
    if content is None:
        return ""
    if not isinstance(content, str):
        raise Malformed("the content is not text")
    return content


def _is_thought(part: Mapping[str, Any]) -> bool:
    return part.get("type") in ("thinking", "reasoning")


def _own_thoughts(message: Mapping[str, Any], content: Any) -> str:
    """The thoughts in fields or content parts of their own. Some servers send the same text in several fields."""
    for name in ("reasoning_content", "reasoning"):
        value = message.get(name)
        if isinstance(value, str) and value:
            return value
    parts = message.get("reasoning_details")
    if not isinstance(parts, list) or not parts:
        parts = [part for part in content if isinstance(part, dict) and _is_thought(part)] if isinstance(content, list) else []
    return "".join(_thought_in(part) for part in parts)


def _thought_in(part: Any) -> str:
    """The text of a part, which may itself be a list of parts."""
    if isinstance(part, str):
        return part
    if isinstance(part, list):
        return "".join(_thought_in(one) for one in part)
    if not isinstance(part, dict):
        return ""
    return next((text for name in ("text", "summary", "thinking", "reasoning") if (text := _thought_in(part.get(name)))), "")


def _refusal_in(message: Mapping[str, Any] | None) -> str:
    refusal = (message or {}).get("refusal")
    return refusal if isinstance(refusal, str) else ""


def usage_of(data: Mapping[str, Any], wire: Wire) -> Usage:
    """Token counts, if the endpoint gives them.

    Raises:
        Malformed, AttributeError: for an impossible count.
    """
    usage = data.get("usage") or {}
    details = usage.get("prompt_tokens_details") or {}
    cached = details.get("cached_tokens")
    if cached is None:
        cached = (data.get("timings") or {}).get("cache_n")
    prompt = _count("prompt_tokens", usage.get("prompt_tokens"))
    completion = _count("completion_tokens", usage.get("completion_tokens"))
    thinking = _count("reasoning_tokens", (usage.get("completion_tokens_details") or {}).get("reasoning_tokens"))
    if thinking or wire.kind.hides_thinking_tokens:
        # Some endpoints count the tokens of thoughts only in the total.
        left_out = max(0, _count("total_tokens", usage.get("total_tokens")) - prompt - completion)
        if left_out == thinking or wire.kind.hides_thinking_tokens:
            completion, thinking = completion + left_out, max(thinking, left_out)
    return Usage(prompt, completion, _count("cached_tokens", cached), thinking_tokens=min(thinking, completion))


def _count(name: str, value: Any) -> int:
    if value is None:
        return 0
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= MAX_TOKENS or value != int(value):
        raise Malformed(f"{name} = {str(value)[:20]} is impossible")
    return int(value)


class StreamedReply:
    """Assembles a reply from the events of a stream.

    Args:
        wire: how to talk to the endpoint.
        prefill: text that it may repeat before its reply.
        sampling: the sampling of the request.
        plan: how the request was made.
        salt: for the ids of tool calls that have none.
    """

    def __init__(self, wire: Wire, prefill: str, sampling: Sampling, *, plan: Plan | None = None, salt: str = "") -> None:
        self._wire = wire
        self._prefill = prefill
        self._sampling = sampling
        self._plan = plan or Plan()
        self._salt = salt
        is_all_text = sampling.thinking == "in_text"
        self._text = ReplyText(prefill, sampling.stop, begins_inside=self._plan.begins_inside, is_all_text=is_all_text)
        self._veil = wire.secrets.veil()
        self._calls = ToolCalls()
        self._own_thoughts: list[str] = []
        self._refusal = ""
        self._logprobs: list[TokenLogprob] = []
        self._finish_reason = ""
        self._usage = Usage()
        self._num_pieces = self._num_thoughts = 0
        self._max_tokens = sampling.max_tokens + self._plan.room
        self._max_thinking_tokens = sampling.max_tokens + wire.max_thinking_tokens
        self._waiting: list[bytes] = []

    @property
    def is_cut(self) -> bool:
        """Whether a stop string arrived that the server missed, or the reply used up its limit: nothing more is awaited."""
        return self._text.is_cut or self._is_long

    @property
    def _is_long(self) -> bool:
        """Whether the reply has used its own limit, and goes on with what its thoughts left of theirs.

        Only llama.cpp is known to send a token with each event, or more; others may send single letters.
        """
        has_room = self._plan.room > 0 and self._wire.server == "llama.cpp"
        return has_room and self._num_pieces >= self._sampling.max_tokens and not self._finish_reason

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
                shown = self._veil.push(self._event(payload))
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
                self._usage = usage_of(event, self._wire)
            return "".join(self._piece(choice) for choice in event.get("choices") or ())
        except MALFORMED as error:
            raise not_a_completion(self._wire, payload, error) from None

    def _piece(self, choice: Mapping[str, Any]) -> str:
        self._finish_reason = _reason_of(choice) or self._finish_reason
        self._logprobs += logprobs_of(choice.get("logprobs"))
        delta = choice.get("delta") or {}
        content = delta.get("content") or choice.get("text")
        thought, text = _own_thoughts(delta, content), _joined(content)
        if thought:
            self._think(thought)
        if self._sampling.tools:
            self._num_pieces += self._calls.add(delta.get("tool_calls"))
        self._refusal += _refusal_in(delta)
        shown = self._text.push(text)
        if self._text.is_inside:
            self._num_thoughts += bool(text)
        else:
            self._num_pieces += bool(text)
        self._check_length()
        return shown

    def _think(self, thought: str) -> None:
        is_split_by_us = self._plan.begins_inside and self._sampling.thinking != "in_text"
        if not self._own_thoughts and is_split_by_us and not self._num_pieces + self._num_thoughts:
            self._text = ReplyText(self._prefill, self._sampling.stop)  # the server tells thoughts from the reply itself
        self._own_thoughts.append(thought)
        self._num_thoughts += 1

    def _check_length(self) -> None:
        if self._num_pieces > PIECES_PER_TOKEN * self._max_tokens:
            raise self._too_much(self._num_pieces, self._max_tokens)
        if self._num_thoughts > PIECES_PER_TOKEN * self._max_thinking_tokens:
            raise self._too_much(self._num_thoughts, self._max_thinking_tokens)

    def _too_much(self, num_pieces: int, max_tokens: int) -> ModelError:
        return too_much(self._wire, f"{num_pieces:,} pieces of a reply that was to have {max_tokens:,} tokens")

    def end(self) -> tuple[str, Reply]:
        """What was held back, and the whole reply; see `finish`."""
        rest, parsed_reply = self.finish()
        return rest, parsed_reply.reply

    def finish(self) -> tuple[str, Parsed]:
        """What was held back, and the whole reply with what else the stream said, at its end.

        Raises:
            ModelError: retryable, if the stream broke off.
        """
        if self._is_long:
            self._finish_reason = "length"
        shown = self._text.rest(is_cut_off=is_cut_off(self._finish_reason))
        rest = self._veil.push(shown) + self._veil.rest()
        if not self._finish_reason and not self.is_cut:
            raise broken_off(self._wire, self._text.shown)
        # a reply that we cut short never receives its usage; a chunk is a token with nearly every server
        usage = self._usage
        if usage == Usage():
            usage = Usage(completion_tokens=self._num_pieces + self._num_thoughts)
        return rest, _assembled(
            self._wire,
            self._text.words,
            "".join(self._own_thoughts),
            self._finish_reason,
            usage,
            tuple(self._logprobs),
            self._calls.all(self._salt),
            self._refusal,
        )
