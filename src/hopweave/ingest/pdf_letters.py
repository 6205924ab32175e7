"""Letters that the fonts of a PDF hold in another form than a text does: ligatures, numerals of small height, TeX's accents."""

from __future__ import annotations

import re
import unicodedata

from hopweave.core.lazy_pattern import lazy_pattern

_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
_OLD_STYLE = {0xF700 + code: chr(code) for code in (*range(ord("0"), ord("9") + 1), *range(ord("a"), ord("z") + 1))}
"""Where Adobe's list of glyphs has numerals of small height and small capitals, in the area for private use."""
_FORMS = _LIGATURES | _OLD_STYLE
_HAS_FORMS = lazy_pattern(f"[{''.join(map(chr, _FORMS))}]")

_ACCENTS = dict(zip("´¨ˆˇ˘˙˚˜˝¯", "\u0301\u0308\u0302\u030c\u0306\u0307\u030a\u0303\u030b\u0304", strict=True))
"""Accents that TeX's older fonts draw before the letter, and the combining forms of the same."""
_BEFORE_A_LETTER = lazy_pattern(rf"(?P<accent>[{''.join(_ACCENTS)}])(?P<letter>[A-Za-zıȷ])")
_CEDILLA = lazy_pattern(r"(?P<letter>[CcSsTt])¸")
_IN_A_CIRCLE = lazy_pattern(r"(?<![^\W_])c©(?=\s)")
_DOTLESS = str.maketrans("ıȷ", "ij")


def as_written(text: str, *, is_tex: bool = False) -> str:
    r"""The text of a page in the letters of which it was set.

    Args:
        text: as a library reads it.
        is_tex: whether TeX made the PDF: elsewhere an accent may well be an apostrophe.

    >>> as_written("\ufb01eld, Erd\u02ddos", is_tex=True), as_written("it\u00b4s") == "it\u00b4s"
    ('field, Erdős', True)
    """
    text = text.translate(_FORMS) if _HAS_FORMS.search(text) else text
    if not is_tex or text.isascii():
        return text
    return _IN_A_CIRCLE.sub("©", _CEDILLA.sub(_with_cedilla, _BEFORE_A_LETTER.sub(_accented, text)))


def _accented(found: re.Match[str]) -> str:
    whole = unicodedata.normalize("NFC", found["letter"].translate(_DOTLESS) + _ACCENTS[found["accent"]])
    return whole if len(whole) == 1 else found[0]


def _with_cedilla(found: re.Match[str]) -> str:
    return unicodedata.normalize("NFC", f"{found['letter']}\u0327")
