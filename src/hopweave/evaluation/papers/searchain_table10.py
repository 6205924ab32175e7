"""SearChain table 10: how well SearChain does on long answers, by the threshold alpha.

alpha is the ROUGE-L of answer and passage above which a long answer counts as consistent. Each label of SearChain with
another alpha is a column; ROUGE-L as KILT computes it, in percent. The paper's figures hardly move between 0.30 and 0.50. To
choose alpha from pairs whose consistency is known: `hopweave calibrate PAIRS --what alpha`.
"""

from __future__ import annotations

from dataclasses import replace

from hopweave.evaluation.papers._published import answered_cells, passed_over, variant
from hopweave.evaluation.papers._scores import answered, is_long, percent, quality, with_counts
from hopweave.evaluation.papers._table import Draft, Table
from hopweave.evaluation.reports.analysis_results import FigureColumn, MeasuredRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells, LoadedRuns

_ALPHAS = (0.3, 0.35, 0.4, 0.45, 0.5)


class SearChainTable10(Table):
    """How well SearChain does on long answers, by alpha."""

    title = "SearChain table 10: ROUGE-L of long answers by the threshold alpha"
    tables = ("searchain_table10",)
    labels = ("dataset",)
    counted = "answers"

    def fill(self, draft: Draft) -> None:
        one = variant("searchain")
        for dataset in _long(draft.runs):
            draft.notes += passed_over(one, dataset)
            by_alpha = _by_alpha(dataset)
            draft.rows.append(self._row(draft, dataset, by_alpha))
            for alpha in _ALPHAS:
                if alpha not in by_alpha:
                    other = replace(one, options={**one.options, "alpha": alpha})
                    draft.lacks(dataset, other, suffix=f"alpha-{alpha:g}")
        if not draft.rows:
            draft.rows.append(MeasuredRow(("eli5",), published=self.published(one.key, "eli5")))
            draft.missing.append(
                "no dataset of the runs asks for long answers; evaluate searchain on eli5, with several alphas"
            )

    def columns(self, draft: Draft) -> tuple[FigureColumn, ...]:
        alphas = {*_ALPHAS, *(alpha for dataset in _long(draft.runs) for alpha in _by_alpha(dataset))}
        return tuple(FigureColumn(_key(alpha), f"alpha {alpha:.2f} %") for alpha in sorted(alphas))

    def _row(self, draft: Draft, dataset: DatasetCells, by_alpha: dict[float, AnsweredCell]) -> MeasuredRow:
        scores = {_key(alpha): quality(draft.runs, cell) for alpha, cell in by_alpha.items()}
        draft.scored(*scores.values())
        least = min((len(each.values) for each in scores.values()), default=None)
        row = MeasuredRow(
            (dataset.label,),
            {key: percent(each.mean) for key, each in scores.items()},
            published=self.published("searchain", dataset.plan.name, *by_alpha.values(), num=least),
            answered=answered(scores),
        )
        return with_counts(row, *scores.values())


def _long(runs: LoadedRuns) -> list[DatasetCells]:
    return [dataset for dataset in runs.datasets if any(map(is_long, dataset.cells))]


def _by_alpha(dataset: DatasetCells) -> dict[float, AnsweredCell]:
    """The first cell of each alpha."""
    found: dict[float, AnsweredCell] = {}
    for cell in answered_cells(variant("searchain"), dataset):
        found.setdefault(float(cell.options["alpha"]), cell)
    return found


def _key(alpha: float) -> str:
    return f"alpha_{round(100 * alpha):d}"
