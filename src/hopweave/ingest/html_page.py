"""Title and visible text of an HTML page, in time linear in its length, however malformed it is.

Markup is separated from text as in browsers (HTML Living Standard, section 13.2.5): an unclosed comment or tag extends to the
end of the page, and `<![if IE]>` is a comment. Which element a tag closes is decided by name alone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from html import unescape
from typing import NamedTuple

from hopweave.core.errors import DataError
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.aligned_tables import with_rows
from hopweave.ingest.deadline import Check
from hopweave.ingest.document import PARAGRAPH, Document
from hopweave.ingest.entries import with_entries
from hopweave.ingest.html_blocks import BOLD, PLAIN, TERM, PageBlocks
from hopweave.ingest.html_navigation import LIKELY, LONGEST_BAR, Counts, grade_of, is_bar, is_step, may_be_navigation
from hopweave.ingest.html_tags import Tag, Tags, link_target, numbering_of
from hopweave.ingest.item_numbers import ItemNumbers
from hopweave.ingest.plain_text import read_plain
from hopweave.ingest.superscripts import raised

MAX_DEPTH = 100_000
"""Maximum number of elements that are open at once. Browsers build trees 512 deep; but a tag that is never closed leaves its
element open to the end of the page, and old pages have thousands of such tags. `_END_OPTIONAL` do not count."""

_MARKUP = lazy_pattern(
    r"<!--(?:-?>|(?:[^-]++|-(?!-!?>))*+(?:--!?>)?)"
    r"|<!\[CDATA\[(?:[^\]]++|\](?!\]>))*+(?:\]\]>)?"
    r"|<[!?][^>]*+>?"
    r"|<(?P<slash>/)?(?P<name>[A-Za-z][^\s/>]*+)"
    r"(?:[^>=]++|=\s*+(?:\"[^\"]*+\"?|'[^']*+'?)?+)*+(?P<end>>)?"
    r"|</[^>]*+>?"
)
_RAW_END = {name: lazy_pattern(rf"</{name}(?=[\s/>])|\Z", re.IGNORECASE) for name in ("script", "style")}
_LONG_REFERENCE = lazy_pattern(r"&#[xX]?[0-9a-fA-F]{20,}+;?")  # not a character, and a number too long for Python
_SPACE = lazy_pattern(r"\s+")

_WORDS = lazy_pattern(r"\w+")
_DROPPED = frozenset(_WORDS.findall("head title script style noscript template svg math iframe object select button"))
_BLOCKS = frozenset(
    _WORDS.findall(
        "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer "
        "form h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol p pre section summary table tbody tfoot thead tr ul"
    )
)
_EMPTY = frozenset(_WORDS.findall("area base br col embed hr img input link meta param source track wbr"))
_CELLS = frozenset({"td", "th"})
_SET_APART = _BLOCKS | _CELLS
_END_OPTIONAL = frozenset(
    _WORDS.findall("body caption colgroup dd dt head html li optgroup option p rp rt tbody td tfoot th thead tr")
)
"""HTML Living Standard, section 13.1.2.4: a long page of paragraphs without end tags is not nested."""
_STYLES = {"dt": TERM, "dd": PLAIN} | {f"h{level}": level for level in range(1, 7)}
_CLOSED = frozenset({"a", "table", "dl", *_STYLES})
"""Elements whose end matters."""
_MAIN = frozenset({"h1", "main", "article"})
_TEXT = ("article", "section", "main")
_PLAIN_BLOCKS = frozenset({"blockquote", "div", "figure", "li", "p", "pre"})
"""Blocks of which only attributes matter."""
_LISTS = frozenset({"ol", "ul", "menu"})
_TABLE_PARTS = frozenset({"table", "thead", "tbody", "tfoot"})
_PERMALINKS = frozenset("¶#§🔗⚓↩^↑") | {"↩\N{VARIATION SELECTOR-15}"}
"""What leads to where it stands, or from a note to what refers to it."""
_ICONS = lazy_pattern(r"[\ue000-\uf8ff]+")
"""Letters of fonts that draw them as symbols, such as a chain."""


def read_html(content: str, source: str, check: Check) -> Document:
    """A page, with a blank line between blocks; white space is collapsed as in browsers, except in `pre`.

    The title is the first one that the page has, or else its first main heading. Scripts, navigation and the like are left out;
    see `html_navigation`. A page of nothing but preformatted text is read as plain text, each `pre` as a page of it.

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
        slash, name, end_of_tag = match.group("slash", "name", "end")
        if name and end_of_tag:
            name, written = name.lower(), match[0]
            is_closed_at_once = written.endswith("/>")
            if not slash:
                page.start(name, written)
                if page.depth > MAX_DEPTH:
                    what = f"{source} is nested too deeply, more than {MAX_DEPTH:,} elements within each other"
                    raise DataError(f"{what}; close its tags, or leave it out")
                if name in _RAW_END and not is_closed_at_once and (end := _RAW_END[name].search(content, position)):
                    position = end.start()
            if slash or is_closed_at_once:
                page.end(name)
    return page.document(check)


