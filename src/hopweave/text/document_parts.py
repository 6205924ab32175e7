"""Parts of documents (sections, articles, annexes, tables), by number or by heading; `part_references` has what refers to them.

A part has a *label*: `4.2` is that of a section, a chapter, a clause or an article, `annex d`, `table 2` and `figure 3` are
those of others, `annex d.4` is the fourth paragraph of an annex, and `: late payment` a section with that heading. What parts
are called is in `languages.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache, reduce
from itertools import accumulate, islice
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.preparation import prepared
from hopweave.core.types import Span
from hopweave.text.languages import NOTHING, words_of_all
from hopweave.text.scripts import RUN_TOGETHER, runs_together

_MOST_LABELS = 40
KINDS = {"sections": "", "annexes": "annex", "tables": "table", "figures": "figure"}
"""The kinds of parts: what `languages.toml` calls them, and labels do."""

NUMBER = (
    r"(?:\d{1,3}(?:\.\d{1,3}){0,5}(?:[a-z](?![a-z]))?|[A-Z](?:\.\d{1,3}){0,4}|[IVXL]{1,6})(?![A-Za-z\d])(?!\.\d)(?!-[A-Za-z])"
)
BEFORE_NUMBER = rf"[{RUN_TOGETHER}]{{1,4}}|(?<![\w.-])[^\W\d_](?:[^\W\d_]|-)*+\.?|[§¶]{{1,2}}"
A_NUMBER = lazy_pattern(NUMBER)
_HEADING = lazy_pattern(
    rf"(?:(?P<word>{BEFORE_NUMBER})\s{{0,2}})??(?P<number>{NUMBER})(?P<mark>\.?[.:)]|\s[—–-](?=\s))?(?=\s|\Z)"
)
_LONGEST_WORD = 24
_MOST_KEPT = 4096
_ITEM = lazy_pattern(r"\((\d{1,2}|[a-z])\)(?=\s)")
_WORD = lazy_pattern(r"[^\W_]+")
MOST_WORDS = 10
"""A heading of more words is not referred to in full."""

_CLOSED = (".", ";", ",", ":", "?", "!")
_LONGEST = 80
"""A line that is longer is no heading."""


class Parts(NamedTuple):
    """The labels of the parts that a passage is in, or has.

    Attributes:
        headed: those of which it has the heading, or a number of several levels.
        listed: those that may as well be the numbers of items in a list.
    """

    headed: frozenset[str]
    listed: frozenset[str]


class _Begun(NamedTuple):
    """A part that begins in a text: its label, where, and whether it has a heading, or a number of several levels."""

    label: str
    start: int
    is_headed: bool


def label_of(heading: str) -> str:
    """The label that a heading begins with; empty if it has none.

    >>> [label_of(one) for one in ("4.2 Late payment", "Annex B: Service levels", "§ 8 Fristen", "IV. Funds", "A new day")]
    ['4.2', 'annex b', '8', 'iv', '']
    """
    return _label_and_mark(heading.strip())[0]


def parts_of(title: str, sections: Sequence[str], text: str) -> Parts:
    """The labels of what a passage is in, by its title and sections, and of what begins in its text.

    >>> parts = parts_of("Supply contract", ["§ 8 Fristen"], "(1) Die Frist beträgt 21 Tage.")
    >>> sorted(parts.headed), sorted(parts.listed)
    (['8', ': fristen'], ['8.1'])
    """
    own = list(filter(None, map(label_of, (title, *sections))))
    around = list(accumulate(own, _below))
    headed, listed = {*around, *filter(None, map(_name_of, sections))}, set(own)
    for begun in _begun_in(title, sections, text):
        (headed if begun.is_headed else listed).add(begun.label)
    return Parts(frozenset(headed), frozenset(listed - headed))


def spans_of_part(title: str, sections: Sequence[str], text: str, label: str) -> list[Span]:
    """Where the part with a label is in the text of a passage, as far as it begins in it; several parts may have it.

    >>> text = "9.2 Crowns." + chr(10) + "9.3 It is 7%." + chr(10) + "9.4 None."
    >>> spans_of_part("Contract", ["9 Money"], text, "9.3")
    [Span(start=12, end=26)]
    """
    is_name = label[0] == ":"
    begun = [one for one in _begun_in(title, sections, text) if (one.label[0] == ":") == is_name]
    ends = [one.start for one in begun if is_name or not one.label.startswith(f"{label}.")]
    starts = [one.start for one in begun if one.label == label]
    return [Span(start, next((end for end in ends if end > start), len(text))) for start in starts]


def _begun_in(title: str, sections: Sequence[str], text: str) -> list[_Begun]:
    """The first parts that begin in the text of a passage."""
    base = reduce(_below, filter(None, map(label_of, (title, *sections))), "")
    return list(islice(_all_begun_in(base, text), _MOST_LABELS))


def _all_begun_in(base: str, text: str) -> Iterator[_Begun]:
    """The parts that begin in the text of a passage, given the label of the part that all of it is in."""
    within = base
    start = 0
    for whole in text.split("\n"):
        at, line = start, whole.strip()
        start += len(whole) + 1
        if not line:
            continue
        if item := _ITEM.match(line):
            yield _Begun(f"{within}.{item[1]}" if within else item[1], at, is_headed=False)
            continue
        own, is_marked = _label_and_mark(line)
        own = _in_full(base, own)
        is_short = len(line) <= _LONGEST
        if is_short and line[0].isupper() and not line.endswith(_CLOSED) and (name := _name_of(line)):
            yield _Begun(name, at, is_headed=True)
        if not own or not (is_marked or is_short or "." in own):
            continue
        is_heading = is_short and not line.endswith(_CLOSED)
        if own == base or own.startswith(f"{base}.") or (not base and (is_heading or "." in own)):
            yield _Begun(own, at, is_headed=True)
            within = own
        else:
            yield _Begun(_below(within, own), at, is_headed=False)


def names_a_part(text: str) -> bool:
    """Whether a text has a word for parts of documents, such as `clause`.

    >>> names_a_part("Which clause is about interest?"), names_a_part("What interest is due?")
    (True, False)
    """
    return any(kind_of(word) is not None for word in _WORD.findall(text))


def _name_of(heading: str) -> str:
    """The label of a section by what its heading says, without its number; empty if it says nothing, or too much."""
    match = _HEADING.match(heading) if _label_and_mark(heading)[0] else None
    words = words_in(heading[match.end() if match else 0 :])
    return f": {' '.join(words)}" if 0 < len(words) <= MOST_WORDS else ""


def words_in(text: str) -> list[str]:
    """The words of a heading, in small letters."""
    return _WORD.findall(text.casefold())


def _below(above: str, own: str) -> str:
    """The label of a part within another one, whose number it need not repeat."""
    own = _in_full(above, own)
    is_whole = not above or " " in own or own == above or own.startswith(f"{above}.")
    return own if is_whole else f"{above}.{own}"


def _in_full(above: str, own: str) -> str:
    """The label of a part that repeats the letter of the annex that it is in, such as `A.1` in `annex a`."""
    kind, _, number = above.rpartition(" ")
    return f"{kind} {own}" if kind and number[0].isalpha() and own.startswith(f"{number.partition('.')[0]}.") else own


def _label_and_mark(line: str) -> tuple[str, bool]:
    """The label that a line begins with, and whether that is more than a number: it has a point, or says of what it is one."""
    if around := around_numbers().match(line):
        return f"{kind_around(around)} {A_NUMBER.findall(around[0])[0]}".strip().lower(), True
    match = _HEADING.match(line)
    kind = kind_of(match["word"]) if match is not None and match["word"] else None
    if match is None or (match["word"] and kind is None):
        return "", False
    number = match["number"]
    is_marked = kind is not None or bool(match["mark"])
    is_number = is_marked or number[0].isdigit() or "." in number
    return (f"{kind or ''} {number}".strip().lower(), is_marked) if is_number else ("", False)


@lru_cache(_MOST_KEPT)
def kind_of(word: str) -> str | None:
    """The kind of parts that a word before a number is of; `None` if it is no such word."""
    if word[0] in "§¶":
        return ""
    found = (called for kind, called in KINDS.items() if _words_of(kind).search(word))
    return next(found, None) if len(word) <= _LONGEST_WORD or runs_together(word) else None


def kind_around(match: re.Match[str]) -> str:
    """The kind of parts that a match of `around_numbers` is of."""
    return next(called for kind, called in KINDS.items() if match[kind])


@prepared
@cache
def around_numbers() -> re.Pattern[str]:
    """The pattern of numbers in the middle of words for parts, or before them."""
    at = {kind: "|".join(words_of_all(f"{kind}_at")) or NOTHING for kind in KINDS}
    return re.compile("|".join(f"(?P<{kind}>{words})" for kind, words in at.items()).replace("#", NUMBER))


@cache
def _words_of(kind: str) -> re.Pattern[str]:
    """The pattern of the words for a kind of parts; where words are not spaced, they end with it."""
    spaced = "|".join(words for words in words_of_all(kind) if not runs_together(words))
    unspaced = "|".join(words for words in words_of_all(kind) if runs_together(words)) or NOTHING
    return re.compile(rf"(?i:\A(?:{spaced})\Z)|(?:{unspaced})\Z")
