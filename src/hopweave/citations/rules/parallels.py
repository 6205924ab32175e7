"""Sentences that give several things a number each, in the same words: `64 bytes for A, 32 bytes for B`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span
from hopweave.text.wanted import content_stems

_BETWEEN = r"(?:[\"”']?\s?\(\s?|\s(?:[a-z]+\s){0,3})"
_NAME_BEHIND = lazy_pattern(rf"(?P<between>{_BETWEEN})(?P<first>[^\W_a-z])")
_NAME_BEFORE = lazy_pattern(rf"(?:^|\W)(?P<first>[^\W_a-z])[^\W_]*(?P<between>{_BETWEEN})$")
_FARTHEST = 60
"""Characters before a number among which the name is looked for."""

_AMOUNT_OF = lazy_pattern(r"(?P<amount>(?<![\w.,])\d[\d.,]*(?:\s?[^\W\d_]+)?) of (?:the )?(?P<what>[^\W\d_]{3,30})")
_OF_AN_AMOUNT = lazy_pattern(r"(?<![^\W_])(?P<what>[^\W\d_]{3,30}) of (?P<amount>\d[\d.,]*(?:\s?[^\W\d_]+)?)")
_AMOUNT_IN_A_WAY = lazy_pattern(
    r"(?P<amount>(?<![\w.,])\d[\d.,]*(?:\s?[^\W\d_]+)?) (?P<what>long|wide|high|deep|tall|thick|broad|heavy|old)\b"
)
"""`20 ml of vinegar`, `a depth of 40 mm`, and `34 metres long`."""
_UNIT = lazy_pattern(r"\d(?P<unit>\D*)$")


def is_of_another(names: Iterable[str], sentence: str, focus: Span) -> bool:
    """Whether a number stands beside another name, and one of some names has a number beside it in the same words.

    Args:
        names: what a query names.
        sentence: the sentence.
        focus: the position of the number in it.

    >>> told = "It has up to 64 bytes for Sula, up to 32 bytes for Brno."
    >>> [is_of_another(["Brno"], told, Span(start, start + 8)) for start in (13, 38)]
    [True, False]
    """
    unit = _UNIT.search(sentence[focus.start : focus.end])
    if unit is None:
        return False
    spans = [match.span() for name in names for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", sentence)]
    behind = _NAME_BEHIND.match(sentence, focus.end)
    before = _NAME_BEFORE.search(sentence[max(0, focus.start - _FARTHEST) : focus.start])
    if behind is not None and _begins_a_name(behind["first"]) and all(start != behind.end() - 1 for start, _ in spans):
        words = unit["unit"] + behind["between"]
        if any(_has_number_before(sentence, start, words) for start, _ in spans):
            return True
    if (
        before is not None
        and _begins_a_name(before["first"])
        and all(end != focus.start - len(before["between"]) for _, end in spans)
    ):
        own = re.compile(re.escape(before["between"]) + r"\d")
        return any(own.match(sentence, end) for _, end in spans)
    return False


def is_amount_of_another(query: str, sentence: str, focus: Span) -> bool:
    """Whether an amount is one of something else than a query asks for, of which the sentence has an amount as well.

    Args:
        query: the query.
        sentence: the sentence.
        focus: the position of the amount in it.

    >>> told = "Take 1 litre of water and 20 ml of vinegar."
    >>> [is_amount_of_another("How much vinegar is needed?", told, Span(start, start + 5)) for start in (5, 26)]
    [True, False]
    >>> told = "Drill a hole with a diameter of 6 mm and a depth of 40 mm."
    >>> [is_amount_of_another("How deep is the hole?", told, Span(start, start + 4)) for start in (32, 52)]
    [True, False]
    """
    asked = content_stems(query)
    for pattern in (_AMOUNT_OF, _OF_AN_AMOUNT, _AMOUNT_IN_A_WAY):
        amounts = list(pattern.finditer(sentence))
        own = next((one for one in amounts if one.start("amount") < focus.end and focus.start < one.end("amount")), None)
        if own is not None and not _is_asked(own, asked) and any(_is_asked(one, asked) for one in amounts):
            return True
    return False


def _is_asked(amount: re.Match[str], asked: Set[str]) -> bool:
    return not content_stems(amount["what"]).isdisjoint(asked)


def _begins_a_name(first: str) -> bool:
    """Whether a letter or digit may begin a name: in scripts with capitals, no small letter does."""
    return first.isupper() or first.isdigit()


def _has_number_before(sentence: str, end: int, words: str) -> bool:
    """Whether some words with a digit before them end at a position."""
    begun = end - len(words)
    return sentence.endswith(words, 0, end) and sentence[max(0, begun - 1) : max(0, begun)].isdigit()