class _Element(NamedTuple):
    """An open element that is looked at when it ends.

    Attributes:
        depth: the number of elements around it.
        start: the number of blocks before it.
        before: what the page had until then.
        is_in_text: whether it is in an article, a section, or the main part of the page.
    """

    name: str
    tag: Tag
    depth: int
    start: int
    before: tuple[int, ...]
    is_in_text: bool


class _Link(NamedTuple):
    """A link in a paragraph.

    Attributes:
        start: the number of pieces of the paragraph before it.
        end: the number of those up to its end.
        target: where it leads; see `link_target`.
        is_step: whether it leads to the page before or after.
    """

    start: int
    end: int
    target: str
    is_step: bool = False


@dataclass(slots=True)
class _Page:
    """A page being read: its open elements, how deeply they are nested, and the text so far."""

    open: list[str] = field(default_factory=list)
    num_open: defaultdict[str, int] = field(default_factory=partial(defaultdict, int))
    num_dropped: int = 0
    depth: int = 0
    titles: list[str] = field(default_factory=list)
    num_titles: int = 0
    tags: Tags = field(default_factory=Tags)
    elements: list[_Element] = field(default_factory=list)
    counts: Counts = field(default_factory=Counts)
    blocks: PageBlocks = field(default_factory=PageBlocks)
    style: int = PLAIN
    is_in_head: bool = False
    items: ItemNumbers = field(default_factory=ItemNumbers)
    pieces: list[str] = field(default_factory=list)
    link: _Link | None = None
    links: list[_Link] = field(default_factory=list)
    has_plain: bool = False  # whether some of the paragraph is not bold
    has_columns: bool = False  # whether some of it is preformatted
    preformatted: list[str] = field(default_factory=list)
    has_other_text: bool = False

    def start(self, name: str, written: str) -> None:
        if name == "body":
            self.end("head")  # its end tag is optional
        if name in _SET_APART:
            self._around(name)
        if name in _EMPTY:
            if name == "br" and not self.num_dropped:
                self.pieces.append("\n")
            self.counts.num_pictures += name == "img" and self.link is not None
            return
        self.open.append(name)
        self.num_open[name] += 1
        self.num_dropped += name in _DROPPED
        self.depth += name not in _END_OPTIONAL
        self.num_titles += name == "title" and not self.num_open["svg"]
        if self.num_dropped:
            return
        if name == "a":
            self._end_link()
            self.link = _Link(len(self.pieces), 0, link_target(written))
        elif name in _LISTS:
            self._begin_list(name, written)
        elif name == "li":
            self.items.begin_item(numbering_of(name, written).first)
        if name in _SET_APART and (name not in _PLAIN_BLOCKS or len(written) > len(name) + len("<>")):
            self._begin(name, self.tags.read(name, written))

    def end(self, name: str) -> None:
        """Closes the innermost open element of that name, and those inside it."""
        while self.num_open[name]:
            last = self.open.pop()
            self.num_open[last] -= 1
            self.num_dropped -= last in _DROPPED
            self.depth -= last not in _END_OPTIONAL
            if last in _SET_APART:
                self._around(last)
            if last in _CLOSED:
                self._closed(last)
            if last == "li":
                self.items.end_item()
            elif last in _LISTS and not self.num_dropped:
                self.items.end_list()
            while self.elements and self.elements[-1].depth == len(self.open):
                self._end_element(self.elements.pop())
            if last == name:
                break

    def add_text(self, written: str) -> None:
        text = unescape(_LONG_REFERENCE.sub("\ufffd", written)) if "&" in written else written
        if self.num_titles == 1 and self.num_open["title"] and not self.num_open["svg"]:
            self.titles.append(text)
        if not self.num_dropped:
            self.has_plain |= not (text.isspace() or self.num_open["b"] or self.num_open["strong"])
            self.has_columns |= bool(self.num_open["pre"])
            if self.num_open["sup"]:
                text = raised(text, self.pieces)
            self.pieces.append(text if self.num_open["pre"] else " " if text.isspace() else _SPACE.sub(" ", text))

    def document(self, check: Check) -> Document:
        self._break()
        named = " ".join("".join(self.titles).split())
        if self.preformatted and not self.has_other_text:
            plain = read_plain("\f".join(self.preformatted), check)
            return Document(named or plain.title, plain.parts)
        title, part = self.blocks.part(named)
        return Document(title, (part,))

    def _begin(self, name: str, tag: Tag) -> None:
        self.style = tag.level or _STYLES.get(name, self.style)
        self.counts.num_headings += self.style > PLAIN
        self.counts.num_mains += name in _MAIN or tag.role == "main"
        if name in _TABLE_PARTS:
            self.is_in_head = name == "thead"
        if name == "table":
            self.items.end_item()
            self.blocks.begin_table(is_layout=tag.role in {"presentation", "none"})
        elif name == "tr":
            self.blocks.begin_row(is_head=self.is_in_head)
        elif name in _CELLS:
            self.blocks.begin_cell(tag, is_header=name == "th")
        if may_be_navigation(name, tag):
            is_in_text = any(self.num_open[one] for one in _TEXT)
            self.elements.append(_Element(name, tag, len(self.open) - 1, len(self.blocks), self.counts.so_far(), is_in_text))

    def _begin_list(self, name: str, written: str) -> None:
        if name != "ol":
            self.items.begin_list(None)
            return
        first, style, step = numbering_of(name, written)
        if first is None and step == 1:
            first = 1  # a reversed list ends with 1, and how long it is nobody knows yet
        self.items.begin_list(first, style, step)

    def _closed(self, name: str) -> None:
        if name == "a":
            self._end_link()
        elif name == "table":
            self.blocks.end_table()
        elif name == "dl":
            self.blocks.end_terms()
        else:
            self.style = PLAIN

    def _end_element(self, element: _Element) -> None:
        self.style = PLAIN if element.tag.level else self.style
        counts = self.counts.since(element.before)
        grade = grade_of(element.name, element.tag, counts, is_in_text=element.is_in_text)
        if grade and len(self.blocks) > element.start:
            self.blocks.mark(element.start, grade)

    def _end_link(self) -> None:
        """Ends the open link, or what of it is in this paragraph; one that only leads to where it stands is left out."""
        link, self.link = self.link, None
        text = "".join(self.pieces[link.start :]).strip() if link is not None and link.target else ""
        if link is None or not text:
            return
        if link.target == "#" and (text in _PERMALINKS or _ICONS.fullmatch(text)):
            del self.pieces[link.start :]
            return
        found = link._replace(end=len(self.pieces), is_step=is_step(text))
        self.links.append(found)
        self.counts.num_links += 1
        self.counts.num_linked += len(text)
        self.counts.num_inside += len(text) if link.target == "#" else 0
        self.counts.num_steps += found.is_step

    def _around(self, name: str) -> None:
        """What separates an element from its surroundings: a break, or a gap between cells."""
        if self.num_dropped:
            return
        if name in _BLOCKS or self.blocks.table is not None:
            self._break()
        else:
            self.pieces.append(" ")

    def _break(self) -> None:
        if not self.pieces:
            return
        link = self.link
        self._end_link()
        self.link = link and link._replace(start=0)
        text = "".join(self.pieces)
        if self.has_columns:
            self.preformatted.append(text)
        self.has_other_text |= not self.has_columns and not text.isspace()
        for paragraph in self._paragraphs(text):
            start = len(self.blocks)
            self.counts.num_characters += len(paragraph)
            is_bold = self.style == PLAIN and not self.has_plain
            self.blocks.add(self.items.numbered(paragraph), BOLD if is_bold else self.style)
            if self.links and self.style == PLAIN and len(paragraph) <= LONGEST_BAR and self._is_bar():
                self.blocks.mark(start, LIKELY)
        self.pieces.clear()
        self.links.clear()
        self.has_plain = self.has_columns = False

    def _paragraphs(self, text: str) -> Iterator[str]:
        """Yields one paragraph, or the entries of a list; of preformatted text, the rows of its tables."""
        told = text
        if self.blocks.table is None:
            told = with_rows(text) if self.has_columns else with_entries(text)
        for piece in told.split(PARAGRAPH) if told != text else [text]:
            lines = (" ".join(line.split()) for line in piece.split("\n"))
            if paragraph := "\n".join(filter(None, lines)):
                yield paragraph

    def _is_bar(self) -> bool:
        """Whether the paragraph is a row of links to elsewhere."""
        bare, position = [], 0
        for link in self.links:
            bare += self.pieces[position : link.start]
            position = link.end
        bare += self.pieces[position:]
        return is_bar("".join(bare), len(self.links), sum(link.is_step for link in self.links))
