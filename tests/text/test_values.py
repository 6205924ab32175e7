"""Dates and numbers are compared by what they say, not by how they are written."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.text.languages import months
from hopweave.text.values import MONTHS, agree_by_value, normalize_values, places_of_value


@pytest.mark.parametrize(
    ("forms", "normal"),
    [
        (
            [
                "12 May 1940",
                "May 12, 1940",
                "the 12th of May, 1940",
                "12-May-1940",
                "1940-05-12",
                "12.5.1940",
                "12. 5. 1940",
                "MAY 12 1940",
            ],
            "1940 may 12",
        ),
        (["13/5/1940", "5/13/1940", "13 May 1940"], "1940 may 13"),
        (["May 1940", "May of 1940", "1940-05", "may, 1940"], "1940 may"),
        (["May 3rd", "3 May", "the 3rd of May"], "may 3"),
        (["Sept. 5, 2001", "September 5, 2001", "5 Sep 2001"], "2001 september 5"),
        (["1,450 miles", "1450 miles"], "1450 miles"),
        (["2.5 million", "2,500,000", "2500000"], "2500000"),
        (["two hundred and five", "205", "two hundred five"], "205"),
        (["forty-two", "forty two", "42"], "42"),
        (["two thousand and one", "2001"], "2001"),
        (["nineteen hundred", "1900"], "1900"),
        (["the nineteenth century", "19th century"], "19th century"),
        (["twenty-first", "21st", "21th"], "21th"),
        (["2.50", "2.5"], "2.5"),
        (["1939-1945", "1939–1945"], "1939 1945"),
        (["-5 °C", "−5 °C"], "-5 °c"),
        (["U.S.", "US"], "us"),
        (["one, two and three", "1, 2 and 3"], "1 2 and 3"),
        (["05/12/1940"], "5 12 1940"),  # either day
        (["May"], "may"),
        (["31 February"], "february 31"),
        (["1940-13-01"], "1940 13 1"),
        ([""], ""),
        (["...", "the"], ""),
    ],
)
def test_what_is_the_same_is_written_the_same(forms, normal):
    assert [normalize_values(form) for form in forms] == [normal] * len(forms)


@pytest.mark.parametrize(
    "written",
    [
        *("8. April 2025", "8. huhtikuuta 2025", "8 Nisan 2025", "8 NİSAN 2025", "8 Απριλίου 2025", "2025. április 8."),
        *("2025. április 8-án", "8 aprilie 2025", "8 أبريل 2025", "٨ أبريل ٢٠٢٥", "8 באפריל 2025", "8° aprile 2025"),
    ],
)
def test_a_date_is_the_same_in_every_language(written):
    assert normalize_values(written) == "2025 april 8"


def test_every_name_of_a_month_is_understood_in_capitals_as_well():
    for name, number in months().items():
        for written in (name, name.upper(), name.title()):
            if len(written) == len(name):
                assert normalize_values(f"3 {written} 2025") == f"2025 {MONTHS[number - 1]} 3", written


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("It closed in 2025. November saw 3.", "it closed in 2025 november saw 3"),
        ("They sold 12. Demand rose.", "they sold 12 demand rose"),
        ("On May 5. 2024 was dry.", "on may 5 2024 was dry"),
    ],
)
def test_a_sentence_that_ends_with_a_number_begins_no_date(text, normal):
    assert normalize_values(text) == normal


def test_numbers_in_arabic_digits_are_the_same_numbers():
    assert [normalize_values(written) for written in ("١٬٢٥٠", "١٢٫٥", "۲۵۰")] == ["1250", "12.5", "250"]


@pytest.mark.parametrize(
    ("left", "right", "agree"),
    [
        ("Brno", "Brno, Moravia", True),
        ("12 May 1940", "May 1940", True),
        ("1940", "born on May 12, 1940", True),
        ("five", "5 towers", True),
        ("1940", "1960", False),
        ("2.5", "25", False),
        ("5", "-5", False),
        ("12 May 1940", "12 June 1940", False),
        ("Brno", "Brnoblice", False),
        ("no", "not known", False),
        ("", "Brno", False),
        ("...", "Brno", False),
    ],
)
def test_two_texts_agree_if_one_holds_the_other(left, right, agree):
    assert agree_by_value(left, right) is agree
    assert agree_by_value(right, left) is agree


PIECES = st.lists(
    st.sampled_from(["1", "May", "-", "/", ".", ",", "two", "hundred", "million", "and", "th", " ", "1940", "²", "٣"])
)


@given(st.one_of(st.text(), PIECES.map("".join), PIECES.map(" ".join)))
def test_any_text_is_read_without_an_error(text):
    normal = normalize_values(text)
    assert normal == " ".join(normal.split())


@given(st.integers(0, 10**15))
def test_a_number_with_commas_is_the_number(value):
    assert normalize_values(f"{value:,}") == normalize_values(str(value)) == str(value)


TOLD = "From 28 Sep 2013 on, it waits five seconds (not 5-10 minutes), and one of its 6,700 lines was the first; it was -5 °C."


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("September 28, 2013", ["28 Sep 2013"]),
        ("2013-09-28", ["28 Sep 2013"]),
        ("September 2013", ["Sep 2013"]),
        ("September 29, 2013", []),
        ("5 seconds", ["five seconds"]),
        ("5 minutes", []),
        ("10 minutes", []),  # a part of a range
        ("6700", ["6,700"]),
        ("6,700 lines", ["6,700 lines"]),
        ("1", []),  # "one of"
        ("1st", []),
        ("5", ["five"]),
        ("−5 °C", ["-5 °C"]),
        ("lines", []),
        ("", []),
    ],
)
def test_a_date_or_number_is_found_in_another_form(said, found):
    assert [TOLD[place.start : place.end] for place in places_of_value(said, TOLD)] == found


@given(st.one_of(st.text(), PIECES.map(" ".join)), st.one_of(st.text(), PIECES.map(" ".join)))
def test_what_is_found_has_the_value_of_what_is_looked_for(said, text):
    places = list(places_of_value(said, text))
    assert all(normalize_values(text[place.start : place.end]) == normalize_values(said) for place in places)
    assert all(one.end <= other.start for one, other in itertools.pairwise(places))
