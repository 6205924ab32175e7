"""Calibrating on answers that were checked: when an outcome of the check gets a weight, and what a missing one does."""

import math
import random

import pytest

from hopweave.evaluation.scoring.calibrating import Labelled, chosen_threshold, fitted
from hopweave.record.signals import CHECKED, SIGNALS

OUTCOMES = tuple(CHECKED)


def labelled(num, *, share_open=0.0, share_unchecked=0.0, seed=0):
    """Answers that are mostly right if reading at once agrees; the other outcome says nothing."""
    chance = random.Random(seed)
    for number in range(num):
        agrees = chance.random() < 0.5
        outcomes = {OUTCOMES[0]: float(agrees), OUTCOMES[1]: float(chance.random() < 0.5)}
        if chance.random() < share_open:
            outcomes = dict.fromkeys(OUTCOMES, math.nan)
        if chance.random() < share_unchecked:
            outcomes = {}
        yield Labelled(f"q{number}", dict.fromkeys(SIGNALS, 1.0) | outcomes, chance.random() < (0.9 if agrees else 0.3))


def made(num=400, **options):
    return fitted(list(labelled(num, **options)), llm="m", methods=["stitch"])


def test_an_outcome_that_tells_right_from_wrong_has_weight_and_improves_the_confidence():
    one, without = made(), made(share_unchecked=0.1)
    assert one.weights[OUTCOMES[0]].weight > 1
    assert abs(one.weights[OUTCOMES[1]].weight) < 0.3
    assert one.needs_checks
    assert one.brier < without.brier - 0.05


@pytest.mark.parametrize("share_unchecked", [0.005, 0.5, 1.0])
def test_outcomes_get_a_weight_only_if_every_answer_was_to_be_checked(share_unchecked):
    one = made(share_unchecked=share_unchecked)
    assert one.weights.keys() == SIGNALS.keys()
    assert not one.needs_checks
    signals = dict.fromkeys(SIGNALS, 1.0)
    assert one.confidence(signals | dict.fromkeys(OUTCOMES, 0.0)) == one.confidence(signals)


def test_checks_that_could_not_be_made_are_at_the_mean_of_the_others_and_add_nothing():
    one = made(1000, share_open=0.3)
    known = [answer.signals[OUTCOMES[0]] for answer in labelled(1000, share_open=0.3)]
    known = [value for value in known if not math.isnan(value)]
    assert one.weights[OUTCOMES[0]].mean == pytest.approx(sum(known) / len(known))
    assert one.weights[OUTCOMES[0]].weight > 0.8
    signals = dict.fromkeys(SIGNALS, 1.0)
    at_mean = {name: one.weights[name].mean for name in OUTCOMES}
    missing = one.confidence(signals | dict.fromkeys(OUTCOMES, math.nan))
    assert missing == pytest.approx(one.confidence(signals | at_mean))
    against, speaking = (one.confidence(signals | dict.fromkeys(OUTCOMES, value)) for value in (0.0, 1.0))
    assert against < missing < speaking


def test_a_check_that_was_never_made_gets_no_weight():
    assert not made(share_open=1.0).needs_checks


def test_answers_that_are_alike_are_all_above_a_threshold_or_none_is():
    alike = [(0.9, number % 5 > 0) for number in range(50)] + [(0.4, False)] * 10
    threshold, known = chosen_threshold(alike, 0.85, 0.95)
    assert (threshold, known.num_ticked, known.num_right) == (0.9, 50, 40)
