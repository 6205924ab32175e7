"""Sentences that give several things a value each, in parts of their own: `0.84 with Suladin and 1.27 with placebo`.

Where a part of a sentence has all the words of the question that another part has, and more, a value of the latter is not the
one that was asked for. Only values of one kind are compared: two percentages, two dates, two times. Only English is understood.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Set
from dataclasses import dataclass, replace

from hopweave.core.memoize import remembered
from hopweave.core.types import Span
from hopweave.text.content_words import anchors, keys_of, stem
from hopweave.text.languages import is_foreign
from hopweave.text.table_rows import is_row
from hopweave.text.values import MONTHS

_BETWEEN = re.compile(
    r";\s+|\n\s*|,\s+(?:(?:and|or|but|while|whereas)\s)?"
    r"|\s(?:and|or|but|while|whereas|vs\.?|versus|against|compared (?:with|to))\s",
    re.IGNORECASE,
)
_BRACKET = re.compile(r"[()\[\]]")
_MASK = "\N{SYMBOL FOR NULL}"
_NUMBER = r"[-−–]?\d+(?:[.,]\d+)*"
_SECONDS = "ms|s|sec(?:ond)?s?|min(?:ute)?s?|h|hrs?|hours?|days?|weeks?|months?|years?"
_UNITS = (
    "%|percent|per cent|°\\s?[CFK]|[kmµun]?g|mcg|[mµd]?l|[kcmnµ]?m|[mµn]?mol|[mkµ]?I?U|[kM]?W|[kKMG]?i?B|bytes?|[kMG]?Hz|[mk]?V"
    "|bar|k?Pa|mmHg|EUR|USD|GBP|CHF|dollars?|euros?|pounds?"
)
_MONTHS = "|".join(MONTHS)
_OFTEN = r"(?:once|twice|(?:three|four) times)\s(?:an?\s\w+|(?:per|every|each)\s\w+|daily|weekly|monthly|yearly)"
_VALUE = re.compile(
    rf"(?<![\w.,])(?:(?P<often>{_OFTEN})(?!\w)|(?P<date>(?:\d{{1,2}}\s)?\b(?:{_MONTHS})[a-z]*\.?(?:\s\d{{1,2}},?)?\s\d{{4}}|(?:1\d|20)\d\d(?![\w.,]\d))(?!\w)"
    rf"|[€$£]?{_NUMBER}(?:\s?±\s?{_NUMBER})?(?:(?:\s?(?:to|-|–)\s?){_NUMBER})?"
    rf"(?:[\s-]?(?:(?P<time>{_SECONDS})|(?P<unit>(?:{_UNITS})(?:/\w+)*)))?(?![\w]))",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|may|can|must|should|will|does|did|do|\w{2,}ed|fell|rose|ran|grew|took|gave|made|led|began"
    r"|became|built|held|came|went|left|got|kept|brought|bought|lost|lies|stands|lives|means|comes|goes|gives|takes|needs)\b",
    re.IGNORECASE,
)
_AUXILIARY = re.compile(r"is|are|was|were|be|been|has|have|had|may|can|must|should|will|does|did|do", re.IGNORECASE)
_STANDS_FOR = re.compile(r"\b(?:its?|they|their|those|that|these|he|his|she|her)\b", re.IGNORECASE)
_BEFORE_A_VALUE = re.compile(
    r"(?:\W|\b(?:in|by|at|to|from|of|for|with|on|was|were|is|are|it|only|about|up|and|or|a|an|the)\b)*", re.IGNORECASE
)
_CLAUSES = re.compile(r";\s+|,?\s(?:while|whereas)\s", re.IGNORECASE)
_COMMA = re.compile(r",\s*")
_IN_A_LIST = re.compile(_NUMBER)
_JOINS_NUMBERS = re.compile(rf"(?:\s?(?:{_UNITS}|{_SECONDS})(?:/\w+)*)?(?:,?\s(?:and|or)\s|,\s)", re.IGNORECASE)
_LIST_OF_NAMES = re.compile(
    r"(?<![^\s,;()])(?P<first>[^\s,;()]+)(?P<middle>(?:,\s(?!and\s|or\s)[^,;()]{1,40}?){0,8}),?\s(?:and|or)\s(?:the\s)?(?P<last>[^\s,;().]+)"
)
_IN_ORDER = re.compile(r"\brespectively\b", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]+")
_NAMED_BY_LETTER = re.compile(r"(?<=[a-z] )[A-Z](?![\w.]\w|\w)")
_PREPOSITIONS = "in by at to from of for with on as after before under until"
_NO_SUBJECT = frozenset(f"{_PREPOSITIONS} then later again first online finally".split())
_CLOSING = frozenset({";", ""})
"""What ends a clause, with a line break: it does not join what is before it to what is after it."""
_FEWEST_PARTS, _MOST_PARTS = 2, 20
"""With more parts, a sentence is a list or a table that was not read as one."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a sentence with a value.

    Attributes:
        span: where it is.
        value: where its first value begins.
        kind: of that: `date`, `time`, a unit, or nothing for a bare number; after a bracket if it is in brackets.
        begins_with_value: whether the value comes before what it is about.
        is_bare: whether nothing follows the value, like `3` in `3, 5 and 7 days`.
    """

    span: Span
    value: int
    kind: str
    begins_with_value: bool
    is_bare: bool


def is_in_other_part(query: str, sentence: str, focus: Span) -> bool:
    """Whether a value stands in another part of a sentence than the one that a query asks for.

    Args:
        query: the query, or a statement that says what the value is.
        sentence: the sentence.
        focus: the position of the value in it.

    >>> told = "It was 0.84 in the treated group and 1.27 in the other."
    >>> [is_in_other_part("What was it in the treated group?", told, Span(start, start + 4)) for start in (7, 37)]
    [False, True]
    """
    if is_foreign(query) or is_foreign(sentence) or is_row(sentence):
        return False
    kind = _kind_at(sentence, focus)
    if kind is None:
        return _is_in_other_clause(query, sentence, focus)
    if _IN_ORDER.search(sentence):
        return _is_of_another_in_order(query, sentence, focus)
    parts = _parts_with(sentence, kind)
    own = next((part for part in parts if part.span.start <= focus.start < part.span.end), None)
    if own is None or not _FEWEST_PARTS <= len(parts) <= _MOST_PARTS:
        return False
    wanted = _words(query) - _words(sentence[focus.start : focus.end])
    is_named_after = any(part.begins_with_value for part in parts[1:])
    if own.is_bare and (is_named_after or _BEFORE_A_VALUE.fullmatch(sentence, own.span.start, own.value)):
        return False  # what another part says is of this one as well: `3 and 5 gates`, `6.1 vs. 9.8`
    return any(_is_meant(wanted, sentence, other, own, is_named_after=is_named_after) for other in parts if other != own)


def _is_in_other_clause(query: str, sentence: str, focus: Span) -> bool:
    """Whether some words without a number are in another full clause than the one with the words of a query, and more of them.

    >>> told = "The author was Ada Finch; the editor was Ida Renn."
    >>> [_is_in_other_clause("Who was the editor?", told, Span(start, start + 3)) for start in (15, 41)]
    [True, False]
    """
    cuts = list(_CLAUSES.finditer(_masked(sentence)))
    starts, ends = [0, *(cut.end() for cut in cuts)], [*(cut.start() for cut in cuts), len(sentence)]
    clauses = [sentence[start:end] for start, end in zip(starts, ends, strict=True)]
    own = next((index for index, end in enumerate(ends) if starts[index] <= focus.start and focus.end <= end), None)
    if own is None or not _VERB.search(clauses[own]) or _STANDS_FOR.search(clauses[own]):
        return False
    if own > 0 and not _has_subject(clauses[own], ""):
        return False
    wanted = _words(query) - _words(sentence[focus.start : focus.end])
    here = wanted & _words(clauses[own])
    return len(clauses) <= _MOST_PARTS and any(here < wanted & _words(one) and _VERB.search(one) for one in clauses)


def _is_of_another_in_order(query: str, sentence: str, focus: Span) -> bool:
    """Whether the query has another of the things of a list than the one whose place in it is that of a value in its list.

    >>> told = "It was seen in 1, 7 and 3 cases in groups A, B and C, respectively."
    >>> [_is_of_another_in_order("How many were seen in group B?", told, Span(at, at + 1)) for at in (15, 18, 24)]
    [True, False, True]
    """
    numbers = list(_IN_A_LIST.finditer(sentence))
    at = next((index for index, number in enumerate(numbers) if number.start() <= focus.start < number.end()), None)
    if at is None:
        return False
    first = last = at
    while first and _JOINS_NUMBERS.fullmatch(sentence, numbers[first - 1].end(), numbers[first].start()):
        first -= 1
    while last + 1 < len(numbers) and _JOINS_NUMBERS.fullmatch(sentence, numbers[last].end(), numbers[last + 1].start()):
        last += 1
    asked = _words(query)
    for names in _LIST_OF_NAMES.finditer(sentence):
        items = [names["first"], *filter(None, _COMMA.split(names["middle"])), names["last"]]
        if len(items) == last - first + 1 and not any(item[0].isdigit() for item in items):
            named = [index for index, item in enumerate(items) if _words(f"a {item}") & asked]
            if len(named) == 1:
                return named[0] != at - first
    return False


def _is_meant(wanted: Set[str], sentence: str, other: _Part, own: _Part, *, is_named_after: bool) -> bool:
    """Whether another part has the words that are wanted of the part with the value, and more."""
    earlier, later = sorted((own, other), key=lambda part: part.span.start)
    start, after = earlier.span.start, sentence[later.span.start : later.span.end]
    if is_named_after:
        start = earlier.value
    elif later == own and not _has_subject(after, own.kind) and (verb := _VERB.search(sentence, start, earlier.value)):
        start = verb.start()  # what is said of the subject is not said of the earlier value alone
    before = sentence[start : earlier.span.end]
    if not own.kind.startswith("("):
        before, after = _without_brackets(before), _without_brackets(after)
    goes_on = not _VERB.search(after)
    if goes_on:
        before = _VERB.sub(" ", before)
    texts = {earlier: before, later: after}
    here, there = wanted & _words(texts[own]), wanted & _words(texts[other])
    if here < there or (_verbs(texts[own]) and not _verbs(texts[own]) & wanted and _verbs(texts[other]) & wanted):
        return True
    if not (goes_on or _STANDS_FOR.search(after)):
        return False
    # What the later part leaves out is that of the earlier one, so only names and numbers of their own tell them apart.
    opening = _words(sentence.split(maxsplit=1)[0])
    ours, theirs = (_own_names(texts[one], own.kind) - opening for one in (own, other))
    return bool(ours - theirs) and bool((theirs - ours) & wanted) and not (ours - theirs) & wanted


def _parts_with(sentence: str, kind: str) -> list[_Part]:
    """The parts of a sentence, each with a value of a kind; what has none belongs to the part before it, else to the next."""
    whole = _masked(sentence)
    cuts = list(_BETWEEN.finditer(whole))
    starts, ends = [0, *(cut.end() for cut in cuts)], [*(cut.start() for cut in cuts), len(sentence)]
    values = [match.start() for match in _VALUE.finditer(sentence) if _kind_in(whole, match) == kind]
    parts: list[_Part] = []
    waiting = -1
    for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
        is_closed = number > 0 and cuts[number - 1][0].strip() in _CLOSING
        waiting = -1 if is_closed else waiting
        at = bisect_left(values, start)
        if at < len(values) and values[at] < end:
            parts.append(_part(sentence, Span(start if waiting < 0 else waiting, end), values[at], kind))
            waiting = -1
        elif parts and not is_closed and parts[-1].span.end == ends[number - 1]:
            last = parts[-1]
            parts[-1] = replace(last, span=Span(last.span.start, end))
        else:
            waiting = start if waiting < 0 else waiting
    return parts


def _part(sentence: str, span: Span, value: int, kind: str) -> _Part:
    behind = _VALUE.match(sentence, value)
    after = _without_brackets(sentence[behind.end() if behind else value : span.end])
    before = sentence[span.start : value]
    is_first = _BEFORE_A_VALUE.fullmatch(before) is not None
    has_more = _LETTERS.search(after) is not None
    return _Part(span, value, kind, is_first and has_more, not has_more)


def _verbs(part: str) -> set[str]:
    """The stems of the verbs of a part, without auxiliaries."""
    return {stem(match[0]) for match in _VERB.finditer(part) if not _AUXILIARY.fullmatch(match[0])}


def _has_subject(part: str, kind: str) -> bool:
    """Whether a part that goes on after another begins with a subject of its own: dates are often of the same one."""
    first = _LETTERS.search(part)
    if first is None or first[0].casefold() in _NO_SUBJECT or _VERB.fullmatch(first[0]):
        return False
    return kind != "date" or first[0][0].isupper()


def _own_names(part: str, kind: str) -> set[str]:
    """The words with capitals or digits of a part, without its brackets and its values of a kind."""
    said = _VALUE.sub(lambda match: " " if _kind(match) == kind else match[0], _without_brackets(part))
    return {stem(key) for name in anchors(said) for key in keys_of(name)} | _letters(said)


def _kind_at(sentence: str, focus: Span) -> str | None:
    found = next((match for match in _VALUE.finditer(sentence) if match.end() > focus.start), None)
    return _kind_in(_masked(sentence), found) if found is not None and found.start() < focus.end else None


def _kind_in(masked: str, match: re.Match[str]) -> str:
    """The kind of a value; those in brackets are not compared with those outside."""
    return f"({_kind(match)}" if masked[match.start()] == _MASK else _kind(match)


@remembered
def _masked(sentence: str) -> str:
    """A sentence with a mask for each character in brackets that are closed."""
    opened: list[int] = []
    outer: list[tuple[int, int]] = []
    for mark in _BRACKET.finditer(sentence):
        if mark[0] in "([":
            opened.append(mark.start())
        elif opened:
            start = opened.pop()
            while outer and outer[-1][0] > start:
                outer.pop()
            outer.append((start, mark.end()))
    letters = list(sentence)
    for start, end in outer:
        letters[start:end] = _MASK * (end - start)
    return "".join(letters)


def _without_brackets(text: str) -> str:
    return _masked(text).replace(_MASK, " ")


def _kind(match: re.Match[str]) -> str:
    if match["date"]:
        return "date"
    return "time" if match["time"] or match["often"] else "".join((match["unit"] or "").split()).replace("percent", "%")


def _words(text: str) -> set[str]:
    """The stems of the content words of a text, and its letters that name something: `group B`."""
    said = {stem(key) for word in keys_of(text) for key in word.split("-")}
    return said | _letters(text)


def _letters(text: str) -> set[str]:
    return {match[0] for match in _NAMED_BY_LETTER.finditer(text)}
