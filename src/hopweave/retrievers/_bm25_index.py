"""The BM25 index itself: how text becomes terms, what is stored of a passage, and how a state of the index is written."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

import tantivy

from hopweave.corpus.file_states import FILE_STATES
from hopweave.corpus.read import TakenId
from hopweave.errors import DataError
from hopweave.retrievers._index_folder import Fingerprint, IndexSummary, Manifest, damaged, verify
from hopweave.retrievers._index_writing import Staging, full_disk
from hopweave.retrievers._links import opening, openings, title_key
from hopweave.retrievers._passage_rows import passage_of_row, row_of_passage
from hopweave.types import Passage
from hopweave.visibility import FIELDS, Condition, Visible, filter_values

ENGINE = "bm25"
ANALYZER = "english-1"
"""Its number goes up whenever the analysis or the fields change; an index of another number has to be rebuilt."""

_STOP_WORDS = (
    "a an and are as at be but by for if in into is it no not of on or such "
    "that the their then there these they this to was will with"
)
_POSSESSIVE = re.compile(r"['\u2019\uff07][sS]\b")
_SPLIT_ID = re.compile(r"(.+)#\d+", re.DOTALL)
_MAX_TERM_BYTES = 255
_MAX_ID_BYTES = 10_000

_HEAP_BYTES = 128_000_000
LINK_FIELDS = ("title_key", "title_opening", "opening")
"""The key of the title, what it begins with, and what a key in the text can begin with; see `_links`."""

LAYOUT = "layout"
"""In a manifest's state: which fields the index has. 2 has the keys of titles and names, which `weave` needs; 3 has what
passages are filtered by (`visibility.FIELDS`)."""

_LINKS_SINCE, _FILTERS_SINCE, _NEWEST = 2, 3, 3

LABELLED = "labelled"
"""In a manifest's state: how many passages have access labels."""

COUNTS = ("words", "documents", "titled")
"""In a manifest's state: how many words and documents the passages hold, and how many have a title; an older index has not."""

_ENGINE_REWRITES = frozenset({"meta.json", ".managed.json"})
_DELETED_AT_ONCE = 1000
_LOCKS = (".tantivy-writer.lock", ".tantivy-meta.lock")
_FULL_DISK_FREE_BYTES = 1 << 24


def by_term(searcher: tantivy.Searcher, name: str, value: str) -> Iterator[tantivy.DocAddress]:
    """The passages whose id, or document id, it is."""
    # The engine takes no half of a surrogate pair, and holds none.
    is_text = value.encode("utf-8", "replace").decode("utf-8") == value
    num_passages = searcher.doc_freq(name, value) if is_text else 0
    if num_passages:
        query = tantivy.Query.term_query(schema(), name, value, index_option="basic")
        for _, address in searcher.search(query, num_passages, count=False).hits:
            yield address


def stored(searcher: tantivy.Searcher, address: tantivy.DocAddress) -> tuple[int, Passage]:
    """The number and the passage at an address."""
    number, *row = json.loads(searcher.doc(address).get_first("passage") or b"")
    return number, passage_of_row(row)


def with_numbers(numbers: range) -> tantivy.Query:
    """The passages with some numbers, which follow each other."""
    return tantivy.Query.range_query(
        schema(), "number", tantivy.FieldType.Unsigned, numbers.start, numbers.stop - 1, use_inverted_index=True
    )


def in_order(searcher: tantivy.Searcher, numbers: range) -> Iterator[tuple[int, Passage]]:
    """Numbers and passages, in the order in which they were added, of those with some numbers."""
    page = with_numbers(numbers)
    found = searcher.search(page, len(numbers), count=False, order_by_field="number", order=tantivy.Order.Asc).hits
    for _, address in found:
        yield stored(searcher, address)


def document_id_of(passage: Passage) -> str:
    """The id of the document that a passage was cut from; its own if it is whole."""
    match = _SPLIT_ID.fullmatch(passage.id) if passage.start is not None else None
    return match[1] if match else passage.id


@cache
def schema() -> tantivy.Schema:
    """The fields: ids, the text in three ways, a number that no other passage ever has, the passage itself, names, filters.

    The fields of an earlier layout come first, so that what asks for them reads its indexes as well.
    """
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("document", tokenizer_name="raw", index_option="basic")
    for name in ("all", "text", "title"):
        builder.add_text_field(name, tokenizer_name=ANALYZER, index_option="freq")
    builder.add_unsigned_field("number", indexed=True, fast=True)
    builder.add_bytes_field("passage", stored=True)
    for name in (*LINK_FIELDS, *FIELDS):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    return builder.build()


