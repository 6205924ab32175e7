"""What the styles of word processors say of headings, in every format that such programs save."""

from __future__ import annotations

import re

from hopweave.core.lazy_pattern import lazy_pattern

HEADING = lazy_pattern(r"heading ?([1-9])", re.IGNORECASE)
"""The names of styles of headings, which are English whatever the language of the program."""

MAX_STYLES_ABOVE = 20
"""Styles that a style is based on; the chains of real ones are five long."""

_MAX_LEVEL = 9


def level_of_outline(outline: int) -> int:
    """The level of headings that an outline level stands for, which counts from 0; 0 for that of other text."""
    return outline + 1 if 0 <= outline < _MAX_LEVEL else 0
