"""Units and scales that tables state above their numbers, or in the names of columns and rows."""

import pytest

from hopweave.citations.rules.scales import is_other_scale, places_in_tables
from hopweave.core.types import Span
from hopweave.text.tables_in_text import rows_of

THOUSANDS = (
    "All figures in EUR thousand unless stated otherwise.\n\n"
    "Sales; 2023: 512,604; 2022: 472,880.\n\nFlow; 2023: 18,905; 2022: (4,210)."
)
MILLIONS = (
    "(in millions of US dollars, except per share amounts)\n\nitem: Net income; 2024: 41.2; 2022: (7.4).\n\n"
    "item: Basic earnings per share; 2024: 0.84; 2022: (0.16).\n\nitem: Cost; 2024: (62.1); 2022: (51.3)."
)
UNITS = (
    "Parameter: Losses; Unit: W; KT-1: 280; KT-2: 520.\n\nParameter: Mass (g); KT-1: 64; KT-2: 71.\n\n"
    "Rate (ct/kWh): 27,4; Fee (EUR/month): 9,90."
)
SHEET = "Electricity consumption in MWh\n\nSite: Hall; Jan: 412; Feb: 398."


@pytest.mark.parametrize(
    ("said", "text", "found"),
    [
        ("EUR 512,604 thousand", THOUSANDS, ["512,604"]),
        ("512,604 thousand euros", THOUSANDS, ["512,604"]),
        ("EUR 512.604 million", THOUSANDS, ["512,604"]),
        ("EUR 512,604", THOUSANDS, []),
        ("EUR 512,604 million", THOUSANDS, []),
        ("USD 512,604 thousand", THOUSANDS, []),
        ("EUR -4,210 thousand", THOUSANDS, ["4,210"]),
        ("-4,210", THOUSANDS, ["4,210"]),
        ("$41.2 million", MILLIONS, ["41.2"]),
        ("$(7.4) million", MILLIONS, ["7.4"]),
        ("$0.84", MILLIONS, ["0.84"]),
        ("$0.84 million", MILLIONS, []),
        ("520 W", UNITS, ["520"]),
        ("71 g", UNITS, ["71"]),
        ("27,4 ct/kWh", UNITS, ["27,4"]),
        ("9,90 EUR/month", UNITS, ["9,90"]),
        ("9,90 EUR/year", UNITS, []),
        ("412 MWh", SHEET, ["412"]),
        ("412 kWh", SHEET, []),
        ("412", SHEET, []),  # which stands there as it is
    ],
)
def test_an_amount_is_found_where_a_table_states_its_unit_and_scale(said, text, found):
    assert [text[one.start : one.end] for one in places_in_tables(said, text)] == found


def test_the_heading_of_a_passage_states_the_unit_of_its_tables():
    row = "Site: Hall; Jan: 412; Feb: 398."
    assert list(places_in_tables("412 MWh", row)) == []
    assert list(places_in_tables("412 MWh", row, "Energy > Consumption 2024, in MWh")) == [Span(17, 20)]


@pytest.mark.parametrize(
    ("said", "text", "number", "is_other"),
    [
        ("EUR 512,604", THOUSANDS, "512,604", True),
        ("512,604", THOUSANDS, "512,604", False),
        ("4,210", THOUSANDS, "4,210", True),  # a minus is left out
        ("-18,905", THOUSANDS, "18,905", True),
        ("62.1", MILLIONS, "62.1", False),  # a row of costs
        ("$62.1 million", MILLIONS, "62.1", False),
        ("$41.2", MILLIONS, "41.2", True),
        ("71 mm", UNITS, "71", True),
        ("71 g", UNITS, "71", False),
        ("71 pieces", SHEET.replace("412", "71"), "71", False),  # what stands above may not be meant for this column
        ("512", "It was 512 in EUR thousand.", "512", False),  # no table
    ],
)
def test_another_unit_scale_or_sign_than_the_table_states_is_another_amount(said, text, number, is_other):
    start = text.index(number)
    assert is_other_scale(said, Span(start, start + len(number)), text) is is_other


def test_the_last_heading_is_above_the_rows_below_it_and_sentences_before_them_are_told_apart():
    text = "Sales\n\nin EUR\n\nThey rose again.\n\ntown: Ulm; sum: 5.\n\nCosts\n\ntown: Ulm; sum: 7."
    assert [(row.above, row.before) for row in rows_of(text)] == [("Sales\nin EUR", "They rose again."), ("Costs", "")]
