"""How much two values say, in whatever unit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.text.sizes import is_measured, order_of, order_of_versions


@pytest.mark.parametrize(
    ("less", "more"),
    [
        ("64 KiB", "1 MiB"),
        ("90 seconds", "5 minutes"),
        ("90 minutes", "2 hours"),
        ("900 MB", "1.5 GB"),
        ("4000 m", "about 5 km"),
        ("80 min", "1 h 30 min"),
        ("1.5 m", "six feet"),
        ("1500 KiB", "1024 MiB"),
        ("300,000 inhabitants", "5 million"),
        ("30%", "40 %"),
        ("500 mW", "1 MW"),
        ("-5", "3"),
        ("$900", "$1,500"),
        ("10", "20 lines"),
    ],
)
def test_a_value_is_less_than_another_one_whatever_its_unit(less, more):
    assert (order_of(less, more), order_of(more, less)) == (-1, 1)


@pytest.mark.parametrize(
    ("left", "right"), [("1024 bytes", "1 KiB"), ("5 min", "300 s"), ("1 inch", "25.4 mm"), ("10", "10 lines")]
)
def test_values_may_be_as_much(left, right):
    assert order_of(left, right) == 0


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("10 packets", "20 bytes"),
        ("64", "1 MiB"),
        ("40%", "30"),
        ("$5 million", "€3 million"),
        ("5 kg", "4 m"),
        ("1 GB", "1 GiB"),  # GB may be either
        ("none", "3"),
        ("", "3"),
        ("1.245.000", "3"),
    ],
)
def test_values_of_different_kinds_are_not_compared(left, right):
    assert order_of(left, right) is order_of(right, left) is None


def test_what_a_unit_follows_is_no_year():
    assert (is_measured("1500 ms"), is_measured("1500"), is_measured("12 May 1500")) == (True, False, False)


def test_versions_are_compared_part_by_part():
    assert order_of_versions("since 3.9", "version 3.10.1") < 0
    assert order_of_versions("3.10", "3.9") > 0
    assert order_of_versions("3.9", "3.9") == 0
    assert order_of_versions("3.9", "9") is None


PARTS = ["1", "1,500", "2.5", "five", "-3", "h", "min", "MB", "$", "%", "and", "million", ",", "m2", "\u00b2"]


@given(st.lists(st.sampled_from(PARTS), max_size=8))
def test_the_order_of_two_values_is_that_of_the_others_turned_round(words):
    left, right = " ".join(words[::2]), "".join(words[1::2])
    there, back = order_of(left, right), order_of(right, left)
    assert there == (None if back is None else -back)
    assert order_of(left, left) in {0, None}
