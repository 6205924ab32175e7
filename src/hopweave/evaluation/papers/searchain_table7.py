"""SearChain table 7: accuracy on questions of which the model knows every part (S_all).

A question is in S_all if the model alone answers each of its sub-questions rightly (references to earlier answers are
replaced by the gold ones). Accuracy of the model alone on the whole question, in percent, tells how far knowing the parts
carries. The parts are asked through the dataset `gold_steps`, made from the examples of a run; no gold reaches a method but
as the question itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from hopweave.evaluation.papers._missing import NO_HOPS, how_to_evaluate
from hopweave.evaluation.papers._parts import Known, has_steps, known_parts, plan_of
from hopweave.evaluation.papers._published import answered_cells, published, variant
from hopweave.evaluation.papers._quality import PERCENT, mean, problems, quality
from hopweave.evaluation.reports.analysis_results import AnalysisResult, Draft, FigureColumn, MeasuredRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells, LoadedRuns


@dataclass(frozen=True, slots=True)
class SearChainTable7:
    """Accuracy on questions of which the model knows every part, by hops."""

    def result(self, runs: LoadedRuns) -> AnalysisResult:
        """See `reports.analysis.Analysis`."""
        draft = Draft()
        one, known = variant("direct"), known_parts(runs)
        for dataset in filter(has_steps, runs.datasets):
            cells = answered_cells(one, dataset)
            is_asked = not known.keys().isdisjoint(key for cell in dataset.cells for key in cell.examples)
            if not cells:
                draft.missing.append(how_to_evaluate(dataset, one))
            if not is_asked:
                draft.missing.append(how_to_evaluate(dataset, one, plan=plan_of(dataset, "parts"), suffix="parts"))
            if not cells or not is_asked:
                printed = published("searchain_table7", one.key, dataset.plan.name, setup=None)
                draft.rows.append(MeasuredRow((dataset.label, one.title), published=printed))
                continue
            for cell in cells:
                draft.rows.append(_row(runs, dataset, cell, known))
                draft.notes += problems(quality(runs, cell))
        if not draft.rows:
            draft.missing.append(NO_HOPS)
        hops = sorted(
            {key for row in draft.rows for key in row.values if key.startswith("hops_")} | {"hops_2", "hops_3", "hops_4"}
        )
        heads = (
            *(FigureColumn(key, f"{key.removeprefix('hops_')} hops %", 1) for key in hops),
            FigureColumn("all", "all %", 1),
        )
        title = "SearChain table 7: accuracy on questions of which the model knows every part (S_all)"
        labels = ("dataset", "method")
        return draft.made(title, labels, heads, "questions in S_all")


def _row(runs: LoadedRuns, dataset: DatasetCells, cell: AnsweredCell, known: dict[str, Known]) -> MeasuredRow:
    scores = quality(runs, cell)
    knows = {name: known[name].knows_last(known[name].num_parts) for name in cell.examples if name in known}
    inside = {name for name, is_known in knows.items() if is_known}
    by_hops: dict[str, list[float]] = {}
    for name in sorted(inside & scores.values.keys()):
        by_hops.setdefault(f"hops_{known[name].num_parts}", []).append(PERCENT * scores.values[name])
    every = [value for values in by_hops.values() for value in values]
    num_unknown = sum(is_known is None for is_known in knows.values())
    values = {**{key: mean(found) for key, found in by_hops.items()}, "all": mean(every)}
    printed = published("searchain_table7", "direct", dataset.plan.name, setup=cell.setup, num=len(knows))
    return MeasuredRow(
        (dataset.label, cell.method), values, len(every), len(scores.failed & inside) + num_unknown, 0, published=printed
    )
