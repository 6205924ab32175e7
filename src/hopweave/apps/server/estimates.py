"""How many tokens a question may use: what is reserved for it, until it has ended and they are counted.

Most of a prompt are passages and instructions, which depend on the method and its options. So a question is expected to use
what others of its kind used, and more the longer it is.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field
from statistics import fmean

from hopweave.apps.server.asking import LIMITS, Asked
from hopweave.core.memoize import Kept
from hopweave.core.types import Answer
from hopweave.run.conversation import MAX_TURN_CHARACTERS, MAX_TURNS
from hopweave.text.content_words import estimated_tokens

USUAL_TOKENS = 4000
"""What is expected while no question of a kind has been answered: what most methods use."""
_NUM_REMEMBERED = 64


def _last_ones() -> deque[int]:
    return deque(maxlen=_NUM_REMEMBERED)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the last questions of a kind used.

    Attributes:
        wholes: the tokens of those that ended without a limit.
        ends: of each, the tokens of its largest call, or those by which it exceeded `max_tokens` if they are more.
    """

    wholes: deque[int] = field(default_factory=_last_ones)
    ends: deque[int] = field(default_factory=_last_ones)


class Estimates:
    """Estimates of the tokens of questions, by what earlier ones used."""

    def __init__(self) -> None:
        self._of_kinds: Kept[_Seen] = Kept()
        self._of_methods: dict[str, _Seen] = {}

    def tokens_of(self, asked: Asked) -> int:
        """The tokens that a question is expected to use.

        With `max_tokens`, these and what the call takes that reaches them: the most that one took before. Otherwise the mean of
        what questions used. Both are of questions by the same method with the same options; as long as there are none, it is
        `USUAL_TOKENS`, or more if the method took more with other options. The tokens of the question itself come on top.
        """
        max_tokens = asked.limits.get("max_tokens")
        kind, method = self._of_kinds.get(_kind(asked)) or _Seen(), self._of_methods.get(asked.method) or _Seen()
        if max_tokens is None:
            known = fmean(kind.wholes) if kind.wholes else max(USUAL_TOKENS, fmean(method.wholes or (0,)))
        else:
            known = max_tokens + max(kind.ends or (USUAL_TOKENS, *method.ends))
        return round(known) + _own_tokens(asked)

    def learn(self, asked: Asked, answer: Answer, tokens: int, largest_call: int) -> None:
        """Remembers what a question used that was answered.

        Args:
            asked: the question.
            answer: its answer.
            tokens: that it used in all.
            largest_call: the tokens of the call that took the most.
        """
        max_tokens = asked.limits.get("max_tokens")
        beyond = tokens - round(max_tokens) if max_tokens is not None else 0
        for seen in self._seen(asked):
            seen.ends.append(max(largest_call, beyond))
            if max_tokens is None and answer.stopped_because not in LIMITS:
                seen.wholes.append(tokens)

    def _seen(self, asked: Asked) -> tuple[_Seen, _Seen]:
        kind = _kind(asked)
        of_kind = self._of_kinds.get(kind) or self._of_kinds.keep(kind, _Seen())
        return of_kind, self._of_methods.setdefault(asked.method, _Seen())


def _kind(asked: Asked) -> str:
    return json.dumps([asked.method, asked.options, asked.check], sort_keys=True)


def _own_tokens(asked: Asked) -> int:
    """The tokens of the question, and of what is read of the conversation before it."""
    earlier = (said[:MAX_TURN_CHARACTERS] for turn in asked.earlier[-MAX_TURNS:] for said in (turn.question, turn.answer))
    return sum(map(estimated_tokens, (asked.question.text, *asked.question.labels, *earlier)))
