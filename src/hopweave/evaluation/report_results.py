"""The sections of a report that say how good the answers are: results, and the comparison with the baseline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hopweave.evaluation.plots import Dot, Panel, dot_plot
from hopweave.evaluation.report_blocks import (
    Block,
    Entry,
    Figure,
    MeanNumbers,
    Number,
    Paragraph,
    Row,
    Section,
    Style,
    Subtitle,
    Table,
    count,
    entry,
    key_of,
    style_for,
)
from hopweave.evaluation.tables import Cell, Comparison, Mean, Tables

NOTHING = Mean(None, 0)
_SIGNIFICANT = 0.05


def results(tables: Tables) -> Section:
    """Means of the answer metrics, a table for each dataset."""
    quality = [name for name, column in tables.columns.items() if not column.is_cost]
    blocks: list[Block] = [*_overview(tables)]
    for dataset in (facts.label for facts in tables.datasets):
        blocks.append(Subtitle(dataset))
        rows = list(_result_rows(tables, dataset, quality))
        if rows:
            heads = ("Method", "Mean", "95% interval", "If failed", "Scored", "Failed", "No data", "Unparsed", "Abstained")
            caption = (
                "Means are over the scored records. The interval is of a bootstrap over questions. \u201cIf failed\u201d gives "
                "the mean if every failed record were the worst, and if every one were the best that the column can be."
            )
            blocks.append(Table(heads, tuple(rows), (caption,)))
        else:
            blocks.append(Paragraph((f"There is no data for {dataset}.",)))
    return Section("results", "Results", tuple(blocks))


def _overview(tables: Tables) -> Iterator[Block]:
    shown = [facts.label for facts in tables.datasets if facts.label in tables.primary]
    if not shown:
        return
    panels = [_mean_panel(f"{dataset}, {tables.primary[dataset]}", _primary_means(tables, dataset)) for dataset in shown]
    methods = [method.label for method in tables.methods]
    drawing = dot_plot("Means of all methods with their intervals", methods, panels, _axis(tables, shown))
    yield Figure(
        "results.svg", drawing, "Dot: mean. Thick line: 95% interval. Thin line: from all failed wrong to all failed right."
    )


def _primary_means(tables: Tables, dataset: str) -> list[Mean]:
    column = tables.primary[dataset]
    cells = (tables.cell(dataset, method.label) for method in tables.methods)
    return [cell.means.get(column, NOTHING) if cell else NOTHING for cell in cells]


def _mean_panel(title: str, means: Sequence[Mean]) -> Panel:
    style = Style(3)
    return Panel(title, tuple(Dot(mean.value, style.text(mean.value), mean.interval, mean.bounds) for mean in means))


def _axis(tables: Tables, datasets: Sequence[str]) -> str:
    meanings = dict.fromkeys(tables.columns[tables.primary[dataset]].column.meaning for dataset in datasets)
    return "; ".join(meanings)


def _result_rows(tables: Tables, dataset: str, columns: Sequence[str]) -> Iterator[Row]:
    cells = tables.cells_of(dataset)
    for name in columns:
        column = tables.columns[name].column
        if not any(name in cell.means for cell in cells):
            continue
        style = style_for(column, (cell.means.get(name, NOTHING).value for cell in cells))
        yield Row(heading=f"{name}: {column.meaning}{_direction(column.better)}")
        for cell in cells:
            yield Row(tuple(_result_entries(cell, name, style)))


def _direction(better: str) -> str:
    return f" ({better} is better)" if better else ""


def _result_entries(cell: Cell, name: str, style: Style) -> Iterator[Entry]:
    numbers = mean_numbers(cell, name, style)
    yield entry(cell.method)
    yield entry(numbers.value)
    yield entry(*numbers.interval)
    yield entry(*numbers.bounds)
    yield from map(entry, (numbers.scored, numbers.failed, numbers.no_data, *odd_counts(cell)))


def mean_numbers(cell: Cell, column: str, style: Style, prefix: str = "") -> MeanNumbers:
    """The numbers of a mean under the keys of its cell."""
    start = key_of(cell.dataset, cell.method, column)
    return MeanNumbers(f"{prefix}/{start}" if prefix else start, cell.means.get(column, NOTHING), style)


def odd_counts(cell: Cell, prefix: str = "") -> tuple[Number, Number]:
    """How many records of a cell were unparsed, and how many abstained."""
    start = key_of(cell.dataset, cell.method)
    start = f"{prefix}/{start}" if prefix else start
    return count(f"{start}/unparsed", cell.num_unparsed), count(f"{start}/abstained", cell.num_abstained)


def comparison(tables: Tables) -> Section | None:
    """Each method against the baseline."""
    if not tables.comparisons:
        return None
    blocks: list[Block] = []
    main = [one for one in tables.comparisons if tables.primary.get(one.dataset) == one.column]
    if main:
        blocks.append(_comparison_figure(tables, main))
    for dataset in (facts.label for facts in tables.datasets):
        mine = [one for one in tables.comparisons if one.dataset == dataset]
        if mine:
            blocks += [Subtitle(dataset), _comparison_table(mine)]
    blocks += [Paragraph((note,)) for note in tables.notes]
    return Section("comparison", "Comparison", tuple(blocks))


def _comparison_figure(tables: Tables, main: Sequence[Comparison]) -> Figure:
    methods = list(dict.fromkeys(one.method for one in main))
    found = {(one.dataset, one.method): one for one in main}
    panels = []
    for dataset in dict.fromkeys(one.dataset for one in main):
        dots = [_difference_dot(found.get((dataset, method))) for method in methods]
        panels.append(Panel(f"{dataset}, {tables.primary[dataset]}", tuple(dots)))
    against = ", ".join(dict.fromkeys(one.baseline for one in main))
    title = "Differences to the baseline with their intervals"
    drawing = dot_plot(title, methods, panels, f"difference to {against}", has_zero_line=True)
    caption = (
        "Thick line: 95% interval of the paired difference. Filled: Holm-corrected p below 0.05; hollow: it may be chance."
    )
    return Figure("comparison.svg", drawing, caption)


def _difference_dot(one: Comparison | None) -> Dot:
    if one is None or one.difference is None:
        return Dot(None)
    is_filled = one.p_holm is not None and one.p_holm < _SIGNIFICANT
    return Dot(one.difference, Style(3).text(one.difference, is_signed=True), one.interval, is_filled=is_filled)


def _comparison_table(mine: Sequence[Comparison]) -> Table:
    rows: list[Row] = []
    for column, baseline in dict.fromkeys((one.column, one.baseline) for one in mine):
        rows.append(Row(heading=f"{column}, difference to {baseline}"))
        rows += [Row(comparison_entries(one)) for one in mine if (one.column, one.baseline) == (column, baseline)]
    heads = ("Method", "Difference", "95% interval", "p, Holm", "p", "Detectable", "Pairs", "Left out", "Test")
    caption = (
        "Differences are over the questions for which both methods have a value; \u201cleft out\u201d counts the others. "
        "p is corrected by Holm\u2019s method over the methods. \u201cDetectable\u201d is the least difference that so many "
        "questions would show."
    )
    return Table(heads, tuple(rows), (caption,))


def comparison_entries(one: Comparison) -> tuple[Entry, ...]:
    """A comparison as entries of a table."""
    start, style = f"compare/{key_of(one.dataset, one.column, one.method, one.baseline)}", Style(3)
    interval = MeanNumbers(start, Mean(one.difference, one.num_pairs, interval=one.interval), style).interval
    return (
        entry(one.method),
        entry(style.number(f"{start}/difference", one.difference, is_signed=True)),
        entry(*interval),
        entry(_p(f"{start}/p_holm", one.p_holm)),
        entry(_p(f"{start}/p", one.p)),
        entry(style.number(f"{start}/minimum_detectable", one.minimum_detectable)),
        entry(count(f"{start}/pairs", one.num_pairs)),
        entry(count(f"{start}/left_out", one.num_left_out)),
        entry(one.test),
    )


def _p(key: str, p: float | None) -> Number:
    return Number(key, p, "< 0.001" if p is not None and p < 0.001 else Style(3).text(p))
