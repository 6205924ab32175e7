"""What kinds of servers there are, and how they differ: the one table of their abilities, limits and ways to ask for thought.

To add a kind, add its name to `Server` and a row to `KINDS`; everything else follows. What a single model refuses is not in the
table: it is learnt from the refusal (`_refusals`, `_learnt`).

Thinking is asked for in the words of each kind:

| kind | off | a level |
|---|---|---|
| openai, gemini, mistral, litellm, lmstudio, other | `reasoning_effort: "none"` | `reasoning_effort` |
| groq | the same | the same, with `reasoning_format: "parsed"` |
| ollama | `reasoning_effort: "none"`, `think: false` | `reasoning_effort` |
| vllm, sglang, llama.cpp | `chat_template_kwargs: {"enable_thinking": false, "thinking": false}` | the same with true |
| the same, with gpt-oss | `reasoning_effort: "low"` | `reasoning_effort`, also in `chat_template_kwargs` |
| openrouter | `reasoning: {"effort": "none", "enabled": false}` | `reasoning: {"effort"}` |
| together | `reasoning: {"enabled": false}` | `reasoning_effort` |
| deepseek | `thinking: {"type": "disabled"}` | `thinking: {"type": "enabled"}` |
| anthropic | `thinking: {"type": "disabled"}` | `thinking: {"type": "enabled", "budget_tokens"}` |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

Server = Literal[
    "openai",
    "anthropic",
    "gemini",
    "openrouter",
    "mistral",
    "groq",
    "deepseek",
    "together",
    "litellm",
    "ollama",
    "vllm",
    "sglang",
    "lmstudio",
    "llama.cpp",
    "other",
]
"""Kinds of servers that differ in behaviour. Azure behaves as OpenAI does."""

Level = Literal["auto", "off", "minimal", "low", "medium", "high"]
"""How much a model is to think; `auto` leaves it to the endpoint."""

Limit = Literal["max_tokens", "max_completion_tokens"]

LEVELS: tuple[Level, ...] = get_args(Level)
LIMITS: tuple[Limit, ...] = get_args(Limit)

_NEAREST: Mapping[Level, tuple[Level, ...]] = {
    "off": ("off", "minimal", "low"),
    "minimal": ("minimal", "low", "medium", "high"),
    "low": ("low", "minimal", "medium", "high"),
    "medium": ("medium", "low", "high"),
    "high": ("high", "medium", "low"),
}
_MIN_BUDGET_TOKENS = 1024  # Anthropic's
SHARES: Mapping[Level, int] = {"auto": 1, "high": 1, "medium": 2, "low": 4, "minimal": 8}
"""For each level, the share of the most tokens of thoughts that a model may think with: one in so many."""

Fields = dict[str, Any]
Ask = Callable[[Level, str, int], Fields]
"""The fields that ask a model to think: from the level, the model's name, and the most tokens that it may think with."""


def _effort(level: Level, _model: str, _max_tokens: int) -> Fields:
    return {"reasoning_effort": "none" if level == "off" else level}


def _effort_in_groq(level: Level, model: str, max_tokens: int) -> Fields:
    return _effort(level, model, max_tokens) | ({} if level == "off" else {"reasoning_format": "parsed"})


def _effort_in_ollama(level: Level, _model: str, _max_tokens: int) -> Fields:
    # `think: false` alone is ignored by some versions of its OpenAI door, and `reasoning_effort` by others.
    return {"reasoning_effort": "none", "think": False} if level == "off" else {"reasoning_effort": _above_minimal(level)}


def _in_template(level: Level, model: str, _max_tokens: int) -> Fields:
    is_on = level != "off"
    if "gpt-oss" in model.lower():  # which cannot be switched off, and whose template takes the effort
        effort = _above_minimal(level) if is_on else "low"
        return {"reasoning_effort": effort, "chat_template_kwargs": {"reasoning_effort": effort}}
    return {"chat_template_kwargs": {"enable_thinking": is_on, "thinking": is_on}}


def _reasoning_object(level: Level, _model: str, _max_tokens: int) -> Fields:
    return {"reasoning": {"effort": "none", "enabled": False} if level == "off" else {"effort": level}}


def _in_together(level: Level, _model: str, _max_tokens: int) -> Fields:
    return {"reasoning": {"enabled": False}} if level == "off" else {"reasoning_effort": _above_minimal(level)}


def _thinking_type(level: Level, _model: str, _max_tokens: int) -> Fields:
    return {"thinking": {"type": "disabled" if level == "off" else "enabled"}}


