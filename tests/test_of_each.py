"""A test of many cases fails for each of them that does not hold, and names all of these."""

import pytest
from support.of_each import of_each


def test_all_offenders_are_listed_and_those_that_hold_are_not():
    @of_each(range(6), str)
    def test_is_even(number):
        """Evens."""
        assert number % 2 == 0, f"{number} is odd"

    assert (test_is_even.__name__, test_is_even.__doc__) == ("test_is_even", "Evens.")
    with pytest.raises(AssertionError) as caught:
        test_is_even()
    named = [line[:2] for line in str(caught.value).splitlines() if "is odd" in line]
    assert named == ["1:", "3:", "5:"]


def test_an_error_that_is_no_assertion_is_not_collected():
    with pytest.raises(ZeroDivisionError):
        of_each([0], str)(lambda number: 1 // number)()


def test_a_test_of_nothing_is_refused():
    with pytest.raises(AssertionError, match="nothing"):
        of_each([], str)
