"""Tables of accuracy: a row for each dataset and each method of the paper's table."""

from __future__ import annotations

from collections.abc import Sequence

from hopweave.evaluation.papers._missing import how_to_evaluate
from hopweave.evaluation.papers._published import Variant, cells_of, datasets_of, published, variants
from hopweave.evaluation.papers._quality import mean_row, problems, quality
from hopweave.evaluation.reports.analysis_results import AnalysisResult, Draft, FigureColumn, MeasuredRow
from hopweave.evaluation.scoring.counted import Counted
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells, LoadedRuns

_SCOPES = {"answer": "the bare answer", "full": "the whole text"}


def accuracy_result(
    runs: LoadedRuns, table: str, title: str, *, needed: Sequence[str] = (), notes: Sequence[str] = (), scope: str = "answer"
) -> AnalysisResult:
    """Accuracy of every method that the table has and the runs too.

    Args:
        runs: to look at.
        table: the key of the published one.
        title: of the table.
        needed: keys of rows that are there even where nothing was measured.
        notes: to be written below.
        scope: of cover-EM, the bare `answer` or the `full` text.
    """
    draft = Draft()
    seen: list[Counted] = []
    for dataset in runs.datasets:
        for one in variants(table):
            cells = cells_of(one, dataset.cells)
            measured = [(cell, quality(runs, cell, scope=scope)) for cell in cells if cell.setup is not None]
            seen += [scores for _, scores in measured]
            draft.rows += [_row(dataset, one, cell, scores, table) for cell, scores in measured]
            if not measured and one.key in needed and dataset.plan.name in datasets_of(table):
                beside = published(table, one.key, dataset.plan.name, setup=None)
                draft.rows.append(MeasuredRow((dataset.label, one.title), {"accuracy": None}, published=beside))
                draft.missing.append(how_to_evaluate(dataset, one))
    heads = (FigureColumn("accuracy", "accuracy %"),)
    about = f"cover-EM of {_SCOPES[scope]}; ROUGE-L as KILT computes it where a long answer is asked for"
    draft.notes += [about, *notes, *problems(*seen)]
    return draft.made(title, ("dataset", "method"), heads)


def _row(dataset: DatasetCells, one: Variant, cell: AnsweredCell, scores: Counted, table: str) -> MeasuredRow:
    beside = published(table, one.key, dataset.plan.name, setup=cell.setup, num=len(scores.values), searches=searches(one))
    return mean_row((dataset.label, name_of(one, cell)), "accuracy", scores, published=beside)


def name_of(one: Variant, cell: AnsweredCell) -> str:
    """The published name of a variant, with the label of the cell and the further run that it is of, where that says more."""
    more = [*([cell.method] if cell.method != cell.name else []), *([cell.further] if cell.further else [])]
    return f"{one.title} ({', '.join(more)})" if more else one.title


def searches(one: Variant) -> bool:
    """Whether a variant searches: the published ones that do have a counterpart that does not."""
    return bool(one.without)
