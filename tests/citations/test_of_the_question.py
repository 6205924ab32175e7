"""A step that a passage supports does not make an answer of another kind, or of words of the question, look supported."""

import pytest

from hopweave.citations.marking import verdict_of
from hopweave.citations.of_the_question import with_doubt
from hopweave.core.types import Answer, Citation, Claim, Question

PLACE = Citation(1, "p", 0, 5, "words")


def answered(asked, step, short, support="supported", form="short", labels=()):
    claims = (Claim(step, short, "verified", support, (PLACE,) if support == "supported" else ()),)
    return with_doubt(Answer(f"{short}.", short, claims), Question("q", asked, form, labels))


@pytest.mark.parametrize(
    ("asked", "step", "short", "shortfall"),
    [
        ("Are Ulva and Sula of the same family?", "What is the family of Ulva?", "Ulvaceae", "kind"),
        ("Is the lamp of Carrow Head lit?", "Who lit the lamp?", "Ines Halloran", "kind"),
        ("When was the designer of the lamp born?", "Where was the designer born?", "Brno", "kind"),
        ("When was the lamp lit or built?", "Who lit it?", "Ines Halloran", "kind"),
        ("What does the lamp of Orlau cost?", "What is the weekly working time?", "38.5 hours", "relation"),
        ("How do I make scp use the old protocol instead of SFTP?", "What is the default protocol of scp?", "SFTP", "bare"),
    ],
)
def test_the_answer_of_a_step_that_cannot_be_that_of_the_question_is_not_supported(asked, step, short, shortfall):
    answer = answered(asked, step, short)
    assert verdict_of(answer).support == "unsupported"
    assert verdict_of(answer).num_supported == 1
    assert (answer.claims[-1].query, answer.claims[-1].shortfall) == (asked, shortfall)


@pytest.mark.parametrize(
    ("asked", "step", "short"),
    [
        ("Where was the designer of the lamp born?", "Where was Ines Halloran born?", "Brno"),
        ("Is the lamp of Carrow Head lit?", "Is it lit?", "yes"),
        ("Is Orlau a town or a village?", "What is Orlau?", "a village"),
        ("Which is older, Ulm or Sula?", "Which was founded in 850?", "Ulm"),
        ("Which lamp was lit first, that of Ulm or that of Sula?", "Which lamp was lit in 1850?", "that of Ulm"),
    ],
)
def test_an_answer_that_can_be_that_of_the_question_stays_as_it_is(asked, step, short):
    answer = answered(asked, step, short)
    assert len(answer.claims) == 1
    assert verdict_of(answer).support == "supported"


def test_a_step_about_what_another_one_found_is_about_the_question():
    found = Claim("Who designed the lamp?", "Ines Halloran", "retrieved", "supported", (PLACE,))
    step = Claim("Where did Ines Halloran grow up?", "Brno", "retrieved", "supported", (PLACE,))
    asked = Question("q", "What is the home town of its designer?")
    assert len(with_doubt(Answer("Brno.", "Brno", (found, step)), asked).claims) == 2
    assert len(with_doubt(Answer("Brno.", "Brno", (step,)), asked).claims) == 2


def test_what_is_judged_for_the_question_itself_what_has_no_support_and_what_is_no_short_answer_stays_as_it_is():
    asked = "When was the designer of the lamp born?"
    assert len(answered(asked, asked, "Brno").claims) == 1
    assert len(answered(asked, "Where was he born?", "Brno", support="unsupported").claims) == 1
    assert len(answered(asked, "Where was he born?", "Brno", form="long").claims) == 1
    assert len(answered(asked, "Where was he born?", "Brno", form="label", labels=("Brno", "Ulm")).claims) == 1
    nothing = Answer("", "")
    assert with_doubt(nothing, Question("q", asked)) is nothing
