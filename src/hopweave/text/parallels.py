"""Sentences that give several things a number each, in the same words: `64 bytes for A, 32 bytes for B`, `A (2001), B (2004)`.

Of a sentence that gives a default and other numbers beside it, only that is the default.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from hopweave.core.types import Span
from hopweave.text.content_words import keys_of

_BETWEEN = r"\s\(?(?:[a-z]+\s){0,3}"
_NAME_BEHIND = re.compile(rf"(?P<between>{_BETWEEN})[^\W_a-z]")
_NAME_BEFORE = re.compile(rf"(?:^|\W)[^\W_a-z][^\W_]*(?P<between>{_BETWEEN})$")
_FARTHEST = 60
"""Characters before a number among which the name is looked for."""

_UNIT = re.compile(r"\d(?P<unit>\D*)$")
_ASKS_FOR_DEFAULT = re.compile(
    r"\bdefaults?\b|\bunless (?:told|said|set|stated) otherwise\b"
    r"|(?:n['’]t|\bnot|\bwithout) (?:choos|set|g[ia]v|specif|say|pass|nam)\w*",
    re.IGNORECASE,
)
_DEFAULT = re.compile(
    r"(?<![\w.,-])(-?\d[\w.,]*)(?:\s\w+)?\s(?:is|being)\sthe\sdefault\b"
    r"|\bdefaults?(?:\s(?:value|values))?(?:\s(?:is|are|of|to|being)|:|=)\s*+(-?\d[\w.,]*)",
    re.IGNORECASE,
)


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
    if behind is not None and all(start != behind.end() - 1 for start, _ in spans):
        words = unit["unit"] + behind["between"]
        if any(_has_number_before(sentence, start, words) for start, _ in spans):
            return True
    if before is not None and all(end != focus.start - len(before["between"]) for _, end in spans):
        own = re.compile(re.escape(before["between"]) + r"\d")
        return any(own.match(sentence, end) for _, end in spans)
    return False


def is_no_default(asking: str, sentence: str, focus: Span) -> bool:
    """Whether a default is asked for, and a sentence says that another number than the one at a position is it.

    Args:
        asking: the question, or a statement; one that has the default may have other numbers as well.
        sentence: the sentence.
        focus: the position of the number in it.

    >>> told = "Valid values are from 1 to 9 with 6 being the default."
    >>> [is_no_default("What is the default level?", told, Span(start, start + 1)) for start in (22, 34)]
    [True, False]
    """
    if not sentence[focus.start : focus.end].lstrip("-")[:1].isdigit() or not _ASKS_FOR_DEFAULT.search(asking):
        return False
    stated = [match.span(1) if match[1] else match.span(2) for match in _DEFAULT.finditer(sentence)]
    asked = keys_of(asking)
    return bool(stated) and all(
        (focus.end <= start or end <= focus.start) and not keys_of(sentence[start:end]) <= asked for start, end in stated
    )


def _has_number_before(sentence: str, end: int, words: str) -> bool:
    """Whether some words with a digit before them end at a position."""
    begun = end - len(words)
    return sentence.endswith(words, 0, end) and sentence[max(0, begun - 1) : max(0, begun)].isdigit()
