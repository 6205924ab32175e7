"""A document from its file to the texts of its passages: what needs nothing but the file, so that other processes can do it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from hopweave.ingest.deadline import Check
from hopweave.ingest.document import Attachment, Document, is_one_of_several
from hopweave.ingest.file_bytes import OnGuess, bytes_of, open_text, unpacked
from hopweave.ingest.formats import BOOK_SUFFIXES, MARKUP_SUFFIXES, WEB_ARCHIVE_SUFFIXES, CorpusFile, Limits, OnBytes
from hopweave.ingest.reasons import Reason, Unreadable
from hopweave.ingest.recognise import MAIL
from hopweave.ingest.split import cut_part


@dataclass(frozen=True, slots=True)
class Piece:
    """The text of a passage, and where it is.

    Attributes:
        text: of the passage.
        sections: the headings that all of it stands under, from the outermost.
        place: of its part, such as `page=3`; empty if the document is one part.
        start: where it begins in the text of its part.
        end: where it ends there.
    """

    text: str
    sections: tuple[str, ...]
    place: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class WholeDocument:
    """A document in pieces.

    Attributes:
        title: empty if it has none.
        pieces: in order; there is at least one.
        unread: which part could not be read, and why; empty if everything was.
        attached: the files within it, which are read as files of their own.
        guessed: the encoding that its text is read in because nothing says which it is; else empty.
    """

    title: str
    pieces: tuple[Piece, ...]
    unread: str = ""
    attached: tuple[Attachment, ...] = ()
    guessed: str = ""


class ReadsElsewhere(Protocol):
    """Reads documents in other processes, several at a time.

    Attributes:
        num_ahead: how many of the following files it wants to know in advance.
    """

    num_ahead: int

    def begin(self, file: CorpusFile, limits: Limits, max_words: int) -> None:
        """Begins to read a file that will be needed; does nothing for one that has to be read here."""

    def read(self, file: CorpusFile) -> WholeDocument | None:
        """A document; `None` if it has to be read here.

        Raises:
            DataError: as `read_whole`.
        """


def read_whole(file: CorpusFile, limits: Limits, max_words: int, on_bytes: OnBytes = None, *, check: Check) -> WholeDocument:
    """Reads a document and cuts it into the texts of its passages.

    Args:
        file: a document.
        limits: on reading it.
        max_words: the most of a passage; see `split.cut_part`.
        on_bytes: called with the number of bytes read from disk, piece by piece.
        check: called in every loop that grows with the file.

    Raises:
        DataError: for a file that cannot be read, is beyond the limits, or holds no text.
    """
    guessed: list[str] = []
    document = _document(file, limits, on_bytes, check, guessed.append)
    pieces = []
    for part in document.parts:
        for span, sections in cut_part(part, max_words):
            check()
            pieces.append(Piece(part.text[span.start : span.end], sections, part.place, span.start, span.end))
    if not pieces:
        raise Unreadable(f"{file.source} holds no text; leave it out", Reason.EMPTY)
    title = "" if is_one_of_several(document.title, document.parts) else document.title
    return WholeDocument(title, tuple(pieces), document.unread, document.attached, *guessed)


# The readers of formats are imported where they are needed: some take a while, and few corpora need all of them.
def _document(file: CorpusFile, limits: Limits, on_bytes: OnBytes, check: Check, on_guess: OnGuess) -> Document:
    if file.suffix in BOOK_SUFFIXES:
        from hopweave.ingest.pages import read_pages

        with unpacked(file, limits) as plain:
            book = read_pages(plain, limits)
        if on_bytes is not None and file.content is None:
            on_bytes(file.num_bytes)
        return book
    if file.suffix == MAIL or file.suffix in WEB_ARCHIVE_SUFFIXES:
        from hopweave.ingest.mail import read_mail, read_web_archive

        read = read_mail if file.suffix == MAIL else read_web_archive
        return read(bytes_of(file, on_bytes, limits, check), file.source, check)
    with open_text(file, on_bytes, limits, unit="file", check=check, on_guess=on_guess) as stream:
        text = stream.read()
    if not text.strip():
        raise Unreadable(f"{file.source} is empty; remove it or leave it out", Reason.EMPTY)
    if file.suffix in MARKUP_SUFFIXES:
        from hopweave.ingest.pandoc import read_markup

        return read_markup(text, file, limits, check)
    from hopweave.ingest.documents import read_document

    return read_document(text, file.suffix, file.source, check)
