"""The BM25 index itself: its fields, what is stored of a passage, and how a state of the index is written."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

import tantivy

from hopweave.core.characters import check_whole
from hopweave.core.errors import DataError
from hopweave.core.indexing import IndexSummary, how_to_rebuild
from hopweave.core.types import Passage
from hopweave.core.visibility import FIELDS, Condition, Visible, filter_values
from hopweave.ingest.lookup import MAX_ID_BYTES, document_id_of
from hopweave.retrieval.index.analysis import ENGLISH, Analysis, agreed, analysis_of, analyzer, language_of
from hopweave.retrieval.index.bm25_compaction import worn_segments
from hopweave.retrieval.index.bm25_ids import Ids
from hopweave.retrieval.index.bm25_segments import Segments, ShareRead
from hopweave.retrieval.index.index_folder import Fingerprint, Manifest, damaged, verify
from hopweave.retrieval.index.index_writing import Staging, full_disk
from hopweave.retrieval.index.language_detection import Sample
from hopweave.retrieval.index.links import opening, openings, title_key
from hopweave.retrieval.index.part_links import part_keys
from hopweave.retrieval.index.passage_rows import passage_of_row, row_of_passage
from hopweave.text.document_names import words_above
from hopweave.text.scripts import num_words, runs_together

ENGINE = "bm25"
FILE_STATES = "files.sqlite"
"""In a data folder: what is known of the files that the passages are from; see `ingest.file_states`."""

_HEAP_BYTES = 300_000_000
"""The most of an index that is held in memory before it is written: the more, the fewer segments, and the cheaper a query."""

_NUM_THREADS = 1
"""Threads of the engine. Each writes separate segments from its part of that memory, and one is three times as fast as the code
that reads the passages and passes them on, so more threads would only make more segments."""

LINK_FIELDS = ("title_key", "title_opening", "opening")
"""The key of the title, its beginning, and the possible beginnings of keys in the text; see `links`."""

PART_FIELD = "part"
"""The keys of the parts that a passage is in; see `part_links`."""

LAST_FIELDS = (*FIELDS, PART_FIELD)

LAYOUT = "layout"
"""In a manifest's state: which fields the index has. 2 has the keys of titles and names, which `weave` needs; 3 has the
fields that passages are filtered by (`visibility.FIELDS`); 4 has the keys of parts that texts refer to."""

_LINKS_SINCE, _FILTERS_SINCE, PARTS_SINCE, _NEWEST = 2, 3, 4, 4

LABELLED = "labelled"
"""In a manifest's state: how many passages have access labels."""

COUNTS = ("words", "documents", "titled")
"""In a manifest's state: how many words and documents the passages hold, and how many have a title; absent in older indexes."""

CUT = "cut"
"""In a manifest's state: how many passages have letters that are cut into pairs; absent if the index cuts none."""

_ENGINE_REWRITES = frozenset({"meta.json", ".managed.json"})
_AT_ONCE = 1000
_LOCKS = (".tantivy-writer.lock", ".tantivy-meta.lock")
_FULL_DISK_FREE_BYTES = 1 << 24


def by_term(searcher: tantivy.Searcher, name: str, value: str) -> Iterator[tantivy.DocAddress]:
    """A query for the passages with that id or document id."""
    # The engine does not accept unpaired surrogates, and contains none.
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
    """The passages in a range of numbers."""
    return tantivy.Query.range_query(
        schema(), "number", tantivy.FieldType.Unsigned, numbers.start, numbers.stop - 1, use_inverted_index=True
    )


def addresses_of(searcher: tantivy.Searcher, numbers: range) -> list[tantivy.DocAddress]:
    """The addresses of the passages with given numbers, in the order in which they were added."""
    page = with_numbers(numbers)
    found = searcher.search(page, len(numbers), count=False, order_by_field="number", order=tantivy.Order.Asc).hits
    return [address for _, address in found]


def in_order(searcher: tantivy.Searcher, numbers: range) -> Iterator[tuple[int, Passage]]:
    """Numbers and passages, in the order in which they were added, for given numbers."""
    for address in addresses_of(searcher, numbers):
        yield stored(searcher, address)


