"""Currencies by their codes, signs and English names.

A code counts in capitals only, since `sek` are seconds and `nok` is a word; of the commonest currencies, the code is a name as
well, which counts in any case. A sign or name that several currencies share, such as `kr`, is none of theirs.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class _Currency(NamedTuple):
    """A currency.

    Attributes:
        code: its ISO 4217 code.
        signs: what stands directly beside a number.
        names: words for it, in small letters.
    """

    code: str
    signs: str = ""
    names: str = ""


_TABLE = (
    _Currency("EUR", "€", "eur euro euros"),
    _Currency("USD", "$ US$", "usd dollar dollars"),
    _Currency("GBP", "£", "gbp pound pounds"),
    _Currency("JPY", "¥", "jpy yen"),
    _Currency("CHF", "", "chf franc francs"),
    _Currency("SEK", "", "kronor"),
    _Currency("DKK"),
    _Currency("NOK"),
    _Currency("PLN", "", "zł zloty zlotys"),
    _Currency("CZK", "", "kč koruna"),
    _Currency("RUB", "₽", "rouble roubles ruble rubles"),
    _Currency("HUF", "", "forint forints"),
    _Currency("CNY", "", "yuan renminbi"),
    _Currency("INR", "₹", "rupee rupees"),
    _Currency("AUD", "A$ AU$"),
    _Currency("CAD", "C$ CA$"),
    _Currency("BRL", "R$", "reais"),
)
_BY_SIGN = {sign: one.code for one in _TABLE for sign in one.signs.split()}
_BY_NAME = {name: one.code for one in _TABLE for name in one.names.split()}
_LETTERED_SIGNS = sorted((sign for sign in _BY_SIGN if len(sign) > 1), key=len, reverse=True)

CODES = tuple(one.code for one in _TABLE)
SIGNS = "".join(sign for sign in _BY_SIGN if len(sign) == 1)
"""The signs of one character, for a character class."""

SIGN = rf"(?:(?<!\w)(?:{'|'.join(map(re.escape, _LETTERED_SIGNS))})|[{SIGNS}])"
"""A regular expression for all signs."""

NAMES = tuple(_BY_NAME)
"""In small letters."""

ALL_FORMS = (*(sign.casefold() for sign in _BY_SIGN), *NAMES, *map(str.casefold, CODES))
"""All signs, names and codes, in small letters."""


def code_of_currency(written: str) -> str | None:
    """The code of a currency by its sign, code or name; `None` if it is none.

    >>> [code_of_currency(written) for written in ("€", "Euros", "SEK", "sek", "kg")]
    ['EUR', 'EUR', 'SEK', None, None]
    """
    if written in CODES:
        return written
    return _BY_SIGN.get(written.upper()) or _BY_NAME.get(written.casefold())
