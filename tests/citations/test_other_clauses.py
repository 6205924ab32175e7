"""A sentence with an answer and the words of a question may say in another clause, or not at all, what is asked."""

import pytest

from hopweave.citations.support import judge
from hopweave.core.types import Passage


def has_tick(question, answer, told):
    return judge(question, answer, [Passage("notes", told, "Notes")]).support == "supported"


@pytest.mark.parametrize(
    ("told", "right", "wrong"),
    [
        pytest.param(
            "Records must be kept for six months; samples are destroyed after a week.",
            ("How long must records be kept?", "six months"),
            ("How long must samples be kept?", "six months"),
            id="behind a semicolon",
        ),
        pytest.param(
            "12 nurses work by day and the rest work at night.",
            ("How many nurses work by day?", "12"),
            ("How many nurses work at night?", "12"),
            id="the rest",
        ),
        pytest.param(
            "The red pass costs £18 while the blue one is free.",
            ("What does the red pass cost?", "£18"),
            ("What does the blue pass cost?", "£18"),
            id="while",
        ),
        pytest.param(
            "The nave is 40 m long and the spire is taller than any other.",
            ("How long is the nave?", "40 m"),
            ("How high is the spire?", "40 m"),
            id="and another thing",
        ),
        pytest.param(
            "Clean the filter every month and change it once a year.",
            ("How often is the filter changed?", "once a year"),
            ("How often is the filter changed?", "every month"),
            id="and another deed",
        ),
        pytest.param(
            "The tank has a guarantee of five years, the pump one of two.",
            ("How long is the guarantee on the tank?", "five years"),
            ("How long is the guarantee on the pump?", "five years"),
            id="without a verb",
        ),
        pytest.param(
            "Ida Renn prepares the budget, which the board approves.",
            ("Who prepares the budget?", "Ida Renn"),
            ("Who approves the budget?", "Ida Renn"),
            id="which somebody else does",
        ),
        pytest.param(
            "Start the wash programme, then leave the door open for 10 minutes.",
            ("How long must the door be left open?", "10 minutes"),
            ("How long does the wash programme take?", "10 minutes"),
            id="a later step",
        ),
        pytest.param(
            "Water the Fern daily, but never water the Cactus so often.",
            ("Which plant must be watered daily?", "Fern"),
            ("Which plant must not be watered daily?", "Fern"),
            id="what is not so",
        ),
        pytest.param(
            "Guests pay £5 for breakfast, without any fee for parking.",
            ("What do guests pay for breakfast?", "£5"),
            ("What is the fee for parking?", "£5"),
            id="without any",
        ),
        pytest.param(
            "The office is open on Monday and never closed at lunch.",
            ("When is the office open?", "Monday"),
            ("When is the office closed?", "Monday"),
            id="never",
        ),
    ],
)
def test_an_answer_is_of_the_clause_that_says_what_is_asked(told, right, wrong):
    assert has_tick(*right, told)
    assert not has_tick(*wrong, told)


@pytest.mark.parametrize(
    ("question", "answer", "told"),
    [
        ("How much does a day ticket cost?", "£12", "A day ticket costs £12 and it is valid until midnight."),
        ("By when must the form be sent to the office?", "5 May", "Send the form by 5 May and the office will confirm it."),
        ("How long is the guarantee?", "two years", "The guarantee is two years, and no receipt is needed."),
        ("How long should I bake it?", "40 minutes", "Let the dough rest for two hours, then bake it for 40 minutes."),
        (
            "What must be done if there is no power?",
            "Press the lever",
            "Press the lever if there is no power; the door will open.",
        ),
        ("Who repairs the boiler?", "Karo Heating", "Karo Heating repairs the boiler, which the landlord pays for."),
        ("How hot may the water be?", "40 °C", "The water may be 40 °C and never hotter."),
        (
            "How soon must the first boat be home so that a race is not called off?",
            "100 minutes",
            "The first boat must be home in 100 minutes; otherwise the race is called off.",
        ),
    ],
)
def test_a_clause_that_adds_to_the_answer_takes_nothing_from_it(question, answer, told):
    assert has_tick(question, answer, told)
