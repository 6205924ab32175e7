"""A language model that takes a while and says something new each time. It keeps nothing of what it was asked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from hopweave.protocols import OnText
from hopweave.types import Abilities, Message, Reply, Sampling, Usage


def sentence(number: int) -> str:
    """A sentence of reasoning that no other question and no other step has."""
    return f"The light of Carrow Head was designed by engineer {number} of Marlow Cross."


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
