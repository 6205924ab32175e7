"""reStructuredText, read as text: markup is removed, and no other file is included."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.deadline import Check
from hopweave.ingest.document import Blocks, Document, Part
from hopweave.ingest.indents import indent_of
from hopweave.ingest.rst_lists import RstLists
from hopweave.ingest.rst_tables import Table, csv_table, grid_table, list_table, simple_table
from hopweave.ingest.tables import rows_as_text

_LINE = lazy_pattern(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*")
_MARKED = lazy_pattern(r"(?P<indent>[ \t]*)\.\.(?:[ \t]+(?P<said>.*))?")
_DIRECTIVE = lazy_pattern(r"(?P<name>[\w:.+-]+?)[ \t]?::(?:[ \t]+(?P<said>.*))?")
_FOOTNOTE = lazy_pattern(r"\[(?:\d+|[#*]|#?[\w.-]+)\](?:[ \t]+|$)")
_OPTION = lazy_pattern(r"[ \t]*:(?P<name>[^:\s][^:]*):(?=[ \t]|$)(?P<said>.*)")
_GRID = lazy_pattern(r"[ \t]*\+[-=+]+\+[ \t]*|[ \t]*=+(?:[ \t]+=+)+[ \t]*")

_WORDS = lazy_pattern(r"\S+")
_LEFT_OUT = lazy_pattern(
    r"(?:\w+:)*(?:auto\w+|bibliography|citation|contents|current(?:library|module)|default-domain|default-role|digraph|footer|graph|graphviz"
    r"|header|highlight|highlightlang|include|index|inheritance-diagram|literalinclude|mermaid|meta|(?:code|module|section)author|module"
    r"|namespace|plantuml|raw|restructuredtext-test-directive|role|sect(?:ion-)?num(?:bering)?|tabularcolumns|target-notes|testcleanup"
    r"|testsetup|title|toctree|uml)"
)
"""Directives that are for programs, or name other files; what others say is part of the page, also that of extensions."""

_CODE = frozenset(_WORDS.findall("code code-block sourcecode doctest testcode testoutput prompt console"))
_AS_WRITTEN = _CODE | {"math"}
_SAYS_NOTHING = _CODE | frozenset(_WORDS.findall("container cssclass figure ifconfig image only parsed-literal rst-class"))
"""Directives whose first line is a path, a language or a condition."""
_OF_TABLES = frozenset({"table", "list-table", "csv-table"})
_SINCE = {
    "versionadded": "New in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
    "deprecated-removed": "Deprecated since version",
    "versionremoved": "Removed in version",
}
"""What readers see instead of these directives."""

_ROLE = lazy_pattern(r"(?::[\w:.+-]{1,60}:)?`~?(?P<said>[^`<>\n]{1,1000})(?:<[^`<>\n]{1,2000}>)?`_{0,2}")
_LITERAL = lazy_pattern(r"``(?P<said>[^\n]+?)``")
_STRONG = lazy_pattern(r"(?<![\w*])\*{1,2}(?P<said>\S(?:[^*\n]*[^*\s])?)\*{1,2}(?![\w*])")
_SUBSTITUTION = lazy_pattern(r"\|(?P<said>[^|\s][^|\n]{0,200})\|_{0,2}")
_REFERENCE = lazy_pattern(r"\b(?P<said>\w+)__?(?!\w)")


def read_rst(content: str, check: Check) -> Document:
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
            if lines[at - 1].rstrip().endswith("::"):
                at = _as_written(lines, at, indent_of(lines[at - 1]), kept)
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
    indent, said = len(match["indent"]), (match["said"] or "").strip()
    kept.append("")
    at += 1
    if not said and not "".join(lines[at : at + 1]).strip():
        return at  # two dots alone only set apart what comes before and after them
    if footnote := _FOOTNOTE.match(said):
        kept.append(_inline(said[footnote.end() :]))
        return at
    directive = _DIRECTIVE.fullmatch(said)
    name = directive["name"].casefold() if directive else ""
    if directive is None or _LEFT_OUT.fullmatch(name):
        return _end_of_block(lines, at, indent)
    if name in _OF_TABLES:
        return _table(lines, at, indent, name, directive["said"] or "", kept)
    argument = "" if name in _SAYS_NOTHING else (directive["said"] or "").strip()
    column = match.start("said") + directive.start("said")
    if name in _SINCE:
        version, _, what = argument.partition(" ")
        is_all = not what and _start_of_block(lines, at, indent) is None
        argument = f"{_SINCE[name]} {version}{'.' if is_all else ':'} {what}".strip()
    kept.append(_inline(argument))
    while argument and at < len(lines) and lines[at].strip() and indent_of(lines[at]) == column:
        kept.append(_inline(lines[at].strip()))  # another signature of what is described
        at += 1
    while at < len(lines) and _OPTION.fullmatch(lines[at]):
        at += 1
    if name in _AS_WRITTEN:
        return _as_written(lines, at, indent, kept)
    # What is described, such as a function, and the first paragraph about it are one.
    is_described = argument and argument[-1] not in ".!?"
    return (_start_of_block(lines, at, indent) if is_described else None) or at


def _as_written(lines: Sequence[str], at: int, indent: int, kept: list[str]) -> int:
    """Reads a block of code, of which nothing is markup; returns the line after it."""
    end = _end_of_block(lines, at, indent)
    written = [line for line in lines[at:end] if line.strip()]
    least = min(map(indent_of, written), default=0)
    if written:
        kept += ["", *(line[least:].rstrip() for line in written), ""]
    return end


def _table(lines: list[str], at: int, indent: int, name: str, caption: str, kept: list[str]) -> int:
    """Reads a directive that is a table; returns the line after it, or that after its options if it is read line by line."""
    kept.append(_inline(caption))
    end = _end_of_block(lines, at, indent)
    given = [line for line in lines[at:end] if not _OPTION.fullmatch(line)]
    options = {found["name"]: found["said"].strip() for found in map(_OPTION.fullmatch, lines[at:end]) if found}
    num_head = int(written) if (written := options.get("header-rows", "0")).isdecimal() and len(written) < 3 else 0
    table = None
    if name == "list-table":
        table = list_table(given, num_head)
    elif name == "csv-table":
        table = csv_table(given, num_head, options.get("header", ""), options.get("delim", ","))
    if rows := _rows(table) if table else []:
        kept += rows
        return end
    while at < end and _OPTION.fullmatch(lines[at]):
        at += 1
    return at


def _start_of_block(lines: Sequence[str], at: int, indent: int) -> int | None:
    """The number of the first line with text, if it is indented further."""
    first = next((number for number in range(at, len(lines)) if lines[number].strip()), None)
    return first if first is not None and indent_of(lines[first]) > indent else None


def _end_of_block(lines: Sequence[str], at: int, indent: int) -> int:
    """The number of the line after those that are empty or indented further."""
    while at < len(lines) and (not lines[at].strip() or indent_of(lines[at]) > indent):
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
