"""Sentences that give several things a value each, in parts of their own: `0.84 with Suladin and 1.27 with placebo`.

Where a part of a sentence has all the words of the question that another part has, and more, a value of the latter is not the
one that was asked for. Only values of one kind are compared (`text.values_alike`). English is understood, and
in part the languages whose words `languages.toml` has.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

from hopweave.citations.rules.bounds import bounds_asked, is_bound_asked
from hopweave.citations.rules.in_order import is_in_order, is_of_another_in_order
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.types import Span
from hopweave.text.content_words import anchors, keys_of, stem
from hopweave.text.languages import NOTHING, language_of, words_for
from hopweave.text.scripts import COMMAS
from hopweave.text.table_rows import is_row
from hopweave.text.values_alike import COUNTED, NUMBER, Value, are_alike, value_at, values_in
from hopweave.text.wanted import Wanted, content_stems, letters_in, stem_asked

_WRAPPED = lazy_pattern(
    r"(?<=[a-z,])\n(?=[a-z(])|(?<=\b(?:at|by|in|of|on|to))\n|(?<=\b(?:and|for|the))\n|(?<=\b(?:from|with))\n"
)
"""A line break within a clause: a small letter follows, or it is behind a word that ends none."""
_BRACKET = lazy_pattern(r"[()\[\]]")
_MASK = "\N{SYMBOL FOR NULL}"
_VERB = lazy_pattern(
    r"\b(?:is|are|was|were|be|been|has|have|had|may|can|must|should|will|does|did|do|\w{2,}ed|fell|rose|ran|grew|took|gave|made|led|began"
    r"|became|built|held|came|went|left|got|kept|brought|bought|lost|lies|stands|lives|means|comes|goes|gives|takes|needs)\b",
    re.IGNORECASE,
)
_AUXILIARY = lazy_pattern(r"is|are|was|were|be|been|has|have|had|may|can|must|should|will|does|did|do", re.IGNORECASE)
_STANDS_FOR = lazy_pattern(r"\b(?:its?|they|their|those|that|these|he|his|she|her)\b", re.IGNORECASE)
_REFERS_BACK = lazy_pattern(r"\b(?:(?:that|this|such|those|these)\s\w+|thereafter|afterwards)\b", re.IGNORECASE)
_OPENS_TOO, _COMPARES = "|except|save|unless", r"|vs\.?|versus|against|compared (?:with|to)"
"""What else parts a sentence of English."""
_BEFORE = "in|by|at|to|from|of|for|with|on|was|were|is|are|it|only|about|up|and|or|a|an|the"
_CLAUSES = lazy_pattern(r";\s+|,?\s(?:while|whereas)\s", re.IGNORECASE)
_SAME_VERB = lazy_pattern(
    r"(?<![\w'’.-])(?:[A-Z][\w'’.-]*\s){1,4}(?P<verb>(?!(?:as|has|his|is|its|this|was)\b)[a-z]{2,}(?:s|ed))\s[^,;]{0,80}?(?P<cut>,\s(?:and\s|but\s)?)"
    r"(?=(?:[A-Z][\w'’.-]*\s){1,4}(?P=verb)\s)"
)
"""`Ada uses cod, Ida uses trout`."""
_LETTERS = lazy_pattern(r"[^\W\d_]+")
_PREPOSITIONS = "in by at to from of for with on as after before under until"
_NO_SUBJECT = frozenset(f"{_PREPOSITIONS} then later again first online finally".split())
_CLOSING = frozenset({";", ""})
"""What ends a clause, with a line break: it does not join what is before it to what is after it."""
_PER = lazy_pattern(r"(?:\s(?:for|in))?\s(?:per|an?|each|every)\s\w+", re.IGNORECASE)
_FEWEST_PARTS, _MOST_PARTS = 2, 20
"""With more parts, a sentence is a list or a table that was not read as one."""


class _Words(NamedTuple):
    """The words of a language, as patterns.

    Attributes:
        between: what stands between parts. Behind some words, a part begins that may have its value only after a comma:
            `but for keys, 5`.
        before: what stands before a value and is not what it is about.
    """

    between: re.Pattern[str]
    before: re.Pattern[str]


@cache
def _words(code: str) -> _Words:
    joins, opens = "|".join(words_for(code, "joins").split()) or NOTHING, words_for(code, "opens") or NOTHING
    before, compares = "|".join([*words_for(code, "small").split(), words_for(code, "cases") or NOTHING]), ""
    if code == "en":
        opens, before, compares = opens + _OPENS_TOO, _BEFORE, _COMPARES
    return _Words(
        re.compile(
            rf"(?P<opens>,?\s(?:{opens})\s|,\s(?:{joins}),\s)|;\s+|\n\s*|,\s+(?:(?:{joins})\s)?|[{COMMAS}]|\s(?:{joins}{compares})\s",
            re.IGNORECASE,
        ),
        re.compile(rf"(?:\W|\b(?:{before})\b)*", re.IGNORECASE),
    )


def _words_of(sentence: str, language: str) -> _Words:
    return _words(language or language_of(sentence) or "en")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a sentence with a value.

    Attributes:
        span: where it is.
        value: its first value.
        begins_with_value: whether the value comes before what it is about.
        is_bare: whether nothing follows the value, like `3` in `3, 5 and 7 days`.
    """

    span: Span
    value: Value
    begins_with_value: bool
    is_bare: bool


