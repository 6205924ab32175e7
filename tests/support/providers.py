"""Endpoints as people have them: one fake for each provider, which refuses, thinks, counts and streams as that provider does.

    async with connected(PROVIDERS["o-series"], lambda messages: "Ulm") as (llm, server):
        reply = await llm.reply(...)

What the model says is a function of the messages of a request, so whole methods can be run through a fake. A word is a token.
The thoughts hold all that has ever been taken for a reply by mistake: blank lines, marks of methods, a wrong final answer.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from support.scripted_server import Behaviour, Request, ScriptedServer

from hopweave.core.errors import ModelError
from hopweave.models.llms.openai_compatible import OpenAICompatible

THOUGHTS = (
    "The question asks where it is. [Query 1]: Where is it?\n[Answer 1]: Atlantis\n\nObservation: perhaps in Atlantis. "
    'Let me check {"answer": "Atlantis"} once more.\n\nSo the final answer is Atlantis. Wait, I am not sure of that.'
)
"""What a model thinks: some 30 words."""

LONG_THOUGHTS = " ".join([THOUGHTS] * 20)
"""Some 700 words: more than the limits of all methods."""

Body = Mapping[str, Any]
Messages = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Said:
    """What the model says to some messages.

    Attributes:
        text: its reply.
        thoughts: what it thinks before; `None` for the usual.
        tool_calls: the tools that it calls: the name and the arguments of each.
        refusal: what it says in place of a reply.
        filtered: whether a filter withholds the reply.
    """

    text: str = ""
    thoughts: str | None = None
    tool_calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    refusal: str = ""
    filtered: bool = False


Says = Callable[[Messages], str | Said]


def error(message: str, *, status: int = 400, param: str | None = None, code: str | None = None) -> Behaviour:
    """An error in OpenAI's shape."""
    kind = "invalid_request_error"
    return Behaviour(status=status, raw=json.dumps({"error": {"message": message, "type": kind, "param": param, "code": code}}))


@dataclass(frozen=True)
class Provider:
    """One kind of endpoint.

    Attributes:
        name: of the provider.
        model: the name of its model.
        options: of the client; without a `server` among them, the client has to find out what it is.
        thoughts: what the model thinks; empty if it does not.
        shown: where, which may depend on the request: in the `content` between marks, in the content from `inside` the thoughts
            on, in the field `reasoning_content` or `reasoning`, in `reasoning_details`, as `parts` of the content, or nowhere
            (`hidden`).
        is_off: whether a request tells the model not to think.
        checks: what is refused, each from the request.
        cuts_thoughts: whether stop strings also end the thoughts.
        counts: how thoughts are counted in the usage: in the `details`, only in the `total`, or like other tokens (`plain`).
        own_fields: fields of every message and completion that nobody else has.
        headers: of every response.
        gets: what is at other paths, by path.
        posts: what is at other paths for a request, by path.
    """

    name: str
    model: str = "some-model"
    options: Mapping[str, Any] = field(default_factory=dict)
    thoughts: str = ""
    shown: str | Callable[[Body], str] = "hidden"
    is_off: Callable[[Body], bool] = lambda body: False
    checks: Sequence[Callable[[Body], Behaviour | None]] = ()
    cuts_thoughts: bool = False
    counts: str = "plain"
    own_fields: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    gets: Mapping[str, Any] = field(default_factory=dict)
    posts: Mapping[str, Callable[[Body], Any]] = field(default_factory=dict)

    def saying(self, says: Says) -> Callable[[Request], Behaviour]:
        """What a server does with each request, if its model says this."""
        return lambda request: self._behaviour(request, says)

    def _behaviour(self, request: Request, says: Says) -> Behaviour:
        if not request.body:
            found = self.gets.get(request.path)
            return self._json(found) if found is not None else Behaviour("404 page not found", status=404)
        if request.path in self.posts:
            return self._json(self.posts[request.path](request.body))
        for check in self.checks:
            refused = check(request.body)
            if refused is not None:
                return replace(refused, headers=self.headers)
        try:
            said = says(request.body["messages"])
        except ModelError as unforeseen:  # the script has no line for this
            return error(str(unforeseen))
        return self._completion(request.body, Said(said) if isinstance(said, str) else said)

    def _json(self, content: Any) -> Behaviour:
        return Behaviour(raw=json.dumps(content), headers=self.headers)

    def _completion(self, body: Body, said: Said) -> Behaviour:
        usual = self.thoughts if said.thoughts is None else said.thoughts
        shown = self.shown if isinstance(self.shown, str) else self.shown(body)
        drawn = Drawn.of(body, said, "" if self.is_off(body) else usual, shown, cuts_thoughts=self.cuts_thoughts)
        if body.get("stream"):
            events = [*drawn.events(), {"choices": [], "usage": drawn.usage(self.counts), **self.own_fields}]
            raw = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
            return Behaviour(raw=raw, headers={**self.headers, "Content-Type": "text/event-stream"})
        choice = {"index": 0, "message": drawn.message(), "finish_reason": drawn.finish_reason}
        if body.get("logprobs") and drawn.text:
            choice["logprobs"] = {"content": [_logprob(word) for word in words_of(drawn.text)]}
        num = body.get("n", 1)
        choices = [{**choice, "index": number} for number in range(num)]
        return self._json({"id": "x", "choices": choices, "usage": drawn.usage(self.counts), **self.own_fields})


