"""DOCX (Office Open XML, ISO/IEC 29500): the visible text of body and notes, with changes accepted."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

from hopweave.ingest.document import Blocks, Document
from hopweave.ingest.zipped import Archive

_WORDS = (
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main ",
    "http://purl.oclc.org/ooxml/wordprocessingml/main ",
)
_MATHS_TEXT = frozenset(
    f"http://{where}/math t"
    for where in ("schemas.openxmlformats.org/officeDocument/2006", "purl.oclc.org/ooxml/officeDocument")
)
_CORE_TITLE = "http://purl.org/dc/elements/1.1/ title"
_FALLBACK = "http://schemas.openxmlformats.org/markup-compatibility/2006 Fallback"
_LEFT_OUT = frozenset({"del", "moveFrom", _FALLBACK})
_NOTES = ("footnotes.xml", "endnotes.xml")
_TITLE_STYLES = ("Title", "Heading1")
_HEADING_STYLE = re.compile("Heading[1-9]")


def read_docx(archive: Archive) -> Document:
    """A document of one part, a blank line between paragraphs; a row of a table is one, its cells separated by spaces.

    The title is the paragraph with the style Title, or that in the properties, or the first main heading. Pages exist only
    after layout, so the format has none.

    Raises:
        DataError: if it is damaged, or beyond the limits.
    """
    main = _main_part(archive)
    body = _Body()
    archive.parse(main, body.start, body.end, body.add)
    for name in (posixpath.join(posixpath.dirname(main), notes) for notes in _NOTES):
        if name in archive:
            archive.parse(name, body.start, body.end, body.add)
    styled, heading = (body.named.get(style, "") for style in _TITLE_STYLES)
    return Document(styled or _core_title(archive) or heading, (body.blocks.part(),))


def _main_part(archive: Archive) -> str:
    found = []

    def start(_: str, attributes: Mapping[str, str]) -> None:
        if attributes.get("Type", "").endswith("/officeDocument"):
            found.append(attributes.get("Target", "").lstrip("/"))

    if "_rels/.rels" in archive:
        archive.parse("_rels/.rels", start)
    return found[0] if found else "word/document.xml"


def _core_title(archive: Archive) -> str:
    if "docProps/core.xml" not in archive:
        return ""
    within: list[str] = []
    pieces: list[str] = []
    archive.parse(
        "docProps/core.xml",
        lambda name, _: within.append(name),
        lambda _: within.clear(),
        lambda text: pieces.append(text) if within[-1:] == [_CORE_TITLE] else None,
    )
    return " ".join("".join(pieces).split())


class _Body:
    """The text read so far."""

    def __init__(self) -> None:
        self.blocks = Blocks()
        self.named: dict[str, str] = {}
        self._pieces: list[str] = []
        self._style = ""
        self._num_runs = self._num_cells = self._num_left_out = 0
        self._is_text = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        local = _local(name)
        self._num_left_out += local in _LEFT_OUT
        if local == "pStyle":
            self._style = next((value for key, value in attributes.items() if _local(key) == "val"), "")
        elif local == "r":
            self._num_runs += 1
        elif local == "tc":
            self._num_cells += 1
        elif local == "t":
            self._is_text = True
        elif self._num_runs and local in {"tab", "br", "cr"}:  # a tab outside of a run is where one would stop
            self._pieces.append(" " if local == "tab" else "\n")

    def end(self, name: str) -> None:
        local = _local(name)
        self._num_left_out -= local in _LEFT_OUT
        if local == "r":
            self._num_runs -= 1
        elif local == "tc":
            self._num_cells -= 1
        elif local == "t":
            self._is_text = False
        elif local == "p":
            self._end_paragraph()
        elif local == "tr" and not self._num_cells:
            self._break()

    def add(self, text: str) -> None:
        if self._is_text and not self._num_left_out:
            self._pieces.append(text)

    def _end_paragraph(self) -> None:
        style, self._style = self._style, ""
        if self._num_cells:
            self._pieces.append(" ")
            return
        if style in _TITLE_STYLES:
            self.named.setdefault(style, " ".join("".join(self._pieces).split()))
        self._break(int(style[-1]) if _HEADING_STYLE.fullmatch(style) else 0)

    def _break(self, level: int = 0) -> None:
        lines = (" ".join(line.split()) for line in "".join(self._pieces).split("\n"))
        self._pieces.clear()
        paragraph = "\n".join(filter(None, lines))
        if level:
            self.blocks.add_heading(paragraph, level)
        else:
            self.blocks.add(paragraph)


def _local(name: str) -> str:
    """A name without its namespace if that is the one of text documents; else the full name."""
    for namespace in _WORDS:
        if name.startswith(namespace):
            return name[len(namespace) :]
    return "t" if name in _MATHS_TEXT else name
