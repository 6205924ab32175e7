"""Names of the same make, such as those of models, errors and groups: `X200`, `X200 Pro` and `X300`, `E1` and `E2`.

They have the same letters, and a number or an ending of their own. What is said of one of them is not said of another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Set
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.types import Span
from hopweave.text.currencies import CODES
from hopweave.text.key_terms import FUNCTION_WORDS
from hopweave.text.languages import months
from hopweave.text.values import MONTHS

_SUFFIXES = "Pro|Plus|Max|Mini|Ultra|Lite|Air|Basic|Classic|Compact|Premium|Deluxe|Sport|Turbo|HD|XL"
_ENDINGS = frozenset(_SUFFIXES.casefold().split("|"))
_NAME = lazy_pattern(
    rf"(?<![\w.,/-])(?P<make>[A-Z][A-Za-z]{{0,5}}-?|(?!(?:{'|'.join(CODES)})\b)[A-Z]{{2,5}} )"
    r"\d{1,4}[A-Z]?(?:-[A-Z]{1,2}\d?)?"
    r"(?![\w/-])(?![.,]\d)(?! ?[%°])"
    rf"(?: (?:{_SUFFIXES})\b)?"
)
"""One word of letters and digits, or capitals and a number: `X200 Pro`, `WM 40`. A sum of money is no name."""
_LETTERED = lazy_pattern(
    rf"(?<![\w'’-])(?P<make>(?!(?i:{'|'.join(sorted(FUNCTION_WORDS))})\s)[A-Za-z][a-z]{{2,}}\s)[A-HJ-Z](?![\w'’&/-])(?!\.\w|\.?\s[A-Z][a-z])"
)
"""A word and a letter that is no initial of a name: `sample A`, `Vitamin C`."""
_VARIANT = lazy_pattern(rf"(?<![\w-])(?P<base>[A-Z][\w-]*(?: [A-Z][\w-]*){{0,3}}) (?:{_SUFFIXES})\b")
_RANGE = lazy_pattern(r" ?(?:to|through|up to|–|—|-|\.\.) ?(?:the )?")
_BETWEEN = lazy_pattern(r"[,;] |\n|\s(?:and|or|but|while|whereas)\s")
_JOINED = lazy_pattern(r",?\s?(?:(?:and|or|/|&)\s?)?(?:the\s)?")
"""What stands between names of which the same is said."""
_WORD = lazy_pattern(r"[^\W_]+(?:\.\d+)*")
_ASKS_FOR_A_NAME = lazy_pattern(r"\b(?:what|which|who|than|like|or)\b", re.IGNORECASE)
_MOST_WORDS_BESIDE = 2
"""Beside a name that is an answer: `the`, or the name of a series."""
_DIGIT = lazy_pattern(r"\d")


class _Named(NamedTuple):
    """A name: its letters, which those of its make share, all of it, and where it stands."""

    make: str
    name: str
    span: Span


def is_of_another_name(query: str, sentence: str, focus: Span | None, above: Callable[[], Iterable[str]]) -> bool:
    """Whether some words of a sentence are said of another name than one of the same make that a query has.

    What they are said of is named in their part of the sentence, else in the sentence, else in the nearest heading above it.

    Args:
        query: the query.
        sentence: the sentence.
        focus: the position of the words in it; names in them do not count. `None` for all of it.
        above: gives the headings above it, from the nearest.

    >>> told = "The X200 has six cells, the X300 has eight."
    >>> [is_of_another_name("How many has the X300?", told, Span(start, start + 3), tuple) for start in (13, 37)]
    [True, False]
    """
    if _is_of_a_variant(query, [sentence, *above()]):
        return True
    asked = _names_by_make(query)
    return any(_is_said_of_another(make, names, sentence, focus, above) for make, names in asked.items())


def _is_of_a_variant(query: str, texts: Iterable[str]) -> bool:
    """Whether the first of some texts that has the name of a product of a query has only another one, such as `Terminal Pro`.

    >>> _is_of_a_variant("What does the Orlau Terminal cost?", ["The Terminal Pro costs 5."])
    True
    >>> _is_of_a_variant("What does the Orlau Terminal cost?", ["The Terminal costs 4, the Terminal Pro 5."])
    False
    """
    return next((has_only_one for text in texts if (has_only_one := _has_only_a_variant(text, query)) is not None), False)


@remembered
def _has_only_a_variant(text: str, query: str) -> bool | None:
    """Whether a text has a product of a query only in another one's name; `None` if it has no such name."""
    bases = {one["base"].removeprefix("The ") for one in _VARIANT.finditer(text)}
    alone = [re.compile(rf"(?<![\w-]){re.escape(base)}(?![\w-])(?! (?:{_SUFFIXES})\b)") for base in bases if base in query]
    asked = [pattern for pattern in alone if pattern.search(query)]
    return not any(pattern.search(text) for pattern in asked) if asked else None


def alike_names(text: str) -> list[str]:
    """The names of models, errors and the like in a text, in lower case.

    >>> alike_names("The X200 Pro shows E05.")
    ['x200 pro', 'e05']
    """
    return [one.name for one in _names_in(text)]


def is_one_of_several(said: str, title: str) -> bool:
    """Whether an answer is a name that a title has beside others of its make, so that not all below it is about it.

    >>> is_one_of_several("X200", "X200 and X300: manual"), is_one_of_several("X200", "X200: manual")
    (True, False)
    """
    own = {(one.make, one.name) for one in _names_in(said)}
    there = {(one.make, one.name) for one in _names_in(title)}
    return bool(own & there) and any(make == other and name != one for make, name in own for other, one in there)


