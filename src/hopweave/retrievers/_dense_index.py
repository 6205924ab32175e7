"""The dense index itself: passages in a table, their vectors in a file, and above a size a coarse index of the vectors.

    passages.sqlite    number, id, document, and the passage as JSON
    numbers.i64        the number of the passage that each row of the vectors is of, in ascending order
    vectors.f32        the vectors, row after row; mapped into memory
    ivf.faiss          above `FLAT_MAX` passages: an inverted file with 8-bit codes; mapped, too

Up to `FLAT_MAX` passages every vector is compared. Above, the lists nearest to a query are searched by codes, and the best
candidates are compared by their vectors, so a score is exact whichever way a passage was found. Where not all passages are
shown, those alone are compared; the inverted file serves where they are more than `FLAT_MAX`.
"""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hopweave.catalog import require
from hopweave.errors import DataError
from hopweave.files import write_whole
from hopweave.retrievers._bm25_index import document_id_of
from hopweave.retrievers._encoders import Encoder, Vectors, given_vectors
from hopweave.retrievers._filter_table import TABLE as FILTER_TABLE
from hopweave.retrievers._filter_table import forget, has_labels, note, shown_rows
from hopweave.retrievers._index_folder import Fingerprint, IndexSummary, Manifest, damaged, verify
from hopweave.retrievers._index_writing import Staging, replace_index
from hopweave.retrievers._passage_rows import passage_of_row, row_of_passage
from hopweave.types import Passage
from hopweave.visibility import PUBLIC, Visible

ENGINE = "dense"
GIVEN = "given"
"""In place of an encoder's name, for vectors that were made elsewhere by a model that nobody named."""

FLAT_MAX = 50_000
_PASSAGES, _NUMBERS, _VECTORS, _IVF = "passages.sqlite", "numbers.i64", "vectors.f32", "ivf.faiss"
_CHUNK = 256
_BLOCK = 1 << 16
_GATHERED = 1 << 12
_TRAIN_PER_LIST = 64
_MARGIN = 8
_CANDIDATES = 4
"""How many times as many passages the codes find as are compared by their vectors."""

_DECIMALS = 6
_MAX_ID_BYTES = 10_000
_SCHEMA = """
    CREATE TABLE passages (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, document TEXT NOT NULL, row TEXT NOT NULL);
    CREATE INDEX documents ON passages (document);
"""


