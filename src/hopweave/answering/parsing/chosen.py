"""Parses a reply that should choose one of a few given words, such as `yes` and `no`, or `A`, `B` and `C`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hopweave.answering.parsing.json_object import parse_json_object
from hopweave.core.lazy_pattern import lazy_pattern

_AROUND = lazy_pattern(r"^[\W_]++|(?<![\W_])[\W_]++$")
_MARKERS = r"answer|choice|option|label|class|category"
_BECAUSE = r"[*_`\"']*+(?:,\s++(?:because|since)\b|\.(?!\s*+(?:actually|no|or|sorry|wait)\b))"
_BETTER = (
    r"(?:(?!(?:and|but|hardly|less|little|neither|never|no|nor|not|or|where(?:as)?|while)\b)\w++\s++){1,4}?"
    r"(?:better|clearer|preferable|stronger|superior|more\s++(?:complete|convincing|detailed|direct(?:ly)?|helpful|information"
    r"|informative|precise|relevant|specific|useful))\b[^.!?\n]{0,80}?\b(?:than|to)\b"
)
_DENIED = lazy_pattern(
    r"(?:(?:\b(?:if|neither|nor?|not|whether)|n['’]t)\b[^.,;:!?\n]*+|\b(?:and|or)\s++)[*_`\"']*+$", re.IGNORECASE
)
_BEFORE = 60
"""Characters before a comparison in which it may be denied."""


def parse_chosen(text: str, choices: Sequence[str], name: str) -> str | None:
    """The choice that a reply makes, in the spelling of `choices`; `None` if it makes none, or several.

    In this order: the field `name` of a JSON object; a choice that is the whole reply, or begins it; the choice after words
    such as "the answer is" or `name`, if only one is named like that; of several, one that is called better than another, or
    begins the reply and is given a reason; a choice at the end. Single letters and digits also occur as words and in counts: at
    the beginning, no other word may follow them, and letters in a sentence count only as written.

    Args:
        text: the reply; any text is accepted.
        choices: words of letters and digits.
        name: of the field, which is also a word by which a reply may call the choice.

    >>> parse_chosen('{"route": "B"}', ("A", "B", "C"), "route"), parse_chosen("Yes, it does.", ("yes", "no"), "valid")
    ('B', 'yes')
    >>> parse_chosen("A question like this needs two steps, so the route is C.", ("A", "B", "C"), "route")
    'C'
    >>> parse_chosen("Text 2 is more informative than text 1.", ("1", "2"), "text")
    '2'
    """
    some = "|".join(re.escape(choice) if len(choice) == 1 else f"(?i:{re.escape(choice)})" for choice in choices)
    is_apart = r"(?=[ \t]*+(?:[].,:;)}*\"'`_–—-]|[\r\n]|$))" if any(len(choice) == 1 for choice in choices) else r"(?!\w)"
    value = parse_json_object(text, {name: str}).values.get(name, "")
    for said in (value, text):
        if bare := _spelled(_AROUND.sub("", said), choices):
            return bare
        if match := re.match(rf"[\W_]*+({some}){is_apart}", said):
            return _spelled(match[1], choices)
    marker = rf"\b(?i:{_MARKERS}|{re.escape(name)})\b[\W_]*+(?i:(?:is|would\s++be|should\s++be)\b[\W_]*+)?({some})(?!\w)"
    named = {_spelled(match[1], choices) for match in re.finditer(marker, text)}
    if len(named) > 1:
        return _preferred(text, some, choices, name)
    if named:
        return named.pop()
    if match := re.search(rf"(?<![\w-])(?<!\bor )(?<!\bthan )(?<!\b(?:and|not) )({some})[\W_]*+$", text):
        return _spelled(match[1], choices)
    return None


def _preferred(text: str, some: str, choices: Sequence[str], name: str) -> str | None:
    """The choice that a reply prefers where it names several; `None` if it does not say, or contradicts itself."""
    called = rf"\b(?i:{re.escape(name)})\W{{1,3}}({some})(?!\w)"
    compared = re.finditer(rf"{called}[*_`\"'\s]++(?i:{_BETTER})", text)
    better = {
        _spelled(match[1], choices)
        for match in compared
        if not _DENIED.search(text, max(0, match.start() - _BEFORE), match.start())
    }
    if better:
        return better.pop() if len(better) == 1 else None
    first = re.match(rf"[\W_]*+(?i:the\s++)?{called}(?i:{_BECAUSE})", text)
    return _spelled(first[1], choices) if first else None


def _spelled(word: str, choices: Sequence[str]) -> str | None:
    return next((choice for choice in choices if choice.casefold() == word.casefold()), None)
