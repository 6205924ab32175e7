"""The words of a text that refer to parts of documents, by number or by heading; see `document_parts`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.preparation import prepared
from hopweave.core.types import Span
from hopweave.text.document_parts import (
    A_NUMBER,
    BEFORE_NUMBER,
    KINDS,
    MOST_WORDS,
    NUMBER,
    around_numbers,
    kind_around,
    kind_of,
    words_in,
)
from hopweave.text.languages import NOTHING, language_of, languages_with, words_for, words_of_all
from hopweave.text.sentences import sentence_around

MAX_REFERENCES = 24
"""A text that refers to more is a list of references, of which the first are looked at."""

_AND = (
    r"(?:and|or|to|through|und|oder|bis|sowie|et|ou|à|y|o|e|en|tot|och|og|i|lub|a|nebo|ja|tai|și|sau|и|или|та|або|και|ή"
    r"|ve|veya)"
)
_BETWEEN = rf"(?:\s?[,;/&–—-]\s{{0,2}}(?:{_AND}\s)?|\s{{1,2}}{_AND}\s{{1,2}})"
_WITHIN = r"\(?(?:\d{1,3}|[A-Za-z]|[ivx]{1,4})\)?(?!\w)"
_AFTER_A_WORD = lazy_pattern(rf"(?P<word>{BEFORE_NUMBER})\s{{0,2}}\(?(?P<numbers>{NUMBER}(?:{_BETWEEN}{NUMBER}){{0,9}})\)?")
_TAIL_OF_BRACKETS = lazy_pattern(r"(?:\s?\((?:\d{1,2}|[a-z]{1,4})\)){1,3}")
_LEVEL = lazy_pattern(r"(?<!\w)(?:\d{1,3}|[A-Za-z]|[ivx]{1,4})(?=\)|\s|,|\Z)")
_AND_ANOTHER = lazy_pattern(rf"\s{{1,2}}{_AND}\s{{1,2}}")
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
"""How far from a reference the document that it is to is looked for."""


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


def sentence_of(reference: Reference, text: str) -> Span:
    """The sentence of a text that has a reference."""
    return sentence_around(text, Span(reference.start, reference.start + 1))


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
                words = words_in(named)[:MOST_WORDS]
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
        kind = kind_of(match["word"]) if match.start() >= end else None
        if kind is not None:
            tail = _TAIL_OF_BRACKETS.match(text, match.end()) or _tail().match(text, match.end())
            levels = () if tail is None else tuple(_LEVEL.findall(tail[0]))
            end = match.end() if tail is None else tail.end()
            yield _Numbers(kind, tuple(A_NUMBER.findall(match["numbers"])), levels, match.start(), end)
    for match in around_numbers().finditer(text) if language_of(text) in _languages_around() else ():
        yield _Numbers(kind_around(match), tuple(A_NUMBER.findall(match[0])), (), match.start(), match.end())


@prepared
@cache
def _tail() -> re.Pattern[str]:
    """The pattern of what follows the number of a part and says which part of it is meant."""
    return re.compile(rf"(?:,?\s{{1,2}}(?i:{'|'.join(words_of_all('within'))})\s{{0,2}}{_WITHIN}){{1,3}}")


@cache
def _languages_around() -> frozenset[str]:
    """The languages that have such words."""
    return frozenset(code for kind in KINDS for code in languages_with(f"{kind}_at"))


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
