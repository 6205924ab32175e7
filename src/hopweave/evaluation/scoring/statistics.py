"""The statistics of paired comparisons: bootstrap intervals, McNemar's test, sign-flip permutation, Holm's correction, power.

Plain Python, and exact where it matters: sums over resamples are of whole numbers (a value is kept to 2^-44 of the greatest one
in its column), so they are the same on every machine, and one addition serves all columns at once. Values that are whole
multiples of the greatest one divided by a power of two, such as 0 and 1, are kept exactly.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import compress
from operator import itemgetter
from statistics import NormalDist
from struct import Struct

from hopweave.core.errors import DataError
from hopweave.evaluation.scoring.results import Interval

NUM_RESAMPLES = 10_000
NUM_FIGURE_RESAMPLES = 1_000
"""For figures of a whole cell, which are computed again from each resample."""
CONFIDENCE = 0.95
POWER = 0.8
MAX_EXACT_FLIPS = 15
"""Up to this many nonzero differences, every pattern of signs is tried (2^15); above, `NUM_RESAMPLES` random ones."""

Values = Sequence[float | None]
"""One value per question, in the order of the questions; `None` where there is none."""

_TAIL = (1 - CONFIDENCE) / 2
"""The share of draws on either side of an interval."""

_ONE = 1 << 44
_MAX_QUESTIONS = 1 << 18
"""The number of shifted values whose sum always fits in 64 bits."""
_BITS = bytes.maketrans(b"01", b"\x00\x01")


def bootstrap_means(columns: Sequence[Values], *, num_resamples: int = NUM_RESAMPLES, seed: int = 0) -> list[list[float]]:
    """The means of each column over questions drawn with replacement, the same questions for every column, sorted.

    A mean is over the drawn questions that have a value; a resample without any is left out for that column.

    Args:
        columns: all of the same length.
        num_resamples: how often to draw.
        seed: of the draws.

    Raises:
        DataError: if there are 2^18 questions or more.
    """
    drawn = zip(*resampled_means(columns, num_resamples=num_resamples, seed=seed), strict=True)
    return [sorted(one for one in means if one is not None) for means in drawn] or [[] for _ in columns]


def resampled_means(
    columns: Sequence[Values], *, num_resamples: int = NUM_RESAMPLES, seed: int = 0
) -> Iterator[list[float | None]]:
    """The means of all columns over the same questions drawn with replacement, a list for each draw.

    A mean is over the drawn questions that have a value; `None` where none of them has one.

    Args:
        columns: all of the same length.
        num_resamples: how often to draw.
        seed: of the draws.

    Raises:
        DataError: if there are 2^18 questions or more.
    """
    num = len(columns[0]) if columns else 0
    if not num:
        return
    # Metrics often agree, and nearly all have values on the same questions: equal columns are added up once.
    rows: dict[tuple[int, ...], int] = {}
    place_of: dict[tuple[float | None, ...], tuple[float, int, int]] = {}
    for column in map(tuple, columns):
        if column not in place_of:
            scale = _scale(column)
            whole = tuple(0 if value is None else _ONE + round(value / scale * _ONE) for value in column)
            shifted = rows.setdefault(whole, len(rows))
            place_of[column] = scale, shifted, rows.setdefault(tuple(int(value is not None) for value in column), len(rows))
    places = list(place_of)
    every = [places.index(tuple(column)) for column in columns]
    packing = _Packing(num, len(rows))
    packed = packing.rows(list(rows))
    draw = random.Random(seed).random  # noqa: S311 - a sample, not a secret
    for _ in range(num_resamples):
        drawn = [int(draw() * num) for _ in range(num)]
        sums = packing.parts(sum(itemgetter(*drawn)(packed)) if num > 1 else packed[0])
        means = [
            (sums[shifted] - sums[count] * _ONE) / (sums[count] * _ONE) * scale if sums[count] else None
            for scale, shifted, count in place_of.values()
        ]
        yield [means[place] for place in every]


def percentile_interval(means: Sequence[float]) -> Interval | None:
    """The percentile interval of sorted bootstrap means; `None` without any."""
    return Interval(_quantile(means, _TAIL), _quantile(means, 1 - _TAIL)) if means else None


def bca_interval(values: Values, means: Sequence[float]) -> Interval | None:
    """The bias-corrected and accelerated interval of a mean (Efron 1987), which is suited to skewed values such as scores.

    Args:
        values: the sample.
        means: its bootstrap means, sorted.

    Returns:
        `None` if it is not defined: fewer than two values, values that are all the same, or means that are all on one side.
    """
    present = [value for value in values if value is not None]
    if len(present) < 2 or min(present) == max(present) or not means:
        return None
    mean = math.fsum(present) / len(present)
    off = [value - mean for value in present]
    acceleration = math.fsum(x**3 for x in off) / (6 * math.fsum(x * x for x in off) ** 1.5)
    return _corrected_interval(mean, means, 1e-12 * max(map(abs, present)), acceleration)


def figure_intervals(
    rows: Sequence[Mapping[str, float]],
    combine: Callable[[Sequence[Mapping[str, float]]], Mapping[str, float]],
    *,
    num_resamples: int = NUM_FIGURE_RESAMPLES,
    seed: int = 0,
) -> dict[str, Interval]:
    """The bias-corrected interval (Efron 1987, without acceleration) of each figure of a whole cell, by a bootstrap over rows.

    If nearly all resamples are on one side of a figure, as with an expected calibration error close to 0, the correction is not
    defined; then the interval reaches as far on both sides of the figure as the percentile interval does on one. A figure that
    is the same in every resample has none.

    Args:
        rows: one for each question.
        combine: the figures of some rows; one that cannot be computed is left out.
        num_resamples: how often to draw.
        seed: of the draws.
    """
    draw, num = random.Random(seed).random, len(rows)  # noqa: S311 - a sample, not a secret
    drawn = [combine([rows[int(draw() * num)] for _ in range(num)]) for _ in range(num_resamples)]
    found = {}
    for name, value in combine(rows).items():
        figures = sorted(one[name] for one in drawn if name in one)
        if figures and figures[0] < figures[-1]:
            slack = 1e-12 * max(abs(figures[0]), abs(figures[-1]))
            interval = _corrected_interval(value, figures, slack)
            is_around = interval is not None and interval.low - slack <= value <= interval.high + slack
            found[name] = interval if interval is not None and is_around else _even_interval(value, figures)
    return found


def _even_interval(value: float, drawn: Sequence[float]) -> Interval:
    reach = max(value - _quantile(drawn, _TAIL), _quantile(drawn, 1 - _TAIL) - value)
    return Interval(value - reach, value + reach)


def _corrected_interval(value: float, drawn: Sequence[float], slack: float, acceleration: float = 0.0) -> Interval | None:
    """The bias-corrected and accelerated interval of a value from sorted draws; `None` if they are all on one side of it."""
    below = bisect_left(drawn, value - slack)
    equal = bisect_right(drawn, slack, key=lambda one: one - value) - bisect_left(drawn, -slack, key=lambda one: one - value)
    share = (below + equal / 2) / len(drawn)
    if not 0 < share < 1:
        return None
    normal = NormalDist()
    bias = normal.inv_cdf(share)

    def corrected(tail: float) -> float:
        z = bias + normal.inv_cdf(tail)
        return round(normal.cdf(bias + z / (1 - acceleration * z)), 12)  # math libraries differ in the last digits

    return Interval(_quantile(drawn, corrected(_TAIL)), _quantile(drawn, corrected(1 - _TAIL)))


def mean_interval(values: Values, means: Sequence[float], *, low: float = -math.inf, high: float = math.inf) -> Interval | None:
    """The BCa interval of a mean, or the percentile one where BCa is not defined; `all_equal_interval` without a spread.

    Args:
        values: the sample.
        means: its bootstrap means, sorted; they are ignored if all values are the same.
        low: the least possible value.
        high: the greatest possible value.
    """
    present = [value for value in values if value is not None]
    if not present:
        return None
    if min(present) == max(present):
        return all_equal_interval(present[0], len(present), low=low, high=high)
    return bca_interval(values, means) or percentile_interval(means)


def all_equal_interval(value: float, num: int, *, low: float, high: float) -> Interval | None:
    """The interval of the mean of values that are all the same, for which a bootstrap shows no spread.

    Of `num` values none differed, so by Clopper and Pearson (1934) the true share of differing ones is at most
    1 - (tail)^(1/num); at worst each of them is the least or the greatest possible value. For 0 and 1 that is their
    interval of a share, and it also holds for any other bounded value.

    Args:
        value: the common value.
        num: how many, at least 1.
        low: the least possible value.
        high: the greatest possible value.

    Returns:
        `None` if values have no bounds: then nothing is known about unobserved ones.

    >>> round(all_equal_interval(1.0, 10, low=0.0, high=1.0).low, 6)
    0.691503
    """
    if not (math.isfinite(low) and math.isfinite(high)):
        return None
    unseen = round(1 - _TAIL ** (1 / num), 12)
    return Interval(value - unseen * (value - low), value + unseen * (high - value))


def share_interval(num_hits: int, num: int) -> Interval | None:
    """The exact interval of a share (Clopper and Pearson 1934); `None` of nothing.

    Args:
        num_hits: how many are counted.
        num: of how many.

    >>> share_interval(18, 20)
    Interval(low=0.683017286, high=0.987651473)
    """
    if not num:
        return None
    return Interval(
        round(least_share(num_hits, num, _TAIL), 9),  # math libraries differ in the last digits
        round(1 - least_share(num - num_hits, num, _TAIL), 9),
    )


def least_share(num_hits: int, num: int, tail: float) -> float:
    """The lower end of the exact one-sided interval of a share (Clopper and Pearson 1934), at the level 1 - `tail`.

    It is the share at which so many hits, or more, have the probability `tail`; 0 if there are none.

    >>> round(least_share(45, 50, 0.05), 3), round(least_share(14, 14, 0.05), 3), least_share(0, 10, 0.05)
    (0.801, 0.807, 0.0)
    """
    if not num_hits:
        return 0.0
    ways = [(k, math.lgamma(num + 1) - math.lgamma(k + 1) - math.lgamma(num - k + 1)) for k in range(num_hits, num + 1)]
    low, high = 0.0, 1.0
    for _ in range(50):
        share = (low + high) / 2
        hit, missed = math.log(share), math.log1p(-share)
        if math.fsum(math.exp(way + k * hit + (num - k) * missed) for k, way in ways) < tail:
            low = share
        else:
            high = share
    return low


def mcnemar(num_wins: int, num_losses: int) -> tuple[float, float]:
    """The two-sided p of McNemar's test, exact and mid-p (Fagerland, Lydersen, Laake 2013).

    Args:
        num_wins: pairs where only the first is right.
        num_losses: pairs where only the second is.

    >>> mcnemar(1, 6)
    (0.125, 0.0703125)
    """
    num, least = num_wins + num_losses, min(num_wins, num_losses)
    term, tail = 1, 1
    for k in range(1, least + 1):
        term = term * (num - k + 1) // k
        tail += term
    return min(1.0, 2 * tail / 2**num), min(1.0, (2 * tail - term) / 2**num)


def sign_flip_tests(columns: Sequence[Values], *, num_resamples: int = NUM_RESAMPLES, seed: int = 0) -> list[float | None]:
    """The two-sided p of the paired permutation test of each column of differences: is their mean 0?

    Few differences: every pattern of signs is tried. Many: random patterns, the observed one counted among them (Phipson and
    Smyth 2010), so that p is never 0. `None` for a column without values.

    Args:
        columns: differences, all of the same length; the same patterns serve all.
        num_resamples: how many random patterns.
        seed: of the patterns.

    Raises:
        DataError: if there are 2^18 differences or more.
    """
    exact = {
        place: _exact_flips([value for value in column if value])
        for place, column in enumerate(columns)
        if sum(map(bool, column)) <= MAX_EXACT_FLIPS
    }
    many = [place for place in range(len(columns)) if place not in exact]
    sampled = _sampled_flips([columns[place] for place in many], num_resamples, seed) if many else []
    found: dict[int, float] = exact | dict(zip(many, sampled, strict=True))
    return [None if all(value is None for value in column) else found[place] for place, column in enumerate(columns)]


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """Holm's correction: the chance that any of the tests errs stays below the level. `None` is not a test, and not counted.

    >>> holm([0.01, None, 0.04, 0.03])
    [0.03, None, 0.06, 0.06]
    """
    tests = sorted((p, place) for place, p in enumerate(ps) if p is not None)
    corrected: list[float | None] = [None] * len(ps)
    highest = 0.0
    for rank, (p, place) in enumerate(tests):
        highest = max(highest, min(1.0, (len(tests) - rank) * p))
        corrected[place] = highest
    return corrected


def standard_deviation(values: Sequence[float]) -> float | None:
    """The sample standard deviation (n - 1); `None` for fewer than two values."""
    if len(values) < 2:
        return None
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def effect_size(differences: Sequence[float]) -> float | None:
    """Cohen's d_z: the mean difference in standard deviations of the differences; `None` if these do not differ."""
    deviation = standard_deviation(differences)
    return math.fsum(differences) / len(differences) / deviation if deviation else None


