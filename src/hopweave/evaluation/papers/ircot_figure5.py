"""IRCoT figure 5: recall of the gold paragraphs by the size of the language model, IRCoT beside OneR.

Recall at the budget of 15 paragraphs (the metric `paragraph_recall`), in percent, on the questions that both were scored on; a
row for each model of the runs. The paper drew Flan-T5 base (0.3B) to XXL (11B) and GPT-3 (175B) and printed only the gains of
the two largest (section 5). OneR asks no model, so that its recall is the same for all. `--as svg` draws it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hopweave.evaluation.papers._published import is_named, published
from hopweave.evaluation.papers._sizes import Measure, sizes_result
from hopweave.evaluation.reports.analysis_results import AnalysisResult, PublishedRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells, LoadedRuns

_PRINTED = {"flan-t5-xxl": "ircot_figure3_flan", "code-davinci-002": "ircot_figure3_gpt3"}


@dataclass(frozen=True, slots=True)
class IRCoTFigure5:
    """Recall of the gold paragraphs by the size of the language model, IRCoT beside OneR."""

    def result(self, runs: LoadedRuns) -> AnalysisResult:
        """See `reports.analysis.Analysis`."""
        title = "IRCoT figure 5: recall of the gold paragraphs within 15, by the size of the model"
        made = sizes_result(runs, title, Measure("paragraph_recall", "paragraph_recall", "recall"), _printed)
        return replace(made, notes=(*made.notes, "the paper drew this; it printed the gains of its two largest models"))


def _printed(dataset: DatasetCells, cell: AnsweredCell, oner: AnsweredCell, num: int) -> tuple[PublishedRow, ...]:
    return tuple(
        row
        for name, table in _PRINTED.items()
        if cell.setup is not None and is_named(name, cell.setup.llm)
        for row in published(table, "ircot", dataset.plan.name, setup=cell.setup, others=[oner.setup], num=num)
    )
