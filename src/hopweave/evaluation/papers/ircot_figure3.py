"""IRCoT figure 3: recall of the gold paragraphs, interleaved retrieval beside one step.

Recall of IRCoT and of OneR at the budget of 15 paragraphs (the metric `paragraph_recall`) on the questions that both were
scored on, in percent, and the gain. The paper drew the recalls and printed the gains. It chose the number of passages for
each on development questions; here it is what the cells were given.
"""

from __future__ import annotations

from dataclasses import dataclass

from hopweave.evaluation.papers._missing import how_to_evaluate
from hopweave.evaluation.papers._published import published, variant
from hopweave.evaluation.papers._quality import answered, percent, problems
from hopweave.evaluation.reports.analysis_tables import Head, PublishedRow, Sheet, SheetRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells, LoadedRuns

__all__ = ["IRCoTFigure3"]

_HEADS = (Head("oner", "OneR %", 1), Head("ircot", "IRCoT %", 1), Head("gain", "gain", 1))
_TUNED = "the number of passages was chosen there on development questions"


@dataclass(frozen=True, slots=True)
class IRCoTFigure3:
    """Recall of the gold paragraphs, interleaved retrieval beside one step."""

    def sheets(self, runs: LoadedRuns) -> list[Sheet]:
        """See `evaluation.analysis.Analysis`."""
        rows: list[SheetRow] = []
        missing: list[str] = []
        notes: list[str] = []
        for dataset in runs.datasets:
            found = {name: [c for c in dataset.cells if c.name == name and c.setup is not None] for name in ("oner", "ircot")}
            missing += [how_to_evaluate(dataset, variant(f"{name}_cot")) for name, cells in found.items() if not cells]
            if not all(found.values()):
                rows.append(SheetRow((dataset.label, "-"), published=_beside(dataset, None, None)))
                continue
            rows += [_row(runs, dataset, found["oner"][0], cell, notes) for cell in found["ircot"]]
        title = "IRCoT figure 3: recall of the gold paragraphs within 15, IRCoT beside OneR"
        labels = ("dataset", "method")
        return [Sheet(title, labels, _HEADS, tuple(rows), notes=tuple(dict.fromkeys(notes)), missing=tuple(missing))]


def _row(runs: LoadedRuns, dataset: DatasetCells, oner: AnsweredCell, ircot: AnsweredCell, notes: list[str]) -> SheetRow:
    one, many = (runs.scores(cell, "paragraph_recall", "paragraph_recall") for cell in (oner, ircot))
    notes += problems(one, many)
    common = one.values.keys() & many.values.keys()
    before, after = percent(one.among(common).mean), percent(many.among(common).mean)
    gain = None if before is None or after is None else after - before
    failed = common & (one.failed | many.failed)
    every = {key for each in (one, many) for key in (*each.values, *each.no_data, *each.unscored)}
    return SheetRow(
        (dataset.label, ircot.method),
        {"oner": before, "ircot": after, "gain": gain},
        len(common),
        len(failed),
        len(every - common),
        published=_beside(dataset, ircot, len(common)),
        answered=answered({"oner": one.among(common), "ircot": many.among(common)}),
    )


def _beside(dataset: DatasetCells, cell: AnsweredCell | None, num: int | None) -> tuple[PublishedRow, ...]:
    setup = None if cell is None else cell.setup
    return tuple(
        row
        for table in ("ircot_figure3_gpt3", "ircot_figure3_flan")
        for row in published(table, "ircot", dataset.plan.name, setup=setup, num=num, more=[_TUNED])
    )