class DenseStore:
    """An index that is open for reading.

    Args:
        data: the data folder.
        manifest: of the index.
        visible: which passages are shown.
    """

    def __init__(self, data: Path, manifest: Manifest, visible: Visible = PUBLIC) -> None:
        self._dimension = manifest.state["dimension"]
        self._table = _reading(data / _PASSAGES)
        self._numbers = _mapped(data / _NUMBERS, np.int64, 1)[:, 0]
        self._vectors = _mapped(data / _VECTORS, np.float32, self._dimension)
        if not len(self._numbers) == len(self._vectors) == manifest.num_passages:
            raise damaged(data.parent, manifest.data, f"does not hold {manifest.num_passages} vectors")
        self._shown = shown_rows(self._table, self._numbers, visible, data.parent)
        faiss = require("faiss", "dense")
        self._flat: Callable[..., Any] = faiss.knn
        self._selector: Any = None
        if self._shown is not None and len(self._shown) > FLAT_MAX:
            is_shown = np.zeros(len(self._numbers), dtype=bool)
            is_shown[self._shown] = True
            self._selector = faiss.IDSelectorBitmap(np.packbits(is_shown, bitorder="little"))
        self._inner_product = faiss.METRIC_INNER_PRODUCT
        self._parameters: Callable[..., Any] = faiss.SearchParametersIVF
        flags = faiss.IO_FLAG_MMAP | faiss.IO_FLAG_READ_ONLY
        self._ivf: Any = faiss.read_index(str(data / _IVF), flags) if _IVF in manifest.files else None

    @property
    def dimension(self) -> int:
        """Of the vectors."""
        return self._dimension

    def nearest(self, queries: Vectors, max_hits: int, num_lists: int) -> list[list[tuple[float, Passage]]]:
        """The passages with the largest inner products with each query, best first; by id among equals.

        Args:
            queries: of shape (queries, dimension).
            max_hits: at most so many for each.
            num_lists: lists of the inverted file that are searched.
        """
        num_shown = len(self._vectors) if self._shown is None else len(self._shown)
        num_found = min(num_shown, max_hits + _MARGIN)
        if not num_found or not len(queries):
            return [[] for _ in queries]
        if self._shown is not None and self._selector is None:
            rows = self._nearest_among(self._shown, queries, num_found)
        elif self._ivf is None:
            _, rows = self._flat(queries, self._vectors, num_found, metric=self._inner_product)
        else:
            depth = min(num_shown, _CANDIDATES * num_found)
            parameters = self._parameters(nprobe=min(num_lists, self._ivf.nlist), sel=self._selector)
            _, rows = self._ivf.search(queries, depth, params=parameters)
        return [self._ranked(query, of_one[of_one >= 0], max_hits) for query, of_one in zip(queries, rows, strict=True)]

    def passages(self) -> Iterator[Passage]:
        """All passages, in the order in which they were added."""
        for (row,) in self._table.execute("SELECT row FROM passages ORDER BY number"):
            yield _passage(row)

    def close(self) -> None:
        """Lets go of the files."""
        self._table.close()
        self._ivf = None
        del self._vectors, self._numbers

    def _nearest_among(self, rows: NDArray[np.int64], queries: Vectors, num_found: int) -> NDArray[np.int64]:
        """The nearest of some rows for each query, in any order."""
        scores, found = [], []
        for first in range(0, len(rows), _GATHERED):
            part = rows[first : first + _GATHERED]
            near = self._flat(queries, self._vectors[part], min(num_found, len(part)), metric=self._inner_product)
            scores.append(near[0])
            found.append(part[near[1]])
        best = np.argpartition(-np.hstack(scores), num_found - 1, axis=1)[:, :num_found]
        return np.take_along_axis(np.hstack(found), best, axis=1)

    def _ranked(self, query: Vectors, rows: NDArray[np.int64], max_hits: int) -> list[tuple[float, Passage]]:
        # Summed the same way whichever queries are searched for at the same time, which a product of matrices is not.
        scores = (self._vectors[rows] * query).sum(axis=1, dtype=np.float64).round(_DECIMALS)
        best = np.argsort(-scores, kind="stable")[: max_hits + _MARGIN]
        found = [(float(scores[at]), self._passage_of(int(rows[at]))) for at in best]
        return sorted(found, key=lambda hit: (-hit[0], hit[1].id))[:max_hits]

    def _passage_of(self, row: int) -> Passage:
        number = int(self._numbers[row])
        return _passage(*self._table.execute("SELECT row FROM passages WHERE number = ?", (number,)).fetchone())


class VectorSource(Protocol):
    """Where the vectors of passages come from."""

    @property
    def identity(self) -> str:
        """Names the model."""

    def vectors_of(self, passages: Sequence[Passage]) -> Vectors:
        """A vector for each passage."""

    def finish(self) -> None:
        """Takes away what was kept in case of a kill."""


