"""SearChain table 7: accuracy on questions of which the model knows every part (S_all).

A question is in S_all if the model alone answers each of its sub-questions rightly (references to earlier answers are
replaced by the gold ones). Accuracy of the model alone on the whole question, in percent, tells how far knowing the parts
carries. The parts are asked through the dataset `gold_steps`, made from the examples of a run; no gold reaches a method but
as the question itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from hopweave.evaluation.papers._missing import how_to_evaluate
from hopweave.evaluation.papers._parts import Known, has_steps, known_parts, plan_of
from hopweave.evaluation.papers._published import cells_of, published, variant
from hopweave.evaluation.papers._quality import PERCENT, mean, problems, quality
from hopweave.evaluation.reports.analysis_tables import Head, Sheet, SheetRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells, LoadedRuns

__all__ = ["SearChainTable7"]


@dataclass(frozen=True, slots=True)
class SearChainTable7:
    """Accuracy on questions of which the model knows every part, by hops."""

    def sheets(self, runs: LoadedRuns) -> list[Sheet]:
        """See `evaluation.analysis.Analysis`."""
        rows: list[SheetRow] = []
        missing: list[str] = []
        notes: list[str] = []
        one, known = variant("direct"), known_parts(runs)
        for dataset in filter(has_steps, runs.datasets):
            cells = [cell for cell in cells_of(one, dataset.cells) if cell.setup is not None]
            is_asked = not known.keys().isdisjoint(key for cell in dataset.cells for key in cell.examples)
            if not cells:
                missing.append(how_to_evaluate(dataset, one))
            if not is_asked:
                missing.append(how_to_evaluate(dataset, one, plan=plan_of(dataset, "parts"), suffix="parts"))
            if not cells or not is_asked:
                beside = published("searchain_table7", one.key, dataset.plan.name, setup=None)
                rows.append(SheetRow((dataset.label, one.title), published=beside))
                continue
            for cell in cells:
                rows.append(_row(runs, dataset, cell, known))
                notes += problems(quality(runs, cell))
        if not rows:
            missing.append(
                "no dataset of the runs has the hops of its questions with their answers; evaluate musique, which has"
            )
        hops = sorted({key for row in rows for key in row.values if key.startswith("hops_")} | {"hops_2", "hops_3", "hops_4"})
        heads = (*(Head(key, f"{key.removeprefix('hops_')} hops %", 1) for key in hops), Head("all", "all %", 1))
        title = "SearChain table 7: accuracy on questions of which the model knows every part (S_all)"
        labels = ("dataset", "method")
        return [Sheet(title, labels, heads, tuple(rows), "questions in S_all", tuple(dict.fromkeys(notes)), tuple(missing))]


def _row(runs: LoadedRuns, dataset: DatasetCells, cell: AnsweredCell, known: dict[str, Known]) -> SheetRow:
    scores = quality(runs, cell)
    knows = {name: known[name].knows_last(known[name].num_parts) for name in cell.examples if name in known}
    inside = {name for name, is_known in knows.items() if is_known}
    by_hops: dict[str, list[float]] = {}
    for name in sorted(inside & scores.values.keys()):
        by_hops.setdefault(f"hops_{known[name].num_parts}", []).append(PERCENT * scores.values[name])
    every = [value for values in by_hops.values() for value in values]
    num_unknown = sum(is_known is None for is_known in knows.values())
    values = {**{key: mean(found) for key, found in by_hops.items()}, "all": mean(every)}
    beside = published("searchain_table7", "direct", dataset.plan.name, setup=cell.setup, num=len(knows), searches=False)
    return SheetRow(
        (dataset.label, cell.method), values, len(every), len(scores.failed & inside) + num_unknown, 0, published=beside
    )
