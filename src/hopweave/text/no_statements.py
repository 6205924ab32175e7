"""Sentences of an explanation that state nothing by themselves: they announce others, or say where something stands."""

from __future__ import annotations

import re

from hopweave.core.lazy_pattern import lazy_pattern

_PARTS = "section|chapter|clause|paragraph|article|part|page|appendix|annex|schedule|table|figure|document|handbook|manual"
_POINTS = lazy_pattern(
    rf"\W{{0,4}}(?:for\s(?:more\s|further\s|all\s|the\s)?(?:details?|information),?\s)?(?:please\s|also\s)?(?:see|refer\sto)\s"
    rf"[^.!?;\n]{{0,40}}?\b(?:{_PARTS})s?\b[^!?;\n]{{0,60}}",
    re.IGNORECASE,
)


def states_nothing(sentence: str) -> bool:
    """Whether a sentence only announces others, with a colon at its end, or only says in which part of a document to look.

    >>> [states_nothing(one) for one in ("Do this:", "See section 5 of the handbook.", "See a doctor if it hurts.")]
    [True, True, False]
    """
    return sentence.endswith(":") or _POINTS.fullmatch(sentence) is not None
