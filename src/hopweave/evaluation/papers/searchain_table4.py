"""SearChain table 4: reasoning steps without retrieval, by the hops of the question.

The mean over questions of each number of hops (the trait `hops`; MuSiQue has it in its ids). A step is: for CoT a sentence of
the reasoning but the one that gives the answer, for Self-Ask a follow-up question, for Least-to-Most a sub-question, for
SearChain a query of the chain. The paper says nothing of how it counted. (Its arXiv version has this as table 5.)
"""

from __future__ import annotations

from dataclasses import dataclass

from hopweave.evaluation.papers._accuracy import name_of
from hopweave.evaluation.papers._missing import how_to_evaluate
from hopweave.evaluation.papers._published import Variant, answered_cells, datasets_of, published, variant, variants
from hopweave.evaluation.papers._quality import mean
from hopweave.evaluation.papers._steps import num_steps
from hopweave.evaluation.reports.analysis_results import AnalysisResult, Draft, FigureColumn, MeasuredRow, PublishedRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells, LoadedRuns

_TABLE = "searchain_table4"


@dataclass(frozen=True, slots=True)
class SearChainTable4:
    """Reasoning steps without retrieval, by the hops of the question."""

    def result(self, runs: LoadedRuns) -> AnalysisResult:
        """See `reports.analysis.Analysis`."""
        draft = Draft()
        for dataset in runs.datasets:
            has_hops = any("hops" in example.traits for cell in dataset.cells for example in cell.examples.values())
            for one in [*variants(_TABLE), variant("toqd_no_retrieval")]:
                cells = answered_cells(one, dataset) if has_hops else []
                draft.rows += [_row(dataset, one, cell) for cell in cells]
                if not cells and dataset.plan.name in datasets_of(_TABLE) and one.key != "toqd_no_retrieval":
                    draft.rows.append(MeasuredRow((dataset.label, one.title), published=_printed(dataset, one, None, None)))
                    draft.missing.append(how_to_evaluate(dataset, one))
        if not draft.rows:
            draft.missing.append("no dataset of the runs has the trait 'hops'; evaluate musique, which has it")
        hops = sorted(
            {key for row in draft.rows for key in row.values} | {f"hops_{number}" for number in (2, 3, 4)}, key=_number
        )
        heads = tuple(FigureColumn(key, f"{_number(key)} hops") for key in hops)
        title = "SearChain table 4: reasoning steps without retrieval, by the hops of the question"
        return draft.made(title, ("dataset", "method"), heads)


def _row(dataset: DatasetCells, one: Variant, cell: AnsweredCell) -> MeasuredRow:
    by_hops: dict[str, list[float]] = {}
    num_failed = num_no_data = 0
    for record, example in cell.pairs():
        steps = num_steps(record)
        if record.error is not None:
            num_failed += 1
        elif steps is None or "hops" not in example.traits:
            num_no_data += 1
        else:
            by_hops.setdefault(f"hops_{example.traits['hops']}", []).append(float(steps))
    num = sum(map(len, by_hops.values()))
    values = {key: mean(steps) for key, steps in by_hops.items()}
    return MeasuredRow(
        (dataset.label, name_of(one, cell)), values, num, num_failed, num_no_data, published=_printed(dataset, one, cell, num)
    )


def _printed(dataset: DatasetCells, one: Variant, cell: AnsweredCell | None, num: int | None) -> tuple[PublishedRow, ...]:
    setup = None if cell is None else cell.setup
    return published(_TABLE, one.key, dataset.plan.name, setup=setup, num=num)


def _number(key: str) -> int:
    return int(key.removeprefix("hops_"))
