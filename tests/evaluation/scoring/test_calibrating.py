"""The confidence of answers: its fit, its threshold, and what is said of it."""

import math
import random

import pytest

from hopweave.core.errors import DataError
from hopweave.evaluation.scoring.calibrating import FEWEST, RIDGE, Labelled, chosen_threshold, fitted
from hopweave.evaluation.scoring.statistics import least_share
from hopweave.record.confidence import Calibration
from hopweave.record.signals import SIGNALS


def labelled(num, seed=0):
    """Answers that are right with a probability that follows from two signals; the others are noise, or constant."""
    chance = random.Random(seed)
    for number in range(num):
        signals = dict.fromkeys(SIGNALS, 1.0)
        signals |= {"supported": float(chance.random() < 0.6), "shared_words": chance.random(), "rank": chance.random()}
        log_odds = 2.5 * signals["supported"] + 3 * signals["shared_words"] - 2
        yield Labelled(f"q{number}", signals, chance.random() < 1 / (1 + math.exp(-log_odds)))


def made(num=300, **options):
    return fitted(list(labelled(num)), llm="m", methods=["stitch"], **options)


def test_what_decides_has_weight_and_noise_and_constants_have_none():
    weights = {name: one.weight for name, one in made(2000).weights.items()}
    assert weights["supported"] > 0.9
    assert weights["shared_words"] > 0.6
    assert abs(weights["rank"]) < 0.2
    assert weights["hops"] == 0


def test_the_weights_are_those_of_an_independent_optimiser():
    optimize = pytest.importorskip("scipy.optimize")
    import numpy as np

    answers = list(labelled(120, seed=3))
    one = fitted(answers, llm="m", methods=["stitch"])
    names = list(SIGNALS)
    rows = np.array([[(a.signals[n] - one.weights[n].mean) / one.weights[n].scale for n in names] for a in answers])
    right = np.array([a.is_right for a in answers], dtype=float)

    def loss(beta):
        log_odds = beta[0] + rows @ beta[1:]
        return float(np.sum(np.logaddexp(0, log_odds) - right * log_odds) + RIDGE / 2 * np.sum(beta[1:] ** 2))

    best = optimize.minimize(loss, np.zeros(len(names) + 1), method="BFGS", options={"gtol": 1e-8}).x
    assert one.intercept == pytest.approx(best[0], abs=1e-3)
    assert [one.weights[n].weight for n in names] == pytest.approx(list(best[1:]), abs=1e-3)


def test_confidence_is_calibrated_on_answers_that_were_not_fitted():
    one = made(1000)
    others = list(labelled(2000, seed=9))
    sure = [answer for answer in others if one.confidence(answer.signals) > 0.8]
    share = sum(answer.is_right for answer in sure) / len(sure)
    assert len(sure) > 300
    assert share == pytest.approx(sum(one.confidence(answer.signals) for answer in sure) / len(sure), abs=0.05)
    assert one.ece < 0.08


def test_ticks_above_the_threshold_are_right_as_often_as_is_said():
    one = made(1500, wanted=0.85)
    assert one.guarantee.at_least >= 0.85
    others = [answer for answer in labelled(4000, seed=5) if answer.signals["supported"]]
    ticked = [answer for answer in others if one.confidence(answer.signals) >= one.threshold]
    assert len(ticked) > 500
    assert sum(answer.is_right for answer in ticked) / len(ticked) > 0.85


def test_where_nothing_reaches_what_is_wanted_the_best_end_is_said():
    threshold, known = chosen_threshold([(0.5, number % 2 == 0) for number in range(60)], 0.9, 0.95)
    assert threshold == 0.5
    assert known.at_least < 0.6


def test_no_answers_at_all_give_no_tick():
    threshold, known = chosen_threshold([], 0.9, 0.95)
    assert (threshold, known.num_ticked, known.at_least) == (1.0, 0, 0.0)


@pytest.mark.parametrize(("num_right", "num"), [(45, 50), (14, 14), (1, 2), (30, 31), (0, 5)])
def test_the_lower_end_is_that_of_the_beta_distribution(num_right, num):
    beta = pytest.importorskip("scipy.stats").beta
    expected = beta.ppf(0.05, num_right, num - num_right + 1) if num_right else 0.0
    assert least_share(num_right, num, 0.05) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("answers", [list(labelled(FEWEST - 1)), [Labelled("q", dict.fromkeys(SIGNALS, 0.0), True)] * 50])
def test_too_few_labels_or_labels_of_one_kind_are_refused_with_what_to_do(answers):
    with pytest.raises(DataError, match="ask more questions with known answers"):
        fitted(answers, llm="m", methods=["stitch"])


def test_a_calibration_is_written_and_read_and_no_other_file_is_one(tmp_path):
    one = made()
    path = tmp_path / "c.json"
    path.write_text(one.to_json())
    assert Calibration.read(path) == one
    path.write_text(one.to_json().replace("calibration/1", "calibration/9"))
    with pytest.raises(DataError, match="another version"):
        Calibration.read(path)
    path.write_text("[]")
    with pytest.raises(DataError, match="no calibration"):
        Calibration.read(path)
    with pytest.raises(DataError, match="cannot read"):
        Calibration.read(tmp_path / "none.json")
