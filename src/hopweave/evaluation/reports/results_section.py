"""The sections of a report that say how good the answers are: results, and the comparison with the baseline."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from hopweave.evaluation.reports import blocks
from hopweave.evaluation.reports.numbers import (
    MAX_WIDTH,
    MIN_QUESTIONS,
    TOO_FEW,
    MeanNumbers,
    Style,
    count,
    entry,
    key_of,
    style_for,
)
from hopweave.evaluation.reports.plots import Dot, Panel, draw_dots
from hopweave.evaluation.scoring.results import Cell, Comparison, Mean, OverSeeds, ReportData, ReportedComparisons
from hopweave.show.table import Number, Row, Table, TableCell, Words, columns, row

NOTHING = Mean(None, 0)
HOW_TO_READ = (
    "Dot: mean, failed questions as wrong. Line: 95% interval. "
    "Upright strokes: if all that failed were wrong, and if all were right."
)
COUNTED = ("Questions", "Failed", "Unscored", "No data", "Unparsed", "Abstained")
"""Heads of the counts of a mean."""
_SIGNIFICANT = 0.05
_MAX_COLUMNS = 7


def results(data: ReportData) -> blocks.Section:
    """Means of the answer metrics: a table for each dataset, followed by each mean with everything left out of it."""
    quality = [name for name, column in data.columns.items() if not column.is_cost]
    made: list[blocks.Block] = [*_overview(data)]
    for dataset in (facts.label for facts in data.datasets):
        made.append(blocks.Subtitle(dataset))
        cells = data.cells_of(dataset)
        first = data.primary.get(dataset)
        known = [name for name in sorted(quality, key=lambda name: name != first) if any(name in cell.means for cell in cells)]
        shown = [name for name in known if any(cell.means.get(name, NOTHING).value is not None for cell in cells)]
        if shown:
            made += _matrix(data, cells, shown)
        if known:
            made.append(_every_mean(data, cells, known))
        if len(shown) < len(known) or not known:
            made.append(
                blocks.Paragraph(
                    (f"No data for any method: {', '.join(name for name in known if name not in shown) or dataset}.",)
                )
            )
    made += [*_over_datasets(data), *_over_seeds(data)]
    made += [blocks.Paragraph((note,)) for note in data.notes]
    return blocks.Section("results", "Results", tuple(made))


def _over_datasets(data: ReportData) -> Iterator[blocks.Block]:
    if not data.macro:
        return
    yield blocks.Subtitle("Over all datasets")
    table = []
    for one in data.macro:
        numbers = MeanNumbers(f"macro/{key_of(one.method)}", Mean(one.value, len(one.datasets), interval=one.interval))
        lacking = f"no data on {', '.join(one.missing)}" if one.missing else ""
        table.append(row(one.method, numbers.value, entry(*numbers.interval), entry(lacking)))
    first = data.macro[0]
    over = ", ".join(f"{column} on {dataset}" for dataset, column in zip(first.datasets, first.columns, strict=True))
    caption = f"The unweighted mean of the means: {over}. The interval is of a bootstrap within each dataset."
    yield Table(columns(("Method",), ("Macro mean", "95% interval"), ("Missing",)), tuple(table), caption=(caption,))


def _over_seeds(data: ReportData) -> Iterator[blocks.Block]:
    if not data.seeds:
        return
    yield blocks.Subtitle("Over seeds")
    table = []
    for one in data.seeds:
        seeds = ", ".join(map(str, one.seeds))
        table.append(Row(heading=f"{one.method} on {one.dataset}, seeds {seeds}"))
        shown = [name for name in data.columns if name in one.spreads]
        table += [_spread_row(data, one, name) for name in shown]
    caption = (
        "A method that samples is run under several seeds, each a row of the tables above. Here are the mean over the seeds "
        "and their standard deviation; comparisons and frontiers take its mean over the seeds, question by question."
    )
    heads = columns(("Column",), ("Mean over seeds", "Standard deviation", "Lowest", "Highest", "Seeds"))
    yield Table(heads, tuple(table), caption=(caption,))


def _spread_row(data: ReportData, one: OverSeeds, name: str) -> Row:
    of, start = one.spreads[name], f"seeds/{key_of(one.dataset, one.method, name)}"
    style = style_for(data.columns[name].column, (of.highest,))
    values = {"mean": of.mean, "standard_deviation": of.standard_deviation, "lowest": of.lowest, "highest": of.highest}
    numbers = [style.number(f"{start}/{key}", value) for key, value in values.items()]
    return row(name, *numbers, count(f"{start}/seeds", of.num_seeds))


def _matrix(data: ReportData, cells: Sequence[Cell], shown: Sequence[str]) -> list[Table]:
    counts = ("Records", "Failed", "Unparsed", "Abstained")
    caption = (
        "Means over all questions that were asked, failed ones as wrong, with 95% intervals and the number n of the questions; "
        "'answered' is the mean over those that did not fail. Where an interval would say next to nothing "
        f"(fewer than {MIN_QUESTIONS} questions, or wider than {MAX_WIDTH} for a share), it says '{TOO_FEW}'; "
        "results.csv has every interval."
    )
    return list(
        side_by_side(
            cells, counts, _counts, shown, lambda cell, name: _mean_entry(cell, name, _style(data, cells, name)), caption
        )
    )


def _counts(cell: Cell) -> tuple[TableCell, ...]:
    start = key_of(cell.dataset, cell.method)
    both = count(f"{start}/records", cell.num_records), count(f"{start}/failed", cell.num_failed)
    return tuple(map(entry, (*both, *odd_counts(cell))))


def side_by_side(
    cells: Sequence[Cell],
    counts: tuple[str, ...],
    count_entries: Callable[[Cell], tuple[TableCell, ...]],
    names: Sequence[str],
    mean_entry: Callable[[Cell, str], TableCell],
    caption: str,
    shown_as: Mapping[str, str] | None = None,
) -> Iterator[Table]:
    """Yields tables with a row per cell: the counts and the first columns, then the other columns, as many as fit on a page.

    Args:
        cells: a row each.
        counts: heads of the counts.
        count_entries: gives the counts of a cell.
        names: of all columns.
        mean_entry: returns the entry of a column of a cell.
        caption: of the last table.
        shown_as: the names under which columns are printed, if different.
    """
    rest = list(names)
    while rest or counts:
        taken, rest = rest[: _MAX_COLUMNS - len(counts)], rest[_MAX_COLUMNS - len(counts) :]
        table = []
        for cell in cells:
            before = count_entries(cell) if counts else ()
            table.append(row(cell.method, *before, *(mean_entry(cell, name) for name in taken)))
        heads = columns(("Method",), (*counts, *((shown_as or {}).get(name, name) for name in taken)))
        yield Table(heads, tuple(table), caption=() if rest else (caption,))
        counts = ()


def _mean_entry(cell: Cell, name: str, style: Style) -> TableCell:
    numbers = mean_numbers(cell, name, style)
    if numbers.mean.value is None:
        return entry(numbers.value, below=unscored_note(numbers))
    answered: tuple[Words, ...] = (("answered ", numbers.answered),) if numbers.mean.num_failed else ()
    return TableCell((numbers.value,), (numbers.told_interval, ("n ", numbers.scored), *answered))


def unscored_note(numbers: MeanNumbers) -> Words:
    """How many could not be scored; nothing if all could."""
    return (numbers.unscored, " unscored") if numbers.mean.num_unscored else ()


def _every_mean(data: ReportData, cells: Sequence[Cell], shown: Sequence[str]) -> Table:
    table: list[Row] = []
    for name in shown:
        column = data.columns[name].column
        table.append(Row(heading=f"{name}: {column.meaning}{f' ({column.better} is better)' if column.better else ''}"))
        table += [mean_row(cell, name, _style(data, cells, name)) for cell in cells]
    heads = columns(("Method",), ("Mean", "95% interval", "Answered only", "If failed", *COUNTED))
    caption = (
        "The mean is over 'questions', of which those that 'failed' count as wrong; 'answered only' is the mean over the "
        "others. 'Unscored' counts the records that the metric broke on, 'no data' those that the column does not apply to. "
        "'If failed' gives the mean if all that failed or are unscored were the worst, and if all were the best that can be."
    )
    title = "Every mean with its bounds and all that was left out of it"
    return Table(heads, tuple(table), title, (caption,), is_folded=True)


def _style(data: ReportData, cells: Sequence[Cell], name: str) -> Style:
    return style_for(data.columns[name].column, (cell.means.get(name, NOTHING).value for cell in cells))


def _overview(data: ReportData) -> Iterator[blocks.Block]:
    shown = [facts.label for facts in data.datasets if facts.label in data.primary]
    if not shown:
        return
    methods = [method.label for method in data.methods]
    panels = []
    for dataset in shown:
        cells, column = [data.cell(dataset, method) for method in methods], data.primary[dataset]
        panels.append(mean_panel(f"{dataset}, {column}", cells, column))
    title = "Means of all methods with their intervals"
    axis = "; ".join(dict.fromkeys(data.columns[data.primary[dataset]].column.meaning for dataset in shown))
    yield blocks.Figure("results.svg", draw_dots(title, methods, panels, axis), HOW_TO_READ)


def mean_panel(title: str, cells: Sequence[Cell | None], column: str) -> Panel:
    """The means of cells in a column; a missing cell has no data."""
    style, means = Style(3), [cell.means.get(column, NOTHING) if cell else NOTHING for cell in cells]
    return Panel(title, tuple(Dot(mean.value, style.text(mean.value), mean.interval, mean.bounds) for mean in means))


def mean_row(cell: Cell, name: str, style: Style, prefix: str = "", more: Sequence[Number] = ()) -> Row:
    """A mean with its interval, bounds and counts; `more` goes between the means and the counts."""
    numbers = mean_numbers(cell, name, style, prefix)
    answered = entry(numbers.answered) if numbers.mean.num_failed else entry()
    bounds = () if prefix else (entry(*numbers.bounds),)
    means = (numbers.value, entry(*numbers.told_interval), answered, *bounds)
    return row(cell.method, *means, *more, *counts_of(numbers), *odd_counts(cell, prefix))


def counts_of(numbers: MeanNumbers) -> tuple[Number, ...]:
    """The counts of a mean."""
    return numbers.scored, numbers.failed, numbers.unscored, numbers.no_data


def mean_numbers(cell: Cell, column: str, style: Style, prefix: str = "") -> MeanNumbers:
    """The numbers of a mean under the keys of its cell."""
    start = key_of(cell.dataset, cell.method, column)
    return MeanNumbers(f"{prefix}/{start}" if prefix else start, cell.means.get(column, NOTHING), style)


def odd_counts(cell: Cell, prefix: str = "") -> tuple[Number, Number]:
    """How many records of a cell were unparsed, and how many abstained."""
    start = key_of(cell.dataset, cell.method)
    start = f"{prefix}/{start}" if prefix else start
    return count(f"{start}/unparsed", cell.num_unparsed), count(f"{start}/abstained", cell.num_abstained)


def comparison(data: ReportData) -> blocks.Section | None:
    """Each method against the baseline."""
    if not data.comparisons:
        return None
    made: list[blocks.Block] = []
    main = [table for table in data.comparisons if table.is_primary]
    if main:
        made.append(_comparison_figure(main))
    for dataset in (facts.label for facts in data.datasets):
        mine = [table for table in data.comparisons if table.dataset == dataset]
        if mine:
            made += [blocks.Subtitle(dataset), _comparison_table(mine)]
    caption = (
        "Differences are over the questions that count for both methods, failed ones as wrong; 'failed' counts the pairs in "
        "which one of the two failed, 'answered only' is the difference over the others, and 'if failed' gives the difference "
        "if all that failed were wrong for one of the two and right for the other; 'left out' counts the other questions. p is "
        "corrected by Holm's method over the methods of a table. 'Detectable' is the least difference that so many "
        "questions would show with a power of 80%."
    )
    made.append(
        blocks.Paragraph((" ".join(dict.fromkeys([caption, *(table.how for table in data.comparisons if table.how)])),))
    )
    return blocks.Section("comparison", "Comparison", tuple(made))


def _comparison_figure(main: Sequence[ReportedComparisons]) -> blocks.Figure:
    methods = list(dict.fromkeys(one.method for table in main for one in table.rows))
    panels = []
    for table in main:
        found = {one.method: one for one in table.rows}
        panels.append(Panel(f"{table.dataset}, {table.name}", tuple(_difference_dot(found.get(method)) for method in methods)))
    against = ", ".join(dict.fromkeys(table.baseline for table in main))
    title = "Differences to the baseline with their intervals"
    drawing = draw_dots(title, methods, panels, f"difference to {against}", has_zero_line=True)
    caption = "Line: 95% interval of the paired difference. Filled: Holm-corrected p below 0.05; hollow: it may be chance."
    return blocks.Figure("comparison.svg", drawing, caption)


def _difference_dot(one: Comparison | None) -> Dot:
    if one is None or one.difference is None:
        return Dot(None)
    is_filled = one.p_holm is not None and one.p_holm < _SIGNIFICANT
    return Dot(one.difference, Style(3).text(one.difference, is_signed=True), one.interval, is_filled=is_filled)


def _comparison_table(mine: Sequence[ReportedComparisons]) -> Table:
    lines: list[Row] = []
    for one in mine:
        lines.append(Row(heading=f"{one.name}, difference to {one.baseline}"))
        lines += [_comparison_row(one, compared) for compared in one.rows]
    numbers = ("Difference", "95% interval", "Answered only", "If failed", "p, Holm", "p", "Detectable", "Pairs", "Failed")
    return Table(columns(("Method",), (*numbers, "Left out"), ("Test", "Says")), tuple(lines))


def comparison_prefix(table: ReportedComparisons, one: Comparison) -> str:
    """The prefix of the keys of a comparison."""
    return f"compare/{key_of(table.dataset, table.name, table.baseline, one.method)}"


def _comparison_row(table: ReportedComparisons, one: Comparison) -> Row:
    start, style = comparison_prefix(table, one), Style(3)
    numbers = MeanNumbers(start, Mean(one.difference, one.num_pairs, interval=one.interval, bounds=one.bounds), style)
    answered = entry(style.number(f"{start}/answered", one.difference_answered, is_signed=True)) if one.num_failed else entry()
    return row(
        one.method,
        style.number(f"{start}/difference", one.difference, is_signed=True),
        entry(*numbers.interval),
        answered,
        entry(*numbers.bounds),
        _p(f"{start}/p_holm", one.p_holm),
        _p(f"{start}/p", one.p),
        style.number(f"{start}/minimum_detectable", one.minimum_detectable),
        count(f"{start}/pairs", one.num_pairs),
        count(f"{start}/failed", one.num_failed),
        count(f"{start}/left_out", one.num_left_out),
        entry(one.test),
        entry(one.says),
    )


def _p(key: str, p: float | None) -> Number:
    return Number(key, p, "< 0.001" if p is not None and p < 0.001 else Style(3).text(p))
