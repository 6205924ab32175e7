"""Cost: the cost of a question's model tokens, by a price table.

Definition. With prices of a million tokens,

    cost = ((prompt - cached) x price of prompt + cached x price of cached + completion x price of completion) / 1,000,000

in the table's own currency. Replies from the store cost what they would have cost. The table is your own (prices go stale): a
TOML file with one row per model, found by a pattern for the model's identity.

    currency = "USD"
    [[prices]]
    model = "openai:*:small"
    prompt = 1.0
    cached = 0.5
    completion = 4.0

`offline_cost` is that of work that a run does once for all questions; it is not in `cost`, and without such a stage there is
no data. Range 0 up, lower is better. Failed questions count. Without a table, with an unreadable one, or for a model without a
row there is an error, never a 0; if tokens are neither counted nor estimated there is no data.

>>> import tempfile, pathlib
>>> from support.worked import worked
>>> table = pathlib.Path(tempfile.mkdtemp()) / "prices.toml"
>>> _ = table.write_text('prices = [{model = "openai:*:small", prompt = 1.0, completion = 4.0}]')
>>> Cost(prices=str(table)).score(*worked("Ulm", calls=[("Which town is it?", "Ulm")]))
{'cost': 8e-06}
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from hopweave.core.errors import DataError
from hopweave.core.types import Example
from hopweave.evaluation.metrics._usage import Spending, spent, usage_of
from hopweave.models.prices import price_of
from hopweave.record import Record


@dataclass(frozen=True, slots=True)
class Cost(Spending):
    """The cost of a question's model tokens, by a price table."""

    columns: ClassVar = {
        "cost": spent("price of the tokens", "currency of the table"),
        "offline_cost": spent("price of the tokens that all questions of a run share", "currency of the table"),
    }

    prices: Annotated[str, "the table: a TOML file with [[prices]] rows of model, prompt, cached, completion"] = ""

    def score(self, record: Record, example: Example) -> dict[str, float]:
        """See `evaluation.metric.Metric`.

        Raises:
            DataError: without a table, or if it cannot be used or does not have the model.
        """
        if not self.prices:
            raise DataError("no price table is given; write one and set metrics.cost.prices to its path")
        price = price_of(record.setup.llm, Path(self.prices))
        usage = usage_of(record)
        if usage is None:
            return {}
        offline = record.totals(offline=True)
        values = {"cost": price.of(usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens)}
        if offline.llm_calls:
            values["offline_cost"] = price.of(offline.prompt_tokens, offline.completion_tokens, offline.cached_tokens)
        return values
