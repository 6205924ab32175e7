"""ToQD figure 4: ToQD beside chain of thought with retrieval, by the size of the language model, as a plot.

The figures are those of ToQD's table 5 (see `toqd_table5`), put over the number of parameters; `--as svg` draws them. The
published points, which are of 2WikiMultihopQA, are drawn hollow. The paper gives no size for the models of OpenAI; those are in
the table and not in the drawing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from hopweave.evaluation.papers._published import billions_of, published_models
from hopweave.evaluation.papers._robustness import by_model_result
from hopweave.evaluation.papers._sizes import NO_SIZE, SIZE, size_plot
from hopweave.evaluation.reports.analysis_results import AnalysisResult
from hopweave.evaluation.reports.plots import Curve
from hopweave.evaluation.scoring.loaded_runs import LoadedRuns

_NAMES = {"baseline": "CoT w/ IR", "toqd": "ToQD w/ IR"}
_TABLE = "toqd_table5"


@dataclass(frozen=True, slots=True)
class ToQDFigure4:
    """ToQD beside chain of thought with retrieval, by the size of the language model."""

    baseline: Annotated[str, "the method, or the label of it, that stands for chain of thought with retrieval"] = "oner"

    def result(self, runs: LoadedRuns) -> AnalysisResult:
        """See `reports.analysis.Analysis`."""
        title = "ToQD figure 4: ToQD beside chain of thought with retrieval, by the size of the model"
        made = by_model_result(runs, title, self.baseline)
        rows = [replace(row, values={"size": billions_of(row.labels[1]), **row.values}) for row in made.rows]
        rows.sort(key=lambda row: (row.labels[0], row.values["size"] or 0.0))
        return replace(
            made,
            heads=(SIZE, *made.heads),
            rows=tuple(rows),
            notes=(*made.notes, NO_SIZE),
            plot=size_plot(rows, _NAMES, "accuracy (%)", _published_curves()),
        )


def _published_curves() -> list[Curve]:
    curves = []
    for key, name in _NAMES.items():
        points = [(billions_of(model), values[key]) for model, values in published_models(_TABLE).items()]
        known = tuple((size, value) for size, value in points if size is not None)
        curves.append(Curve(f"{name}, published", known, is_published=True))
    return curves