def is_in_other_part(wanted: Wanted, sentence: str, focus: Span, values: Sequence[Value], language: str = "") -> bool:
    """Whether a value stands in another part of a sentence than the one that is asked for.

    If a maximum or a minimum is asked for, it does if another value of its kind is one, and it is none.

    Args:
        wanted: what is asked for.
        sentence: the sentence.
        focus: the position of the value in it.
        values: all its values.
        language: the code of its language, if that is known better than by the sentence alone.

    >>> told = "It was 0.84 in the treated group and 1.27 in the other."
    >>> wanted = Wanted("What was it in the treated group?", {"treat", "group"})
    >>> [is_in_other_part(wanted, told, Span(start, start + 4), values_in(told)) for start in (7, 37)]
    [False, True]
    """
    if is_row(sentence):
        return False
    wanted = wanted.without(content_stems(sentence[focus.start : focus.end]))
    own = value_at(focus, values)
    if own is None:
        return (language or language_of(sentence)) in {"", "en"} and _is_in_other_clause(wanted, sentence, focus)
    if is_in_order(sentence):
        return is_of_another_in_order(wanted, sentence, focus)
    masked = _masked(sentence)
    is_bracketed = masked[own.span.start] == _MASK
    alike = [one for one in values if are_alike(one.kind, own.kind) and (masked[one.span.start] == _MASK) == is_bracketed]
    asked = keys_of(wanted.query)  # a number of the question is no answer
    alike = [one for one in alike if one == own or not keys_of(sentence[one.span.start : one.span.end]) <= asked]
    if any(one.kind == NUMBER for one in alike):  # what is counted is named for one number, and meant for others as well
        wanted = wanted.without({one.kind.removeprefix(COUNTED) for one in alike})
    meant = bounds_asked(wanted.query, sentence, alike)
    if meant and own not in meant and is_bound_asked(wanted.query):
        return True
    return _is_another_meant(wanted, sentence, own, meant if own in meant else alike, language)


def _is_another_meant(wanted: Wanted, sentence: str, own: Value, alike: Sequence[Value], language: str) -> bool:
    """Whether the part with another one of some values alike has more of what is wanted."""
    parts = parts_with(sentence, alike, language)
    here = next((part for part in parts if part.span.start <= own.span.start < part.span.end), None)
    if here is None or not _FEWEST_PARTS <= len(parts) <= _MOST_PARTS:
        return False
    is_named_after = any(part.begins_with_value for part in parts[1:])
    has_verb = bool(verbs_in(sentence[here.span.start : here.span.end]))
    is_alone = _words_of(sentence, language).before.fullmatch(sentence, here.span.start, here.value.span.start) is not None
    if here.is_bare and ((is_named_after and not has_verb) or is_alone):
        return False  # what another part says is of this one as well: `3 and 5 gates`, `6.1 vs. 9.8`
    return any(_is_meant(wanted, sentence, other, here, is_named_after=is_named_after) for other in parts if other != here)


