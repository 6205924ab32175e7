"""Ties claims to exact spans of passages."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.prompt import unescape
from hopweave.core.types import Citation, Passage, Span
from hopweave.text.citation_marks import settle_marks
from hopweave.text.final import short_form
from hopweave.text.languages import is_foreign
from hopweave.text.quotation import PLAIN, QUOTATION_MARKS
from hopweave.text.scripts import MARKS, NO_BLANKS, RUN_TOGETHER, runs_together
from hopweave.text.sentences import sentence_around
from hopweave.text.values import with_grouped_numbers
from hopweave.text.white_space import evenly_spaced

NOT_IN_CORPUS = "not-in-corpus:"
"""Prefix of the id of a passage that the model wrote: it may appear in a ranking, but cannot support anything."""

_EDGES = f" \t\n{QUOTATION_MARKS}.,;:()[]。、，．！？：；（）《》"
_BETWEEN_SIGNS = lazy_pattern(rf"(?<=[{NO_BLANKS}、。，；：！？）」』])\s+(?=[{NO_BLANKS}（「『])")
"""White space where a script has none: a line ends there, or ended before the text was read."""

_MAY_BE_GROUPS = lazy_pattern(r"\d[\s'’]\d{3}|[만억천백]\s\d")
_NUMERALS = "〇零一二三四五六七八九十百千万億兆萬亿"
"""Of numbers in Chinese and Japanese letters, of which a part is another number."""

_SCALES = "百千万億兆萬亿"
"""Those that may stand between the digits of a number: `12万5千`."""

_KOREAN_SCALES = tuple(unicodedata.normalize(form, scale) for form in ("NFC", "NFKD") for scale in "백천만억")
"""The same in Korean, as written and in the letters that are compared."""

_LAST_OF_SCALES = {*_SCALES, *(scale[-1] for scale in _KOREAN_SCALES)}

_IN_NUMBERS = ".,'’٬٫"
"""What stands between the digits of a number."""

_OF_A_TIME = r"(?<=\d:)\d\d(?!\d)"
"""The minutes of a time of day."""


def _behind_scales(sign: str, after: str = "") -> list[str]:
    """Lookbehinds for a digit and its scale in Korean, such as `5천` and `5천만`, with something after it."""
    of_length: dict[int, list[str]] = {}
    for scale in _KOREAN_SCALES:
        heads = [unicodedata.normalize("NFKD" if len(scale) > 1 else "NFC", head) for head in ("", "십", "백", "천")]
        for form in (rf"\d{head}{scale}{after}" for head in heads):
            of_length.setdefault(len(form), []).append(form)
    return [f"(?<{sign}{'|'.join(forms)})" for forms in of_length.values()]


_NO_DIGITS_BEFORE = (
    rf"(?<!\d[{_IN_NUMBERS}])(?<![\d{_NUMERALS}][{_SCALES}])(?!{_OF_A_TIME})"
    f"{''.join([*_behind_scales('!'), *_behind_scales('!', ',')])}"
)
_NO_DIGITS_AFTER = rf"(?![{_IN_NUMBERS}]\d|:\d\d(?!\d)|[{_SCALES}]|{'|'.join(_KOREAN_SCALES)})"
_NO_DIGITS_AFTER_A_SCALE = rf"(?!(?<=[\d{_NUMERALS}][{_SCALES}])\d|(?:{'|'.join(_behind_scales('='))}),?\d)"

_LETTER = rf"[^\W{RUN_TOGETHER}]"  # a letter of a script with spaces; the others may directly adjoin a word

_spaced = remembered(evenly_spaced)


def cite(mark: int, passage: Passage, focus: Span) -> Citation:
    """Cites the sentences of a passage around the words that answer the query."""
    quoted = sentence_around(passage.text, focus)
    return Citation(mark, passage.id, quoted.start, quoted.end, passage.text[quoted.start : quoted.end], focus)


def locate(words: str, text: str) -> Span | None:
    """The position in a text of words that a model copied.

    They must match exactly, or up to case, white space, accents, the style of quotation marks and dashes, invisible characters
    and the surrounding punctuation; in scripts without spaces, up to line breaks. The first exact match is preferred, then the
    first other one. Only complete words match, and no number inside a larger one. The span refers to the original text, so
    `text[span.start:span.end]` is always an exact quote.
    """
    there = _searched(text)
    if there.is_grouped:
        words = with_grouped_numbers(words, is_spaced=True)
    folded = there.folded
    for wanted in _wanted(words):
        for word in wanted.words:
            if word not in folded:
                break
        else:
            span = _first(wanted.exact, there.text) or _alike(wanted.letters, folded, there.places, there.text)
            if span is not None:
                return span
    return None


class _Searched(NamedTuple):
    """A text in which words are searched for.

    Attributes:
        text: with the groups of digits of a number as one, so that none is found as a number of its own; of the same length.
        is_grouped: whether there are any.
        folded: its letters as they are compared.
        places: the position of the character that each of them came from.
    """

    text: str
    is_grouped: bool
    folded: str
    places: Sequence[int]


@remembered
def _searched(text: str) -> _Searched:
    grouped = text if _MAY_BE_GROUPS.search(text) is None else with_grouped_numbers(text, is_spaced=is_foreign(text))
    folded, places = _folded_text(grouped)
    return _Searched(grouped, grouped != text, folded, places)


class _Wanted(NamedTuple):
    """Words that are searched for.

    Attributes:
        exact: as they are.
        letters: the same, folded.
        words: the words of `letters`; a text can only have either form if it has all of them, folded, which is a fast test.
    """

    exact: str
    letters: str
    words: tuple[str, ...]


@remembered
def _wanted(words: str) -> tuple[_Wanted, ...]:
    """The forms in which copied words are searched for, in order."""
    said = unescape(words)
    forms = dict.fromkeys((short_form(said), said.strip(_EDGES)))
    spoken = [form for form in forms if any(map(str.isalnum, form))]
    folded = [_folded_text(form)[0] for form in spoken]
    return tuple(_Wanted(form, letters, tuple(letters.split())) for form, letters in zip(spoken, folded, strict=True))


def _alike(letters: str, folded: str, places: Sequence[int], text: str) -> Span | None:
    """The first match up to letter shapes, found in a folded copy of the text that remembers where each letter came from."""
    match = _first(letters, folded) if letters.strip() else None
    if match is None:
        return None
    start, end = places[match.start], places[match.end - 1] + 1
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    return Span(start, end)


def _folded_text(text: str) -> tuple[str, Sequence[int]]:
    """The letters of a text as they are compared, and the position of the character that each came from."""
    if text.isascii():  # each character is one letter
        return text.translate(PLAIN).casefold(), range(len(text))
    folded = [_folded(char) for char in text]
    for gap in _BETWEEN_SIGNS.finditer(text) if runs_together(text) else ():
        folded[gap.start() : gap.end()] = [""] * (gap.end() - gap.start())
    places = array("L", (place for place, letters in enumerate(folded) for _ in letters))
    return "".join(folded), places


def _first(wanted: str, text: str) -> Span | None:
    """The first match of words in a text, with any white space between them, not inside a longer word or number.

    In scripts without spaces, such as Japanese, any letters may precede and follow them.
    """
    spaced, evenly = _spaced(wanted), _spaced(text)
    if spaced not in evenly:
        return None
    if spaced != wanted or (" " in spaced and evenly != text):
        match = _pattern(wanted).search(text)
        return Span(match.start(), match.end()) if match else None
    before, after = _before(wanted[0]), _after(wanted[-1])
    start = text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if before.match(text, start) and after.match(text, end):
            return Span(start, end)
        start = text.find(wanted, start + 1)
    return None


def _pattern(wanted: str) -> re.Pattern[str]:
    words = r"\s++".join(map(re.escape, wanted.split()))
    return re.compile(f"{_before(wanted[0]).pattern}{words}{_after(wanted[-1]).pattern}")


@lru_cache(512)
def _before(first: str) -> re.Pattern[str]:
    """What must hold before words that begin with a character: no letter, and not the first digits of the same number."""
    no_letter = rf"(?<!{_LETTER})" if re.match(_LETTER, first) else ""
    no_numeral = f"(?<![{_NUMERALS}])" if first in _NUMERALS else ""
    return re.compile(no_letter + no_numeral + (_NO_DIGITS_BEFORE if first.isdigit() else ""))


@lru_cache(512)
def _after(last: str) -> re.Pattern[str]:
    """What must hold after words that end with a character: no letter, accent, or further digits of the same number."""
    after = rf"(?!{_LETTER}|[{MARKS}])" if re.match(r"\w", last) else ""
    if re.match(f"[{RUN_TOGETHER}]", last):
        after = f"(?![{MARKS}])" + (f"(?![{_NUMERALS}])" if last in _NUMERALS else "")
        after += _NO_DIGITS_AFTER_A_SCALE if last in _LAST_OF_SCALES else ""
    return re.compile(after + (_NO_DIGITS_AFTER if last.isdigit() else ""))


@lru_cache(4096)
def _folded(char: str) -> str:
    decomposed = unicodedata.normalize("NFKD", char.translate(PLAIN)).casefold()
    return "".join(letter for letter in decomposed if unicodedata.category(letter) not in {"Mn", "Cf"})


def on_one_line(text: str) -> str:
    """A query or an answer on one line, without its own marks."""
    return " ".join(settle_marks(text, ())[0].split())
