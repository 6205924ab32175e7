"""What a quotation mark is, and what is inside of a pair. This is the only definition, for parsers and comparisons alike.

Passages have typographic marks where a model writes straight ones, and the other way round.
"""

from __future__ import annotations

PAIRS = {'"': '"”', "'": "'’", "“": '”"', "‘": "’'", "«": "»", "„": "“”", "「": "」", "『": "』"}
"""Each opening mark, with the marks that close it, its own first."""
OPENING = "".join(PAIRS)
CLOSING = "\"'”’»」』"
QUOTATION_MARKS = "\"'“”‘’„«»「」『』"
"""All of them. These three are strings, so that they can be stripped, and safe inside of a regular expression's `[...]`."""
PLAIN = str.maketrans("‘’‚‛ʼ′‵`´“”„‟″‐‑‒⁃–—―−", "'''''''''\"\"\"\"\"--------")
"""Replaces typographic quotation marks and dashes with those of ASCII, character by character."""


def unquoted(text: str) -> str:
    """A text without the quotation marks around the whole of it."""
    text = text.strip()
    if len(text) > 1 and text[-1] in PAIRS.get(text[0], "") and not {text[0], text[-1]} & set(text[1:-1]):
        return text[1:-1].strip()
    return text


def without_unclosed_mark(text: str) -> str:
    """A text without the double quotation mark that begins it, if nothing closes that: it was cut before its end."""
    return text[1:] if text[:1] in ('"', "“") and PAIRS[text[0]][0] not in text[1:] else text
