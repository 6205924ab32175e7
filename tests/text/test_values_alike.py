"""The makes of values: two of the same make could stand in each other's place."""

import pytest

from hopweave.text.values_alike import values_in


@pytest.mark.parametrize(
    ("text", "makes"),
    [
        ("within 5 working days", ["time"]),
        ("twenty-one months", ["time"]),
        ("CHF 75,000 or 320 crowns", ["money", "money"]),
        ("5.25% or four per cent", ["percent", "percent"]),
        ("1 May 2023, May 1, 2023 and 2023-05-01", ["date", "date", "date"]),
        ("3 crates and 1 crate", ["number of crate", "number of crate"]),
        ("no value", []),
    ],
)
def test_each_value_has_a_make(text, makes):
    assert [value.make for value in values_in(text)] == makes
