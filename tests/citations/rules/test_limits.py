"""Limits that a question names."""

import pytest

from hopweave.citations.rules.limits import is_beyond_limit, limit_in


@pytest.mark.parametrize(
    ("question", "within", "beyond"),
    [
        ("Does it hold more than 500 packets?", "90 packets", "1,000 packets"),
        ("Does it wait for less than 5 minutes?", "1 hour", "90 seconds"),
        ("Was it built before 12 May 1900?", "3 June 1902", "1887"),
        ("Is it at least 1.5 m deep?", "1.2 metres", "2 m"),
        ("Did it cost over $2 million?", "$900,000", "$2.5 million"),
    ],
)
def test_a_value_is_beyond_a_limit_or_not(question, within, beyond):
    assert (is_beyond_limit(question, within), is_beyond_limit(question, beyond)) == (False, True)


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("Does it hold more than 500 packets?", "500 packets"),
        ("Does it hold more than 500 packets?", "90 bytes"),
        ("Does it hold more than 500 packets?", "many"),
        ("Does it hold more than 500 packets and less than 900?", "600 packets"),
        ("Does it hold 500 packets?", "90 packets"),
        ("Hat es mehr als 500 Pakete?", "90"),
    ],
)
def test_what_is_not_plain_is_left_open(question, value):
    assert is_beyond_limit(question, value) is None


def test_the_limit_is_told_in_the_words_of_the_question():
    assert limit_in("Was the light built after about 1,500 m of road?") == "about 1,500 m of road"
    assert limit_in("Is it over?") == ""
