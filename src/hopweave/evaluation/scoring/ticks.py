"""Ticks by cell and by group: how many there are, how many are right, and why the other answers have none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from hopweave.citations.shortfalls import IN_WORDS, shortfall_of
from hopweave.evaluation.metrics._reliability import selective_risks
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.scoring.results import Group, Ticks, WithoutTick
from hopweave.evaluation.scoring.score import Score, became
from hopweave.evaluation.scoring.statistics import share_interval
from hopweave.record import Record

METRIC = "risk_coverage"
"""The metric whose values are counted here."""


def why_no_tick(record: Record) -> str:
    """Why an answer has no tick, in words; empty if it has one, or if the question failed."""
    answer = record.answer
    if answer is None or answer.verdict.has_tick:
        return ""
    if answer.verdict.support == "supported":
        if answer.verdict.is_likely:
            return "read once more, the facts gave another answer"
        return "its confidence is below the threshold"
    match became(record):
        case "abstained":
            return "it says that the answer is not known"
        case "unparsed":
            return "no answer could be read from the reply"
        case _:
            shortfall = shortfall_of(answer)
            return IN_WORDS[shortfall] if shortfall else "no claim states it"


def ticks_of(
    run: RunFolder, scores: Iterable[Score], why: Mapping[tuple[str, str], Mapping[str, str]], groups: Sequence[Group]
) -> Iterator[Ticks]:
    """Yields the ticks of each cell, followed by those of each of its groups.

    Args:
        run: whose records were scored.
        scores: of all metrics; those of others than `METRIC` are ignored.
        why: `why_no_tick` of each record by dataset and method, and then by question.
        groups: what the cells were grouped by.
    """
    rows: dict[tuple[str, str], list[Score]] = {}
    for score in scores:
        if score.metric == METRIC and score.error is None:
            rows.setdefault((score.dataset, score.method), []).append(score)
    traits = {
        dataset: {example.question.id: example.traits for example in run.examples(dataset)} for dataset in run.plan.datasets
    }
    for (dataset, method), mine in rows.items():
        yield _ticks(mine, why[dataset, method])
        own = [group for group in groups if (group.cell.dataset, group.cell.method) == (dataset, method)]
        for group in own:
            among = [score for score in mine if traits[dataset][score.question].get(group.trait, "") == group.value]
            if among:
                yield _ticks(among, why[dataset, method], group.trait, group.value)


def _ticks(rows: Sequence[Score], why: Mapping[str, str], trait: str = "", value: str | int = "") -> Ticks:
    values = {row.question: row.values for row in rows if row.values is not None}
    with_tick = [one for one in values.values() if one["tick"]]
    num_right, num_wrong = _right_and_wrong(with_tick)
    reasons: dict[str, list[Mapping[str, float]]] = {}
    for question, one in values.items():
        if not one["tick"]:
            reasons.setdefault(why[question], []).append(one)
    without = [WithoutTick(reason, len(those), *_right_and_wrong(those)) for reason, those in reasons.items()]
    confident = [
        (one["answer_confidence"], one["answer_right"] > 0)
        for one in values.values()
        if "answer_confidence" in one and "answer_right" in one
    ]
    return Ticks(
        rows[0].dataset,
        rows[0].method,
        trait,
        value,
        num_questions=len(rows),
        num_right=_right_and_wrong(values.values())[0],
        num_ticks=len(with_tick),
        num_ticks_right=num_right,
        num_ticks_wrong=num_wrong,
        interval=share_interval(num_right, num_right + num_wrong),
        risks=tuple(selective_risks(confident)),
        without=tuple(sorted(without, key=lambda one: (-one.num_answers, one.why))),
    )


def _right_and_wrong(values: Iterable[Mapping[str, float]]) -> tuple[int, int]:
    known = [one["answer_right"] > 0 for one in values if "answer_right" in one]
    return known.count(True), known.count(False)
