"""SearChain table 10: how well SearChain does on long answers, by the threshold alpha.

alpha is the ROUGE-L of answer and passage above which a long answer counts as consistent. Each label of SearChain with
another alpha is a column; ROUGE-L as KILT computes it, in percent. The paper's figures hardly move between 0.30 and 0.50. To
choose alpha from pairs whose consistency is known: `hopweave calibrate PAIRS --what alpha`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from hopweave.evaluation.papers._missing import how_to_evaluate
from hopweave.evaluation.papers._published import cells_of, passed_over, published, variant
from hopweave.evaluation.papers._quality import answered, is_long, percent, problems, quality, with_counts
from hopweave.evaluation.reports.analysis_results import AnalysisResult, Draft, FigureColumn, MeasuredRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells, LoadedRuns

_ALPHAS = (0.3, 0.35, 0.4, 0.45, 0.5)


@dataclass(frozen=True, slots=True)
class SearChainTable10:
    """How well SearChain does on long answers, by alpha."""

    def result(self, runs: LoadedRuns) -> AnalysisResult:
        """See `reports.analysis.Analysis`."""
        draft = Draft()
        alphas: set[float] = set(_ALPHAS)
        one = variant("searchain")
        for dataset in (each for each in runs.datasets if any(map(is_long, each.cells))):
            draft.notes += passed_over(one, dataset)
            by_alpha: dict[float, AnsweredCell] = {}
            for cell in cells_of(one, dataset.cells):
                if cell.setup is not None:
                    by_alpha.setdefault(float(cell.options["alpha"]), cell)
            alphas |= by_alpha.keys()
            draft.rows.append(_row(runs, dataset, by_alpha))
            draft.notes += problems(*(quality(runs, cell) for cell in by_alpha.values()))
            lacking = [replace(one, options={**one.options, "alpha": alpha}) for alpha in _ALPHAS if alpha not in by_alpha]
            draft.missing += [how_to_evaluate(dataset, each, suffix=f"alpha-{each.options['alpha']:g}") for each in lacking]
        if not draft.rows:
            printed = published("searchain_table10", one.key, "eli5", setup=None)
            draft.rows.append(MeasuredRow(("eli5",), published=printed))
            draft.missing.append(
                "no dataset of the runs asks for long answers; evaluate searchain on eli5, with several alphas"
            )
        heads = tuple(FigureColumn(_key(alpha), f"alpha {alpha:.2f} %") for alpha in sorted(alphas))
        title = "SearChain table 10: ROUGE-L of long answers by the threshold alpha"
        return draft.made(title, ("dataset",), heads, "answers")


def _row(runs: LoadedRuns, dataset: DatasetCells, by_alpha: dict[float, AnsweredCell]) -> MeasuredRow:
    scores = {alpha: quality(runs, cell) for alpha, cell in by_alpha.items()}
    values = {_key(alpha): percent(each.mean) for alpha, each in scores.items()}
    least = min((len(each.values) for each in scores.values()), default=None)
    setup, *others = [cell.setup for cell in by_alpha.values()] or [None]
    printed = published("searchain_table10", "searchain", dataset.plan.name, setup=setup, others=others, num=least)
    alone = answered({_key(alpha): each for alpha, each in scores.items()})
    return with_counts(MeasuredRow((dataset.label,), values, published=printed, answered=alone), *scores.values())


def _key(alpha: float) -> str:
    return f"alpha_{round(100 * alpha):d}"
