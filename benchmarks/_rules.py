"""Ticks of answers that are judged as the only claim, and what each rule of support withholds of right and of wrong ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from unittest.mock import patch

from hopweave.citations import objections
from hopweave.citations.support import judge
from hopweave.core.types import Passage
from hopweave.show.table import Table, columns, rows

HELP = "print what each rule withholds, of the choosing half"


@dataclass(slots=True)
class _Withheld:
    """The answers that a rule withholds a tick from, and how many of them would have one if it did not exist."""

    num: int = 0
    num_without: int = 0


@dataclass(slots=True)
class Judged:
    """Judges answers.

    Args:
        by_rule: whether to count what each rule withholds, which takes up to twice as long.
    """

    by_rule: bool = False
    _right: defaultdict[str, _Withheld] = field(default_factory=lambda: defaultdict(_Withheld))
    _wrong: defaultdict[str, _Withheld] = field(default_factory=lambda: defaultdict(_Withheld))

    def has_tick(self, question: str, answer: str, passages: Sequence[Passage], *, is_right: bool) -> bool:
        """Whether an answer has a tick."""
        found = judge(question, answer, passages)
        if found.support != "supported" and found.rule and self.by_rule:
            withheld = (self._right if is_right else self._wrong)[found.rule]
            withheld.num += 1
            others = tuple(rule for rule in objections.RULES if rule.says != found.rule)
            with patch.object(objections, "RULES", others):
                withheld.num_without += judge(question, answer, passages).support == "supported"
        return found.support == "supported"

    def table(self) -> Table:
        """What each rule withholds, those first without which most right answers would have a tick."""
        names = sorted({*self._right, *self._wrong}, key=lambda name: (-self._right[name].num_without, name))
        lines = [
            (name, *(str(num) for of in (self._right[name], self._wrong[name]) for num in (of.num, of.num_without)))
            for name in names
        ]
        heads = ("right withheld", "right ticked without it", "wrong withheld", "wrong ticked without it")
        return Table(columns(("rule",), heads), rows(lines))
