"""Manual pages, written for the macros man(7) or mdoc(7): their title such as `ls(1)`, their sections, and their text.

They are read by the rules of this file alone and not by the programs of a system, so that a passage is the same everywhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.deadline import Check
from hopweave.ingest.document import Blocks, Document
from hopweave.ingest.mdoc import Mdoc
from hopweave.ingest.troff import Troff, arguments

_FONTS = frozenset({"B", "I", "SM", "SB", "R", "CW"})
_ALTERNATE = frozenset({"BI", "BR", "IB", "IR", "RB", "RI"})
_BREAKS = frozenset(
    {"PP", "LP", "P", "HP", "sp", "Pp", "RS", "RE", "Sp", "YS", "bp", "IX", "TS", "TE", "Ve", "EE", "fi", "Ed", "El"}
)
_VERBATIM = {"nf": True, "EX": True, "Vb": True, "fi": False, "EE": False, "Ve": False}
_NOT_SHOWN = frozenset(
    re.findall(
        r"\S+",
        "ad af als am ce cc cs cu de ec eo ds do el em ev fam fc ft fp hc hla hy hw hym in ig it ll lg lf ls lt mk na ne nh "
        "nop nr ns nx pc pl pm pn po ps rm rn rr rs rt ss sy ta tc ti tl tm tr uf ul vs warn wh PD DT UC AT Dd Os Bk Ek "
        "Sm EQ EN",
    )
)
"""Requests and macros that change how a page looks and say nothing."""
_TABLE_OPTIONS = lazy_pattern(r"\btab\s*\((.)\)")
_CELL_START, _CELL_END = "T{", "T}"


def read_man_page(content: str, check: Check) -> Document:
    """Reads a manual page; one that only points to another says so.

    Args:
        content: the page, in troff.
        check: called for every line.
    """
    page = _Page(content, check)
    for name, rest in page.troff.lines():
        page.add(name, rest)
    page.end_paragraph()
    return Document(page.title, (page.blocks.part(),))


class _Page:
    """A manual page that is being read."""

    def __init__(self, content: str, check: Check) -> None:
        self.troff = Troff(content, check)
        self.title = ""
        self.blocks = Blocks()
        self._mdoc: Mdoc | None = None
        self._lines: list[str] = []
        self._is_verbatim = False
        self._is_tag_next = False
        self._is_synopsis = False
        self._heading_level = 0
        self._table: _Table | None = None

    def add(self, name: str, rest: str) -> None:
        """Adds a line."""
        if self._table is not None and name != "TE":
            self._table.is_format |= name == "T&"
            if row := self._table.row(rest if not name else ""):
                self._lines.append(self._shown(row) + "\n")
            return
        if not name:
            self._add_text(rest)
        elif name in {"TH", "Dt"}:
            self._set_title(arguments(rest), is_mdoc=name == "Dt")
        elif name in {"SH", "SS", "Sh", "Ss"}:
            self._add_heading(rest, 1 if name[1].upper() == "H" else 2)
        elif name in {"TP", "TQ"}:
            self._begin_item("")
        elif name in {"IP", "It"}:
            self._begin_item(rest if name == "IP" else self._of_mdoc("It", rest))
        elif name == "so":
            self._add_text(f"See {rest.strip().rpartition('/')[2].removesuffix('.gz')}.")
        elif name not in _NOT_SHOWN:
            self._add_macro(name, rest)

    def end_paragraph(self) -> None:
        """What was added last is a paragraph."""
        text = "".join(self._lines)
        self._lines.clear()
        self._is_tag_next = False
        self.blocks.add("\n".join(line.rstrip() for line in text.split("\n") if line.strip()))

    def _add_macro(self, name: str, rest: str) -> None:
        if name in _BREAKS or name in _VERBATIM or name in {"Bd", "Bl"}:
            self.end_paragraph()
            self._is_verbatim = _VERBATIM.get(name, self._is_verbatim)
            if name in {"Bd", "Ed"}:
                self._is_verbatim = name == "Bd" and ("-literal" in rest or "-unfilled" in rest)
            self._table = _Table() if name == "TS" else None
        elif name == "br":
            self._lines.append("\n")
        elif name in _FONTS:
            self._add_text(" ".join(arguments(rest)))
        elif name in _ALTERNATE:
            self._add_text("".join(arguments(rest)))
        elif name in {"UR", "MT"}:
            self._add_text(" ".join(arguments(rest)))
        elif name in {"UE", "ME"}:
            self._join("".join(arguments(rest)))
        elif name == "SY":
            self._lines.append("\n")
            self._add_text(" ".join(arguments(rest)))
        elif name == "OP":
            self._add_text(f"[{' '.join(arguments(rest))}]")
        elif self._mdoc is not None:
            self._lines += ["\n"] if name == "Nm" and self._is_synopsis else []
            self._add_text(self._of_mdoc(name, rest))
        else:
            self._add_text(" ".join(arguments(rest)))

    def _add_text(self, written: str) -> None:
        text = self._shown(written)
        if self._heading_level:
            level, self._heading_level = self._heading_level, 0
            self.blocks.add_heading(text, level)
            self._is_synopsis = text == "SYNOPSIS"
            return
        if not text.strip() and not self._is_verbatim:
            if not written.strip():
                self.end_paragraph()
            return
        self._lines.append(text + "\n" if self._is_verbatim or self._is_tag_next else text.strip() + " ")
        self._is_tag_next = False

    def _join(self, text: str) -> None:
        if self._lines:
            self._lines[-1] = self._lines[-1].rstrip() + text + " "

    def _shown(self, written: str) -> str:
        return unicodedata.normalize("NFC", self.troff.text(written).replace("\t", "  ").replace("\0", ""))

    def _begin_item(self, rest: str) -> None:
        self.end_paragraph()
        self._is_tag_next = True
        if tag := rest if self._mdoc is not None else next(iter(arguments(rest)), ""):
            self._add_text(tag)
        elif rest:
            self._is_tag_next = False

    def _add_heading(self, rest: str, level: int) -> None:
        self.end_paragraph()
        self._is_verbatim = False
        self._heading_level = level
        if text := " ".join(arguments(rest)):
            self._add_text(text)

    def _set_title(self, given: Sequence[str], *, is_mdoc: bool) -> None:
        name, section, *_ = [*map(self._shown, given), "", ""]
        name = name.lower() if name.isupper() else name
        self.title = self.title or (f"{name}({section})" if section else name)
        if is_mdoc:
            self._mdoc = Mdoc(name)

    def _of_mdoc(self, name: str, rest: str) -> str:
        return self._mdoc.line(name, arguments(rest)) if self._mdoc is not None else rest


class _Table:
    """A table of tbl(1): its cells, row by row."""

    def __init__(self) -> None:
        self._separator = "\t"
        self.is_format = True
        self._held: list[str] = []
        self._is_open = False

    def row(self, line: str) -> str:
        """What a line adds: a row, or nothing if it is part of the format or of a cell that goes on."""
        if self.is_format:
            if match := _TABLE_OPTIONS.search(line):
                self._separator = match[1]
            self.is_format = not line.rstrip().endswith(".")
            return ""
        self._held.append(line)
        if _CELL_START in line or _CELL_END in line:
            self._is_open = line.rfind(_CELL_START) > line.rfind(_CELL_END)
        if self._is_open:
            return ""
        held = " ".join(self._held)
        self._held.clear()
        cells = (cell.replace(_CELL_START, "").replace(_CELL_END, "").strip() for cell in held.split(self._separator))
        return "" if held.strip() in {"_", "="} else "  ".join(filter(None, cells))
