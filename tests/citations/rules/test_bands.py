"""A row or a column that holds for a band of amounts answers only a question about amounts in it."""

import pytest

from hopweave.citations.rules.bands import is_in_other_band
from hopweave.citations.support import judge
from hopweave.core.types import Passage, Span

LEAVE = "Service: Under 5 years; Days: 23.\nService: 5 to 14 years; Days: 28.\nService: 15 years and over; Days: 30."


def days(query):
    """Which days the rows leave that hold for what a query names."""
    rows = LEAVE.split("\n")
    return [row[-3:-1] for row in rows if not is_in_other_band(query, row, Span(len(row) - 3, len(row) - 1))]


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("How many days off does Ida get after six years?", ["28"]),
        ("How many days off does Ida get after five years?", ["28"]),
        ("How many days off does Ida get in her first 4 years?", ["23"]),
        ("How many days off does Ida get after 14 years?", ["28"]),
        ("How many days off does Ida get after 15 years?", ["30"]),
        ("How many days off does Ida get with more than 14 years?", ["30"]),
        ("How many days off does Ida get with less than 5 years?", ["23"]),
        ("How many days off does Ida get?", ["23", "28", "30"]),
        ("How many days off does Ida get in 3 months?", ["23", "28", "30"]),
        ("How many days off does Ida get under the rules of 2022?", ["23", "28", "30"]),
    ],
)
def test_rows_for_other_amounts_are_left_out(query, left):
    assert days(query) == left


@pytest.mark.parametrize(
    ("band", "inside", "outside"),
    [
        ("up to 2 kg", "2 kg", "2.5 kg"),
        ("below 2 kg", "1.9 kg", "2 kg"),
        ("over 2 kg", "2.1 kg", "1 kg"),
        ("2–5 kg", "5 kg", "6 kg"),
        ("2 kg to under 5 kg", "4 kg", "5 kg"),
        ("between 2 and 5 kg", "3 kg", "1 kg"),
        ("from 5 kg", "5 kg", "4 kg"),
        ("5 kg or more", "9 kg", "4 kg"),
        ("5+ kg", "9 kg", "4 kg"),
        ("< 2 kg", "1 kg", "3 kg"),
        ("≥ 2 kg", "2 kg", "1 kg"),
        ("£20,000 and over", "£20,000", "£19,999"),
        ("up to £500", "£500", "£501"),
    ],
)
def test_a_band_has_the_amounts_that_it_says(band, inside, outside):
    row = f"Parcel: {band}; Price: 7."
    place = Span(len(row) - 2, len(row) - 1)
    found = [is_in_other_band(f"What does a parcel of {amount} cost?", row, place) for amount in (inside, outside)]
    assert found == [False, True]


def test_the_unit_of_a_band_may_stand_in_the_name_of_its_column():
    row = "Years of service: 5–14; Days: 28."
    assert [is_in_other_band(f"What does Ida get after {num} years?", row, Span(30, 32)) for num in (4, 6)] == [True, False]


def test_rows_for_other_amounts_neither_answer_nor_contradict():
    passages = [Passage("p", LEAVE, "Handbook of Orlau", "handbook.md")]
    asked = "How many days off does the handbook of Orlau give after six years of service?"
    assert [judge(asked, one, passages).support for one in ("28 days", "23 days", "30 days")] == [
        "supported",
        "unsupported",
        "unsupported",
    ]


def test_a_bound_that_the_name_of_a_column_calls_so_is_no_end_of_a_range_in_another_cell():
    told = "Programme: Cotton; Temperature: 20-90 °C; Max. load: 7 kg."
    passages = [Passage("p", told, "WM 40", "wm40.md")]
    assert judge("What is the maximum load of the WM 40 on Cotton?", "7 kg", passages).support == "supported"
