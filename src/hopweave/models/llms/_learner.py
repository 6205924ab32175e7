"""Learns from what comes back: what a model refuses, whether it thinks, how much room there is; and judges empty replies."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hopweave.core.errors import ModelError
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Reply, Usage
from hopweave.models.llms._address import Wire
from hopweave.models.llms._failures import (
    ended_within_thoughts,
    is_too_long,
    nothing_but_thoughts,
    refused_to_reply,
    withheld,
)
from hopweave.models.llms._learnt import Learnt, Memory
from hopweave.models.llms._plan import MIN_ROOM, Plan, Request, is_cut_off, may_begin_inside, plan_of
from hopweave.models.llms._refusals import Refusal, clashes_with_prefill, exceeds_limit, wants_thoughts_back
from hopweave.models.llms._request_body import limit_name
from hopweave.models.llms._servers import LIMITS, nearest_level
from hopweave.models.llms._wire import Parsed

_CONTEXT = lazy_pattern(
    r"context (?:size|length|window) (?:is |of )?\(?(\d{3,7})|context limit: \d{1,8} \+ \d{1,8} > (\d{3,7})", re.IGNORECASE
)
_WITHHELD = frozenset({"content_filter", "safety", "recitation", "prohibited_content", "blocklist", "refusal"})
_log = logging.getLogger(__name__)


class Learner:
    """Adds to the memory of a model, and says so once.

    Args:
        memory: what is known of the model.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._has_told = False

    @property
    def known(self) -> Learnt:
        """What is known now."""
        return self._memory.known

    def tell(self, wire: Wire) -> None:
        """Says once what is known from an earlier process, since it affects the replies."""
        if self._has_told:
            return
        self._has_told = True
        known = self.known
        refused = sorted(known.refused - {*LIMITS, "stream_options"})
        refused += [f"thinking = {wire.thinking}"] if wire.thinking in known.levels else []
        if refused:
            names = ", ".join(refused)
            _log.warning("%s at %s is known to refuse %s; continuing without it", wire.model, wire.shown, names)

    def refused(self, wire: Wire, refusal: Refusal, plan: Plan) -> None:
        """Remembers that a model does not accept a field, or a level of thinking."""
        before = self.known
        if refusal.value and plan.level != "auto":
            self._memory.learn(Learnt(levels=frozenset({plan.level})))
            instead = nearest_level(plan.level, self.known.levels)
            how = "leaving it to the endpoint" if instead == "auto" else f"trying {instead}"
            _log.warning("%s at %s does not take the level %s of thinking; %s", wire.model, wire.shown, plan.level, how)
            return
        self._memory.learn(Learnt(refused=frozenset({refusal.name})))
        if refusal.name in before.refused:  # a concurrent call was faster
            return
        other = limit_name(wire, self.known.refused) if refusal.name in LIMITS else None
        how = f"sending {other} in its place" if other else "continuing without it"
        _log.warning("%s at %s refuses %s; %s", wire.model, wire.shown, refusal.name, how)

    def adapts(self, wire: Wire, request: Request, plan: Plan, status: int, text: str, sent: Mapping[str, Any]) -> bool:
        """Whether an error response tells how to make the request otherwise, which is then remembered.

        There is too much room for thoughts, or thoughts of earlier turns are missing, or a begun turn needs no thought.
        """
        if plan.room and (exceeds_limit(status, text, sent) or is_too_long(status, text)):
            self._leave_less_room(wire, request, plan, text, is_context=is_too_long(status, text))
        elif not plan.sends_thoughts_back and wants_thoughts_back(status, text):
            self._memory.learn(Learnt(wants_thoughts_back=True))
        elif plan.mode == "prefill" and not plan.fields and clashes_with_prefill(status, text):
            self._memory.learn(Learnt(thinks=frozenset({"on"})))
        else:
            return False
        return True

    def _leave_less_room(self, wire: Wire, request: Request, plan: Plan, text: str, *, is_context: bool) -> None:
        """Remembers that a request asked for too many tokens: of all, if the context is too short, or of new ones."""
        limit, stated = request.sampling.max_tokens, _CONTEXT.search(text)
        less = plan.room // 2 if plan.room // 2 >= MIN_ROOM else 0
        if is_context:
            asked = request.num_prompt_tokens + limit + plan.room
            most = int(stated[1] or stated[2]) if stated is not None else asked
            self._memory.learn(Learnt(max_total=most if most < asked else asked - plan.room + less))
        else:
            self._memory.learn(Learnt(max_new=limit + less))
        room = plan_of(wire, self.known, request).room
        _log.warning(
            "%s at %s does not give %d tokens on top of the reply's; leaving %d for thoughts",
            wire.model,
            wire.shown,
            plan.room,
            room,
        )

    def replied(self, wire: Wire, found: Sequence[Parsed], plan: Plan) -> None:
        """Remembers whether a model thinks, and how its thoughts begin."""
        known, new = self.known, Learnt()
        thinks = any(one.has_thoughts for one in found)
        has_replied = any(one.reply.text and not is_cut_off(one.reply.finish_reason) for one in found)
        if thinks and plan.mode not in known.thinks:
            new = replace(new, thinks=frozenset({plan.mode}))
        if not thinks and has_replied and plan.mode == "off" and not known.is_quiet_when_off:
            new = replace(new, is_quiet_when_off="off" not in known.thinks)
        begins_inside = {one.begins_inside for one in found if one.reply.thoughts} - {None}
        if not thinks and has_replied and plan.mode == "on":
            begins_inside = {False}
        if len(begins_inside) == 1 and begins_inside != {may_begin_inside(wire, known)}:
            new = replace(new, begins_inside=begins_inside.pop())
        if new != Learnt():
            self._memory.learn(new)


