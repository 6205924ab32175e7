"""Of errors that came up side by side one is told: what can be fixed before what broke, a limit of the budget last.

Each can be passed on to another process.
"""

import pickle
from itertools import permutations

import pytest

from hopweave.core import errors as all_errors
from hopweave.core.errors import BudgetReached, MissingExtra, ModelError, RunError, SettingsError, error_that_counts

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


KINDS = [kind for kind in vars(all_errors).values() if isinstance(kind, type) and issubclass(kind, all_errors.HopweaveError)]
MADE = {
    MissingExtra: lambda: MissingExtra("torch, transformers", "hf"),
    BudgetReached: lambda: BudgetReached("max_seconds", 0.5),
    ModelError: lambda: ModelError("busy", retryable=True, retry_after_seconds=2.0, is_refusal=True),
    RunError: lambda: RunError("gone", retryable=True),
}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_an_error_is_the_same_in_another_process(kind):
    error = MADE.get(kind, lambda: kind("it broke"))()
    error.add_note("of the second file")
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), copy.args, vars(copy)) == (kind, str(error), error.args, vars(error))
