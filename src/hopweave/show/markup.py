"""HTML that cannot be left unescaped by mistake: a plain `str` is always escaped, only `Markup` is inserted verbatim."""

from __future__ import annotations

import html
from collections.abc import Iterable

from hopweave.show.plain import visible

_VOID = frozenset({"br", "meta"})


class Markup(str):
    """HTML built by this module from escaped parts."""

    __slots__ = ()


def escaped(text: str) -> Markup:
    """Any text as HTML; `Markup` is not changed."""
    return text if isinstance(text, Markup) else Markup(html.escape(visible(text), quote=True))


def joined(parts: Iterable[str], between: str = "") -> Markup:
    """The parts joined, each escaped if necessary."""
    return Markup(str(escaped(between)).join(escaped(part) for part in parts))


def tag(name: str, *inside: str, **attributes: str) -> Markup:
    """An element.

    Args:
        name: the element's name; only from our own code.
        inside: texts, which are escaped, and `Markup`.
        attributes: escaped; in names, a trailing underscore is dropped (`class_`) and others become hyphens. An attribute with
            an empty value is left out.
    """
    said = "".join(f' {key.rstrip("_").replace("_", "-")}="{escaped(value)}"' for key, value in attributes.items() if value)
    opening = f"<{name}{said}>"
    return Markup(opening if name in _VOID else f"{opening}{joined(inside)}</{name}>")


def folded(summary: str, *inside: str, is_open: bool = False, **attributes: str) -> Markup:
    """A section that can be collapsed to its summary."""
    element = tag("details", tag("summary", summary), *inside, **attributes)
    return Markup(element.replace("<details", "<details open", 1)) if is_open else element
