"""Markdown (CommonMark with tables), and what notes and wikis add to it: front matter, footnotes, `[[links]]`, callouts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from hopweave.core.errors import DataError
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.deadline import Check
from hopweave.ingest.document import PARAGRAPH, Blocks, Document, Part, heading_at_start
from hopweave.ingest.entries import with_entries
from hopweave.ingest.front_matter import front_matter_of
from hopweave.ingest.html_navigation import LONGEST_BAR, is_bar, is_step
from hopweave.ingest.html_page import read_html
from hopweave.ingest.item_numbers import ItemNumbers
from hopweave.ingest.row_text import row_text
from hopweave.ingest.tables import Cell, plain_rows, rows_as_text

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_BLANK_LINES = lazy_pattern(r"\n\s*\n")
_CALLOUT = lazy_pattern(r"\[!([A-Za-z][\w-]{0,30})\][+-]?\s*")
_NOTE = lazy_pattern(r"\[\^([^\]\s]{1,100})\]:[ \t]*")
_NOTE_MARK = lazy_pattern(r"\[\^([^\]\s]{1,100})\]")
_WIKI_LINK = lazy_pattern(
    r"(?P<is_embedded>!)?\[\[(?P<page>[^\[\]|#\n]{0,200})(?:#\^?(?P<heading>[^\[\]|\n]{0,200}))?"
    r"(?:\\?\|(?P<shown>[^\[\]\n]{0,200}))?\]\](?![(\[])"
)
_MARKS_OF_NOTES = lazy_pattern(
    r"(?<!\w)==(?=[^\s=])(?P<said>[^=\n]{0,500}[^\s=])==(?!\w)"
    r"|(?<![ \t])[ \t]*+%%[^%\n]{0,500}%%|(?<![ \t])[ \t]++\^[\w-]{1,40}$"
)
"""Text that is marked as with a pen, a comment, and the name of a block, which readers do not see."""
_NAMES_A_PAGE = lazy_pattern(r"[^\W\d_]|^\d{4}(?:-\d\d){0,2}$")
"""A letter, or a year, month or day: other numbers in two brackets are those of lists in code."""
_WRAPPED_HEADING = lazy_pattern(r"^((?:> ?)*#{1,6} [^\[\n]*\[[^\[\]\n]*)\n(?:> ?)*([^\[\]\n]+\]\([^()\n]*\))", re.MULTILINE)
"""A heading in the text of a link that goes on in the next line, as converters from HTML write it."""
_TOLD_BY = 100_000
"""Characters of a text by which it is told whether it is Markdown."""
_HEADING_LINE = lazy_pattern(r"^#{1,6} (?=\*{0,2}[^\W_a-z])", re.MULTILINE)
_HASH_LINE = lazy_pattern(r"^[ \t]*#", re.MULTILINE)
_TEXT_LINE = lazy_pattern(r"^.*\S", re.MULTILINE)
_MARKUP = lazy_pattern(r"\*\*\w[^*\n]*\*\*|\]\((?:https?:|#|\.{0,2}/)|^\|[ :|-]*--[ :|-]*\|[ \t]*$|^```", re.MULTILINE)
_FEWEST, _MOST_SHARE = 3, 0.15
"""Headings, and other markup, of a text that is Markdown; and the share of its lines that begin with `#`, as comments do."""
_MEDIA = frozenset({".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".bmp", ".mp3", ".mp4", ".m4a", ".wav", ".webm", ".pdf"})

_MAX_DEPTH = 100
"""Maximum nesting of Markdown's quotes (one level each) and lists (two). Documents seldom go beyond ten."""
_MAX_INLINE_DEPTH = 20
"""Maximum nesting of brackets within a line; deeper ones are left unchanged. The time for a line grows with this number."""
_NOTE_INDENT = 4

_CLOSINGS = {"<!--": "-->", "<![CDATA[": "]]>", "<!": ">", "<?": "?>"}


