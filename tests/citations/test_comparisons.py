"""Comparisons are borne out by the supported values of both sides, in whatever method they were found."""

import pytest

from hopweave.citations.comparisons import premises_of
from hopweave.core.types import Claim
from hopweave.text.alternatives import sides_of

ASKED = "Whose director is older, Low Water or The Long Tide?"


def supported(*pairs):
    return [Claim(query, text, "retrieved", "supported") for query, text in pairs]


STEPS = supported(
    ("Who directed Low Water?", "Piet Arens"),
    ("When was Piet Arens born?", "1911"),
    ("Who directed The Long Tide?", "Tom Carey"),
    ("When was Tom Carey born?", "3 June 1930"),
)
SENTENCES = supported(
    (ASKED, "Low Water was directed by Piet Arens."),
    (ASKED, "Piet Arens was born in 1911."),
    (ASKED, "The Long Tide was directed by Tom Carey."),
    (ASKED, "Tom Carey was born on 3 June 1930."),
)


@pytest.mark.parametrize("claims", [STEPS, SENTENCES])
def test_the_claims_that_lead_to_both_values_bear_out_the_side_that_they_give(claims):
    assert premises_of(ASKED, "Low Water", claims) == (1, 2, 3, 4)
    assert premises_of(ASKED, "The Long Tide", claims) == ()


def test_without_a_value_of_both_sides_nothing_is_borne_out():
    for missing in range(4):
        rest = [claim for number, claim in enumerate(STEPS) if number != missing]
        assert premises_of(ASKED, "Low Water", rest) == ()
    guessed = [*STEPS[:3], Claim(STEPS[3].query, STEPS[3].text)]
    assert premises_of(ASKED, "Low Water", guessed) == ()


def test_yes_and_no_follow_from_two_values():
    asked = "Are Sula and Orlau in the same country?"
    same = supported(("Which country is Sula in?", "Norway"), ("Which country is Orlau in?", "Norway"))
    other = supported(("Which country is Sula in?", "Norway"), ("Which country is Orlau in?", "Poland"))
    assert premises_of(asked, "yes", same) == (1, 2)
    assert premises_of(asked, "no", same) == ()
    assert premises_of(asked, "No", other) == (1, 2)


def test_things_in_small_letters_are_sides_and_units_count():
    asked = "Which queue waits longer by default, fq or fq_codel?"
    times = supported(
        ("How long does fq wait by default?", "5 minutes"), ("How long does fq_codel wait by default?", "90 seconds")
    )
    assert premises_of(asked, "fq", times) == (1, 2)
    assert premises_of(asked, "fq_codel", times) == ()
    others = supported(
        ("How long does fq wait by default?", "5 minutes"), ("How long does fq_codel wait by default?", "90 packets")
    )
    assert premises_of(asked, "fq", others) == premises_of(asked, "fq_codel", others) == ()


def test_versions_are_compared_if_both_things_are_of_one_program():
    versions = supported(("Since when is there alpha?", "3.9"), ("Since when is there beta?", "3.10"))
    assert premises_of("Which of Orlau's modules is older, alpha or beta?", "alpha", versions) == (1, 2)
    assert premises_of("Which is older, alpha or beta?", "alpha", versions) == ()


def test_what_is_no_comparison_has_no_premises():
    assert premises_of("Who directed Low Water?", "Piet Arens", STEPS) == ()


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("Which film came out first, Low Water or The Long Tide?", ("Low Water", "The Long Tide")),
        ('Which is older, "Low Water" or "Tide"?', ("Low Water", "Tide")),
        ("Was Orla Bridge or Kerrow Light built first?", ("Orla Bridge", "Kerrow Light")),
        ("Which film is longer, What Now? or Tide?", ("What Now", "Tide")),
        ("Which holds more packets, fq or the fq_codel queue?", ("fq", "fq_codel queue")),
        ("Do head and tail print the same number of lines?", ("head", "tail")),
        ("Who built or designed Kerrow Light?", None),
    ],
)
def test_the_sides_are_the_names_around_or_and_and(question, sides):
    assert sides_of(question) == sides
