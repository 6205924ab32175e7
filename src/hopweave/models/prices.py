"""A price table: the cost of a million tokens of each model.

    currency = "USD"

    [[prices]]
    model = "openai:*:small-*"   # a pattern for the model's identity in records: * matches anything, ? one character
    prompt = 0.15                # a million prompt tokens
    cached = 0.075               # a million prompt tokens from the endpoint's cache; defaults to `prompt`
    completion = 0.60            # a million completion tokens

The first row whose pattern matches is used. A model that costs nothing has a row of zeros; one without a row has no price.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any

from hopweave.core.errors import DataError, suggest
from hopweave.core.files import read_toml, read_whole

_MILLION = 1_000_000
_KEYS = ("model", "prompt", "cached", "completion")


@dataclass(frozen=True, slots=True)
class Price:
    """The cost of a million tokens, by kind."""

    model: str
    prompt: float
    cached: float
    completion: float

    def of(self, prompt_tokens: float, completion_tokens: float, cached_tokens: float = 0.0) -> float:
        """The cost of tokens; the cached ones are part of the prompt's."""
        fresh = max(0.0, prompt_tokens - cached_tokens)
        return (fresh * self.prompt + cached_tokens * self.cached + completion_tokens * self.completion) / _MILLION


def price_of(model: str, path: Path) -> Price:
    """The price of a model.

    Raises:
        DataError: if the table cannot be read or has no row for it.
    """
    try:
        stamp = path.stat().st_mtime_ns
    except OSError as error:
        raise DataError(f"cannot read the price table {path}: {error.strerror}; check the path") from None
    for price in _table(path, stamp):
        if fnmatchcase(model, price.model):
            return price
    raise DataError(f"the price table {path} has no price for {model!r}; add a row to it (zeros if it costs nothing)")


@lru_cache(16)
def _table(path: Path, _: int) -> tuple[Price, ...]:
    try:
        data = read_toml(read_whole(path))
    except OSError as error:
        raise DataError(f"cannot read the price table {path}: {error.strerror}; check the path") from None
    except ValueError as error:
        raise DataError(f"the price table {path} is not TOML: {error}; correct it there") from None
    rows = data.get("prices")
    if not isinstance(rows, list) or not rows:
        raise DataError(f"the price table {path} has no [[prices]]; add one row per model")
    return tuple(_price(row, f"row {number} of the price table {path}") for number, row in enumerate(rows, start=1))


def _price(row: Any, where: str) -> Price:
    if not isinstance(row, dict):
        raise DataError(f"{where} is not a table; write [[prices]] above its keys")
    for key in row:
        if key not in _KEYS:
            raise DataError(f"{where} has an unknown key {key!r}; {suggest(key, _KEYS)}")
    if not isinstance(row.get("model"), str) or not row["model"]:
        raise DataError(f"{where} names no model; give it model = 'a pattern of its identity'")
    amounts = {}
    for key in ("prompt", "completion", "cached"):
        amount = row.get(key, row.get("prompt") if key == "cached" else None)
        if isinstance(amount, bool) or not isinstance(amount, int | float) or not 0 <= amount < math.inf:
            raise DataError(f"{where}: {key} must be a number from 0 up, not {amount!r}; correct it there")
        amounts[key] = float(amount)
    return Price(row["model"], amounts["prompt"], amounts["cached"], amounts["completion"])
