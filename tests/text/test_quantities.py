"""Quantities in whatever unit."""

import pytest

from hopweave.text.quantities import are_equal, places_of_quantity

WAITS = "It tries 5 times and waits five seconds. Every 10 minutes it stops for 90,000 ms."
NEEDS = "It needs 2 GiB, writes blocks of 64 KiB, and sends 3 megabytes hourly."
OPTIONS = "--timeout <seconds> Wait for so long (default: 900), or for 3 replies. --size Size in bytes, by default 4096."


@pytest.mark.parametrize(
    ("said", "text", "found"),
    [
        ("5s", WAITS, ["five seconds"]),
        ("5 sec", WAITS, ["five seconds"]),
        ("5000 ms", WAITS, ["five seconds"]),
        ("five seconds", WAITS, ["five seconds"]),
        ("5 minutes", WAITS, []),
        ("10min", WAITS, ["10 minutes"]),
        ("90s", WAITS, ["90,000 ms"]),
        ("1.5 minutes.", WAITS, ["90,000 ms"]),
        ("5", WAITS, []),  # no unit
        ("5 times", WAITS, []),
        ("wait 5s", WAITS, []),  # more than a quantity
        ("2GiB", NEEDS, ["2 GiB"]),
        ("2048 MiB", NEEDS, ["2 GiB"]),
        ("2048 MB", NEEDS, ["2 GiB"]),  # of 1024 times 1024 bytes
        ("2 GB", NEEDS, ["2 GiB"]),
        ("2 MiB", NEEDS, []),
        ("3 MB", NEEDS, ["3 megabytes"]),
        ("65536 bytes", NEEDS, ["64 KiB"]),
        ("every hour", NEEDS, ["hourly"]),
        ("once an hour", NEEDS, ["hourly"]),
        ("daily", NEEDS, []),
        ("an hour", NEEDS, []),
        ("15 minutes", OPTIONS, ["900"]),
        ("900 seconds", OPTIONS, ["900"]),
        ("4 KiB", OPTIONS, ["4096"]),
        ("3 seconds", WAITS, []),
    ],
)
def test_a_quantity_is_found_in_another_unit_or_spelling(said, text, found):
    assert [text[place.start : place.end] for place in places_of_quantity(said, text)] == found


def test_a_number_whose_sentence_names_several_units_has_none():
    assert not list(places_of_quantity("9 seconds", "Time in seconds and size in bytes, by default 9 and 4096."))


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [("2 weeks", "14 days", True), ("1h", "60 min", True), ("daily", "every day", True), ("1h", "hourly", False)],
)
def test_quantities_that_are_as_much_are_equal(left, right, equal):
    assert are_equal(left, right) is are_equal(right, left) is equal
