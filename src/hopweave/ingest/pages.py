"""Documents that are not text files: their title, and their text, part by part if they have pages, sheets or slides."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import IO, Any, BinaryIO

from hopweave.core.errors import DataError
from hopweave.ingest.comments import Comment
from hopweave.ingest.deadline import Check
from hopweave.ingest.doc import read_doc
from hopweave.ingest.document import Document
from hopweave.ingest.docx import read_docx
from hopweave.ingest.epub import read_epub
from hopweave.ingest.file_bytes import open_regular
from hopweave.ingest.formats import CAN_RECOGNISE, IMAGE_SUFFIXES, CorpusFile, Limits
from hopweave.ingest.odf import read_odf
from hopweave.ingest.outlook import read_msg
from hopweave.ingest.pdf_headings import Line, headings_by_size, title_in_large_type, title_of
from hopweave.ingest.pdf_layout import Rule, Word
from hopweave.ingest.pdf_letters import as_written
from hopweave.ingest.pdf_rows import Open, with_rows
from hopweave.ingest.pdf_text import parts_of_pages
from hopweave.ingest.ppt import read_ppt
from hopweave.ingest.pptx import read_pptx
from hopweave.ingest.reasons import Reason, Unreadable, reading
from hopweave.ingest.rtf import read_rtf
from hopweave.ingest.running_lines import Bookmark
from hopweave.ingest.xls import read_xls
from hopweave.ingest.xlsx import read_xlsx
from hopweave.ingest.zipped import Archive

_READERS: Mapping[str, Callable[[Archive], Document]] = {
    ".docx": read_docx,
    ".epub": read_epub,
    ".odp": read_odf,
    ".ods": read_odf,
    ".odt": read_odf,
    ".pptx": read_pptx,
    ".xlsx": read_xlsx,
}
"""Formats that are zip files of XML."""
_LEGACY: Mapping[str, Callable[[bytes, str, Check, Limits], Document]] = {
    ".doc": read_doc,
    ".msg": lambda content, source, check, _: read_msg(content, source, check),
    ".ppt": read_ppt,
    ".rtf": lambda content, source, check, _: read_rtf(content, source, check),
    ".xls": read_xls,
}
"""Formats that are held in memory as a whole."""
_WORKER = Path(__file__).with_name("pdf_process.py")
_OCR_WORKER = Path(__file__).with_name("ocr_process.py")
_BESIDES = (b'{"lines"', b'{"drawn"')
_OCR_SHARE = 0.8
"""Of the time that is left for a PDF, how much its pictures may take; the rest is for cutting its text."""
_INSTALL_OCR = "have it recognised (pip install 'hopweave[ocr]')"
_MAX_LISTED_PAGES = 10
_OF_PAGES = {
    "large": ("is too large to be read", "are too large to be read", "print the file to a new PDF"),
    "damaged": ("is damaged", "are damaged", "save the file again"),
    "picture": ("holds no text that can be read", "hold no text that can be read", _INSTALL_OCR),
    "slow": ("was not recognised, or not in time", "were not recognised, or not in time", "raise max_seconds (--max-seconds)"),
    "empty": ("is a picture without text", "are pictures without text", "nothing needs to be done if that is so"),
}
"""Why pages could not be read, by the names of `pdf_process`, and what to do."""
_OF_FILES = {
    "large": (
        "is too large to be read: page {} draws more than the limits allow (75 MB once decompressed)",
        "print it to a new PDF, or leave it out",
        Reason.TOO_LARGE,
    ),
    "damaged": ("is damaged: page {} cannot be read", "save it again, or leave it out", Reason.DAMAGED),
    "picture": ("holds no text, as scans do", f"{_INSTALL_OCR}, or leave it out", Reason.SCAN),
    "slow": (
        "holds no text, and was not recognised, or not in time (page {})",
        "raise max_seconds (--max-seconds), or leave it out",
        Reason.TOO_SLOW,
    ),
    "empty": ("holds no text that can be recognised", "leave it out", Reason.EMPTY),
}
"""The same for a PDF without a readable page; earlier entries take precedence."""


def read_pages(file: CorpusFile, limits: Limits) -> Document:
    """Reads a document that is not a text file.

    Raises:
        DataError: for a file that is damaged, encrypted, without any text, or beyond the limits, and for a missing library.
    """
    with reading(file.source), open_regular(file) as raw:
        if file.num_bytes > limits.max_file_mib << 20:
            raise limits.too_long(file.source, "max_file_mib")
        if file.suffix in IMAGE_SUFFIXES:
            return _read_picture(file, limits)
        if file.suffix == ".pdf":
            return _read_pdf(file, limits)
        check = limits.deadline(file).check
        if file.suffix in _LEGACY:
            if file.num_bytes > limits.max_row_mib << 20:
                raise limits.too_long(file.source, "max_row_mib")
            read = _LEGACY[file.suffix](raw.read(), file.source, check, limits)
        else:
            with Archive(raw, file.source, limits, check) as archive:
                read = _READERS[file.suffix](archive)
    parts = tuple(part for part in read.parts if part.text.strip())
    if not parts:
        raise Unreadable(f"{file.source} holds no text; leave it out", Reason.EMPTY)
    return replace(read, parts=parts)


def _read_picture(file: CorpusFile, limits: Limits) -> Document:
    texts = _recognised(file, limits)
    if not any(texts.values()):
        raise Unreadable(f"{file.source} holds no text that can be recognised; leave it out", Reason.EMPTY)
    pages = [texts[number] for number in sorted(texts)]
    parts = [part for part in parts_of_pages(pages, check=limits.deadline(file).check) if part.text]
    places = [part.place.replace("page", "image") if len(texts) > 1 else "" for part in parts]
    return Document("", tuple(replace(part, place=place) for part, place in zip(parts, places, strict=True)))


def _recognised(
    file: CorpusFile, limits: Limits, max_seconds: float | None = None, numbers: Sequence[int] = ()
) -> dict[int, str]:
    """The text of pages of a PDF, of as many as the time allows; or without numbers, of all those of a picture."""
    texts: dict[int, str] = {}
    arguments = tuple(map(str, numbers))
    with closing(_told_by_process(file, limits, *arguments, program=_OCR_WORKER, max_seconds=max_seconds)) as told:
        try:
            for what in told:
                if "error" in what:
                    raise DataError(f"{file.source} {what['error']}")
                if "page" in what:
                    texts[what["page"]] = what["text"].strip()
        except DataError:
            if not numbers:
                raise
    return texts


def _recognise(file: CorpusFile, limits: Limits, seconds: float, pages: list[str], unread: dict[str, list[str]]) -> None:
    """Replaces the texts of pages that are pictures, and the reasons why they have none."""
    numbers = [int(number) for number in unread.pop("picture")]
    texts = _recognised(file, limits, seconds, numbers)
    for number in numbers:
        pages[number - 1] = "\n\n".join(filter(None, [texts.get(number, ""), pages[number - 1].strip()]))
        if not texts.get(number):
            unread.setdefault("empty" if number in texts else "slow", []).append(str(number))


def _read_pdf(file: CorpusFile, limits: Limits) -> Document:
    if find_spec("pypdf") is None:
        message = f"{file.source} needs the library pypdf to be read; install it with: pip install 'hopweave[documents]'"
        raise Unreadable(message, Reason.NEEDS_LIBRARY)
    began = monotonic()
    try:
        told = _told_of_pdf(file, limits)
    except _EndedEarly:  # by the library that says where words are drawn, which is compiled code
        told = _told_of_pdf(file, limits, "text")
    pages, unread = told.pages, told.unread
    if CAN_RECOGNISE and "picture" in unread:
        _recognise(file, limits, _OCR_SHARE * ((limits.seconds_for(file) or 0) - (monotonic() - began)), pages, unread)
    by_size = headings_by_size(told.lines) if len(told.bookmarks) < 2 else []
    bookmarks = by_size or told.bookmarks
    read = parts_of_pages(pages, bookmarks, told.notes, check=limits.deadline(file).check)
    parts = tuple(part for part in read if part.text)
    if not parts:
        kind = next((kind for kind in _OF_FILES if kind in unread), "picture")
        problem, remedy, reason = _OF_FILES[kind]
        raise Unreadable(f"{file.source} {problem.format(_listed(unread.get(kind, [])))}; {remedy}", reason)
    reasons = [_of_pages(unread[kind], *_OF_PAGES[kind]) for kind in _OF_PAGES if kind in unread]
    title = " ".join(str(told.title).split()) or title_in_large_type(told.lines, told.bookmarks) or title_of(by_size)
    return Document(title, parts, f"{file.source}: {'; '.join(reasons)}" if reasons else "")


class _EndedEarly(DataError):
    """The process that read a file died."""


@dataclass(slots=True)
class _Told:
    """What is told of a PDF: its pages with their lines and notes, its bookmarks, and what could not be read, by reason."""

    title: str = ""
    is_tex: bool = False
    pages: list[str] = field(default_factory=list)
    lines: list[list[Line]] = field(default_factory=list)
    bookmarks: list[Bookmark] = field(default_factory=list)
    unread: dict[str, list[str]] = field(default_factory=dict)
    notes: dict[int, list[str]] = field(default_factory=dict)

    def as_written(self, text: str) -> str:
        """A text of it in the letters in which it was set."""
        return as_written(text, is_tex=self.is_tex)


def _told_of_pdf(file: CorpusFile, limits: Limits, *arguments: str) -> _Told:
    found = _Told()
    last_table: Open | None = None
    with closing(_told_by_process(file, limits, *arguments)) as told:
        for what in told:
            if "error" in what:
                raise Unreadable(f"{file.source} {what['error']}", Reason[what.get("kind", Reason.DAMAGED.name)])
            found.title, found.is_tex = what.get("title", found.title), what.get("is_tex", found.is_tex)
            if "page" in what:
                found.pages.append(what["text"])
                if noted := what.get("notes"):
                    found.notes[what["page"]] = [Comment(who, words).shown() for who, words in noted]
            if "drawn" in what:
                found.pages[-1], last_table = with_rows(found.pages[-1], *_drawn(what), last_table)
            if "lines" in what:
                found.lines.append([Line(size, bold, found.as_written(text)) for size, bold, text in what["lines"]])
            if kind := what.get("unread"):
                found.unread.setdefault(kind, []).append(str(what["page"]))
            found.bookmarks += (Bookmark(*entry) for entry in what.get("outline", ()))
    found.pages = list(map(found.as_written, found.pages))
    return found


def _drawn(told: Mapping[str, Any]) -> tuple[list[Word], list[Rule]]:
    """What is drawn on a page, in points."""
    words = [
        Word(text, left / 10, top / 10, right / 10, bottom / 10, bool(style & 1), bool(style & 2), bool(style & 4))
        for text, left, top, right, bottom, style in told["drawn"]
    ]
    return words, [Rule(*(place / 10 for place in box)) for box in told["rules"]]


def _of_pages(numbers: list[str], of_one: str, of_many: str, remedy: str) -> str:
    return f"{len(numbers)} of its pages {of_one if len(numbers) == 1 else of_many} ({_listed(numbers)}); {remedy}"


def _listed(numbers: list[str]) -> str:
    return ", ".join(numbers[:_MAX_LISTED_PAGES]) + (" and more" if len(numbers) > _MAX_LISTED_PAGES else "")


def _told_by_process(
    file: CorpusFile, limits: Limits, *arguments: str, program: Path | None = None, max_seconds: float | None = None
) -> Generator[dict[str, Any]]:
    """What another process reports about a PDF or a picture."""
    num_bytes, max_bytes = 0, limits.max_row_mib << 20
    seconds = limits.seconds_for(file)
    assert seconds is not None  # noqa: S101 - it is a document, which always has a limit
    with open_regular(file) as raw, pdf_process(raw, max_seconds or seconds, *arguments, program=program) as (told, watch):
        while line := told.readline(max_bytes + 1):
            num_bytes += 0 if line.startswith(_BESIDES) else len(line)  # they are its text once more
            if num_bytes > max_bytes:
                raise limits.too_long(f"the text of {file.source}", "max_row_mib")
            what = json.loads(line) if line.endswith(b"\n") else {}
            yield what
            if "end" in what:
                return
        if watch.finished.is_set():
            raise limits.too_slow(file.source, seconds)
        raise _EndedEarly(f"{file.source} is damaged: the process that read it ended early; save it again, or leave it out")


@contextmanager
def pdf_process(
    raw: BinaryIO, max_seconds: float, *arguments: str, program: Path | None = None
) -> Iterator[tuple[IO[bytes], threading.Timer]]:
    """A process that reads a PDF or a picture, with limits on time and memory that do not affect this one.

    Args:
        raw: the PDF or picture, an open file.
        max_seconds: the time after which it is killed.
        arguments: see the program.
        program: by default, the one that reads and draws PDFs.

    Yields:
        Its output, and the timer, which has finished if the process was killed.
    """
    with subprocess.Popen(  # noqa: S603 - our own file; -P keeps modules of the current folder out
        [sys.executable, "-P", str(program or _WORKER), *arguments],
        stdin=raw,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        watch = threading.Timer(max_seconds, process.kill)
        watch.start()
        try:
            yield process.stdout, watch
        finally:
            watch.cancel()
            process.kill()
