"""The characters of RTF: code pages, the character sets of fonts, and fonts of symbols and pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hopweave.ingest.code_pages import CODE_PAGES

WESTERN = 1252
DEFAULT_PAGES = {"mac": 10000, "pc": 437, "pca": 850}
SYMBOLS = 2
CHARSETS = {
    77: 10000, 78: 10001, 79: 10003, 80: 10008, 81: 10002, 83: 10005, 84: 10004, 85: 10006, 86: 10081, 87: 10021, 88: 10029,
    89: 10007, 128: 932, 129: 949, 130: 1361, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255, 178: 1256,
    186: 1257, 204: 1251, 222: 874, 238: 1250, 254: 437, 255: 850,
}  # fmt: skip
"""Code pages by the character sets of fonts, besides the Western one, 0, and the one of the document, 1."""
_ENDS_OF_NAMES = {
    " ce": 1250, " cyr": 1251, " greek": 1253, " tur": 1254, " (hebrew)": 1255, " (arabic)": 1256, " baltic": 1257,
}  # fmt: skip
"""Code pages by how the names of fonts without a character set end."""

_GREEK: Mapping[int, str] = {
    **dict(zip(b"\"$'*-", "∀∃∋∗−", strict=True)),
    **dict(enumerate("≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_", start=0x40)),
    **dict(enumerate("‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼", start=0x60)),
    **dict(enumerate("€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…|—↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑", start=0xA0)),
    **dict(zip(b"\xf1\xf2", "〉∫", strict=True)),
}
"""The font Symbol."""
_DINGBATS: Mapping[int, str] = dict(zip("JLàßüûþý¨oxqnl§Øv«".encode("latin-1"), "☺☹→←✓✗☑☒☐☐☒❑■●▪➢❖★", strict=True))
"""Arrows, bullets and ticks of the fonts with pictures."""


@dataclass(slots=True)
class Font:
    """A font: its name, its character set, and its code page, where it has them."""

    name: str = ""
    charset: int | None = None
    code_page: int | None = None


def encoding_of(font: Font, default_page: int, *, knows_charsets: bool) -> str:
    """The encoding of text in a font.

    Programs that know of character sets mean the Western one by 0, whatever the code page of the document. There are
    others, which put 0 with every font.
    """
    page = CHARSETS.get(font.charset or 0) or font.code_page
    if page not in CODE_PAGES:
        name = font.name.casefold()
        page = next((page for end, page in _ENDS_OF_NAMES.items() if name.endswith(end)), None)
    if page is None:
        page = WESTERN if font.charset == 0 and knows_charsets else default_page
    return CODE_PAGES[page]


def pictures(font: str) -> Mapping[int, str]:
    """What the characters of a font stand for; empty if it is an ordinary one."""
    name = font.casefold()
    if name.startswith("symbol"):
        return _GREEK
    return _DINGBATS if "dings" in name or "dingbats" in name else {}


def symbols(raw: bytes, font: str) -> str:
    """Text in a font of symbols. Words in a font of pictures are words, which somebody formatted by mistake."""
    shown = pictures(font)
    text, said = raw.decode("latin-1"), raw.replace(b" ", b"")
    if shown is _DINGBATS and len(said) == 1 and said[0] not in shown:
        return text.replace(chr(said[0]), "•")
    if shown is _GREEK or (shown and all(code in shown for code in said)):
        return text.translate(shown)
    return raw.decode("cp1252", "replace")
