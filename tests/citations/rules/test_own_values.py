"""Values that a question has itself."""

import pytest

from hopweave.citations.rules.own_values import is_of_another_value
from hopweave.core.types import Span

TOLD = "Ada Finch proposed to open until 20:00."


@pytest.mark.parametrize(
    ("asking", "is_other"),
    [
        ("Who proposed to open until 22:00?", True),
        ("Who proposed to open until 20:00?", False),
        ("Who proposed to open?", False),
        ("Did Ada Finch propose to open until 22:00?", False),  # another value may be the reason for a no
    ],
)
def test_what_is_said_of_another_time_is_not_what_is_asked(asking, is_other):
    assert is_of_another_value(asking, TOLD, TOLD, Span(0, len("Ada Finch"))) is is_other


def test_the_value_may_stand_in_what_the_sentence_is_read_with():
    around = f"The plan was to open until 22:00.\n{TOLD}"
    assert not is_of_another_value("Who proposed to open until 22:00?", TOLD, around, Span(0, len("Ada Finch")))


def test_an_answer_of_the_same_kind_is_no_other_value():
    told = "After 30 seconds the lamp goes out for 5 seconds."
    start = told.index("5 seconds")
    assert not is_of_another_value("For how long is it out after 30 seconds?", told, told, Span(start, start + 9))


def test_a_row_of_a_table_without_a_word_of_the_question_does_not_answer_it():
    row = "Task: order lamps; Owner: Ada Finch."
    focus = Span(row.index("Ada"), row.index("."))
    assert is_of_another_value("Who wants to open until nine?", row, row, focus)
    assert not is_of_another_value("Who orders the lamps?", row, row, focus)


def test_a_value_within_the_band_of_its_part_of_the_sentence_is_the_one_that_is_asked_for():
    told = "Who withdraws loses the deposit; from 41 to 15 days before the tour it is 50% of the price, and after that 90%."
    asked = "What does a traveller pay who withdraws {} days before the tour?"
    at = {answer: Span(told.index(answer), told.index(answer) + 3) for answer in ("50%", "90%")}
    assert not is_of_another_value(asked.format(20), told, told, at["50%"])
    assert is_of_another_value(asked.format(20), told, told, at["90%"])
    assert is_of_another_value(asked.format(60), told, told, at["50%"])
