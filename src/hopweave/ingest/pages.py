"""Documents that are no text files: PDF, DOCX, EPUB. Their title, and their text page by page, where they have pages."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, BinaryIO

from hopweave.core.errors import DataError
from hopweave.ingest.docx import read_docx
from hopweave.ingest.epub import read_epub
from hopweave.ingest.formats import CorpusFile, Limits, open_regular, reading
from hopweave.ingest.zipped import Archive

_WORKER = Path(__file__).with_name("pdf_process.py")
_MAX_LISTED_PAGES = 10
_OF_PAGES = {
    "large": ("is too large to be read", "are too large to be read", "print the file to a new PDF"),
    "damaged": ("is damaged", "are damaged", "save the file again"),
    "picture": ("holds no text that can be read", "hold no text that can be read", "have it recognised (OCR)"),
}
"""What is the matter with pages that could not be read, by what `pdf_process` calls it, and what to do."""
_OF_FILES = {
    "large": (
        "is too large to be read: page {} draws more than the limits allow (75 MB once decompressed)",
        "print it to a new PDF, or leave it out",
    ),
    "damaged": ("is damaged: page {} cannot be read", "save it again, or leave it out"),
    "picture": ("holds no text, as scans do", "have its text recognised (OCR), or leave it out"),
}
"""The same of a PDF without a page that can be read; what comes first in the table matters most."""


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a document that a citation can name.

    Attributes:
        place: behind the `#` of its source, such as `page=3`; empty if the document has no such parts.
        text: of it.
    """

    place: str
    text: str


@dataclass(frozen=True, slots=True)
class Pages:
    """A document.

    Attributes:
        title: empty if it has none.
        pages: those with text, in order.
        unread: what of it could not be read, and why; empty if all was.
    """

    title: str
    pages: tuple[Page, ...]
    unread: str = ""


def read_pages(file: CorpusFile, limits: Limits) -> Pages:
    """Reads a PDF, DOCX or EPUB.

    Raises:
        DataError: for a file that is damaged, encrypted, without any text, or beyond the limits, and for a missing library.
    """
    with reading(file.source), open_regular(file) as raw:
        if file.num_bytes > limits.max_file_mib << 20:
            raise limits.too_long(file.source, "max_file_mib")
        if file.suffix == ".pdf":
            return _read_pdf(file, limits)
        with Archive(raw, file.source, limits, limits.deadline(file).check) as archive:
            if file.suffix == ".epub":
                title, chapters = read_epub(archive)
                read = Pages(title, tuple(Page(place, text) for place, text in chapters if text.strip()))
            else:
                title, text = read_docx(archive)
                read = Pages(title, (Page("", text),) if text.strip() else ())
    if not read.pages:
        raise DataError(f"{file.source} holds no text; leave it out")
    return read


def _read_pdf(file: CorpusFile, limits: Limits) -> Pages:
    if find_spec("pypdf") is None:
        raise DataError(f"{file.source} needs the library pypdf to be read; install it with: pip install 'hopweave[documents]'")
    title = ""
    pages: list[Page] = []
    unread: dict[str, list[str]] = {}
    with closing(_told_by_process(file, limits)) as told:
        for what in told:
            if "error" in what:
                raise DataError(f"{file.source} {what['error']}")
            title = what.get("title", title)
            if text := str(what.get("text", "")).strip():
                pages.append(Page(f"page={what['page']}", text))
            if kind := what.get("unread"):
                unread.setdefault(kind, []).append(str(what["page"]))
    if not pages:
        kind = next((kind for kind in _OF_FILES if kind in unread), "picture")
        problem, remedy = _OF_FILES[kind]
        raise DataError(f"{file.source} {problem.format(_listed(unread.get(kind, [])))}; {remedy}")
    reasons = [_of_pages(unread[kind], *_OF_PAGES[kind]) for kind in _OF_PAGES if kind in unread]
    return Pages(" ".join(str(title).split()), tuple(pages), f"{file.source}: {'; '.join(reasons)}" if reasons else "")


def _of_pages(numbers: list[str], of_one: str, of_many: str, remedy: str) -> str:
    return f"{len(numbers)} of its pages {of_one if len(numbers) == 1 else of_many} ({_listed(numbers)}); {remedy}"


def _listed(numbers: list[str]) -> str:
    return ", ".join(numbers[:_MAX_LISTED_PAGES]) + (" and more" if len(numbers) > _MAX_LISTED_PAGES else "")


def _told_by_process(file: CorpusFile, limits: Limits) -> Generator[dict[str, Any]]:
    """What another process tells of a PDF."""
    num_bytes, max_bytes = 0, limits.max_row_mib << 20
    seconds = limits.seconds_for(file)
    assert seconds is not None  # noqa: S101 - a PDF is a document, which always has a limit
    with open_regular(file) as raw, pdf_process(raw, seconds) as (told, watch):
        while line := told.readline(max_bytes + 1):
            num_bytes += len(line)
            if num_bytes > max_bytes:
                raise limits.too_long(f"the text of {file.source}", "max_row_mib")
            what = json.loads(line) if line.endswith(b"\n") else {}
            yield what
            if "end" in what:
                return
        if watch.finished.is_set():
            raise limits.too_slow(file.source, seconds)
        raise DataError(f"{file.source} is damaged: the process that read it ended early; save it again, or leave it out")


@contextmanager
def pdf_process(raw: BinaryIO, max_seconds: float, *arguments: str) -> Iterator[tuple[IO[bytes], threading.Timer]]:
    """A process that reads a PDF, within a time and a memory that end without harm to this one.

    Args:
        raw: the PDF, an open file.
        max_seconds: after which it is ended.
        arguments: see `pdf_process`.

    Yields:
        What it says, and the timer, which has finished if it was ended.
    """
    with subprocess.Popen(  # noqa: S603 - our own file; -P keeps modules of the current folder out
        [sys.executable, "-P", str(_WORKER), *arguments], stdin=raw, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        watch = threading.Timer(max_seconds, process.kill)
        watch.start()
        try:
            yield process.stdout, watch
        finally:
            watch.cancel()
            process.kill()
