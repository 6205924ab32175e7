"""The sections of a report that break the means down by type, hop and level, and those on cost and on quality against cost."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from hopweave.evaluation.reports import blocks
from hopweave.evaluation.reports.numbers import MeanNumbers, Style, count, entry, is_share, key_of, style_for
from hopweave.evaluation.reports.plots import draw_dots, draw_frontier
from hopweave.evaluation.reports.results_section import (
    COUNTED,
    HOW_TO_READ,
    NOTHING,
    mean_numbers,
    mean_panel,
    mean_row,
    side_by_side,
    unscored_note,
)
from hopweave.evaluation.scoring.frontier import MAX_FAILED_SHARE, MIN_SUPPORT
from hopweave.evaluation.scoring.results import Cell, Frontier, Group, Mean, Point, ReportData
from hopweave.show.table import Row, Table, TableCell, Words, columns, row

HOW_TO_READ_A_FRONTIER = (
    f"Filled: no other method is as good for less, in at least {MIN_SUPPORT:.0%} of paired draws of the questions (support). "
    f"The line joins these. Upright lines: 95% intervals. A method that failed on more than one question, and more than "
    f"{MAX_FAILED_SHARE:.0%} of them, is on no frontier: what it did not spend on them would make it look cheap."
)
_MAX_GROUPS_DRAWN = 9
_OFTEN_EMPTY = ("thinking_tokens", "estimated_tokens", "offline_llm_calls", "offline_tokens", "offline_cost")


def groups(data: ReportData) -> blocks.Section | None:
    """The primary means by each trait of the questions."""
    made: list[blocks.Block] = []
    for facts in data.datasets:
        column = data.primary.get(facts.label)
        for trait in dict.fromkeys(group.trait for group in data.groups if group.cell.dataset == facts.label):
            mine = [group for group in data.groups if (group.cell.dataset, group.trait) == (facts.label, trait)]
            if column is not None:
                made += [blocks.Subtitle(f"{facts.label} by {trait}"), *_group_blocks(data, mine, trait, column)]
    return blocks.Section("groups", "By type, hop and level", tuple(made)) if made else None


def _group_blocks(data: ReportData, mine: Sequence[Group], trait: str, column: str) -> Iterator[blocks.Block]:
    values = sorted(dict.fromkeys(group.value for group in mine), key=_in_order)
    if len(values) == 1:
        yield blocks.Paragraph((f"All questions have the same: {named(trait, values[0])}.",))
        return
    methods = [method.label for method in data.methods]
    found = {(group.value, group.cell.method): group.cell for group in mine}
    if len(values) <= _MAX_GROUPS_DRAWN:
        panels = [
            mean_panel(named(trait, value), [found.get((value, method)) for method in methods], column) for value in values
        ]
        axis = data.columns[column].column.meaning
        drawing = draw_dots(f"Means by {trait} with their intervals", methods, panels, axis)
        name = f"groups-{_file_part(mine[0].cell.dataset)}-{_file_part(trait)}.svg"
        yield blocks.Figure(name, drawing, f"{column} by {trait}. {HOW_TO_READ}")
    table = []
    for value in values:
        table.append(Row(heading=named(trait, value)))
        prefix = group_prefix(trait, value)
        for cell in (cell for method in methods if (cell := found.get((value, method)))):
            drawn = count(f"{prefix}/{key_of(cell.dataset, cell.method)}/questions", cell.num_questions)
            table.append(mean_row(cell, column, Style(3, is_share(data.columns[column].column)), prefix, (drawn,)))
    heads = columns(("Method",), ("Mean", "95% interval", "Answered only", "In the group", *COUNTED))
    yield Table(heads, tuple(table), caption=(f"{column} by {trait}; every other column is in groups.csv.",))


def named(trait: str, value: str | int) -> str:
    """The name of a group."""
    return f"{trait} {value}" if value != "" else f"{trait} not stated"


def group_prefix(trait: str, value: str | int) -> str:
    """The prefix of the keys of a group."""
    return f"group/{key_of(trait, value)}"


def _in_order(value: str | int) -> tuple[bool, float, str]:
    """Numbers first and by size, then words."""
    return (isinstance(value, str), 0.0 if isinstance(value, str) else value, str(value))


def _file_part(label: str) -> str:
    """A label as part of a file's name, so that no two are alike."""
    said = "".join(sign if sign.isascii() and (sign.isalnum() or sign in "-_.") else f"~{ord(sign):x}" for sign in label)
    return said if len(said) <= 60 else f"{said[:50]}~{hashlib.sha256(label.encode()).hexdigest()[:8]}"


