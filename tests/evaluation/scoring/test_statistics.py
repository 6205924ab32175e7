import math
import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopweave.evaluation.scoring.statistics import (
    Interval,
    bca_interval,
    bootstrap_means,
    effect_size,
    figure_intervals,
    holm,
    least_p,
    mcnemar,
    mean_interval,
    minimum_detectable,
    percentile_interval,
    resampled_means,
    share_interval,
    sign_flip_tests,
)

stats = pytest.importorskip("scipy.stats")
np = pytest.importorskip("numpy")


def skewed(num, seed=3):
    draw = random.Random(seed)
    return [draw.expovariate(1.0) ** 2 - 0.8 for _ in range(num)]


def test_the_means_of_resamples_are_those_of_drawing_the_questions_by_hand():
    columns = [[1.0, 0.0, None, 0.5], [0.25, None, None, 3.0]]
    found = bootstrap_means(columns, num_resamples=200, seed=7)
    draw = random.Random(7)
    by_hand = [[], []]
    for _ in range(200):
        drawn = [int(draw.random() * 4) for _ in range(4)]
        for place, column in enumerate(columns):
            values = [column[index] for index in drawn if column[index] is not None]
            if values:
                by_hand[place].append(sum(values) / len(values))
    for means, expected in zip(found, by_hand, strict=True):
        assert means == pytest.approx(sorted(expected), abs=1e-12)


@given(st.lists(st.sampled_from([0.0, 1.0, -1.0]), min_size=1, max_size=30))
@settings(max_examples=30, deadline=None)
def test_means_of_values_that_are_whole_are_exact(values):
    (means,) = bootstrap_means([values], num_resamples=20)
    assert all(mean in {k / len(values) for k in range(-len(values), len(values) + 1)} for mean in means)


def test_a_column_beside_it_changes_no_bit_of_a_columns_means():
    one, other = skewed(50), skewed(50, seed=9)
    assert bootstrap_means([one], num_resamples=100)[0] == bootstrap_means([other, one], num_resamples=100)[1]


def test_a_column_without_values_has_no_means():
    assert bootstrap_means([[None, None], [1.0, None]], num_resamples=50)[0] == []
    assert bootstrap_means([], num_resamples=50) == []
    assert bootstrap_means([[]], num_resamples=50) == [[]]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["BCa", "percentile"])
@pytest.mark.parametrize("num", [25, 200])
def test_intervals_are_those_of_scipy(method, num):
    values = skewed(num)
    (means,) = bootstrap_means([values])
    ours = bca_interval(values, means) if method == "BCa" else percentile_interval(means)
    theirs = stats.bootstrap(
        (np.array(values),), np.mean, n_resamples=20_000, method=method, rng=np.random.default_rng(1)
    ).confidence_interval
    width = theirs.high - theirs.low
    assert ours is not None
    assert ours.low == pytest.approx(theirs.low, abs=0.04 * width)
    assert ours.high == pytest.approx(theirs.high, abs=0.04 * width)


def test_the_bca_interval_of_given_means_is_that_of_the_formula():
    values, means = [0.0, 0.0, 0.0, 1.0, 1.0], sorted([0.0, 0.2, 0.2, 0.4, 0.4, 0.4, 0.6, 0.6, 0.8, 1.0])
    off = np.array(values) - 0.4
    bias = stats.norm.ppf((3 + 1.5) / 10)
    acceleration = (off**3).sum() / (6 * (off**2).sum() ** 1.5)
    shares = [stats.norm.cdf(bias + (bias + z) / (1 - acceleration * (bias + z))) for z in stats.norm.ppf([0.025, 0.975])]
    found = bca_interval(values, means)
    assert [found.low, found.high] == pytest.approx(list(np.quantile(means, shares)))


def test_values_without_a_spread_have_no_interval():
    assert mean_interval([1.0, 1.0, None], [1.0, 1.0]) is None
    assert mean_interval([], []) is None
    assert bca_interval([1.0], [1.0]) is None
    assert percentile_interval([]) is None


def test_where_bca_is_not_defined_the_percentile_interval_stands_in():
    assert bca_interval([0.0, 1.0], [1.0, 1.0]) is None
    assert mean_interval([0.0, 1.0], [1.0, 1.0]) == Interval(1.0, 1.0)


