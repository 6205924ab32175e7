"""What calls cost: a table of prices, in money per million tokens, and what a model's tokens come to by it.

The table is TOML, a table for each model: by its name at the endpoint, or by its full identity as records have it.

    ["gpt-4o-mini"]
    prompt = 0.15
    cached = 0.075          # prompt tokens that the endpoint had in its cache; the price of others if left out
    completion = 0.60
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hopweave.errors import DataError
from hopweave.trace import Totals

_TOKENS = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """Money per million tokens of a model."""

    prompt: float
    completion: float
    cached: float

    def of(self, totals: Totals) -> float:
        """What the calls of a record cost."""
        return self.of_tokens(totals.prompt_tokens, totals.completion_tokens, totals.cached_tokens)

    def of_tokens(self, prompt: float, completion: float, cached: float = 0.0) -> float:
        """What tokens cost; `cached` are those of the prompt that were not computed again."""
        return ((prompt - cached) * self.prompt + cached * self.cached + completion * self.completion) / _TOKENS


def read_price(path: Path, identity: str) -> Price:
    """The price of a model from a table.

    Args:
        path: of the table.
        identity: of the model.

    Raises:
        DataError: if the table cannot be read, does not have the model, or a price is none.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"cannot read the price table {path}: {error.strerror}; check the path") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"the price table {path} is not TOML: {error}; correct it there") from None
    name = identity.partition("+")[0]
    for model, prices in table.items():
        if model in (identity, name) or name.endswith(f":{model}"):
            return _price(prices, f"the price table {path}, {model!r}")
    raise DataError(f"the price table {path} does not have the model {identity!r}; add a table of that name, or of its end")


def _price(given: object, place: str) -> Price:
    if not isinstance(given, Mapping):
        raise DataError(f"{place} is not a table with prompt and completion; write it as one")
    for key in given:
        if key not in ("prompt", "completion", "cached"):
            raise DataError(f"{place} has a price {key!r}; there are prompt, cached and completion")
    values = {}
    for key in ("prompt", "completion", "cached"):
        value = given.get(key, given.get("prompt") if key == "cached" else None)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
            raise DataError(f"{place}: {key} must be a number from 0 up, not {value!r}")
        values[key] = float(value)
    return Price(**values)
