"""The properties at the beginning of a Markdown file, between lines of `---`: its title, and what else it says of the document.

They are YAML, but people write them by hand, and a colon that YAML does not allow must not cost them. So lines are read one by
one: a name with a value, a list in brackets, or the indented lines and items below a name. What is nested more deeply is left
out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.quotation import unquoted

_FRONT_MATTER = lazy_pattern(r"\A---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_PROPERTY = lazy_pattern(r"(?P<name>[^\W\d_][\w .-]{0,60}?)[ \t]*:(?:[ \t]+(?P<value>.*))?")
_ITEM = lazy_pattern(r"[ \t]*-[ \t]+(?P<value>\S.*)")
_NESTED = lazy_pattern(r"[\w.-]{1,60}:(?:\s|$)")
_COMMENT = lazy_pattern(r"(?:^|\s)#(?=\s|$).*$")
_BLOCK_SIGN = lazy_pattern(r"[|>][+-]?\d?")
_ITEMS = lazy_pattern(r"\s*(?:\"[^\"]*\"|'[^']*'|[^,]+)")
_SAY_NOTHING = frozenset({"", "null", "~", "true", "false", "yes", "no", "[]", "{}"})
_FOR_PROGRAMS = lazy_pattern(
    r"layout|permalink|slug|uuid|toc.*|.*sidebar.*|nav_.*|css.*|template|theme|redirect.*|hide_.*|show_.*|excerpt_separator|output"
    r"|bibliography|csl|header-includes|geometry|font.*|.*font|documentclass|(?:link|url|cite|file)color|images?|cover.*|thumbnail.*"
    r"|banner.*|icon|kernel.*|jupyter|jekyll.*|pagination.*|custom_edit_url|linter.*",
    re.IGNORECASE,
)
"""The names of properties that say how a page is made or shown."""
_OF_PLACES = lazy_pattern(r"weight|.*order|.*position", re.IGNORECASE)
"""The same, if the value is a number: the place of a page among others."""
_LONGEST = 300
"""Characters of a value."""


class FrontMatter(NamedTuple):
    """The properties of a document.

    Attributes:
        title: empty if none is given.
        properties: the others that say something of the document, by name, in their order.
        end: where the text of the document begins.
    """

    title: str
    properties: dict[str, str]
    end: int


def front_matter_of(content: str) -> FrontMatter:
    r"""The properties of a document; none if it does not begin with them.

    >>> front_matter_of("---\ntitle: Lens\nlayout: page\nkeepers: [Ida, Otto]\ntags:\n- light\n---\nIt is heavy.")
    FrontMatter(title='Lens', properties={'keepers': 'Ida, Otto', 'tags': 'light'}, end=68)
    """
    found = _FRONT_MATTER.match(content)
    if found is None:
        return FrontMatter("", {}, 0)
    properties = {
        name: value for name, value in _properties((found[1] or "").split("\n")) if value.casefold() not in _SAY_NOTHING
    }
    title = next((properties.pop(name) for name in list(properties) if name.casefold() == "title"), "")
    told = {name: value for name, value in properties.items() if _says_something(name, value)}
    return FrontMatter(title, told, found.end())


def _says_something(name: str, value: str) -> bool:
    """Whether a property says something of the document, and not how it is shown."""
    is_place = value.isdigit() and _OF_PLACES.fullmatch(name) is not None
    return len(value) <= _LONGEST and not is_place and _FOR_PROGRAMS.fullmatch(name) is None


def _properties(lines: list[str]) -> Iterator[tuple[str, str]]:
    name, values = "", list[str]()
    for line in [*lines, "end:"]:
        found = _PROPERTY.fullmatch(line.rstrip())
        if found is not None:
            if name:
                yield name, ", ".join(filter(None, values))
            value = (found["value"] or "").strip()
            name, values = found["name"], [*_values_of(value)] if not _BLOCK_SIGN.fullmatch(value) else []
        elif (item := _ITEM.fullmatch(line)) is not None:
            values += [] if _NESTED.match(item["value"]) else [_value(item["value"])]
        elif line[:1] in {" ", "\t"} and not _NESTED.match(line.strip()):
            said = _value(line)
            values[-1:] = [f"{values[-1]} {said}" if values else said]


def _values_of(written: str) -> Iterator[str]:
    if written[:1] == "[" and written[-1:] == "]" and not written.startswith("[["):
        yield from (_value(one) for one in _ITEMS.findall(written[1:-1]))
    else:
        yield _value(written)


def _value(written: str) -> str:
    return unquoted(_COMMENT.sub("", written.strip()).strip())
