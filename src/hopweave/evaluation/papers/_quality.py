"""How good answers are, as the papers' tables have it: cover-EM, and ROUGE-L where a long answer is asked for; in percent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
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
        runs: which keep the scores.
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


def mean_row(labels: tuple[str, ...], key: str, scores: Counted | None, **more: Any) -> MeasuredRow:
    """A row with the mean of scores in percent, failed questions as wrong, and what was left out of it."""
    if scores is None:
        return MeasuredRow(labels, {key: None}, **more)
    bounds = scores.bounds
    shown: Mapping[str, tuple[float, float]] = (
        {} if bounds is None or not scores.values else {key: (PERCENT * bounds[0], PERCENT * bounds[1])}
    )
    row = MeasuredRow(labels, {key: percent(scores.mean)}, answered=answered({key: scores}), bounds=shown, **more)
    return with_counts(row, scores)


def answered(scores: Mapping[str, Counted], scale: float = PERCENT) -> dict[str, float | None]:
    """For each figure some of whose questions failed, the one over the answered questions alone.

    Args:
        scores: by key of the figure.
        scale: of the figures.
    """
    means = {key: one.mean_answered for key, one in scores.items() if one.failed}
    return {key: None if value is None else scale * value for key, value in means.items()}


def with_counts(row: MeasuredRow, *all_scores: Counted) -> MeasuredRow:
    """The row with how many questions count, failed ones among them, have no data, and could not be scored."""
    return replace(
        row,
        num=sum(len(one.values) for one in all_scores),
        num_failed=sum(len(one.failed) for one in all_scores),
        num_no_data=sum(len(one.no_data) for one in all_scores),
        num_unscored=sum(len(one.unscored) for one in all_scores),
    )


def problems(*all_scores: Counted | None) -> tuple[str, ...]:
    """What scoring met, each once."""
    return tuple(dict.fromkeys(line for scores in all_scores if scores is not None for line in scores.problems))


def share(part: int, whole: int) -> float | None:
    """A share in percent; `None` of nothing."""
    return PERCENT * part / whole if whole else None


def mean(values: Sequence[float]) -> float | None:
    """The mean; `None` of nothing."""
    return sum(values) / len(values) if values else None
