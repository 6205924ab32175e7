"""Title and text of a document: plain text, Markdown, HTML."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bs4 import BeautifulSoup
    from bs4.element import PageElement
    from markdown_it.token import Token

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_TITLE = re.compile(r"""^title:[ \t]*(["']?)(.+?)\1[ \t]*$""", re.MULTILINE)
_SPACE = re.compile(r"\s+")
_BLANK_LINES = re.compile(r"\n\s*\n")

_TAGS = re.compile(r"\w+")
_DROPPED = frozenset(_TAGS.findall("head script style nav noscript template svg math iframe object select button"))
_BLOCKS = frozenset(
    _TAGS.findall(
        "address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer "
        "form h1 h2 h3 h4 h5 h6 header hr html legend li main menu ol p pre section summary table tbody tfoot thead tr ul"
    )
)
_CELLS = frozenset({"td", "th"})

_PARAGRAPH, _LINE, _GAP = "\n\n", "\n", " "


def read_document(content: str, suffix: str) -> tuple[str, str]:
    """Title (empty if it has none) and text of a document.

    Args:
        content: the file's content.
        suffix: `.txt`, `.md`, `.markdown`, `.html` or `.htm`.
    """
    content = content.replace("\r\n", "\n")
    if suffix in {".html", ".htm"}:
        return _read_html(content)
    if suffix in {".md", ".markdown"}:
        return _read_markdown(content)
    return "", content.strip()


def _read_html(content: str) -> tuple[str, str]:
    soup = _parse_html(content)
    for element in (soup.title, soup.h1):
        title = _SPACE.sub(" ", element.get_text(" ")).strip() if element is not None else ""
        if title:
            break
    return title, _text_of(soup)


def _parse_html(content: str) -> BeautifulSoup:
    from bs4 import BeautifulSoup

    with warnings.catch_warnings():
        # XHTML read as HTML, or a text that looks like a file name: neither changes the text that is found.
        warnings.simplefilter("ignore")
        return BeautifulSoup(content, "html.parser")


def _text_of(soup: BeautifulSoup) -> str:
    """The visible text, a blank line between blocks; white space is folded as a browser does, but for `pre`."""
    paragraphs: list[str] = []
    pieces: list[str] = []
    for piece in _pieces(soup):
        if piece == _PARAGRAPH:
            paragraphs.append(_tidy("".join(pieces)))
            pieces.clear()
        else:
            pieces.append(piece)
    paragraphs.append(_tidy("".join(pieces)))
    return _PARAGRAPH.join(paragraph for paragraph in paragraphs if paragraph)


def _tidy(paragraph: str) -> str:
    lines = (re.sub(r"[ \t]+", " ", line).strip() for line in paragraph.split("\n"))
    return "\n".join(line for line in lines if line)


def _pieces(soup: BeautifulSoup) -> Iterator[str]:
    """Text and breaks in reading order. A stack instead of recursion: pages nest deeper than Python calls may."""
    from bs4.element import NavigableString, PreformattedString, Tag

    stack: list[PageElement | str] = [soup]
    while stack:
        node = stack.pop()
        if isinstance(node, Tag):
            if node.name == "br":
                yield _LINE
            elif node.name == "pre":
                stack += [_PARAGRAPH, node.get_text(), _PARAGRAPH]
            elif node.name not in _DROPPED:
                around = _PARAGRAPH if node.name in _BLOCKS else _GAP if node.name in _CELLS else ""
                # The stack gives back what was put on it last: the end first, then the children from the last to the first.
                stack += [around, *reversed(node.contents), around]
        elif isinstance(node, PreformattedString):  # a comment, a doctype
            continue
        elif isinstance(node, NavigableString):
            yield _SPACE.sub(" ", str(node))
        elif isinstance(node, str) and node:
            yield node


def _read_markdown(content: str) -> tuple[str, str]:
    from markdown_it import MarkdownIt

    title = ""
    front = _FRONT_MATTER.match(content)
    if front:
        found = _FRONT_TITLE.search(front[1] or "")
        title = found[2].strip() if found else ""
        content = content[front.end() :]
    tokens = MarkdownIt("commonmark").enable("table").parse(content)
    headings = [tokens[at + 1] for at, token in enumerate(tokens) if token.type == "heading_open"]
    if headings:
        title = _inline_text(headings[0]).strip()
    return title, _markdown_text(tokens)


def _markdown_text(tokens: list[Token]) -> str:
    blocks: list[str] = []
    cells: list[str] | None = None
    for token in tokens:
        if token.type == "tr_open":
            cells = []
        elif token.type == "tr_close":
            blocks.append(" ".join(cells or ()))
            cells = None
        elif token.type == "inline":
            (blocks if cells is None else cells).append(_inline_text(token).strip())
        elif token.type in {"fence", "code_block"}:
            blocks.append(_BLANK_LINES.sub("\n", token.content).strip())
        elif token.type == "html_block":
            blocks.append(_text_of(_parse_html(token.content)))
    return _PARAGRAPH.join(block for block in blocks if block)


def _inline_text(inline: Token) -> str:
    """What a reader sees of a line: link texts, code, the description of an image; no marks and no tags."""
    pieces = []
    for token in inline.children or ():
        if token.type in {"softbreak", "hardbreak"}:
            pieces.append("\n")
        elif token.type == "image":
            pieces.append(_inline_text(token))
        elif token.type in {"text", "code_inline"}:
            pieces.append(token.content)
    return "".join(pieces)
