"""SearChain table 10: how well SearChain does on long answers, by the threshold alpha.

alpha is the ROUGE-L of answer and passage above which a long answer counts as consistent. Each label of SearChain with
another alpha is a column, and a row holds the labels that differ in nothing else; ROUGE-L as KILT computes it, in percent. The
paper's figures hardly move between 0.30 and 0.50. To choose alpha from pairs whose consistency is known:
`hopweave calibrate PAIRS --what alpha`.
"""

from __future__ import annotations

from dataclasses import replace

from hopweave.evaluation.papers._published import answered_cells, passed_over, setup_key, variant
from hopweave.evaluation.papers._scores import answered, is_long, percent, quality, with_counts
from hopweave.evaluation.papers._table import Draft, Table
from hopweave.evaluation.reports.analysis_results import FigureColumn, MeasuredRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells, LoadedRuns

_ALPHAS = (0.3, 0.35, 0.4, 0.45, 0.5)


class SearChainTable10(Table):
    """How well SearChain does on long answers, by alpha."""

    title = "SearChain table 10: ROUGE-L of long answers by the threshold alpha"
    tables = ("searchain_table10",)
    labels = ("dataset", "method")
    counted = "answers"

    def fill(self, draft: Draft) -> None:
        one = variant("searchain")
        for dataset in _long(draft.runs):
            draft.notes += passed_over(one, dataset)
            rows = _by_alpha(dataset)
            draft.rows += [self._row(draft, dataset, by_alpha) for by_alpha in rows or [{}]]
            for alpha in _ALPHAS:
                if not rows or alpha not in rows[0]:
                    other = replace(one, options={**one.options, "alpha": alpha})
                    draft.lacks(dataset, other, suffix=f"alpha-{alpha:g}")
        if not draft.rows:
            draft.rows.append(MeasuredRow(("eli5", one.title), published=self.published(one.key, "eli5")))
            draft.missing.append(
                "no dataset of the runs asks for long answers; evaluate searchain on eli5, with several alphas"
            )

    def columns(self, draft: Draft) -> tuple[FigureColumn, ...]:
        alphas = {*_ALPHAS, *(alpha for dataset in _long(draft.runs) for row in _by_alpha(dataset) for alpha in row)}
        return tuple(FigureColumn(_key(alpha), f"alpha {alpha:.2f} %") for alpha in sorted(alphas))

    def _row(self, draft: Draft, dataset: DatasetCells, by_alpha: dict[float, AnsweredCell]) -> MeasuredRow:
        scores = {_key(alpha): quality(draft.runs, cell) for alpha, cell in by_alpha.items()}
        draft.scored(*scores.values())
        title, further = variant("searchain").title, next((cell.further for cell in by_alpha.values()), "")
        least = min((len(each.values) for each in scores.values()), default=None)
        row = MeasuredRow(
            (dataset.label, f"{title} ({further})" if further else title),
            {key: percent(each.mean) for key, each in scores.items()},
            published=self.published("searchain", dataset.plan.name, *by_alpha.values(), num=least),
            answered=answered(scores),
        )
        return with_counts(row, *scores.values())


def _long(runs: LoadedRuns) -> list[DatasetCells]:
    return [dataset for dataset in runs.datasets if any(map(is_long, dataset.cells))]


def _by_alpha(dataset: DatasetCells) -> list[dict[float, AnsweredCell]]:
    """The cells in rows, by alpha: those of a row differ in nothing else."""
    rows: list[tuple[str, dict[float, AnsweredCell]]] = []
    for cell in answered_cells(variant("searchain"), dataset):
        key, alpha = setup_key(cell, passed_over=("alpha",)), float(cell.options["alpha"])
        row = next((row for other, row in rows if other == key and alpha not in row), None)
        if row is None:
            row = {}
            rows.append((key, row))
        row[alpha] = cell
    return [row for _, row in rows]


def _key(alpha: float) -> str:
    return f"alpha_{round(100 * alpha):d}"
