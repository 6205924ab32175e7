"""Scripts that do not separate all words by spaces: Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese."""

from __future__ import annotations

import itertools
import re
import unicodedata
from functools import cache

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.preparation import prepared

_HAN_AND_KANA = (
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U000323af"
)
_HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7a3\ud7b0-\ud7fb"
_THAI_TO_BURMESE = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ebd\u0ec0-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u108f\u1780-\u17d3"
_MARKS = (
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064"
    "\u1067-\u106d\u1071-\u1074\u1082-\u108d\u108f\u17b4-\u17d3\u3099\u309a"
)
# Tone marks and signs that silence or stack letters: they are not letters, so they would split a term.
_JAMO = "\u1160-\u11ff"  # vowels and final consonants of a decomposed syllable
_SIGNS = lazy_pattern("[\u0e47-\u0e4c\u0e4e\u0ec8-\u0ecc\u0ece\u1037\u1039\u103a\u17c9-\u17d3\u3099\u309a]+")

RUN_TOGETHER = f"{_HAN_AND_KANA}{_HANGUL}{_THAI_TO_BURMESE}"
"""The letters of these scripts, for a character class. Korean has spaces, but particles are attached to its words."""

MARKS = f"\u0300-\u036f{_MARKS}{_JAMO}"
"""Signs that belong to the letter before them, including accents of other scripts, for a character class."""

WORD_SIZED = (
    rf"[{_HAN_AND_KANA}]{{1,2}}[\u3001\u3002\u3008-\u3011\u3014-\u301f\uff01-\uff0f\uff1a\uff1b\uff1f\uff61-\uff65]*+"
    rf"|(?:[{_THAI_TO_BURMESE}][{_MARKS}]*+){{1,5}}"
)
"""Matches pieces about as long as a word, with the punctuation after them, in the scripts without spaces."""

STOPS = ("。", "！", "；")
"""What ends a statement in the scripts without spaces."""

COMMAS = "，、；،؛"
"""What parts a statement in scripts with commas of their own, for a character class."""

NO_BLANKS = f"{_HAN_AND_KANA}{_THAI_TO_BURMESE}"
"""The letters of the scripts without spaces, for a character class."""

_RUN = lazy_pattern(f"[{RUN_TOGETHER}]+")
_SAYING_LITTLE = "的了是在吗呢和与及或于其之为由被将把就也都而但并么嗎與於為將這这那哪个個些些什谁誰何几幾您你我们們很以"
"""Letters of Chinese that join words or ask; so do most words in hiragana."""

_WIDE = lazy_pattern("[\uff01-\uffdc]+")
_ANY = lazy_pattern(f"[{RUN_TOGETHER}\uff01-\uffdc]")
_LETTER = lazy_pattern(rf"[^{_MARKS}][{_MARKS}]*|[{_MARKS}]+")
_WITHOUT_BLANKS = lazy_pattern(f"[{NO_BLANKS}]")
_SIZED_OR_SPACED = lazy_pattern(rf"{WORD_SIZED}|[^\s{NO_BLANKS}]+")


def runs_together(text: str) -> bool:
    """Whether a text has letters of these scripts, or wide forms of Latin ones."""
    return not text.isascii() and _ANY.search(text) is not None


def lacks_blanks(text: str) -> bool:
    """Whether a text has letters of scripts without spaces between words."""
    return not text.isascii() and _WITHOUT_BLANKS.search(text) is not None


def num_words(text: str) -> int:
    """How many words a text has; without spaces, two characters of Chinese, and five letters of Thai, count as one.

    >>> num_words("an old oak"), num_words("東京は日本の首都。")
    (3, 4)
    """
    return sum(1 for _ in _SIZED_OR_SPACED.finditer(text)) if lacks_blanks(text) else len(text.split())


def apart(text: str) -> str:
    """A text with spaces between letters that run together, so that each of them is a word.

    >>> apart("1868年に")
    '1868 年  に '
    """
    return _RUN.sub(lambda run: f" {'  '.join(run[0])} ", text) if runs_together(text) else text


def content_apart(text: str) -> str:
    """A text with its runs of these letters replaced by words that say something, as far as that is plain without a dictionary.

    These are overlapping pairs of Chinese letters and of those of other scripts, and whole words in katakana. Hiragana, which
    mostly inflects and joins words, is left out, and so are letters of Chinese that do.

    >>> content_apart("水車は廃止されたコード").split()
    ['水車', '廃止', 'コード']
    """
    return _content_runs().sub(_content, text) if runs_together(text) else text


def in_pairs(text: str) -> str:
    """A text with each run of these letters replaced by its overlapping pairs, as in Lucene's analyzer for them.

    A letter keeps its vowel signs; a single letter stays. Wide and narrow forms become the usual ones. Nothing else changes.

    >>> in_pairs("東京都 in 1868年")
    ' 東京 京都  in 1868 年 '
    """
    if not runs_together(text):
        return text
    return _RUN.sub(_pairs, _WIDE.sub(lambda wide: unicodedata.normalize("NFKC", wide[0]), text))


@prepared
@cache
def _content_runs() -> re.Pattern[str]:
    return re.compile(
        r"(?P<han>[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]+)|(?P<kana>[\u30a1-\u30fa\u30fc-\u30ff]+)"
        rf"|(?P<hiragana>[\u3041-\u3096\u309d-\u309f]+)|(?P<other>[{RUN_TOGETHER}]+)"
    )


def _content(run: re.Match[str]) -> str:
    if run["kana"]:
        return f" {run[0]} "
    if run["hiragana"]:
        return " "
    if run["han"]:
        pieces = re.split(f"[{_SAYING_LITTLE}]", run[0])
        return f" {' '.join(pair for piece in pieces for pair in _paired(piece))} "
    return _pairs(run)


def _paired(letters: str) -> list[str]:
    return [first + second for first, second in itertools.pairwise(letters)] or [letters]


def _pairs(run: re.Match[str]) -> str:
    letters = _LETTER.findall(_SIGNS.sub("", run[0]))
    pairs = [first + second for first, second in itertools.pairwise(letters)]
    return f" {' '.join(pairs or letters)} "
