"""A method with retrieval beside its counterpart without, question by question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hopweave.evaluation.papers._published import Variant, answered_cells, variant
from hopweave.evaluation.papers._quality import Measure, answered, percent, quality
from hopweave.evaluation.reports.analysis_results import MeasuredRow, PublishedRow
from hopweave.evaluation.scoring.counted import Counted
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells, LoadedRuns


@dataclass(frozen=True, slots=True)
class Paired:
    """The scores of a cell with retrieval and of one without, on the questions that both were scored on.

    Attributes:
        with_cell: of the method with retrieval; `without_cell` of the one without.
        with_scores: on the common questions; `without_scores` likewise.
        num_failed: questions among these that failed, and so are wrong, in one of the two.
        num_no_data: questions that only one of them has, that could not be scored, or that the measure does not apply to.
    """

    with_cell: AnsweredCell
    without_cell: AnsweredCell
    with_scores: Counted
    without_scores: Counted
    num_failed: int
    num_no_data: int


def paired(runs: LoadedRuns, with_cell: AnsweredCell, without_cell: AnsweredCell, measure: Measure = quality) -> Paired:
    """The two on their common questions, by a measure of cells."""
    first, second = measure(runs, with_cell), measure(runs, without_cell)
    common = first.values.keys() & second.values.keys()
    failed = common & (first.failed | second.failed)
    every = [key for one in (first, second) for key in (*one.values, *one.no_data, *one.unscored)]
    left_out = len(set(every)) - len(common)
    return Paired(with_cell, without_cell, first.among(common), second.among(common), len(failed), left_out)


def gain_row(
    labels: tuple[str, ...],
    keys: tuple[str, str],
    both: Paired,
    published: tuple[PublishedRow, ...],
    more: Mapping[str, float | None] | None = None,
) -> MeasuredRow:
    """A row with both means in percent and the `gain` from the first to the second.

    Args:
        labels: of the row.
        keys: of the figures without and with retrieval.
        both: the two.
        published: what papers printed there.
        more: figures that come before them.
    """
    without, with_it = percent(both.without_scores.mean), percent(both.with_scores.mean)
    gain = None if without is None or with_it is None else with_it - without
    return MeasuredRow(
        labels,
        {**(more or {}), keys[0]: without, keys[1]: with_it, "gain": gain},
        len(both.with_scores.values),
        both.num_failed,
        both.num_no_data,
        published=published,
        answered=answered({keys[0]: both.without_scores, keys[1]: both.with_scores}),
    )


def counterparts(
    dataset: DatasetCells, one: Variant, baseline: str = "own"
) -> Iterator[tuple[AnsweredCell, AnsweredCell | None]]:
    """Each cell of a variant with its first counterpart without retrieval, or `None` where the runs have none.

    A counterpart of the same run comes before one of another.

    Args:
        dataset: whose cells to look at.
        one: a variant with retrieval.
        baseline: `own` for its own counterpart, or the key of one for all.
    """
    other = variant(one.without if baseline == "own" else baseline)
    found = answered_cells(other, dataset)
    for cell in answered_cells(one, dataset):
        own = [without for without in found if without.run.path == cell.run.path]
        yield cell, next(iter([*own, *found]), None)
