"""The tables that `hopweave score` makes of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.scoring.results import Cell
from hopweave.evaluation.scoring.score import OpenMetric, open_metrics, score_run, write_scores
from hopweave.evaluation.scoring.summary import Summary, summarize


def summary_of(
    run: RunFolder,
    metrics: Sequence[OpenMetric | str] = (),
    options: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    by: Sequence[str] = (),
    is_kept: bool = False,
) -> Summary:
    """The tables of a run.

    Args:
        run: with records.
        metrics: in use, or all by name; none takes those that `hopweave score` takes.
        options: of metrics by name.
        by: traits to group by.
        is_kept: writes scores and tables into the run.
    """
    opened, left_out = [one for one in metrics if isinstance(one, OpenMetric)], {}
    if not opened:
        opened, left_out = open_metrics([str(one) for one in metrics], options)
    scores = score_run(run, opened)
    summary = summarize(run, scores, opened, left_out=left_out, by=by)
    if is_kept:
        write_scores(run, scores)
        summary.write(run)
    return summary


def cell_of(run: RunFolder, metrics: Sequence[OpenMetric | str], method: str = "a") -> Cell:
    """The first cell of a method."""
    return next(cell for cell in summary_of(run, metrics).cells if cell.method == method)