def names_another(query: str, title: str) -> bool:
    """Whether a title has names of the make of one that a query has, and none of those that it has.

    >>> [names_another("How heavy is the X200?", title) for title in ("X300: manual", "X200 Pro: manual", "X200 and X300")]
    [True, True, False]
    """
    asked = _names_by_make(query)
    there = _names_by_make(title) if asked else {}
    return any(make in there and names.isdisjoint(there[make]) for make, names in asked.items())


def is_only_another_name(query: str, said: str) -> bool:
    """Whether an answer is a name and nothing else, of the make of one that a query has, which asks for no name.

    >>> is_only_another_name("Hardest water for an X200?", "The X300"), is_only_another_name("What is like an X200?", "X300")
    (True, False)
    """
    names = list(_names_in(said))
    if len(names) != 1 or _ASKS_FOR_A_NAME.search(query):
        return False
    [one] = names
    beside = _WORD.findall(said[: one.span.start] + said[one.span.end :])
    return len(beside) <= _MOST_WORDS_BESIDE and names_another(query, said)


def are_of_alike_things(one: str, other: str) -> bool:
    """Whether two titles are of things of one kind: `H4` and `H6`, or the same but for numbers, months, `Plus` and the like.

    >>> of_h4 = "Operating Manual Tarn H4"
    >>> [are_of_alike_things(of_h4, other) for other in ("TARN H6", f"{of_h4} Plus", "TARN H4", of_h4.upper())]
    [True, True, False, False]
    >>> are_of_alike_things("Price list 2023", "Price list 2024"), are_of_alike_things("Price list", "Price list (1)")
    (True, False)
    """
    left, right = (set(_WORD.findall(title.casefold())) for title in (one, other))
    names, other_names = _by_make(left), _by_make(right)
    if any(make[0:1].isalpha() and names[make].isdisjoint(other_names[make]) for make in names.keys() & other_names.keys()):
        return True
    only, only_there = _by_make(left - right), _by_make(right - left)
    are_numbered = "" not in only and "" not in only_there and only.keys() == only_there.keys()
    return left != right and bool(left & right) and are_numbered


def _by_make(words: Iterable[str]) -> dict[str, set[str]]:
    """Words by what comes before their numbers (`h#` has `h4`); months are of one make, and words without a number of none."""
    made: dict[str, set[str]] = {}
    for word in words:
        if word not in _ENDINGS:
            number = _DIGIT.search(word)
            is_month = word in MONTHS or word in months()
            made.setdefault(f"{word[: number.start()]}#" if number else "#month" if is_month else "", set()).add(word)
    return made


@remembered
def _names_by_make(text: str) -> dict[str, set[str]]:
    names: dict[str, set[str]] = {}
    for one in _names_in(text):
        names.setdefault(one.make, set()).add(one.name)
    return names


def _is_said_of_another(
    make: str, asked: Set[str], sentence: str, focus: Span | None, above: Callable[[], Iterable[str]]
) -> bool:
    there = [one for one in _names_in(sentence) if one.make == make]
    if any(_has_range(sentence, one) for one in there):
        return False
    told = [one for one in there if focus is None or not (one.span.start < focus.end and focus.start < one.span.end)]
    if focus is not None and (excepted := [one for one in told if _is_excepted(sentence, one, focus)]):
        if asked <= {one.name for one in excepted}:
            return True
        told = [one for one in told if one not in excepted]
    if told:
        part = _part_of(sentence, focus) if focus is not None else Span(0, len(sentence))
        beside = {one.name for group in _groups(sentence, told) if any(_is_in(part, one) for one in group) for one in group}
        return asked.isdisjoint(beside or {one.name for one in told})
    if there:  # the answer is a name of this make itself
        return False
    named = ({one.name for one in _names_in(heading) if one.make == make} for heading in above())
    return asked.isdisjoint(next(filter(None, named), asked))


def _groups(sentence: str, told: Iterable[_Named]) -> list[list[_Named]]:
    """Names of one make, those together of which the same is said: `the X200 and the X300`."""
    groups: list[list[_Named]] = []
    for one in told:
        if groups and _JOINED.fullmatch(sentence, groups[-1][-1].span.end, one.span.start):
            groups[-1].append(one)
        else:
            groups.append([one])
    return groups


def _is_excepted(sentence: str, one: _Named, focus: Span) -> bool:
    """Whether brackets that some words do not stand in have what is said of a name instead: `5 hours (X300: 4 hours)`."""
    return (
        sentence[one.span.start - 1 : one.span.start] == "("
        and sentence.startswith(":", one.span.end)
        and not one.span.start <= focus.start < sentence.find(")", one.span.end)
    )


def _is_in(part: Span, one: _Named) -> bool:
    return part.start <= one.span.start < part.end


def _part_of(sentence: str, focus: Span) -> Span:
    """The part of a sentence, between commas and the like, that some words stand in."""
    start = max((match.end() for match in _BETWEEN.finditer(sentence, 0, focus.start)), default=0)
    after = _BETWEEN.search(sentence, focus.end)
    return Span(start, after.start() if after is not None else len(sentence))


def _has_range(sentence: str, one: _Named) -> bool:
    """Whether a name is the beginning of a range: `X100 to X300`."""
    between = _RANGE.match(sentence, one.span.end)
    return between is not None and _NAME.match(sentence, between.end()) is not None


def _names_in(text: str) -> Iterator[_Named]:
    return iter(_found(text))


@remembered
def _found(text: str) -> tuple[_Named, ...]:
    return tuple(
        _Named(match["make"].casefold(), " ".join(match[0].split()).casefold(), Span(*match.span()))
        for match in (*_NAME.finditer(text), *_LETTERED.finditer(text))
    )
