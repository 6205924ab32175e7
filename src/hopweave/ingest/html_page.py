"""Title and visible text of an HTML page, in time linear in its length, however malformed it is.

Markup is separated from text as in browsers (HTML Living Standard, section 13.2.5): an unclosed comment or tag extends to the
end of the page, and `<![if IE]>` is a comment. Which element a tag closes is decided by name alone.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from html import unescape

from hopweave.core.errors import DataError
from hopweave.ingest.deadline import Check, no_check
from hopweave.ingest.document import Blocks, Document, Part

MAX_DEPTH = 100_000
"""Maximum number of elements that are open at once. Browsers build trees 512 deep; but a tag that is never closed leaves its
element open to the end of the page, and old pages have thousands of such tags. `_END_OPTIONAL` do not count."""

_MARKUP = re.compile(
    r"<!--(?:-?>|(?:[^-]++|-(?!-!?>))*+(?:--!?>)?)"
    r"|<!\[CDATA\[(?:[^\]]++|\](?!\]>))*+(?:\]\]>)?"
    r"|<[!?][^>]*+>?"
    r"|<(?P<slash>/)?(?P<name>[A-Za-z][^\s/>]*+)"
    r"(?:[^>=]++|=\s*+(?:\"[^\"]*+\"?|'[^']*+'?)?+)*+(?P<end>>)?"
    r"|</[^>]*+>?"
)
_RAW_END = {name: re.compile(rf"</{name}(?=[\s/>])|\Z", re.IGNORECASE) for name in ("script", "style")}
_LONG_REFERENCE = re.compile(r"&#[xX]?[0-9a-fA-F]{20,}+;?")  # not a character, and a number too long for Python
_SPACE = re.compile(r"\s+")
_BLANKS = re.compile(r"[ \t]+")

_WORDS = re.compile(r"\w+")
_DROPPED = frozenset(_WORDS.findall("head title script style nav noscript template svg math iframe object select button"))
_BLOCKS = frozenset(
    _WORDS.findall(
        "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer "
        "form h1 h2 h3 h4 h5 h6 header hr html legend li main menu ol p pre section summary table tbody tfoot thead tr ul"
    )
)
_EMPTY = frozenset(_WORDS.findall("area base br col embed hr img input link meta param source track wbr"))
_CELLS = frozenset({"td", "th"})
_END_OPTIONAL = frozenset(
    _WORDS.findall("body caption colgroup dd dt head html li optgroup option p rp rt tbody td tfoot th thead tr")
)
"""HTML Living Standard, section 13.1.2.4: a long page of paragraphs without end tags is not nested."""
_NAMING = ("title", "h1")
_LEVELS = {f"h{level}": level for level in range(1, 7)}


def read_html(content: str, source: str = "the page", check: Check = no_check) -> Document:
    """A page, with a blank line between blocks; white space is collapsed as in browsers, except in `pre`.

    The title is the first one that the page has, or else its first heading; scripts, navigation and the like are removed.

    Args:
        content: the page.
        source: its name in messages.
        check: called for every tag.

    Raises:
        DataError: if elements are nested deeper than `MAX_DEPTH`.
    """
    page = _Page()
    position = 0
    while position < len(content):
        check()
        match = _MARKUP.search(content, position)
        if text := content[position : match.start() if match else len(content)]:
            page.add_text(text)
        if match is None:
            break
        position = match.end()
        name = (match["name"] or "").lower()
        if name and match["end"]:
            is_closed_at_once = match[0].endswith("/>")
            if not match["slash"]:
                page.start(name)
                if page.depth > MAX_DEPTH:
                    what = f"{source} is nested too deeply, more than {MAX_DEPTH:,} elements within each other"
                    raise DataError(f"{what}; close its tags, or leave it out")
                if name in _RAW_END and not is_closed_at_once and (end := _RAW_END[name].search(content, position)):
                    position = end.start()
            if match["slash"] or is_closed_at_once:
                page.end(name)
    return Document(page.title(), (page.part(),))


@dataclass(slots=True)
class _Page:
    """A page being read: its open elements, how deeply they are nested, and the text so far."""

    open: list[str] = field(default_factory=list)
    num_open: Counter[str] = field(default_factory=Counter)
    num_dropped: int = 0
    depth: int = 0
    named: dict[str, list[str]] = field(default_factory=dict)
    naming: set[str] = field(default_factory=set)
    blocks: Blocks = field(default_factory=Blocks)
    level: int = 0
    pieces: list[str] = field(default_factory=list)

    def start(self, name: str) -> None:
        if name == "body":
            self.end("head")  # its end tag is optional
        self._around(name)
        if name == "br":
            self._add("\n")
        if name in _EMPTY:
            return
        self.open.append(name)
        self.num_open[name] += 1
        self.level = _LEVELS.get(name, self.level)
        self.num_dropped += name in _DROPPED
        self.depth += name not in _END_OPTIONAL
        if name in _NAMING and name not in self.named and not self.num_open["svg"]:
            self.named[name] = []
            self.naming.add(name)

    def end(self, name: str) -> None:
        """Closes the innermost open element of that name, and those inside it."""
        while self.num_open[name]:
            last = self.open.pop()
            self.num_open[last] -= 1
            self.num_dropped -= last in _DROPPED
            self.depth -= last not in _END_OPTIONAL
            self.naming.discard(last)
            self._around(last)
            self.level = 0 if last in _LEVELS else self.level
            if last == name:
                break

    def add_text(self, written: str) -> None:
        text = unescape(_LONG_REFERENCE.sub("\ufffd", written))
        for name in self.naming:
            self.named[name].append(text)
        self._add(text if self.num_open["pre"] else _SPACE.sub(" ", text))

    def title(self) -> str:
        names = (" ".join(" ".join(self.named.get(name, ())).split()) for name in _NAMING)
        return next(filter(None, names), "")

    def part(self) -> Part:
        self._break()
        return self.blocks.part()

    def _add(self, text: str) -> None:
        if not self.num_dropped:
            self.pieces.append(text)

    def _around(self, name: str) -> None:
        """What separates an element from its surroundings: a break, or a gap between cells."""
        if self.num_dropped or name in _DROPPED:
            return
        if name in _BLOCKS:
            self._break()
        elif name in _CELLS:
            self.pieces.append(" ")

    def _break(self) -> None:
        if not self.pieces:
            return
        lines = (_BLANKS.sub(" ", line).strip() for line in "".join(self.pieces).split("\n"))
        self.pieces.clear()
        paragraph = "\n".join(filter(None, lines))
        if self.level:
            self.blocks.add_heading(paragraph, self.level)
        else:
            self.blocks.add(paragraph)
