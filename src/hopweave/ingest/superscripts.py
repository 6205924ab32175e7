"""Superscripts as raised digits: otherwise 10 with an exponent of 6 becomes 106, and the mark of a note part of a price."""

from __future__ import annotations

from collections.abc import Sequence

from hopweave.core.lazy_pattern import lazy_pattern

_RAISED = str.maketrans("0123456789+-\N{MINUS SIGN}", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_NUMBERS = lazy_pattern(r"\s*[-+\N{MINUS SIGN}]?[0-9]{1,6}(?:\s*[,;]\s*[0-9]{1,6})*\s*")
_UNIT = lazy_pattern(r"(?<![^\W\d_])[^\W\d_]{1,2}$")


def raised(text: str, before: Sequence[str]) -> str:
    """What a superscript is shown as: numbers as raised digits, words as they are.

    The exponent of a unit stays a plain digit, since that is how people search for it.

    Args:
        text: of the superscript.
        before: the pieces of text that it follows; the last two tell.

    >>> raised("6", ["about 10"]), raised("2", ["40 ", "m"]), raised("1", ["Kerrow"]), raised("st", ["21"])
    ('⁶', '2', '¹', 'st')
    """
    if not _NUMBERS.fullmatch(text) or _UNIT.search("".join(before[-2:])[-3:]):
        return text
    return text.translate(_RAISED)