def is_markdown(content: str) -> bool:
    """Whether a plain text is Markdown, as programs write that read PDFs and pictures, and as many README files are."""
    told = content[:_TOLD_BY]
    num_headings, num_hashes = (sum(1 for _ in pattern.finditer(told)) for pattern in (_HEADING_LINE, _HASH_LINE))
    if num_headings < _FEWEST or num_hashes > _MOST_SHARE * sum(1 for _ in _TEXT_LINE.finditer(told)):
        return False
    return sum(1 for _ in _MARKUP.finditer(told)) >= _FEWEST


def read_markdown(content: str, source: str, check: Check) -> Document:
    """Reads a document. Its properties are a row above its text, and its footnotes follow the paragraphs that refer to them.

    The title is that of the front matter, or else its first heading; one below the first level only if the document begins with
    it and has no other of its level: in a note, which is named by its file, it is a section.

    Args:
        content: the document.
        source: its name in messages.
        check: called for every piece of markup.

    Raises:
        DataError: if it is nested too deeply.
    """
    front = front_matter_of(content)
    tokens = _parser(source, check).parse(_WRAPPED_HEADING.sub(r"\1 \2", content[front.end :]))
    part = _Reading(tokens, source, check).part()
    title = front.title or _title_of(tokens, part)
    if front.properties:
        blocks = Blocks()
        blocks.add(_WIKI_LINK.sub(_shown_of_link, row_text(list(front.properties), list(front.properties.values()))))
        blocks.add_part(part)
        part = blocks.part()
    return Document(title, (part,))


def _title_of(tokens: Sequence[Token], part: Part) -> str:
    headings = [(int(token.tag[1]), tokens[at + 1]) for at, token in enumerate(tokens) if token.type == "heading_open"]
    if not headings:
        return heading_at_start(part)
    level, first = headings[0]
    is_only_one = min((other for other, _ in headings[1:]), default=level + 1) > level
    return _inline_text(first).strip() if level == 1 or (is_only_one and heading_at_start(part)) else ""


# -- parsing ------------------------------------------------------------------------------------------------------------------


def _parser(source: str, check: Check) -> MarkdownIt:
    """A parser that reports excessive nesting, which the library drops silently."""
    from markdown_it import MarkdownIt

    def block(state: StateBlock, _start: int, _end: int, silent: bool) -> bool:  # noqa: FBT001 - the library's signature
        check()
        if not silent and state.level > _MAX_DEPTH:
            what = f"{source} is nested too deeply, more than {_MAX_DEPTH} levels of quotes and lists"
            raise DataError(f"{what}; flatten it, or leave it out")
        return False

    def inline(_state: StateInline, _silent: bool) -> bool:  # noqa: FBT001 - the library's signature
        check()
        return False

    def to_lines(state: StateCore) -> None:
        state.md.options["maxNesting"] = _MAX_INLINE_DEPTH

    parser = MarkdownIt("commonmark", {"maxNesting": _MAX_DEPTH + 3}).enable("table")
    parser.core.ruler.before("inline", "to_lines", to_lines)
    parser.block.ruler.before("table", "check", block, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    parser.block.ruler.before("reference", "note", _note, {"alt": ["paragraph", "reference"]})
    parser.inline.ruler.before("text", "check", inline)
    parser.inline.ruler.before("link", "note_mark", _note_mark)
    parser.inline.ruler.before("link", "wiki_link", _wiki_link)
    parser.inline.ruler.before("html_inline", "closed_markup", _closed_markup())
    return parser


def _note(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001 - the library's signature
    """A rule for footnotes, which the library takes for the addresses of links, and drops, if they are single words."""
    begin = state.bMarks[start] + state.tShift[start]
    found = _NOTE.match(state.src, begin, state.eMarks[start])
    if found is None or state.is_code_block(start):
        return False
    if silent:
        return True
    paragraphs = [[state.src[found.end() : state.eMarks[start]]]]
    others = state.md.block.ruler.getRules("paragraph")

    def begins_another(line: int) -> bool:
        return any(rule(state, line, end, True) for rule in others)  # noqa: FBT003 - the library's signature

    line = start + 1
    while line < end:
        is_indented = state.sCount[line] - state.blkIndent >= _NOTE_INDENT
        if state.isEmpty(line):
            line = state.skipEmptyLines(line)
            if line >= end or state.sCount[line] - state.blkIndent < _NOTE_INDENT:
                break
            paragraphs.append([])
            continue
        if state.sCount[line] < state.blkIndent or (not is_indented and begins_another(line)):
            break
        paragraphs[-1].append(state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]])
        line += 1
    state.env.setdefault("notes", set()).add(found[1])
    state.push("note_open", "", 1).meta["label"] = found[1]
    for lines in paragraphs:
        token = state.push("inline", "", 0)
        token.content, token.map, token.children = "\n".join(lines).strip(), [start, line], []
    state.push("note_close", "", -1)
    state.line = line
    return True


