"""Questions that compare two things: how they are recognised, and how their values are compared, by code.

A small model finds the two values and then picks the wrong side, so it is only asked for the values. Dates are compared by
year, then month, then day, as far as both sides name them; numbers by their size; anything else by its words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.content_words import anchors
from hopweave.text.key_terms import words_in
from hopweave.text.languages import is_foreign
from hopweave.text.sizes import is_measured, order_of, order_of_versions
from hopweave.text.values import DATE, MONTHS, agree_by_value, normalize_values, parts_of_date

Wanted = Literal["least", "most", "same"]

_YES_OR_NO = lazy_pattern(r"\s*(?:are|were|is|was|do|does|did|have|has|had)\b", re.IGNORECASE)
_SAME = lazy_pattern(r"\b(?:same|both|share|shares|shared|alike)\b", re.IGNORECASE)
_TWO = lazy_pattern(r"\bor\b|\bof the two\b|\bbetween\s(?!\d)\S+(?:\s\S+){0,5}\sand\b", re.IGNORECASE)
_OF_NAMES = lazy_pattern(r"\bbetween\b|\bout of\b|\bthan\b", re.IGNORECASE)
"""Of a comparison only if the question names two things: not of `more than 10 days` or `two days out of the week`."""
_CHOICE = lazy_pattern(r"[A-Z0-9]\S*\s+or\s+(?:(?:the|an?)\s+)?[\"\u201c]?[A-Z0-9]")
_LEAST = lazy_pattern(
    r"\b(?:first|earlier|earliest|older|oldest|elder|eldest|before|shorter|shortest|fewer|fewest|smaller|smallest|less|least"
    r"|lower|lowest|nearer|closer)\b",
    re.IGNORECASE,
)
_END = lazy_pattern(r"\b(?:died?|dies|deaths?|ended|closed|dissolved)\b", re.IGNORECASE)
_MOST = lazy_pattern(
    r"\b(?:later|latest|younger|youngest|newer|newest|after|(?:more|most)\s+recent(?:ly)?|recent|longer|longest|larger|largest"
    r"|bigger|biggest|greater|greatest|higher|highest|taller|tallest|more|most|farther|further)\b",
    re.IGNORECASE,
)
_BY_TIME = lazy_pattern(r"\b(?:first|earlier|later|older|newer|sooner|since|recent(?:ly)?|longer)\b", re.IGNORECASE)
_THE_THING, _THE_OTHER = lazy_pattern(r"\bX\b"), lazy_pattern(r"\bY\b")
_SAME_WHAT = lazy_pattern(r"\bsame\s+(\w+)", re.IGNORECASE)
_NO_RELATION = """number amount kind type sort size length version release edition copy which one two both all some most many
part half lot means out"""
"""Words before `of` after which no other thing is meant than the one that is named: `the number of lines`."""
_THROUGH = lazy_pattern(
    r"\bwhose\b|\b(?:has|have|had)\s+(?:a|an|the)\s+(?!(?:most|more|fewer|fewest|less|least|same)\b)[a-z]|\bboth\s+[a-z]\w*(?:or|er)s\b"
    r"|\b[a-z]\w*['’]s\s+[a-z]\w*(?:or|er|ess|ist)\b"
    rf"|\b(?!(?:{'|'.join(_NO_RELATION.split())})\b)[a-z]\w*\s+of\s+"
    r"(?:(?:the\s+)?(?:[a-z]\w*\s+){0,2}[\"\u201c]?(?!I\b)[A-Z0-9]|both\b)"
)
_LONG = lazy_pattern(r"\b(?:older|oldest|longer|longest|greater|higher)\b", re.IGNORECASE)
_SHORT = lazy_pattern(r"\b(?:younger|youngest|shorter|shortest|lower)\b", re.IGNORECASE)
_LAST_OF = lazy_pattern(r".*\bor\s+(?:(?:the|an?)\s+)?\W?(\w+)", re.IGNORECASE)
_BIRTH = lazy_pattern(r"\b(?:born|birth|older|oldest|elder|eldest|younger|youngest)\b", re.IGNORECASE)
_AGE = lazy_pattern(r"\b(?:age|ages|lived|lives|living)\b", re.IGNORECASE)
_BORN = lazy_pattern(r"\b(?:born|b\.)", re.IGNORECASE)
_MONTH = rf"(?:{'|'.join(MONTHS)})"
_WRITTEN_DATE = lazy_pattern(
    rf"\b(?:(?:\d{{1,2}}\s+)?{_MONTH}\s+[12]\d{{3}}|{_MONTH}\s+\d{{1,2}},\s+[12]\d{{3}}|[12]\d{{3}})\b", re.IGNORECASE
)
_BRITISH = frozenset({"british", "english", "scottish", "welsh"})
_BRACKET = lazy_pattern(r"\(([^()]*)\)")


@dataclass(frozen=True, slots=True)
class Side:
    """One of two things that a question compares.

    Attributes:
        name: the name of the thing in the question.
        through: the related thing whose value is compared, such as the director of a film; empty if it is the thing itself.
        ask: the question for its value.
        value: the value to compare, as a fact states it.
        fact: the number of the fact, from 1; 0 if there is none.
    """

    name: str
    through: str
    ask: str
    value: str
    fact: int


def wanted_of(question: str) -> Wanted | None:
    """The comparison of two values that a question asks for; `None` if it compares nothing.

    >>> wanted_of("Which film came out first, Low Water or The Long Tide?")
    'least'
    >>> wanted_of("Are Sula and Orlau in the same country?")
    'same'
    >>> wanted_of("Was Orla Bridge or Kerrow Light built first?")
    'least'
    >>> wanted_of("Who was the first mayor of Orlau?")
    >>> wanted_of("What does Ida pay for each mile if she has driven more than 10,000?")
    """
    if is_foreign(question):
        return None
    if _YES_OR_NO.match(question) and not is_choice(question):
        return "same" if _SAME.search(question) else None
    if not _TWO.search(question) and not (_OF_NAMES.search(question) and _num_named(question) > 1):
        return None
    if _AGE.search(question) and (_LONG.search(question) or _SHORT.search(question)):
        return "most" if _LONG.search(question) else "least"
    if _MOST.search(question):
        return "most"
    return "least" if _LEAST.search(question) else None


def _num_named(question: str) -> int:
    return sum(name[0].isalpha() and name != "I" for name in anchors(question))


def is_choice(question: str) -> bool:
    """Whether a question offers two names to choose between: it is about both, and leads through nothing unnamed.

    >>> is_choice("Which is a lighthouse, Orla Bridge or Kerrow Light?"), is_choice("Who built or designed Kerrow Light?")
    (True, False)
    """
    return _CHOICE.search(question) is not None


def compared(question: str, wanted: Wanted, first: Side, second: Side) -> str:
    """The answer: the name of a side, or yes or no; empty if the values cannot be compared, or are equal.

    >>> compared("Which is older?", "least", Side("Low Water", "", "", "12 May 1971", 1), Side("The Tide", "", "", "1980", 2))
    'Low Water'
    """
    if not (first.value.strip() and second.value.strip()) or not _are_all(question, first, second):
        return ""
    if wanted == "same":
        is_alike = agree_by_value(first.value, second.value) or _share_a_word(first.value, second.value)
        return "yes" if is_alike or order_of(first.value, second.value) == 0 else "no"
    ages = [_age(side.value) for side in (first, second)] if _AGE.search(question) else []
    if ages and all(ages):
        order = (ages[0] > ages[1]) - (ages[0] < ages[1])
    elif _BY_TIME.search(question) and (by_version := order_of_versions(first.value, second.value)) is not None:
        order = by_version if _names_another(question, first, second) else 0  # versions of two programs tell nothing
    else:
        order = order_of_values(first.value, second.value, is_end=_END.search(question) is not None)
    if not order:
        return ""
    return first.name if (order < 0) == (wanted == "least") else second.name


def life_date(question: str, fact: str) -> str:
    """The date of birth or death that a question asks about somebody and that a fact has in brackets; empty if there is none.

    For the age that somebody reached, both dates are returned.

    >>> life_date("Who died first?", "Curt Brand (15 April 1899 - 22 February 1981) was a director.")
    '22 February 1981'
    >>> life_date("Who is older?", "Curt Brand (born April 15, 1899) is a director.")
    'April 15, 1899'
    """
    if is_foreign(question):  # the German `die` is no death
        return ""
    wants_end = _END.search(question) is not None
    wants_age = _AGE.search(question) is not None
    if not (wants_end or wants_age or _BIRTH.search(question)):
        return ""
    for bracket in _BRACKET.finditer(fact):
        dates = [date[0] for date in _WRITTEN_DATE.finditer(bracket[1])]
        if wants_age:
            return " - ".join(dates) if len(dates) == 2 else ""
        if len(dates) == 2:
            return dates[1 if wants_end else 0]
        if len(dates) == 1 and not wants_end and _BORN.search(bracket[1]):
            return dates[0]
    return ""


def compares_others(question: str) -> bool:
    """Whether what is compared is not what the question names but something related to it, such as the directors of two films.

    >>> compares_others("Which film has the director who is older, Low Water or The Long Tide?")
    True
    >>> compares_others("Which was built first, Orla Bridge or Kerrow Light?")
    False
    """
    return _THROUGH.search(question) is not None


def asked_alone(question: str, ask: str, about: str) -> str:
    """The question for the value of one side; for somebody's birth or death code writes it, since small models confuse them.

    Args:
        question: the question that compares both.
        ask: the question for the value of either, with `X` in its place.
        about: the name of the thing that has the value.

    >>> asked_alone("Which film came out first, Low Water or The Long Tide?", "When did X come out?", "Low Water")
    'When did Low Water come out?'
    >>> asked_alone("Are the directors of Low Water and The Long Tide from the same country?", "Are they?", "Tom Carey")
    'What is the country of Tom Carey?'
    >>> asked_alone("Which film has the director who died first, Low Water or The Long Tide?", "When was X born?", "Tom Carey")
    'When did Tom Carey die?'
    """
    if not about:
        return ""
    if compares_others(question) and not _AGE.search(question):
        if _END.search(question):
            return f"When did {about} die?"
        if _BIRTH.search(question):
            return f"When was {about} born?"
    if _THE_THING.search(ask) and not _THE_OTHER.search(ask):
        return _THE_THING.sub(lambda _: about, ask)
    is_the_question = {word.key for word in words_in(ask)} <= {word.key for word in words_in(question)}
    if is_the_question or _YES_OR_NO.match(ask):
        same = _SAME_WHAT.search(question)
        return f"What is the {same[1]} of {about}?" if same else ""
    return "" if _THE_OTHER.search(ask) else f"{about}: {ask}"


def _are_all(question: str, first: Side, second: Side) -> bool:
    """Whether the last alternative that a question names is one of the sides; with three, two values decide nothing."""
    last = None if _YES_OR_NO.match(question) else _LAST_OF.match(question)
    return last is None or any(last[1].casefold() in side.name.casefold() for side in (first, second))


def _share_a_word(left: str, right: str) -> bool:
    """Whether both have a content word in common: `American film director`, `American`."""
    one, other = ({word.stem for word in words_in(text) if word.says_something} for text in (left, right))
    keys = [{word.key for word in words_in(text)} for text in (left, right)]
    if all(of_side & _BRITISH for of_side in keys) and any("british" in of_side for of_side in keys):
        return True
    return bool(one) and bool(other) and (one <= other or other <= one)


def order_of_values(left: str, right: str, *, is_end: bool = False) -> int:
    """Below 0 if the left value is smaller, above 0 if it is larger, 0 if that is unknown.

    Args:
        left: a value, such as `(2 November 1932 - 21 October 1987)`.
        right: the other value.
        is_end: whether the last of several dates is used instead of the first.
    """
    if not (is_measured(left) and is_measured(right)):
        one, other = (_dated(value, is_end=is_end) for value in (left, right))
        if one and other:
            depth = min(len(one), len(other))
            return (one[:depth] > other[:depth]) - (one[:depth] < other[:depth])
    return order_of(left, right) or 0


def _names_another(question: str, first: Side, second: Side) -> bool:
    """Whether a question names something besides the two things, which has both, such as a program its modules."""
    sides = f"{first.name}\n{second.name}".casefold()
    return any(name.casefold() not in sides for name in anchors(question))


def _age(value: str) -> int:
    """The days between two dates, by months of 31; 0 unless there are two."""
    dates = [(*_dated(found[0], is_end=False), 0, 0)[:3] for found in DATE.finditer(normalize_values(value))]
    if len(dates) != 2:
        return 0
    (year, month, day), (last_year, last_month, last_day) = dates
    return (last_year - year) * 372 + (last_month - month) * 31 + last_day - day


def _dated(text: str, *, is_end: bool) -> tuple[int, ...]:
    """Year, month and day of the first or last date in a text, as far as it names them; empty without a year."""
    dates = list(DATE.finditer(normalize_values(text)))
    if not dates:
        return ()
    parts = parts_of_date(dates[-1 if is_end else 0])
    return parts[: 1 + bool(parts[1]) + bool(parts[1] and parts[2])]
