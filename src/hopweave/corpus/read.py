"""From files to passages: the fields of records, ids for records without one, and the splitting of long texts."""

from __future__ import annotations

import hashlib
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hopweave.corpus.documents import read_document
from hopweave.corpus.files import (
    DOCUMENT_SUFFIXES,
    MAX_FILE_MIB,
    MAX_ROW_MIB,
    CorpusFile,
    Limits,
    OnBytes,
    find_files,
    open_text,
    shown_name,
)
from hopweave.corpus.json_stream import fields_of
from hopweave.corpus.records import Row, read_rows
from hopweave.corpus.split import fits, split_spans
from hopweave.errors import DataError, SettingsError
from hopweave.types import Passage

ID_FIELDS = ("id", "_id", "pid", "docid", "passage_id")
TITLE_FIELDS = ("title", "name")
TEXT_FIELDS = ("text", "contents", "content", "body", "passage", "paragraph_text")


@dataclass(frozen=True, slots=True)
class CorpusOptions:
    """How records are read and documents split.

    Attributes:
        max_words: maximum passage length, in words; longer texts are split at sentence boundaries. 0 splits nothing.
        id_field: name of the id field; by default, the first of `ID_FIELDS` that a record has.
        title_field: the same for the title, with `TITLE_FIELDS`. The title is optional.
        text_field: the same for the text, with `TEXT_FIELDS`.
        max_row_mib: maximum size of a document or record, in MiB; each is held in memory as a whole.
        max_file_mib: maximum size of a file, in MiB, decompressed.

    Raises:
        SettingsError: for a negative `max_words`, or a limit below 1.
    """

    max_words: int = 200
    id_field: str | None = None
    title_field: str | None = None
    text_field: str | None = None
    max_row_mib: int = MAX_ROW_MIB
    max_file_mib: int = MAX_FILE_MIB

    def __post_init__(self) -> None:
        for name in ("max_row_mib", "max_file_mib"):
            if getattr(self, name) < 1:
                raise SettingsError(f"{name} = {getattr(self, name)} is below 1; give a number of MiB")
        if self.max_words < 0:
            raise SettingsError(f"max_words = {self.max_words} is below 0; give a number of words, or 0 to split nothing")

    @property
    def limits(self) -> Limits:
        """How much of a file is read."""
        return Limits(self.max_file_mib, self.max_row_mib, are_options=True)


@dataclass(slots=True)
class Tally:
    """What was read and what was skipped; updated while the passages are consumed.

    Attributes:
        num_files: files read.
        num_passages: passages yielded.
        num_duplicates: records without an id that repeat an earlier title and text.
        num_empty: records and documents whose text is only white space.
        skipped: numbers of files of unknown formats, by suffix.
        special: the names of entries that are not regular files, and their kinds, such as `FIFO`.
    """

    num_files: int = 0
    num_passages: int = 0
    num_duplicates: int = 0
    num_empty: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    special: dict[str, str] = field(default_factory=dict)

    @property
    def special_names(self) -> str:
        """The first entries that are not regular files, each with its kind, and the number of the others."""
        first = [f"{name} ({kind})" for name, kind in self.special.items()][:3]
        num_more = len(self.special) - len(first)
        return ", ".join(first) + (f" and {num_more:,} more" if num_more else "")


def read_corpus(
    paths: Sequence[Path],
    *,
    options: CorpusOptions | None = None,
    tally: Tally | None = None,
    on_bytes: Callable[[int], None] | None = None,
) -> Iterator[Passage]:
    """Reads files and folders as a stream of passages.

    A record or document that is short enough becomes one passage under its own id, without offsets. A longer one becomes
    passages `id#1`, `id#2` and so on, each with its offsets in the text. A record without an id gets a hash of its content.

    Args:
        paths: files and folders; formats are recognised by suffix, with `.gz` for any of them.
        options: fields and lengths.
        tally: updated with every file and passage.
        on_bytes: called with the number of bytes read from disk, piece by piece.

    Raises:
        DataError: with the file and the line or record, ending with what to do. Also if there was nothing to read.
    """
    reading = _Reading(options or CorpusOptions(), tally if tally is not None else Tally(), on_bytes)
    yield from reading.passages(paths)