def minimum_detectable(differences: Sequence[float], *, level: float = 1 - CONFIDENCE, power: float = POWER) -> float | None:
    """The least true mean difference that a two-sided test of these pairs would detect with that power (normal approximation).

    Args:
        differences: as observed; their spread is taken as the true one.
        level: of the test.
        power: how often the test should detect it.

    Returns:
        `None` if the differences have no spread.
    """
    deviation, normal = standard_deviation(differences), NormalDist()
    if not deviation:
        return None
    return (normal.inv_cdf(1 - level / 2) + normal.inv_cdf(power)) * deviation / math.sqrt(len(differences))


def least_p(num_differing: int) -> float:
    """The least two-sided p for this number of differing pairs: the one when all differ in the same direction."""
    return min(1.0, 2.0 ** (1 - num_differing))


class _Packing:
    """Packs a row of whole numbers, each of at most 45 bits, into one, with room for sums of `num` rows."""

    def __init__(self, num: int, width: int) -> None:
        if num >= _MAX_QUESTIONS:
            raise DataError(f"a bootstrap takes fewer than {_MAX_QUESTIONS:,} questions, not {num:,}; draw fewer")
        self.fields = Struct(f"<{width}Q")

    def rows(self, columns: Sequence[Sequence[int]]) -> list[int]:
        return [int.from_bytes(self.fields.pack(*row), "little") for row in zip(*columns, strict=True)]

    def parts(self, total: int) -> tuple[int, ...]:
        return self.fields.unpack(total.to_bytes(self.fields.size, "little"))