def is_unchosen(wanted: Wanted, sentence: str, focus: Span, values: Sequence[Value], language: str = "") -> bool:
    """Whether a value stands beside others of its kind, each with words of its own, and none of these words is wanted.

    What comes before the first value is said of all of them where the others have their words behind them.

    Args:
        wanted: what is asked for.
        sentence: the sentence.
        focus: the position of the value in it.
        values: all its values.
        language: as for `is_in_other_part`.

    >>> told = "It is 5 for adults and 3 for children."
    >>> [is_unchosen(Wanted("", {word}), told, Span(6, 7), values_in(told)) for word in ("price", "adult", "child")]
    [True, False, False]
    """
    own = value_at(focus, values)
    if own is None or own.kind == "date" or is_row(sentence) or is_in_order(sentence):
        return False
    masked = _masked(sentence)
    alike = [one for one in values if are_alike(one.kind, own.kind) and masked[one.span.start] != _MASK]
    parts = parts_with(sentence, alike, language) if own in alike else []
    if not _FEWEST_PARTS <= len(parts) <= _MOST_PARTS:
        return False
    is_named_after = all(part.begins_with_value for part in parts[1:])
    said = [_own_words(sentence, part, is_named_after=is_named_after) for part in parts]
    if not all(map(content_stems, said)) or any(map(wanted.among, said)):
        return False
    units = {part.value: wanted.among(_unit(sentence, part)) for part in parts}  # what is paid a month, and not for an hour
    return not units.pop(own, None) or any(units.values())


def _unit(sentence: str, part: Part) -> str:
    """What the value of a part is counted by: `a month`."""
    found = _PER.match(sentence, part.value.span.end)
    return found[0] if found else ""


def _own_words(sentence: str, part: Part, *, is_named_after: bool) -> str:
    """What is said of the value of a part alone, without itself and what it is counted by: `per share`."""
    value = part.value.span
    before = "" if is_named_after else sentence[part.span.start : value.start]
    return _without_brackets(f"{before} {_PER.sub('', sentence[value.end : part.span.end])}")


def _is_in_other_clause(wanted: Wanted, sentence: str, focus: Span) -> bool:
    """Whether some words without a number are in another full clause than the one with the words of a query, and more of them.

    >>> told = "The author was Ada Finch; the editor was Ida Renn."
    >>> [_is_in_other_clause(Wanted("", {"edito"}), told, Span(start, start + 3)) for start in (15, 41)]
    [True, False]
    """
    masked = _masked(sentence)
    same = list(_SAME_VERB.finditer(masked))
    cuts = sorted([*(cut.span() for cut in _CLAUSES.finditer(masked)), *(cut.span("cut") for cut in same)])
    verb = re.compile("|".join([_VERB.pattern, *(rf"\b{re.escape(one['verb'])}\b" for one in same)]), re.IGNORECASE)
    starts, ends = [0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(sentence)]
    clauses = [sentence[start:end] for start, end in zip(starts, ends, strict=True)]
    own = next((index for index, end in enumerate(ends) if starts[index] <= focus.start and focus.end <= end), None)
    if own is None or not verb.search(clauses[own]) or _STANDS_FOR.search(clauses[own]):
        return False
    if own > 0 and not _has_subject(clauses[own], ""):
        return False
    here = wanted.among(clauses[own])
    return len(clauses) <= _MOST_PARTS and any(here < wanted.among(one) and verb.search(one) for one in clauses)


def _is_meant(wanted: Wanted, sentence: str, other: Part, own: Part, *, is_named_after: bool) -> bool:
    """Whether another part has the words that are wanted of the part with the value, and more."""
    texts = _texts(sentence, other, own, is_named_after=is_named_after)
    later = max((own, other), key=lambda part: part.span.start)
    goes_on = not _VERB.search(texts[later])
    here, there = wanted.among(texts[own]), wanted.among(texts[other])
    if here < there or (_has_other_verb(texts[own], wanted.words) and verbs_in(texts[other]) & wanted.words):
        return True
    if not (goes_on or _STANDS_FOR.search(texts[later])):
        return False
    # What the later part leaves out is that of the earlier one, so only names and numbers of their own tell them apart.
    opening = content_stems(sentence.split(maxsplit=1)[0])
    ours, theirs = (_own_names(texts[one], own.value.kind) - opening for one in (own, other))
    return bool(ours - theirs) and bool((theirs - ours) & wanted.words) and not (ours - theirs) & wanted.words


