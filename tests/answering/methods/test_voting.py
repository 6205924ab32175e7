"""Which of several sampled answers counts."""

import pytest

from hopweave.answering.toolkit.voting import mean_logprob, vote
from hopweave.core.types import Reply, TokenLogprob


def test_most_votes_win_in_the_words_of_the_first_sample_that_gave_them():
    held = vote(["Rome", "the River Teel", "River Teel.", "river teel"])
    assert (held.answer, held.first, held.num_votes, held.num_samples) == ("the River Teel", 1, 3, 4)
    assert held.consistency == 0.75


def test_samples_without_an_answer_do_not_vote_but_count_in_the_consistency():
    held = vote(["", " ", "Rome", ""])
    assert (held.answer, held.first, held.best, held.consistency) == ("Rome", 2, 2, 0.25)


@pytest.mark.parametrize("form", ["short", "label", "long"])
def test_where_all_are_empty_there_is_no_answer(form):
    held = vote(["", "  "], form=form)
    assert (held.answer, held.num_votes, held.num_samples, held.consistency) == ("", 0, 2, 0.0)


@pytest.mark.parametrize(
    ("tie", "logprobs", "answer"),
    [
        ("first", (-9.0, -1.0, -9.0, -1.0), "Bonn am Rhein"),
        ("shorter", (), "Ulm"),
        ("logprob", (-2.0, -1.0, -2.0, -1.5), "Ulm"),
        ("logprob", (-1.0, -1.2, -1.0, -1.2), "Bonn am Rhein"),
        ("logprob", (), "Bonn am Rhein"),
        ("logprob", (None, None, None, -7.0), "Ulm"),
    ],
)
def test_a_tie_goes_to_the_first_the_shorter_or_the_surest(tie, logprobs, answer):
    assert vote(["Bonn am Rhein", "Ulm", "Bonn am Rhein", "Ulm"], tie=tie, logprobs=logprobs).answer == answer


@pytest.mark.parametrize("tie", ["first", "logprob", "shorter"])
def test_a_tie_that_its_rule_does_not_break_goes_to_the_earliest(tie):
    assert vote(["Ulm", "Rom"], tie=tie, logprobs=(-1.0, -1.0)).answer == "Ulm"


@pytest.mark.parametrize("tie", ["first", "logprob", "shorter"])
def test_no_rule_for_ties_outdoes_a_vote_more(tie):
    assert vote(["Ulm", "Bonn am Rhein", "Bonn am Rhein"], tie=tie, logprobs=(-0.1, -5.0, -5.0)).answer == "Bonn am Rhein"


@pytest.mark.parametrize(("logprobs", "best"), [((-3.0, -0.1, -1.0), 2), ((None, -0.1, -1.0), 2), ((), 0)])
def test_the_surest_sample_of_the_winners_stands_for_them(logprobs, best):
    held = vote(["Ulm", "Rom", "Ulm"], logprobs=logprobs)
    assert (held.first, held.best) == (0, best)


def test_labels_vote_as_they_are_spelt():
    held = vote(["C", "C++", "C++", "the"], form="label")
    assert (held.answer, held.num_votes) == ("C++", 2)


def test_answers_of_which_the_normaliser_leaves_nothing_are_still_different_answers():
    held = vote(["A", "+", "+", "The"])
    assert (held.answer, held.num_votes) == ("+", 2)


def test_what_makes_answers_the_same_can_be_chosen():
    assert vote(["the Teel", "Orr", "Teel", "Orr"]).answer == "the Teel"
    assert vote(["the Teel", "Orr", "Teel", "Orr"], normalize=str).answer == "Orr"


def test_of_long_answers_the_one_most_like_the_others_counts():
    answers = [
        "Contrails are clouds of ice.",
        "",
        "Hot exhaust meets cold air and freezes.",
        "Hot wet exhaust meets cold air and freezes to ice.",
        "Hot wet exhaust meets air and its water freezes to clouds of ice.",
    ]
    held = vote(answers, form="long")
    assert (held.answer, held.first, held.best, held.num_votes, held.num_samples) == (answers[3], 3, 3, 1, 5)


def test_of_equal_long_answers_the_first_counts():
    assert vote(["It rains.", "It rains."], form="long").first == 0


def test_the_mean_is_over_the_tokens_of_a_reply():
    assert mean_logprob(Reply("a b", logprobs=(TokenLogprob("a", -1.0), TokenLogprob(" b", -3.0)))) == -2.0
    assert mean_logprob(Reply("a b")) is None
