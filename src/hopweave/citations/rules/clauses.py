"""The clause around some words of a sentence: how far a "not" or a "possibly" reaches."""

from __future__ import annotations

import re

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span

_BETWEEN = lazy_pattern(
    r"[;:\[\]—]|\((?!\))|(?<!\()\)|,\s|\s–\s|\bbut (?!not\b)"
    r"|\b(?:and (?!not\b)|or|which|who|although|though|while|if|unless)\b",
    re.IGNORECASE,
)


def clause_around(sentence: str, focus: Span) -> Span:
    """The clause with some words of an English sentence, as far as commas, brackets and conjunctions tell.

    >>> told = "It was built in Sula, and moved to Brno, but not used."
    >>> clause = clause_around(told, Span(35, 39))
    >>> told[clause.start : clause.end]
    'moved to Brno'
    """
    # One character more, by which a word directly before is known to end there.
    before = (match.end() for match in _BETWEEN.finditer(sentence, 0, focus.start + 1))
    begun = max((end for end in before if end <= focus.start), default=0)
    after = _BETWEEN.search(sentence, focus.end)
    return Span(begun, after.start() if after else len(sentence))
