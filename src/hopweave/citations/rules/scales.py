"""Units and scales that a table states elsewhere than beside its numbers: `EUR thousand` above it, `Mass (g)` in a row.

The nearest statement counts: that in the name of the column, in the row, in a column of units, or above the table. English is
understood, and currencies by their signs and codes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.types import Span
from hopweave.text.amounts import CURRENCY, code_of_unit, is_currency, is_unit_column
from hopweave.text.currencies import CODES, SIGNS
from hopweave.text.table_rows import Cell
from hopweave.text.tables_in_text import Row, row_at, rows_of

_SCALES = {
    name: Decimal(size)
    for size, names in (
        (1_000, "thousand thousands '000 ’000 000s k t"),
        (1_000_000, "million millions m mn mio mill"),
        (1_000_000_000, "billion billions bn"),
    )
    for name in names.split()
}
_SCALE = "|".join(sorted(map(re.escape, _SCALES), key=len, reverse=True))
_NUMBER = r"\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?:[.,]\d+)?|\d[\d.,]*\d|\d"
_WORD = r"%|°\s?[CFK]|[^\W\d_]{1,12}(?:\([A-Z]\))?(?:/[^\W\d_]{1,8}){0,2}"
_SAID = lazy_pattern(
    rf"(?P<minus>[-−–])?\s?(?P<before>{CURRENCY}|(?-i:[A-Z]{{3}}))?\s?(?P<sign>[-−–]|\()?(?P<number>{_NUMBER})\)?"
    rf"(?:\s?(?P<scale>{_SCALE})(?![^\W_]))?(?:\s?(?P<after>{CURRENCY}|{_WORD}))?(?:\s?(?:/|per)\s?(?P<per>[\w ]{{1,20}}))?\.?",
    re.IGNORECASE,
)
_CELL = lazy_pattern(rf"(?P<minus>[-−–])?\s?(?P<sign>\()?(?P<number>{_NUMBER})\)?[ *†‡¹²³.]*")
_MONEY = tuple(
    lazy_pattern(form, re.IGNORECASE)
    for form in (
        rf"\b(?P<scale>{_SCALE})\s(?:of\s)?(?:US\s)?(?P<currency>{CURRENCY})",
        rf"(?P<currency>{CURRENCY})\s?(?P<scale>{_SCALE})?(?![^\W_])",
        rf"(?-i:\b(?P<scale>[TMkm])(?P<currency>(?:{'|'.join(CODES)})(?![A-Z])|[{SIGNS}]))",
        r"\bin\s(?P<scale>thousands|millions|billions)\b",
    )
)
_UNIT = (
    r"%|°\s?[CFK]|[kMGTmcdµμn]?(?:Wh|W|VA|V|A|Hz|g|m|l|L|s|Pa|J|Nm|N|Ω|bar|t)|rpm|ppm|dB(?:\([A-Z]\))?|[A-Z]{3}"
    r"|(?:second|minute|hour|day|week|month|year|tonne|piece)s|[^\W\d_]{1,6}/[^\W\d_]{1,6}"
)
_STATED = lazy_pattern(
    rf"[(\[](?:in\s)?(?P<within>{_UNIT})(?:\s[^()\[\]]*)?[)\]](?!\S)|\bin\s(?P<bare>{_UNIT})\s*(?:[.,;)\n]|$)"
)
_IS_UNIT = lazy_pattern(_UNIT)
_PER_SHARE = lazy_pattern(r"\bper\s(?:\w+\s)?share\b", re.IGNORECASE)
_EXCEPT_PER_SHARE = lazy_pattern(r"\b(?:except|other than|excluding)\b[^.\n]*\bshare\b", re.IGNORECASE)
_CONTINENTAL = lazy_pattern(r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}|\d+,(?:\d{1,2}|\d{4,})")
_GROUPS = lazy_pattern(r"[, \u00a0\u202f]")


class _Unit(NamedTuple):
    """What a number counts.

    Attributes:
        name: the code of a currency, or a unit in lower case; empty if it is not said.
        scale: what the number is to be multiplied by.
    """

    name: str = ""
    scale: Decimal = Decimal(1)


class _Amount(NamedTuple):
    """A number that was said, with its sign and its unit, and for how much of what it is: `month` in `5 EUR/month`."""

    number: Decimal
    unit: _Unit
    written: str = ""
    per: str = ""


class _Stated(NamedTuple):
    """A unit that a table states, in a text, and whether that is above it, so that it may not be meant for all columns."""

    unit: _Unit
    text: str
    is_far: bool


def places_in_tables(said: str, text: str, heading: str = "") -> Iterator[Span]:
    r"""Yields the cells of tables with an amount whose unit or scale is stated elsewhere, in whatever scale it was said.

    Args:
        said: the answer.
        text: of a passage.
        heading: its title and sections.

    >>> told = "Sales in EUR thousand\n\nitem: beer; 2023: 8,862; share (%): 12."
    >>> for said in ("EUR 8,862 thousand", "€8.862 million", "EUR 8,862", "12%"):
    ...     print(*(told[place.start : place.end] for place in places_in_tables(said, told)))
    8,862
    8,862
    <BLANKLINE>
    12
    """
    wanted = _said(said.strip())
    if wanted is None or (wanted.unit == _Unit() and wanted.number >= 0):
        return
    for row in rows_of(text):
        for cell in row.cells:
            found = _CELL.fullmatch(cell.value)
            if found is None or (number := _number(found)) is None:
                continue
            stated = _unit_of(cell, row, heading)
            if stated is not None and stated.is_far and is_currency(stated.unit.name) and stated.unit.scale == 1:
                continue  # which numbers are money is not said, see `amounts`
            if _is_same(wanted, number, stated):
                start = row.span.start + cell.span.start
                yield Span(start + found.start("number"), start + found.end("number"))


def is_other_scale(said: str, place: Span, text: str, heading: str = "") -> bool:
    r"""Whether an answer has the number of a cell with another unit, scale or sign than the table states for it.

    In brackets or behind a minus, a number is negative, unless all numbers of its row are: a list of costs.

    >>> told = "Sales in EUR thousand\n\nitem: flow; 2023: 8,862; 2022: (410)."
    >>> [is_other_scale(said, Span(41, 46), told) for said in ("EUR 8,862 thousand", "EUR 8,862", "8,862", "-8,862")]
    [False, True, False, True]
    >>> [is_other_scale(said, Span(55, 58), told) for said in ("410", "-410", "(410)")]
    [True, False, False]
    """
    wanted, row = _said(said.strip()), row_at(text, place)
    cell = row and row.cell_at(place)
    found = cell and _CELL.fullmatch(cell.value)
    if wanted is None or row is None or cell is None or not found or (number := _number(found)) is None:
        return False
    if wanted.number * number < 0 and (wanted.number < 0 or _has_both_signs(row)):
        return True
    stated = _unit_of(cell, row, heading)
    if stated is None or wanted.unit == _Unit():
        return False
    size, other = abs(wanted.number) * wanted.unit.scale, abs(number) * stated.unit.scale
    if not wanted.unit.name or wanted.unit.name == stated.unit.name:
        return size != other
    is_told_apart = is_currency(wanted.unit.name) if stated.is_far else bool(_IS_UNIT.fullmatch(wanted.written))
    return is_told_apart and (is_currency(stated.unit.name) or not stated.is_far)


def _is_same(wanted: _Amount, number: Decimal, stated: _Stated | None) -> bool:
    if wanted.unit == _Unit():
        return wanted.number == number
    if stated is None or (wanted.unit.name and wanted.unit.name != stated.unit.name):
        return False
    if wanted.per and wanted.per.casefold() not in stated.text.casefold():
        return False
    return wanted.number * wanted.unit.scale == number * stated.unit.scale


def _has_both_signs(row: Row) -> bool:
    numbers = [number for cell in row.cells[1:] if (found := _CELL.fullmatch(cell.value)) and (number := _number(found))]
    return min(numbers, default=Decimal(0)) < 0 < max(numbers, default=Decimal(0))


def _unit_of(cell: Cell, row: Row, heading: str) -> _Stated | None:
    """The unit of a cell: the nearest that is stated; `None` if none is."""
    first = row.cells[0]
    columns = [f"({one.value.strip(' .')})" for one in row.cells if is_unit_column(one.name)]
    near = [cell.name, *([first.value] if first is not cell else []), *columns]
    for told in near:
        if (unit := _stated(told)) is not None:
            return _Stated(unit, told, is_far=False)
    is_of_a_share = any(map(_PER_SHARE.search, near))
    for told in (row.before, row.above, heading):
        if (unit := _stated(told)) is not None:
            if is_of_a_share and _EXCEPT_PER_SHARE.search(told):
                return _Stated(unit._replace(scale=Decimal(1)), told, is_far=False)
            return _Stated(unit, told, is_far=True)
    return None


@remembered
def _stated(told: str) -> _Unit | None:
    """The unit that a text states."""
    for form in _MONEY:
        if found := form.search(told):
            groups = found.groupdict()
            scale = (groups.get("scale") or "").casefold()
            return _Unit(_unspaced(groups.get("currency") or ""), _SCALES.get(scale, Decimal(1)))
    stated = _STATED.search(told)
    return _Unit(_unspaced(stated["within"] or stated["bare"])) if stated is not None else None


@remembered
def _said(said: str) -> _Amount | None:
    found = _SAID.fullmatch(said)
    if found is None or (found["before"] and found["after"]) or (number := _number(found)) is None:
        return None
    unit, scale = found["before"] or found["after"] or "", found["scale"] or ""
    if len(scale) == 1 and not unit:  # `5 m` is five metres
        unit, scale = scale, ""
    size = _SCALES.get(scale.casefold(), Decimal(1))
    return _Amount(number, _Unit(_unspaced(unit), size), unit, (found["per"] or "").strip())


def _unspaced(unit: str) -> str:
    """The code of a currency; other units without blanks and case."""
    return "".join(code_of_unit(unit).split())


def _number(found: re.Match[str]) -> Decimal | None:
    written = found["number"]
    if _CONTINENTAL.fullmatch(written):
        written = written.replace(".", "").replace(",", ".")
    try:
        number = Decimal(_GROUPS.sub("", written))
    except InvalidOperation:
        return None
    return -number if found["minus"] or found["sign"] else number
