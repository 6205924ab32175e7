"""Answers that are computed from values: supported if all steps are, about what is asked, and code comes to the same."""

from dataclasses import replace

import pytest

from hopweave.answering.toolkit.claims import concluded
from hopweave.citations.calculations import calculated_from
from hopweave.citations.support import conclusion_of, is_conclusion
from hopweave.core.types import Citation, Claim, Question, Span

ASKED = "How much more does the insurance of Kerrow Rowing Club cost in 2025 than in 2024?"
BEFORE = ("How much did the insurance of Kerrow Rowing Club cost in 2024?", "£480")
AFTER = ("How much does the insurance of Kerrow Rowing Club cost in 2025?", "£560")


def supported(*steps):
    return [
        Claim(query, text, "retrieved", "supported", (Citation(number, f"p{number}", 0, len(text), text),))
        for number, (query, text) in enumerate(steps, start=1)
    ]


def test_a_difference_rests_on_both_its_values():
    assert calculated_from(ASKED, "£80", supported(BEFORE, AFTER)) == (1, 2)
    assert calculated_from(ASKED, "£90", supported(BEFORE, AFTER)) == ()


def test_steps_that_lead_to_the_values_are_premises_as_well():
    asked = "How old was the mayor of Orlau when Kerrow Light was built?"
    steps = [
        ("Who is the mayor of Orlau?", "Ida Renn"),
        ("When was Ida Renn born?", "3 May 1901"),
        ("When was Kerrow Light built?", "2 May 1940"),
    ]
    assert calculated_from(asked, "38", supported(*steps)) == (1, 2, 3)


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ([BEFORE], "one value"),
        ([BEFORE, BEFORE], "one value twice"),
        ([BEFORE, AFTER, ("How many oars does Kerrow Rowing Club have?", "12")], "a value that is not asked for"),
        ([("How much did the insurance of Kerrow Rowing Club cost in 2023?", "£480"), AFTER], "another year"),
        ([(BEFORE[0].replace("Kerrow", "Orlau"), "£480"), (AFTER[0].replace("Kerrow", "Sula"), "£560")], "other clubs"),
        ([("When was Kerrow Rowing Club of 2024 founded?", "480"), ("How many boats has Kerrow Rowing Club in 2025?", "560")],
         "other things"),
    ],
)  # fmt: skip
def test_an_answer_from_other_values_is_not_borne_out(steps, why):
    assert calculated_from(ASKED, "£80" if "£" in steps[-1][1] else "80", supported(*steps)) == (), why


OARS = ("What do the new oars cost the club in 2025?", "£900")
RENT = ("What does the rent of the shed cost the club in 2025?", "£3,720")
INSURANCE = ("What does the insurance cost the club in 2025?", "£560")


@pytest.mark.parametrize(
    ("asked", "steps", "said", "holds"),
    [
        ("What do the insurance and the new oars cost the club in total in 2025?", [INSURANCE, OARS], "£1,460", True),
        ("What do all items cost the club in total in 2025?", [INSURANCE, OARS], "£1,460", False),
        ("What do the insurance and the new oars cost the club in total in 2025?", [INSURANCE, RENT], "£4,280", False),
        (
            "What do the insurance, the rent and the new oars cost the club in total in 2025?",
            [INSURANCE, OARS],
            "£1,460",
            False,
        ),
        ("How much more do the new oars cost the club than the insurance in 2025?", [INSURANCE, OARS], "£340", True),
        ("How much more do the new oars cost the club than the insurance in 2025?", [INSURANCE, RENT], "£3,160", False),
        ("How much cheaper is the insurance for the club than the new oars in 2025?", [INSURANCE, OARS], "£340", True),
        ("By how much did the insurance of Kerrow Rowing Club rise from 2024 to 2025?", [BEFORE, AFTER], "£80", True),
    ],
)
def test_the_steps_are_about_all_that_is_asked_and_nothing_else(asked, steps, said, holds):
    assert bool(calculated_from(asked, said, supported(*steps))) is holds


def test_two_values_of_one_sentence_make_a_conclusion():
    row = "item: Insurance; 2024: 480; 2025: 560."
    steps = [
        Claim(query, row[start:end], "retrieved", "supported", (Citation(mark, "p", 0, len(row), row, Span(start, end)),))
        for mark, (query, start, end) in enumerate([(BEFORE[0], 23, 26), (AFTER[0], 34, 37)], start=1)
    ]
    made = conclusion_of(3, ASKED, "80", steps)
    assert is_conclusion(made, [*steps, made])
    assert not is_conclusion(steps[0], [*steps, made])


def test_one_step_that_no_passage_supports_is_enough_against_it():
    first, second = supported(BEFORE, AFTER)
    assert calculated_from(ASKED, "£80", [replace(first, support="unsupported"), second]) == ()


def test_a_question_that_asks_for_no_calculation_is_not_answered_by_one():
    assert calculated_from(ASKED.replace("How much more", "How much"), "£80", supported(BEFORE, AFTER)) == ()


@pytest.mark.parametrize("query", [ASKED, "How much more is £560 than £480?"])
def test_the_claim_of_the_answer_cites_what_its_values_cite(query):
    steps = supported(BEFORE, AFTER)
    answer = Claim(query, "£80", "retrieved", "unsupported", (), None, "words")
    *before, last = concluded(Question("q", ASKED), "£80", [*steps, answer])
    assert before == steps
    assert (last.query, last.text, last.support, last.shortfall) == (query, "£80", "supported", "")
    assert [(one.mark, one.passage_id) for one in last.citations] == [(3, "p1"), (3, "p2")]
    wrong = replace(answer, text="£90")
    assert concluded(Question("q", ASKED), "£90", [*steps, wrong])[-1] == wrong
