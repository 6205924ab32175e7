"""Currencies by their codes, signs and English names; in texts of other languages, money is known by more names.

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

_NAMES_ELSEWHERE = """
euro[anst]? eurot eur[ay] dólar(?:es)? dollar[ai]a? francs? franken rappen pesos? reais real kr kroner? kronor kronen?
kruunua korun[ay]? złot[aey] złotych groszy hal[ée]řů forint(?:ot|ért)? (?-i:Ft) (?-i:TL) lira(?:dır|sı|ya)? liraya kuruş
lei leu bani руб рубл(?:ь|я|ей|ях|ями?) копе(?:йка|йки|ек) гривн[яіюь] гривень грн евро євро доллар(?:а|ов)? долар(?:и|а|ів)?
лв лева? ευρώ δολάρια ريالا? ريالات درهما? دراهم دينارا? دنانير جنيها? جنيهات ليرة يورو دولارا? دولارات
שקל שקלים ש["״]ח אירו יורו דולר דולרים"""
_IN_SIGNS = """
円 圓 圆 元 원 日元 日圆 韩元 韓元 美元 美金 欧元 歐元 港元 港币 港幣 澳元 加元 英镑 英鎊 人民币 人民幣
新台币 新台幣 ユーロ ドル ウォン 유로 달러 위안"""
SIGNS_ELSEWHERE = "[₩₺₴₪]"
"""Signs of further currencies, which count in texts of other languages alone: a regular expression."""

NAMES_ELSEWHERE = rf"(?<![^\W\d_])(?:{'|'.join(sorted(_NAMES_ELSEWHERE.split(), key=len, reverse=True))})(?!\w)"
"""What money is called behind a number in texts of other languages, whatever the currency: a regular expression."""

NAMES_IN_SIGNS = "|".join(sorted(_IN_SIGNS.split(), key=len, reverse=True))
"""The same in Chinese, Japanese and Korean, where the name is joined to the number and to what follows."""


def code_of_currency(written: str) -> str | None:
    """The code of a currency by its sign, code or name; `None` if it is none.

    >>> [code_of_currency(written) for written in ("€", "Euros", "SEK", "sek", "kg")]
    ['EUR', 'EUR', 'SEK', None, None]
    """
    if written in CODES:
        return written
    return _BY_SIGN.get(written.upper()) or _BY_NAME.get(written.casefold())
