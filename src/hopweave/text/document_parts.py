"""Parts of documents (sections, articles, annexes, tables), and the words that refer to them, by number or by heading.

A part has a *label*: `4.2` is that of a section, a chapter, a clause or an article, `annex d`, `table 2` and `figure 3` are
those of others, `annex d.4` is the fourth paragraph of an annex, and `: late payment` a section with that heading. What parts
are called is in `languages.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from functools import cache, lru_cache
from itertools import islice, pairwise
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.preparation import prepared
from hopweave.core.types import Span
from hopweave.text.languages import NOTHING, language_of, languages_with, words_for, words_of_all
from hopweave.text.scripts import RUN_TOGETHER, runs_together

MAX_REFERENCES = 24
"""A text that refers to more is a list of references, of which the first are looked at."""

_MOST_LABELS = 40
_KINDS = {"sections": "", "annexes": "annex", "tables": "table", "figures": "figure"}
"""The kinds of parts: what `languages.toml` calls them, and labels do."""

_NUMBER = (
    r"(?:\d{1,3}(?:\.\d{1,3}){0,5}(?:[a-z](?![a-z]))?|[A-Z](?:\.\d{1,3}){0,4}|[IVXL]{1,6})(?![A-Za-z\d])(?!\.\d)(?!-[A-Za-z])"
)
_AND = (
    r"(?:and|or|to|through|und|oder|bis|sowie|et|ou|à|y|o|e|en|tot|och|og|i|lub|a|nebo|ja|tai|și|sau|и|или|та|або|και|ή"
    r"|ve|veya)"
)
_BETWEEN = rf"(?:\s?[,;/&–—-]\s{{0,2}}(?:{_AND}\s)?|\s{{1,2}}{_AND}\s{{1,2}})"
_WITHIN = r"\(?(?:\d{1,3}|[A-Za-z]|[ivx]{1,4})\)?(?!\w)"
_BEFORE_NUMBER = rf"[{RUN_TOGETHER}]{{1,4}}|(?<![\w.-])[^\W\d_](?:[^\W\d_]|-)*+\.?|[§¶]{{1,2}}"
_AFTER_A_WORD = lazy_pattern(rf"(?P<word>{_BEFORE_NUMBER})\s{{0,2}}\(?(?P<numbers>{_NUMBER}(?:{_BETWEEN}{_NUMBER}){{0,9}})\)?")
_A_NUMBER = lazy_pattern(_NUMBER)
_TAIL_OF_BRACKETS = lazy_pattern(r"(?:\s?\((?:\d{1,2}|[a-z]{1,4})\)){1,3}")
_LEVEL = lazy_pattern(r"(?<!\w)(?:\d{1,3}|[A-Za-z]|[ivx]{1,4})(?=\)|\s|,|\Z)")
_HEADING = lazy_pattern(
    rf"(?:(?P<word>{_BEFORE_NUMBER})\s{{0,2}})??(?P<number>{_NUMBER})(?P<mark>\.?[.:)]|\s[—–-](?=\s))?(?=\s|\Z)"
)
_LONGEST_WORD = 24
_MOST_KEPT = 4096
_ITEM = lazy_pattern(r"\((\d{1,2}|[a-z])\)(?=\s)")
_WORD = lazy_pattern(r"[^\W_]+")
_AND_ANOTHER = lazy_pattern(rf"\s{{1,2}}{_AND}\s{{1,2}}")
_MOST_WORDS = 10
"""A heading of more words is not referred to in full."""

_CLOSED = (".", ";", ",", ":", "?", "!")
_LONGEST = 80
"""A line that is longer is no heading."""

_OF = lazy_pattern(r"\s{1,2}(?:of|in|to|from|der|des|de|du|del|della|do|da|van)\s{1,2}(?:the\s)?", re.IGNORECASE)
_LAW = lazy_pattern(
    r"\s{1,2}(?!(?:MUST|SHALL|SHOULD|MAY|CAN|WILL|IS|ARE|AND|OR|NOT|REQUIRED|RECOMMENDED|OPTIONAL)\b)([A-ZÄÖÜ]\w{0,9}[A-Z]\w{0,9})\b"
)
_NAMED_AFTER = lazy_pattern(
    r",?\s{1,2}(?:of|in|to|from|under|der|des|dem|zu[mr]?|vom|von|de|du|del|della|do|da|van|av|af|z)\s{1,2}(?:the\s|la\s)?"
    r"([^,.;:]{2,60})"
)
_NAMED_BEFORE = lazy_pattern(r"\b([A-Z]{2,8}[ -]?\d[\w./-]{0,20})\]?,?\s{1,2}\Z")
_CALLED_BY_NUMBER = lazy_pattern(r"\A[^\W\d_a-z].*?(?:\d{3}|\b[A-Z]{2,}[ -]?\d)|\A\[")
_FARTHEST = 40
"""How far before a reference the document that it is to is looked for."""


class Parts(NamedTuple):
    """The labels of the parts that a passage is in, or has.

    Attributes:
        headed: those of which it has the heading, or a number of several levels.
        listed: those that may as well be the numbers of items in a list.
    """

    headed: frozenset[str]
    listed: frozenset[str]


class Reference(NamedTuple):
    """Words that refer to a part.

    Attributes:
        labels: its label, and then those of the parts that it is in, such as `9.2` and `9`.
        start: where the words begin.
        end: where they end; of a heading, where they may end at the latest.
        elsewhere: what may be the name of the document that has the part; empty for the one that refers to it.
        is_elsewhere: whether it is surely another document than the one that refers to it.
    """

    labels: tuple[str, ...]
    start: int
    end: int
    elsewhere: str = ""
    is_elsewhere: bool = False


class _Begun(NamedTuple):
    """A part that begins in a text: its label, where, and whether it has a heading, or a number of several levels."""

    label: str
    start: int
    is_headed: bool


class _Numbers(NamedTuple):
    """Numbers, and the words before them that say of what they are.

    Attributes:
        kind: as in labels.
        numbers: one or more.
        within: what is meant of the last of them, such as `4` in `Annex D, paragraph 4`.
        start: where the words begin.
        end: where they end.
    """

    kind: str
    numbers: tuple[str, ...]
    within: tuple[str, ...]
    start: int
    end: int


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
    headed: set[str] = set()
    listed: set[str] = set()
    base = ""
    for own in filter(None, map(label_of, (title, *sections))):
        listed.add(own)
        base = _below(base, own)
        headed.add(base)
    headed.update(filter(None, map(_name_of, sections)))
    for begun in islice(_begun_in(base, text), _MOST_LABELS):
        (headed if begun.is_headed else listed).add(begun.label)
    return Parts(frozenset(headed), frozenset(listed - headed))


def spans_of_parts(title: str, sections: Sequence[str], text: str, labels: Container[str]) -> list[Span]:
    """Where the parts with some labels are in the text of a passage, as far as they begin in it.

    >>> text = "9.2 Crowns." + chr(10) + "9.3 It is 7%." + chr(10) + "9.4 None."
    >>> spans_of_parts("Contract", ["9 Money"], text, {"9.3"})
    [Span(start=12, end=26)]
    """
    base = ""
    for own in filter(None, map(label_of, (title, *sections))):
        base = _below(base, own)
    begun = list(islice(_begun_in(base, text), _MOST_LABELS))
    spans = []
    for at, one in enumerate(begun):
        if one.label in labels:
            others = (two for two in begun[at + 1 :] if two.label[0] == ":" or not two.label.startswith(f"{one.label}."))
            after = next((two for two in others if (two.label[0] == ":") == (one.label[0] == ":")), None)
            spans.append(Span(one.start, after.start if after is not None else len(text)))
    return spans


def _begun_in(base: str, text: str) -> Iterator[_Begun]:
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


@remembered
def references(text: str) -> tuple[Reference, ...]:
    """What a text refers to, in order.

    >>> [one.labels for one in references("Interest is due (see clauses 1.3 and 4; Annex D, paragraph 4).")]
    [('1.3', '1'), ('4',), ('annex d.4', 'annex d')]
    >>> [(one.labels, one.elsewhere) for one in references("As in Section 4 of RFC 7636, and in paragraph 2 of Article 5.")]
    [(('4',), 'RFC 7636'), (('5.2', '5'), '')]
    """
    found = sorted(_numbers_in(text), key=lambda one: one.start)
    # Of "paragraph 2 of Article 5", the first is part of the second.
    inner = {of.start: part for part, of in pairwise(found) if _OF.fullmatch(text, part.end, of.start)}
    parts = {part.start for part in inner.values()}
    whole = (one for one in found if one.start not in parts)
    numbered = [one for of in whole for one in _references_to(of, inner.get(of.start), text)]
    by_heading = _by_heading(text, frozenset(one.start for one in found))
    return tuple(sorted([*numbered, *by_heading], key=lambda one: one.start)[:MAX_REFERENCES])


def numbered_references(text: str) -> list[Reference]:
    """What a text refers to by number, in order."""
    return [one for one in references(text) if not one.labels[0].startswith(":")]


def names_a_part(text: str) -> bool:
    """Whether a text has a word for parts of documents, such as `clause`.

    >>> names_a_part("Which clause is about interest?"), names_a_part("What interest is due?")
    (True, False)
    """
    return any(_kind_of(word) is not None for word in _WORD.findall(text))


def _by_heading(text: str, numbered: frozenset[int]) -> Iterator[Reference]:
    """What a text refers to by a heading, of which it is not known how long it is: the longest is the likeliest.

    Args:
        text: the text.
        numbered: where references by number begin, which are none by heading.
    """
    for match in _before_headings(language_of(text) or "en").finditer(text):
        if match.start("name") not in numbered:
            of = _section_of().search(text, match.start("name"), match.end("name") + _FARTHEST)
            for named in _AND_ANOTHER.split(match["name"], maxsplit=1):
                words = _words_in(named)[:_MOST_WORDS]
                labels = tuple(f": {' '.join(words[:num])}" for num in range(len(words), 0, -1))
                if labels:
                    yield Reference(labels, match.start(), match.end(), (of[1] or of[2]) if of else "", of is not None)


def _references_to(found: _Numbers, inner: _Numbers | None, text: str) -> Iterator[Reference]:
    """The references that numbers are, given what is meant of the last of them, if that precedes it."""
    start = found.start if inner is None else inner.start
    within = found.within if inner is None else (*found.within, *inner.numbers[:1], *inner.within)
    elsewhere, is_elsewhere = _elsewhere(text, start, found.end)
    for at, number in enumerate(found.numbers, start=1):
        levels = [*number.split("."), *(within if at == len(found.numbers) else ())]
        labels = [f"{found.kind} {'.'.join(levels[:num])}".strip().lower() for num in range(len(levels), 0, -1)]
        yield Reference(tuple(labels), start, found.end, elsewhere, is_elsewhere)


def _elsewhere(text: str, start: int, end: int) -> tuple[str, bool]:
    """What may name the document of a part, and whether it is surely another one: it is called by a number, or is a law."""
    if law := _LAW.match(text, end):
        return law[1], True
    if after := _NAMED_AFTER.match(text, end):
        return after[1], _CALLED_BY_NUMBER.search(after[1]) is not None
    before = _NAMED_BEFORE.search(text, max(0, start - _FARTHEST), start)
    return (before[1], True) if before else ("", False)


def _numbers_in(text: str) -> Iterator[_Numbers]:
    end = 0
    for match in _AFTER_A_WORD.finditer(text):
        kind = _kind_of(match["word"]) if match.start() >= end else None
        if kind is not None:
            tail = _TAIL_OF_BRACKETS.match(text, match.end()) or _tail().match(text, match.end())
            levels = () if tail is None else tuple(_LEVEL.findall(tail[0]))
            end = match.end() if tail is None else tail.end()
            yield _Numbers(kind, tuple(_A_NUMBER.findall(match["numbers"])), levels, match.start(), end)
    for match in _around_numbers().finditer(text) if language_of(text) in _languages_around() else ():
        yield _Numbers(_kind_around(match), tuple(_A_NUMBER.findall(match[0])), (), match.start(), match.end())


def _name_of(heading: str) -> str:
    """The label of a section by what its heading says, without its number; empty if it says nothing, or too much."""
    match = _HEADING.match(heading) if _label_and_mark(heading)[0] else None
    words = _words_in(heading[match.end() if match else 0 :])
    return f": {' '.join(words)}" if 0 < len(words) <= _MOST_WORDS else ""


def _words_in(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _below(above: str, own: str) -> str:
    """The label of a part within another one, whose number it need not repeat."""
    is_whole = not above or " " in own or own == above or own.startswith(f"{above}.")
    return own if is_whole else f"{above}.{own}"


def _label_and_mark(line: str) -> tuple[str, bool]:
    """The label that a line begins with, and whether that is more than a number: it has a point, or says of what it is one."""
    if around := _around_numbers().match(line):
        return f"{_kind_around(around)} {_A_NUMBER.findall(around[0])[0]}".strip().lower(), True
    match = _HEADING.match(line)
    kind = _kind_of(match["word"]) if match is not None and match["word"] else None
    if match is None or (match["word"] and kind is None):
        return "", False
    number = match["number"]
    is_marked = kind is not None or bool(match["mark"])
    return (f"{kind or ''} {number}".strip().lower(), is_marked) if is_marked or number[0].isdigit() else ("", False)


@lru_cache(_MOST_KEPT)
def _kind_of(word: str) -> str | None:
    """The kind of parts that a word before a number is of; `None` if it is no such word."""
    if word[0] in "§¶":
        return ""
    found = (called for kind, called in _KINDS.items() if _words_of(kind).search(word))
    return next(found, None) if len(word) <= _LONGEST_WORD or runs_together(word) else None


def _kind_around(match: re.Match[str]) -> str:
    return next(called for kind, called in _KINDS.items() if match[kind])


@prepared
@cache
def _tail() -> re.Pattern[str]:
    """The pattern of what follows the number of a part and says which part of it is meant."""
    return re.compile(rf"(?:,?\s{{1,2}}(?i:{'|'.join(words_of_all('within'))})\s{{0,2}}{_WITHIN}){{1,3}}")


@prepared
@cache
def _around_numbers() -> re.Pattern[str]:
    """The pattern of numbers in the middle of words for parts, or before them."""
    at = {kind: "|".join(words_of_all(f"{kind}_at")) or NOTHING for kind in _KINDS}
    return re.compile("|".join(f"(?P<{kind}>{words})" for kind, words in at.items()).replace("#", _NUMBER))


@cache
def _languages_around() -> frozenset[str]:
    """The languages that have such words."""
    return frozenset(code for kind in _KINDS for code in languages_with(f"{kind}_at"))


@cache
def _words_of(kind: str) -> re.Pattern[str]:
    """The pattern of the words for a kind of parts; where words are not spaced, they end with it."""
    spaced = "|".join(words for words in words_of_all(kind) if not runs_together(words))
    unspaced = "|".join(words for words in words_of_all(kind) if runs_together(words)) or NOTHING
    return re.compile(rf"(?i:\A(?:{spaced})\Z)|(?:{unspaced})\Z")


@cache
def _before_headings(code: str) -> re.Pattern[str]:
    """The pattern of what a text in a language refers to by its heading, with the words that follow."""
    refers, sections = words_for(code, "refers") or NOTHING, words_for(code, "sections") or NOTHING
    section = rf"(?:{sections})\s{{1,2}}(?:(?:called|on|titled|entitled|about|named)\s{{1,2}})?"
    article = r"(?:(?:the|den|die|das|la|le|el|il|o|a|az|de|het)\s{1,2})?"
    before = rf"(?:(?:{refers})\s{{1,2}}{article}(?:{section})?|(?:{sections})\s{{1,2}}(?=[\"“„«]))"
    name = r"(?P<name>(?!\w{1,3}\s\d)[^\W\d](?:[^.;()\n\"”“»\]]|\n(?!\n)){2,80})"
    return re.compile(rf"(?<![\w-])(?i:{before})[\[\"“„«‘']?{name}")


@prepared
@cache
def _section_of() -> re.Pattern[str]:
    """The pattern of what names the document of a section after its heading."""
    named = rf"(?i:{'|'.join(words_of_all('sections'))})\s{{1,2}}(?i:of|in)\s{{1,2}}(?i:the\s)?(?!this\b)([^,;:]{{2,60}})"
    return re.compile(rf"\b(?:{named}|(?i:of|in)\s{{1,2}}([\w.+-]{{1,40}}\(\d[a-z]?\)))")
