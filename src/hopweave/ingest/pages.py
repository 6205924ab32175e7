"""Documents that are not text files (PDF, DOCX, EPUB): their title, and their text, page by page if they have pages."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, BinaryIO

from hopweave.core.errors import DataError
from hopweave.ingest.document import Document, Part
from hopweave.ingest.docx import read_docx
from hopweave.ingest.epub import read_epub
from hopweave.ingest.formats import CorpusFile, Limits, open_regular, reading
from hopweave.ingest.reasons import Reason, Unreadable
from hopweave.ingest.zipped import Archive

_WORKER = Path(__file__).with_name("pdf_process.py")
_MAX_LISTED_PAGES = 10
_OF_PAGES = {
    "large": ("is too large to be read", "are too large to be read", "print the file to a new PDF"),
    "damaged": ("is damaged", "are damaged", "save the file again"),
    "picture": ("holds no text that can be read", "hold no text that can be read", "have it recognised (OCR)"),
}
"""Why pages could not be read, by the names of `pdf_process`, and what to do."""
_OF_FILES = {
    "large": (
        "is too large to be read: page {} draws more than the limits allow (75 MB once decompressed)",
        "print it to a new PDF, or leave it out",
        Reason.TOO_LARGE,
    ),
    "damaged": ("is damaged: page {} cannot be read", "save it again, or leave it out", Reason.DAMAGED),
    "picture": ("holds no text, as scans do", "have its text recognised (OCR), or leave it out", Reason.SCAN),
}
"""The same for a PDF without a readable page; earlier entries take precedence."""


def read_pages(file: CorpusFile, limits: Limits) -> Document:
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
            read = read_epub(archive) if file.suffix == ".epub" else read_docx(archive)
    parts = tuple(part for part in read.parts if part.text.strip())
    if not parts:
        raise Unreadable(f"{file.source} holds no text; leave it out", Reason.EMPTY)
    return replace(read, parts=parts)


def _read_pdf(file: CorpusFile, limits: Limits) -> Document:
    if find_spec("pypdf") is None:
        message = f"{file.source} needs the library pypdf to be read; install it with: pip install 'hopweave[documents]'"
        raise Unreadable(message, Reason.NEEDS_LIBRARY)
    title = ""
    pages: list[Part] = []
    unread: dict[str, list[str]] = {}
    with closing(_told_by_process(file, limits)) as told:
        for what in told:
            if "error" in what:
                raise Unreadable(f"{file.source} {what['error']}", Reason[what.get("kind", Reason.DAMAGED.name)])
            title = what.get("title", title)
            if text := str(what.get("text", "")).strip():
                pages.append(Part(text, place=f"page={what['page']}"))
            if kind := what.get("unread"):
                unread.setdefault(kind, []).append(str(what["page"]))
    if not pages:
        kind = next((kind for kind in _OF_FILES if kind in unread), "picture")
        problem, remedy, reason = _OF_FILES[kind]
        raise Unreadable(f"{file.source} {problem.format(_listed(unread.get(kind, [])))}; {remedy}", reason)
    reasons = [_of_pages(unread[kind], *_OF_PAGES[kind]) for kind in _OF_PAGES if kind in unread]
    return Document(" ".join(str(title).split()), tuple(pages), f"{file.source}: {'; '.join(reasons)}" if reasons else "")


def _of_pages(numbers: list[str], of_one: str, of_many: str, remedy: str) -> str:
    return f"{len(numbers)} of its pages {of_one if len(numbers) == 1 else of_many} ({_listed(numbers)}); {remedy}"


def _listed(numbers: list[str]) -> str:
    return ", ".join(numbers[:_MAX_LISTED_PAGES]) + (" and more" if len(numbers) > _MAX_LISTED_PAGES else "")


def _told_by_process(file: CorpusFile, limits: Limits) -> Generator[dict[str, Any]]:
    """What another process reports about a PDF."""
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
    """A process that reads a PDF, with limits on time and memory that do not affect this one.

    Args:
        raw: the PDF, an open file.
        max_seconds: the time after which it is killed.
        arguments: see `pdf_process`.

    Yields:
        Its output, and the timer, which has finished if the process was killed.
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
