"""The quality of answers as in the papers' tables: cover-EM, and ROUGE-L where a long answer is asked for; in percent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hopweave.evaluation.reports.analysis_results import MeasuredRow
from hopweave.evaluation.scoring.counted import Counted
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, LoadedRuns

PERCENT = 100
Measure = Callable[[LoadedRuns, AnsweredCell], Counted]
"""A column over a cell."""


def quality(runs: LoadedRuns, cell: AnsweredCell, **options: Any) -> Counted:
    """cover-EM of a cell, or ROUGE-L (as KILT computes it) where its questions ask for long answers.

    Args:
        runs: which hold the scores.
        cell: to score.
        options: of `cover_em`.
    """
    if is_long(cell):
        return runs.scores(cell, "rouge_l", "rouge_l")
    return runs.scores(cell, "cover_em", "cover_em", **options)


def is_long(cell: AnsweredCell) -> bool:
    """Whether the questions of a cell ask for long answers, which are neither right nor wrong."""
    first = next(iter(cell.examples.values()), None)
    return first is not None and first.question.form == "long"


def percent(value: float | None) -> float | None:
    """A share in percent."""
    return None if value is None else PERCENT * value


def share(part: float, whole: int) -> float | None:
    """A share in percent; `None` if there is nothing."""
    return PERCENT * part / whole if whole else None


def mean(values: Sequence[float]) -> float | None:
    """The mean; `None` if there is nothing."""
    return sum(values) / len(values) if values else None


def answered(scores: Mapping[str, Counted], scale: float = PERCENT) -> dict[str, float | None]:
    """For each figure some of whose questions failed, the one over the answered questions alone.

    Args:
        scores: by key of the figure.
        scale: of the figures.
    """
    means = {key: one.mean_answered for key, one in scores.items() if one.failed}
    return {key: None if value is None else scale * value for key, value in means.items()}


def with_counts(row: MeasuredRow, *all_scores: Counted) -> MeasuredRow:
    """The row with the number of questions behind it, and of those that failed, have no data, and could not be scored."""
    return replace(
        row,
        num=sum(len(one.values) for one in all_scores),
        num_failed=sum(len(one.failed) for one in all_scores),
        num_no_data=sum(len(one.no_data) for one in all_scores),
        num_unscored=sum(len(one.unscored) for one in all_scores),
    )


@dataclass(frozen=True, slots=True)
class Paired:
    """The scores of a cell with retrieval and of one without, on the questions that both were scored on.

    Attributes:
        cells: of the method with retrieval, and of the one without.
        with_scores: on the common questions; `without_scores` likewise.
        counts: of the common questions; of those among them that failed, and so are wrong, in either; and of the
            questions that only one of them has, that could not be scored, or that the measure does not apply to.
    """

    cells: tuple[AnsweredCell, AnsweredCell]
    with_scores: Counted
    without_scores: Counted
    counts: tuple[int, int, int]

    @property
    def num(self) -> int:
        """The number of common questions."""
        return self.counts[0]


def paired(runs: LoadedRuns, with_cell: AnsweredCell, without_cell: AnsweredCell, measure: Measure = quality) -> Paired:
    """The two on their common questions, by a measure of cells."""
    first, second = measure(runs, with_cell), measure(runs, without_cell)
    common = first.values.keys() & second.values.keys()
    failed = common & (first.failed | second.failed)
    every = {key for one in (first, second) for key in (*one.values, *one.no_data, *one.unscored)}
    counts = len(common), len(failed), len(every) - len(common)
    return Paired((with_cell, without_cell), first.among(common), second.among(common), counts)


def gain_row(labels: tuple[str, ...], keys: tuple[str, str], both: Paired, **more: Any) -> MeasuredRow:
    """A row with both means in percent and the `gain` from the first to the second.

    Args:
        labels: of the row.
        keys: of the figures without and with retrieval.
        both: the two.
        more: other attributes of the row.
    """
    scores = dict(zip(keys, (both.without_scores, both.with_scores), strict=True))
    values = {key: percent(one.mean) for key, one in scores.items()}
    without, with_it = values.values()
    values["gain"] = None if without is None or with_it is None else with_it - without
    return MeasuredRow(labels, values, *both.counts, answered=answered(scores), **more)
