"""The methods that a comparison may name, of one run or of several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hopweave.core.errors import DataError, SettingsError
from hopweave.core.files import is_file_name
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.scoring.comparisons import ComparedRun


@dataclass(frozen=True, slots=True)
class ComparedMethod:
    """A method that can be compared.

    Attributes:
        label: as it is named: that of the plan, with `RUN:` before it where it is of a further run.
        run: the name of that run; empty for the first.
        cells: the labels of its cells in the plan: several under several seeds.
        is_part: it is one seed of a method, which is compared only where it is named.
    """

    label: str
    run: str
    cells: tuple[str, ...]
    is_part: bool = False

    @property
    def covers(self) -> set[str]:
        """The labels of all that is part of it, its own among them."""
        before = self.label.removesuffix(self.label.rpartition(":")[2]) if self.run else ""
        return {self.label, *(f"{before}{cell}" for cell in self.cells)}


def runs_of(run: RunFolder, further: Sequence[RunFolder]) -> dict[str, RunFolder]:
    """Runs by name: the first has none, the others that of their folder.

    Raises:
        SettingsError: for a run that is named twice, or two folders of one name.
    """
    paths = [one.path.resolve() for one in (run, *further)]
    for path, num in Counter(paths).items():
        if num > 1:
            raise SettingsError(f"{path} is given twice; name each run once")
    names = Counter(path.name for path in paths[1:])
    for name, num in names.items():
        if num > 1:
            raise SettingsError(f"two runs are called {name!r}, and their methods could not be told apart; rename one folder")
    return {"": run, **{path.name: one for path, one in zip(paths[1:], further, strict=True)}}


def compared_methods_of(runs: Mapping[str, RunFolder]) -> list[ComparedMethod]:
    """All methods of the runs: first what each plan compares, then the single seeds."""
    found, parts = [], []
    for name, run in runs.items():
        before = f"{name}:" if name else ""
        for label, cells in run.plan.cells_by_method.items():
            found.append(ComparedMethod(f"{before}{label}", name, cells))
            if len(cells) > 1 or cells[0] != label:
                parts += [ComparedMethod(f"{before}{cell}", name, (cell,), is_part=True) for cell in cells if cell != label]
    return found + parts


def order_of(dataset: str, runs: Mapping[str, RunFolder]) -> list[str]:
    """The ids of the questions of a dataset, those of further runs behind.

    Raises:
        DataError: where a further run does not have the dataset, or asked another question under the same id.
    """
    texts: dict[str, str] = {}
    for name, run in runs.items():
        if dataset not in run.plan.datasets:
            raise DataError(
                f"the run {name} has no dataset {dataset!r} (it has {', '.join(run.plan.datasets)}); runs are compared on the "
                "same questions: evaluate it on them, under the same label"
            )
        for example in run.examples(dataset):
            asked = example.question
            if texts.setdefault(asked.id, asked.text) != asked.text:
                raise DataError(
                    f"question {asked.id!r} of {dataset!r} is another one in the run {name}; compare runs on the same data"
                )
    return list(texts)


def compared_runs(runs: Mapping[str, RunFolder]) -> tuple[ComparedRun, ...]:
    """What a comparison across runs says of them: their names, and which models answered."""
    return tuple(ComparedRun(name, ", ".join(_models(one))) for name, one in runs.items()) if len(runs) > 1 else ()


def sibling_run(run: RunFolder, name: str) -> Path | None:
    """The folder of a run of that name beside another, where such a comparison is computed again; `None` if none is there.

    It is looked for nowhere else: a name in a file of the run must not lead to other places.
    """
    place = run.path.resolve().parent / name
    return place if is_file_name(name) and RunFolder.is_at(place) else None


def _models(run: RunFolder) -> list[str]:
    """The models of the first records of each cell."""
    firsts = (next(iter(run.records(dataset, method)), None) for dataset in run.plan.datasets for method in run.plan.methods)
    return sorted({record.setup.llm for record in firsts if record is not None})
