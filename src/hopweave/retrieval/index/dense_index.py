"""The dense index itself: a vector for each passage in a file, and above a certain size a coarse index of the vectors.

    vectors.f32        the vectors, row after row; mapped into memory
    ivf.faiss          above `FLAT_MAX` passages: an inverted file with 8-bit codes; mapped, too

The passages are stored next to them; see `vector_index`. Up to `FLAT_MAX` passages every vector is compared. Above, the lists
nearest to a query are searched by codes, and the best candidates are compared by their vectors, so a score is exact however a
passage was found. If not all passages are shown, only the shown ones are compared; the inverted file is used if they are more
than `FLAT_MAX`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopweave.core.catalog import require
from hopweave.core.types import Passage
from hopweave.core.visibility import PUBLIC, Visible
from hopweave.retrieval.encoders.encoders import EncoderOptions, Vectors, encoder_of, given_vectors
from hopweave.retrieval.index.arrays import mapped
from hopweave.retrieval.index.index_folder import Manifest, damaged
from hopweave.retrieval.index.vector_index import Previous, VectorFiles, VectorStore, append
from hopweave.retrieval.index.vector_source import Arrays, VectorKind

ENGINE = "dense"
FLAT_MAX = 50_000
_VECTORS, _NEW, _IVF = "vectors.f32", "new.f32", "ivf.faiss"
_BLOCK = 1 << 16
_GATHERED = 1 << 12
_TRAIN_PER_LIST = 64
_MARGIN, _MOST_TIES = 8, 1000
_CANDIDATES = 4
"""How many candidates the codes find for each requested hit, to be compared by their vectors."""

_DECIMALS = 6


class DenseStore(VectorStore):
    """An index opened for reading.

    Args:
        data: the data folder.
        manifest: of the index.
        visible: which passages are shown.

    Raises:
        DataError: if a file of it is damaged.
        MissingExtra: without the libraries of the extra `dense`.
    """

    def __init__(self, data: Path, manifest: Manifest, visible: Visible = PUBLIC) -> None:
        super().__init__(data, manifest)
        self._vectors = mapped(data / _VECTORS, np.float32, self.dimension)
        if len(self._vectors) != manifest.num_passages:
            raise damaged(data.parent, manifest.data, f"does not hold {manifest.num_passages} vectors")
        self._shown = self._passages.shown(visible, data.parent)
        faiss = require("faiss", "dense")
        self._flat: Callable[..., Any] = faiss.knn
        self._selector: Any = None
        if self._shown is not None and len(self._shown) > FLAT_MAX:
            is_shown = np.zeros(len(self._vectors), dtype=bool)
            is_shown[self._shown] = True
            self._selector = faiss.IDSelectorBitmap(np.packbits(is_shown, bitorder="little"))
        self._inner_product = faiss.METRIC_INNER_PRODUCT
        self._parameters: Callable[..., Any] = faiss.SearchParametersIVF
        flags = faiss.IO_FLAG_MMAP | faiss.IO_FLAG_READ_ONLY
        self._ivf: Any = faiss.read_index(str(data / _IVF), flags) if _IVF in manifest.files else None

    def nearest(self, queries: Vectors, max_hits: int, num_lists: int) -> list[list[tuple[float, Passage]]]:
        """The passages with the largest inner products with each query, best first; ties by id.

        Args:
            queries: of shape (queries, dimension).
            max_hits: at most this many for each.
            num_lists: how many lists of the inverted file are searched.
        """
        num_shown = len(self._vectors) if self._shown is None else len(self._shown)
        if not num_shown or not len(queries):
            return [[] for _ in queries]
        margin = _MARGIN
        while True:
            num_found = min(num_shown, max_hits + margin)
            rows = self._rows_near(queries, num_found, num_lists)
            scored = [self._scored(query, of_one[of_one >= 0]) for query, of_one in zip(queries, rows, strict=True)]
            is_enough = num_found == num_shown or margin >= _MOST_TIES
            if is_enough or not any(_ends_in_a_tie(scores, max_hits) for _, scores in scored):
                return [self._first(rows, scores, max_hits) for rows, scores in scored]
            margin = min(_MOST_TIES, 8 * margin)  # the order of equal scores is that of the ids of all that have them

    def _rows_near(self, queries: Vectors, num_found: int, num_lists: int) -> NDArray[np.int64]:
        """The rows nearest to each query, in any order; -1 for none. By an inverted file, `_CANDIDATES` times as many."""
        rows: NDArray[np.int64]
        if self._shown is not None and self._selector is None:
            rows = self._nearest_among(self._shown, queries, num_found)
        elif self._ivf is None:
            _, rows = self._flat(queries, self._vectors, num_found, metric=self._inner_product)
        else:
            depth = min(len(self._vectors) if self._shown is None else len(self._shown), _CANDIDATES * num_found)
            parameters = self._parameters(nprobe=min(num_lists, self._ivf.nlist), sel=self._selector)
            _, rows = self._ivf.search(queries, depth, params=parameters)
        return rows

    def close(self) -> None:
        super().close()
        self._ivf = None
        del self._vectors

    def _nearest_among(self, rows: NDArray[np.int64], queries: Vectors, num_found: int) -> NDArray[np.int64]:
        """The nearest of the given rows for each query, in any order."""
        scores, found = [], []
        for first in range(0, len(rows), _GATHERED):
            part = rows[first : first + _GATHERED]
            near = self._flat(queries, self._vectors[part], min(num_found, len(part)), metric=self._inner_product)
            scores.append(near[0])
            found.append(part[near[1]])
        best = np.argpartition(-np.hstack(scores), num_found - 1, axis=1)[:, :num_found]
        return np.take_along_axis(np.hstack(found), best, axis=1)

    def _scored(self, query: Vectors, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], Vectors]:
        """The rows by their scores, best first, and these."""
        # Summed the same way whatever the other queries of the batch are, unlike a matrix product.
        scores = (self._vectors[rows] * query).sum(axis=1, dtype=np.float64).round(_DECIMALS)
        order = np.argsort(-scores, kind="stable")
        return rows[order], scores[order]

    def _first(self, rows: NDArray[np.int64], scores: Vectors, max_hits: int) -> list[tuple[float, Passage]]:
        """The passages of the best rows, ties by id."""
        num = len(scores) if len(scores) <= max_hits else int(np.searchsorted(-scores, -scores[max_hits - 1], side="right"))
        found = [(float(score), self._passages.at(int(row))) for score, row in zip(scores[:num], rows[:num], strict=True)]
        return sorted(found, key=lambda hit: (-hit[0], hit[1].id))[:max_hits]


def _ends_in_a_tie(scores: Vectors, max_hits: int) -> bool:
    """Whether the last of descending scores is that of the last hit, so that there may be more of them."""
    return 0 < max_hits < len(scores) and bool(scores[-1] >= scores[max_hits - 1])


def _stored(vectors: Vectors | list[Vectors]) -> Arrays:
    return {"vectors": np.asarray(vectors, dtype=np.float32)}


KIND = VectorKind(EncoderOptions, encoder_of, given_vectors, _stored)


class DenseFiles(VectorFiles):
    """The vectors of one state of an index, while it is written."""

    def add(self, data: Path, passages: Sequence[Passage]) -> None:
        """See `VectorFiles`."""
        found = self.source.arrays_of(passages)["vectors"]
        self._agree(found.shape[1], self._dimension or found.shape[1])
        with (data / _NEW).open("ab") as new:
            new.write(np.ascontiguousarray(found, dtype="<f4").tobytes())

    def finish(self, data: Path, previous: Previous | None) -> Mapping[str, int]:
        """See `VectorFiles`."""
        (data / _VECTORS).touch()
        if previous is not None and previous.manifest.num_passages:
            before = previous.manifest.state["dimension"]
            self._agree(self._dimension, before)
            old = mapped(previous.data / _VECTORS, np.float32, before)
            with (data / _VECTORS).open("wb") as vectors:
                for part, stays in previous.blocks():
                    vectors.write(old[part][stays].astype("<f4", copy=False).tobytes())
        append(data / _NEW, data / _VECTORS)
        num_passages = (data / _VECTORS).stat().st_size // (4 * max(self._dimension, 1))
        trained_on = _write_ivf(data, num_passages, self._dimension, previous) if num_passages > FLAT_MAX else 0
        return {"dimension": self._dimension, "trained_on": trained_on}


def _write_ivf(data: Path, num_passages: int, dimension: int, previous: Previous | None) -> int:
    """Writes the inverted file; returns on how many passages its lists were trained.

    The lists of the previous state are reused while the number of passages is between half and twice the earlier one.
    """
    faiss = require("faiss", "dense")
    vectors = mapped(data / _VECTORS, np.float32, dimension)
    trained_before = previous.manifest.state["trained_on"] if previous is not None else 0
    if previous is not None and trained_before and num_passages / 2 <= trained_before <= 2 * num_passages:
        trained_on = trained_before
        index = faiss.read_index(str(previous.data / _IVF))
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
