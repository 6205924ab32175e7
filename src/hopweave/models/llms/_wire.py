"""The protocol of OpenAI-compatible endpoints: how a reply is parsed, whole or from a stream. No network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from hopweave.core.characters import whole
from hopweave.core.errors import ModelError
from hopweave.core.types import Reply, Sampling, TokenLogprob, ToolCall, Usage
from hopweave.models.llms._address import Wire
from hopweave.models.llms._failures import broken_off, ended_by_error, not_a_completion, reported, too_much
from hopweave.models.llms._json import MALFORMED, Malformed, parsed
from hopweave.models.llms._learnt import MAX_TOKENS
from hopweave.models.llms._logprobs import covering, logprobs_of, of_text
from hopweave.models.llms._plan import Plan, is_cut_off
from hopweave.models.llms._reply_text import ReplyText, Words, words_of
from hopweave.models.llms._tools import ToolCalls

PIECES_PER_TOKEN = 16
"""Maximum stream chunks per requested token: a server that sends single letters stays below it."""
MIN_CHARACTERS = 1 << 13
"""A reply may always be so long."""
CHARACTERS_PER_TOKEN = 16
"""A reply that is longer than that is cut: a server that ignores the limit would keep all that reads it busy for long."""
_FAILED = frozenset({"error", "abort", "insufficient_system_resource"})
"""Reasons for which OpenRouter, vLLM and SGLang, and DeepSeek end a reply that is not complete."""
_DONE = b"[DONE]"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MAX_REASON = 100
_MIN_HIDDEN_TOKENS = 16
_TOKENS_OF_A_CALL = 64  # for the marks around it


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
        ModelError: if it says that a reply is not complete.
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
    if choice.get("error"):
        raise reported(wire, choice["error"])
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
        max_characters=most_characters(sampling),
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
    if words.is_cut or words.is_full:
        logprobs = covering(logprobs, len(words.shown))
    reason = _reason_for(words, reason)
    if reason.lower() in _FAILED:
        raise ended_by_error(wire, reason)
    return Parsed(
        _without_secrets(wire, words.shown, reason, usage, logprobs, thoughts, calls),
        has_thoughts=bool(thoughts) or words.is_inside or usage.thinking_tokens > 0 or hides_thoughts(words.text, calls, usage),
        is_bare=not words.text and not calls,
        begins_inside=False if own_thoughts and words.text and not words.begins_inside else words.begins_inside,
        refusal=wire.secrets.out_of_reply(refusal),
    )


def _reason_for(words: Words, reason: str) -> str:
    """Why a reply ended, in OpenAI's words where ours are as good as the endpoint's."""
    if words.is_full or (is_cut_off(reason) and not words.is_cut):
        return "length"
    return "stop" if words.is_cut else reason or "stop"


def most_characters(sampling: Sampling) -> int:
    """The maximum length of a reply, in characters."""
    return max(MIN_CHARACTERS, CHARACTERS_PER_TOKEN * sampling.max_tokens)


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


def _payload_of(line: bytes) -> bytes:
    """The data of a line of a stream; empty if it has none."""
    line = line.removeprefix(_BYTE_ORDER_MARK)
    return line.removeprefix(b"data:").strip() if line.startswith(b"data:") else b""


class StreamedReply:
    """Assembles a reply from the events of a stream.

    Args:
        wire: how to talk to the endpoint.
        prefill: text that it may repeat before its reply.
        sampling: the sampling of the request.
        plan: how the request was made.
        salt: for the ids of tool calls that have none.

    Attributes:
        is_done: whether the stream has said that it is over.
    """

    def __init__(self, wire: Wire, prefill: str, sampling: Sampling, *, plan: Plan | None = None, salt: str = "") -> None:
        self._wire = wire
        self._prefill = prefill
        self._sampling = sampling
        self._plan = plan or Plan()
        self._salt = salt
        self.is_done = False
        is_all_text = sampling.thinking == "in_text"
        self._max_characters = most_characters(sampling)
        self._text = ReplyText(
            prefill,
            sampling.stop,
            begins_inside=self._plan.begins_inside,
            is_all_text=is_all_text,
            max_characters=self._max_characters,
        )
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
        return self._text.is_cut or self._text.is_full or self._is_long

    @property
    def is_complete(self) -> bool:
        """Whether the reply has ended, so that at most its usage is still to come."""
        return self.is_done or bool(self._finish_reason)

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
            shown = self._veil.push(self._line(line))
            if shown:
                yield shown
            if self.is_cut or self.is_done:
                return

    def _line(self, line: bytes) -> str:
        payload = _payload_of(line)
        if payload == _DONE:
            self.is_done = True
            return ""
        return self._event(payload) if payload else ""

    def _last_line(self) -> str:
        """What the line says that no line feed ends; nothing if the stream broke off within it."""
        line, self._waiting = b"".join(self._waiting), []
        payload = _payload_of(line)
        try:
            return self._line(line) if payload == _DONE or parsed(payload) else ""
        except ValueError:
            return ""

    def _event(self, payload: bytes) -> str:
        try:
            event = parsed(payload)
            if isinstance(event, dict) and event.get("error"):
                raise reported(self._wire, event["error"])
            if event.get("usage"):
                self._usage = usage_of(event, self._wire)
            # A request for a stream asks for one reply; some servers send others all the same.
            choices = (choice for choice in event.get("choices") or () if choice.get("index") in (None, 0, "0"))
            return "".join(self._piece(choice) for choice in choices)
        except MALFORMED as error:
            raise not_a_completion(self._wire, payload, error) from None

    def _piece(self, choice: Mapping[str, Any]) -> str:
        if choice.get("error"):
            raise reported(self._wire, choice["error"])
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
            # the server tells thoughts from the reply itself
            self._text = ReplyText(self._prefill, self._sampling.stop, max_characters=self._max_characters)
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
        shown = "" if self.is_cut or self.is_done else self._last_line()
        if self._is_long:
            self._finish_reason = "length"
        shown += self._text.rest(is_cut_off=is_cut_off(self._finish_reason))
        rest = self._veil.push(shown) + self._veil.rest()
        has_come = bool(self._num_pieces or self._num_thoughts or self._refusal)
        if not self._finish_reason and not self.is_cut and not (self.is_done and has_come):
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
