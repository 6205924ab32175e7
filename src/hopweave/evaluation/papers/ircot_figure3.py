"""IRCoT figure 3: recall of the gold paragraphs, interleaved retrieval next to one step.

Recall of IRCoT and OneR at the budget of 15 paragraphs (the metric `paragraph_recall`) on the questions that both were
scored on, in percent, and the gain. The paper drew the recalls and printed the gains. It chose the number of passages for
each on development questions; here it is the setting of the cells.
"""

from __future__ import annotations

from hopweave.evaluation.papers._models import GainTable
from hopweave.evaluation.papers._published import in_run_of, partner_of, variant
from hopweave.evaluation.papers._table import Draft, label_of
from hopweave.evaluation.reports.analysis_results import MeasuredRow, PublishedRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells


class IRCoTFigure3(GainTable):
    """Recall of the gold paragraphs, interleaved retrieval next to one step."""

    title = "IRCoT figure 3: recall of the gold paragraphs within 15, IRCoT and OneR"
    tables = ("ircot_figure3_gpt3", "ircot_figure3_flan")

    def fill(self, draft: Draft) -> None:
        for dataset in draft.runs.datasets:
            asked = [cell for cell in dataset.cells if cell.setup is not None]
            found = {name: [cell for cell in asked if cell.name == name] for name in ("oner", "ircot")}
            for cell in found["ircot"] if found["oner"] else ():
                oner = partner_of(cell, found["oner"], both_search=True)
                if oner is not None:
                    draft.rows.append(self.row(draft, dataset, (label_of(cell),), cell, oner))
                else:
                    draft.lacks(in_run_of(cell, dataset), variant("oner_cot"))
                    draft.rows.append(MeasuredRow((dataset.label, label_of(cell)), published=self.printed(dataset, None)))
            if not all(found.values()):
                draft.lacks(dataset, *(variant(f"{name}_cot") for name, cells in found.items() if not cells))
                draft.rows.append(MeasuredRow((dataset.label, "-"), published=self.printed(dataset, None)))

    def printed(self, dataset: DatasetCells, num: int | None, *cells: AnsweredCell) -> tuple[PublishedRow, ...]:
        why = ["the number of passages was chosen there on development questions"]
        return self.published("ircot", dataset.plan.name, *cells, num=num, why=why)
