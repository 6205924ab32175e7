"""What of a product of cases runs in `make test`: the rest is marked `slow`, and runs in `make test-all`."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest


def in_turn(*axes: Sequence[Any]) -> list[Any]:
    """Every combination of the values of some axes; of the shortest axis the others take the values in turn.

    With three axes, each pair of values of the two longer ones is tried in `make test`, with one of the shortest; with two,
    each value of the longer one.

    Args:
        axes: the values of each parameter: texts, or questions, whose ids are part of the tests' names.
    """
    shortest = min(range(len(axes)), key=lambda axis: len(axes[axis]))
    found = []
    for places in product(*(range(len(axis)) for axis in axes)):
        values = [axis[place] for axis, place in zip(axes, places, strict=True)]
        is_first = (sum(places) - places[shortest]) % len(axes[shortest]) == places[shortest]
        marks = () if is_first else (pytest.mark.slow,)
        found.append(pytest.param(*values, marks=marks, id="-".join(getattr(value, "id", value) for value in values)))
    return found


def first_of(cases: Sequence[Any], number: int = 1) -> list[Any]:
    """Cases of a parameter, of which the first ones run in `make test`."""
    return [case if place < number else pytest.param(case, marks=pytest.mark.slow) for place, case in enumerate(cases)]
