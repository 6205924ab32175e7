"""What a record tells about how likely its answer is to be right."""

import pytest
from support.worked import claimed, quoted, worked

from hopweave.core.types import Passage
from hopweave.record.signals import SIGNALS, signals_of

ASKED = "Where was Ida Renn born?"
RENN = Passage("renn", "Ida Renn was born in Tromvik in 1902.", "Ida Renn")
OTHER = Passage("other", "Tromvik is a port.", "Tromvik")


def signals(short="Tromvik", *, claims=None, passages=(OTHER, RENN), question=ASKED, **more):
    cited = claimed(question, short, quoted(1, RENN)) if claims is None else None
    return signals_of(worked(short, [short], question=question, claims=claims or [cited], passages=passages, **more)[0])


def test_every_signal_has_a_value_and_says_what_it_is():
    found = signals()
    assert found.keys() == SIGNALS.keys()
    assert all(isinstance(value, float) for value in found.values())
    assert all(meaning and not meaning.endswith(".") for meaning, _ in SIGNALS.values())


def test_what_the_rule_and_the_cited_place_say():
    found = signals()
    assert (found["supported"], found["cited"], found["kind"], found["tied_names"], found["shared_words"]) == (1, 1, 1, 1, 1)
    assert found["rank"] == 0.5  # the second of those found
    assert found["repeated"] == pytest.approx(1.0986, abs=1e-3)  # two passages have it


def test_a_place_about_something_else_shares_less():
    found = signals(question="Where was Otto Falk buried?")
    assert found["tied_names"] == 0
    assert found["shared_words"] < 0.5


@pytest.mark.parametrize(("is_kept", "problems"), [(True, 0), (False, -1)])
def test_a_reading_of_sentences_says_nothing_of_an_answer_from_whole_passages(is_kept, problems):
    readings = [("reading", {"problems": ["open"], "probability": 0.5}), ("whole passages", {"is_kept": is_kept})]
    assert signals(decisions=readings)["problems"] == problems


def test_readings_for_a_plan_that_was_dropped_say_nothing_of_the_answer():
    doubtful, sure = {"problems": ["unsure"], "probability": 0.5}, {"problems": [], "probability": 1.0}
    found = signals(decisions=[("reading", doubtful), ("plan dropped", {}), ("reading", sure)])
    assert (found["probability"], found["problems"]) == (0, 0)


def test_what_the_method_recorded_of_its_reading():
    found = signals(decisions=[("reading", {"problems": ["open", "unsure"], "probability": 0.5, "missing": ["more"]})])
    assert found["probability"] == pytest.approx(-0.6931, abs=1e-3)
    assert (found["problems"], found["missing"]) == (-2, -1)
    without = signals()
    assert (without["probability"], without["problems"], without["missing"]) == (0, 0, 0)


def test_a_question_without_an_answer_has_no_signals():
    assert signals_of(worked("", ["Tromvik"], question=ASKED)[0]) == {}
    assert signals_of(worked(error="ModelError: no", question=ASKED)[0]) == {}
