"""From files to passages: what is taken of a corpus, ids for records without one, and the splitting of long texts."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import dropwhile
from pathlib import Path
from typing import Any

from hopweave.core.errors import DataError, SettingsError
from hopweave.core.files import shown_name
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Passage
from hopweave.core.visibility import labels_of
from hopweave.ingest.archive import members
from hopweave.ingest.attachments import attached_files
from hopweave.ingest.copies import Copies, Copy, holder
from hopweave.ingest.deadline import Deadline
from hopweave.ingest.document import Attachment, Part, repeats
from hopweave.ingest.encodings import shown_encoding
from hopweave.ingest.find import OnUnlisted, Roots, Selection, find_files
from hopweave.ingest.formats import IMAGE_SUFFIXES, MAX_FILE_MIB, MAX_ROW_MIB, CorpusFile, Limits, OnBytes
from hopweave.ingest.letterhead import subject_of_letter
from hopweave.ingest.lookup import MAX_DOCUMENT_ID_BYTES, content_hash
from hopweave.ingest.messages import conversations
from hopweave.ingest.quoted import Mailbox
from hopweave.ingest.reasons import Reason, TakenId, Unreadable, reason_of
from hopweave.ingest.recognise import MAIL
from hopweave.ingest.record_passages import Fields, passage_of_record
from hopweave.ingest.records import read_rows
from hopweave.ingest.slack_export import People, conversation_name
from hopweave.ingest.split import cut_part
from hopweave.ingest.tally import Tally, Unread
from hopweave.ingest.vanished import Standing, check_vanishing, has_vanished
from hopweave.ingest.whole_document import ReadsElsewhere, WholeDocument, read_whole
from hopweave.text.matching import letters_of

_Besides = tuple[str, Sequence[Attachment]]
"""What could not be read of a file, empty if everything was, and what is attached to it."""

_READING_VERSION = 36
"""Raised whenever the same file may be read differently than by the version before."""

_SHOWN_OF_NAME = 60
"""Characters of a name that is too long."""

_OF_READING = (
    "max_words", "id_field", "title_field", "text_field", "max_row_mib", "max_file_mib", "max_seconds", "access", "keep_copies"
)  # fmt: skip
_READING = lazy_pattern(r"\d+ (\{.*\})[^{}]*", re.DOTALL)

_TABLES = """
CREATE TABLE contents (hash BLOB PRIMARY KEY, first BLOB, number INTEGER) WITHOUT ROWID;
CREATE TABLE others (hash BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE ids (hash INTEGER PRIMARY KEY, is_whole INTEGER, source TEXT);
"""
"""Of records without an id, by title and text: all else that the first one says, and the last number that was given; what
others say that have the same title and text; and the ids of documents and of records that have one."""


@dataclass(frozen=True, slots=True)
class CorpusOptions:
    """How records are read and documents split.

    Attributes:
        max_words: maximum passage length, in words; longer texts are split at sentence boundaries. 0 splits nothing.
        id_field: name of the id field; by default, the first of `record_passages.ID_FIELDS` that a record has.
        title_field: the same for the title, with `TITLE_FIELDS`. The title is optional.
        text_field: the same for the text, with `TEXT_FIELDS`.
        max_row_mib: maximum size of a document or record, in MiB; each is held in memory as a whole.
        max_file_mib: maximum size of a file, in MiB, decompressed.
        max_seconds: maximum time for reading one file or member of an archive, in seconds, not including work on its passages;
            by default 300 for a document, and no limit for a file of records.
        lenient: leave out files that cannot be read, and list them in the tally; else the first of them is an error. A document
            is read completely or not at all; of a file of records, those before the error are kept.
        include: patterns of files in the given folders, as in `.gitignore` files; without any, all are read.
        exclude: the same for files and folders that are left out.
        gitignore: leave out what the `.gitignore` files in the folders name.
        follow_links: in the folders, also follow symbolic links that lead out of all given paths.
        access: labels of all passages that have none.
        keep_copies: keep passages of documents whose text another document has, too; see `hopweave.ingest.copies`.

    Raises:
        SettingsError: for a negative `max_words`, a limit below 1, an invalid pattern, or an invalid label.
    """

    max_words: int = 200
    id_field: str | None = None
    title_field: str | None = None
    text_field: str | None = None
    max_row_mib: int = MAX_ROW_MIB
    max_file_mib: int = MAX_FILE_MIB
    max_seconds: int | None = None
    lenient: bool = False
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    gitignore: bool = False
    follow_links: bool = False
    access: tuple[str, ...] = ()
    keep_copies: bool = False

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "access", labels_of(self.access))
        except ValueError as error:
            raise SettingsError(f"access {error}; give labels such as team-a") from None
        for name, unit in (("max_row_mib", "MiB"), ("max_file_mib", "MiB"), ("max_seconds", "seconds")):
            if getattr(self, name) is not None and getattr(self, name) < 1:
                raise SettingsError(f"{name} = {getattr(self, name)} is below 1; give a number of {unit}")
        if self.max_words < 0:
            raise SettingsError(f"max_words = {self.max_words} is below 0; give a number of words, or 0 to split nothing")

    @property
    def limits(self) -> Limits:
        """The limits on reading a file."""
        return Limits(self.max_file_mib, self.max_row_mib, self.max_seconds, are_options=True)

    @property
    def fields(self) -> Fields:
        """The fields of records that were named."""
        return Fields(self.id_field, self.title_field, self.text_field)

    @property
    def selection(self) -> Selection:
        """Which files of a folder are taken.

        Raises:
            SettingsError: for an invalid pattern.
        """
        return Selection(self.include, self.exclude, self.gitignore, self.follow_links)

    @property
    def reading(self) -> str:
        """What a file's passages depend on, apart from its content; a file that was read with other options is read again."""
        return f"{_READING_VERSION} {json.dumps({name: getattr(self, name) for name in _OF_READING})}"

    @classmethod
    def of_reading(cls, reading: str) -> CorpusOptions | None:
        """The options that a file was read with; `None` if an earlier version read it, which did not store them.

        >>> options = CorpusOptions(max_words=40, access=("board",))
        >>> CorpusOptions.of_reading(f"{options.reading} with pypdf") == options
        True

        Args:
            reading: begins with that property of the options.
        """
        found = _READING.fullmatch(reading)
        if found is None:
            return None
        try:
            given: dict[str, Any] = json.loads(found[1])
            return cls(**given | {"access": tuple(given["access"])})
        except (ValueError, TypeError, KeyError, RecursionError, SettingsError):
            return None


def read_corpus(
    paths: Sequence[Path],
    *,
    options: CorpusOptions | None = None,
    tally: Tally | None = None,
    on_bytes: Callable[[int], None] | None = None,
    elsewhere: ReadsElsewhere | None = None,
) -> Iterator[Passage]:
    """Reads files and folders as a stream of passages.

    A record or document that is short enough becomes one passage under its own id, without offsets. A longer one becomes
    passages `id#1`, `id#2` and so on, each with its offsets in the text. A record without an id gets a hash of its title and
    text; if another one has the same, with `~2` and so on.

    Args:
        paths: files and folders; see `CorpusFile` and `hopweave.ingest.recognise` for how formats are recognised.
        options: fields and lengths.
        tally: updated with every file and passage.
        on_bytes: called with the number of bytes read from disk, piece by piece.
        elsewhere: reads documents instead of this process.

    Raises:
        DataError: with the file and the line or record, ending with what to do; also if there was nothing to read.
    """
    reading = Reading(options or CorpusOptions(), tally if tally is not None else Tally(), on_bytes, elsewhere)
    with closing(reading):
        for file in reading.ahead(reading.files(paths, Roots())):
            yield from reading.passages(file)
        reading.check_vanishing()
    if not reading.tally.num_passages:
        raise nothing_found(paths, reading.tally)


def _why_not(file: CorpusFile) -> Reason:
    """Why a file is of no format that is read."""
    if file.is_source_code:
        return Reason.SOURCE_CODE
    return Reason.PICTURE if file.suffix in IMAGE_SUFFIXES else Reason.UNKNOWN_FORMAT


def nothing_found(paths: Sequence[Path], tally: Tally) -> DataError:
    """The error for paths in which there is nothing to read."""
    named = ", ".join(shown_name(str(path)) for path in paths)
    return DataError(f"found nothing to index in {named}{tally.why_nothing()}")


class Reading:
    """One pass over a corpus, file by file.

    Attributes:
        tally: what has been read so far.
        left_out: the passages of the last file that were left out because another document has their text.
        makes_ids: whether the last passage is of a record without an id: it gets another one instead of an id that is taken.
    """

    def __init__(
        self, options: CorpusOptions, tally: Tally, on_bytes: OnBytes, elsewhere: ReadsElsewhere | None = None
    ) -> None:
        self.tally = tally
        self.left_out: list[Copy] = []
        self.makes_ids = False
        self._elsewhere = elsewhere
        self._options = options
        self._of_file = options  # those that the file that is being read is read with
        self._on_bytes = on_bytes
        self._standing = Standing(())
        self._num_listed = 0
        self._deadline: Deadline  # of the file that is being read
        # A table without a name lives in a temporary file once it outgrows its cache, so memory stays flat.
        self._seen = sqlite3.connect("", isolation_level=None)
        self._seen.execute("PRAGMA journal_mode = OFF")
        for statement in _TABLES.split(";"):
            self._seen.execute(statement)
        self._copies = Copies(self._seen)
        self._mailbox = Mailbox()
        self._people = People()
        self._seen.execute("BEGIN")

    def close(self) -> None:
        """Deletes the temporary file."""
        self._seen.close()

    def files(self, paths: Sequence[Path], roots: Roots, on_unlisted: OnUnlisted | None = None) -> Iterator[CorpusFile]:
        """The files to read; all others go to the tally.

        Args:
            paths: files and folders.
            roots: that are known; those of the paths are added to them.
            on_unlisted: called with a folder that cannot be listed, if reading is lenient.

        Raises:
            DataError: as in `find_files`.
        """

        def unlisted(folder: Path, error: DataError) -> None:
            self.tally.num_found += 1
            self._note_unread(shown_name(str(folder)), error, folder)
            if on_unlisted is not None:
                on_unlisted(folder, error)

        self._standing = Standing(paths)
        found = find_files(
            paths,
            selection=self._options.selection,
            roots=roots,
            on_unlisted=unlisted if self._options.lenient else None,
            on_left_out=self.tally.skip,
        )
        for file in filter(self.is_taken, found):
            self._num_listed += 1
            yield file

    def check_vanishing(self) -> None:
        """Makes sure that at most a few of the files to read have vanished.

        Raises:
            Unreachable: if a given folder is gone or has been replaced, or too many of the files have vanished.
        """
        self.check_standing()
        check_vanishing([one.source for one in self.tally.unread if one.has_vanished], self._num_listed)

    def check_standing(self) -> None:
        """Makes sure that the given folders still exist. Errors as in `check_vanishing`."""
        self._standing.check()

    def ahead(self, files: Iterable[CorpusFile], is_read: Callable[[CorpusFile], bool] | None = None) -> Iterator[CorpusFile]:
        """The same files; if documents are read elsewhere, reading of the following ones begins.

        Args:
            files: read one after another.
            is_read: whether a file will be read; by default all are.
        """
        if self._elsewhere is None:
            yield from files
            return
        waiting: deque[CorpusFile] = deque()
        for file in files:
            if file.is_document and (is_read is None or is_read(file)):
                self._elsewhere.begin(file, self._options.limits, self._options.max_words)
            waiting.append(file)
            if len(waiting) > self._elsewhere.num_ahead:
                yield waiting.popleft()
        yield from waiting

    def passages(self, file: CorpusFile, options: CorpusOptions | None = None) -> Generator[Passage, None, None]:
        """The passages of a file, in order; if reading is lenient, those that can be read.

        A `TakenId` thrown in after a passage counts as an error of the file, unless the passage can have another id.

        Args:
            file: to read.
            options: to read it with; by default those of all files.
        """
        self.left_out = []
        self._of_file = options or self._options
        if file.is_archive:
            yield from self._archive(file)
        else:
            yield from self._file(file)

    def _file(self, file: CorpusFile) -> Generator[Passage, None, None]:
        """The passages of a file that is no archive, and of what is attached to it."""
        self._deadline = self._of_file.limits.deadline(file)
        num_before = self.tally.num_passages
        num_unread = len(self.tally.unread)
        attached: Sequence[Attachment] = ()
        try:
            if (num_bytes := len(file.document_id.encode("utf-8", "replace"))) > MAX_DOCUMENT_ID_BYTES:
                what = (
                    f"{file.source[:_SHOWN_OF_NAME]}... has a path of {num_bytes:,} bytes, more than {MAX_DOCUMENT_ID_BYTES:,}"
                )
                raise DataError(f"{what}; give it a shorter one")
            unread, attached = yield from self._document(file) if file.is_document else self._records(file)
            if unread:
                self.tally.unread.append(Unread(file.source, unread, self.tally.num_passages - num_before))
        except DataError as error:
            if not self._of_file.lenient:
                raise
            self._note_unread(file.source, error, file.path, self.tally.num_passages - num_before)
            self.tally.num_taken += isinstance(error, TakenId)
        if self.tally.num_passages > num_before or len(self.tally.unread) == num_unread:
            self.tally.read[file.suffix or "no suffix"] += 1
        for one, content in attached_files(file, attached):
            may_recur = one.is_readable and one.is_in_archive and not self._of_file.keep_copies
            if may_recur and self._mailbox.attaches_again(content):
                self.tally.skip(Reason.ATTACHED_AGAIN, one.source)
            elif self.is_taken(one):
                yield from self._file(one)

    def _note_unread(self, source: str, error: DataError, path: Path, num_passages: int = 0) -> None:
        """Notes that a file or folder could not be read, or only in part."""
        self.tally.unread.append(Unread(source, str(error), num_passages, has_vanished(path, error), reason_of(error)))

    def _archive(self, archive: CorpusFile) -> Iterator[Passage]:
        """The passages of the members of an archive, each treated as a separate file; they are found in its place."""
        self._mailbox = Mailbox()
        try:
            with closing(members(archive, self._on_bytes, self._of_file.limits)) as found:
                for member in found:
                    if self.is_taken(member):
                        yield from self._file(member)
            self.tally.num_found -= 1
        except DataError as error:
            if not self._of_file.lenient:
                raise
            self._note_unread(archive.source, error, archive.path)

    def is_taken(self, file: CorpusFile) -> bool:
        """Whether a file is to be read; if not, the tally says why."""
        if file.special:
            self.tally.skip(Reason.SPECIAL, f"{file.source} ({file.special})")
        elif not file.is_readable:
            self.tally.skip(_why_not(file), file.source, shown_name(file.named_suffix + file.compression) or "no suffix")
        else:
            self.tally.num_found += 1
            return True
        return False

    def _document(self, file: CorpusFile) -> Generator[Passage, None, _Besides]:
        """The passages of a document; returns what else it has."""
        whole = None
        if self._elsewhere is not None:
            with self._deadline.paused():  # whoever reads it keeps to the same time
                whole = self._elsewhere.read(file)
        if whole is None:
            options = self._of_file
            whole = read_whole(file, options.limits, options.max_words, self._on_bytes, check=self._deadline.check)
        elif self._on_bytes is not None:
            self._on_bytes(file.num_bytes)
        yield from self._passages_of(file, whole)
        if whole.guessed:
            self.tally.guess(shown_encoding(whole.guessed), file.source)
        return whole.unread, whole.attached

    def _records(self, file: CorpusFile) -> Generator[Passage, None, _Besides]:
        is_empty = True
        guessed: list[str] = []
        options, check = self._of_file, self._deadline.check
        rows = read_rows(file, self._on_bytes, options.limits, check, guessed.append)
        if options.fields == (None, None, None):
            people = self._people.beside(file, options.limits, check)
            rows = conversations(rows, options.max_words, conversation_name(file), check, people)
        for row in rows:
            check()
            is_empty = False
            passage = passage_of_record(file, row, options.fields, options.access, self.tally.no_metadata, check)
            num_before = self.tally.num_passages
            yield from self._cut(passage) if passage.id else self._without_id(file, passage)
            self.tally.num_records += row.num_records if self.tally.num_passages > num_before else 0
        if is_empty:
            raise Unreadable(f"{file.source} is empty: it has no records; remove it or leave it out", Reason.EMPTY)
        for one in guessed:
            self.tally.guess(shown_encoding(one), file.source)
        return "", ()

    def _without_id(self, file: CorpusFile, record: Passage) -> Iterator[Passage]:
        """The passages of a record without an id, which gets that of its content; none if it repeats another one of its file.

        If another record has that id already, in the index or among those that were read, a number makes the difference.
        """
        key = content_hash(record.title, record.text)
        number = self._number_of(file, record, key) if record.text.strip() else 1
        self.tally.num_duplicates += not number
        num_before = self.tally.num_passages
        while number:
            try:
                self.makes_ids = True
                yield from self._cut(replace(record, id=f"{key.hex()}~{number}" if number > 1 else key.hex()))
                return
            except TakenId:
                if self.tally.num_passages > num_before:
                    raise
                number = self._next_number(key)
            finally:
                self.makes_ids = False

    def _number_of(self, file: CorpusFile, record: Passage, key: bytes) -> int:
        """The number of a record among those with its title and text, from 1; 0 if an earlier one of its file says the same.

        Args:
            file: that has the record.
            record: without an id.
            key: the hash of its title and text.
        """
        said = (file.document_id, key, record.sections, sorted(record.metadata.items()), record.access)
        others = hashlib.blake2b(repr(said).encode(), digest_size=16).digest()
        if self._listed("INSERT OR IGNORE INTO contents VALUES (?, ?, 1)", key, others).rowcount == 1:
            return 1
        is_first = self._listed("SELECT 1 FROM contents WHERE hash = ? AND first = ?", key, others).fetchone() is not None
        is_new = not is_first and self._listed("INSERT OR IGNORE INTO others VALUES (?)", others).rowcount == 1
        return self._next_number(key) if is_new else 0

    def _next_number(self, key: bytes) -> int:
        taken = "UPDATE contents SET number = number + 1 WHERE hash = ? RETURNING number"
        return int(self._listed(taken, key).fetchone()[0])

    def _note_id(self, document: Passage, *, is_whole: bool) -> None:
        """Notes the id of a document or record.

        Raises:
            TakenId: if another one has it, and only one of them is split: then the ids of their passages differ, but an update
                would take the one for the other. Of two that are both split, or both not, the index says so.
        """
        key = hash(document.id)
        if self._listed("INSERT OR IGNORE INTO ids VALUES (?, ?, ?)", key, is_whole, document.source).rowcount == 1:
            return
        was_whole, source = self._listed("SELECT is_whole, source FROM ids WHERE hash = ?", key).fetchone()
        if was_whole != is_whole:
            what = f"the id {document.id!r} in {document.source} is already that of a passage from {source}"
            raise TakenId(f"{what}; make the ids unique")

    def _listed(self, statement: str, *values: bytes | str | int) -> sqlite3.Cursor:
        """Executes a statement about the lists in the temporary file."""
        try:
            return self._seen.execute(statement, values)
        except sqlite3.OperationalError as error:
            raise DataError(
                f"cannot keep a list of records in a temporary file: {error}; free some space or set SQLITE_TMPDIR"
            ) from error

    def _hand_out(self, passage: Passage) -> Iterator[Passage]:
        with self._deadline.paused():
            yield passage
        self.tally.labels.update(passage.access)
        self.tally.num_passages += 1  # not where a `TakenId` is thrown in instead

    def _passages_of(self, file: CorpusFile, document: WholeDocument) -> Iterator[Passage]:
        """The passages of a document."""
        pieces = document.pieces
        title = document.title or subject_of_letter("".join(piece.text for piece in pieces[:1])) or file.stem
        whole = Passage(file.document_id, "", title, file.source, access=self._of_file.access)
        is_whole = len(pieces) == 1 and not pieces[0].place
        self._note_id(whole, is_whole=is_whole)
        is_compared = not self._of_file.keep_copies and not file.is_in_archive
        letters = [letters_of(piece.text) for piece in pieces] if is_compared else []
        held_by = [self._copies.holders_of(one, title, whole.access) for one in letters]
        is_in_mailbox = file.suffix == MAIL and file.is_in_archive and not self._of_file.keep_copies
        quoted = (
            self._mailbox.quotes_again([(one.place, one.text) for one in pieces]) if is_in_mailbox else [False] * len(pieces)
        )
        for number, piece in enumerate(pieces, start=1):
            below = tuple(dropwhile(lambda heading: repeats(heading, title), piece.sections))
            passage = replace(whole, text=piece.text, sections=(*file.within, *below))
            if not is_whole:
                place = f"{file.source}#{piece.place}" if piece.place else file.source
                passage = replace(passage, id=f"{whole.id}#{number}", source=place, start=piece.start, end=piece.end)
            if quoted[number - 1]:
                self.tally.num_copies += 1
                continue
            if is_compared and held_by[number - 1]:
                self.left_out.append(Copy(passage.source, held_by[number - 1]))
                self.tally.num_copies += 1
                continue
            if is_compared:
                held_by[number - 1] = (holder(passage.id, file.at),)
            yield from self._hand_out(passage)
        self._copies.add(title, letters, held_by, whole.access)

    def _cut(self, whole: Passage) -> Iterator[Passage]:
        """The passages of a record."""
        spans = []
        for span, _ in cut_part(Part(whole.text), self._of_file.max_words):
            self._deadline.check()
            spans.append(span)
        if not spans:
            self.tally.num_empty += 1
            return
        if not self.makes_ids:
            self._note_id(whole, is_whole=len(spans) == 1)
        if len(spans) == 1:
            yield from self._hand_out(whole)
        else:
            for number, span in enumerate(spans, start=1):
                text = whole.text[span.start : span.end]
                part = replace(whole, id=f"{whole.id}#{number}", text=text, start=span.start, end=span.end)
                yield from self._hand_out(part)
