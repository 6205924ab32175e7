"""Values that their own sentence says hold no longer, or never did."""

import pytest

from hopweave.citations.rules.given_up import is_given_up
from hopweave.core.types import Span


def given_up(asking, sentence, words):
    start = sentence.index(words)
    return is_given_up(asking, sentence, Span(start, start + len(words)))


@pytest.mark.parametrize(
    ("sentence", "old", "new"),
    [
        ("The opening has moved from 18 March to 25 March.", "18 March", "25 March"),
        ("The default is now 120 (was 600).", "600", "120"),
        ("Budget: 2.4 million (raised from 1.9 million in May)", "1.9 million", "2.4 million"),
        ("The rate was 7.7%, is 8.1% since May.", "7.7%", "8.1%"),
        ("I wrote that it is 14,000 euros; it is 41,000 euros.", "14,000", "41,000"),
        ("Milestone: light; Original date: 1 May 2024; Current date: 9 June 2024.", "1 May 2024", "9 June 2024"),
        ("The limit rises from 16 to 24.", "16", "24"),
        ("The stand costs 4,200, up from 3,600.", "3,600", "4,200"),
        ("The end was 15 May; the board has extended it to 30 June.", "15 May", "30 June"),
        ("Task: alarm; Was due: 20 July; New date: 2 August.", "20 July", "2 August"),
        ("Lead: Ida Renn (until May: Otto Renn)", "Otto Renn", "Ida Renn"),
    ],
)
def test_of_a_value_and_the_one_that_it_replaced_only_the_latter_is_given_up(sentence, old, new):
    assert given_up("What is it?", sentence, old)
    assert not given_up("What is it?", sentence, new)
    assert not given_up("What was it originally?", sentence, old)


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("Option B was rejected because of its cost.", "Option B"),
        ("A mirror of 3 m was considered and dropped.", "3 m"),
        ("The lens maker withdrew its offer in May.", "The lens maker"),
        ("Orlau Glass had offered a shorter time but was excluded for lack of references.", "Orlau Glass"),
        ("The works council had wanted 45 euros, but the board did not agree.", "45 euros"),
        ("The date of 1 July no longer holds.", "1 July"),
        ("The key used to be in the safe.", "the safe"),
        ("Hotel sheets: was 60 °C for 8 minutes.", "60 °C"),
        ("Previously it was 30 seconds.", "30 seconds"),
        ("Before 2024 they were kept for 30 days.", "30 days"),
        ("It was 140 euros in version 1.", "140 euros"),
        ("The draft of it said 730 days.", "730 days"),
        ("Otto Renn has resigned as treasurer.", "Otto Renn"),
        ("200 was too slow in the tests.", "200"),
    ],
)
def test_what_was_rejected_or_is_of_the_past_does_not_hold(sentence, words):
    assert given_up("Which is it?", sentence, words)


@pytest.mark.parametrize(
    ("asking", "sentence", "words"),
    [
        ("Who founded the press?", "Ada Finch founded the press and left the company in 1990.", "Ada Finch"),
        ("Who directed it?", "The film directed by Ada Finch was rejected.", "Ada Finch"),
        ("Who played for it?", "Ada Finch played for it until she was dropped.", "Ada Finch"),
        ("What was its population in 1950?", "It rose from 4,000 in 1950 to 9,000.", "4,000"),
        ("Which option was rejected?", "Option B was rejected because of its cost.", "Option B"),
        ("What was the timeout in version 1?", "Previously it was 30 seconds.", "30 seconds"),
        ("Who rejected option B?", "Option B was rejected by Ada Finch.", "Ada Finch"),
    ],
)
def test_what_is_said_of_something_else_or_asked_for_is_not_given_up(asking, sentence, words):
    assert not given_up(asking, sentence, words)
