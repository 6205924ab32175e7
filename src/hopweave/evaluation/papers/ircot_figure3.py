"""IRCoT figure 3: recall of the gold paragraphs, interleaved retrieval beside one step.

Recall of IRCoT and of OneR at the budget of 15 paragraphs (the metric `paragraph_recall`) on the questions that both were
scored on, in percent, and the gain. The paper drew the recalls and printed the gains. It chose the number of passages for
each on development questions; here it is what the cells were given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hopweave.evaluation.papers._missing import how_to_evaluate
from hopweave.evaluation.papers._published import published, variant
from hopweave.evaluation.papers._quality import problems
from hopweave.evaluation.papers._without import gain_row, paired
from hopweave.evaluation.reports.analysis_results import AnalysisResult, Draft, FigureColumn, MeasuredRow, PublishedRow
from hopweave.evaluation.scoring.counted import Counted
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells, LoadedRuns

_HEADS = (FigureColumn("oner", "OneR %", 1), FigureColumn("ircot", "IRCoT %", 1), FigureColumn("gain", "gain", 1))
_TUNED = "the number of passages was chosen there on development questions"


@dataclass(frozen=True, slots=True)
class IRCoTFigure3:
    """Recall of the gold paragraphs, interleaved retrieval beside one step."""

    def result(self, runs: LoadedRuns) -> AnalysisResult:
        """See `reports.analysis.Analysis`."""
        draft = Draft()
        for dataset in runs.datasets:
            found = {name: [c for c in dataset.cells if c.name == name and c.setup is not None] for name in ("oner", "ircot")}
            draft.missing += [how_to_evaluate(dataset, variant(f"{name}_cot")) for name, cells in found.items() if not cells]
            if not all(found.values()):
                draft.rows.append(MeasuredRow((dataset.label, "-"), published=_printed(dataset, (), None)))
                continue
            draft.rows += [_row(runs, dataset, found["oner"][0], cell, draft.notes) for cell in found["ircot"]]
        title = "IRCoT figure 3: recall of the gold paragraphs within 15, IRCoT beside OneR"
        labels = ("dataset", "method")
        return draft.made(title, labels, _HEADS)


def _row(runs: LoadedRuns, dataset: DatasetCells, oner: AnsweredCell, ircot: AnsweredCell, notes: list[str]) -> MeasuredRow:
    both = paired(runs, ircot, oner, _recall)
    notes += problems(both.without_scores, both.with_scores)
    printed = _printed(dataset, (ircot, oner), len(both.with_scores.values))
    return gain_row((dataset.label, ircot.method), ("oner", "ircot"), both, printed)


def _recall(runs: LoadedRuns, cell: AnsweredCell) -> Counted:
    return runs.scores(cell, "paragraph_recall", "paragraph_recall")


def _printed(dataset: DatasetCells, cells: Sequence[AnsweredCell], num: int | None) -> tuple[PublishedRow, ...]:
    setup, *others = [cell.setup for cell in cells] or [None]
    return tuple(
        row
        for table in ("ircot_figure3_gpt3", "ircot_figure3_flan")
        for row in published(table, "ircot", dataset.plan.name, setup=setup, others=others, num=num, more=[_TUNED])
    )
