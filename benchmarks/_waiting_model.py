"""A language model that takes a while and says something new each time. It keeps nothing of what it was asked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from hopweave.core.protocols import OnText
from hopweave.core.types import Abilities, Message, Reply, Sampling, Usage

_SYLLABLES = tuple("ba ce di fo gu ha ke li mo nu pa re si to vu wa ye zi bra cle dro fli gra plo sta tre".split())  # noqa: SIM905


def name(number: int) -> str:
    """A name that no other number has."""
    syllables: list[str] = []
    while number or len(syllables) < 3:
        number, syllable = divmod(number, len(_SYLLABLES))
        syllables.append(_SYLLABLES[syllable])
    return "".join(syllables).title()


def sentence(number: int) -> str:
    """A sentence of reasoning that no other question and no other step has, about three names."""
    return f"The light of {name(number)} Head was designed by {name(7 * number + 3)} of {name(11 * number + 5)}."


@dataclass
class Waiting:
    """Replies after some seconds, however many ask."""

    seconds: float = 1.0

    def __post_init__(self) -> None:
        self._numbers = count()

    @property
    def identity(self) -> str:
        """It depends on nothing but the seconds."""
        return f"waiting:{self.seconds:g}"

    @property
    def abilities(self) -> Abilities:
        """None of them."""
        return Abilities()

    async def reply(self, messages: Sequence[Message], sampling: Sampling, on_text: OnText | None = None) -> Reply:
        """The next sentence."""
        await asyncio.sleep(self.seconds)
        said = sentence(next(self._numbers))
        return Reply(said, usage=Usage(sum(len(one.text.split()) for one in messages), len(said.split())))

    async def close(self) -> None:
        """There is nothing open."""
