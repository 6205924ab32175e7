"""Finds out what a language model can do, with one small question and a few more tiny calls.

Nothing that is asked has to be known or understood well: a model that replies at all can name a capital, fill in a schema, call
a tool that it is told to call, and continue a word.
"""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args, get_type_hints

from hopweave.core.errors import HopweaveError
from hopweave.core.protocols import LanguageModel, Opens, Probes, is_part
from hopweave.core.types import Message, Reply, Sampling, Tool

_QUESTION = (Message("user", "What is the capital of France? Answer with one word."),)
_ABOUT_JSON = (Message("user", "How many letters has the word London, and is it a city?"),)
_SCHEMA = {
    "type": "object",
    "properties": {"letters": {"type": "integer"}, "is_city": {"type": "boolean"}},
    "required": ["letters", "is_city"],
    "additionalProperties": False,
}
_TOOL = Tool(
    "population_of",
    "Looks up how many people live in a place. Call it whenever a population is asked for.",
    {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"], "additionalProperties": False},
)
_ABOUT_TOOL = (Message("user", "How many people live in Orlau? Use the tool to look it up."),)
_BEGUN = "Not Rome but Constant"  # a new turn would begin otherwise; an endpoint may repeat this, and the client removes it
_TO_CONTINUE = (
    Message("user", "Which city was the capital of the Byzantine Empire? Answer with one word."),
    Message("assistant", _BEGUN),
)
_MUCH_THOUGHT = 400
"""Tokens of thoughts about the first question: more than anyone needs for it."""
_CHARACTERS_PER_TOKEN = 4

_WORDS = {
    "json_schema": ("keeps to a JSON schema", "does not keep to a JSON schema"),
    "tools": ("calls tools", "does not call tools"),
    "logprobs": ("reports log-probabilities", "does not report log-probabilities"),
    "prefill": ("continues a reply that was begun for it", "does not continue a reply that was begun for it"),
}
"""Each ability in words: that the model has it, and that it does not."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that the model can do or cannot: a line about it, and the settings that follow from it."""

    line: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    is_able: bool = True


def _unable(line: str, settings: Mapping[str, Any] | None = None) -> Finding:
    return Finding(line, settings or {}, is_able=False)


class ModelCheck:
    """Examines one model.

    Args:
        llm: the model.
        settings_name: the table of its settings, such as `llms.ollama`.
        with_options: makes the same model with other options; for abilities that it does not claim.
    """

    def __init__(self, llm: LanguageModel, settings_name: str, with_options: Callable[..., LanguageModel]) -> None:
        self._llm, self._settings_name, self._with_options = llm, settings_name, with_options

    async def first(self) -> tuple[Reply, Finding]:
        """The reply to the first question, and what it says about the model.

        Raises:
            HopweaveError: if the model does not reply.
        """
        await _made_ready(self._llm)
        begun = time.perf_counter()
        num_alternatives = 3 if self._llm.abilities.logprobs else 0
        reply = await self._llm.reply(_QUESTION, Sampling(max_tokens=64, top_logprobs=num_alternatives))
        seconds = time.perf_counter() - begun
        said = f"replies: {_short(reply.text)}, in {seconds:.1f} s, with {reply.usage.completion_tokens:,} tokens"
        return reply, Finding(said) if reply.text.strip() else _unable("the reply is empty; try another model")

    async def rest(self, reply: Reply) -> list[Finding]:
        """What else the model can do, after its first reply."""
        return [
            *await self._thinking(reply),
            await self._able("json_schema", _keeps_to_schema),
            await self._able("tools", _calls_tools),
            self._with_logprobs(reply) if self._llm.abilities.logprobs else await self._able("logprobs", _reports_logprobs),
            await self._able("prefill", _continues),
            *self._size(),
        ]

    async def _thinking(self, reply: Reply) -> list[Finding]:
        num_tokens, ways = _num_thinking_tokens(reply), self._choices("thinking")
        if not num_tokens:
            return [Finding("does not think before it replies, as far as it shows")]
        suits = {"thinking": "low"} if "low" in ways and num_tokens > _MUCH_THOUGHT else {}
        found = [Finding(f"thinks before it replies: about {num_tokens:,} tokens here", suits)]
        if ways:
            found.append(Finding(f"thinks more or less with --set {self._settings_name}.thinking={'|'.join(ways)}"))
        return [*found, await self._without_thoughts()]

    async def _without_thoughts(self) -> Finding:
        try:
            reply = await self._llm.reply(_QUESTION, Sampling(max_tokens=64, thinking="off"))
        except HopweaveError as error:
            return _unable(f"does not reply if it is told not to think: {error}")
        if num_tokens := _num_thinking_tokens(reply):
            return _unable(f"thinks although it is told not to: about {num_tokens:,} tokens")
        return Finding("does not think if a step needs no thought")

    async def _able(self, ability: str, test: Callable[[LanguageModel], Awaitable[str]]) -> Finding:
        """Whether the model has an ability; one that it does not claim is tried if an option can claim it."""
        is_claimed, has_switch = bool(getattr(self._llm.abilities, ability)), self._has_switch(ability)
        able, unable = _WORDS[ability]
        if not is_claimed and not has_switch:
            return _unable(f"{unable}, and is not asked to")
        try:
            problem = await self._tried(ability, test) if not is_claimed else await test(self._llm)
        except HopweaveError as error:
            problem = str(error)
        if not problem:
            return Finding(able, {} if is_claimed else {ability: "yes"})
        return _unable(f"{unable}: {problem}", {ability: "no"} if is_claimed and has_switch else {})

    async def _tried(self, ability: str, test: Callable[[LanguageModel], Awaitable[str]]) -> str:
        llm = self._with_options(**{ability: "yes"})
        try:
            await _made_ready(llm)
            return await test(llm)
        finally:
            await llm.close()

    def _with_logprobs(self, reply: Reply) -> Finding:
        able, unable = _WORDS["logprobs"]
        if reply.logprobs:
            return Finding(able)
        return _unable(unable, {"logprobs": "no"} if self._has_switch("logprobs") else {})

    def _size(self) -> Iterator[Finding]:
        abilities, name = self._llm.abilities, self._settings_name
        if abilities.context_tokens is not None:
            yield Finding(f"context: {abilities.context_tokens:,} tokens")
        else:
            hint = f"; give it with --set {name}.context_tokens=NUMBER" if self._has_option("context_tokens") else ""
            yield _unable(f"context: unknown{hint}")
        size = (
            "small: methods ask it for little at a time" if abilities.is_small else "not small: methods ask it for all at once"
        )
        other = "no" if abilities.is_small else "yes"
        yield Finding(f"{size} (--set {name}.is_small={other} if that is wrong)" if self._has_option("is_small") else size)

    def _choices(self, option: str) -> tuple[str, ...]:
        """The values that an option may have; none if there is no such option, or it may have any."""
        if not self._has_option(option):
            return ()
        return tuple(one for one in get_args(get_type_hints(type(self._llm))[option]) if isinstance(one, str))

    def _has_option(self, option: str) -> bool:
        return option in getattr(self._llm, "__dataclass_fields__", {})

    def _has_switch(self, ability: str) -> bool:
        """Whether an option can claim or deny an ability, and does not yet."""
        return "yes" in self._choices(ability) and getattr(self._llm, ability) == "auto"


async def _made_ready(llm: LanguageModel) -> None:
    if is_part(llm, Opens):
        await llm.open()
    if is_part(llm, Probes):
        await llm.probe()


async def _keeps_to_schema(llm: LanguageModel) -> str:
    reply = await llm.reply(_ABOUT_JSON, Sampling(max_tokens=128, json_schema=_SCHEMA))
    data = _object(reply.text)
    return "" if data is not None and data.keys() == {"letters", "is_city"} else f"it replied {_short(reply.text)}"


async def _calls_tools(llm: LanguageModel) -> str:
    reply = await llm.reply(_ABOUT_TOOL, Sampling(max_tokens=256, tools=(_TOOL,)))
    if not reply.tool_calls:
        return f"told to call one, it replied {_short(reply.text)}"
    call = reply.tool_calls[0]
    is_right = call.name == _TOOL.name and "place" in (_object(call.arguments) or {})
    return "" if is_right else f"it called {_short(call.name)} with {_short(call.arguments)}"


async def _reports_logprobs(llm: LanguageModel) -> str:
    reply = await llm.reply(_QUESTION, Sampling(max_tokens=16, top_logprobs=3))
    return "" if reply.logprobs else "asked for, they did not come"


async def _continues(llm: LanguageModel) -> str:
    reply = await llm.reply(_TO_CONTINUE, Sampling(max_tokens=16, thinking="off"))
    return "" if reply.text.lower().startswith("in") else f"it continued {_BEGUN!r} with {_short(reply.text)}"


def _num_thinking_tokens(reply: Reply) -> int:
    return reply.usage.thinking_tokens or -(-len(reply.thoughts) // _CHARACTERS_PER_TOKEN)


def _object(text: str) -> dict[str, Any] | None:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _short(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 60 else f"{line[:57]}...")
