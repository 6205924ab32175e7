"""How well confidences match outcomes: calibration error, Brier score, areas under the ROC and the risk-coverage curve."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

Scored = tuple[float, bool]
"""A confidence from 0 to 1, and whether the answer was right."""


def expected_calibration_error(scored: Sequence[Scored], num_bins: int) -> float:
    """ECE: sum over bins of |accuracy - mean confidence| times the share of answers in the bin (Naeini et al. 2015).

    Bins have equal width and are closed above; a confidence of 0 is in the first.

    >>> expected_calibration_error([(1.0, True), (1.0, False)], 10)
    0.5
    """
    bins: list[list[Scored]] = [[] for _ in range(num_bins)]
    for confidence, is_right in scored:
        # The edges k / num_bins are compared unscaled: scaling up would put 0.7 above the edge 7 / 10.
        place = next(number for number in range(1, num_bins + 1) if confidence <= number / num_bins or number == num_bins)
        bins[place - 1].append((confidence, is_right))
    gaps = [abs(sum(is_right for _, is_right in one) - sum(confidence for confidence, _ in one)) for one in bins]
    return sum(gaps) / len(scored)


def brier_score(scored: Sequence[Scored]) -> float:
    """Mean of (confidence - outcome)^2 (Brier 1950).

    >>> brier_score([(1.0, True), (0.5, False)])
    0.125
    """
    return sum((confidence - is_right) ** 2 for confidence, is_right in scored) / len(scored)


def auroc(scored: Sequence[Scored]) -> float | None:
    """The probability that a right answer has a higher confidence than a wrong one, ties half; `None` without both kinds.

    >>> auroc([(0.9, True), (0.4, False), (0.4, True)])
    0.75
    """
    num_right = sum(is_right for _, is_right in scored)
    num_wrong = len(scored) - num_right
    if not num_right or not num_wrong:
        return None
    wins, num_wrong_below = 0.0, 0
    for _, same in groupby(sorted(scored), key=lambda one: one[0]):
        outcomes = [is_right for _, is_right in same]
        num_wrong_here = outcomes.count(False)
        wins += outcomes.count(True) * (num_wrong_below + num_wrong_here / 2)
        num_wrong_below += num_wrong_here
    return wins / (num_right * num_wrong)


def selective_risks(scored: Sequence[Scored]) -> list[float]:
    """The share of wrong answers among the 1, 2, 3 ... most confident ones (El-Yaniv and Wiener 2010).

    Answers of the same confidence count as if each of them were wrong to the same degree, so their order does not matter.

    >>> selective_risks([(0.9, True), (0.4, False), (0.4, True)])
    [0.0, 0.25, 0.3333333333333333]
    """
    num_wrong = 0
    risks: list[float] = []
    for _, same in groupby(sorted(scored, key=lambda one: -one[0]), key=lambda one: one[0]):
        outcomes = [is_right for _, is_right in same]
        for place in range(1, len(outcomes) + 1):
            risks.append((num_wrong + outcomes.count(False) * place / len(outcomes)) / (len(risks) + 1))
        num_wrong += outcomes.count(False)
    return risks
