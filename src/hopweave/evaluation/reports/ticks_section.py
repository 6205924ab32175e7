"""The section of a report on ticks: how many answers have one, how many of them are right, and why the others have none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hopweave.evaluation.reports import blocks
from hopweave.evaluation.reports.costs import group_prefix, named
from hopweave.evaluation.reports.numbers import Style, count, entry, key_of
from hopweave.evaluation.reports.plots import RiskCurve, draw_risk_coverage
from hopweave.evaluation.scoring.results import ReportData, Ticks
from hopweave.show.table import Column, Number, Row, Table, Words, columns, row

PERCENTS = tuple(range(10, 101, 10))
"""The coverages at which the share of right answers is given."""
HOW_TO_READ_A_CURVE = (
    "Each line goes from the most confident answers on the left to all answers on the right; lower is better. Filled "
    "mark: the answers that have a tick."
)


def ticks(data: ReportData) -> blocks.Section | None:
    """Ticks by method and by group, the risk-coverage curve, and why answers have none."""
    made: list[blocks.Block] = [*_figure(data)]
    for facts in data.datasets:
        mine = [one for one in data.ticks if one.dataset == facts.label]
        whole = [one for one in mine if not one.trait]
        if whole:
            made += [blocks.Subtitle(facts.label), _table(whole), *_by_coverage(whole)]
            made += [_by_trait(mine, trait) for trait in dict.fromkeys(one.trait for one in mine if one.trait)]
            made += _reasons(whole)
    return blocks.Section("ticks", "Ticks", tuple(made)) if made else None


def counts_of_ticks(one: Ticks) -> tuple[Number, Number, Number, Number]:
    """Questions, right answers, ticks, and right ones among them."""
    start = ticks_prefix(one)
    return (
        count(f"{start}/questions", one.num_questions),
        count(f"{start}/right", one.num_right),
        count(f"{start}/ticks", one.num_ticks),
        count(f"{start}/ticks_right", one.num_ticks_right),
    )


def shares_of_ticks(one: Ticks) -> tuple[Number, Number]:
    """The share of questions with a tick, and of ticks that are right."""
    start = ticks_prefix(one)
    return Style().number(f"{start}/coverage", one.coverage), Style().number(f"{start}/share_right", one.share_right)


def interval_of_ticks(one: Ticks) -> Words:
    """The interval of the share of ticks that are right; empty if there is none."""
    if one.interval is None:
        return ()
    start = ticks_prefix(one)
    low, high = Style().number(f"{start}/low", one.interval.low), Style().number(f"{start}/high", one.interval.high)
    return "[", low, ", ", high, "]"


def shares_at(one: Ticks) -> tuple[Number, ...]:
    """The share of right answers at each of `PERCENTS`."""
    return tuple(Style().number(f"{ticks_prefix(one)}/at/{percent}", one.right_at(percent)) for percent in PERCENTS)


def curve_of(one: Ticks) -> Iterator[tuple[Number, Number, Number]]:
    """Yields the points of the risk-coverage curve: how many answers, their share of all questions, and the risk."""
    for place, risk in enumerate(one.risks, start=1):
        start = f"{ticks_prefix(one)}/curve/{place}"
        share = place / one.num_questions
        yield (
            count(f"{start}/answers", place),
            Style().number(f"{start}/coverage", share),
            Style().number(f"{start}/risk", risk),
        )


def reasons_of(one: Ticks) -> Iterator[tuple[str, tuple[Number, Number, Number]]]:
    """Yields each reason for which answers have no tick: how many, and how many of them are right and wrong."""
    for reason in one.without:
        start = f"{ticks_prefix(one)}/without/{key_of(reason.why)}"
        yield (
            reason.why,
            (
                count(f"{start}/answers", reason.num_answers),
                count(f"{start}/right", reason.num_right),
                count(f"{start}/wrong", reason.num_wrong),
            ),
        )


def ticks_prefix(one: Ticks) -> str:
    """The prefix of the keys of ticks."""
    start = f"ticks/{key_of(one.dataset, one.method)}"
    return f"{group_prefix(one.trait, one.value)}/{start}" if one.trait else start


def _figure(data: ReportData) -> Iterator[blocks.Figure]:
    panels = [
        (facts.label, [_curve(one) for one in data.ticks if one.dataset == facts.label and one.risks and not one.trait])
        for facts in data.datasets
    ]
    drawn = [panel for panel in panels if panel[1]]
    if drawn:
        drawing = draw_risk_coverage(drawn)
        yield blocks.Figure("risk_coverage.svg", drawing, HOW_TO_READ_A_CURVE)


def _curve(one: Ticks) -> RiskCurve:
    points = tuple((place / one.num_questions, risk) for place, risk in enumerate(one.risks, start=1))
    at = (one.coverage, 1 - one.share_right) if one.coverage is not None and one.share_right is not None else None
    return RiskCurve(one.method, points, at)


def _table(mine: Sequence[Ticks]) -> Table:
    caption = (
        "Coverage is the share of all questions that were asked whose answer has a tick; failed ones have none. The interval "
        "is the exact one of the share of ticks that are right (Clopper-Pearson, 95%)."
    )
    return Table(_heads(), tuple(_row(one) for one in mine), caption=(caption,))


def _heads() -> tuple[Column, ...]:
    return columns(("Method",), ("Questions", "Right", "Ticks", "Ticks right", "Coverage", "Share right", "95% interval"))


def _row(one: Ticks) -> Row:
    return row(one.method, *counts_of_ticks(one), *shares_of_ticks(one), entry(*interval_of_ticks(one)))


def _by_coverage(mine: Sequence[Ticks]) -> Iterator[Table]:
    shown = [one for one in mine if one.risks]
    if shown:
        heads = columns(("Method",), [f"{percent}%" for percent in PERCENTS])
        table = tuple(row(one.method, *shares_at(one)) for one in shown)
        caption = (
            "Right at each coverage: the share of right answers among the most confident ones, as many as that part of all "
            "questions; answers of the same confidence count in the mean of all their orders."
        )
        yield Table(heads, table, caption=(caption,))


def _by_trait(mine: Sequence[Ticks], trait: str) -> Table:
    table: list[Row] = []
    own = [one for one in mine if one.trait == trait]
    for value in dict.fromkeys(one.value for one in own):
        table.append(Row(heading=named(trait, value)))
        table += [_row(one) for one in own if one.value == value]
    return Table(_heads(), tuple(table), caption=(f"The same by {trait}.",))


def _reasons(mine: Sequence[Ticks]) -> Iterator[Table]:
    table: list[Row] = []
    for one in (one for one in mine if one.without):
        table.append(Row(heading=one.method))
        table += [row(why, *numbers) for why, numbers in reasons_of(one)]
    if table:
        yield Table(columns(("The answer has no tick because",), ("Answers", "Right", "Wrong")), tuple(table))
