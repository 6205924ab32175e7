"""Numbers of paragraphs of slides (ISO/IEC 29500-1, 21.1.2.4.1), which a file does not hold as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.item_numbers import given_number, numeral

_STYLES = {"alphaLc": "a", "alphaUc": "A", "romanLc": "i", "romanUc": "I"}
_SCHEME = lazy_pattern(r"(?:alpha|roman)[LU]c")
_LEVEL_OF_STYLE = lazy_pattern(r"a:lvl([1-9])pPr")


@dataclass(frozen=True, slots=True)
class _Numbering:
    """How paragraphs are numbered: with which numerals, from which number on. Those next to each other that agree count on."""

    style: str
    first: int


@dataclass(slots=True)
class PptxNumbers:
    """The numbers within one text of a slide at a time, from the names of its elements and their attributes, in order."""

    _of_levels: dict[int, _Numbering | None] = field(default_factory=dict)
    _reached: dict[int, tuple[_Numbering, int]] = field(default_factory=dict)
    _level_of_style: int | None = None
    _level: int = 0
    _own: _Numbering | None = None
    _has_own: bool = False

    def start(self, element: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        match element:
            case "p:txBody" | "a:txBody":
                self._of_levels, self._reached, self._level_of_style = {}, {}, None
            case "a:p":
                self._level, self._own, self._has_own, self._level_of_style = 0, None, False, None
            case "a:pPr":
                self._level = given_number(attributes.get("lvl", ""), 0)
            case "a:buAutoNum":
                scheme = _SCHEME.match(attributes.get("type", ""))
                style = _STYLES[scheme[0]] if scheme else "1"
                self._set(_Numbering(style, given_number(attributes.get("startAt", ""), 1)))
            case "a:buNone" | "a:buChar" | "a:buBlip":
                self._set(None)
            case _:
                if level := _LEVEL_OF_STYLE.fullmatch(element):
                    self._level_of_style = int(level[1]) - 1

    def numbered(self, text: str) -> str:
        """The paragraph that ends, with its number; an empty one has none, and does not count."""
        if not text:
            return text
        numbering = self._own if self._has_own else self._of_levels.get(self._level)
        self._reached = {level: reached for level, reached in self._reached.items() if level <= self._level}
        if numbering is None:
            self._reached.pop(self._level, None)
            return text
        before, number = self._reached.get(self._level, (None, 0))
        number = number + 1 if before == numbering else numbering.first
        self._reached[self._level] = numbering, number
        return f"{numeral(number, numbering.style)}. {text}"

    def _set(self, numbering: _Numbering | None) -> None:
        if self._level_of_style is not None:
            self._of_levels[self._level_of_style] = numbering
        else:
            self._own, self._has_own = numbering, True