@cache
def analyzer() -> tantivy.TextAnalyzer:
    """What turns `searchable` text into terms."""
    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        .filter(tantivy.Filter.remove_long(_MAX_TERM_BYTES))
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.custom_stopword(_STOP_WORDS.split()))
        .filter(tantivy.Filter.stemmer("english"))
        .build()
    )


def searchable(text: str) -> str:
    """Text as the analyzer gets it: composed characters in one form, and no `s` left over from a possessive."""
    return _POSSESSIVE.sub("", unicodedata.normalize("NFC", text))


def load(data: Path, manifest: Manifest) -> tantivy.Searcher:
    """A searcher over a data folder.

    The engine is shown links in a temporary folder, for it makes a lock file where it reads, and an index may lie on a disk
    that is read only. The files are mapped into memory at once, so the links can go.
    """
    if manifest.analyzer != ANALYZER:
        raise DataError(
            f"index {data.parent} was built with the analyzer {manifest.analyzer}, and this hopweave has {ANALYZER}; "
            f"rebuild it with: hopweave index PATH... --to {data.parent}"
        )
    # A thread of the engine may still make its lock file while the folder is taken away.
    with tempfile.TemporaryDirectory(prefix="hopweave-bm25-", ignore_cleanup_errors=True) as links:
        for name in manifest.files:
            Path(links, name).symlink_to((data / name).absolute())
        try:
            index = tantivy.Index.open(links)
            index.register_tokenizer(ANALYZER, analyzer())
            index.config_reader("manual", 0)
            return index.searcher()
        except ValueError as error:
            reason = str(error).split("\n", 1)[0].rstrip(".")
            raise damaged(data.parent, data.name, f"cannot be opened ({reason})") from error


def conditions_of(folder: Path, manifest: Manifest, visible: Visible) -> list[Condition]:
    """What the passages of an index have to meet so that they are shown.

    Raises:
        DataError: if metadata are asked for of an index that was built before it held any.
    """
    if visible.where and manifest.state.get(LAYOUT, 1) < _FILTERS_SINCE:
        raise _without_filters(folder, "so nothing can be asked of them")
    return visible.conditions(manifest.state.get(LABELLED, 0))


def _without_filters(folder: Path, why: str) -> DataError:
    return DataError(
        f"index {folder} was built before there were metadata and access labels, {why}; "
        f"rebuild it with: hopweave index PATH... --to {folder}"
    )


@contextmanager
def writing_to(staging: Staging) -> Iterator[Writing]:
    """Opens a new state for writing, and lets go of it at the end, whatever happens."""
    with closing(_Ids(staging.scratch)) as ids:
        writing = Writing(staging, ids)
        try:
            yield writing
        finally:
            writing.let_go()


