"""The marks that items of lists begin with: `- `, `• `, `2. `, `b) `, `(iv) `."""

from __future__ import annotations

from hopweave.core.lazy_pattern import lazy_pattern

_BULLETS = "•⁃⁌⁍■□▪▫▶▸►◆◇○●◦★☆➢➣➤"
_COUNTED = r"(?:\d{1,2}|[A-Za-z]|[ivxlcIVXLC]{1,8})"
IN_BRACKETS = rf"\({_COUNTED}\)"
"""A number or letter of an item, such as `(a)`."""

MARKS_OF_ITEM = lazy_pattern(
    rf"\s*+(?:(?:[{_BULLETS}*+-]|{IN_BRACKETS}|{_COUNTED}\)|\d{{1,2}}\.\)?|[a-z]\.|[ivxlc]{{2,8}}\.)\s++)++(?=\S)"
)
"""The mark of an item, or several, and the blanks after it."""

BULLET = lazy_pattern(rf"(?:[{_BULLETS}*+-]|{IN_BRACKETS})\s")
"""The mark of an item that is no heading, as one with a plain number may be."""

BEFORE_WORDS = lazy_pattern(rf"\s*+(?:[>#*·–{_BULLETS}-]++\s++)*+(?:\d{{1,2}}[.)]\s++)?+")
"""What stands before the words of an item, a quotation or a heading in a reply of a model, if anything does."""


def without_mark(text: str) -> str:
    """A sentence without the mark of the item that it begins.

    >>> without_mark("2. Turn the tap."), without_mark("Turn the tap.")
    ('Turn the tap.', 'Turn the tap.')
    """
    mark = MARKS_OF_ITEM.match(text)
    return text[mark.end() :] if mark else text