def _texts(sentence: str, other: Part, own: Part, *, is_named_after: bool) -> dict[Part, str]:
    """What the part with the value and another one say, each without what is said of both."""
    earlier, later = sorted((own, other), key=lambda part: part.span.start)
    start, after = earlier.span.start, sentence[later.span.start : later.span.end]
    value = earlier.value.span.start
    if is_named_after:
        start = value
    elif later == own and not _has_subject(after, own.value.kind) and (verb := _VERB.search(sentence, start, value)):
        start = verb.start()  # what is said of the subject is not said of the earlier value alone
    before = sentence[start : earlier.span.end]
    if _masked(sentence)[own.value.span.start] != _MASK:
        before, after = _without_brackets(before), _without_brackets(after)
    if _REFERS_BACK.search(after):
        after = f"{sentence[earlier.span.start : earlier.span.end]} {after}"
    elif not _VERB.search(after):
        before = _VERB.sub(" ", before)
    return {earlier: before, later: after}


def parts_with(sentence: str, values: Sequence[Value], language: str = "") -> list[Part]:
    """The parts of a sentence with one of some values; what has none belongs to the part before it, else to the next."""
    words = _words_of(sentence, language)
    cuts = list(words.between.finditer(_WRAPPED.sub(" ", _masked(sentence))))
    starts, ends = [0, *(cut.end() for cut in cuts)], [*(cut.start() for cut in cuts), len(sentence)]
    begun = [value.span.start for value in values]
    parts: list[Part] = []
    waiting = -1
    for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
        is_closed = number > 0 and cuts[number - 1][0].strip() in _CLOSING
        waiting = -1 if is_closed else waiting
        at = bisect_left(begun, start)
        if at < len(begun) and begun[at] < end:
            parts.append(_part(words, sentence, Span(start if waiting < 0 else waiting, end), values[at]))
            waiting = -1
            continue
        is_opened = number > 0 and cuts[number - 1]["opens"] is not None and at < len(begun)
        if parts and parts[-1].span.end == ends[number - 1] and not is_closed and not is_opened:
            parts[-1] = replace(parts[-1], span=Span(parts[-1].span.start, end))
        else:
            waiting = start if waiting < 0 else waiting
    return parts


def _part(words: _Words, sentence: str, span: Span, value: Value) -> Part:
    is_first = words.before.fullmatch(sentence, span.start, value.span.start) is not None
    has_more = _LETTERS.search(_without_brackets(sentence[value.span.end : span.end])) is not None
    return Part(span, value, is_first and has_more, not has_more)


def verbs_in(part: str) -> set[str]:
    """The stems of the verbs of a part, without auxiliaries."""
    return {stem(match[0]) for match in _VERB.finditer(part) if not _AUXILIARY.fullmatch(match[0])}


def _has_other_verb(part: str, words: Set[str]) -> bool:
    """Whether a part has verbs, and none of them is among some words."""
    verbs = verbs_in(part)
    return bool(verbs) and not verbs & words


def _has_subject(part: str, kind: str) -> bool:
    """Whether a part that goes on after another begins with a subject of its own: dates are often of the same one."""
    first = _LETTERS.search(part)
    if first is None or first[0].casefold() in _NO_SUBJECT or _VERB.fullmatch(first[0]):
        return False
    return kind != "date" or first[0][0].isupper()


def _own_names(part: str, kind: str) -> set[str]:
    """The words with capitals or digits of a part, without its brackets and its values of a kind."""
    said = list(_without_brackets(part))
    for value in values_in("".join(said)):
        if are_alike(value.kind, kind):
            said[value.span.start : value.span.end] = " " * (value.span.end - value.span.start)
    left = "".join(said)
    return {stem_asked(key) for name in anchors(left) for key in keys_of(name)} | letters_in(left)


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