class EncodedPassages:
    """Encodes passages in pieces, each of which is kept until the index is whole, so that a killed build goes on.

    Args:
        encoder: makes the vectors.
        folder: the index. The pieces lie beside it.
    """

    def __init__(self, encoder: Encoder, folder: Path) -> None:
        self._encoder = encoder
        self.identity = encoder.identity
        self._kept = folder.with_name(f".{folder.name}.encoding")

    def vectors_of(self, passages: Sequence[Passage]) -> Vectors:
        """See `VectorSource`."""
        texts = [encoded_text(passage) for passage in passages]
        content = json.dumps([self.identity, texts]).encode()
        path = self._kept / f"{hashlib.blake2b(content, digest_size=16).hexdigest()}.npy"
        try:
            vectors: Vectors = np.load(path, allow_pickle=False)
            if len(vectors) == len(texts):
                return vectors
        except (OSError, ValueError, EOFError):  # it is not there, or was cut off with the power
            pass
        vectors = self._encoder.encode(texts, "passage")
        self._kept.mkdir(parents=True, exist_ok=True)
        content_of_file = io.BytesIO()
        np.save(content_of_file, vectors)
        write_whole(path, content_of_file.getvalue())
        return vectors

    def finish(self) -> None:
        """See `VectorSource`."""
        shutil.rmtree(self._kept, ignore_errors=True)


class GivenPassages:
    """Takes the vectors of passages that were made elsewhere, by id.

    Args:
        path: see `EncoderOptions.vectors`.
        identity: the name of the model that made them, if it is known.
    """

    def __init__(self, path: Path, identity: str = GIVEN) -> None:
        self._path = path
        self._vectors = given_vectors(path)
        self.identity = identity

    def vectors_of(self, passages: Sequence[Passage]) -> Vectors:
        """See `VectorSource`."""
        missing = next((one.id for one in passages if " ".join(one.id.split()) not in self._vectors), None)
        if missing is not None:
            raise DataError(f"{self._path} has no vector of passage {missing!r}; add it, with its id in the .txt beside it")
        return np.array([self._vectors[" ".join(one.id.split())] for one in passages], dtype=np.float32)

    def finish(self) -> None:
        """See `VectorSource`."""


def encoded_text(passage: Passage) -> str:
    """What is encoded of a passage: its title, a full stop, its text."""
    return f"{passage.title}. {passage.text}" if passage.title else passage.text


@contextmanager
def writing_to(folder: Path, source: VectorSource, *, update: bool) -> Iterator[Writing]:
    """Opens a new state of an index for writing; it is current once `Writing.publish` returns.

    Raises:
        DataError: see `replace_index`; also for vectors of another model than those that are there.
    """
    with replace_index(folder, engine=ENGINE, update=update) as staging:
        previous = staging.previous
        if previous is not None and previous.analyzer != source.identity:
            raise DataError(
                f"index {folder} holds vectors of {previous.analyzer}, and the settings name {source.identity}; "
                "set retrievers.dense.model to the one that made them, or build the index anew"
            )
        table = _new_table(staging)
        with closing(table):
            yield Writing(staging, source, table)


