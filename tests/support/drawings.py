"""What every drawing must be, whatever stands in it: a page that nests and does nothing, a chart that Mermaid can read."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"

# Narrower than Mermaid's own grammar, of which it is a part (tried by hand with 11.17).
_TEXT = r"(?:[^\W_]|[ ,.?!'()/+=\-…]|#\d+;)+"
_LABEL = rf'"<b>{_TEXT}</b>(?:<br/>{_TEXT})?(?:<br/><i>{_TEXT}</i>)?"'
_LINES = [
    r"flowchart TD",
    rf'  question\["{_TEXT}"\]',
    rf"  s\d+(?:\[{_LABEL}\]|\(\[{_LABEL}\]\)|\[/{_LABEL}/\]|\({_LABEL}\)|\{{\{{{_LABEL}\}}\}})",
    r'  rest\["and \d+ more steps"\]',
    r"  (?:question|s\d+) --> s\d+",
    r"  s\d+ -\.-> s\d+",
    r"  classDef [a-z]+ [a-z0-9#:,\- ]+",
    r"  class s\d+(?:,s\d+)* [a-z]+",
    rf'  answer\[\["<b>{_TEXT}</b><br/>{_TEXT}"\]\]',
    r"  (?:question|s\d+) ==> answer",
    r"  style answer [a-z0-9#:,\- ]+",
]
_LINE = re.compile("|".join(f"(?:{line})" for line in _LINES))

VOID = {"br", "meta", "wbr"}


class Page(HTMLParser):
    """Checks that elements nest, and gathers what is in them."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str]] = []
        self.words: list[str] = []
        self.styles = ""
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" in self.open:
            self.styles += data
        else:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def values(self, name: str) -> list[str]:
        return [value for key, value in self.attributes if key == name]


def assert_inert(source: str) -> Page:
    """Checks that a page nests, that nothing in it is loaded and nothing runs."""
    page = Page(source)
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    assert not page.tags.keys() & {"script", "link", "img", "iframe", "object", "form", "base"}
    assert not [name for name, _ in page.attributes if name.startswith("on") or name in ("src", "style", "srcdoc")]
    assert all(link.startswith("#") for link in page.values("href"))
    assert {link.removeprefix("#") for link in page.values("href")} <= set(ids)
    assert "@import" not in page.styles
    assert "url(" not in page.styles
    assert "default-src 'none'" in source
    return page


def assert_is_chart(source: str) -> None:
    """Checks that every line is one that the grammar has."""
    for line in source.splitlines():
        assert _LINE.fullmatch(line), line


def plot_dots(drawing: str) -> list[bool]:
    """Whether each dot of a plot is filled, in the order in which they are drawn."""
    looks = [look.split() for look in _looks(drawing)]
    return ["fill-ink" in look for look in looks if "stroke-ink" in look and {"fill-ink", "fill-paper"} & set(look)]


def plot_lines(drawing: str) -> list[list[tuple[float, float]]]:
    """The points of each line in the accent colour."""
    found = [one for one in ElementTree.fromstring(drawing).iter(f"{SVG}path") if "stroke-accent" in (one.get("class") or "")]
    return [[(float(x), float(y)) for x, y in re.findall(r"[ML] (\S+) (\S+)", one.get("d", ""))] for one in found]


def plot_texts(drawing: str) -> list[str]:
    """The words of a plot."""
    return [element.text or "" for element in ElementTree.fromstring(drawing).iter(f"{SVG}text")]


def _looks(drawing: str) -> list[str]:
    return [one.get("class") or "" for one in ElementTree.fromstring(drawing).iter(f"{SVG}path")]
