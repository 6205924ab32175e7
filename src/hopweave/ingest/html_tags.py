"""Attributes of HTML tags, as far as reading a page depends on them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern

_ATTRIBUTE = lazy_pattern(r"""([^\s"'<>/=]++)(?:\s*+=\s*+("[^"]*+"?|'[^']*+'?|[^\s>]*+))?+""")
_HREF = lazy_pattern(r"\shref\s*+=\s*+[\"']?(#?)", re.IGNORECASE)
_NUMBERING = frozenset({"start", "type", "reversed", "value"})
_READ = frozenset({"class", "id", "role", "hidden", "aria-hidden", "aria-level", "colspan", "rowspan", "epub:type"})
_INTEGER = lazy_pattern(r"-?[0-9]{1,6}")
_WORD = lazy_pattern(r"[A-Z]?[a-z0-9]+|[A-Z]+")

_LONGEST_SPAN = 100
"""Columns or rows that a cell covers at most: more only say that it covers all."""
_LONGEST_REMEMBERED, _MOST_REMEMBERED = 200, 10_000


class Tag(NamedTuple):
    """A start tag.

    Attributes:
        role: in lower case.
        names: words of its class, id and part of a book, in lower case, apart and joined: `site-nav` is `site`, `nav` and
            `sitenav`.
        is_hidden: whether it is marked as not shown, or as not read out.
        level: of a heading, with the role `heading`; else 0.
        colspan: columns that a cell covers, at least 1.
        rowspan: rows that a cell covers, at least 1.
    """

    role: str = ""
    names: frozenset[str] = frozenset()
    is_hidden: bool = False
    level: int = 0
    colspan: int = 1
    rowspan: int = 1


_PLAIN = Tag()


@dataclass(slots=True)
class Tags:
    """Reads tags; the same one is read once, since pages repeat them."""

    _read: dict[str, Tag] = field(default_factory=dict)

    def read(self, name: str, written: str) -> Tag:
        """The attributes of a start tag.

        Args:
            name: of the element, in lower case.
            written: the whole tag.
        """
        if len(written) <= len(name) + len("<>"):
            return _PLAIN
        found = self._read.get(written)
        if found is None:
            found = _tag(name, written)
            if len(written) <= _LONGEST_REMEMBERED and len(self._read) < _MOST_REMEMBERED:
                self._read[written] = found
        return found


def link_target(written: str) -> str:
    """Where a link leads: `#` into the page, `/` elsewhere; empty for an anchor that is no link.

    Args:
        written: the start tag.
    """
    match = _HREF.search(written)
    return "" if match is None else match[1] or "/"


class Numbering(NamedTuple):
    """What the start tag of a list, or of an item, says of its numbers.

    Attributes:
        first: the number of the first item, or of this item; `None` if it is not given.
        style: as for `item_numbers.numeral`.
        step: 1, or -1 in a reversed list.
    """

    first: int | None = None
    style: str = "1"
    step: int = 1


def numbering_of(name: str, written: str) -> Numbering:
    """The numbering in a start tag.

    Args:
        name: `ol` or `li`.
        written: the whole tag.
    """
    if len(written) <= len(name) + len("<>"):
        return Numbering()
    found = _attributes(name, written, _NUMBERING)
    first = _INTEGER.fullmatch(found.get("start" if name == "ol" else "value", "").strip())
    return Numbering(int(first[0]) if first else None, found.get("type", "1").strip(), -1 if "reversed" in found else 1)


def _attributes(name: str, written: str, wanted: frozenset[str]) -> dict[str, str]:
    """The attributes of a tag among some, the first of each name."""
    found: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(written, len(name) + 1):
        if (key := match[1].lower()) in wanted:
            found.setdefault(key, (match[2] or "").strip("\"'"))
    return found


def _tag(name: str, written: str) -> Tag:
    found = _attributes(name, written, _READ)
    role = found.get("role", "").strip().lower()
    # The id of a section is made of its heading, which may well be "Navigation".
    named = f"{found.get('class', '')} {'' if name == 'section' else found.get('id', '')} {found.get('epub:type', '')}"
    is_hidden = "hidden" in found and found["hidden"].lower() != "until-found" and role != "tabpanel"
    return Tag(
        role,
        frozenset(word for token in named.split() for word in _words(token)),
        is_hidden or found.get("aria-hidden", "").lower() == "true",
        _number(found.get("aria-level", ""), 2, 6) if role == "heading" else 0,
        _number(found.get("colspan", ""), 1, _LONGEST_SPAN),
        _number(found.get("rowspan", ""), 1, _LONGEST_SPAN),
    )


def _words(token: str) -> list[str]:
    words = [word.lower() for word in _WORD.findall(token)]
    return [*words, "".join(words)]


def _number(written: str, default: int, most: int) -> int:
    digits = written.strip()[:4]
    return min(int(digits), most) if digits.isascii() and digits.isdigit() and int(digits) else default