class _Reading:
    """One pass over a corpus."""

    def __init__(self, options: CorpusOptions, tally: Tally, on_bytes: OnBytes) -> None:
        self._options = options
        self._tally = tally
        self._on_bytes = on_bytes

    def passages(self, paths: Sequence[Path]) -> Iterator[Passage]:
        # A temporary SQLite database without a name moves to a file once it outgrows its cache, so memory use stays constant.
        with closing(sqlite3.connect("", isolation_level=None)) as seen:
            seen.execute("PRAGMA journal_mode = OFF")
            seen.execute("CREATE TABLE hashes (hash BLOB PRIMARY KEY) WITHOUT ROWID")
            seen.execute("BEGIN")
            for file in find_files(paths):
                if file.special:
                    self._tally.special[file.source] = file.special
                    continue
                if not file.is_readable:
                    self._tally.skipped[shown_name(file.path.suffix.lower()) or "no suffix"] += 1
                    continue
                self._tally.num_files += 1
                is_document = file.suffix in DOCUMENT_SUFFIXES
                for passage in self._document(file) if is_document else self._records(file, seen):
                    self._tally.num_passages += 1
                    yield passage
        if not self._tally.num_passages:
            named = ", ".join(shown_name(str(path)) for path in paths)
            raise DataError(f"found nothing to index in {named}{self._why_nothing()}")

    def _why_nothing(self) -> str:
        if self._tally.special:
            return (
                f": {self._tally.special_names}, and no regular file; give .json, .jsonl, .tsv, .csv, .txt, .md or .html files"
            )
        if self._tally.skipped:
            seen = ", ".join(f"{suffix} ({number})" for suffix, number in sorted(self._tally.skipped.items()))
            return f": only {seen}; give .json, .jsonl, .tsv, .csv, .txt, .md or .html files"
        if self._tally.num_empty:
            return f": all {self._tally.num_empty} texts are empty; check which field holds the text"
        return "; give .json, .jsonl, .tsv, .csv, .txt, .md or .html files"

    def _document(self, file: CorpusFile) -> Iterator[Passage]:
        with open_text(file, self._on_bytes, self._options.limits, unit="file") as stream:
            content = stream.read()
        if not content.strip():
            raise DataError(f"{file.source} is empty; remove it or leave it out")
        title, text = read_document(content, file.suffix)
        yield from self._cut(Passage(file.document_id, text, title or file.stem, file.source))

    def _records(self, file: CorpusFile, seen: sqlite3.Connection) -> Iterator[Passage]:
        is_empty = True
        for row in read_rows(file, self._on_bytes, self._options.limits):
            is_empty = False
            passage = self._passage(file, row)
            if not passage.id:
                key = _content_hash(passage.title, passage.text)
                passage = Passage(key.hex(), passage.text, passage.title, passage.source)
                if passage.text.strip() and not _is_new(seen, key):
                    self._tally.num_duplicates += 1
                    continue
            yield from self._cut(passage)
        if is_empty:
            raise DataError(f"{file.source} is empty: it has no records; remove it or leave it out")

    def _cut(self, whole: Passage) -> Iterator[Passage]:
        if not whole.text.strip():
            self._tally.num_empty += 1
        elif fits(whole.text, self._options.max_words):
            yield whole
        else:
            for number, span in enumerate(split_spans(whole.text, self._options.max_words), start=1):
                text = whole.text[span.start : span.end]
                yield Passage(f"{whole.id}#{number}", text, whole.title, whole.source, span.start, span.end)

    def _passage(self, file: CorpusFile, row: Row) -> Passage:
        """The passage of a record, with an empty id if it has none."""
        place = f"{file.source}, {row.place}"
        text = _pick(row.values, self._options.text_field, TEXT_FIELDS)
        if text is None:
            raise DataError(_no_field(place, row.values, self._options.text_field or " or ".join(TEXT_FIELDS), "--text-field"))
        title = _pick(row.values, self._options.title_field, TITLE_FIELDS)
        record_id = _pick(row.values, self._options.id_field, ID_FIELDS)
        if record_id is None and self._options.id_field is not None:
            raise DataError(_no_field(place, row.values, self._options.id_field, "--id-field"))
        return Passage(_id_text(record_id, place), _text(text, "text", place), _text(title or "", "title", place), file.source)


def _pick(values: Mapping[str, Any], chosen: str | None, names: Sequence[str]) -> object:
    for name in names if chosen is None else (chosen,):
        if values.get(name) is not None:
            return values[name]
    return None


def _no_field(place: str, values: Mapping[str, Any], wanted: str, option: str) -> str:
    return f"{place} has no field {wanted} ({fields_of(values)}); name the right one with {option}"


def _text(value: object, what: str, place: str) -> str:
    if not isinstance(value, str):
        raise DataError(f"{place}: its {what} is of type {type(value).__name__}; make it a single text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise DataError(f"{place}: its {what} contains an unpaired surrogate, which is not a character; remove it") from None
    return value


def _id_text(value: object, place: str) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return _text("" if value is None else value, "id", place)


def _is_new(seen: sqlite3.Connection, key: bytes) -> bool:
    try:
        return seen.execute("INSERT OR IGNORE INTO hashes VALUES (?)", (key,)).rowcount == 1
    except sqlite3.OperationalError as error:
        raise DataError(
            f"cannot keep a list of hashes in a temporary file: {error}; free some space or set SQLITE_TMPDIR"
        ) from error


def content_id(title: str, text: str) -> str:
    """The id of a passage that has none: 16 hexadecimal digits derived from its title and text alone."""
    return _content_hash(title, text).hex()


def _content_hash(title: str, text: str) -> bytes:
    return hashlib.blake2b(f"{title}\0{text}".encode(), digest_size=8).digest()
