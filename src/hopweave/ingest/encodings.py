"""The encoding of a text: what a mark at its beginning shows, what the file declares, or what it probably is."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Sequence

from hopweave.core.lazy_pattern import lazy_pattern

_MARKS = (
    *((codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32")),
    *((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")),
)
"""Byte-order marks, the longer ones first."""

DECLARED_WITHIN = 1024
"""Bytes from the beginning among which an HTML page declares its encoding, as browsers have it."""

_DECLARED = lazy_pattern(
    rb"""<meta\s[^>]{0,200}?charset\s*=\s*["']?(?P<page>[\w-]{1,40})|<\?xml\s[^>]{0,200}?encoding\s*=\s*["'](?P<xml>[\w-]{1,40})"""
    rb"""|\A[^\n]{0,200}-\*-[^\n]{0,100}?coding:\s*(?P<line>[\w-]{1,40})""",
    re.IGNORECASE,
)
_ENCODINGS = {
    **dict.fromkeys(("iso-8859-1", "latin-1", "latin1", "us-ascii", "windows-1252", "cp1252"), "cp1252"),
    **{f"iso-8859-{number}": f"iso-8859-{number}" for number in (2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15, 16)},
    **{f"windows-{number}": f"cp{number}" for number in (1250, 1251, 1253, 1254, 1255, 1256, 1257, 1258)},
    **{name: name for name in ("koi8-r", "koi8-u", "euc-jp", "iso-2022-jp", "big5", "gb18030")},
    **dict.fromkeys(("shift_jis", "shift-jis", "sjis", "x-sjis", "windows-31j", "cp932"), "cp932"),
    **dict.fromkeys(("gb2312", "gbk"), "gb18030"),
    **dict.fromkeys(("euc-kr", "ks_c_5601-1987"), "cp949"),
    **dict.fromkeys(("tis-620", "windows-874"), "cp874"),
}
"""The encodings that a file may declare, and those that browsers read it in, by their names in Python."""

_LATIN = ("cp1250", "cp1252", "cp1254", "cp1257", "iso-8859-2", "iso-8859-15")
_COMMON = (
    *_LATIN,
    *("cp1251", "cp1253", "cp1255", "cp1256", "cp1258", "cp874", "iso-8859-5", "iso-8859-7", "iso-8859-9", "koi8-r", "koi8-u"),
    *("big5", "cp932", "cp949", "euc-jp", "gb18030"),
)
_OF_OLD_SYSTEMS = ("cp437", "cp850", "cp852", "cp866", "mac-roman")
"""Of DOS and the classic Mac OS. They have a letter for nearly every byte, so a few bytes say nothing for them."""

_GUESSED_FROM = 1 << 16
"""Bytes from which an encoding is guessed."""
_FEW_SIGNS = 2
"""So few different ones may be no letters: "£" and "°" could be in any encoding, and are mostly of Western Windows."""
_SURE_OF_SIGNS = 0.15
"""The least confidence that they are of another."""
_FEW_BYTES = 8
_LETTERS_OF_LATIN = 4
"""The fewest ASCII letters for each of a few other bytes; with fewer, so short a text is not enough to guess from."""

_CONTROL = frozenset(map(chr, (*range(9), 11, *range(14, 27), *range(28, 32), *range(128, 160))))
"""Characters that no text has, other than white space and the escapes of terminals."""

_OTHERS = lazy_pattern(r"[^\x00-\x7f]")
_SCRIPTS_APART = frozenset(map(chr, range(0x0370, 0x0700)))
"""The letters of scripts that share no word with Latin letters: Greek, Cyrillic, Hebrew and Arabic."""
_SIGNS = "\u2e80"
"""The first of the signs of Chinese and Japanese, which write marks between letters."""
_WITHIN_WORDS = frozenset("’·\xad–—")
_OPENING = frozenset("‚„")
_ODD = 0.3
"""The share of characters that are out of place from which a text is in another encoding: `pr‚avis`, `prŽavis`."""

_SHOWN = {
    **{f"cp{number}": f"Windows-{number}" for number in (874, *range(1250, 1259))},
    **{name: f"code page {name[2:]}" for name in _OF_OLD_SYSTEMS if name.startswith("cp")},
    "mac-roman": "Mac OS Roman",
    "cp932": "Shift_JIS",
    "cp949": "EUC-KR",
    "gb18030": "GB 18030",
    "euc_jis_2004": "EUC-JP",
    "big5": "Big5",
    "big5hkscs": "Big5",
}


def marked_encoding(head: bytes) -> str:
    """The encoding that a byte-order mark shows, other than UTF-8; empty without one."""
    return next((name for mark, name in _MARKS if head.startswith(mark)), "")


def declared_encoding(head: bytes) -> str:
    """The encoding, other than Unicode, that an HTML page, XML, or the first line of a manual page declares; empty without one.

    >>> declared_encoding(b'<html><meta charset="Shift_JIS">'), declared_encoding(b".# -*- coding: koi8-r -*-")
    ('cp932', 'koi8-r')
    """
    found = _DECLARED.search(head[:DECLARED_WITHIN])
    name = next(filter(None, found.groups()), b"") if found is not None else b""
    return _ENCODINGS.get(name.decode("ascii", "replace").lower(), "")