class Writing:
    """Writes one new state of an index."""

    def __init__(self, staging: Staging, ids: _Ids) -> None:
        self._staging = staging
        self._ids = ids
        self._previous: tantivy.Searcher | None = None
        self._fingerprint = Fingerprint()
        self._next_number = 0
        self._layout = _NEWEST
        self._counts = dict.fromkeys(COUNTS, 0)
        self._num_labelled = 0
        self.num_added = 0
        self.num_deleted = 0
        if staging.previous is not None:
            verify(staging.folder, staging.previous)
            self._previous = load(staging.folder / staging.previous.data, staging.previous)
            self._fingerprint = Fingerprint(staging.previous.fingerprint)
            self._next_number = staging.previous.state["next_number"]
            self._layout = staging.previous.state.get(LAYOUT, 1)
            self._num_labelled = staging.previous.state.get(LABELLED, 0)
            self._counts = {name: staging.previous.state[name] for name in COUNTS if name in staging.previous.state}
            staging.clone_previous(rewritten=_ENGINE_REWRITES | {FILE_STATES})
        with self._engine():
            # Of an update, the index has the schema that it was built with.
            self._index = (
                tantivy.Index(schema(), path=str(staging.data))
                if staging.previous is None
                else tantivy.Index.open(str(staging.data))
            )
            self._index.register_tokenizer(ANALYZER, analyzer())
            self._writer: tantivy.IndexWriter | None = self._index.writer(_HEAP_BYTES)

    def let_go(self) -> None:
        """Ends the engine's threads, which run for as long as there is a reference to its writer."""
        self._writer = None

    def add(self, passage: Passage) -> None:
        """Adds a passage."""
        if self._layout < _FILTERS_SINCE and (passage.metadata or passage.access):
            raise _without_filters(self._staging.folder, f"and cannot take those of passage {passage.id!r}")
        document = _engine_document(passage, self._next_number, self._layout)
        self._ids.add(passage, self.num_added + 1)
        with self._engine():
            self._open_writer().add_document(document)
        self._fingerprint.add(passage)
        self._count(passage, 1)
        self._next_number += 1
        self.num_added += 1

    @property
    def next_number(self) -> int:
        """Of the passage that is added next."""
        return self._next_number

    def replace(self, passage: Passage) -> None:
        """Adds a passage in the place of one with its id, and of the document that it was cut from."""
        document_id = document_id_of(passage)
        if self._ids.is_new_document(document_id):
            self.delete(document_id)
        if passage.id != document_id:
            self.delete(passage.id)
        self.add(passage)

    def numbers_of(self, any_id: str) -> list[int]:
        """The numbers of the passages of the previous state that have that id, or are cut from the document of that id."""
        if self._previous is None:
            return []
        found = (address for name in ("id", "document") for address in by_term(self._previous, name, any_id))
        return list(dict.fromkeys(stored(self._previous, address)[0] for address in found))

    def delete(self, any_id: str) -> list[int]:
        """Deletes the passage and the document of that id from the previous state; returns their numbers there."""
        found: dict[int, Passage] = {}
        if self._previous is not None:
            for name in ("id", "document"):
                found |= dict(stored(self._previous, address) for address in by_term(self._previous, name, any_id))
        for number, passage in found.items():
            if self._take_out(number, passage):
                # By its number, for the id may have been given to a passage that was added just now. And by a query:
                # deleting by the term of a number passes without an error and deletes nothing (tantivy-py 0.27).
                self._delete_by(tantivy.Query.term_query(schema(), "number", number))
        return list(found)

    def delete_numbers(self, numbers: range) -> None:
        """Deletes the passages of the previous state that have these numbers; memory does not grow with them."""
        if self._previous is None:
            return
        for first in range(numbers.start, numbers.stop, _DELETED_AT_ONCE):
            some = range(first, min(numbers.stop, first + _DELETED_AT_ONCE))
            for number, passage in in_order(self._previous, some):
                self._take_out(number, passage)
            self._delete_by(with_numbers(some))

    def _take_out(self, number: int, passage: Passage) -> bool:
        """Takes a passage out of what is counted; tells whether it was in."""
        is_new = self._ids.is_new_deletion(number)
        if is_new:
            self._fingerprint.remove(passage)
            self._count(passage, -1)
            self.num_deleted += 1
        return is_new

    def _delete_by(self, query: tantivy.Query) -> None:
        with self._engine():
            self._open_writer().delete_documents_by_query(query)

    def _count(self, passage: Passage, by: int) -> None:
        self._num_labelled += by * bool(passage.access)
        if self._counts:
            self._counts["words"] += by * len(passage.text.split())
            self._counts["documents"] += by * (passage.id in {(name := document_id_of(passage)), f"{name}#1"})
            self._counts["titled"] += by * bool(passage.title)

    def publish(self) -> IndexSummary:
        """Makes the new state the current one."""
        with self._engine():
            self._open_writer().commit()
            self._open_writer().wait_merging_threads()
            self.let_go()
            self._index.reload()
            num_passages = self._index.searcher().num_docs
        self._check_count(num_passages)
        self._ids.close()
        for name in _LOCKS:
            self._staging.data.joinpath(name).unlink(missing_ok=True)
        mode = self._staging.data.stat().st_mode & 0o666
        for name in _ENGINE_REWRITES:  # the engine makes them for its own user alone
            self._staging.data.joinpath(name).chmod(mode)
        state = {"next_number": self._next_number} | self._counts | ({LAYOUT: self._layout} if self._layout > 1 else {})
        state |= {LABELLED: self._num_labelled} if self._num_labelled else {}
        manifest = self._staging.publish(
            engine=ENGINE,
            analyzer=ANALYZER,
            num_passages=num_passages,
            fingerprint=self._fingerprint,
            state=state,
            has_labels=bool(self._num_labelled),
        )
        return IndexSummary(num_passages, self.num_added, self.num_deleted, manifest.num_bytes, manifest.fingerprint)

    def _check_count(self, num_passages: int) -> None:
        previous = self._staging.previous
        expected = self.num_added - self.num_deleted + (previous.num_passages if previous is not None else 0)
        if num_passages != expected:
            raise DataError(
                f"the engine wrote {num_passages} passages to index {self._staging.folder} instead of {expected}, "
                "so it stays as it was; please report this"
            )

    def _open_writer(self) -> tantivy.IndexWriter:
        if self._writer is None:
            raise RuntimeError("the index writer was used after its end")
        return self._writer

    @contextmanager
    def _engine(self) -> Iterator[None]:
        """The engine raises `ValueError` for whatever fails, and does not say that the disk is full."""
        folder = self._staging.folder
        try:
            yield
        except ValueError as error:
            if shutil.disk_usage(folder).free < _FULL_DISK_FREE_BYTES:
                raise full_disk(folder) from error
            reason = str(error).split("\n", 1)[0]
            raise DataError(
                f"writing index {folder} failed, it stays as it was: {reason}; check the disk and try again"
            ) from error


