"""Figures by the size of the language model: one step of retrieval beside interleaved retrieval."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from hopweave.evaluation.papers._missing import how_to_evaluate
from hopweave.evaluation.papers._published import billions_of, variant
from hopweave.evaluation.papers._quality import problems
from hopweave.evaluation.papers._without import gain_row, paired
from hopweave.evaluation.reports.analysis_results import AnalysisResult, Draft, FigureColumn, MeasuredRow, PublishedRow
from hopweave.evaluation.reports.plots import Curve, CurvePanel, CurvePlot
from hopweave.evaluation.scoring.counted import Counted
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells, LoadedRuns

SIZE = FigureColumn("size", "size (B)", 2)
NO_SIZE = "the size of a model is known by its published name; one without is in the table and not in the drawing"

Printed = Callable[[DatasetCells, AnsweredCell, AnsweredCell, int], tuple[PublishedRow, ...]]
"""What the paper printed for a dataset and the model of two cells, of IRCoT and of OneR, scored on so many questions."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A column of a metric under options of the metric, and what it is called."""

    metric: str
    column: str
    name: str
    same_reader: bool = False
    variant: str = ""

    def of(self, runs: LoadedRuns, cell: AnsweredCell) -> Counted:
        """The column over a cell."""
        return runs.scores(cell, self.metric, self.column, **({"variant": self.variant} if self.variant else {}))


def sizes_result(runs: LoadedRuns, title: str, measure: Measure, printed: Printed) -> AnalysisResult:
    """OneR and IRCoT for each model of the runs, on the questions that both were scored on, with the drawing of it.

    Args:
        runs: to look at.
        title: of the table.
        measure: what is compared, in percent.
        printed: the published figures.
    """
    draft = Draft()
    draft.notes += ["one row a language model; give the runs of other models with --with", NO_SIZE]
    for dataset in runs.datasets:
        found = 0
        for oner, ircot in _pairs(dataset, same_reader=measure.same_reader):
            found += 1
            draft.rows.append(_row(runs, dataset, measure, oner, ircot, printed, draft.notes))
        if not found:
            draft.rows.append(MeasuredRow((dataset.label, "-", "-")))
            draft.missing += [how_to_evaluate(dataset, variant(f"{name}_cot")) for name in ("oner", "ircot")]
    heads = (SIZE, FigureColumn("oner", "OneR %", 1), FigureColumn("ircot", "IRCoT %", 1), FigureColumn("gain", "gain", 1))
    plot = size_plot(draft.rows, {"oner": "OneR", "ircot": "IRCoT"}, f"{measure.name} (%)")
    labels = ("dataset", "model", "method")
    return draft.made(title, labels, heads, plot=plot)


def size_plot(rows: Sequence[MeasuredRow], names: dict[str, str], up: str, more: Sequence[Curve] = ()) -> CurvePlot | None:
    """Curves over the sizes of models, a panel for each dataset; `None` where no row has a size and a figure.

    Args:
        rows: with a `size`, the first label being the dataset.
        names: of the figures that are drawn, by their key.
        up: what the upright axis says.
        more: curves that are added to every panel.
    """
    panels = []
    for dataset in dict.fromkeys(row.labels[0] for row in rows):
        own = [row for row in rows if row.labels[0] == dataset]
        curves = [Curve(name, tuple(_points(own, key))) for key, name in names.items()]
        if any(curve.points for curve in curves):
            panels.append(CurvePanel(dataset, (*(curve for curve in curves if curve.points), *more)))
    return CurvePlot(tuple(panels), "parameters of the model, in billions", up) if panels else None


def _points(rows: Sequence[MeasuredRow], key: str) -> Iterator[tuple[float, float]]:
    for row in rows:
        size, value = row.values.get("size"), row.values.get(key)
        if size is not None and value is not None:
            yield size, value


def _pairs(dataset: DatasetCells, *, same_reader: bool) -> Iterator[tuple[AnsweredCell, AnsweredCell]]:
    """Each cell of IRCoT with the first one of OneR by the same model and, if that counts, with the same reader."""
    asked = [cell for cell in dataset.cells if cell.setup is not None]
    for ircot in asked:
        if ircot.name != "ircot":
            continue
        for oner in asked:
            is_same = not same_reader or oner.options.get("reader") == ircot.options.get("reader")
            if oner.name == "oner" and is_same and _model(oner) == _model(ircot):
                yield oner, ircot
                break


def _model(cell: AnsweredCell) -> str:
    return "" if cell.setup is None else cell.setup.llm


def _row(
    runs: LoadedRuns,
    dataset: DatasetCells,
    measure: Measure,
    oner: AnsweredCell,
    ircot: AnsweredCell,
    printed: Printed,
    notes: list[str],
) -> MeasuredRow:
    both = paired(runs, ircot, oner, measure.of)
    notes += problems(both.without_scores, both.with_scores)
    return gain_row(
        (dataset.label, _model(ircot), ircot.method),
        ("oner", "ircot"),
        both,
        printed(dataset, ircot, oner, len(both.with_scores.values)),
        {"size": billions_of(_model(ircot))},
    )
