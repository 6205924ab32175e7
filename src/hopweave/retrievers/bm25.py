"""BM25 over an index on disk (tantivy): words of the title count extra.

The text analysis is Lucene's English one: words of letters and digits in lower case, possessives and 33 stop words out, stemmed
by Porter 2. Three fields are indexed: the title, the text, and both together. The score is

    bm25(title and text) + title_weight * bm25(title)          k1 = 1.2, b = 0.75

A query's terms are looked up one by one; no query language is involved, so no text can be a syntax error. A term that occurs
twice in a query counts twice, as in Lucene. Scores are rounded to four decimals, for their sums are of 32 bits and differ
beyond that by the order of the terms; equal scores are ordered by passage id.

IRCoT's own retriever (Elasticsearch, English analyzer, text alone) is `fields="text", title_weight=0`.

After deletions the engine goes on counting the deleted passages in its document frequencies until it merges the segment they
lie in, so scores can differ slightly from those of an index built anew.
"""

from __future__ import annotations

import json
import math
import re
import shutil
import sqlite3
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import tantivy

from hopweave.errors import DataError, SearchError, SettingsError
from hopweave.retrievers._index_folder import (
    Fingerprint,
    IndexSummary,
    Manifest,
    Staging,
    damaged,
    full_disk,
    open_index,
    replace_index,
    verify,
)
from hopweave.types import Hit, Passage

__all__ = ["BM25"]

MAX_QUERY_TERMS = 256
"""Of a longer query, the terms that are in the fewest passages are searched for; the first in the query among equals."""

_ENGINE = "bm25"
_ANALYZER = "english-1"
_STOP_WORDS = (
    "a an and are as at be but by for if in into is it no not of on or such "
    "that the their then there these they this to was will with"
)
_POSSESSIVE = re.compile(r"['\u2019\uff07][sS]\b")
_SPLIT_ID = re.compile(r"(.+)#\d+", re.DOTALL)
_MAX_TERM_BYTES = 255
_MAX_ID_BYTES = 10_000

_HEAP_BYTES = 128_000_000
_REWRITTEN = frozenset({"meta.json", ".managed.json"})
_LOCKS = (".tantivy-writer.lock", ".tantivy-meta.lock")
_FULL_DISK_FREE_BYTES = 1 << 24

_SCORE_DECIMALS = 4
_MAX_TIES = 1000
_PAGE = 1000


