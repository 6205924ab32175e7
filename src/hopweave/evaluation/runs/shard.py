"""A part of a plan's questions, answered by an independent job: `2/3` is the second of three.

Of the questions that are drawn from a dataset, a shard takes every n-th. So the shards of a plan are equal in size (up to one
question), every question is in exactly one of them, and interleaving them gives the draw again, in its order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from hopweave.core.errors import SettingsError
from hopweave.core.lazy_pattern import lazy_pattern

Item = TypeVar("Item")

_FORM = lazy_pattern(r"([1-9]\d{0,4})/([1-9]\d{0,4})")


@dataclass(frozen=True, slots=True, order=True)
class Shard:
    """A shard.

    Attributes:
        count: how many shards the plan has.
        number: which of them, from 1 on.
    """

    count: int
    number: int

    @classmethod
    def of(cls, text: str) -> Shard:
        """Reads `NUMBER/COUNT`.

        Raises:
            SettingsError: if it is not of that form, or there is no such shard.
        """
        found = _FORM.fullmatch(text)
        if found is None or int(found[1]) > int(found[2]):
            raise SettingsError(f"a shard is its number and how many there are, such as 1/3, 2/3 and 3/3, not {text!r}")
        return cls(int(found[2]), int(found[1]))

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def part(self, drawn: Sequence[Item], what: str) -> list[Item]:
        """The part of what was drawn that is this shard's.

        Raises:
            SettingsError: if `drawn`, which `what` names, is too small for the number of shards.
        """
        if len(drawn) < self.count:
            raise SettingsError(
                f"{what} has {len(drawn):,} questions, too few for {self.count:,} shards; make at most {len(drawn):,}"
            )
        return list(drawn[self.number - 1 :: self.count])


def rejoined(parts: Sequence[Sequence[Item]]) -> list[Item]:
    """What was drawn, in its order.

    Args:
        parts: of each shard, in the order of their numbers.
    """
    longest = max(map(len, parts), default=0)
    return [part[place] for place in range(longest) for part in parts if place < len(part)]
