"""Methods against one of them, question by question: differences, intervals and tests, as `compare` and `ranking` give them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hopweave.core.types import Column
from hopweave.evaluation.scoring.counted import Counted
from hopweave.evaluation.scoring.results import (
    NO_DIFFERENCE,
    NO_PAIRS,
    NOT_TOLD_APART,
    TOO_FEW_PAIRS,
    Comparison,
    Interval,
)
from hopweave.evaluation.scoring.statistics import (
    CONFIDENCE,
    NUM_RESAMPLES,
    bootstrap_means,
    effect_size,
    holm,
    least_p,
    mcnemar,
    mean_interval,
    minimum_detectable,
    percentile_interval,
    sign_flip_tests,
)

_LEVEL = 1 - CONFIDENCE


@dataclass(frozen=True, slots=True)
class Pairing:
    """A column on the questions of a dataset, by method, the baseline first.

    Attributes:
        dataset: its label.
        name: of the column.
        column: its range and direction.
        order: the ids of the questions.
        of_method: the values of each method.
        seed: of the bootstrap and the permutations, and `num_resamples` their number.
    """

    dataset: str
    name: str
    column: Column
    order: Sequence[str]
    of_method: Mapping[str, Counted]
    seed: int = 0
    num_resamples: int = NUM_RESAMPLES

    def rows(self) -> tuple[Comparison, ...]:
        """Each method against the baseline, corrected by Holm's method over the methods.

        Raises:
            DataError: if there are 2^18 questions or more.
        """
        compared = self._compared()
        corrected = holm([row.p for row in compared])
        return self._concluded(compared, corrected, sum(row.p is not None for row in compared))

    def rows_of_best(self) -> tuple[Comparison, ...]:
        """Each method against a baseline that was chosen because its mean is the best.

        Every pair of methods might have been the one to look at, so p is corrected for all of them (Bonferroni).

        Raises:
            DataError: if there are 2^18 questions or more.
        """
        compared, num = self._compared(), len(self.of_method)
        num_tests = num * (num - 1) // 2
        corrected = [None if row.p is None else min(1.0, row.p * num_tests) for row in compared]
        return self._concluded(compared, corrected, num_tests)

    def _concluded(
        self, compared: Sequence[Comparison], corrected: Sequence[float | None], num_tests: int
    ) -> tuple[Comparison, ...]:
        better = self.column.better
        rows = (dataclasses.replace(row, p_holm=p) for row, p in zip(compared, corrected, strict=True))
        return tuple(dataclasses.replace(row, says=_said(row, better, num_tests)) for row in rows)

    def _compared(self) -> list[Comparison]:
        (baseline, base), *others = self.of_method.items()
        pairs = {method: _Pairs(self.order, self.column, own, base) for method, own in others}
        draws = {"num_resamples": self.num_resamples, "seed": self.seed}
        means = bootstrap_means([one.differences for one in pairs.values()], **draws)
        waiting = [method for method, one in pairs.items() if not one.is_binary]
        flipped = sign_flip_tests([pairs[method].differences for method in waiting], **draws)
        p_flipped = dict(zip(waiting, flipped, strict=True))
        num_tests = sum(bool(one.values) for one in pairs.values())
        rows = []
        for (method, one), its_means in zip(pairs.items(), means, strict=True):
            num = len(one.values)
            row = Comparison(self.dataset, self.name, method, baseline, num, len(self.order) - num, None)
            rows.append(_compared(row, one, its_means, p_flipped.get(method), num_tests) if num else row)
        return rows


@dataclass(frozen=True, slots=True)
class _Pairs:
    """A method and the baseline on the same questions, in their order."""

    order: Sequence[str]
    column: Column
    own: Counted
    base: Counted

    @property
    def values(self) -> list[tuple[float, float]]:
        """The values of both on the questions that count for both."""
        own, base = self.own.values, self.base.values
        return [(own[asked], base[asked]) for asked in self.order if asked in own and asked in base]

    @property
    def differences(self) -> list[float | None]:
        own, base = self.own.values, self.base.values
        return [own[asked] - base[asked] if asked in own and asked in base else None for asked in self.order]

    @property
    def is_binary(self) -> bool:
        return all(value in (0.0, 1.0) for pair in self.values for value in pair)

    @property
    def answered(self) -> list[float]:
        """The differences on the questions that both answered."""
        failed = self.own.failed | self.base.failed
        pairs = zip(self.order, self.differences, strict=True)
        return [one for asked, one in pairs if one is not None and asked not in failed]

    @property
    def bounds(self) -> Interval | None:
        """The mean difference if everything failed or unscored were the least for one and the most for the other."""
        low, high = self.column.low, self.column.high
        own, base = self.own.answered, self.base.answered
        is_open = (self.own.failed | self.own.unscored, self.base.failed | self.base.unscored)
        asked = [one for one in self.order if (one in own or one in is_open[0]) and (one in base or one in is_open[1])]
        if all(one in own and one in base for one in asked) or not (math.isfinite(low) and math.isfinite(high)):
            return None
        least = math.fsum(own.get(one, low) - base.get(one, high) for one in asked) / len(asked)
        most = math.fsum(own.get(one, high) - base.get(one, low) for one in asked) / len(asked)
        return Interval(least, most)


def _compared(row: Comparison, pairs: _Pairs, means: Sequence[float], p_flipped: float | None, num_tests: int) -> Comparison:
    of_pairs = [one for one in pairs.differences if one is not None]
    column, answered = pairs.column, pairs.answered
    sign = -1.0 if column.better == "lower" else 1.0
    wins, losses = sum(sign * one > 0 for one in of_pairs), sum(sign * one < 0 for one in of_pairs)
    p, p_mid = (p_flipped, None) if p_flipped is not None else mcnemar(wins, losses)
    width = column.high - column.low
    return dataclasses.replace(
        row,
        difference=math.fsum(of_pairs) / len(of_pairs),
        interval=mean_interval(of_pairs, means, low=-width, high=width),
        test="permutation" if p_flipped is not None else "McNemar",
        p=p,
        minimum_detectable=minimum_detectable(of_pairs, level=_LEVEL / num_tests),
        num_failed=len(of_pairs) - len(answered),
        difference_answered=math.fsum(answered) / len(answered) if answered else None,
        bounds=pairs.bounds,
        mean=math.fsum(own for own, _ in pairs.values) / len(of_pairs),
        baseline_mean=math.fsum(base for _, base in pairs.values) / len(of_pairs),
        num_wins=wins,
        num_losses=losses,
        percentile_interval=percentile_interval(means) if len(set(of_pairs)) > 1 else None,
        p_mid=p_mid,
        effect_size=effect_size(of_pairs),
    )


def _said(row: Comparison, better: str, num_tests: int) -> str:
    if row.p is None or row.p_holm is None or row.difference is None:
        return NO_PAIRS
    if not row.num_wins + row.num_losses:
        return NO_DIFFERENCE
    if least_p(row.num_pairs) * num_tests > _LEVEL:
        return f"{TOO_FEW_PAIRS}: {row.num_pairs} cannot tell anything apart, whatever they say"
    if row.p_holm > _LEVEL:
        return NOT_TOLD_APART
    if not better:
        return "different; neither way is better"
    return "better" if (row.difference > 0) == (better == "higher") else "worse"