def words_of(text: str) -> list[str]:
    """The tokens of a text."""
    return re.findall(r"\s*\S+|\s+$", text)


def _logprob(word: str) -> dict[str, Any]:
    return {"token": word, "logprob": -0.25, "top_logprobs": [{"token": word, "logprob": -0.25}]}


@dataclass(frozen=True)
class Drawn:
    """A reply as far as the limit and the stop strings of its request let it come."""

    thoughts: str
    text: str
    finish_reason: str
    num_prompt: int
    num_thoughts: int
    num_text: int
    shown: str
    tool_calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    refusal: str = ""

    @classmethod
    def of(cls, body: Body, said: Said, thoughts: str, shown: str, *, cuts_thoughts: bool) -> Drawn:
        if shown in ("content", "inside") and thoughts:
            opening = "<think>\n" if shown == "content" else ""
            written, apart = f"{opening}{thoughts}\n</think>\n\n{said.text}", ""
        else:
            written, apart = said.text, thoughts
        limit = body.get("max_completion_tokens", body.get("max_tokens", 10**6))
        stops = body.get("stop") or []
        apart, apart_ended = _ended(apart, limit, stops if cuts_thoughts else [])
        num_apart = len(words_of(apart))
        text, ended = ("", apart_ended) if apart_ended else _ended(written, limit - num_apart, stops)
        calls = () if ended or not body.get("tools") else said.tool_calls
        reason = "content_filter" if said.filtered else ended or ("tool_calls" if calls else "stop")
        text = "" if said.filtered or said.refusal else text
        before, closed, _ = text.partition("</think>")
        thought = apart or (before if closed else text if thoughts and shown in ("content", "inside") else "")
        num_prompt = sum(len(words_of(one.get("content") or "")) for one in body["messages"])
        num_text = len(words_of(text))
        num_thoughts = num_apart or min(num_text, len(words_of(thought)))
        return cls(apart, text, reason, num_prompt, num_thoughts, num_apart + num_text, shown, calls, said.refusal)

    def message(self) -> dict[str, Any]:
        content: Any = self.text or None
        if self.shown == "parts" and self.thoughts:
            content = [{"type": "thinking", "thinking": [{"type": "text", "text": self.thoughts}]}]
            content += [{"type": "text", "text": self.text}] if self.text else []
        message = {"role": "assistant", "content": content, **self._thoughts_apart(self.thoughts)}
        if self.tool_calls:
            message["tool_calls"] = [self._call(number) for number in range(len(self.tool_calls))]
        return message | ({"refusal": self.refusal} if self.refusal else {})

    def events(self) -> list[dict[str, Any]]:
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
        for word in words_of(self.thoughts):
            if self.shown == "parts":
                deltas.append({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": word}]}]})
            elif self.shown != "hidden":
                deltas.append({"content": None, **self._thoughts_apart(word)})
        deltas += [{"content": word} for word in words_of(self.text)]
        deltas += [{"refusal": word} for word in words_of(self.refusal)]
        for number, _ in enumerate(self.tool_calls):
            call = self._call(number)
            arguments = call["function"]["arguments"]
            deltas.append({"tool_calls": [{**call, "index": number, "function": {**call["function"], "arguments": ""}}]})
            pieces = [arguments[start : start + 5] for start in range(0, len(arguments), 5)]
            deltas += [{"tool_calls": [{"index": number, "function": {"arguments": piece}}]} for piece in pieces]
        events = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
        return [*events, {"choices": [{"index": 0, "delta": {}, "finish_reason": self.finish_reason}]}]

    def _thoughts_apart(self, text: str) -> dict[str, Any]:
        if not text:
            return {}
        match self.shown:
            case "reasoning_content" | "reasoning" as name:
                return {name: text}
            case "reasoning_details":
                return {"reasoning_details": [{"type": "reasoning.text", "text": text, "format": "unknown", "index": 0}]}
            case _:
                return {}

    def _call(self, number: int) -> dict[str, Any]:
        name, arguments = self.tool_calls[number]
        function = {"name": name, "arguments": json.dumps(arguments)}
        return {"id": f"call{self.num_prompt:03}{number:02}", "type": "function", "function": function}

    def usage(self, counts: str) -> dict[str, Any]:
        prompt, thoughts, all_new = self.num_prompt, self.num_thoughts, self.num_text
        new = all_new - thoughts if counts == "total" else all_new
        usage = {"prompt_tokens": prompt, "completion_tokens": new, "total_tokens": prompt + all_new}
        return usage | ({"completion_tokens_details": {"reasoning_tokens": thoughts}} if counts == "details" else {})


def _ended(text: str, limit: int, stops: Sequence[str]) -> tuple[str, str]:
    """A text as far as it comes, and why it ended early, if it did."""
    words = words_of(text)
    kept, reason = ("".join(words[: max(0, limit)]), "length") if len(words) > limit else (text, "")
    places = [place for place in map(kept.find, stops) if place >= 0]
    return (kept[: min(places)], "stop") if places else (kept, reason)


# -- what is refused ---------------------------------------------------------------------------------------------------------


def unsupported(name: str, instead: str = "") -> Callable[[Body], Behaviour | None]:
    """OpenAI's words for a field that a model does not have."""
    use = f" Use '{instead}' instead." if instead else ""
    message = f"Unsupported parameter: '{name}' is not supported with this model.{use}"
    return lambda body: error(message, param=name, code="unsupported_parameter") if name in body else None


def only_one(name: str, value: Any = 1) -> Callable[[Body], Behaviour | None]:
    """OpenAI's words for a value that a model does not take."""

    def check(body: Body) -> Behaviour | None:
        if body.get(name, value) == value:
            return None
        message = f"Unsupported value: '{name}' does not support {body[name]} with this model."
        return error(f"{message} Only the default ({value}) value is supported.", param=name, code="unsupported_value")

    return check


def if_any(names: Sequence[str], message: str, *, status: int = 400) -> Callable[[Body], Behaviour | None]:
    """One message in words alone for any of several fields."""
    return lambda body: error(message, status=status) if any(body.get(name) for name in names) else None


def levels(field_name: str, *taken: str) -> Callable[[Body], Behaviour | None]:
    """The levels of thinking that are taken; `none` of them: the field itself is not."""

    def check(body: Body) -> Behaviour | None:
        level = body.get(field_name)
        if level is None or level in taken:
            return None
        if not taken:
            return error(f"Unrecognized request argument supplied: {field_name}")
        listed = ", ".join(f"'{one}'" for one in taken)
        message = (
            f"Unsupported value: '{field_name}' does not support '{level}' with this model. Supported values are: {listed}."
        )
        return error(message, param=field_name, code="unsupported_value")

    return check


def forbidden(*names: str) -> Callable[[Body], Behaviour | None]:
    """Mistral's words for fields that it does not have, which are pydantic's."""

    def check(body: Body) -> Behaviour | None:
        unknown = [name for name in names if name in body]
        if not unknown:
            return None
        detail = [
            {"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted", "input": body[name]}
            for name in unknown
        ]
        return Behaviour(status=422, raw=json.dumps({"object": "error", "message": {"detail": detail}, "code": None}))

    return check


def _unknown_to_gemini(*names: str) -> Callable[[Body], Behaviour | None]:
    def check(body: Body) -> Behaviour | None:
        name = next((one for one in names if one in body), None)
        if name is None:
            return None
        message = f'Invalid JSON payload received. Unknown name "{name}": Cannot find field.'
        return Behaviour(
            status=400, raw=json.dumps([{"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}])
        )

    return check


def _blank_stops(body: Body) -> Behaviour | None:
    is_blank = any(not text.strip() for text in body.get("stop") or [])
    return error("stop_sequences: each stop sequence must contain non-whitespace") if is_blank else None


def _thinking_budget(body: Body) -> Behaviour | None:
    thinking = body.get("thinking") or {}
    if thinking.get("type") != "enabled":
        return None
    if body.get("temperature", 1) != 1:
        return error("`temperature` may only be set to 1 when thinking is enabled. Please consult the documentation.")
    if "top_p" in body and body["top_p"] < 0.95:
        return error("`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.")
    limit = body.get("max_tokens", body.get("max_completion_tokens", 0))
    if not 1024 <= thinking["budget_tokens"] < limit:
        return error("`max_tokens` must be greater than `thinking.budget_tokens`.")
    return None


def _both_samplings(body: Body) -> Behaviour | None:
    if "temperature" in body and "top_p" in body:
        return error("`temperature` and `top_p` cannot both be specified for this model. Please use only one.")
    return None


def _in_litellm(body: Body) -> Behaviour | None:
    if body.get("temperature", 1) != 1:
        return error(
            "litellm.UnsupportedParamsError: gpt-5 models (including gpt-5-codex) don't support temperature=0.0. Only "
            "temperature=1 is supported. To drop unsupported params set `litellm.drop_params = True`. Received Model Group=m"
        )
    named = {name: body[name] for name in ("seed", "stop") if name in body}
    if named:
        return error(
            f"litellm.UnsupportedParamsError: openai does not support parameters: {sorted(named)}, for model=m. To drop "
            "these, set `litellm.drop_params=True`"
        )
    return None


def _wants_thoughts_back(body: Body) -> Behaviour | None:
    for place, message in enumerate(body["messages"]):
        if message.get("tool_calls") and "reasoning_content" not in message:
            return error(f"Missing `reasoning_content` field in the assistant message at message index {place}.")
    return None


def _no_json_schema(body: Body) -> Behaviour | None:
    is_schema = (body.get("response_format") or {}).get("type") == "json_schema"
    return error("This response_format type is unavailable now") if is_schema else None


def _no_prefill_while_thinking(body: Body) -> Behaviour | None:
    if body["messages"][-1]["role"] == "assistant" and not _off_in_template(body):
        return error("Assistant response prefill is incompatible with enable_thinking.")
    return None


def _no_prefill(body: Body) -> Behaviour | None:
    if body["messages"][-1]["role"] == "assistant":
        return error("Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant")
    return None


def _context(num_tokens: int) -> Callable[[Body], Behaviour | None]:
    """vLLM's words for a request for more tokens than there are."""

    def check(body: Body) -> Behaviour | None:
        limit = body.get("max_tokens", 0)
        prompt = sum(len(words_of(one.get("content") or "")) for one in body["messages"])
        if prompt + limit <= num_tokens:
            return None
        return error(
            f"'max_tokens' or 'max_completion_tokens' is too large: {limit}. This model's maximum context length is "
            f"{num_tokens} tokens and your request has {prompt} input tokens."
        )

    return check


def _nine_characters(body: Body) -> Behaviour | None:
    for message in body["messages"]:
        for id_ in [message.get("tool_call_id"), *(call["id"] for call in message.get("tool_calls") or [])]:
            if id_ is not None and not re.fullmatch("[a-zA-Z0-9]{9}", id_):
                return error(f"Tool call id was {id_} but must be a-z, A-Z, 0-9, with a length of 9.")
    return None


def _paired_tools(body: Body) -> Behaviour | None:
    """Every result of a tool answers a call of the turn before it, and every call has a result."""
    called: set[str] = set()
    for message in body["messages"]:
        if message["role"] == "tool":
            if message.get("tool_call_id") not in called:
                return error("messages with role 'tool' must be a response to a preceding message with 'tool_calls'.")
            called.discard(message["tool_call_id"])
        elif called:
            return error("An assistant message with 'tool_calls' must be followed by tool messages responding to each one.")
        else:
            for call in message.get("tool_calls") or []:
                called.add(call["id"])
                json.loads(call["function"]["arguments"])
    return None


def _raw_thoughts_with_tools(body: Body) -> Behaviour | None:
    if "tools" in body and body.get("reasoning_format") == "raw":
        return error("`reasoning_format` must be parsed or hidden with tools")
    return None


def _off_in_template(body: Body) -> bool:
    return (body.get("chat_template_kwargs") or {}).get("enable_thinking") is False or "continue_final_message" in body


def _is_none(body: Body) -> bool:
    return body.get("reasoning_effort") == "none"


def _listing(model: str, owner: str) -> dict[str, Any]:
    return {"object": "list", "data": [{"id": model, "object": "model", "created": 1700000000, "owned_by": owner}]}


# -- the providers -----------------------------------------------------------------------------------------------------------

_QWEN = "qwen3:8b"
_HYBRID = "Qwen/Qwen3-8B"
_O_SERIES = (
    unsupported("max_tokens", "max_completion_tokens"),
    only_one("temperature"),
    unsupported("stop"),
    levels("reasoning_effort", "low", "medium", "high"),
)

_ALL = (
    Provider("openai", "gpt-4o", {"server": "openai"}, checks=[levels("reasoning_effort"), _paired_tools]),
    Provider(
        "o-series",
        "o4-mini",
        {"server": "openai"},
        LONG_THOUGHTS,
        checks=[
            *_O_SERIES,
            unsupported("top_p"),
            if_any(["logprobs"], "You are not allowed to request logprobs from this model", status=403),
            _paired_tools,
        ],
        counts="details",
    ),
    Provider(
        "o-series, in words",
        "o3",
        {"server": "other", "json_schema": "yes", "logprobs": "yes", "tools": "yes"},
        LONG_THOUGHTS,
        checks=[
            if_any(
                ["max_tokens"],
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            ),
            if_any(["logprobs"], "logprobs are not supported with reasoning models", status=403),
            lambda body: (
                error("`temperature` does not support 0 with this model", status=422)
                if body.get("temperature", 1) != 1
                else None
            ),
            if_any(["stop"], "'stop' is not supported with this model."),
        ],
    ),
    Provider(
        "azure",
        "my-deployment",
        {"server": "openai"},
        LONG_THOUGHTS,
        checks=_O_SERIES,
        counts="details",
        own_fields={"prompt_filter_results": [{"prompt_index": 0, "content_filter_results": {}}]},
    ),
    Provider("<think>", _HYBRID, {}, THOUGHTS, "content", cuts_thoughts=True),
    Provider("<think>, opened by the template", "my-reasoner", {}, THOUGHTS, "inside", cuts_thoughts=True),
    Provider("reasoning_content", _HYBRID, {}, THOUGHTS, "reasoning_content", cuts_thoughts=True),
    Provider("reasoning", _HYBRID, {}, THOUGHTS, "reasoning", cuts_thoughts=True),
    Provider(
        "ollama",
        _QWEN,
        {},
        THOUGHTS,
        "reasoning",
        is_off=_is_none,
        checks=[levels("reasoning_effort", "none", "low", "medium", "high")],
        cuts_thoughts=True,
        own_fields={"system_fingerprint": "fp_ollama"},
        gets={"/v1/models": _listing(_QWEN, "someone"), "/api/version": {"version": "0.12.6"}},
        posts={"/api/show": lambda body: {"capabilities": ["completion", "tools", "thinking"]}},
    ),
    Provider(
        "ollama, a model without tools",
        "gemma3:4b",
        {},
        checks=[
            if_any(["reasoning_effort"], '"gemma3:4b" does not support thinking'),
            if_any(["tools"], "registry.ollama.ai/library/gemma3:4b does not support tools"),
        ],
        gets={"/v1/models": _listing("gemma3:4b", "library")},
        posts={"/api/show": lambda body: {"capabilities": ["completion", "vision"]}},
    ),
    Provider(
        "vllm",
        _HYBRID,
        {},
        THOUGHTS,
        "reasoning_content",
        is_off=_off_in_template,
        checks=[
            if_any(["tools"], '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
            _context(8192),
        ],
        cuts_thoughts=True,
        own_fields={"kv_transfer_params": None},
        headers={"Server": "uvicorn"},
        gets={"/v1/models": _listing(_HYBRID, "vllm")},
    ),
    Provider(
        "sglang",
        _HYBRID,
        {},
        THOUGHTS,
        "reasoning_content",
        is_off=_off_in_template,
        counts="details",
        cuts_thoughts=True,
        gets={"/v1/models": _listing(_HYBRID, "sglang")},
    ),
    Provider(
        "lmstudio",
        "qwen3-4b-thinking-2507",
        {},
        THOUGHTS,
        "content",
        cuts_thoughts=True,
        own_fields={"stats": {}},
        gets={"/v1/models": _listing("qwen3-4b-thinking-2507", "organization_owner")},
    ),
    Provider(
        "llama.cpp",
        "Qwen3-8B-Q4_K_M.gguf",
        {},
        THOUGHTS,
        "reasoning_content",
        is_off=_off_in_template,
        checks=[_no_prefill_while_thinking],
        cuts_thoughts=True,
        own_fields={"timings": {"cache_n": 0}},
        headers={"Server": "llama.cpp"},
        gets={"/v1/models": _listing("Qwen3-8B-Q4_K_M.gguf", "llamacpp")},
    ),
    Provider(
        "gemini",
        "gemini-2.5-pro",
        {"server": "gemini"},
        LONG_THOUGHTS,
        checks=[_unknown_to_gemini("seed", "logprobs", "top_logprobs"), levels("reasoning_effort", "low", "medium", "high")],
        counts="total",
    ),
    Provider(
        "anthropic",
        "claude-sonnet-4-5",
        {"server": "anthropic"},
        LONG_THOUGHTS,
        is_off=lambda body: (body.get("thinking") or {}).get("type") != "enabled",
        checks=[_blank_stops, _thinking_budget, _both_samplings, _no_prefill],
    ),
    Provider(
        "openrouter",
        "qwen/qwen3-235b-a22b",
        {"server": "openrouter"},
        THOUGHTS,
        "reasoning_details",
        is_off=lambda body: (body.get("reasoning") or {}).get("effort") == "none",
        counts="details",
        own_fields={"provider": "Somebody"},
    ),
    Provider(
        "litellm",
        "gpt-5",
        {},
        LONG_THOUGHTS,
        checks=[_in_litellm, levels("reasoning_effort", "minimal", "low", "medium", "high")],
        counts="details",
        headers={"x-litellm-version": "1.80.0"},
        gets={"/v1/models": {"data": [{"id": "gpt-5", "object": "model", "created": 1677610602, "owned_by": "openai"}]}},
    ),
    Provider(
        "mistral",
        "magistral-small-latest",
        {"server": "mistral"},
        THOUGHTS,
        "parts",
        checks=[
            forbidden("seed", "stream_options", "logprobs"),
            levels("reasoning_effort", "high"),
            _no_prefill,
            _nine_characters,
        ],
    ),
    Provider(
        "groq",
        "qwen/qwen3-32b",
        {"server": "groq"},
        THOUGHTS,
        lambda body: "reasoning" if body.get("reasoning_format") == "parsed" else "content",
        is_off=_is_none,
        checks=[
            _raw_thoughts_with_tools,
            if_any(["logprobs"], "`logprobs` is not supported with this model"),
            if_any(["response_format"], "This model does not support response format `json_schema`. See supported models"),
            levels("reasoning_effort", "none", "default"),
        ],
        own_fields={"x_groq": {"id": "req_1"}},
    ),
    Provider(
        "deepseek",
        "deepseek-chat",
        {"server": "deepseek"},
        THOUGHTS,
        "reasoning_content",
        is_off=lambda body: (body.get("thinking") or {}).get("type") == "disabled",
        checks=[_no_json_schema, if_any(["logprobs"], "deepseek-reasoner does not support logprobs"), _wants_thoughts_back],
        counts="details",
    ),
    Provider(
        "together",
        "Qwen/Qwen3.5-9B",
        {"server": "together"},
        THOUGHTS,
        "reasoning",
        is_off=lambda body: (body.get("reasoning") or {}).get("enabled") is False,
    ),
)

PROVIDERS: Mapping[str, Provider] = {one.name: one for one in _ALL}


@asynccontextmanager
async def connected(provider: Provider, says: Says, **options: Any) -> AsyncIterator[tuple[OpenAICompatible, ScriptedServer]]:
    """A client of a provider, and the server, while the `async with` lasts."""
    async with ScriptedServer(provider.saying(says), takes_gets=True) as server:
        llm = client_of(provider, server.base_url, **options)
        try:
            yield llm, server
        finally:
            await llm.close()


def client_of(provider: Provider, base_url: str, **options: Any) -> OpenAICompatible:
    """A client of a provider at an address."""
    return OpenAICompatible(**{"model": provider.model, "base_url": base_url, **provider.options, **options})


def in_turn(replies: Sequence[str | Said]) -> Says:
    """Says one reply after the other; the same messages, sent again, get the same reply."""
    waiting, known = iter(replies), {}

    def says(messages: Messages) -> str | Said:
        key = json.dumps(messages, sort_keys=True)
        if key not in known:
            known[key] = next(waiting)
        return known[key]

    return says


def bodies(server: ScriptedServer) -> list[Body]:
    """The requests for replies that came in."""
    return [request.body for request in server.requests if "messages" in request.body]


def names(found: Sequence[Provider] = _ALL) -> list[str]:
    """The names of the providers."""
    return [one.name for one in itertools.chain(found)]
