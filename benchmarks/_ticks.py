"""How many answers have a tick, and how many of those are right, with exact intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hopweave.core.types import Example
from hopweave.evaluation.metrics.cover_em import CoverEM
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.scoring.statistics import share_interval
from hopweave.record import Record
from hopweave.show.table import NO_DATA

HEADS = ("questions", "right", "ticks", "coverage % (95% interval)", "ticks right", "% (95% interval)")
NOTE = "right: cover-EM; a failed question counts as wrong. coverage: the share of questions with a tick. Intervals are exact."

_UNANSWERABLE = "unanswerable"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a question.

    Attributes:
        dataset: its dataset.
        is_right: whether its answer is right, by cover-EM.
        has_tick: whether it is shown as supported, and as likely enough where that was estimated.
        is_answerable: whether the corpus states its answer; by its type.
    """

    dataset: str
    is_right: bool
    has_tick: bool
    is_answerable: bool = True


def outcome(dataset: str, record: Record, example: Example) -> Outcome:
    """What became of a question of a dataset, by its record."""
    is_right = CoverEM().score(record, example).get("cover_em", 0.0) > 0
    has_tick = record.answer is not None and record.answer.verdict.has_tick
    return Outcome(dataset, is_right, has_tick, example.traits.get("type") != _UNANSWERABLE)


def answered(run: RunFolder) -> Iterator[tuple[str, Record, Example]]:
    """Yields the records of a run of one method, each with its dataset and example."""
    (label,) = run.plan.methods
    for dataset in run.plan.datasets:
        examples = {example.question.id: example for example in run.examples(dataset)}
        for record in run.records(dataset, label):
            yield dataset, record, examples[record.question.id]


def parts(outcomes: Sequence[Outcome]) -> Iterator[tuple[str, list[Outcome]]]:
    """Yields the outcomes of each dataset, of all, and of those that have no answer if there are any, each with its name."""
    datasets = list(dict.fromkeys(one.dataset for one in outcomes))
    for dataset in datasets:
        yield dataset, [one for one in outcomes if one.dataset == dataset]
    if len(datasets) > 1:
        yield "all", list(outcomes)
    without = [one for one in outcomes if not one.is_answerable]
    if without:
        yield "answerable ones", [one for one in outcomes if one.is_answerable]
        yield "unanswerable ones", without


def cells(outcomes: Sequence[Outcome]) -> list[str]:
    """The cells under `HEADS`."""
    ticked = [one for one in outcomes if one.has_tick]
    num_right = sum(one.is_right for one in ticked)
    right = str(sum(one.is_right for one in outcomes))
    return [
        *(str(len(outcomes)), right, str(len(ticked)), _share(len(ticked), len(outcomes))),
        *(str(num_right), _share(num_right, len(ticked))),
    ]


def _share(num: int, of: int) -> str:
    ends = share_interval(num, of)
    return NO_DATA if ends is None else f"{100 * num / of:.1f} ({100 * ends.low:.1f} to {100 * ends.high:.1f})"
