"""Tells from a model's name whether it is small, since endpoints do not say how many parameters their models have."""

from __future__ import annotations

import re

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.models.weights.known import SMALL_BELOW

# `8x7b` is a mixture; the `a3b` of `30b-a3b` says how many parameters are active, the `e2b` of Gemma how many are effective.
_SIZE = lazy_pattern(r"(?<![a-z0-9.])(?:(\d+)x)?e?(\d+(?:\.\d+)?)(b|m)(?![a-z0-9])", re.IGNORECASE)
_MIN_MILLIONS = 10.0  # `1m` is a length of context
_SMALL_FAMILIES = lazy_pattern(r"(?:^|[/_-])(?:tinyllama|smollm\d?)(?![a-z])", re.IGNORECASE)


def is_small_name(model: str) -> bool:
    """Whether a model's name says that it has fewer than `SMALL_BELOW` billion parameters; not if it says nothing."""
    sizes = [_billions(*found.groups()) for found in _SIZE.finditer(model)]
    known = [size for size in sizes if size]
    return max(known) < SMALL_BELOW if known else _SMALL_FAMILIES.search(model) is not None


def _billions(num_experts: str | None, number: str, unit: str) -> float:
    """A size in billions; 0 if it is none."""
    value = float(number) * int(num_experts or 1)
    if unit.lower() == "b":
        return value
    return value / 1000 if value >= _MIN_MILLIONS else 0.0