def costs(data: ReportData) -> blocks.Section | None:
    """The spending per question, including failed ones."""
    spent = [name for name, column in data.columns.items() if column.is_cost]
    made: list[blocks.Block] = []
    for facts in data.datasets:
        cells = data.cells_of(facts.label)
        shown = [name for name in spent if _is_shown(name, cells)]
        if cells and shown:
            made += [blocks.Subtitle(facts.label), *_cost_tables(data, cells, shown)]
            made += [*_offline(data, facts.label), *_estimated(cells)]
    if not made:
        return None
    printed = [name for name in spent if _is_shown(name, data.cells)]
    meanings = blocks.Facts(tuple((name, data.columns[name].column.meaning) for name in printed))
    caveat = [blocks.Paragraph((data.caveat_of_seconds,), is_warning=True)] if _has_seconds(data, printed) else []
    return blocks.Section("cost", "Cost", (*caveat, *made, blocks.Subtitle("What the columns count"), meanings))


def _is_shown(name: str, cells: Sequence[Cell]) -> bool:
    """Whether a column is shown: those that few methods have only if there is something in them."""
    means = [cell.means[name].value for cell in cells if name in cell.means]
    return any(means) if name in _OFTEN_EMPTY else bool(means)


def _has_seconds(data: ReportData, names: Sequence[str]) -> bool:
    return bool(data.caveat_of_seconds) and any(data.columns[name].column.unit == "seconds" for name in names)


def _offline(data: ReportData, dataset: str) -> Iterator[blocks.Paragraph]:
    for one in data.offline:
        if one.dataset == dataset:
            start = f"offline/{key_of(dataset, one.method)}"
            yield blocks.Paragraph(
                (
                    f"{one.method} did once, for all its questions: ",
                    count(f"{start}/llm_calls", one.num_calls),
                    " calls of the model, ",
                    count(f"{start}/tokens", one.num_tokens),
                    " tokens. They are in no mean but those of the columns that say offline.",
                )
            )


def _estimated(cells: Sequence[Cell]) -> Iterator[blocks.Paragraph]:
    """The share of the tokens that no endpoint counted."""
    for cell in cells:
        guessed, total = (cell.means.get(name, NOTHING).value for name in ("estimated_tokens", "total_tokens"))
        if guessed and total:
            share = Style(1).number(f"estimated/{key_of(cell.dataset, cell.method)}", 100.0 * guessed / total)
            yield blocks.Paragraph(
                (f"Of the tokens of {cell.method}, ", share, "% are estimated, since no endpoint counted them.")
            )


def _cost_tables(data: ReportData, cells: Sequence[Cell], shown: Sequence[str]) -> list[Table]:
    styles = {
        name: style_for(data.columns[name].column, [cell.means.get(name, NOTHING).value for cell in cells]) for name in shown
    }
    units = {name: data.columns[name].column.unit for name in shown}
    names = {name: f"{name}, {unit}" for name, unit in units.items() if unit and unit not in name}
    caption = "Means a question, failed ones included, with 95% intervals; n where some of them have no data."
    return list(
        side_by_side(
            cells, ("Records",), _records, shown, lambda cell, name: _cost_entry(cell, name, styles[name]), caption, names
        )
    )