@pytest.mark.parametrize(("hits", "num"), [(0, 5), (5, 5), (1, 1), (18, 20), (45, 50), (3, 400), (1990, 2000), (4000, 9000)])
def test_the_interval_of_a_share_is_the_exact_one_of_scipy(hits, num):
    exact = stats.binomtest(hits, num).proportion_ci(method="exact")
    found = share_interval(hits, num)
    assert [found.low, found.high] == pytest.approx([exact.low, exact.high], abs=1e-8)


def test_a_share_of_nothing_has_no_interval():
    assert share_interval(0, 0) is None


# -- figures of a whole cell -----------------------------------------------------------------------------------------------


def mean_of(rows):
    values = [row["x"] for row in rows if "x" in row]
    return {"mean": sum(values) / len(values)} if values else {}


def test_the_interval_of_a_figure_that_is_a_mean_is_about_that_of_the_mean():
    values = [0.0, 1.0, 1.0, 1.0, 0.0] * 12
    (means,) = bootstrap_means([values])
    expected = percentile_interval(means)
    found = figure_intervals([{"x": value} for value in values], mean_of)["mean"]
    assert [found.low, found.high] == pytest.approx([expected.low, expected.high], abs=0.03)


def test_a_figure_that_resamples_overestimate_is_corrected_downwards():
    rows = [{"x": float(number % 4)} for number in range(48)]

    def spread(drawn):  # the share of distinct rows that a resample lacks is about 1/e, so the estimate grows with it
        lacking = 1 - len({id(row) for row in drawn}) / len(rows)
        return {"spread": mean_of(drawn)["mean"] + 0.2 * lacking}

    draw = random.Random(0)
    plain = sorted(spread([rows[int(draw.random() * 48)] for _ in rows])["spread"] for _ in range(1000))
    found = figure_intervals(rows, spread)["spread"]
    assert found.low < percentile_interval(plain).low
    assert found.high < percentile_interval(plain).high
    assert found.low <= spread(rows)["spread"] <= found.high


def test_a_figure_on_the_edge_of_its_draws_has_an_interval_of_two_equal_halves():
    rows = [{"x": float(number)} for number in range(12)]
    found = figure_intervals(rows, lambda drawn: {"missing": 12.0 - len({row["x"] for row in drawn})})["missing"]
    assert found.low == -found.high
    assert 4 <= found.high <= 8


def test_a_figure_without_a_spread_has_no_interval():
    rows = [{"x": float(number)} for number in range(12)]
    assert figure_intervals(rows, lambda drawn: {"one": 1.0}) == {}
    assert figure_intervals(rows[:1], mean_of) == {}
    assert figure_intervals([], lambda drawn: {}) == {}


def test_a_figure_that_some_resamples_lack_has_the_interval_of_the_others():
    rows = [{}, {"x": 1.0}, {"x": 0.0}]
    assert figure_intervals(rows, mean_of) == {"mean": Interval(0.0, 1.0)}


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (1, 6), (6, 1), (5, 5), (0, 9), (40, 61), (700, 640)])
def test_mcnemar_is_the_binomial_test_and_its_mid_p_half_a_point_less(wins, losses):
    exact, mid = mcnemar(wins, losses)
    num = wins + losses
    expected = stats.binomtest(wins, num).pvalue if num else 1.0
    assert exact == pytest.approx(expected)
    point = stats.binom.pmf(min(wins, losses), num, 0.5) if num else 0.0
    assert mid == pytest.approx(min(1.0, 2 * stats.binom.cdf(min(wins, losses), num, 0.5) - point) if num else 1.0)
    assert mid <= exact


def test_few_differences_are_tested_by_every_pattern_of_signs_as_scipy_does():
    values = [0.3, -0.1, 0.45, 0.2, 0.0, 0.6, None, -0.05, 0.1]
    present = np.array([value for value in values if value is not None])
    theirs = stats.permutation_test((present,), np.mean, permutation_type="samples", n_resamples=np.inf)
    assert sign_flip_tests([values])[0] == pytest.approx(theirs.pvalue)


def test_many_differences_are_tested_by_random_patterns_near_to_those_of_scipy():
    values = [value * 0.1 + 0.02 for value in skewed(80)]
    theirs = stats.permutation_test(
        (np.array(values),), np.mean, permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(1)
    )
    assert sign_flip_tests([values])[0] == pytest.approx(theirs.pvalue, abs=0.015)


