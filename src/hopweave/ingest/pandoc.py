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

INPUT: Mapping[str, str] = {
    ".adoc": "asciidoc",
    ".asciidoc": "asciidoc",
    ".dbk": "docbook",
    ".fb2": "fb2",
    ".mediawiki": "mediawiki",
    ".opml": "opml",
    ".org": "org",
    ".t2t": "t2t",
    ".tex": "latex",
    ".textile": "textile",
    ".typ": "typst",
}
"""What pandoc calls the formats, by their suffixes in `formats.MARKUP_SUFFIXES`."""

_XML = frozenset({".dbk", ".fb2", ".opml"})
"""Formats that nobody reads as they are written."""

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
    page = _as_page(content, file.suffix, seconds, limits.max_row_mib << 20)
    if page is not None:
        return read_html(page, file.source, check)
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


def _as_page(content: str, suffix: str, max_seconds: float, max_bytes: int) -> str | None:
    """A document as a web page, with its notes below the paragraphs that refer to them.

    Args:
        content: the document.
        suffix: of its format.
        max_seconds: how long it may take.
        max_bytes: how long the page may be.

    Returns:
        `None` if pandoc is not installed, or cannot read it within the limits.
    """
    program = _converter()
    if program is None:
        return None
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as page:
        given.write(content.encode("utf-8", "replace"))
        given.seek(0)
        options = ["--sandbox", "--standalone", "--wrap=none", "--quiet", "--reference-location=block"]
        command = [program, "+RTS", f"-M{_HEAP}", "-RTS", *options, f"--from={INPUT[suffix]}", "--to=html"]
        try:
            ran = subprocess.run(  # noqa: S603 - the converter, without anything of the document in the command
                command, stdin=given, stdout=page, stderr=subprocess.DEVNULL, timeout=max_seconds, check=False
            )
        except (subprocess.TimeoutExpired, OSError):
            return None
        if ran.returncode or page.seek(0, os.SEEK_END) > max_bytes:
            return None
        page.seek(0)
        return page.read().decode("utf-8", "replace").replace(_NO_TITLE, "", 1)