def is_utf8(piece: bytes) -> bool:
    """Whether bytes are UTF-8, the last character of which may be cut off."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(piece)
    except UnicodeDecodeError:
        return False
    return True


def guessed_encoding(piece: bytes) -> str:
    """The encoding, other than Unicode, that a text without any declaration is probably in, by its name in Python.

    It is empty for bytes that are no text or too few, and for UTF-8 with a few damaged bytes.

    Args:
        piece: of the text, with the first bytes that are not ASCII. The longer, the surer.

    >>> guessed_encoding("Die Mühle gehörte Jörg Weiß.".encode("cp1252"))
    'cp1252'
    >>> guessed_encoding("Мельница больше не работает.".encode("koi8-r"))
    'koi8-r'
    """
    if is_utf8(piece) or _is_damaged_utf8(piece):
        return ""
    first = next(place for place, byte in enumerate(piece) if byte > 127)
    sample = piece[max(0, first - _GUESSED_FROM // 2) :][:_GUESSED_FROM]
    others = [byte for byte in sample if byte > 127]
    found = _likely(sample, others)
    if (found and _is_plausible(sample, found)) or not (found or _is_latin(sample, others)):
        return found
    older = tuple(name for name in _OF_OLD_SYSTEMS if _is_plausible(sample, name))
    return (_detected(sample, older) if older else "") or found


def _likely(sample: bytes, others: Sequence[int]) -> str:
    """What a text with these other bytes than ASCII is most likely in, by their number; empty if it cannot be told."""
    if len(set(others)) <= _FEW_SIGNS:
        return _detected(sample, _LATIN, at_least=_SURE_OF_SIGNS) or _detected(sample, ("cp1252",))
    if len(others) >= _FEW_BYTES:
        return _detected(sample, (*_COMMON, *_OF_OLD_SYSTEMS))
    return _detected(sample, _LATIN) if _is_latin(sample, others) else ""


def _is_latin(sample: bytes, others: Sequence[int]) -> bool:
    return len(re.findall(rb"[A-Za-z]", sample)) >= _LETTERS_OF_LATIN * len(others)


def _is_plausible(sample: bytes, name: str) -> bool:
    """Whether few signs of a text in an encoding are out of place."""
    text = _decoded(sample, name)
    num = num_odd = 0
    for match in _OTHERS.finditer(text):
        num += 1
        num_odd += _is_odd(text[max(0, match.start() - 1) : match.start()], match[0], text[match.end() : match.end() + 1])
    return num > 0 and num_odd < _ODD * num


def _is_odd(before: str, sign: str, after: str) -> bool:
    """Whether a sign cannot stand between two characters: a capital in a small word, a letter of another script, a mark."""
    if sign.isalpha():
        is_mixed = sign in _SCRIPTS_APART and any(one.isascii() and one.isalpha() for one in before + after)
        return is_mixed or (sign.isupper() and before.islower())
    is_mark = sign < _SIGNS and unicodedata.category(sign)[0] in "PS" and sign not in _WITHIN_WORDS
    return is_mark and before.isalpha() and (after.isalpha() or sign in _OPENING)


def _detected(sample: bytes, names: tuple[str, ...], at_least: float = 0.0) -> str:
    import chardet  # here, since few corpora need it

    if_none = "cp1252" if "cp1252" in names else names[0]
    found = chardet.detect(sample, include_encodings=names, compat_names=False, no_match_encoding=if_none)
    if not found["encoding"] or found["confidence"] < at_least:
        return ""
    name = codecs.lookup(found["encoding"]).name
    text, western = _decoded(sample, name), _decoded(sample, "cp1252")
    if not text or not _CONTROL.isdisjoint(text):
        return ""
    return "cp1252" if text == western or name == "iso8859-1" else name


def _decoded(sample: bytes, name: str) -> str:
    """A text in an encoding, the last character of which may be cut off; empty if it cannot be in that."""
    try:
        return codecs.getincrementaldecoder(name)().decode(sample)
    except UnicodeDecodeError:
        return ""


def _is_damaged_utf8(piece: bytes) -> bool:
    """Whether at least half of what is not ASCII is UTF-8."""
    others = [letter for letter in piece.decode("utf-8", "replace") if ord(letter) > 127]
    return 2 * others.count("\ufffd") <= len(others)


def shown_encoding(name: str) -> str:
    """The usual name of an encoding, from that in Python.

    >>> shown_encoding("cp1252"), shown_encoding("euc_jp"), shown_encoding("iso8859-15")
    ('Windows-1252', 'EUC-JP', 'ISO 8859-15')
    """
    return _SHOWN.get(name) or name.upper().replace("_", "-").replace("ISO8859", "ISO 8859")