@cache
def schema(tokenizer: str = ENGLISH.tokenizer) -> tantivy.Schema:
    """The fields: ids, the text in three ways, a number that is never reused, the passage itself, names, filters.

    The fields of an earlier layout come first, so that code that uses them can read its indexes as well.
    """
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("document", tokenizer_name="raw", index_option="basic")
    for name in ("all", "text", "title"):
        builder.add_text_field(name, tokenizer_name=tokenizer, index_option="freq")
    builder.add_unsigned_field("number", indexed=True, fast=True)
    builder.add_bytes_field("passage", stored=True)
    for name in (*LINK_FIELDS, *LAST_FIELDS):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    return builder.build()


def analysis_in(folder: Path, manifest: Manifest) -> Analysis:
    """The analysis by which an index turns text into terms.

    Raises:
        DataError: if it was built with an analyzer that this version does not have.
    """
    return analysis_of(manifest.analyzer, cuts=CUT in manifest.state, place=str(folder))


def links_in(manifest: Manifest) -> str:
    """Which links `weave` can follow in an index, in words."""
    layout = manifest.state.get(LAYOUT, 1)
    if layout < _LINKS_SINCE:
        return "no; weave needs a rebuilt index"
    return "yes" if layout >= PARTS_SINCE else "yes, but none to sections, tables and definitions; those need a rebuilt index"


def load(data: Path, manifest: Manifest) -> tantivy.Searcher:
    """A searcher over a data folder.

    The engine gets links in a temporary folder, because it makes a lock file where it reads, and an index may be on a
    read-only disk. The files are mapped into memory at once, so the links can be removed.

    Raises:
        DataError: if it was built with an analyzer that this version does not have, or its files cannot be opened.
    """
    analysis = analysis_in(data.parent, manifest)
    # A thread of the engine may still make its lock file while the folder is being removed.
    with tempfile.TemporaryDirectory(prefix="hopweave-bm25-", ignore_cleanup_errors=True) as links:
        for name in manifest.files:
            Path(links, name).symlink_to((data / name).absolute())
        try:
            index = tantivy.Index.open(links)
            index.register_tokenizer(analysis.tokenizer, analyzer(analysis.language))
            index.config_reader("manual", 0)
            return index.searcher()
        except ValueError as error:
            reason = str(error).split("\n", 1)[0].rstrip(".")
            raise damaged(data.parent, data.name, f"cannot be opened ({reason})") from error


def conditions_of(folder: Path, manifest: Manifest, visible: Visible) -> list[Condition]:
    """The conditions that passages of an index must meet to be shown.

    Raises:
        DataError: if metadata are queried in an index built before metadata were stored.
    """
    if visible.where and manifest.state.get(LAYOUT, 1) < _FILTERS_SINCE:
        raise _without_filters(folder, "so they cannot be queried")
    return visible.conditions(manifest.state.get(LABELLED, 0))


def _without_filters(folder: Path, why: str) -> DataError:
    return DataError(f"index {folder} was built before there were metadata and access labels, {why}; {how_to_rebuild(folder)}")


class Companion(Protocol):
    """Further files of an index: they are derived from its passages, and published together with them.

    Attributes:
        engine: the engine whose index it is.
        modified: the names of those files that it modifies in an update; all others it replaces.
    """

    engine: str
    modified: frozenset[str]

    def add(self, number: int, passage: Passage, analysis: Analysis) -> None:
        """Notes a passage that was added, with its number, and how the index turns text into terms."""

    def remove(self, number: int) -> None:
        """Notes the number of a passage of the previous state that was removed or replaced."""

    def finish(self) -> None:
        """Writes the files of the new state."""


@contextmanager
def writing_to(
    staging: Staging, language: str | None = None, share_read: ShareRead | None = None, companion: Companion | None = None
) -> Iterator[Writing]:
    """Opens a new state for writing, and always closes it at the end.

    Args:
        staging: of the new state.
        language: of the passages; `None` for the one of the previous state or, for a new index, of its first passages.
        share_read: if the total is known; see `ShareRead`.
        companion: writes further files of the index.

    Raises:
        SettingsError: for a language without an analyzer, or one other than that of the previous state.
        DataError: if the previous state cannot be read, or the new one cannot be written.
    """
    with closing(Ids(staging.scratch)) as ids:
        writing = Writing(staging, ids, language, share_read, companion)
        try:
            yield writing
        finally:
            writing.let_go()