@dataclass
class BM25:
    """Finds passages by the words they share with the query.

    An instance serves one thread at a time. It keeps the state of the index that it opened, also while the index is updated.

    Raises:
        DataError: if the index cannot be opened; it says why.
        SettingsError: for a title weight that is negative or no number.
    """

    index: Annotated[Path, "folder of the index, as built by: hopweave index"]
    title_weight: Annotated[float, "how much the title's own score adds; 0 leaves it out"] = 0.5
    fields: Annotated[
        Literal["title_and_text", "text"], "what is searched first; 'text' with title_weight 0 is IRCoT's retriever"
    ] = "title_and_text"

    def __post_init__(self) -> None:
        if not (math.isfinite(self.title_weight) and self.title_weight >= 0):
            raise SettingsError(f"title_weight = {self.title_weight} cannot be; give 0 or more")
        if self.fields not in ("title_and_text", "text"):
            raise SettingsError(f"fields = {self.fields!r} cannot be; choose one of: text, title_and_text")
        self.index = Path(self.index)
        self._manifest, searcher = open_index(self.index, _ENGINE, _load)
        self._searcher: tantivy.Searcher | None = searcher

    @property
    def identity(self) -> str:
        return (
            f"bm25 fields={self.fields} title_weight={self.title_weight:g} analyzer={self._manifest.analyzer} "
            f"corpus={self._manifest.fingerprint}"
        )

    @property
    def num_passages(self) -> int:
        """Passages in the index."""
        return self._manifest.num_passages

    def search(self, queries: Sequence[str], max_hits: int) -> list[list[Hit]]:
        searcher = self._open_searcher()
        try:
            return [self._search_one(searcher, query, max_hits) for query in queries]
        except ValueError as error:
            raise SearchError(f"bm25 search in {self.index} failed: {error}") from error

    def close(self) -> None:
        self._searcher = None

    def passages(self, ids: Iterable[str]) -> list[Passage]:
        """Passages by id, in the order of the ids.

        Raises:
            DataError: for an id that the index does not hold.
        """
        searcher = self._open_searcher()
        found = []
        for passage_id in ids:
            address = next(_by_term(searcher, "id", passage_id), None)
            if address is None:
                raise DataError(f"index {self.index} has no passage {passage_id!r}; check the id, or update the index")
            found.append(_stored(searcher, address)[1])
        return found

    def all_passages(self) -> Iterator[Passage]:
        """All passages, in the order in which they were added; memory does not grow with them."""
        searcher = self._open_searcher()
        for first in range(0, self._manifest.state["next_number"], _PAGE):
            page = tantivy.Query.range_query(
                _schema(), "number", tantivy.FieldType.Unsigned, first, first + _PAGE - 1, use_inverted_index=True
            )
            found = searcher.search(page, _PAGE, count=False, order_by_field="number", order=tantivy.Order.Asc).hits
            for _, address in found:
                yield _stored(searcher, address)[1]

    @classmethod
    def build(
        cls, folder: Path, passages: Iterable[Passage], *, on_passage: Callable[[int], None] | None = None
    ) -> IndexSummary:
        """Builds an index, in place of the one that may be there, which stays until the new one is whole.

        Args:
            folder: the index.
            passages: taken one after the other.
            on_passage: told the number of passages so far, after each.

        Raises:
            DataError: for an id that occurs twice, no passage at all, a folder that is something else, another writer, or a
                full disk. What was there is untouched.
        """
        with replace_index(folder, engine=_ENGINE, update=False) as staging, _writing(staging) as writing:
            for passage in passages:
                writing.add(passage)
                if on_passage is not None:
                    on_passage(writing.num_added)
            if not writing.num_added:
                raise DataError(f"there is no passage to index in {folder}; give at least one")
            return writing.publish()

    @classmethod
    def update(
        cls,
        folder: Path,
        *,
        upsert: Iterable[Passage] = (),
        delete: Iterable[str] = (),
        missing_ok: bool = False,
        on_passage: Callable[[int], None] | None = None,
    ) -> IndexSummary:
        """Deletes passages, then adds and replaces passages, without building the rest again.

        A document that was cut into passages (`id#1`, `id#2`, ...) is replaced and deleted as a whole.

        Args:
            folder: the index.
            upsert: passages to add; one with an id that is there takes its place.
            delete: ids of passages or of documents.
            missing_ok: let ids pass that are not there.
            on_passage: told the number of passages added so far, after each.

        Raises:
            DataError: for an id to delete that is not there, an id that is added twice, no index, another writer, or a full
                disk. The index is untouched.
        """
        with replace_index(folder, engine=_ENGINE, update=True) as staging, _writing(staging) as writing:
            for passage_id in delete:
                if not writing.delete(passage_id) and not missing_ok:
                    raise DataError(f"index {folder} has no passage or document {passage_id!r} to delete; check the id")
            for passage in upsert:
                writing.replace(passage)
                if on_passage is not None:
                    on_passage(writing.num_added)
            return writing.publish()

    @classmethod
    def check(cls, folder: Path) -> IndexSummary:
        """Verifies every byte of an index, whatever its size.

        Raises:
            DataError: names what is damaged.
        """
        manifest, _ = open_index(folder, _ENGINE, _load, full=True)
        return IndexSummary(manifest.num_passages, 0, 0, manifest.num_bytes, manifest.fingerprint)

    def _open_searcher(self) -> tantivy.Searcher:
        if self._searcher is None:
            raise SearchError(f"the bm25 retriever on {self.index} is closed")
        return self._searcher

    def _search_one(self, searcher: tantivy.Searcher, query: str, max_hits: int) -> list[Hit]:
        terms = _query_terms(searcher, query)
        if not terms or max_hits < 1:
            return []
        found = _with_ties(searcher, self._engine_query(terms), max_hits)
        scored = [(round(score, _SCORE_DECIMALS), _stored(searcher, address)[1]) for score, address in found]
        scored.sort(key=lambda pair: (-pair[0], pair[1].id))
        return [Hit(passage, score, rank) for rank, (score, passage) in enumerate(scored[:max_hits], start=1)]

    def _engine_query(self, terms: dict[str, int]) -> tantivy.Query:
        weights = {"all" if self.fields == "title_and_text" else "text": 1.0, "title": self.title_weight}
        return tantivy.Query.boolean_query(
            [
                (tantivy.Occur.Should, _term_query(name, term, weight * count))
                for name, weight in weights.items()
                if weight > 0
                for term, count in terms.items()
            ]
        )


