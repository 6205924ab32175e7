"""Documents that are text: plain, Markdown, HTML, reStructuredText, manual pages, notebooks, subtitles."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from hopweave.core.errors import DataError
from hopweave.ingest.deadline import Check, no_check
from hopweave.ingest.document import Blocks, Document, Part, heading_at_start
from hopweave.ingest.html_page import read_html
from hopweave.ingest.item_numbers import ItemNumbers
from hopweave.ingest.man_page import read_man_page
from hopweave.ingest.notebook import add_code, read_cells
from hopweave.ingest.plain_text import read_plain
from hopweave.ingest.rst import read_rst
from hopweave.ingest.subtitles import read_subtitles
from hopweave.ingest.tables import Cell, plain_rows, rows_as_text
from hopweave.text.quotation import unquoted

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:(.+)$", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n\s*\n")

_MAX_DEPTH = 100
"""Maximum nesting of Markdown's quotes (one level each) and lists (two). Documents seldom go beyond ten."""
_MAX_INLINE_DEPTH = 20
"""Maximum nesting of brackets within a line; deeper ones are left unchanged. The time for a line grows with this number."""

_CLOSINGS = {"<!--": "-->", "<![CDATA[": "]]>", "<!": ">", "<?": "?>"}


def read_document(content: str, suffix: str, source: str = "the document", check: Check = no_check) -> Document:
    """Reads a document; its title is empty if it has none.

    Args:
        content: the file's content.
        suffix: of its format; see `formats.TEXT_SUFFIXES`.
        source: its name in messages.
        check: called for each tag, line or piece of markup.

    Raises:
        DataError: if it is nested too deeply.
    """
    content = content.replace("\r\n", "\n")
    if suffix in {".html", ".htm", ".xhtml"}:
        return read_html(content, source, check)
    if suffix in {".md", ".markdown"}:
        return _read_markdown(content, source, check)
    if suffix == ".rst":
        return read_rst(content, check)
    if suffix == ".man":
        return read_man_page(content, check)
    if suffix == ".ipynb":
        return _read_notebook(content, source, check)
    if suffix in {".srt", ".vtt"}:
        return read_subtitles(content, check)
    return read_plain(content, check)


def _read_notebook(content: str, source: str, check: Check) -> Document:
    """A notebook; its title is the first heading."""
    blocks, title = Blocks(), ""
    for kind, text in read_cells(content, source, check):
        if kind == "markdown":
            cell = _read_markdown(text, source, check)
            title = title or cell.title
            blocks.add_part(cell.parts[0])
        else:
            add_code(blocks, text)
    return Document(title, (blocks.part(),))


def _read_markdown(content: str, source: str, check: Check) -> Document:
    title = ""
    front = _FRONT_MATTER.match(content)
    if front:
        found = _FRONT_TITLE.search(front[1] or "")
        title = unquoted(found[1]) if found else ""
        content = content[front.end() :]
    tokens = _markdown_parser(source, check).parse(content)
    headings = [tokens[at + 1] for at, token in enumerate(tokens) if token.type == "heading_open"]
    if headings:
        title = _inline_text(headings[0]).strip()
    part = _markdown_part(tokens, source, check)
    return Document(title or heading_at_start(part), (part,))


def _markdown_parser(source: str, check: Check) -> MarkdownIt:
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
    parser.inline.ruler.before("text", "check", inline)
    parser.inline.ruler.before("html_inline", "closed_markup", _closed_markup())
    return parser


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


def _markdown_part(tokens: list[Token], source: str, check: Check) -> Part:
    blocks = Blocks()
    rows: list[list[Cell]] = []
    is_in_table = False
    level = 0
    items = ItemNumbers()
    for token in tokens:
        check()
        if token.type == "table_open":
            is_in_table = True
            items.end_item()
        elif token.type == "table_close":
            _add_table(blocks, rows)
            rows, is_in_table = [], False
        elif token.type == "tr_open":
            rows.append([])
        elif token.type == "heading_open":
            level = int(token.tag[1])
        elif token.type in _LISTS:
            _LISTS[token.type](items, token)
        elif token.type == "inline" and is_in_table:
            rows[-1].append(Cell(_inline_text(token)))
        elif token.type == "inline" and level:
            blocks.add_heading(items.numbered(_inline_text(token)), level)
            level = 0
        elif token.type == "inline":
            blocks.add(items.numbered(_inline_text(token)), is_bold=_is_bold(token))
        elif token.type in {"fence", "code_block"}:
            blocks.add(items.numbered(_BLANK_LINES.sub("\n", token.content)))
        elif token.type == "html_block":
            blocks.add_part(read_html(token.content, source, check).parts[0])
    return blocks.part()


_LISTS: Mapping[str, Callable[[ItemNumbers, Token], object]] = {
    "ordered_list_open": lambda items, token: items.begin_list(int(token.attrs.get("start", 1))),
    "bullet_list_open": lambda items, _: items.begin_list(None),
    "list_item_open": lambda items, _: items.begin_item(),
    "list_item_close": lambda items, _: items.end_item(),
    "ordered_list_close": lambda items, _: items.end_list(),
    "bullet_list_close": lambda items, _: items.end_list(),
}


def _add_table(blocks: Blocks, rows: list[list[Cell]]) -> None:
    for line in rows_as_text(rows, num_head=1) or plain_rows(rows):
        blocks.add(line)


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


def _inline_text(inline: Token) -> str:
    """The visible text of a line: link texts, code, image descriptions; no markup and no tags."""
    pieces = []
    for token in inline.children or ():
        if token.type in {"softbreak", "hardbreak"}:
            pieces.append("\n")
        elif token.type == "image":
            pieces.append(_inline_text(token))
        elif token.type in {"text", "code_inline"}:
            pieces.append(token.content)
    return "".join(pieces)
