"""Numbers of paragraphs in DOCX (ISO/IEC 29500-1, section 17.9), which a document does not hold as text: they are counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.item_numbers import numeral
from hopweave.ingest.ooxml import short, value_of

_LEVELS = 9
_LONGEST = 40
"""Characters of what is around the numbers, such as `Article %1.`."""
_MAX_DIGITS = 6
_STYLES = {"lowerLetter": "a", "upperLetter": "A", "lowerRoman": "i", "upperRoman": "I"}
_UNNUMBERED = frozenset({"bullet", "none"})
_PLACE = lazy_pattern(r"%([1-9])")


@dataclass(slots=True)
class _Level:
    """A level of a list.

    Attributes:
        first: its first number.
        form: such as `decimal` or `bullet`.
        text: with `%1` for the number of the first level, and so on.
    """

    first: int = 1
    form: str = "decimal"
    text: str = ""


@dataclass(slots=True)
class _List:
    """An abstract list: its levels, and the numbers reached so far, by level."""

    levels: dict[int, _Level] = field(default_factory=dict)
    level_of_style: dict[str, int] = field(default_factory=dict)
    reached: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Use:
    """A list as paragraphs name it: the abstract list, and the numbers at which it begins anew, by level."""

    of: str = ""
    begins: dict[int, int] = field(default_factory=dict)


class Numbering:
    """The lists of a document. `start` takes the elements of its part `numbering`, in order."""

    def __init__(self) -> None:
        self._lists: dict[str, _List] = {}
        self._uses: dict[str, _Use] = {}
        self._list, self._use, self._level, self._at = _List(), _Use(), _Level(), 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        match short(name):
            case "w:abstractNum":
                self._list = self._lists[value_of(attributes, "abstractNumId")] = _List()
            case "w:num":
                self._use = self._uses[value_of(attributes, "numId")] = _Use()
                self._list = _List()  # whose levels, which some lists have instead of those of the abstract one, are not read
            case "w:abstractNumId":
                self._use.of = value_of(attributes)
            case "w:lvl":
                self._at, self._level = level_in(value_of(attributes, "ilvl")), _Level()
                self._list.levels.setdefault(self._at, self._level)
            case "w:lvlOverride":
                self._at = level_in(value_of(attributes, "ilvl"))
            case "w:startOverride":
                self._use.begins[self._at] = _number(value_of(attributes))
            case "w:start":
                self._level.first = _number(value_of(attributes))
            case "w:numFmt":
                self._level.form = value_of(attributes)
            case "w:lvlText":
                self._level.text = value_of(attributes)[:_LONGEST]
            case "w:pStyle":
                self._list.level_of_style[value_of(attributes)] = self._at

    def next(self, use: str, level: int | None, style: str) -> str:
        """The number of the next paragraph of a list, such as `3.` or `2.1`; empty if it has none.

        Args:
            use: the id of the list.
            level: from 0; `None` if only the style of the paragraph says it.
            style: the id of that style.
        """
        used = self._uses.get(use)
        listed = self._lists.get(used.of) if used is not None else None
        if used is None or listed is None:
            return ""
        at = listed.level_of_style.get(style, 0) if level is None else level
        known = listed.levels.get(at)
        if known is None or known.form in _UNNUMBERED:
            return ""
        reached = listed.reached
        begin = used.begins.pop(at, None)  # which holds for the first paragraph that uses it
        reached[at] = begin if begin is not None else reached.get(at, known.first - 1) + 1
        for deeper in range(at + 1, _LEVELS):
            reached.pop(deeper, None)
        return _PLACE.sub(lambda place: _written(listed, int(place[1]) - 1), known.text).strip()


def level_in(written: str) -> int:
    """A level as it is written, from 0; the outermost if it is none."""
    return int(written) if written.isascii() and written.isdigit() and len(written) == 1 and int(written) < _LEVELS else 0


def _number(written: str) -> int:
    return int(written) if written.isascii() and written.isdigit() and len(written) <= _MAX_DIGITS else 1


def _written(listed: _List, at: int) -> str:
    level = listed.levels.get(at) or _Level()
    return numeral(listed.reached.get(at, level.first), _STYLES.get(level.form, "1"))
