"""Markup that pandoc reads, the converter of markup languages: it makes a web page of a document, in a process with limits.

It comes with the extra `pandoc`, or is found among the commands. It opens no file but what it is given (`--sandbox`).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from hopweave.ingest.deadline import Check
from hopweave.ingest.document import Document
from hopweave.ingest.formats import CorpusFile, Limits
from hopweave.ingest.html_page import read_html
from hopweave.ingest.plain_text import read_plain
from hopweave.ingest.reasons import Reason, Unreadable
from hopweave.ingest.references import as_written, read_references

INPUT: Mapping[str, str] = {
    ".adoc": "asciidoc",
    ".asciidoc": "asciidoc",
    ".bib": "biblatex",
    ".dbk": "docbook",
    ".fb2": "fb2",
    ".mediawiki": "mediawiki",
    ".opml": "opml",
    ".org": "org",
    ".ris": "ris",
    ".t2t": "t2t",
    ".tex": "latex",
    ".textile": "textile",
    ".typ": "typst",
}
"""What pandoc calls the formats, by their suffixes in `formats.MARKUP_SUFFIXES`."""

_XML = frozenset({".dbk", ".fb2", ".opml"})
"""Formats that nobody reads as they are written."""

_REFERENCES = frozenset({".bib", ".ris"})
"""Lists of references, of which pandoc makes no page."""

_HEAP = "1G"
_SHARE = 0.5
"""Of the time for a file, how much pandoc may take; the rest is for what it makes."""
_NO_TITLE = "<title>-</title>"
"""What pandoc writes if a document has none."""

_LIBRARY = "pypandoc"


def read_markup(content: str, file: CorpusFile, limits: Limits, check: Check) -> Document:
    """Reads a document through pandoc; without it, or if it cannot, as plain text.

    Args:
        content: the document.
        file: that it is from.
        limits: on reading it.
        check: called for every line or tag.

    Raises:
        DataError: if it is XML, and pandoc is not installed or cannot read it.
    """
    seconds = _SHARE * (limits.seconds_for(file) or 0)
    are_references = file.suffix in _REFERENCES
    given = as_written(content) if file.suffix == ".bib" else content
    made = _converted(given, file.suffix, "csljson" if are_references else "html", seconds, limits.max_row_mib << 20)
    if made is not None:
        return read_references(made, check) if are_references else read_html(made.replace(_NO_TITLE, "", 1), file.source, check)
    if file.suffix not in _XML:
        return read_plain(content.replace("\r\n", "\n"), check)
    if _converter() is None:
        message = f"{file.source} needs pandoc to be read; install it with: pip install 'hopweave[pandoc]'"
        raise Unreadable(message, Reason.NEEDS_LIBRARY)
    raise Unreadable(f"{file.source} cannot be read by pandoc; correct it, or convert it to HTML")


@cache
def _converter() -> str | None:
    """The path of pandoc; `None` if it is not installed."""
    if found := find_spec(_LIBRARY):
        folders = map(Path, found.submodule_search_locations or ())
        inside = next((folder / "files" / "pandoc" for folder in folders if (folder / "files" / "pandoc").is_file()), None)
        if inside is not None:
            return str(inside)
    return shutil.which("pandoc")


def _converted(content: str, suffix: str, to: str, max_seconds: float, max_bytes: int) -> str | None:
    """A document as a web page, with its notes below the paragraphs that refer to them, or in another format.

    Args:
        content: the document.
        suffix: of its format.
        to: what pandoc calls the other format.
        max_seconds: how long it may take.
        max_bytes: how long the result may be.

    Returns:
        `None` if pandoc is not installed, or cannot read it within the limits.
    """
    program = _converter()
    if program is None:
        return None
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as made:
        given.write(content.encode("utf-8", "replace"))
        given.seek(0)
        options = ["--sandbox", "--standalone", "--wrap=none", "--quiet", "--reference-location=block"]
        command = [program, "+RTS", f"-M{_HEAP}", "-RTS", *options, f"--from={INPUT[suffix]}", f"--to={to}"]
        try:
            ran = subprocess.run(  # noqa: S603 - the converter, without anything of the document in the command
                command, stdin=given, stdout=made, stderr=subprocess.DEVNULL, timeout=max_seconds, check=False
            )
        except (subprocess.TimeoutExpired, OSError):
            return None
        if ran.returncode or made.seek(0, os.SEEK_END) > max_bytes:
            return None
        made.seek(0)
        return made.read().decode("utf-8", "replace")
