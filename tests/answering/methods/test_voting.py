"""Which of several sampled answers counts."""

import pytest

from hopweave.answering.toolkit.voting import mean_logprob, vote
from hopweave.core.types import Reply, TokenLogprob

LONG = [
    "Contrails are clouds of ice.",
    "",
    "Hot exhaust meets cold air and freezes.",
    "Hot wet exhaust meets cold air and freezes to ice.",
    "Hot wet exhaust meets air and its water freezes to clouds of ice.",
]
VOTES = {
    "most votes win in the words of the first sample that gave them": (
        ["Rome", "the River Teel", "River Teel.", "river teel"], "short",
        {"answer": "the River Teel", "first": 1, "num_votes": 3, "num_samples": 4, "consistency": 0.75},
    ),
    "samples without an answer do not vote but count in the consistency": (
        ["", " ", "Rome", ""], "short", {"answer": "Rome", "first": 2, "best": 2, "consistency": 0.25}
    ),
    **{
        f"where all {form} answers are empty there is none": (
            ["", "  "], form, {"answer": "", "num_votes": 0, "num_samples": 2, "consistency": 0.0}
        )
        for form in ("short", "label", "long")
    },
    "labels vote as they are spelt": (["C", "C++", "C++", "the"], "label", {"answer": "C++", "num_votes": 2}),
    "answers of which the normaliser leaves nothing are still different": (
        ["A", "+", "+", "The"], "short", {"answer": "+", "num_votes": 2}
    ),
    "of long answers the one most like the others counts": (
        LONG, "long", {"answer": LONG[3], "first": 3, "best": 3, "num_votes": 1, "num_samples": 5}
    ),
    "of equal long answers the first counts": (["It rains.", "It rains."], "long", {"first": 0}),
}  # fmt: skip


@pytest.mark.parametrize(("answers", "form", "expected"), VOTES.values(), ids=VOTES)
def test_which_answer_counts(answers, form, expected):
    held = vote(answers, form=form)
    assert {name: getattr(held, name) for name in expected} == expected


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
def test_no_rule_for_ties_outdoes_a_vote_more_and_what_it_does_not_break_goes_to_the_earliest(tie):
    assert vote(["Ulm", "Rom"], tie=tie, logprobs=(-1.0, -1.0)).answer == "Ulm"
    assert vote(["Ulm", "Bonn am Rhein", "Bonn am Rhein"], tie=tie, logprobs=(-0.1, -5.0, -5.0)).answer == "Bonn am Rhein"


@pytest.mark.parametrize(("logprobs", "best"), [((-3.0, -0.1, -1.0), 2), ((None, -0.1, -1.0), 2), ((), 0)])
def test_the_surest_sample_of_the_winners_stands_for_them(logprobs, best):
    held = vote(["Ulm", "Rom", "Ulm"], logprobs=logprobs)
    assert (held.first, held.best) == (0, best)


def test_what_makes_answers_the_same_can_be_chosen():
    assert vote(["the Teel", "Orr", "Teel", "Orr"]).answer == "the Teel"
    assert vote(["the Teel", "Orr", "Teel", "Orr"], normalize=str).answer == "Orr"


def test_the_mean_is_over_the_tokens_of_a_reply():
    assert mean_logprob(Reply("a b", logprobs=(TokenLogprob("a", -1.0), TokenLogprob(" b", -3.0)))) == -2.0
    assert mean_logprob(Reply("a b")) is None
