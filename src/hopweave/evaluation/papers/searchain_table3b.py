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
from hopweave.evaluation.papers._published import (
    answered_cells,
    counterparts,
    in_run_of,
    is_same_model,
    variant,
    variants,
    with_ours,
)
from hopweave.evaluation.papers._scores import Paired, paired, share
from hopweave.evaluation.papers._table import Draft, Table, label_of, name_of
from hopweave.evaluation.reports.analysis_results import FigureColumn, MeasuredRow, PublishedRow
from hopweave.evaluation.scoring.loaded_runs import DatasetCells, LoadedRuns

_ALSO = ("direct_retrieval", "toolformer_prompted", "toqd", "ircot_cot", "ircot_direct", "oner_cot", "oner_direct")
_ABOUT_FLOOR = (
    "floor: the same method without retrieval, twice; make the second run with another seed and without the store: "
    "--set sampling.seed=1 --set store.mode=off (the store would give the same replies again)"
)


@dataclass(frozen=True, slots=True)
class SearChainTable3b(Table):
    """How often retrieval misleads, and how often it helps.

    Raises:
        SettingsError: for another `baseline` than own, direct, cot and cot_sc.
    """

    title = "SearChain table 3b: how often retrieval misleads a model that was right, and helps one that was wrong"
    tables = ("searchain_table3b",)
    labels = ("dataset", "method", "beside")
    heads = (FigureColumn("misled", "misled %"), FigureColumn("helped", "helped %"), FigureColumn("right", "|S_t|", 0))

    baseline: Annotated[str, "whose right answers are S_t: own, each method's own counterpart; or direct, or cot, for all"] = (
        "own"
    )
    floor: Annotated[bool, "with the flip rate between two runs without retrieval, where there are two"] = True

    def __post_init__(self) -> None:
        if self.baseline not in {"own", "direct", "cot", "cot_sc"}:
            raise SettingsError(f"searchain_table3b baseline must be own, direct, cot or cot_sc, not {self.baseline!r}")

    def fill(self, draft: Draft) -> None:
        for dataset in draft.short_answer_datasets():
            has_row = False
            for one in [*variants(*self.tables), *(each for key in _ALSO for each in with_ours(variant(key)))]:
                for cell, without in counterparts(dataset, one, self.baseline):
                    has_row = has_row or not one.is_ours
                    if without is None:
                        other = variant(one.without if self.baseline == "own" else self.baseline)
                        self.unmeasured(draft, in_run_of(cell, dataset), one, other, name=name_of(one, cell))
                        continue
                    both = paired(draft.runs, cell, without)
                    draft.scored(both.with_scores, both.without_scores)
                    printed = self.published(one.key, dataset.plan.name, cell, without, num=both.num)
                    draft.rows.append(_row((dataset.label, name_of(one, cell), label_of(without)), both, printed))
            if not has_row:
                one = variant("searchain")
                self.unmeasured(draft, dataset, one, one, variant(one.without))
            if self.floor:
                draft.rows += self._floors(draft.runs, dataset)
        draft.notes += [_ABOUT_FLOOR] if self.floor else []

    def _floors(self, runs: LoadedRuns, dataset: DatasetCells) -> Iterator[MeasuredRow]:
        for key in dict.fromkeys([*(one.without for one in variants(*self.tables)), "direct", "toqd_no_retrieval"]):
            one = variant(key)
            for first, second in combinations(answered_cells(one, dataset), 2):
                if is_same_model(first, second):
                    beside = f"{label_of(second)} beside {label_of(first)}"
                    yield _row((dataset.label, f"floor: {one.title} again", beside), paired(runs, second, first))


def _row(labels: tuple[str, ...], both: Paired, printed: tuple[PublishedRow, ...] = ()) -> MeasuredRow:
    values = changes(both.without_scores.values, both.with_scores.values)
    return MeasuredRow(labels, values, *both.counts, published=printed)


def changes(without: Mapping[str, float], with_it: Mapping[str, float]) -> dict[str, float | None]:
    """The misled and helped rates in percent, and the size of S_t, over the questions of both; right is a score of 1."""
    right = {key for key, value in without.items() if value >= 1}
    wrong = without.keys() - right
    misled = sum(with_it[key] < 1 for key in right)
    helped = sum(with_it[key] >= 1 for key in wrong)
    num_right = float(len(right)) if without else None
    return {"misled": share(misled, len(right)), "helped": share(helped, len(wrong)), "right": num_right}
