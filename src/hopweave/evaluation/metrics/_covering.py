"""Whether an answer covers a gold answer: the papers' cover-EM, and the alternative rule in ToQD's released code."""

from __future__ import annotations

from typing import Literal

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Example
from hopweave.text.matching import is_contained, normalize_answer

Boundary = Literal["auto", "raw"]

_SHORT = 3
_NUMBERS = lazy_pattern(r"\d{1,3}(?:,\d{3})*(?:\.\d+)?")
_NAMES = lazy_pattern(r"(?:[A-ZÀ-ÖØ-Þ][\w’'.-]*)(?:[ \t]+[A-ZÀ-ÖØ-Þ][\w’'.-]*)*")


def covers(said: str, gold: str, boundary: Boundary = "auto", *, is_label: bool = False) -> bool:
    """Whether the normalised answer contains the normalised gold answer as a substring.

    With `auto`, a gold of one word of at most 3 characters, and any label, must match whole words, so that `no` is
    not found in `not known` nor `1` in `1839`. A gold that normalises to nothing never matches.

    >>> covers("not known", "no"), covers("not known", "no", "raw"), covers("in 1839", "1"), covers("the Parisians", "Paris")
    (False, True, False, True)
    """
    needle = normalize_answer(gold)
    is_short = len(needle) <= _SHORT and " " not in needle
    return is_contained(gold, said, "words" if boundary == "auto" and (is_label or is_short) else "characters")


def is_right(said: str, example: Example, by: Literal["cover_em", "exact_match"] = "cover_em") -> bool | None:
    """Whether a bare answer is right; `None` without a gold answer.

    >>> from support.worked import worked
    >>> _, example = worked(golds=["Ulm"])
    >>> is_right("in Ulm", example), is_right("in Ulm", example, "exact_match")
    (True, False)
    """
    golds = [gold for gold in example.gold.answers if normalize_answer(gold)]
    if not golds:
        return None
    if by == "exact_match":
        return normalize_answer(said) in map(normalize_answer, golds)
    is_label = example.question.form == "label"
    return any(covers(said, gold, is_label=is_label) for gold in golds)


def toqd_match(said: str, gold: str) -> bool:
    """ToQD's released rule (`match_or_not`), with names recognised by capitalisation instead of a tagger.

    True if every word of the gold is among the words of the answer, in any order. Otherwise names and numbers decide, whichever
    the gold has: all names of the gold must be names of the answer, and the numbers of both must be equal.

    >>> toqd_match("Monroe, James", "James Monroe"), toqd_match("in Ulm in 1879", "the city of Ulm in 1879")
    (True, True)
    >>> toqd_match("in Ulm in 1880", "the city of Ulm in 1879")
    False
    """
    words = set(normalize_answer(gold).split())
    if not words:
        return False
    if words <= set(normalize_answer(said).split()):
        return True
    names, numbers = _names(gold), _numbers(gold)
    names_said, numbers_said = _names(said), _numbers(said)
    has_names = bool(names_said) and names <= names_said
    has_numbers = bool(numbers_said) and numbers == numbers_said
    if names and numbers:
        return has_names and has_numbers
    return has_names if names else bool(numbers) and has_numbers


def _names(text: str) -> set[str]:
    return {name for match in _NAMES.finditer(text) if (name := normalize_answer(match[0]))}


def _numbers(text: str) -> set[str]:
    # On the normalised text, without commas: so long numbers are split into groups of three digits, as in the released code.
    return set(_NUMBERS.findall(normalize_answer(text)))
