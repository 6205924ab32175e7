"""ToQD beside chain of thought with retrieval, model by model."""

from __future__ import annotations

from hopweave.evaluation.papers._missing import how_to_evaluate
from hopweave.evaluation.papers._published import Variant, cells_of, published_model, variant
from hopweave.evaluation.papers._quality import answered, percent, problems
from hopweave.evaluation.papers._without import beside
from hopweave.evaluation.reports.analysis_tables import Head, Sheet, SheetRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells, LoadedRuns

_HEADS = (Head("baseline", "CoT w/ IR %"), Head("toqd", "ToQD w/ IR %"), Head("gain", "gain"))


def by_model_sheet(runs: LoadedRuns, title: str, baseline: str) -> Sheet:
    """A row for each model of the runs: accuracy of ToQD and of the baseline on the questions that both were scored on.

    Args:
        runs: to look at.
        title: of the sheet.
        baseline: the method, or the label of it, that stands for chain of thought with retrieval.
    """
    rows: list[SheetRow] = []
    missing: list[str] = []
    notes = ["one row a language model; give the runs of other models with --with"]
    one = variant("toqd")
    for dataset in runs.datasets:
        by_model: dict[str, tuple[list[AnsweredCell], list[AnsweredCell]]] = {}
        for cell in dataset.cells:
            if cell.setup is not None:
                toqds, others = by_model.setdefault(cell.setup.llm, ([], []))
                if one.is_of(cell):
                    toqds.append(cell)
                elif baseline in (cell.method, cell.name):
                    others.append(cell)
        for model, (toqds, others) in by_model.items():
            if toqds and others:
                rows.append(_row(runs, dataset, model, toqds[0], others[0], notes))
            elif toqds or others:
                rows.append(SheetRow((dataset.label, model)))
                lacking = Variant(baseline, baseline, baseline) if toqds else one
                missing.append(how_to_evaluate(dataset, lacking))
        if not any(cells_of(one, dataset.cells)):
            missing += [how_to_evaluate(dataset, each) for each in (one, Variant(*(baseline,) * 3))]
    labels = ("dataset", "model")
    return Sheet(title, labels, _HEADS, tuple(rows), notes=tuple(dict.fromkeys(notes)), missing=tuple(dict.fromkeys(missing)))


def _row(
    runs: LoadedRuns, dataset: DatasetCells, model: str, toqd: AnsweredCell, other: AnsweredCell, notes: list[str]
) -> SheetRow:
    both = beside(runs, toqd, other)
    notes += problems(both.with_scores, both.without_scores)
    first, second = percent(both.without_scores.mean), percent(both.with_scores.mean)
    gain = None if first is None or second is None else second - first
    num = len(both.with_scores.values)
    printed = (
        published_model("toqd_table5", model, setup=toqd.setup, num=num, dataset=dataset.plan.name)
        if dataset.plan.name == "two_wikimultihopqa"
        else ()
    )
    values = {"baseline": first, "toqd": second, "gain": gain}
    alone = answered({"baseline": both.without_scores, "toqd": both.with_scores})
    counts = num, both.num_failed, both.num_no_data
    return SheetRow((dataset.label, model), values, *counts, published=printed, answered=alone)
