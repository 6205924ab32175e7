"""SearChain table 5: how much of an answer is marked with a document, and whether the marks are placed correctly.

SKC is the mean number of fragments of an answer that the model marked with a document, AMP-auto the mean share of its marks
that are placed correctly, judged by words (the metrics `skc` and `amp_auto`). Both are about the marks as the model wrote
them: those that hopweave took out are wrong, and their mean number per answer is shown next to the share. The paper's SKC was
counted and its AMP judged by three people: AMP-auto is shown next to it and is a different measure. For AMP itself export a
sheet with `hopweave annotate`. Answers into which the model wrote no marks have no AMP-auto.
"""

from __future__ import annotations

from hopweave.evaluation.papers._published import ALL, variant, with_ours
from hopweave.evaluation.papers._scores import answered, with_counts
from hopweave.evaluation.papers._table import Draft, Table
from hopweave.evaluation.reports.analysis_results import FigureColumn, MeasuredRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, LoadedRuns

_BY_PEOPLE = "AMP there was judged by people, and on questions that were not published"


class SearChainTable5(Table):
    """How much of an answer is marked with a document, and whether the marks are placed correctly."""

    title = "SearChain table 5: knowledge that the model marked (SKC), and share of its marks placed correctly (AMP-auto)"
    tables = ("searchain_table5",)
    heads = (
        FigureColumn("skc", "SKC", 3),
        FigureColumn("amp_auto", "AMP-auto"),
        FigureColumn("taken_out", "marks taken out"),
        FigureColumn("amp", "AMP"),
        FigureColumn("marked", "with marks", 0),
    )
    counted = "answers"

    def fill(self, draft: Draft) -> None:
        draft.notes.append(f"AMP (by people) is not measured here: hopweave annotate {draft.runs.runs[0].path}")
        one, *ours = with_ours(variant("searchain"))
        for dataset in draft.runs.datasets:
            cells = [cell for cell in dataset.cells if cell.setup is not None]
            for cell in cells:
                printed = self.published(one.key, ALL, cell, why=[_BY_PEOPLE])
                more = [*([cell.name] if cell.method != cell.name else []), *([cell.further] if cell.further else [])]
                name = f"{cell.method} ({', '.join(more)})" if more else cell.method
                has_row = any(each.is_of(cell) for each in (one, *ours))
                row = MeasuredRow((dataset.label, name), published=printed if has_row else ())
                draft.rows.append(_measured(draft, row, cell))
            if not any(one.is_of(cell) for cell in cells):
                draft.rows.append(MeasuredRow((dataset.label, one.title), published=self.published(one.key, ALL)))
                draft.lacks(dataset, one)


def _measured(draft: Draft, row: MeasuredRow, cell: AnsweredCell) -> MeasuredRow:
    runs: LoadedRuns = draft.runs
    skc, amp = runs.scores(cell, "skc", "skc"), runs.scores(cell, "amp_auto", "amp_auto")
    draft.scored(skc, amp)
    taken_out = runs.scores(cell, "amp_auto", "marks_taken_out").mean
    values = {"skc": skc.mean, "amp_auto": amp.mean, "taken_out": taken_out, "marked": float(len(amp.answered))}
    alone = answered({"skc": skc, "amp_auto": amp}, 1.0)
    return with_counts(MeasuredRow(row.labels, values, published=row.published, answered=alone), skc)