class Writing:
    """Writes one new state of an index."""

    def __init__(self, staging: Staging, source: VectorSource, table: sqlite3.Connection) -> None:
        self._staging = staging
        self._source = source
        self._table = table
        previous = staging.previous
        self._fingerprint = Fingerprint(previous.fingerprint) if previous is not None else Fingerprint()
        self._first_number = self._next_number = previous.state["next_number"] if previous is not None else 0
        self._dimension = previous.state["dimension"] if previous is not None and previous.num_passages else 0
        self._gone: set[str] = set()
        self._gone_numbers: set[int] = set()
        self.num_added = 0

    def add_all(self, passages: Iterable[Passage], on_passage: Callable[[int], None] | None) -> None:
        """Adds passages with their vectors; each takes the place of one with its id, and of the document it was cut from."""
        with (self._staging.data / "new.f32").open("wb") as vectors:
            left = iter(passages)
            while chunk := list(islice(left, _CHUNK)):
                for passage in chunk:
                    self._replace(passage)
                found = self._source.vectors_of(chunk)
                self._dimension = self._dimension or found.shape[1]
                if found.shape != (len(chunk), self._dimension):
                    raise DataError(
                        f"vectors of {found.shape[1]} numbers do not go with those of {self._dimension} in index "
                        f"{self._staging.folder}; use one model for all"
                    )
                vectors.write(np.ascontiguousarray(found, dtype="<f4").tobytes())
                for _ in chunk:
                    self.num_added += 1
                    if on_passage is not None:
                        on_passage(self.num_added)

    def delete(self, any_id: str) -> bool:
        """Deletes the passage and the document of that id from the previous state; tells whether there was one."""
        try:
            rows = self._table.execute(
                "DELETE FROM passages WHERE (id = ?1 OR document = ?1) AND number < ?2 RETURNING number, row",
                (any_id, self._first_number),
            ).fetchall()
        except UnicodeEncodeError:  # half of a surrogate pair, which no id holds
            return False
        for number, row in rows:
            self._gone_numbers.add(number)
            self._fingerprint.remove(_passage(row))
        forget(self._table, [number for number, _ in rows])
        if rows:
            self._gone.add(any_id)
        return any_id in self._gone

    def publish(self) -> IndexSummary:
        """Makes the new state the current one."""
        self._table.execute("COMMIT")
        are_labelled = has_labels(self._table)
        self._table.close()
        self._write_vectors()
        num_passages = self._num_vectors()
        data = self._staging.data
        trained_on = _write_ivf(data, num_passages, self._dimension, self._previous_ivf()) if num_passages > FLAT_MAX else 0
        state = {"next_number": self._next_number, "dimension": self._dimension, "trained_on": trained_on}
        manifest = self._staging.publish(
            engine=ENGINE,
            analyzer=self._source.identity,
            num_passages=num_passages,
            fingerprint=self._fingerprint,
            state=state,
            has_labels=are_labelled,
        )
        self._source.finish()
        return IndexSummary(num_passages, self.num_added, len(self._gone_numbers), manifest.num_bytes, manifest.fingerprint)

    def _replace(self, passage: Passage) -> None:
        document_id = document_id_of(passage)
        if self._staging.previous is not None:
            for any_id in {document_id, passage.id}:
                self.delete(any_id)
        if not passage.id or len(passage.id.encode("utf-8", "replace")) > _MAX_ID_BYTES:
            raise DataError(f"a passage cannot have the id {passage.id[:40]!r}; give it one of 1 to {_MAX_ID_BYTES:,} bytes")
        row = json.dumps(row_of_passage(passage), ensure_ascii=False)
        try:
            self._table.execute("INSERT INTO passages VALUES (?, ?, ?, ?)", (self._next_number, passage.id, document_id, row))
        except sqlite3.IntegrityError:
            raise self._occurs_twice(passage) from None
        except UnicodeEncodeError:
            raise DataError(
                f"passage {passage.id!r} holds half of a surrogate pair, which is no character; remove it"
            ) from None
        note(self._table, self._next_number, passage)
        self._fingerprint.add(passage)
        self._next_number += 1

    def _occurs_twice(self, passage: Passage) -> DataError:
        number, row = self._table.execute("SELECT number, row FROM passages WHERE id = ?", (passage.id,)).fetchone()
        first = (number - self._first_number + 1, _passage(row).source)
        second = (self._next_number - self._first_number + 1, passage.source)
        places = " and ".join(f"passage {place} ({source or 'no source'})" for place, source in (first, second))
        return DataError(f"the id {passage.id!r} occurs twice, as {places}; make the ids unique")

    def _write_vectors(self) -> None:
        """The vectors that stay, and after them the new ones, with the numbers of both."""
        data, new = self._staging.data, self._staging.data / "new.f32"
        with (data / _VECTORS).open("wb") as vectors, (data / _NUMBERS).open("wb") as numbers:
            for block, of_rows in self._staying():
                vectors.write(block.astype("<f4", copy=False).tobytes())
                numbers.write(of_rows.astype("<i8").tobytes())
            if new.exists():
                with new.open("rb") as file:
                    shutil.copyfileobj(file, vectors, 1 << 20)
                numbers.write(np.arange(self._first_number, self._next_number, dtype="<i8").tobytes())
                new.unlink()

    def _staying(self) -> Iterator[tuple[Vectors, NDArray[np.int64]]]:
        previous = self._staging.previous
        if previous is None or not previous.num_passages:
            return
        old = self._staging.folder / previous.data
        numbers = _mapped(old / _NUMBERS, np.int64, 1)[:, 0]
        vectors = _mapped(old / _VECTORS, np.float32, previous.state["dimension"])
        gone = np.array(sorted(self._gone_numbers), dtype=np.int64)
        for first in range(0, len(numbers), _BLOCK):
            part = slice(first, first + _BLOCK)
            stays = ~np.isin(numbers[part], gone)
            yield vectors[part][stays], numbers[part][stays]

    def _num_vectors(self) -> int:
        return (self._staging.data / _NUMBERS).stat().st_size // 8

    def _previous_ivf(self) -> tuple[Path, int] | None:
        """The inverted file of the previous state, and how many passages it was trained on."""
        previous = self._staging.previous
        if previous is None or _IVF not in previous.files:
            return None
        return self._staging.folder / previous.data / _IVF, previous.state["trained_on"]


