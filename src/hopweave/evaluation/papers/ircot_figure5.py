"""IRCoT figure 5: recall of the gold paragraphs by the size of the language model, IRCoT and OneR.

Recall at the budget of 15 paragraphs (the metric `paragraph_recall`), in percent, on the questions that both were scored on; a
row for each model of the runs. The paper drew Flan-T5 base (0.3B) to XXL (11B) and GPT-3 (175B) and printed only the gains of
the two largest (section 5). OneR calls no model, so its recall is the same for all. `--as svg` draws it.
"""

from __future__ import annotations

from hopweave.evaluation.papers._models import SizeFigure
from hopweave.evaluation.papers._published import published
from hopweave.evaluation.reports.analysis_results import PublishedRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells


class IRCoTFigure5(SizeFigure):
    """Recall of the gold paragraphs by the size of the language model, IRCoT and OneR."""

    title = "IRCoT figure 5: recall of the gold paragraphs within 15, by the size of the model"
    name = "recall"
    printed_in = "ircot_figure3"
    last_notes = ("the paper drew this; it printed the gains of its two largest models",)

    def printed(self, dataset: DatasetCells, num: int | None, *cells: AnsweredCell) -> tuple[PublishedRow, ...]:
        setups = [cell.setup for cell in cells]
        tables = self.tables_of(cells[0])
        return tuple(row for table in tables for row in published(table, "ircot", dataset.plan.name, setups, num=num))
