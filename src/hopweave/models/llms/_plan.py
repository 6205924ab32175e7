"""Plans one request: whether the model will think, how much room its thoughts get, and how it is told to think more or less."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.protocols import OnText
from hopweave.core.types import Message, Sampling
from hopweave.models.llms._address import Wire
from hopweave.models.llms._learnt import Learnt
from hopweave.models.llms._servers import Level, nearest_level

# Their templates open the thoughts, so that a reply cut off early has no mark at all by which it could be told from an answer.
_OPENS_THOUGHTS = lazy_pattern(
    r"deepseek-?r1|r1-distill|(?:^|[/:_-])qwq|[-_:]think(?:ing)?(?:[-_:]|$)|reasoner|qwen3\.[5-9]|minimax-m\d|exaone-deep",
    re.IGNORECASE,
)
_CHARACTERS_PER_TOKEN = 3
_TOKENS_OF_A_TURN = 8
MIN_ROOM = 256
"""With less room than this, there is no point in any."""
_CUT_OFF = frozenset({"length", "max_tokens", "model_length"})


@dataclass(frozen=True, slots=True)
class Plan:
    """How one request is made.

    Attributes:
        level: how much thought is asked for.
        fields: the request fields that ask for it.
        mode: whether the model may think (`on`), was told not to (`off`), or goes on from a prefill (`prefill`).
        expects_thoughts: whether the model thinks in this mode, as far as is known: it then gets room, and stop strings are cut
            on our side alone, since a server would also cut its thoughts.
        room: tokens on top of the limit.
        begins_inside: whether the reply begins inside thoughts.
        sends_thoughts_back: whether the thoughts of earlier turns with tool calls are sent.
    """

    level: Level = "auto"
    fields: Mapping[str, Any] = field(default_factory=dict)
    mode: str = "on"
    expects_thoughts: bool = False
    room: int = 0
    begins_inside: bool = False
    sends_thoughts_back: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """The content of one call.

    Attributes:
        messages: the conversation.
        sampling: the sampling.
        on_text: called with each piece as it arrives.
        is_streamed: whether the reply is streamed.
        num: the number of replies.
        is_again: whether an earlier attempt ended within thoughts.
    """

    messages: Sequence[Message]
    sampling: Sampling
    on_text: OnText | None = None
    is_streamed: bool = False
    num: int = 1
    is_again: bool = False

    @property
    def prefill(self) -> str:
        """The text that the model is to continue; empty if there is none."""
        return prefill_of(self.messages)

    @property
    def num_prompt_tokens(self) -> int:
        """An estimate that is seldom too low."""
        return sum(_TOKENS_OF_A_TURN + len(one.text) // _CHARACTERS_PER_TOKEN for one in self.messages)

    @property
    def salt(self) -> str:
        """Tells the tool calls of one turn from those of another."""
        return str(len(self.messages))


def prefill_of(messages: Sequence[Message]) -> str:
    """The text that the model is to continue; empty if there is none."""
    if not messages or messages[-1].role != "assistant" or messages[-1].tool_calls:
        return ""
    return messages[-1].text


def plan_of(wire: Wire, learnt: Learnt, request: Request) -> Plan:
    """How to make a request, from what is known of the model."""
    goes_on = bool(request.prefill) and wire.prefill
    thinks = thinking_modes(wire, learnt)
    level = _level(wire, learnt, request.sampling, thinks, goes_on=goes_on)
    fields = _fields(wire, learnt, level)
    mode = "prefill" if goes_on else "off" if level == "off" and fields else "on"
    is_asked_to_think = mode == "on" and level not in ("auto", "off") and bool(fields)
    # What a model was told is believed once it was seen: some servers ignore it, and would cut off or cut up the thoughts.
    may_be_ignored = mode == "off" and bool(thinks) and not learnt.is_quiet_when_off
    expects_thoughts = request.is_again or mode in thinks or is_asked_to_think or may_be_ignored
    if level == "auto" and thinks and wire.server == "groq" and "reasoning_format" not in learnt.refused:
        fields = {"reasoning_format": "parsed"}
    return Plan(
        level=level,
        fields=fields,
        mode=mode,
        expects_thoughts=expects_thoughts,
        room=_room(wire, learnt, request) if expects_thoughts else 0,
        begins_inside=(mode in thinks or may_be_ignored) and may_begin_inside(wire, learnt),
        sends_thoughts_back=wire.kind.wants_thoughts_back or learnt.wants_thoughts_back,
    )


def _room(wire: Wire, learnt: Learnt, request: Request) -> int:
    max_tokens = request.sampling.max_tokens
    limits = [wire.max_thinking_tokens]
    if learnt.max_new is not None:
        limits.append(learnt.max_new - max_tokens)
    known = [most for most in (learnt.max_total, wire.context_tokens) if most is not None]
    limits += [most - request.num_prompt_tokens - max_tokens for most in known]
    return min(limits) if min(limits) >= min(MIN_ROOM, wire.max_thinking_tokens) else 0


def thinking_modes(wire: Wire, learnt: Learnt) -> frozenset[str]:
    """The modes in which a model thinks: as learnt, or as the names of some models say."""
    return learnt.thinks | {"on"} if _OPENS_THOUGHTS.search(wire.model) else learnt.thinks


def may_begin_inside(wire: Wire, learnt: Learnt) -> bool:
    """Whether replies of a model begin inside thoughts: as learnt, or as the names of some models say."""
    return bool(_OPENS_THOUGHTS.search(wire.model)) if learnt.begins_inside is None else learnt.begins_inside


def _level(wire: Wire, learnt: Learnt, sampling: Sampling, thinks: frozenset[str], *, goes_on: bool) -> Level:
    level = wire.thinking
    # A model that was never seen to think is not told to stop: a request to it has no field that it may not know.
    if (sampling.thinking == "off" and (level != "auto" or thinks)) or (goes_on and thinks and wire.server == "llama.cpp"):
        level = "off"
    return level if level == "auto" else nearest_level(level, learnt.levels)


def _fields(wire: Wire, learnt: Learnt, level: Level) -> dict[str, Any]:
    if level == "auto" or wire.endpoint != "chat":
        return {}
    asked = wire.kind.thinking(level, wire.model, wire.max_thinking_tokens)
    return {name: value for name, value in asked.items() if name not in learnt.refused and name not in wire.extra_body}


def is_cut_off(finish_reason: str) -> bool:
    """Whether a limit ended a reply."""
    return finish_reason.lower() in _CUT_OFF
