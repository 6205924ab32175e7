"""SearChain table 3b: how often retrieval misleads a model that was right, and helps one that was wrong.

With S_t the questions that are right without retrieval,

    misled rate = questions of S_t that are wrong with retrieval / |S_t|
    helped rate = questions outside of S_t that are right with retrieval / all outside of S_t

over the questions that both were scored on, in percent. The paper does not say which system without retrieval S_t is of: here
each method's own counterpart, or one for all with `baseline`. Where the runs hold two sets of answers of the same counterpart
(another seed or sampling), the flip rate between them is the floor: that much changes without any retrieval.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated

from hopweave.core.errors import SettingsError
from hopweave.evaluation.papers._accuracy import name_of
from hopweave.evaluation.papers._missing import asks_for_long_answers, how_to_evaluate
from hopweave.evaluation.papers._published import Variant, answered_cells, published, variant, variants, with_ours
from hopweave.evaluation.papers._quality import is_long, problems, share
from hopweave.evaluation.papers._without import Paired, counterparts, paired
from hopweave.evaluation.reports.analysis_results import AnalysisResult, Draft, FigureColumn, MeasuredRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells, LoadedRuns

_ALSO = ("direct_retrieval", "toolformer_prompted", "toqd", "ircot_cot", "ircot_direct", "oner_cot", "oner_direct")
_HEADS = (FigureColumn("misled", "misled %"), FigureColumn("helped", "helped %"), FigureColumn("right", "|S_t|", 0))


@dataclass(frozen=True, slots=True)
class SearChainTable3b:
    """How often retrieval misleads, and how often it helps."""

    baseline: Annotated[str, "whose right answers are S_t: own, each method's own counterpart; or direct, or cot, for all"] = (
        "own"
    )
    floor: Annotated[bool, "with the flip rate between two runs without retrieval, where there are two"] = True

    def __post_init__(self) -> None:
        if self.baseline not in {"own", "direct", "cot", "cot_sc"}:
            raise SettingsError(f"searchain_table3b baseline must be own, direct, cot or cot_sc, not {self.baseline!r}")

    def result(self, runs: LoadedRuns) -> AnalysisResult:
        """See `reports.analysis.Analysis`."""
        draft = Draft()
        for dataset in runs.datasets:
            if any(map(is_long, dataset.cells)):
                draft.missing.append(asks_for_long_answers(dataset))
                continue
            has_row = False
            for one in [*variants("searchain_table3b"), *(each for key in _ALSO for each in with_ours(variant(key)))]:
                for cell, without in counterparts(dataset, one, self.baseline):
                    has_row = has_row or not one.is_ours
                    if without is None:
                        other = variant(one.without if self.baseline == "own" else self.baseline)
                        draft.rows.append(self._no_row(dataset, one, cell))
                        draft.missing.append(how_to_evaluate(dataset, other))
                        continue
                    both = paired(runs, cell, without)
                    draft.notes += problems(both.with_scores, both.without_scores)
                    draft.rows.append(self._row(dataset, one, both))
            if not has_row:
                one = variant("searchain")
                draft.rows.append(self._no_row(dataset, one, None))
                draft.missing += [how_to_evaluate(dataset, each) for each in (one, variant(one.without))]
            if self.floor:
                draft.rows += self._floors(runs, dataset)
        draft.notes += [_ABOUT_FLOOR] if self.floor else []
        title = "SearChain table 3b: how often retrieval misleads a model that was right, and helps one that was wrong"
        labels = ("dataset", "method", "beside")
        return draft.made(title, labels, _HEADS)

    def _no_row(self, dataset: DatasetCells, one: Variant, cell: AnsweredCell | None) -> MeasuredRow:
        name = one.title if cell is None else name_of(one, cell)
        printed = published("searchain_table3b", one.key, dataset.plan.name, setup=None)
        return MeasuredRow((dataset.label, name, "-"), published=printed)

    def _row(self, dataset: DatasetCells, one: Variant, both: Paired) -> MeasuredRow:
        labels = (dataset.label, name_of(one, both.with_cell), both.without_cell.method)
        num = len(both.with_scores.values)
        setup, others = both.with_cell.setup, [both.without_cell.setup]
        printed = published("searchain_table3b", one.key, dataset.plan.name, setup=setup, others=others, num=num)
        values = changes(both.without_scores.values, both.with_scores.values)
        return MeasuredRow(labels, values, num, both.num_failed, both.num_no_data, published=printed)

    def _floors(self, runs: LoadedRuns, dataset: DatasetCells) -> Iterator[MeasuredRow]:
        for key in dict.fromkeys([one.without for one in variants("searchain_table3b")] + ["direct", "toqd_no_retrieval"]):
            one = variant(key)
            cells = answered_cells(one, dataset)
            for first, second in combinations(cells, 2):
                both = paired(runs, second, first)
                values = changes(both.without_scores.values, both.with_scores.values)
                labels = (dataset.label, f"floor: {one.title} again", f"{first.method} of {first.run.path.name}")
                yield MeasuredRow(labels, values, len(both.with_scores.values), both.num_failed, both.num_no_data)


_ABOUT_FLOOR = (
    "floor: the same method without retrieval, twice; make the second run with another seed and without the store: "
    "--set sampling.seed=1 --set store.mode=off (the store would give the same replies again)"
)


def changes(without: Mapping[str, float], with_it: Mapping[str, float]) -> dict[str, float | None]:
    """The misled and helped rates in percent, and the size of S_t, over the questions of both; right is a score of 1."""
    right = {key for key, value in without.items() if value >= 1}
    wrong = without.keys() - right
    misled = sum(with_it[key] < 1 for key in right)
    helped = sum(with_it[key] >= 1 for key in wrong)
    num_right = float(len(right)) if without else None
    return {"misled": share(misled, len(right)), "helped": share(helped, len(wrong)), "right": num_right}