def _budget(level: Level, _model: str, max_tokens: int) -> Fields:
    if level == "off":
        return {"thinking": {"type": "disabled"}}
    budget = max(_MIN_BUDGET_TOKENS, max_tokens // SHARES[level])
    return {"thinking": {"type": "enabled", "budget_tokens": budget}} if budget <= max_tokens else {}


def _above_minimal(level: Level) -> Level:
    return "low" if level == "minimal" else level


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of server.

    Attributes:
        hosts: domains where it is found, with their subdomains.
        port: its usual port.
        owned_by: what it says of its models in a listing (`GET /models`).
        start: the command that starts one.
        prefill: continues a final assistant turn.
        logprobs: reports log-probabilities of tokens.
        json_schema: constrains a reply to a schema.
        samples: draws several replies in one request.
        scores: reports log-probabilities of a given text.
        tools: calls tools without special flags on the server's side.
        limit: the name of the limit on new tokens.
        max_stops: the most stop strings that it takes, if limited.
        takes_blank_stops: whether a stop string may consist of whitespace.
        takes_fields_to_continue: whether a prefill needs fields that say so.
        takes_schema_with_tools: whether one request may have both.
        wants_thoughts_back: whether the thoughts of an assistant turn with tool calls have to be sent back.
        samples_freely_while_thinking: whether a request for thought may have a temperature and `top_p`.
        hides_thinking_tokens: whether only the total of the usage includes the tokens of thoughts.
        thinking: asks a model to think.
    """

    hosts: tuple[str, ...] = ()
    port: int = 0
    owned_by: tuple[str, ...] = ()
    start: str = ""
    prefill: bool = False
    logprobs: bool = False
    json_schema: bool = False
    samples: bool = False
    scores: bool = False
    tools: bool = True
    limit: Limit = "max_tokens"
    max_stops: int | None = None
    takes_blank_stops: bool = True
    takes_fields_to_continue: bool = False
    takes_schema_with_tools: bool = False
    wants_thoughts_back: bool = False
    samples_freely_while_thinking: bool = True
    hides_thinking_tokens: bool = False
    thinking: Ask = _effort


KINDS: Mapping[Server, Kind] = {
    "openai": Kind(
        hosts=("openai.com", "openai.azure.com", "cognitiveservices.azure.com", "services.ai.azure.com"),
        logprobs=True,
        json_schema=True,
        samples=True,
        limit="max_completion_tokens",
        max_stops=4,
        takes_schema_with_tools=True,
    ),
    # Its OpenAI door ignores schemas and log-probabilities, and answers a stop string of whitespace with an error.
    "anthropic": Kind(
        hosts=("api.anthropic.com",), takes_blank_stops=False, samples_freely_while_thinking=False, thinking=_budget
    ),
    "gemini": Kind(hosts=("generativelanguage.googleapis.com",), json_schema=True, max_stops=5, hides_thinking_tokens=True),
    "openrouter": Kind(hosts=("openrouter.ai",), json_schema=True, max_stops=4, thinking=_reasoning_object),
    "mistral": Kind(hosts=("api.mistral.ai",), json_schema=True),
    "groq": Kind(hosts=("api.groq.com",), json_schema=True, max_stops=4, thinking=_effort_in_groq),
    # It has no schemas, only `json_object`.
    "deepseek": Kind(
        hosts=("api.deepseek.com",), logprobs=True, max_stops=16, wants_thoughts_back=True, thinking=_thinking_type
    ),
    "together": Kind(hosts=("api.together.xyz", "api.together.ai"), json_schema=True, thinking=_in_together),
    "litellm": Kind(port=4000, start="litellm --model MODEL", json_schema=True, max_stops=4, takes_fields_to_continue=True),
    "ollama": Kind(port=11434, owned_by=("library",), start="ollama serve", json_schema=True, thinking=_effort_in_ollama),
    # Tools need flags of its own when it is started; without them, a request with tools is refused.
    "vllm": Kind(
        port=8000,
        owned_by=("vllm",),
        start="vllm serve MODEL",
        prefill=True,
        logprobs=True,
        json_schema=True,
        samples=True,
        scores=True,
        tools=False,
        takes_fields_to_continue=True,
        thinking=_in_template,
    ),
    "sglang": Kind(
        port=30000,
        owned_by=("sglang",),
        start="python -m sglang.launch_server --model-path MODEL",
        prefill=True,
        logprobs=True,
        json_schema=True,
        samples=True,
        tools=False,
        takes_fields_to_continue=True,
        thinking=_in_template,
    ),
    "lmstudio": Kind(port=1234, owned_by=("organization_owner",), start="lms server start", json_schema=True),
    "llama.cpp": Kind(
        port=8080,
        owned_by=("llamacpp",),
        start="llama-server -m FILE",
        prefill=True,
        logprobs=True,
        json_schema=True,
        thinking=_in_template,
    ),
    "other": Kind(tools=False, takes_fields_to_continue=True),
}

THINKING_FIELDS = frozenset({"reasoning_effort", "reasoning_format", "reasoning", "think", "thinking", "chat_template_kwargs"})
"""Request fields that say how much to think."""


def server_of_host(host: str, port: int | None) -> Server:
    """The kind of server that a host suggests, or its port; `other` if neither does."""
    for name, kind in KINDS.items():
        if any(host == one or host.endswith(f".{one}") for one in kind.hosts):
            return name
    return next((name for name, kind in KINDS.items() if kind.port and kind.port == port), "other")


def nearest_level(level: Level, refused: frozenset[str]) -> Level:
    """The level to ask for where some are refused: the nearest that is not, or `auto` if there is none."""
    return next((one for one in _NEAREST.get(level, ()) if one not in refused), "auto")