def _query_terms(searcher: tantivy.Searcher, query: str) -> dict[str, int]:
    """The terms of a query that some passage holds, and how often the query has them."""
    # Half of a surrogate pair is no character; the engine takes none.
    terms = Counter(_analyzer().analyze(_searchable(query.encode("utf-8", "replace").decode("utf-8"))))
    num_passages = {term: searcher.doc_freq("all", term) for term in terms}
    known = [term for term in terms if num_passages[term]]
    if len(known) > MAX_QUERY_TERMS:
        known = sorted(known, key=num_passages.__getitem__)[:MAX_QUERY_TERMS]
    return {term: terms[term] for term in known}


def _term_query(name: str, term: str, weight: float) -> tantivy.Query:
    query = tantivy.Query.term_query(_schema(), name, term, index_option="freq")
    return query if weight == 1 else tantivy.Query.boost_query(query, weight)


def _with_ties(searcher: tantivy.Searcher, query: tantivy.Query, max_hits: int) -> list[tuple[float, tantivy.DocAddress]]:
    """The best hits and all that tie with the last of them (up to 1,000), so that the order is ours to decide."""
    limit = max_hits + 8
    while True:
        hits = searcher.search(query, limit, count=False).hits
        if len(hits) <= max_hits:
            return hits
        lowest = round(hits[max_hits - 1][0], _SCORE_DECIMALS)
        if len(hits) < limit or round(hits[-1][0], _SCORE_DECIMALS) < lowest or limit >= max_hits + _MAX_TIES:
            return [hit for hit in hits if round(hit[0], _SCORE_DECIMALS) >= lowest]
        limit = max_hits + min(_MAX_TIES, 8 * (limit - max_hits))


def _by_term(searcher: tantivy.Searcher, name: str, value: str) -> Iterator[tantivy.DocAddress]:
    """The passages whose id, or document id, it is."""
    # The engine takes no half of a surrogate pair, and holds none.
    is_text = value.encode("utf-8", "replace").decode("utf-8") == value
    num_passages = searcher.doc_freq(name, value) if is_text else 0
    if num_passages:
        query = tantivy.Query.term_query(_schema(), name, value, index_option="basic")
        for _, address in searcher.search(query, num_passages, count=False).hits:
            yield address


def _stored(searcher: tantivy.Searcher, address: tantivy.DocAddress) -> tuple[int, Passage]:
    """The number and the passage at an address."""
    row = json.loads(searcher.doc(address).get_first("passage") or b"")
    number, passage_id, title, text, source, start, end = row
    return number, Passage(passage_id, text, title, source, start, end)


def _document_id(passage: Passage) -> str:
    """The id of the document that a passage was cut from; its own if it is whole."""
    match = _SPLIT_ID.fullmatch(passage.id) if passage.start is not None else None
    return match[1] if match else passage.id


@cache
def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("document", tokenizer_name="raw", index_option="basic")
    for name in ("all", "text", "title"):
        builder.add_text_field(name, tokenizer_name=_ANALYZER, index_option="freq")
    builder.add_unsigned_field("number", indexed=True, fast=True)
    builder.add_bytes_field("passage", stored=True)
    return builder.build()


@cache
def _analyzer() -> tantivy.TextAnalyzer:
    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        .filter(tantivy.Filter.remove_long(_MAX_TERM_BYTES))
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.custom_stopword(_STOP_WORDS.split()))
        .filter(tantivy.Filter.stemmer("english"))
        .build()
    )


def _searchable(text: str) -> str:
    """Text as the analyzer gets it: composed characters in one form, and no `s` left over from a possessive."""
    return _POSSESSIVE.sub("", unicodedata.normalize("NFC", text))


def _load(data: Path, manifest: Manifest) -> tantivy.Searcher:
    """A searcher over a data folder.

    The engine is shown links in a temporary folder, for it makes a lock file where it reads, and an index may lie on a disk
    that is read only. The files are mapped into memory at once, so the links can go.
    """
    if manifest.analyzer != _ANALYZER:
        raise DataError(
            f"index {data.parent} was built with the analyzer {manifest.analyzer}, and this hopweave has {_ANALYZER}; "
            f"rebuild it with: hopweave index PATH... --to {data.parent}"
        )
    with tempfile.TemporaryDirectory(prefix="hopweave-bm25-") as links:
        for name in manifest.files:
            Path(links, name).symlink_to((data / name).absolute())
        try:
            index = tantivy.Index.open(links)
            index.register_tokenizer(_ANALYZER, _analyzer())
            index.config_reader("manual", 0)
            return index.searcher()
        except ValueError as error:
            reason = str(error).split("\n", 1)[0].rstrip(".")
            raise damaged(data.parent, data.name, f"cannot be opened ({reason})") from error