def _records(cell: Cell) -> tuple[TableCell, ...]:
    start = key_of(cell.dataset, cell.method)
    failed: Words = (count(f"{start}/failed", cell.num_failed), " failed") if cell.num_failed else ()
    return (entry(count(f"{start}/records", cell.num_records), below=failed),)


def _cost_entry(cell: Cell, name: str, style: Style) -> TableCell:
    numbers = mean_numbers(cell, name, style)
    lines = [numbers.told_interval or unscored_note(numbers)]
    if numbers.mean.value is not None and numbers.mean.num_scored < cell.num_records:
        lines.append(("n ", numbers.scored))
    return TableCell((numbers.value,), tuple(lines))


def frontiers(data: ReportData) -> blocks.Section | None:
    """Quality against each cost."""
    made: list[blocks.Block] = []
    for facts in data.datasets:
        mine = [frontier for frontier in data.frontiers if frontier.dataset == facts.label]
        drawn = tuple(_frontier_figure(data, frontier) for frontier in mine if frontier.points)
        if mine:
            made.append(blocks.Subtitle(facts.label))
        if drawn:
            made.append(blocks.Figures(drawn, HOW_TO_READ_A_FRONTIER))
            made.append(_frontier_table(mine))
        absent = [f"No data for {one.quality} against {one.cost}: {', '.join(one.absent)}." for one in mine if one.absent]
        made += [blocks.Paragraph((words,)) for words in absent]
    if made and _has_seconds(data, [name for cell in data.cells for name in cell.means]):
        made.append(blocks.Paragraph((f"Nothing is drawn against seconds. {data.caveat_of_seconds}",)))
    return blocks.Section("frontier", "Quality against cost", tuple(made)) if made else None


def _frontier_figure(data: ReportData, frontier: Frontier) -> blocks.Figure:
    unit = data.columns[frontier.cost].column.unit
    axis = f"{frontier.cost} a question" + (f", {unit}" if unit and unit not in frontier.cost else "")
    title = f"{frontier.quality} against {frontier.cost} on {frontier.dataset}"
    name = "-".join(_file_part(part) for part in ("frontier", frontier.dataset, frontier.cost)) + ".svg"
    drawing = draw_frontier(title, frontier, frontier.quality, axis)
    return blocks.Figure(name, drawing, f"{frontier.quality} against {frontier.cost}.")


def _frontier_table(mine: Sequence[Frontier]) -> Table:
    table = []
    for frontier in (frontier for frontier in mine if frontier.points):
        table.append(Row(heading=f"{frontier.quality} against {frontier.cost}"))
        greatest = max(abs(point.cost) for point in frontier.points)
        style = Style(0 if greatest >= 100 else 2 if greatest >= 1 else 5)
        ordered = sorted(frontier.points, key=lambda point: (point.cost, -point.quality, point.method))
        table += [_point_row(frontier, point, style) for point in ordered]
    numbers = ("Cost", "Quality", "95% interval", "Support")
    return Table(columns(("Method",), numbers, ("On the frontier",)), tuple(table))


def _point_row(frontier: Frontier, point: Point, style: Style) -> Row:
    start = f"frontier/{key_of(frontier.dataset, frontier.quality, frontier.cost, point.method)}"
    mean = MeanNumbers(start, Mean(point.quality, 0, interval=point.interval))
    return row(
        point.method,
        style.number(f"{start}/cost", point.cost),
        mean.value,
        entry(*mean.interval),
        Style(3).number(f"{start}/support", point.support) if point.support is not None else entry(),
        membership(point),
    )


def membership(point: Point) -> str:
    """Whether a method is on the frontier, as far as that is decided."""
    if point.why_off:
        return f"no: {point.why_off}"
    if point.is_best or not point.support:
        return "yes" if point.is_best else "no"
    return "no" if point.support <= 1 - MIN_SUPPORT else "not settled"
