"""Charts, whatever their format: a row of a table for each category, with the value of each series."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hopweave.ingest.row_text import row_text

MAX_ROWS = 5_000
"""Of a chart."""


def chart_rows(across: str, categories: Sequence[str], unit: str, series: Sequence[tuple[str, Sequence[str]]]) -> Iterator[str]:
    """The rows of a chart; those without a value are left out.

    Args:
        across: what the categories are, as the title of their axis says; may be empty.
        categories: their names.
        unit: the title of the axis of values; may be empty.
        series: the name of each, and its values by category.

    >>> list(chart_rows("year", ["2022", "2023"], "EUR", [("Revenue", ["5.1", "6.4"]), ("Cost", ["", "4"])]))
    ['year: 2022; Revenue (EUR): 5.1.', 'year: 2023; Revenue (EUR): 6.4; Cost (EUR): 4.']
    """
    names = [across, *(_with_unit(name, unit) for name, _ in series)]
    for at, category in enumerate(categories[:MAX_ROWS]):
        values = [told[at] if at < len(told) else "" for _, told in series]
        if any(values):
            yield row_text(names, [category, *values])


def _with_unit(series: str, unit: str) -> str:
    return f"{series} ({unit})" if series and unit and unit != series else series or unit
