"""The protocol of OpenAI-compatible endpoints: what is sent for some messages, and how long a response may be. No network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hopweave.core.types import Message, Sampling
from hopweave.models.llms._address import Wire
from hopweave.models.llms._plan import Plan, prefill_of
from hopweave.models.llms._servers import LIMITS
from hopweave.models.llms._tools import message_json, tools_json

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
