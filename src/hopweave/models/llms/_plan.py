"""Plans one request: whether the model will think, how much room its thoughts get, and how it is told to think more or less."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hopweave.core.types import Reply, Sampling
from hopweave.models.llms._address import Wire
from hopweave.models.llms._learnt import Learnt
from hopweave.models.llms._servers import Level, nearest_level

# Their templates open the thoughts, so that a reply cut off early has no mark at all by which it could be told from an answer.
_OPENS_THOUGHTS = re.compile(r"deepseek-?r1|r1-distill|(?:^|[/:_-])qwq|[-_:]thinking(?:[-_:]|$)|reasoner", re.IGNORECASE)
_MIN_HIDDEN_TOKENS = 16
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


def plan_of(
    wire: Wire,
    learnt: Learnt,
    sampling: Sampling,
    *,
    has_prefill: bool = False,
    must_have_room: bool = False,
    max_room: int | None = None,
) -> Plan:
    """How to make a request, from what is known of the model.

    Args:
        wire: how to talk to the endpoint.
        learnt: what is known.
        sampling: what the step asks for.
        has_prefill: whether the model is to go on from a turn that was begun for it.
        must_have_room: whether an earlier attempt ended within thoughts.
        max_room: the most room that the endpoint gives, if it turned out to be limited.
    """
    goes_on = has_prefill and wire.prefill
    thinks = thinking_modes(wire, learnt)
    level = _level(wire, learnt, sampling, thinks, goes_on=goes_on)
    fields = _fields(wire, learnt, level)
    mode = "prefill" if goes_on else "off" if level == "off" and fields else "on"
    is_asked_to_think = mode == "on" and level not in ("auto", "off") and bool(fields)
    expects_thoughts = must_have_room or mode in thinks or is_asked_to_think
    if level == "auto" and thinks and wire.server == "groq" and "reasoning_format" not in learnt.refused:
        fields = {"reasoning_format": "parsed"}
    room = wire.max_thinking_tokens if expects_thoughts else 0
    return Plan(
        level=level,
        fields=fields,
        mode=mode,
        expects_thoughts=expects_thoughts,
        room=room if max_room is None else min(room, max_room),
        begins_inside=mode in thinks and may_begin_inside(wire, learnt),
        sends_thoughts_back=wire.kind.wants_thoughts_back or learnt.wants_thoughts_back,
    )


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


def is_hidden_thought(reply: Reply) -> bool:
    """Whether an empty reply that a limit ended must have consisted of thoughts that the endpoint does not show."""
    is_empty = not reply.text and not reply.tool_calls
    return is_empty and is_cut_off(reply.finish_reason) and reply.usage.completion_tokens >= _MIN_HIDDEN_TOKENS
