"""SearChain table 5: how much of an answer is marked with a document, and whether the marks stand right.

SKC is the mean number of fragments of an answer that the model marked with a document, AMP-auto the mean share of its marks
that stand where they belong, judged by words (the metrics `skc` and `amp_auto`). Both are about the marks as the model wrote
them: those that hopweave took out are wrong, and their mean number per answer is shown next to the share. The paper's SKC was
counted and its AMP judged by three people: AMP-auto is shown next to it and is another measure. For AMP itself export a sheet
with `hopweave annotate`. Answers into which the model wrote no marks have no AMP-auto.
"""

from __future__ import annotations

from dataclasses import dataclass

from hopweave.evaluation.papers._missing import how_to_evaluate
from hopweave.evaluation.papers._published import ALL, published, variant, with_ours
from hopweave.evaluation.papers._quality import answered, problems, with_counts
from hopweave.evaluation.reports.analysis_results import AnalysisResult, Draft, FigureColumn, MeasuredRow
from hopweave.evaluation.scoring.loaded_runs import DatasetCells, LoadedRuns

_BY_PEOPLE = "AMP there was judged by people, and on questions that were not published"


@dataclass(frozen=True, slots=True)
class SearChainTable5:
    """How much of an answer is marked with a document, and whether the marks stand right."""

    def result(self, runs: LoadedRuns) -> AnalysisResult:
        """See `reports.analysis.Analysis`."""
        draft = Draft()
        one, *ours = with_ours(variant("searchain"))
        for dataset in runs.datasets:
            cells = [cell for cell in dataset.cells if cell.setup is not None]
            for cell in cells:
                skc, amp = runs.scores(cell, "skc", "skc"), runs.scores(cell, "amp_auto", "amp_auto")
                taken_out = runs.scores(cell, "amp_auto", "marks_taken_out")
                draft.notes += problems(skc, amp)
                values = {
                    "skc": skc.mean,
                    "amp_auto": amp.mean,
                    "taken_out": taken_out.mean,
                    "marked": float(len(amp.answered)),
                }
                there = published("searchain_table5", one.key, ALL, setup=cell.setup, more=[_BY_PEOPLE])
                alone = answered({"skc": skc, "amp_auto": amp}, 1.0)
                row = MeasuredRow(
                    (dataset.label, cell.method if cell.method == cell.name else f"{cell.method} ({cell.name})"),
                    values,
                    published=there if any(each.is_of(cell) for each in (one, *ours)) else (),
                    answered=alone,
                )
                draft.rows.append(with_counts(row, skc))
            if not any(one.is_of(cell) for cell in cells):
                draft.rows.append(_no_row(dataset))
                draft.missing.append(how_to_evaluate(dataset, one))
        heads = (
            FigureColumn("skc", "SKC", 3),
            FigureColumn("amp_auto", "AMP-auto"),
            FigureColumn("taken_out", "marks taken out"),
            FigureColumn("amp", "AMP"),
            FigureColumn("marked", "with marks", 0),
        )
        title = "SearChain table 5: knowledge that the model marked (SKC), and share of its marks that stand right (AMP-auto)"
        draft.notes.insert(0, f"AMP (by people) is not measured here: hopweave annotate {runs.runs[0].path}")
        return draft.made(title, ("dataset", "method"), heads, "answers")


def _no_row(dataset: DatasetCells) -> MeasuredRow:
    return MeasuredRow((dataset.label, "SearChain"), published=published("searchain_table5", "searchain", ALL, setup=None))
