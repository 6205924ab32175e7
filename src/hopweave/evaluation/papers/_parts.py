"""Questions decomposed by the dataset `gold_steps`, and which parts the model answers by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from hopweave.evaluation.papers._published import answered_cells, is_same_model, variant
from hopweave.evaluation.papers._scores import quality
from hopweave.evaluation.runs.folder import DatasetPlan
from hopweave.evaluation.scoring.loaded_runs import TAKEN_APART, AnsweredCell, DatasetCells, LoadedRuns

NO_HOPS = "no dataset of the runs has the hops of its questions with their answers; evaluate musique, which has"


@dataclass(frozen=True, slots=True)
class Known:
    """Which parts of a question are answered correctly from the model's own knowledge.

    Attributes:
        parts: right or wrong, by number from 1; those that failed are left out.
        num_parts: how many there are.
    """

    parts: Mapping[int, bool]
    num_parts: int

    def knows_last(self, num: int) -> bool | None:
        """Whether the last parts of a number are all known; `None` if that is undecided because one of them failed."""
        wanted = range(self.num_parts - num + 1, self.num_parts + 1)
        if any(self.parts.get(number) is False for number in wanted):
            return False
        return True if all(number in self.parts for number in wanted) else None


def closed_book(runs: LoadedRuns, form: str) -> Iterator[AnsweredCell]:
    """The cells of the model alone on questions in a form of `gold_steps`."""
    for dataset in runs.taken_apart:
        if dataset.plan.options.get("form", "parts") == form:
            yield from answered_cells(variant("direct"), dataset)


def known_parts(runs: LoadedRuns, cell: AnsweredCell) -> dict[str, Known]:
    """The known parts of each question whose parts the model of a cell was asked, by its id.

    Those asked in the run of the cell come before those of another run.
    """
    asked = [other for other in closed_book(runs, "parts") if is_same_model(cell, other)]
    found: dict[str, Known] = {}
    for other in sorted(asked, key=lambda one: one.run.path != cell.run.path):
        found = {**_known_in(runs, other), **found}
    return found


def _known_in(runs: LoadedRuns, cell: AnsweredCell) -> dict[str, Known]:
    """What a cell on parts shows to be known."""
    found: dict[str, dict[int, bool]] = {}
    nums: dict[str, int] = {}
    answered = quality(runs, cell).answered
    for name, example in cell.examples.items():
        whole = str(example.traits["whole"])
        nums[whole] = int(example.traits["parts"])
        parts = found.setdefault(whole, {})
        if name in answered:
            parts[int(example.traits["part"])] = answered[name] >= 1
    return {whole: Known(parts, nums[whole]) for whole, parts in found.items()}


def plan_of(dataset: DatasetCells, form: str) -> DatasetPlan:
    """The plan of a dataset that decomposes the questions of a run."""
    path = dataset.run.examples_path(dataset.own_label)
    return replace(dataset.plan, name=TAKEN_APART, options={"path": str(path), "form": form}, limit=None, seed=None)


def has_steps(dataset: DatasetCells) -> bool:
    """Whether questions of a dataset come with the hops of their reasoning, answered."""
    if not dataset.cells:
        return False
    return any(e.gold.steps and all(step.answer for step in e.gold.steps) for e in dataset.cells[0].examples.values())
