"""Documents that are text, by their formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hopweave.ingest.calendars import read_ics
from hopweave.ingest.cards import read_vcf
from hopweave.ingest.clippings import is_clippings, read_clippings
from hopweave.ingest.deadline import Check
from hopweave.ingest.document import Blocks, Document
from hopweave.ingest.html_page import read_html
from hopweave.ingest.info import read_info
from hopweave.ingest.man_page import read_man_page
from hopweave.ingest.markdown import is_markdown, read_markdown
from hopweave.ingest.notebook import add_code, read_cells
from hopweave.ingest.plain_text import read_plain
from hopweave.ingest.rst import read_rst
from hopweave.ingest.subtitles import read_subtitles


def read_document(content: str, suffix: str, source: str, check: Check) -> Document:
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
    if suffix in {".md", ".markdown"} or (suffix == ".txt" and is_markdown(content)):
        return read_markdown(content, source, check)
    if suffix == ".txt" and is_clippings(content):
        return read_clippings(content, check)
    if suffix == ".ipynb":
        return _read_notebook(content, source, check)
    return _READERS.get(suffix, read_plain)(content, check)


_READERS: Mapping[str, Callable[[str, Check], Document]] = {
    ".ics": read_ics,
    ".info": read_info,
    ".man": read_man_page,
    ".rst": read_rst,
    ".srt": read_subtitles,
    ".vcf": read_vcf,
    ".vtt": read_subtitles,
}


def _read_notebook(content: str, source: str, check: Check) -> Document:
    """A notebook; its title is the first heading."""
    blocks, title = Blocks(), ""
    for kind, text in read_cells(content, source, check):
        if kind == "markdown":
            cell = read_markdown(text, source, check)
            title = title or cell.title
            blocks.add_part(cell.parts[0])
        else:
            add_code(blocks, text)
    return Document(title, (blocks.part(),))
