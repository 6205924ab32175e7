"""SearChain table 3a: accuracy on all questions, and on those that retrieval helped with.

S are all questions that were scored with and without retrieval; S_IR those of them in whose tree retrieval corrected or
completed at least one node. If retrieval is called where the model is in trouble, accuracy without it is lower on S_IR than
on S, and it is higher with it. All in percent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from hopweave.evaluation.papers._accuracy import name_of
from hopweave.evaluation.papers._missing import how_to_evaluate
from hopweave.evaluation.papers._nodes import needs_retrieval
from hopweave.evaluation.papers._published import Variant, cells_of, published, variant, with_ours
from hopweave.evaluation.papers._quality import PERCENT, answered, percent, problems, share
from hopweave.evaluation.papers._without import Paired, counterparts, paired
from hopweave.evaluation.reports.analysis_results import AnalysisResult, Draft, FigureColumn, MeasuredRow
from hopweave.evaluation.scoring.loaded_runs import DatasetCells, LoadedRuns

_HEADS = (
    FigureColumn("without_s", "w/o IR on S %"),
    FigureColumn("without_s_ir", "w/o IR on S_IR %"),
    FigureColumn("with_s_ir", "w/ IR on S_IR %"),
    FigureColumn("with_s", "w/ IR on S %"),
    FigureColumn("share", "S_IR of S %"),
)


@dataclass(frozen=True, slots=True)
class SearChainTable3a:
    """Accuracy with and without retrieval, on all questions and on those that retrieval helped with."""

    def result(self, runs: LoadedRuns) -> AnalysisResult:
        """See `reports.analysis.Analysis`."""
        draft = Draft()
        for dataset, one in product(runs.datasets, with_ours(variant("searchain"))):
            pairs = list(counterparts(dataset, one))
            for with_cell, without_cell in pairs:
                if without_cell is not None:
                    both = paired(runs, with_cell, without_cell)
                    draft.rows.append(_row(dataset, one, both))
                    draft.notes += problems(both.with_scores, both.without_scores)
            if not one.is_ours and not any(without_cell is not None for _, without_cell in pairs):
                printed = published("searchain_table3a", one.key, dataset.plan.name, setup=None)
                draft.rows.append(MeasuredRow((dataset.label, one.title), published=printed))
                other = variant(one.without)
                lacking = [each for each in (one, other) if not any(c.setup for c in cells_of(each, dataset.cells))]
                draft.missing += [how_to_evaluate(dataset, each) for each in lacking]
        title = "SearChain table 3a: accuracy on all questions (S), and where retrieval corrected or completed a node (S_IR)"
        return draft.made(title, ("dataset", "method"), _HEADS, "questions in S")


def _row(dataset: DatasetCells, one: Variant, both: Paired) -> MeasuredRow:
    helped = {
        record.question.id for record, _ in both.with_cell.pairs() if record.error is None and needs_retrieval(record)
    } & both.with_scores.values.keys()
    num = len(both.with_scores.values)
    values = {
        "without_s": percent(both.without_scores.mean),
        "without_s_ir": _mean(both.without_scores.values, helped),
        "with_s_ir": _mean(both.with_scores.values, helped),
        "with_s": percent(both.with_scores.mean),
        "share": share(len(helped), num),
    }
    setup, others = both.with_cell.setup, [both.without_cell.setup]
    printed = published("searchain_table3a", one.key, dataset.plan.name, setup=setup, others=others, num=num)
    alone = answered({"without_s": both.without_scores, "with_s": both.with_scores})
    counts = num, both.num_failed, both.num_no_data
    labels = dataset.label, name_of(one, both.with_cell)
    return MeasuredRow(labels, values, *counts, published=printed, answered=alone)


def _mean(values: Mapping[str, float], ids: set[str]) -> float | None:
    scores = [value for key, value in values.items() if key in ids]
    return PERCENT * sum(scores) / len(scores) if scores else None
