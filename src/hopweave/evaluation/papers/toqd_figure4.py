"""ToQD figure 4: ToQD and chain of thought with retrieval, by the size of the language model, as a plot.

The figures are those of ToQD's table 5 (see `toqd_table5`), plotted over the number of parameters; `--as svg` draws them. The
published points, which are of 2WikiMultihopQA, are drawn hollow. The paper gives no size for the models of OpenAI; those are in
the table and not in the drawing.
"""

from __future__ import annotations

from hopweave.evaluation.papers._models import NO_SIZE, SIZE, ModelTable, curve_of, size_plot, sized
from hopweave.evaluation.papers._published import billions_of, published_models
from hopweave.evaluation.papers._table import Draft
from hopweave.evaluation.reports.plots import CurvePlot

_NAMES = {"baseline": "CoT w/ IR", "toqd": "ToQD w/ IR"}


class ToQDFigure4(ModelTable):
    """ToQD and chain of thought with retrieval, by the size of the language model."""

    title = "ToQD figure 4: ToQD and chain of thought with retrieval, by the size of the model"
    last_notes = (NO_SIZE,)
    heads = (SIZE, *ModelTable.heads)

    def fill(self, draft: Draft) -> None:
        ModelTable.fill(self, draft)
        rows = [sized(row, row.labels[1]) for row in draft.rows]
        draft.rows = sorted(rows, key=lambda row: (row.labels[0], row.values["size"] or 0.0))

    def plot(self, draft: Draft) -> CurvePlot | None:
        printed = published_models(*self.tables)
        curves = []
        for key, name in _NAMES.items():
            points = [(billions_of(model), values[key]) for model, values in printed.items()]
            curves.append(curve_of(f"{name}, published", points, is_published=True))
        return size_plot(draft.rows, _NAMES, "accuracy (%)", curves)
