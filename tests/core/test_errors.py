"""Of errors that came up side by side one is told: what can be fixed before what broke, a limit of the budget last."""

from itertools import permutations

import pytest

from hopweave.core.errors import BudgetReached, ModelError, RunError, SettingsError, error_that_counts

RANKED = [SettingsError("no key"), KeyError("broke"), ModelError("gone"), BudgetReached("max_llm_calls", 1)]


@pytest.mark.parametrize("rank", range(len(RANKED)))
def test_the_gravest_counts_in_whatever_order_they_came(rank):
    for errors in permutations(RANKED[rank:]):
        assert error_that_counts(errors) is RANKED[rank]


def test_of_equally_grave_ones_the_first_counts():
    first, second = ModelError("1"), RunError("2")
    assert error_that_counts([first, second]) is first
    assert error_that_counts([second, first]) is second


def test_groups_are_looked_into_however_deep():
    inner = ExceptionGroup("", [RANKED[3], ExceptionGroup("", [RANKED[1], RANKED[2]])])
    assert error_that_counts([RANKED[3], inner]) is RANKED[1]
