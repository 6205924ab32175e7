"""Tables of accuracy: a row for each dataset and each method of the paper's table."""

from __future__ import annotations

from collections.abc import Sequence

from hopweave.evaluation.papers._missing import how_to_evaluate
from hopweave.evaluation.papers._published import Variant, answered_cells, datasets_of, published, variants
from hopweave.evaluation.papers._quality import Measure, mean_row, problems, quality
from hopweave.evaluation.reports.analysis_results import AnalysisResult, Draft, FigureColumn, MeasuredRow, PublishedRow
from hopweave.evaluation.scoring.counted import Counted
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells, LoadedRuns
from hopweave.record import Setup

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
    about = f"cover-EM of {_SCOPES[scope]}; ROUGE-L as KILT computes it where a long answer is asked for"

    def measure(runs: LoadedRuns, cell: AnsweredCell) -> Counted:
        return quality(runs, cell, scope=scope)

    column = FigureColumn("accuracy", "accuracy %")
    there = datasets_of(table)
    return result_by_variant(runs, (table,), title, column, measure, needed=needed, datasets=there, notes=(about, *notes))


def result_by_variant(
    runs: LoadedRuns,
    tables: Sequence[str],
    title: str,
    column: FigureColumn,
    measure: Measure,
    *,
    needed: Sequence[str],
    datasets: Sequence[str] = (),
    notes: Sequence[str] = (),
    why: Sequence[str] = (),
) -> AnalysisResult:
    """The mean of a measure, in percent, for every method that published tables have and the runs too.

    Args:
        runs: to look at.
        tables: the keys of the published ones.
        title: of the table.
        column: of the figure.
        measure: of a cell.
        needed: keys of rows that are there even where nothing was measured, on these `datasets`, or on all if there are none.
        datasets: see `needed`.
        notes: to be written below.
        why: further reasons why what was published cannot be compared.
    """
    draft = Draft()
    seen: list[Counted] = []
    for dataset in runs.datasets:
        for one in variants(*tables):
            cells = answered_cells(one, dataset)
            for cell in cells:
                scores = measure(runs, cell)
                seen.append(scores)
                printed = _printed(tables, dataset, one, cell.setup, len(scores.values), why)
                draft.rows.append(mean_row((dataset.label, name_of(one, cell)), column.key, scores, published=printed))
            if not cells and not one.is_ours and one.key in needed and dataset.plan.name in (datasets or (dataset.plan.name,)):
                printed = _printed(tables, dataset, one, None, None, why)
                draft.rows.append(MeasuredRow((dataset.label, one.title), {column.key: None}, published=printed))
                draft.missing.append(how_to_evaluate(dataset, one))
    draft.notes += [*notes, *problems(*seen)]
    return draft.made(title, ("dataset", "method"), (column,))


def _printed(
    tables: Sequence[str], dataset: DatasetCells, one: Variant, setup: Setup | None, num: int | None, why: Sequence[str]
) -> tuple[PublishedRow, ...]:
    return tuple(
        row for table in tables for row in published(table, one.key, dataset.plan.name, setup=setup, num=num, more=why)
    )


def name_of(one: Variant, cell: AnsweredCell) -> str:
    """The published name of a variant, with the label of the cell and the further run that it is of, where that says more."""
    more = [*([cell.method] if cell.method != cell.name else []), *([cell.further] if cell.further else [])]
    return f"{one.title} ({', '.join(more)})" if more else one.title
