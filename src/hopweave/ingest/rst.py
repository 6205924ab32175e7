"""reStructuredText, read as text: markup is removed, and no other file is included."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from hopweave.ingest.deadline import Check, no_check
from hopweave.ingest.document import Blocks, Document, Part
from hopweave.ingest.rst_lists import RstLists
from hopweave.ingest.rst_tables import Table, grid_table, list_table, simple_table
from hopweave.ingest.tables import rows_as_text

_LINE = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*")
_MARKED = re.compile(r"(?P<indent>[ \t]*)\.\.(?:[ \t]+(?P<said>.*))?")
_DIRECTIVE = re.compile(r"(?:\|[^|]*\|[ \t]+)?(?P<name>[\w:.+-]+?)[ \t]?::(?:[ \t]+(?P<said>.*))?")
_FOOTNOTE = re.compile(r"\[(?:\d+|[#*]|#?[\w.-]+)\][ \t]+")
_OPTION = re.compile(r"[ \t]*:[^:\s][^:]*:(?=[ \t]|$).*")
_HEADER_ROWS = re.compile(r"[ \t]*:header-rows:[ \t]*(\d)[ \t]*")
_GRID = re.compile(r"[ \t]*\+[-=+]+\+[ \t]*|[ \t]*=+(?:[ \t]+=+)+[ \t]*")

_WORDS = re.compile(r"\S+")
_READ_DIRECTIVES = frozenset(
    _WORDS.findall(
        "admonition attention caution danger epigraph error figure hint highlights image important note pull-quote rubric "
        "seealso sidebar tip topic versionadded versionchanged deprecated warning table list-table code code-block sourcecode"
    )
)
"""Directives whose text is part of the page; of others (include, raw, toctree, math and the like) nothing is shown."""

_SAYS_NOTHING = frozenset({"figure", "image", "code", "code-block", "sourcecode"})
"""Directives whose first line is a path or a language."""

_ROLE = re.compile(r"(?::[\w:.+-]{1,60}:)?`~?(?P<said>[^`<>\n]{1,1000})(?:<[^`<>\n]{1,2000}>)?`_{0,2}")
_LITERAL = re.compile(r"``(?P<said>[^\n]+?)``")
_STRONG = re.compile(r"(?<![\w*])\*{1,2}(?P<said>\S(?:[^*\n]*[^*\s])?)\*{1,2}(?![\w*])")
_SUBSTITUTION = re.compile(r"\|(?P<said>[^|\s][^|\n]{0,200})\|_{0,2}")
_REFERENCE = re.compile(r"\b(?P<said>\w+)__?(?!\w)")


def read_rst(content: str, check: Check = no_check) -> Document:
    """Its title is the first section's; paragraphs stay apart by blank lines. Each line is checked once."""
    lines = content.expandtabs().split("\n")
    title = ""
    kept: list[str] = []
    lists = RstLists()
    levels: dict[int, int] = {}  # of the lines that are headings
    styles: list[str] = []
    at = 0
    while at < len(lines):
        check()
        if _is_underline(lines, at):
            if not title and kept:
                title = kept[-1]
            styles += [style] if (style := _style(lines, at)) not in styles else []
            levels[len(kept) - 1] = styles.index(style) + 1
            kept.append("")
            at += 1
        elif table := grid_table(lines, at) or simple_table(lines, at):
            rows = _rows(table)
            kept += rows or _plain(lines[at : table.end])
            at = table.end
        elif match := _MARKED.fullmatch(lines[at]):
            lists.numbered(lines[at])
            at = _marked(lines, at, match, kept)
        else:
            kept += _plain([lists.numbered(lines[at])])
            at += 1
    return Document(title, (_part(kept, levels),))


def _plain(lines: Sequence[str]) -> list[str]:
    return ["" if _LINE.fullmatch(line) or _GRID.fullmatch(line) else _inline(line).strip() for line in lines]


def _rows(table: Table) -> list[str]:
    """The rows of a table with the names of its columns, as paragraphs; none if it has no names."""
    shown = [[cell._replace(text=_inline(cell.text)) for cell in row] for row in table.rows]
    written = rows_as_text(shown, table.num_head) if table.num_head else None
    return [line for row in written or () for line in ("", row)] + [""] * bool(written)


def _part(lines: list[str], levels: Mapping[int, int]) -> Part:
    blocks = Blocks()
    paragraph: list[str] = []
    for number, line in enumerate([*lines, ""]):
        level = levels.get(number)
        if level is None and line:
            paragraph.append(line)
            continue
        blocks.add("\n".join(paragraph))
        paragraph.clear()
        if level is not None:
            blocks.add_heading(line, level)
    return blocks.part()


def _style(lines: list[str], at: int) -> str:
    """How a heading is marked, by which headings of one level are known: its line, twice if there is one above it as well."""
    mark = lines[at][0]
    return mark * 2 if at > 1 and lines[at - 2].startswith(mark * 3) and _LINE.fullmatch(lines[at - 2]) else mark


def _is_underline(lines: list[str], at: int) -> bool:
    above, length = lines[at - 1].strip() if at else "", len(lines[at].rstrip())
    return bool(above and _LINE.fullmatch(lines[at])) and not _LINE.fullmatch(above) and length >= min(4, len(above))


def _marked(lines: list[str], at: int, match: re.Match[str], kept: list[str]) -> int:
    """Reads a block that begins with two dots; returns the line after it."""
    said = (match["said"] or "").strip()
    directive = _DIRECTIVE.fullmatch(said)
    shown = directive is not None and directive["name"] in _READ_DIRECTIVES
    if directive and shown and directive["said"] and directive["name"] not in _SAYS_NOTHING:
        kept += ["", _inline(directive["said"])]
    footnote = _FOOTNOTE.match(said)
    if footnote:
        kept += ["", _inline(said[footnote.end() :])]
        return at + 1
    kept.append("")
    at += 1
    if directive and directive["name"] == "list-table":
        end = _end_of_block(lines, at, len(match["indent"]))
        num_head = sum(int(found[1]) for found in map(_HEADER_ROWS.fullmatch, lines[at:end]) if found)
        if rows := _rows(list_table([line for line in lines[at:end] if not _OPTION.fullmatch(line)], num_head)):
            kept += rows
            return end
    if shown:
        while at < len(lines) and _OPTION.fullmatch(lines[at]):
            at += 1
        return at
    return _end_of_block(lines, at, len(match["indent"]))


def _end_of_block(lines: Sequence[str], at: int, indent: int) -> int:
    """The number of the line after those that are empty or indented further."""
    while at < len(lines) and (not lines[at].strip() or len(lines[at]) - len(lines[at].lstrip()) > indent):
        at += 1
    return at


def _inline(line: str) -> str:
    """The visible text of a line."""
    pieces = []
    for number, piece in enumerate(_LITERAL.split(line)):
        if number % 2:  # as it is
            pieces.append(piece)
            continue
        for pattern in (_ROLE, _STRONG, _SUBSTITUTION, _REFERENCE):
            piece = pattern.sub(lambda match: match["said"].rstrip(), piece)  # noqa: PLW2901
        pieces.append(piece)
    return "".join(pieces).removesuffix("::") + (":" if line.rstrip().endswith("::") and line.strip() != "::" else "")