class Writing:
    """Writes one new state of an index.

    Raises:
        SettingsError, DataError: as in `writing_to`.
    """

    def __init__(
        self,
        staging: Staging,
        ids: Ids,
        language: str | None,
        share_read: ShareRead | None,
        companion: Companion | None = None,
    ) -> None:
        self._staging = staging
        self._companion = companion
        self._segments = Segments(share_read if staging.previous is None else None)
        self._ids = ids
        self._previous: tantivy.Searcher | None = None
        self._fingerprint = Fingerprint()
        self._next_number = 0
        self._layout = _NEWEST
        self._counts = dict.fromkeys(COUNTS, 0)
        self._num_cut = 0
        self._sample = Sample()  # for a new index, until its language is known
        self._num_labelled = 0
        self.num_added = 0
        self.num_deleted = 0
        if staging.previous is not None:
            analysis = agreed(analysis_in(staging.folder, staging.previous), language, str(staging.folder))
            verify(staging.folder, staging.previous)
            self._previous = load(staging.folder / staging.previous.data, staging.previous)
            self._fingerprint = Fingerprint(staging.previous.fingerprint)
            self._next_number = staging.previous.state["next_number"]
            self._layout = staging.previous.state.get(LAYOUT, 1)
            self._num_labelled = staging.previous.state.get(LABELLED, 0)
            self._counts = {name: staging.previous.state[name] for name in COUNTS if name in staging.previous.state}
            self._num_cut = staging.previous.state.get(CUT, 0)
            modified = companion.modified if companion is not None else frozenset()
            staging.clone_previous(rewritten=_ENGINE_REWRITES | {FILE_STATES} | modified)
            self._opened: _Opened | None = self._open(analysis)
        else:
            self._opened = self._open(Analysis(language_of(language))) if language is not None else None

    def _open(self, analysis: Analysis) -> _Opened:
        path = str(self._staging.data)
        with self._engine():
            # In an update, the index has the schema that it was built with.
            is_new = self._staging.previous is None
            index = tantivy.Index(schema(analysis.tokenizer), path=path) if is_new else tantivy.Index.open(path)
            index.register_tokenizer(analysis.tokenizer, analyzer(analysis.language))
            index.config_reader("manual", 0)  # otherwise an engine thread looks for commits, and makes lock files at any time
            return _Opened(index, index.writer(_HEAP_BYTES, _NUM_THREADS), analysis)

    def _tell_language(self) -> _Opened:
        """Opens a new index for the language of the passages so far, and adds them."""
        self._opened = self._open(Analysis(self._sample.language))
        for number, passage in enumerate(self._sample.passages):
            self._take(passage, number)
        self._sample = Sample()
        return self._opened

    def let_go(self) -> None:
        """Ends the engine's threads, which run as long as its writer is referenced."""
        if self._opened is not None:
            self._opened.writer = None

    def add(self, passage: Passage) -> None:
        """Adds a passage.

        Raises:
            DataError: for a repeated id, one that is empty or too long, a text that cannot be stored, or values to filter by
                that an old index cannot take; or if the disk refuses.
        """
        _refuse_what_cannot_be_stored(passage)
        if self._layout < _FILTERS_SINCE and (passage.metadata or passage.access):
            raise _without_filters(self._staging.folder, f"and cannot take those of passage {passage.id!r}")
        self._ids.add(passage, self.num_added + 1)
        if self._opened is not None:
            self._take(passage, self._next_number)
        elif self._sample.add(passage):
            self._tell_language()
        self._fingerprint.add(passage)
        self._count(passage, 1)
        self._next_number += 1
        self.num_added += 1

    def _take(self, passage: Passage, number: int) -> None:
        self._put(passage, number)
        if self._companion is not None and self._opened is not None:
            self._companion.add(number, passage, self._opened.analysis)

    def _put(self, passage: Passage, number: int) -> None:
        opened = self._opened or self._tell_language()
        document = _engine_document(passage, number, opened.analysis, self._layout)
        with self._engine():
            self._open_writer().add_document(document)
            if self._segments.is_full(number + 1, len(passage.title) + len(passage.text)):
                self._open_writer().commit()

    @property
    def next_number(self) -> int:
        """The number of the next added passage."""
        return self._next_number

    def replace(self, passage: Passage) -> None:
        """Adds a passage that replaces the one with its id, and the document that it was cut from.

        Raises:
            DataError: as in `add`.
        """
        _refuse_what_cannot_be_stored(passage)
        document_id = document_id_of(passage)
        if self._ids.is_new_document(document_id):
            self.delete(document_id)
        if passage.id != document_id:
            self.delete(passage.id)
        self.add(passage)

    def numbers_of(self, any_id: str) -> list[int]:
        """The numbers of the passages of the previous state with that id, or cut from the document with that id."""
        if self._previous is None:
            return []
        found = (address for name in ("id", "document") for address in by_term(self._previous, name, any_id))
        return list(dict.fromkeys(stored(self._previous, address)[0] for address in found))

    def delete(self, any_id: str) -> list[int]:
        """Deletes the passage and the document of that id from the previous state; returns their numbers there.

        Raises:
            DataError: if the disk refuses.
        """
        found: dict[int, Passage] = {}
        if self._previous is not None:
            for name in ("id", "document"):
                found |= dict(stored(self._previous, address) for address in by_term(self._previous, name, any_id))
        for number, passage in found.items():
            if self._take_out(number, passage):
                # By its number, since a passage just added may have the same id. And by a query:
                # deleting by the term of a number passes without an error and deletes nothing (tantivy-py 0.27).
                self._delete_by(tantivy.Query.term_query(schema(), "number", number))
        return list(found)

    def delete_numbers(self, numbers: range) -> None:
        """Deletes the passages of the previous state that have these numbers; memory does not grow with them.

        Raises:
            DataError: if the disk refuses.
        """
        if self._previous is None:
            return
        for first in range(numbers.start, numbers.stop, _AT_ONCE):
            some = range(first, min(numbers.stop, first + _AT_ONCE))
            for number, passage in in_order(self._previous, some):
                self._take_out(number, passage)
            self._delete_by(with_numbers(some))

    def _take_out(self, number: int, passage: Passage) -> bool:
        """Removes a passage from the counts; returns whether it was there."""
        is_new = self._ids.is_new_deletion(number)
        if is_new:
            self._fingerprint.remove(passage)
            self._count(passage, -1)
            self.num_deleted += 1
            if self._companion is not None:
                self._companion.remove(number)
        return is_new

    def _delete_by(self, query: tantivy.Query) -> None:
        with self._engine():
            self._open_writer().delete_documents_by_query(query)

    def _count(self, passage: Passage, by: int) -> None:
        self._num_labelled += by * bool(passage.access)
        if self._counts:
            self._counts["words"] += by * num_words(passage.text)
            self._counts["documents"] += by * (passage.id in {(name := document_id_of(passage)), f"{name}#1"})
            self._counts["titled"] += by * bool(passage.title)
        self._num_cut += by * runs_together(f"{words_above(passage)}\n{passage.text}")

    def publish(self) -> IndexSummary:
        """Publishes the new state as the current one.

        Raises:
            DataError: if the disk refuses, or the new state is not complete; the previous one then stays.
        """
        opened = self._opened or self._tell_language()
        self._commit(opened)
        self._rewrite(opened)
        num_passages = opened.index.searcher().num_docs
        self._check_count(num_passages)
        self._ids.close()
        for name in _LOCKS:
            self._staging.data.joinpath(name).unlink(missing_ok=True)
        mode = self._staging.data.stat().st_mode & 0o666
        for name in _ENGINE_REWRITES:  # the engine makes them readable for its own user only
            self._staging.data.joinpath(name).chmod(mode)
        state = {"next_number": self._next_number} | self._counts | ({LAYOUT: self._layout} if self._layout > 1 else {})
        state |= {CUT: self._num_cut} if opened.analysis.cuts else {}
        state |= {LABELLED: self._num_labelled} if self._num_labelled else {}
        if self._companion is not None:
            self._companion.finish()
        manifest = self._staging.publish(
            engine=self._companion.engine if self._companion is not None else ENGINE,
            analyzer=opened.analysis.name(self._num_cut),
            num_passages=num_passages,
            fingerprint=self._fingerprint,
            state=state,
            has_labels=bool(self._num_labelled),
        )
        return IndexSummary(num_passages, self.num_added, self.num_deleted, manifest.num_bytes, manifest.fingerprint)

    def _commit(self, opened: _Opened) -> None:
        with self._engine():
            self._open_writer().commit()
            self._open_writer().wait_merging_threads()
            self.let_go()
            opened.index.reload()

    def _rewrite(self, opened: _Opened) -> None:
        """Rewrites the passages of segments with many deletions, which removes the deleted ones from what the engine counts."""
        worn = worn_segments(self._staging.data)
        searcher = opened.index.searcher()
        for first in range(0, self._next_number if worn else 0, _AT_ONCE):
            addresses = [one for one in addresses_of(searcher, range(first, first + _AT_ONCE)) if one.segment_ord in worn]
            passages = dict(stored(searcher, address) for address in addresses)
            if passages:
                with self._engine():
                    opened.writer = opened.writer or opened.index.writer(_HEAP_BYTES, _NUM_THREADS)
                self._delete_by(tantivy.Query.term_set_query(schema(), "number", list(passages)))
            for number, passage in passages.items():
                self._put(passage, number)
        if opened.writer is not None:
            self._commit(opened)

    def _check_count(self, num_passages: int) -> None:
        previous = self._staging.previous
        expected = self.num_added - self.num_deleted + (previous.num_passages if previous is not None else 0)
        if num_passages != expected:
            raise DataError(
                f"the engine wrote {num_passages} passages to index {self._staging.folder} instead of {expected}, "
                "so it stays as it was; please report this"
            )

    def _open_writer(self) -> tantivy.IndexWriter:
        if self._opened is None or self._opened.writer is None:
            raise RuntimeError("the index writer was used after it was closed")
        return self._opened.writer

    @contextmanager
    def _engine(self) -> Iterator[None]:
        """The engine raises `ValueError` for any failure, and does not say that the disk is full."""
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