def _note_mark(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - the library's signature
    """A rule for references to footnotes that the document has."""
    found = _NOTE_MARK.match(state.src, state.pos) if state.src.startswith("[^", state.pos) else None
    if found is None or found[1] not in state.env.get("notes", ()):
        return False
    if not silent:
        state.push("note_mark", "", 0).meta["label"] = found[1]
    state.pos = found.end()
    return True


def _wiki_link(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - the library's signature
    """A rule for links by the name of a page, as in Obsidian and MediaWiki: `[[page#heading|text]]`."""
    if state.src[state.pos] not in "![":
        return False
    found = _WIKI_LINK.match(state.src, state.pos)
    if found is None or not _NAMES_A_PAGE.search(found["page"] + (found["heading"] or "")) or found["page"][:1] == " ":
        return False
    if not silent:
        state.push("text", "", 0).content = _shown_of_link(found)
    state.pos = found.end()
    return True


def _shown_of_link(link: re.Match[str]) -> str:
    page, shown = PurePosixPath(link["page"].strip()), (link["shown"] or "").strip()
    if link["is_embedded"] and page.suffix.casefold() in _MEDIA:
        return shown if any(map(str.isalpha, shown.replace("x", ""))) else ""  # else it is a size, such as 300x200
    name = page.stem if page.suffix.casefold() == ".md" else page.name
    return shown or " > ".join(filter(None, (name, (link["heading"] or "").strip())))


def _closed_markup() -> Callable[[StateInline, bool], bool]:
    """A rule for inline comments and the like; the library's own takes time quadratic in their number."""
    unclosed: set[tuple[str, str]] = set()

    def rule(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - the library's signature
        if state.src[state.pos] != "<":
            return False
        opening = next((opening for opening in _CLOSINGS if state.src.startswith(opening, state.pos)), "")
        if not opening or (state.src, opening) in unclosed:
            return False
        closing = _CLOSINGS[opening]
        end = state.src.find(closing, state.pos + 2)
        if end < 0:
            unclosed.add((state.src, opening))
            return False
        if not silent:
            state.push("html_inline", "", 0)
        state.pos = end + len(closing)
        return True

    return rule


# -- reading ------------------------------------------------------------------------------------------------------------------


class _Reading:
    """The text of a parsed document.

    Args:
        tokens: of the document.
        source: its name in messages.
        check: called for every token.
    """

    def __init__(self, tokens: Sequence[Token], source: str, check: Check) -> None:
        self._tokens = tokens
        self._source = source
        self._check = check
        self._blocks = Blocks()
        self._items = ItemNumbers()
        self._notes: dict[str, str] = {}
        for label, text in _notes_in(tokens):
            self._notes[label] = f"{self._notes[label]}{PARAGRAPH}{text}" if label in self._notes else text
        self._marked: list[str] = []  # labels of notes that the block refers to
        self._rows: list[list[Cell]] = []
        self._level = 0
        self._is_in_table = False
        marked = {label for token in tokens if token.type == "inline" for label in _marks_in(token)}
        self._unmarked = self._notes.keys() - marked

    def part(self) -> Part:
        is_in_note = False
        for token in self._tokens:
            self._check()
            if token.type == "note_open":
                is_in_note = True
                self._marked += self._unmarked & {token.meta["label"]}
            elif token.type == "note_close":
                is_in_note = False
                self._add_notes()
            elif not is_in_note:
                self._read(token)
        self._marked += self._notes  # those that only notes refer to
        self._add_notes()
        return self._blocks.part()

    def _read(self, token: Token) -> None:
        if token.type == "table_open":
            self._is_in_table = True
            self._items.end_item()
        elif token.type == "table_close":
            for line in rows_as_text(self._rows, num_head=1) or plain_rows(self._rows):
                self._blocks.add(line)
            self._rows, self._is_in_table = [], False
            self._add_notes()
        elif token.type == "tr_open":
            self._rows.append([])
        elif token.type == "heading_open":
            self._level = int(token.tag[1])
        elif token.type in _LISTS:
            _LISTS[token.type](self._items, token)
        elif token.type == "inline":
            self._read_line(token)
        elif token.type in {"fence", "code_block"}:
            self._blocks.add(self._items.numbered(_BLANK_LINES.sub("\n", token.content)))
        elif token.type == "html_block":
            self._blocks.add_part(read_html(token.content, self._source, self._check).parts[0])

    def _read_line(self, token: Token) -> None:
        self._marked += _marks_in(token)
        text = _inline_text(token)
        if not self._is_in_table and not self._level and len(text) <= LONGEST_BAR and _is_bar(token):
            return
        if self._is_in_table:
            self._rows[-1].append(Cell(text))
            return
        if self._level:
            self._blocks.add_heading(self._items.numbered(text), self._level)
            self._level = 0
        else:
            text = _CALLOUT.sub(lambda found: f"{found[1].capitalize()}: ", text, count=1) if text.startswith("[!") else text
            self._blocks.add(with_entries(self._items.numbered(text)), is_bold=_is_bold(token))
        self._add_notes()

    def _add_notes(self) -> None:
        """Adds the notes that the last block refers to, each once."""
        for label in self._marked:
            self._blocks.add(self._notes.pop(label, ""))
        self._marked.clear()


_LISTS: Mapping[str, Callable[[ItemNumbers, Token], object]] = {
    "ordered_list_open": lambda items, token: items.begin_list(int(token.attrs.get("start", 1))),
    "bullet_list_open": lambda items, _: items.begin_list(None),
    "list_item_open": lambda items, _: items.begin_item(),
    "list_item_close": lambda items, _: items.end_item(),
    "ordered_list_close": lambda items, _: items.end_list(),
    "bullet_list_close": lambda items, _: items.end_list(),
}


def _notes_in(tokens: Sequence[Token]) -> Iterator[tuple[str, str]]:
    """The labels and texts of footnotes."""
    label = ""
    texts: list[str] = []
    for token in tokens:
        if token.type == "note_open":
            label, texts = token.meta["label"], []
        elif token.type == "inline":
            texts.append(_inline_text(token))
        elif token.type == "note_close":
            yield label, PARAGRAPH.join(texts)


def _marks_in(inline: Token) -> list[str]:
    """The labels of the footnotes that a line refers to."""
    return [token.meta["label"] for token in inline.children or () if token.type == "note_mark"]


def _is_bold(inline: Token) -> bool:
    """Whether all text of a line is strong."""
    depth, has_text = 0, False
    for token in inline.children or ():
        depth += token.type == "strong_open"
        depth -= token.type == "strong_close"
        if token.type in {"text", "code_inline", "image"} and token.content.strip():
            if not depth:
                return False
            has_text = True
    return has_text


def _is_bar(inline: Token) -> bool:
    """Whether a line is a row of links to the pages around the document."""
    bare: list[str] = []
    linked: list[str] = []
    is_in_link = False
    for token in inline.children or ():
        if token.type == "link_open":
            is_in_link = True
            linked.append("")
        elif token.type == "link_close":
            is_in_link = False
        elif token.type in {"text", "code_inline"}:
            if is_in_link:
                linked[-1] += token.content
            else:
                bare.append(token.content)
    return len(linked) > 1 and is_bar(" ".join(bare), len(linked), sum(is_step(one.strip()) for one in linked))


def _inline_text(inline: Token) -> str:
    """The visible text of a line: link texts, code, image descriptions; no markup and no tags."""
    pieces = []
    for token in inline.children or ():
        if token.type in {"softbreak", "hardbreak"}:
            pieces.append("\n")
        elif token.type == "image":
            pieces.append(_inline_text(token))
        elif token.type == "text":
            pieces.append(_MARKS_OF_NOTES.sub(r"\g<said>", token.content))
        elif token.type == "code_inline":
            pieces.append(token.content)
    return "".join(pieces)
