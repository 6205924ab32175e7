"""Tables and figures with a row for each language model of the runs, in the order of their sizes in drawings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from hopweave.evaluation.papers._published import Variant, billions_of, is_named, partner_of, passed_over, variant
from hopweave.evaluation.papers._scores import gain_row, paired
from hopweave.evaluation.papers._table import Draft, Table, label_of
from hopweave.evaluation.reports.analysis_results import FigureColumn, MeasuredRow, PublishedRow
from hopweave.evaluation.reports.plots import Curve, CurvePanel, CurvePlot
from hopweave.evaluation.scoring.counted import Counted
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells, LoadedRuns

SIZE = FigureColumn("size", "size (B)", 2)
NO_SIZE = "the size of a model is known from its published name; one without is in the table but not in the drawing"
_MODELS = {"flan-t5-xxl": "flan", "code-davinci-002": "gpt3"}
_ONE_ROW = "one row per language model; give the runs of other models with --with"


@dataclass(frozen=True, slots=True)
class ModelTable(Table):
    """Accuracy of ToQD and of a baseline for each model, on the questions that both were scored on."""

    tables = ("toqd_table5",)
    labels = ("dataset", "model")
    notes = (_ONE_ROW,)
    heads: ClassVar[tuple[FigureColumn, ...]] = (
        FigureColumn("baseline", "CoT w/ IR %"),
        FigureColumn("toqd", "ToQD w/ IR %"),
        FigureColumn("gain", "gain"),
    )

    baseline: Annotated[str, "the method, or the label of it, that represents chain of thought with retrieval"] = "oner"

    def fill(self, draft: Draft) -> None:
        one, other = variant("toqd"), Variant(*(self.baseline,) * 3)
        for dataset in draft.runs.datasets:
            draft.notes += passed_over(one, dataset)
            by_model: dict[str, tuple[list[AnsweredCell], list[AnsweredCell]]] = {}
            for cell in dataset.cells:
                if cell.setup is not None:
                    toqds, others = by_model.setdefault(cell.setup.llm, ([], []))
                    if one.is_of(cell):
                        toqds.append(cell)
                    elif self.baseline in (cell.method, cell.name):
                        others.append(cell)
            for model, (toqds, others) in by_model.items():
                pairs = ((toqd, partner_of(toqd, others, both_search=True)) for toqd in toqds)
                pair = next(((toqd, found) for toqd, found in pairs if found is not None), None)
                if pair is not None:
                    draft.rows.append(self._row(draft, dataset, model, *pair))
                elif toqds or others:
                    draft.rows.append(MeasuredRow((dataset.label, model)))
                    draft.lacks(dataset, other if toqds else one)
            if not any(map(one.is_of, dataset.cells)):
                draft.lacks(dataset, one, other)

    def _row(self, draft: Draft, dataset: DatasetCells, model: str, toqd: AnsweredCell, other: AnsweredCell) -> MeasuredRow:
        both = paired(draft.runs, toqd, other)
        draft.scored(both.with_scores, both.without_scores)
        name = dataset.plan.name
        is_theirs = name == "two_wikimultihopqa"
        printed = self.published("toqd", name, toqd, other, num=both.num, model=model) if is_theirs else ()
        return gain_row((dataset.label, model), ("baseline", "toqd"), both, published=printed)


class GainTable(Table):
    """A table or figure of one-step and of interleaved retrieval, on the questions that both were scored on.

    Attributes:
        metric: what is compared, by the column of the same name, in percent.
    """

    metric: ClassVar[str] = "paragraph_recall"
    heads: ClassVar[tuple[FigureColumn, ...]] = (
        FigureColumn("oner", "OneR %", 1),
        FigureColumn("ircot", "IRCoT %", 1),
        FigureColumn("gain", "gain", 1),
    )

    def measure(self, runs: LoadedRuns, cell: AnsweredCell) -> Counted:
        """What is compared."""
        return runs.scores(cell, self.metric, self.metric)

    def row(
        self, draft: Draft, dataset: DatasetCells, labels: tuple[str, ...], ircot: AnsweredCell, oner: AnsweredCell
    ) -> MeasuredRow:
        """The row of a cell of IRCoT and one of OneR."""
        both = paired(draft.runs, ircot, oner, self.measure)
        draft.scored(both.without_scores, both.with_scores)
        printed = self.printed(dataset, both.num, ircot, oner)
        return gain_row((dataset.label, *labels), ("oner", "ircot"), both, published=printed)

    def printed(self, dataset: DatasetCells, num: int | None, *cells: AnsweredCell) -> tuple[PublishedRow, ...]:
        """What the paper printed for a dataset and the cells of IRCoT and OneR, scored on a number of questions."""
        raise NotImplementedError


class SizeFigure(GainTable):
    """A figure of one-step and of interleaved retrieval for each model of the runs, with the drawing of it.

    Attributes:
        name: of what is compared, in the drawing.
        is_same_reader: whether only cells with the same reader are compared.
        printed_in: the beginning of the names of the published tables, which end with that of a model.
    """

    name: ClassVar[str]
    is_same_reader: ClassVar[bool] = False
    printed_in: ClassVar[str]
    labels = ("dataset", "model", "method")
    notes = (_ONE_ROW, NO_SIZE)
    heads: ClassVar[tuple[FigureColumn, ...]] = (SIZE, *GainTable.heads)

    def fill(self, draft: Draft) -> None:
        for dataset in draft.runs.datasets:
            pairs = list(self._pairs(dataset))
            for model, ircot, oner in pairs:
                row = self.row(draft, dataset, (model, label_of(ircot)), ircot, oner)
                draft.rows.append(sized(row, model))
            if not pairs:
                draft.rows.append(MeasuredRow((dataset.label, "-", "-")))
                draft.lacks(dataset, variant("oner_cot"), variant("ircot_cot"))

    def plot(self, draft: Draft) -> CurvePlot | None:
        return size_plot(draft.rows, {"oner": "OneR", "ircot": "IRCoT"}, f"{self.name} (%)")

    def tables_of(self, cell: AnsweredCell) -> list[str]:
        """The published tables of the model of a cell."""
        model = "" if cell.setup is None else cell.setup.llm
        return [f"{self.printed_in}_{end}" for name, end in _MODELS.items() if is_named(name, model)]

    def _pairs(self, dataset: DatasetCells) -> Iterator[tuple[str, AnsweredCell, AnsweredCell]]:
        """Each model and cell of IRCoT with a cell of OneR (see `partner_of`), where required by the same reader."""
        asked = [(cell.setup.llm, cell) for cell in dataset.cells if cell.setup is not None]
        ones = [cell for _, cell in asked if cell.name == "oner"]
        for model, ircot in asked:
            fitting = [
                one for one in ones if not self.is_same_reader or one.options.get("reader") == ircot.options.get("reader")
            ]
            oner = partner_of(ircot, fitting, both_search=True) if ircot.name == "ircot" else None
            if oner is not None:
                yield model, ircot, oner


def sized(row: MeasuredRow, model: str) -> MeasuredRow:
    """The row with the size of a model as its first figure."""
    return replace(row, values={"size": billions_of(model), **row.values})


def size_plot(rows: Sequence[MeasuredRow], names: dict[str, str], up: str, more: Sequence[Curve] = ()) -> CurvePlot | None:
    """Curves over the sizes of models, a panel for each dataset; `None` where no row has a size and a figure.

    Args:
        rows: with a `size`, the first label being the dataset.
        names: of the figures that are drawn, by their key.
        up: the label of the vertical axis.
        more: curves that are added to every panel.
    """
    panels = []
    for dataset in dict.fromkeys(row.labels[0] for row in rows):
        own = [row.values for row in rows if row.labels[0] == dataset]
        every = (curve_of(name, ((values.get("size"), values.get(key)) for values in own)) for key, name in names.items())
        curves = [curve for curve in every if curve.points]
        if curves:
            panels.append(CurvePanel(dataset, (*curves, *more)))
    return CurvePlot(tuple(panels), "parameters of the model, in billions", up) if panels else None


def curve_of(name: str, points: Iterable[tuple[float | None, float | None]], *, is_published: bool = False) -> Curve:
    """A curve through the points with known size and figure."""
    known = tuple((size, value) for size, value in points if size is not None and value is not None)
    return Curve(name, known, is_published=is_published)