def _engine_document(passage: Passage, number: int, layout: int) -> tantivy.Document:
    if not passage.id or len(passage.id.encode("utf-8", "replace")) > _MAX_ID_BYTES:
        raise DataError(f"a passage cannot have the id {passage.id[:40]!r}; give it one of 1 to {_MAX_ID_BYTES:,} bytes")
    values = [] if layout < _LINKS_SINCE else list(_link_values(passage))
    if layout >= _FILTERS_SINCE:
        values += [(name, value) for name, several in filter_values(passage).items() for value in several]
    title, text = searchable(passage.title), searchable(passage.text)
    document = tantivy.Document()
    try:
        document.add_text("id", passage.id)
        document.add_text("document", document_id_of(passage))
        document.add_text("all", f"{title}\n{text}")
        document.add_text("text", text)
        document.add_text("title", title)
        document.add_unsigned("number", number)
        document.add_bytes("passage", json.dumps([number, *row_of_passage(passage)], ensure_ascii=False).encode())
        for name, value in values:
            document.add_text(name, value)
    except UnicodeEncodeError:
        raise DataError(f"passage {passage.id!r} holds half of a surrogate pair, which is no character; remove it") from None
    return document


def _link_values(passage: Passage) -> Iterator[tuple[str, str]]:
    if key := title_key(passage.title):
        yield "title_key", key
        yield "title_opening", opening(key)
    for value in sorted(openings(passage.text)):
        yield "opening", value


class _Ids:
    """The ids that were met in one write, in a temporary table, so that memory stays flat."""

    def __init__(self, path: Path) -> None:
        self._table = sqlite3.connect(path, isolation_level=None)
        self._table.executescript(
            """
            PRAGMA journal_mode = OFF;
            PRAGMA synchronous = OFF;
            CREATE TABLE added (id TEXT PRIMARY KEY, position INTEGER, source TEXT) WITHOUT ROWID;
            CREATE TABLE documents (id TEXT PRIMARY KEY) WITHOUT ROWID;
            CREATE TABLE deleted (number INTEGER PRIMARY KEY);
            BEGIN;
            """
        )

    def add(self, passage: Passage, position: int) -> None:
        """Notes an id.

        Raises:
            DataError: if it was noted before; names both places.
        """
        try:
            self._table.execute("INSERT INTO added VALUES (?, ?, ?)", (passage.id, position, passage.source))
        except sqlite3.IntegrityError:
            (first,) = self._table.execute("SELECT position, source FROM added WHERE id = ?", (passage.id,))
            places = " and ".join(
                f"passage {number} ({source or 'no source'})" for number, source in (first, (position, passage.source))
            )
            raise TakenId(f"the id {passage.id!r} occurs twice, as {places}; make the ids unique") from None

    def is_new_document(self, document_id: str) -> bool:
        """Notes a document that is being replaced; tells whether it is the first time."""
        return self._note("INSERT OR IGNORE INTO documents VALUES (?)", document_id)

    def is_new_deletion(self, number: int) -> bool:
        """Notes a passage that is deleted, by its number; tells whether it is the first time."""
        return self._note("INSERT OR IGNORE INTO deleted VALUES (?)", number)

    def close(self) -> None:
        """Lets go of the table."""
        self._table.close()

    def _note(self, statement: str, value: str | int) -> bool:
        return self._table.execute(statement, (value,)).rowcount == 1
