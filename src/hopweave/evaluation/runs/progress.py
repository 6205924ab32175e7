"""The progress of a run: questions done, failed and why, and what was spent. Nothing else of a record is kept."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import NamedTuple

from hopweave.core.errors import SettingsError
from hopweave.evaluation.runs.offline import OfflineStage
from hopweave.models.prices import Price
from hopweave.record import Record


class Cell(NamedTuple):
    """A method on a dataset, by their labels."""

    dataset: str
    method: str


@dataclass(frozen=True, slots=True)
class RunBudget:
    """Limits of a whole run, reached between questions; `None` is no limit. They are not part of the plan.

    Attributes:
        max_cost: money, by the price table.
        max_tokens: in and out.
        max_seconds: of this session, since the start of the command.
        max_questions: questions with a record, over all cells.

    Raises:
        SettingsError: for a limit that is not above 0, or not finite.
    """

    max_cost: float | None = None
    max_tokens: int | None = None
    max_seconds: float | None = None
    max_questions: int | None = None

    def __post_init__(self) -> None:
        for limit in fields(self):
            value = getattr(self, limit.name)
            if value is not None and not 0 < value < math.inf:
                raise SettingsError(f"{limit.name} of a run must be a number above 0, not {value}; leave it out for no limit")


@dataclass(slots=True)
class Spent:
    """What questions took: sums, and sums of squares for the spread. Work done once for all of them is in `offline`."""

    num: int = 0
    llm_calls: float = 0.0
    prompt_tokens: float = 0.0
    cached_tokens: float = 0.0
    completion_tokens: float = 0.0
    thinking_tokens: float = 0.0
    estimated_tokens: float = 0.0
    cost: float = 0.0
    seconds: float = 0.0
    squares: Counter[str] = field(default_factory=Counter)
    offline: OfflineStage = field(default_factory=OfflineStage)

    def add(self, record: Record, price: Price | None) -> None:
        """Adds a record."""
        totals = record.totals()
        self.offline.add(record)
        self.num += 1
        values = {
            "llm_calls": totals.llm_calls,
            "prompt_tokens": totals.prompt_tokens,
            "cached_tokens": totals.cached_tokens,
            "completion_tokens": totals.completion_tokens,
            "thinking_tokens": totals.thinking_tokens,
            "estimated_tokens": totals.estimated_tokens,
            "cost": price.of(totals.prompt_tokens, totals.completion_tokens, totals.cached_tokens)
            if price is not None
            else 0.0,
            "seconds": record.seconds,
        }
        for name, value in values.items():
            setattr(self, name, getattr(self, name) + value)
            self.squares[name] += value * value  # type: ignore[assignment]

    @property
    def tokens(self) -> float:
        """In and out."""
        return self.prompt_tokens + self.completion_tokens

    def mean(self, name: str) -> float:
        """Per question; 0 where there is none yet."""
        return float(getattr(self, name)) / self.num if self.num else 0.0

    def spread(self, name: str) -> float:
        """Standard deviation over the questions; 0 where there are fewer than two."""
        if self.num < 2:
            return 0.0
        variance = (self.squares[name] - self.num * self.mean(name) ** 2) / (self.num - 1)
        return math.sqrt(max(0.0, variance))


@dataclass(slots=True)
class CellProgress:
    """The progress of a cell.

    Attributes:
        num_planned: questions.
        failed: for each question whose last record failed, the kind of its failure.
        examples: a message of each kind of failure, with the question's id.
        done: the ids of the questions with a record.
        spent: by all records, including superseded ones.
    """

    num_planned: int
    failed: dict[str, str] = field(default_factory=dict)
    examples: dict[str, tuple[str, str]] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)
    spent: Spent = field(default_factory=Spent)

    def add(self, record: Record, price: Price | None) -> None:
        """Takes a record into account; a later one of the same question replaces the earlier."""
        question_id = record.question.id
        self.done.add(question_id)
        self.failed.pop(question_id, None)
        if record.error is not None:
            self.failed[question_id] = record.error.kind
            self.examples.setdefault(record.error.kind, (question_id, record.error.message))
        self.spent.add(record, price)


@dataclass(slots=True)
class RunProgress:
    """The progress of the run.

    Attributes:
        cells: in the order of the work.
        price: of the model, if known.
        prompts: fingerprints of each prompt that was filled.
    """

    cells: Mapping[Cell, CellProgress]
    price: Price | None = None
    prompts: dict[str, set[str]] = field(default_factory=dict)

    def add(self, cell: Cell, record: Record) -> None:
        """Takes a record into account."""
        self.cells[cell].add(record, self.price)
        for name, fingerprint in record.setup.prompts.items():
            self.prompts.setdefault(name, set()).add(fingerprint)

    @property
    def num_planned(self) -> int:
        """Questions over all cells."""
        return sum(cell.num_planned for cell in self.cells.values())

    @property
    def num_done(self) -> int:
        """Questions with a record."""
        return sum(len(cell.done) for cell in self.cells.values())

    @property
    def num_failed(self) -> int:
        """Questions whose last record failed."""
        return sum(len(cell.failed) for cell in self.cells.values())

    @property
    def is_complete(self) -> bool:
        """Whether every question has a record."""
        return self.num_done >= self.num_planned

    def spent(self, name: str) -> float:
        """A sum over all records, such as `tokens` or `cost`; work done once for all questions counts once."""
        spent = [cell.spent for cell in self.cells.values()]
        offline = OfflineStage({key: usage for one in spent for key, usage in one.offline.requests.items()})
        return sum(float(getattr(one, name)) for one in spent) + offline.spent(name, self.price)

    def failures(self) -> Iterator[tuple[Cell, str, int, tuple[str, str]]]:
        """Yields, for each cell and kind of failure, the number of questions and an example: an id and its message."""
        for cell, progress in self.cells.items():
            for kind, num in Counter(progress.failed.values()).most_common():
                yield cell, kind, num, progress.examples[kind]

    def limit_reached(self, budget: RunBudget, running: Mapping[Cell, int], seconds: float) -> str:
        """The limit that forbids another question; empty if none does.

        Running questions are assumed to cost what the others of their cell did.

        Args:
            budget: the limits.
            running: how many questions of each cell are running.
            seconds: since the session began.
        """
        if budget.max_questions is not None and self.num_done + sum(running.values()) >= budget.max_questions:
            return f"max_questions = {budget.max_questions:,}"
        if budget.max_seconds is not None and seconds >= budget.max_seconds:
            return f"max_seconds = {budget.max_seconds:g}"
        for limit, names in (("max_tokens", ("prompt_tokens", "completion_tokens")), ("max_cost", ("cost",))):
            allowed = getattr(budget, limit)
            if allowed is None:
                continue
            due = sum(num * self.cells[cell].spent.mean(name) for cell, num in running.items() for name in names)
            if sum(self.spent(name) for name in names) + due >= allowed:
                return f"{limit} = {allowed:,g}"
        return ""
