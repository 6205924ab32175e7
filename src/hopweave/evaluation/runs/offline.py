"""The work that a run did once for all its questions, read from the records, each of which mentions it."""

from __future__ import annotations

from dataclasses import dataclass, field

from hopweave.core.types import Usage
from hopweave.models.prices import Price
from hopweave.record import ModelCall, Record
from hopweave.run.store.store import key_of


@dataclass(slots=True)
class OfflineStage:
    """The model requests of offline stages, each once however many records mention it.

    Attributes:
        requests: their tokens, by their key in the store.
    """

    requests: dict[str, Usage] = field(default_factory=dict)

    def add(self, record: Record) -> None:
        """Adds the requests that a record mentions."""
        for step in record.offline_steps:
            if isinstance(step, ModelCall) and not step.is_shared:
                messages = [record.messages[place] for place in step.messages]
                self.requests[key_of(record.setup.llm, messages, step.sampling, step.sample)] = step.usage

    def spent(self, name: str, price: Price | None = None) -> float:
        """The sum of `llm_calls`, `cost`, `tokens` or one kind of them, such as `cached_tokens`; else 0."""
        usages = self.requests.values()
        prompt, completion = (sum(usage.prompt_tokens for usage in usages), sum(usage.completion_tokens for usage in usages))
        cached = sum(usage.cached_tokens for usage in usages)
        sums = {
            "llm_calls": len(usages),
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "cached_tokens": cached,
            "thinking_tokens": sum(usage.thinking_tokens for usage in usages),
            "estimated_tokens": sum(usage.prompt_tokens + usage.completion_tokens for usage in usages if usage.is_estimated),
            "tokens": prompt + completion,
            "cost": price.of(prompt, completion, cached) if price is not None else 0.0,
        }
        return float(sums.get(name, 0.0))
