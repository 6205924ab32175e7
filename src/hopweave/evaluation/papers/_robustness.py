"""ToQD beside chain of thought with retrieval, model by model."""

from __future__ import annotations

from hopweave.evaluation.papers._missing import how_to_evaluate
from hopweave.evaluation.papers._published import Variant, cells_of, passed_over, published_model, variant
from hopweave.evaluation.papers._quality import problems
from hopweave.evaluation.papers._without import gain_row, paired
from hopweave.evaluation.reports.analysis_results import AnalysisResult, Draft, FigureColumn, MeasuredRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells, LoadedRuns

_HEADS = (FigureColumn("baseline", "CoT w/ IR %"), FigureColumn("toqd", "ToQD w/ IR %"), FigureColumn("gain", "gain"))


def by_model_result(runs: LoadedRuns, title: str, baseline: str) -> AnalysisResult:
    """A row for each model of the runs: accuracy of ToQD and of the baseline on the questions that both were scored on.

    Args:
        runs: to look at.
        title: of the table.
        baseline: the method, or the label of it, that stands for chain of thought with retrieval.
    """
    draft = Draft()
    draft.notes.append("one row a language model; give the runs of other models with --with")
    one = variant("toqd")
    for dataset in runs.datasets:
        draft.notes += passed_over(one, dataset)
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
                draft.rows.append(_row(runs, dataset, model, toqds[0], others[0], draft.notes))
            elif toqds or others:
                draft.rows.append(MeasuredRow((dataset.label, model)))
                lacking = Variant(baseline, baseline, baseline) if toqds else one
                draft.missing.append(how_to_evaluate(dataset, lacking))
        if not any(cells_of(one, dataset.cells)):
            draft.missing += [how_to_evaluate(dataset, each) for each in (one, Variant(*(baseline,) * 3))]
    labels = ("dataset", "model")
    return draft.made(title, labels, _HEADS)


def _row(
    runs: LoadedRuns, dataset: DatasetCells, model: str, toqd: AnsweredCell, other: AnsweredCell, notes: list[str]
) -> MeasuredRow:
    both = paired(runs, toqd, other)
    notes += problems(both.with_scores, both.without_scores)
    num = len(both.with_scores.values)
    printed = (
        published_model("toqd_table5", "toqd", model, setups=[toqd.setup, other.setup], num=num, dataset=dataset.plan.name)
        if dataset.plan.name == "two_wikimultihopqa"
        else ()
    )
    return gain_row((dataset.label, model), ("baseline", "toqd"), both, printed)