def is_used_up(wire: Wire, found: Sequence[Parsed], sent: Mapping[str, Any]) -> bool:
    """Whether thoughts used up the limit of a reply that had no room for them, or a stop string cut it within them."""
    if any(one.reply.tool_calls for one in found):
        return False
    if all(is_cut_off(one.reply.finish_reason) for one in found):
        are_thoughts = any(one.has_thoughts for one in found)
        return are_thoughts and wire.max_thinking_tokens > 0
    return "stop" in sent and all(one.has_thoughts and one.is_bare for one in found)


def again(request: Request, found: Sequence[Parsed]) -> Request:
    """The same request with room for thoughts. What was shown cannot be retracted, so the rest is then not shown."""
    is_shown = any(one.reply.text for one in found)
    return replace(request, is_again=True, on_text=None if is_shown else request.on_text)


def checked(wire: Wire, found: Sequence[Parsed], spent: Usage, *, may_be_thoughts: bool) -> list[Reply]:
    """The replies, with what an earlier attempt has spent. Of several, one that a filter cut short is empty.

    Args:
        wire: the endpoint.
        found: what it sent.
        spent: by an earlier attempt.
        may_be_thoughts: whether the prompt asks for thoughts between tags, so that a reply may end within them.

    Raises:
        ModelError: if all are withheld, or empty for a reason.
    """
    problems = [_problem(wire, one, may_be_thoughts=may_be_thoughts) for one in found]
    if problems[0] is not None and None not in problems:
        raise problems[0]
    replies = [
        one.reply if problem is None else replace(one.reply, text="", logprobs=(), tool_calls=())
        for one, problem in zip(found, problems, strict=True)
    ]
    return [replace(replies[0], usage=sum_of([spent, replies[0].usage])), *replies[1:]]


def _problem(wire: Wire, parsed: Parsed, *, may_be_thoughts: bool) -> ModelError | None:
    reply = parsed.reply
    is_empty = not reply.text and parsed.is_bare
    if is_empty and parsed.refusal:
        return refused_to_reply(wire, parsed.refusal)
    if reply.finish_reason.lower() in _WITHHELD:  # what there is of it is not what the model said
        return withheld(wire, reply.finish_reason)
    if not is_empty:
        return None
    if is_cut_off(reply.finish_reason) and parsed.has_thoughts:
        return nothing_but_thoughts(wire, reply.usage.completion_tokens)
    return ended_within_thoughts(wire) if reply.thoughts and not may_be_thoughts else None


def sum_of(usages: Sequence[Usage]) -> Usage:
    """What several requests took together."""
    return Usage(
        sum(one.prompt_tokens for one in usages),
        sum(one.completion_tokens for one in usages),
        sum(one.cached_tokens for one in usages),
        thinking_tokens=sum(one.thinking_tokens for one in usages),
    )