def _scale(column: Values) -> float:
    return max((abs(value) for value in column if value is not None), default=0.0) or 1.0


def _quantile(values: Sequence[float], share: float) -> float:
    """A quantile of sorted values, with linear interpolation (type 7 of Hyndman and Fan)."""
    place = share * (len(values) - 1)
    low = math.floor(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (place - low)


def _exact_flips(differences: Sequence[float]) -> float:
    scale = _scale(differences)
    whole = [round(value / scale * _ONE) for value in differences]
    sums = [0]
    for value in whole:
        sums = [total + value for total in sums] + [total - value for total in sums]
    # Sums that are equal up to the rounding of each value count as equal.
    least = abs(sum(whole)) - len(whole)
    return sum(abs(total) >= least for total in sums) / len(sums)


def _sampled_flips(columns: Sequence[Values], num_resamples: int, seed: int) -> list[float]:
    num = len(columns[0])
    scaled = [[round((value or 0.0) / scale * _ONE) for value in column] for column in columns for scale in [_scale(column)]]
    packing = _Packing(num, 2 * len(columns))
    packed = packing.rows([[max(0, sign * value) for value in column] for column in scaled for sign in (1, -1)])
    totals = [sum(column) for column in scaled]
    least = [abs(total) - num for total in totals]
    counts = [1] * len(columns)
    draw = random.Random(seed).getrandbits  # noqa: S311 - a sample, not a secret
    for _ in range(num_resamples):
        kept = format(draw(num), f"0{num}b").encode().translate(_BITS)
        parts = iter(packing.parts(sum(compress(packed, kept))))
        for place, (total, positive, negative) in enumerate(zip(totals, parts, parts, strict=True)):
            counts[place] += abs(2 * (positive - negative) - total) >= least[place]
    return [count / (num_resamples + 1) for count in counts]