def test_a_pattern_that_is_equal_but_for_rounding_counts_as_equal():
    assert sign_flip_tests([[0.1, 0.2, 0.3]])[0] == 0.25
    assert sign_flip_tests([[0.1] * 3 + [0.3]])[0] == 0.125


def test_columns_are_tested_alike_alone_and_together_and_one_without_values_not_at_all():
    many, few = skewed(60), [1.0, -0.5] + [None] * 58
    together = sign_flip_tests([few, many, [None] * 60], num_resamples=500)
    assert together == [*sign_flip_tests([few]), *sign_flip_tests([many], num_resamples=500), None]
    assert sign_flip_tests([[0.0, 0.0]]) == [1.0]


def test_a_random_test_never_gives_0():
    assert sign_flip_tests([[1.0] * 60], num_resamples=99)[0] == pytest.approx(0.01)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_keeps_the_order_and_lies_between_p_and_bonferroni(ps):
    corrected = holm(ps)
    order = sorted(range(len(ps)), key=ps.__getitem__)
    assert all(corrected[a] <= corrected[b] for a, b in pairwise(order))
    assert all(p <= high <= min(1.0, p * len(ps)) + 1e-12 for p, high in zip(ps, corrected, strict=True))
    assert corrected[order[0]] == pytest.approx(min(1.0, ps[order[0]] * len(ps)))


def test_holm_does_not_count_what_was_not_tested():
    assert holm([0.02, None, 0.01]) == [0.02, None, 0.02]
    assert holm([None]) == [None]


def test_the_detectable_difference_is_found_with_a_power_of_eight_in_ten():
    draw = random.Random(0)
    pool = [draw.gauss(0, 0.4) for _ in range(100)]
    shift = minimum_detectable(pool)
    deviation = np.std(pool, ddof=1)
    assert shift == pytest.approx((1.959964 + 0.841621) * deviation / 10, rel=1e-5)
    rng = np.random.default_rng(5)
    drawn = rng.normal(shift, deviation, size=(4000, 100))
    found = np.abs(drawn.mean(axis=1) / (deviation / 10)) > 1.96
    assert found.mean() == pytest.approx(0.8, abs=0.02)


def test_what_cannot_be_known_of_so_few_is_none():
    assert minimum_detectable([0.3]) is None
    assert minimum_detectable([0.0, 0.0]) is None
    assert effect_size([0.5]) is None
    assert effect_size([0.5, 0.5]) is None
    assert effect_size([0.0, 1.0]) == pytest.approx(0.5 / math.sqrt(0.5))
    assert (least_p(0), least_p(5), least_p(6)) == (1.0, 0.0625, 0.03125)


def test_values_that_are_all_the_same_have_the_interval_of_clopper_and_pearson():
    # Of 20 questions: R gives binom.test(20, 20) 0.8315665 to 1, binom.test(0, 20) 0 to 0.1684335.
    all_right, all_wrong = (mean_interval([value] * 20, (), low=0.0, high=1.0) for value in (1.0, 0.0))
    assert (all_right.low, all_right.high) == (pytest.approx(0.8315665), 1.0)
    assert (all_wrong.low, all_wrong.high) == (0.0, pytest.approx(0.1684335))


def test_values_that_are_all_the_same_between_their_bounds_may_differ_either_way_where_not_seen():
    found = mean_interval([0.25] * 20, (), low=0.0, high=1.0)
    assert found.low == pytest.approx(0.25 - 0.25 * 0.1684335)
    assert found.high == pytest.approx(0.25 + 0.75 * 0.1684335)


def test_values_that_are_all_the_same_and_have_no_bounds_have_no_interval():
    assert mean_interval([3.0] * 20, (), low=0.0) is None
    assert mean_interval([None, None], (), low=0.0, high=1.0) is None


def test_means_of_one_draw_are_over_the_same_questions():
    columns = [[1.0, 0.0, 1.0, None], [0.0, 1.0, 0.0, 1.0]]
    for one, other in resampled_means(columns, num_resamples=200, seed=1):
        assert other is not None
        assert one is None or 0 <= one <= 1
    pairs = list(resampled_means([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]], num_resamples=200, seed=1))
    assert all(one + other == pytest.approx(1.0) for one, other in pairs)