@dataclass(slots=True)
class _Opened:
    """An engine's index being written, its writer until it has ended, and its analysis of text."""

    index: tantivy.Index
    writer: tantivy.IndexWriter | None
    analysis: Analysis


def _refuse_what_cannot_be_stored(passage: Passage) -> None:
    if not passage.id or len(passage.id.encode("utf-8", "replace")) > MAX_ID_BYTES:
        raise DataError(f"a passage cannot have the id {passage.id[:40]!r}; give it one of 1 to {MAX_ID_BYTES:,} bytes")
    check_whole(json.dumps(row_of_passage(passage), ensure_ascii=False), f"passage {passage.id!r}")


def _engine_document(passage: Passage, number: int, analysis: Analysis, layout: int) -> tantivy.Document:
    values = [] if layout < _LINKS_SINCE else list(_link_values(passage))
    if layout >= _FILTERS_SINCE:
        values += [(name, value) for name, several in filter_values(passage).items() for value in several]
    if layout >= PARTS_SINCE:
        values += [(PART_FIELD, key) for key in part_keys(passage)]
    heading, text = analysis.searchable(words_above(passage)), analysis.searchable(passage.text)
    document = tantivy.Document()
    document.add_text("id", passage.id)
    document.add_text("document", document_id_of(passage))
    document.add_text("all", f"{heading}\n{text}")
    document.add_text("text", text)
    document.add_text("title", heading)
    document.add_unsigned("number", number)
    document.add_bytes("passage", json.dumps([number, *row_of_passage(passage)], ensure_ascii=False).encode())
    for name, value in values:
        document.add_text(name, value)
    return document


def _link_values(passage: Passage) -> Iterator[tuple[str, str]]:
    if key := title_key(passage.title):
        yield "title_key", key
        yield "title_opening", opening(key)
    for value in sorted(openings(passage.text)):
        yield "opening", value