@contextmanager
def _writing(staging: Staging) -> Iterator[_Writing]:
    with closing(_Ids(staging.scratch)) as ids:
        writing = _Writing(staging, ids)
        try:
            yield writing
        finally:
            writing.let_go()


class _Writing:
    """Writes one new state of an index."""

    def __init__(self, staging: Staging, ids: _Ids) -> None:
        self._staging = staging
        self._ids = ids
        self._previous: tantivy.Searcher | None = None
        self._fingerprint = Fingerprint()
        self._next_number = 0
        self.num_added = 0
        self.num_deleted = 0
        if staging.previous is not None:
            verify(staging.folder, staging.previous)
            self._previous = _load(staging.folder / staging.previous.data, staging.previous)
            self._fingerprint = Fingerprint(staging.previous.fingerprint)
            self._next_number = staging.previous.state["next_number"]
            staging.clone_previous(rewritten=_REWRITTEN)
        with self._engine():
            self._index = tantivy.Index(_schema(), path=str(staging.data))
            self._index.register_tokenizer(_ANALYZER, _analyzer())
            self._writer: tantivy.IndexWriter | None = self._index.writer(_HEAP_BYTES)

    def let_go(self) -> None:
        """Ends the engine's threads, which run for as long as there is a reference to its writer."""
        self._writer = None

    def add(self, passage: Passage) -> None:
        """Adds a passage."""
        document = _engine_document(passage, self._next_number)
        self._ids.add(passage, self.num_added + 1)
        with self._engine():
            self._open_writer().add_document(document)
        self._fingerprint.add(passage)
        self._next_number += 1
        self.num_added += 1

    def replace(self, passage: Passage) -> None:
        """Adds a passage in the place of one with its id, and of the document that it was cut from."""
        document_id = _document_id(passage)
        if self._ids.is_new_document(document_id):
            self.delete(document_id)
        if passage.id != document_id:
            self.delete(passage.id)
        self.add(passage)

    def delete(self, any_id: str) -> bool:
        """Deletes the passage and the document of that id from the previous state; tells whether there was one."""
        if self._previous is None:
            return False
        found = False
        for name in ("id", "document"):
            for address in _by_term(self._previous, name, any_id):
                found = True
                number, passage = _stored(self._previous, address)
                if self._ids.is_new_deletion(number):
                    self._fingerprint.remove(passage)
                    self.num_deleted += 1
                    # By its number, for the id may have been given to a passage that was added just now.
                    with self._engine():
                        self._open_writer().delete_documents_by_term("number", number)
        return found

    def publish(self) -> IndexSummary:
        """Makes the new state the current one."""
        with self._engine():
            self._open_writer().commit()
            self._open_writer().wait_merging_threads()
            self.let_go()
            self._index.reload()
            num_passages = self._index.searcher().num_docs
        self._ids.close()
        for name in _LOCKS:
            self._staging.data.joinpath(name).unlink(missing_ok=True)
        state = {"next_number": self._next_number}
        manifest = self._staging.publish(
            engine=_ENGINE, analyzer=_ANALYZER, num_passages=num_passages, fingerprint=self._fingerprint, state=state
        )
        return IndexSummary(num_passages, self.num_added, self.num_deleted, manifest.num_bytes, manifest.fingerprint)

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


def _engine_document(passage: Passage, number: int) -> tantivy.Document:
    if not passage.id or len(passage.id.encode("utf-8", "replace")) > _MAX_ID_BYTES:
        raise DataError(f"a passage cannot have the id {passage.id[:40]!r}; give it one of 1 to {_MAX_ID_BYTES:,} bytes")
    row = [number, passage.id, passage.title, passage.text, passage.source, passage.start, passage.end]
    title, text = _searchable(passage.title), _searchable(passage.text)
    document = tantivy.Document()
    try:
        document.add_text("id", passage.id)
        document.add_text("document", _document_id(passage))
        document.add_text("all", f"{title}\n{text}")
        document.add_text("text", text)
        document.add_text("title", title)
        document.add_unsigned("number", number)
        document.add_bytes("passage", json.dumps(row, ensure_ascii=False).encode())
    except UnicodeEncodeError:
        raise DataError(f"passage {passage.id!r} holds half of a surrogate pair, which is no character; remove it") from None
    return document


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
            raise DataError(f"the id {passage.id!r} occurs twice, as {places}; make the ids unique") from None

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
