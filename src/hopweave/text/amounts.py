"""Amounts whose unit does not stand beside their number: `2,824.50 EUR` in `Price (EUR): 2,824.50`, `1 mg` in `1, 8 and 4 mg`.

English is understood, and currencies by their signs and codes. A number that has another unit beside it is never taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.types import Span
from hopweave.text.currencies import ALL_FORMS, CODES, NAMES, SIGN, code_of_currency
from hopweave.text.languages import is_foreign
from hopweave.text.sentences import sentence_spans
from hopweave.text.table_rows import Cell, cell_at, cells_of
from hopweave.text.values import normalize_values, with_grouped_numbers

NAMES_OF_CURRENCIES = ALL_FORMS
"""Their signs, codes and English names, in small letters."""
CURRENCY = rf"(?:{SIGN}|(?<!\w)(?:{'|'.join(sorted(NAMES, key=len, reverse=True))}|(?-i:{'|'.join(CODES)}))(?!\w))"
"""Signs, codes and English names of currencies: a regular expression that ignores case, but for codes."""
_NUMBER = r"\d{1,3}(?:\.\d{3})+(?:,\d\d)?|\d+,\d\d(?!\d)|\d+(?:,\d{3})*(?:\.\d+)?"
_CONTINENTAL = lazy_pattern(r"\d{1,3}(?:\.\d{3})+(?:,\d\d)?|\d+,\d\d")
"""Amounts of money with points between groups of digits, and a comma before the cents: no currency has three decimals here."""
_SWAPPED = str.maketrans(".,", ",.")
_UNIT = r"°\s?[CFK]|[^\W\d_]{1,12}(?:/[^\W\d_]{1,12}){0,3}|%"
_SHARED_UNIT = lazy_pattern(
    rf"(?:(?:\s?±\s?|,\s|,?\s(?:and|or|to)\s|\s?[-–]\s?)[-−–]?(?:{_NUMBER})){{1,8}}\s?(?P<unit>{_UNIT})(?![^\W_])",
    re.IGNORECASE,
)
"""What follows a number that shares the unit of a later one: `2.1 ± 0.6 mU/L`, `1, 8 and 4 mg`."""
_SAID = lazy_pattern(
    rf"(?:(?P<before>{CURRENCY})\s?)?(?P<number>{_NUMBER})(?:\s?(?P<after>{CURRENCY}|{_UNIT}))?\.?", re.IGNORECASE
)
_IN_TEXT = lazy_pattern(
    rf"(?:(?P<before>{CURRENCY})\s?)?(?<![\w.,٬٫-])(?<!\d['’])(?P<number>{_NUMBER})(?![\w%]|[.,'’٬٫]\d)(?:\s?(?P<after>{CURRENCY}))?",
    re.IGNORECASE,
)
_ANY_CURRENCY = lazy_pattern(CURRENCY, re.IGNORECASE)
_LONGEST_CURRENCY = max(map(len, NAMES_OF_CURRENCIES)) + len("  ")
_BRACKETS = lazy_pattern(r"[(\[<][^)\]>]*[)\]>]")
_WORDS = lazy_pattern(rf"{SIGN}|{_UNIT}")
_UNIT_COLUMNS = frozenset({"unit", "units", "uom"})
_CENTS = lazy_pattern(r"[.,]\d\d$")
_OF_MONEY = lazy_pattern(
    r"\b(?:price|cost|rate|rent|fee|wage|salary|amount|total|sum|net|gross|budget|turnover|revenue)s?\b", re.IGNORECASE
)


class _Amount(NamedTuple):
    """A number, normalised, and its unit: the code of a currency, or a word in lower case."""

    number: str
    unit: str
    is_money: bool


def is_amount(said: str) -> bool:
    """Whether a text is a number with a unit and nothing else.

    >>> is_amount("2,824.50 EUR"), is_amount("€5"), is_amount("10 bar"), is_amount("2024"), is_amount("It costs 5 EUR.")
    (True, True, True, False, False)
    """
    return _amount(said.strip()) is not None


def number_and_unit(said: str) -> tuple[Decimal, str] | None:
    """The number that a text consists of, and its unit as by `code_of_unit`; empty without one. `None` for any other text.

    >>> number_and_unit("£1,840"), number_and_unit("45 %"), number_and_unit("560"), number_and_unit("from 5 to 7")
    ((Decimal('1840'), 'GBP'), (Decimal('45'), '%'), (Decimal('560'), ''), None)
    """
    found = _number(said.strip())
    try:
        return (Decimal(found.number), found.unit) if found is not None else None
    except InvalidOperation:  # `1.840.000 kg`
        return None


def places_of_amount(said: str, text: str, heading: str = "") -> Iterator[Span]:
    """Yields where a text gives an amount whose unit, or sign of a currency, is written elsewhere or in another way.

    The unit stands behind a later number, in the name of the column of the number, or in a column of units. A currency may also
    be the only one that the text and its heading name, if the number has cents or its column is one of prices.

    Args:
        said: the answer.
        text: of a passage.
        heading: its title and sections.

    >>> told = "Prices net, in EUR. Product: granite; Price: 2,824.50; Weight (kg): 214; Pieces: 6."
    >>> for said in ("2824.5 €", "214 kg", "214 EUR", "6 EUR"):
    ...     print(*(told[place.start : place.end] for place in places_of_amount(said, told)))
    2,824.50
    214
    <BLANKLINE>
    <BLANKLINE>
    """
    wanted = _amount(said.strip())
    if wanted is None:
        return
    named = {code_of_unit(found[0]) for found in _ANY_CURRENCY.finditer(f"{heading}\n{text}")} if wanted.is_money else set()
    is_spaced = is_foreign(text)
    for span in sentence_spans(text):
        sentence = with_grouped_numbers(text[span.start : span.end], is_spaced=is_spaced)
        cells = cells_of(sentence)
        for found in _IN_TEXT.finditer(sentence):
            if _value(found["number"], is_money=wanted.is_money) != wanted.number:
                continue
            beside = found["before"] or found["after"]
            if not beside and (shared := _SHARED_UNIT.match(sentence, found.end())):
                beside = shared["unit"]
            cell = cell_at(cells, found.start())
            if code_of_unit(beside) == wanted.unit if beside else _has_unit(wanted, found["number"], cell, cells, named):
                yield Span(span.start + found.start(), span.start + found.end())


def is_other_currency(said: str, place: Span, text: str, heading: str = "") -> bool:
    """Whether a text has the number of an amount of money at a place, but in another currency than the one that was said.

    That is the one beside the number; if there is none, those that the text and its heading name.

    >>> told = "It costs 5 EUR, or $6."
    >>> [is_other_currency(said, Span(9, 10), told) for said in ("$5", "5 euros", "5")]
    [True, False, False]
    """
    wanted = _amount(said.strip())
    if wanted is None or not wanted.is_money:
        return False
    around = text[max(0, place.start - _LONGEST_CURRENCY) : place.end + _LONGEST_CURRENCY]
    around = with_grouped_numbers(around, is_spaced=is_foreign(text))
    found = next((one for one in _IN_TEXT.finditer(around) if _value(one["number"], is_money=True) == wanted.number), None)
    beside = found and (found["before"] or found["after"])
    if beside:
        return code_of_unit(beside) != wanted.unit
    named = {code_of_unit(one[0]) for one in _ANY_CURRENCY.finditer(f"{heading}\n{text}")}
    return bool(named) and wanted.unit not in named


def _has_unit(wanted: _Amount, number: str, cell: Cell | None, cells: Sequence[Cell], currencies: set[str]) -> bool:
    """Whether a number without a unit beside it has the unit that is wanted."""
    if cell is not None:
        if cell.value.strip(" .") != number:
            return False
        named_there = [cell.name, *(one.value for one in cells if is_unit_column(one.name))]
        if any(code_of_unit(word) == wanted.unit for name in named_there for word in _WORDS.findall(name)):
            return True
        if _BRACKETS.search(cell.name):
            return False
    is_money = _CENTS.search(number) or (cell is not None and _OF_MONEY.search(cell.name))
    return bool(is_money) and currencies == {wanted.unit}


def _amount(said: str) -> _Amount | None:
    found = _number(said)
    return found if found is not None and found.unit else None


@remembered
def _number(said: str) -> _Amount | None:
    """A number that is all of a text, with its unit if it has one."""
    found = _SAID.fullmatch(said)
    if found is None or (found["before"] and found["after"]):
        return None
    unit = code_of_unit(found["before"] or found["after"] or "")
    is_money = is_currency(unit)
    return _Amount(_value(found["number"], is_money=is_money), unit, is_money)


def _value(number: str, *, is_money: bool) -> str:
    is_continental = is_money and _CONTINENTAL.fullmatch(number) is not None
    return normalize_values(number.translate(_SWAPPED) if is_continental else number)


def is_unit_column(name: str) -> bool:
    """Whether a column has the units of the numbers in its rows."""
    return name.strip().casefold() in _UNIT_COLUMNS


def is_currency(unit: str) -> bool:
    """Whether a unit is the sign, the code or the name of a currency."""
    return code_of_currency(unit) is not None


def code_of_unit(unit: str) -> str:
    """The code of a currency; other units as they are, without case."""
    return code_of_currency(unit) or unit.casefold()
