"""HTML in which forgetting to escape is not possible: a plain `str` is always escaped, only `Markup` goes in as it is."""

from __future__ import annotations

import html
from collections.abc import Iterable

from hopweave.show.plain import visible

_VOID = frozenset({"br", "meta"})


class Markup(str):
    """HTML that was made here, of escaped parts."""

    __slots__ = ()


def escaped(text: str) -> Markup:
    """Any text as HTML; `Markup` is left as it is."""
    return text if isinstance(text, Markup) else Markup(html.escape(visible(text), quote=True))


def joined(parts: Iterable[str], between: str = "") -> Markup:
    """The parts one after another, escaped where they have to be."""
    return Markup(str(escaped(between)).join(escaped(part) for part in parts))


def tag(name: str, *inside: str, **attributes: str) -> Markup:
    """An element.

    Args:
        name: of the element; from our own code only.
        inside: texts, which are escaped, and `Markup`.
        attributes: escaped; a trailing underscore is dropped (`class_`), others become hyphens, an empty value leaves it out.
    """
    said = "".join(f' {key.rstrip("_").replace("_", "-")}="{escaped(value)}"' for key, value in attributes.items() if value)
    opening = f"<{name}{said}>"
    return Markup(opening if name in _VOID else f"{opening}{joined(inside)}</{name}>")


def folded(summary: str, *inside: str, is_open: bool = False, **attributes: str) -> Markup:
    """A stretch that can be folded away, under its summary."""
    element = tag("details", tag("summary", summary), *inside, **attributes)
    return Markup(element.replace("<details", "<details open", 1)) if is_open else element
