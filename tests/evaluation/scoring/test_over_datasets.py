"""The macro mean: one number a method over all datasets, each of which counts the same."""

import random

import pytest
from support.part_files import hopweave_says
from support.runs import answered, asked, made
from support.scored import summary_of

LARGE = [asked(f"a{number}") for number in range(40)]
SMALL = [asked(f"b{number}") for number in range(10)]


def records(examples, num_right, failed=()):
    return [
        answered(one, error="gone") if number in failed else answered(one, "Ulm" if number < num_right else "Bonn")
        for number, one in enumerate(examples)
    ]


def run_of(tmp_path, **cells):
    datasets = {"hotpotqa": ("hotpotqa", LARGE), "musique": ("musique", SMALL)}
    found = {(dataset, method): made_of for method, of in cells.items() for dataset, made_of in zip(datasets, of, strict=True)}
    return made(tmp_path / "run", datasets, {key: rows for key, rows in found.items() if rows})


def macro_of(run):
    return {one.method: one for one in summary_of(run, ["cover_em"]).macro}


def test_each_dataset_counts_the_same_and_failed_questions_are_wrong_in_it(tmp_path):
    found = macro_of(run_of(tmp_path, direct=(records(LARGE, 40), records(SMALL, 5, failed=(0,)))))["direct"]
    assert found.value == pytest.approx((1.0 + 0.4) / 2)
    assert (found.datasets, found.columns) == (("hotpotqa", "musique"), ("cover_em", "cover_em"))
    assert found.interval.low < found.value < found.interval.high


@pytest.mark.slow
def test_its_interval_is_that_of_a_bootstrap_within_each_dataset(tmp_path):
    found = macro_of(run_of(tmp_path, direct=(records(LARGE, 20), records(SMALL, 5))))["direct"]
    draw = random.Random(5)
    sums = sorted(
        (sum(draw.random() < 0.5 for _ in range(40)) / 40 + sum(draw.random() < 0.5 for _ in range(10)) / 10) / 2
        for _ in range(20_000)
    )
    assert found.interval.low == pytest.approx(sums[500], abs=0.02)
    assert found.interval.high == pytest.approx(sums[-500], abs=0.02)


def test_a_dataset_whose_values_are_all_the_same_is_not_taken_for_certain(tmp_path):
    found = macro_of(run_of(tmp_path, direct=(records(LARGE, 40), records(SMALL, 10))))["direct"]
    # Clopper and Pearson's lower ends of 40 of 40 and 10 of 10.
    assert found.interval.low == pytest.approx((0.9119 + 0.6915) / 2, abs=1e-3)
    assert found.interval.high == 1.0


def test_a_method_without_data_on_a_dataset_has_no_macro_mean_and_says_which_it_lacks(tmp_path):
    found = macro_of(run_of(tmp_path, direct=(records(LARGE, 20), records(SMALL, 5)), cot=(records(LARGE, 20), [])))
    assert (found["cot"].value, found["cot"].interval, found["cot"].missing) == (None, None, ("musique",))
    assert found["direct"].value == 0.5


def test_the_command_prints_it_and_a_run_of_one_dataset_has_none(tmp_path):
    run = run_of(tmp_path, direct=(records(LARGE, 20), records(SMALL, 5)))
    assert "All datasets: the mean of their means" in hopweave_says("score", run.path, "--metrics", "cover_em").output
    one = made(tmp_path / "one", {"hotpotqa": ("hotpotqa", LARGE)}, {("hotpotqa", "direct"): records(LARGE, 20)})
    assert macro_of(one) == {}
