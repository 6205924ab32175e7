"""Short answers that say the same in other words agree; others differ, however alike they look."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.text.agreement import agree, are_initials_in, is_spelled_out
from hopweave.text.nations import is_only_nations, nations_in


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Brno", "Brno, Moravia"),
        ("12 May 1940", "May 12, 1940"),
        ("American", "United States"),
        ("the United States of America", "U.S."),
        ("American", "an actor from the United States"),
        ("American actor", "United States"),
        ("He was American.", "the USA"),
        ("American", "Chicago, United States"),
        ("British", "Great Britain"),
        ("Dutch", "the Netherlands"),
        ("Poles", "Poland"),
        ("South Korean", "South Korea"),
        ("New Zealander", "New Zealand"),
        ("British", "American and British"),
        ("United Kingdom and France", "French, German and British"),
        ("producer, director", "director, producer and screenwriter"),
        ("director; producer", "producer and director"),
        ("1940, 1960", "1960, 1950 & 1940"),
        ("WHO", "World Health Organization"),
        ("U.S.S.R.", "Union of Soviet Socialist Republics"),
        ("MIT", "the Massachusetts Institute of Technology"),
        ("BoA", "BoA"),
        ("St. Louis", "Saint Louis"),
        ("Mt. Fuji", "Mount Fuji"),
        ("I. Renn", "Ida Renn"),
        ("J R Renn", "Jonas Robert Renn"),
        ("with --no-ff", "git merge --no-ff"),
        ("Use the `-O` option", "-O"),
        ("5s", "five seconds"),
        ("Serie A", "the Serie A of 2004"),
        ("A horse", "the horse"),
    ],
)
def test_the_same_in_other_words_agrees_both_ways(left, right):
    assert agree(left, right)
    assert agree(right, left)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("American", "Canada"),
        ("World War I", "World War II"),
        ("Louis V", "Louis VII"),
        ("Serie A", "Serie B"),
        ("Hepatitis A", "Hepatitis AB"),
        ("North Korean", "South Korea"),
        ("English", "Scotland"),
        ("American actor", "American dancer"),
        ("British and French", "German"),
        ("Michael Jordan", "Jordanian"),
        ("New Mexico", "Mexican"),
        ("American Airlines", "United States"),
        ("Indiana", "India"),
        ("us", "American"),
        ("producer, director", "director, writer"),
        ("Brno, Moravia", "Brno, Ohio"),
        ("WHO", "World Trade Organization"),
        ("who", "World Health Organization"),
        ("UN", "Ulm"),
        ("5s", "5 minutes"),
        ("J. Renn", "Ida Renn"),
        ("St. Paul", "Saint Peter"),
        ("Ida Renn", "Ida Falk"),
        ("Jo Renn", "Jonas Renn"),  # nothing shows that it is short for it
        ("1940", "1960"),
        ("with --no-ff", "git merge --ff"),
        ("with the", "in the option"),
        ("", "Brno"),
        ("...", "Brno"),
    ],
)
def test_others_differ_both_ways(left, right):
    assert not agree(left, right)
    assert not agree(right, left)


@pytest.mark.parametrize(
    ("text", "nations", "only"),
    [
        ("a citizen of the United States", {"United States of America"}, True),
        ("Trinidad and Tobago", {"Trinidad and Tobago"}, True),
        ("a Czech and a Slovak", {"Czech Republic", "Slovakia"}, True),
        ("a Swiss painter", {"Switzerland"}, False),
        ("Papua New Guinea", {"Papua New Guinea"}, True),
        ("South African", {"South Africa"}, True),
        ("Jordan River", set(), False),
        ("The Dane", {"Denmark"}, True),
        ("", set(), False),
    ],
)
def test_nations_are_found_by_the_names_of_countries_and_of_their_people(text, nations, only):
    assert (nations_in(text), is_only_nations(text)) == (nations, only)


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_texts_are_compared_without_an_error_and_in_either_order(left, right):
    assert agree(left, right) == agree(right, left)


@pytest.mark.parametrize(
    ("short", "text", "are"),
    [
        ("PKCE", "Proof Key for Code Exchange by Public Clients", True),
        ("GKMP", "The Group Key Management Protocol", True),
        ("PCC", "Proof Key for Code Exchange by Public Clients", False),
        ("KC", "Proof Key for Code Exchange", False),
        ("pkce", "Proof Key for Code Exchange", False),
        ("PK3", "Proof Key 3", False),
        ("", "", False),
    ],
)
def test_an_abbreviation_is_told_by_the_initials_of_words_that_follow_each_other(short, text, are):
    assert are_initials_in(short, text) is are


OTP = "A one-time\npassword (OTP) is used once; the HOTP (hashed one-time password) is older."


@pytest.mark.parametrize(
    ("query", "answer", "is_one"),
    [
        ("What does OTP stand for?", "one-time password", True),
        ("What does the abbreviation OTP mean?", "One-Time Password", True),
        ("What does OTP stand for?", "hashed one-time password", False),
        ("What does OTP do?", "one-time password", False),
        ("What does HOTP stand for?", "one-time password", False),
    ],
)
def test_what_an_abbreviation_stands_for_is_beside_it(query, answer, is_one):
    assert is_spelled_out(query, answer, OTP) is is_one