def _write_ivf(data: Path, num_passages: int, dimension: int, previous: tuple[Path, int] | None) -> int:
    """Writes the inverted file; tells on how many passages its lists were trained.

    Those of the previous state are taken over while there are about as many passages, half to twice.
    """
    faiss = require("faiss", "dense")
    vectors = _mapped(data / _VECTORS, np.float32, dimension)
    if previous is not None and num_passages / 2 <= previous[1] <= 2 * num_passages:
        path, trained_on = previous
        index = faiss.read_index(str(path))
        index.reset()
    else:
        trained_on, num_lists = num_passages, round(num_passages**0.5)
        index = faiss.index_factory(dimension, f"IVF{num_lists},SQ8", faiss.METRIC_INNER_PRODUCT)
        step = max(1, num_passages // (_TRAIN_PER_LIST * num_lists))
        index.train(np.ascontiguousarray(vectors[::step]))
    for first in range(0, num_passages, _BLOCK):
        index.add(np.ascontiguousarray(vectors[first : first + _BLOCK]))
    faiss.write_index(index, str(data / _IVF))
    return trained_on


def _new_table(staging: Staging) -> sqlite3.Connection:
    """The table of the new state: a copy of that of the previous one, or an empty one."""
    path = staging.data / _PASSAGES
    if staging.previous is not None:
        verify(staging.folder, staging.previous)
        shutil.copyfile(staging.folder / staging.previous.data / _PASSAGES, path)
    table = sqlite3.connect(path, isolation_level=None)
    # The state is thrown away unless it is published whole, so no journal is needed.
    table.execute("PRAGMA journal_mode = OFF")
    table.execute("PRAGMA synchronous = OFF")
    if staging.previous is None:
        table.executescript(_SCHEMA)
    table.executescript(FILTER_TABLE)
    table.execute("BEGIN")
    return table


def _reading(path: Path) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    table = sqlite3.connect(uri, uri=True, check_same_thread=False)
    try:
        table.execute("SELECT number FROM passages LIMIT 1").fetchone()
    except sqlite3.DatabaseError as error:
        table.close()
        raise damaged(path.parent.parent, f"{path.parent.name}/{path.name}", f"cannot be read ({error})") from error
    return table


def _mapped(path: Path, kind: type[Any], width: int) -> NDArray[Any]:
    """A file of numbers, row after row, mapped into memory."""
    if not path.stat().st_size or not width:
        return np.zeros((0, max(width, 1)), dtype=kind)  # what is empty cannot be mapped
    return np.memmap(path, dtype=np.dtype(kind).newbyteorder("<"), mode="r").reshape(-1, width)


def _passage(row: str) -> Passage:
    return passage_of_row(json.loads(row))
