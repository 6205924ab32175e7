"""IRCoT figure 6: F1 of the answers by the size of the language model, IRCoT beside OneR.

F1 in percent, by the rule of DROP as the authors' code computes it, on the questions that both were scored on, with the same
reader; a row for each model of the runs. The paper drew Flan-T5 base (0.3B) to XXL (11B) and GPT-3 (175B); what it printed of
the two largest is in its tables 1 and 3. `--as svg` draws it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from hopweave.evaluation.papers._published import cells_of, is_named, published, variants
from hopweave.evaluation.papers._sizes import Measure, sizes_result
from hopweave.evaluation.reports.analysis_results import AnalysisResult, PublishedRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells, LoadedRuns

_PRINTED = {"flan-t5-xxl": "ircot_table1_flan", "code-davinci-002": "ircot_table1_gpt3"}


@dataclass(frozen=True, slots=True)
class IRCoTFigure6:
    """F1 of the answers by the size of the language model, IRCoT beside OneR."""

    variant: Annotated[Literal["drop", "squad", "hotpotqa"], "whose F1; drop is that of the authors' code"] = "drop"

    def result(self, runs: LoadedRuns) -> AnalysisResult:
        """See `reports.analysis.Analysis`."""
        title = "IRCoT figure 6: F1 of the answers, by the size of the model"
        measure = Measure("f1", "f1", "F1", same_reader=True, variant=self.variant)
        made = sizes_result(runs, title, measure, self._printed)
        return replace(made, notes=(*made.notes, f"F1 by the rule of {self.variant}"))

    def _printed(self, dataset: DatasetCells, cell: AnsweredCell, _: AnsweredCell, num: int) -> tuple[PublishedRow, ...]:
        why = [] if self.variant == "drop" else [f"F1 by the rule of {self.variant}, there of DROP"]
        return tuple(
            replace(row, values={"ircot": row.values["f1"]})
            for name, table in _PRINTED.items()
            if cell.setup is not None and is_named(name, cell.setup.llm)
            for one in variants(table)
            if cells_of(one, [cell])
            for row in published(table, one.key, dataset.plan.name, setup=cell.setup, num=num, more=why)
        )
