"""The index of token vectors: for each passage the vectors of its tokens, in codes of 8 bits.

    codes.i8           the vectors, row after row, each divided by its scale and rounded to -127..127; mapped into memory
    scales.f32         the scale of each row: its largest absolute value divided by 127
    ends.i64           for each passage, the row after its last one

The passages are stored next to them; see `vector_index`. A vector of 128 numbers takes 132 bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hopweave.core.types import Passage
from hopweave.retrieval.encoders.encoders import Vectors
from hopweave.retrieval.encoders.token_encoders import TokenEncoderOptions, given_tokens, token_encoder_of
from hopweave.retrieval.index.arrays import mapped
from hopweave.retrieval.index.index_folder import Manifest, damaged
from hopweave.retrieval.index.vector_index import Previous, VectorFiles, VectorStore, append
from hopweave.retrieval.index.vector_source import Arrays, VectorKind

ENGINE = "late_interaction"
_CODES, _SCALES, _ENDS = "codes.i8", "scales.f32", "ends.i64"
_NEW_CODES, _NEW_SCALES, _NEW_COUNTS = "new.i8", "new.f32", "new.i64"
_LARGEST = 127
_EXACT = 1 << 24
"""Integers below it are exact as 32-bit floats."""

_PASSAGES_AT_ONCE = 1024
"""How many passages an update copies at a time; their vectors take some 20 MB."""


class TokenStore(VectorStore):
    """An index opened for reading.

    Args:
        data: the data folder.
        manifest: of the index.

    Raises:
        DataError: if a file of it is damaged.
    """

    def __init__(self, data: Path, manifest: Manifest) -> None:
        super().__init__(data, manifest)
        self._codes = np.asarray(mapped(data / _CODES, np.int8, self.dimension))
        self._scales = np.asarray(mapped(data / _SCALES, np.float32, 1)[:, 0])
        self._ends = np.asarray(mapped(data / _ENDS, np.int64, 1)[:, 0])
        num_rows = int(self._ends[-1]) if len(self._ends) else 0
        if not len(self._codes) == len(self._scales) == num_rows or len(self._ends) != manifest.num_passages:
            raise damaged(data.parent, manifest.data, f"does not hold the vectors of {manifest.num_passages} passages")

    def scores(self, query: Vectors, passages: Sequence[Passage]) -> list[float | None]:
        """The MaxSim of a query and each passage; `None` if there are no vectors for its current title and text.

        Args:
            query: vectors of its tokens, of shape (tokens, dimension).
            passages: with their titles and texts, which must be those that were encoded.
        """
        places = [self._passages.row_of(passage) for passage in passages]
        rows = [slice(int(self._ends[at - 1]) if at else 0, int(self._ends[at])) for at in places if at is not None]
        if not rows:
            return [None for _ in passages]
        starts = np.cumsum([0, *(part.stop - part.start for part in rows[:-1])])
        codes, scales = (np.concatenate([array[part] for part in rows]) for array in (self._codes, self._scales))
        found = iter(maxsim(query, codes, scales, starts))
        return [None if at is None else float(next(found)) for at in places]

    def close(self) -> None:
        super().close()
        del self._codes, self._scales, self._ends


def maxsim(
    query: Vectors, codes: NDArray[np.int8], scales: NDArray[np.float32], starts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """For each token of the query the largest inner product with a token of a passage, summed; for several passages.

    Khattab and Zaharia, ColBERT, SIGIR 2020, equation 3. The query is rounded to as many levels as keep every sum of products
    a whole number that 32 bits hold exactly, so a score is the same whatever else is scored with it, and on every machine.

    Args:
        query: of shape (tokens, dimension).
        codes: of all passages, of shape (tokens, dimension).
        scales: the factor of each row of the codes.
        starts: the first row of each passage, ascending.
    """
    levels = max(1, _EXACT // (_LARGEST * query.shape[1]))
    of_query = np.abs(query).max(axis=1, keepdims=True) / levels
    rounded = np.rint(query / np.where(of_query > 0, of_query, 1)).astype(np.float32)
    products = (codes.astype(np.float32) @ rounded.T) * scales[:, None]
    largest = np.maximum.reduceat(products, starts, axis=0)
    found: NDArray[np.float64] = (largest.astype(np.float64) * of_query.T).sum(axis=1)
    return found


def coded(vectors: Sequence[Vectors]) -> Arrays:
    """Vectors of texts in codes of 8 bits: `codes`, `scales`, and in `counts` their number for each text."""
    rows = np.concatenate(vectors).astype(np.float32, copy=False)
    scales = (np.abs(rows).max(axis=1) / _LARGEST).astype(np.float32)
    codes = np.rint(rows / np.where(scales > 0, scales, 1)[:, None]).astype(np.int8)
    return {"codes": codes, "scales": scales, "counts": np.array([len(one) for one in vectors], dtype=np.int64)}


KIND = VectorKind(TokenEncoderOptions, token_encoder_of, given_tokens, coded)


class TokenFiles(VectorFiles):
    """The vectors of one state of an index, while it is written."""

    def add(self, data: Path, passages: Sequence[Passage]) -> None:
        """See `VectorFiles`."""
        found = self.source.arrays_of(passages)
        dimension = found["codes"].shape[1]
        self._agree(dimension, self._dimension or dimension)
        for name, key in ((_NEW_CODES, "codes"), (_NEW_SCALES, "scales"), (_NEW_COUNTS, "counts")):
            with (data / name).open("ab") as new:
                new.write(np.ascontiguousarray(found[key]).tobytes())

    def finish(self, data: Path, previous: Previous | None) -> Mapping[str, int]:
        """See `VectorFiles`."""
        for name in (_CODES, _SCALES):
            (data / name).touch()
        counts: list[NDArray[np.int64]] = []
        if previous is not None and previous.manifest.num_passages:
            before = previous.manifest.state["dimension"]
            self._agree(self._dimension, before)
            counts = list(_copy_what_stays(data, previous, before))
        append(data / _NEW_CODES, data / _CODES)
        append(data / _NEW_SCALES, data / _SCALES)
        counts.append(mapped(data / _NEW_COUNTS, np.int64, 1)[:, 0])
        (data / _ENDS).write_bytes(np.cumsum(np.concatenate(counts), dtype="<i8").tobytes())
        (data / _NEW_COUNTS).unlink(missing_ok=True)
        return {"dimension": self._dimension}


def _copy_what_stays(data: Path, previous: Previous, dimension: int) -> Iterator[NDArray[np.int64]]:
    """Copies the rows of passages that stay; yields for each block how many rows each of them has."""
    ends = mapped(previous.data / _ENDS, np.int64, 1)[:, 0]
    old_codes = mapped(previous.data / _CODES, np.int8, dimension)
    old_scales = mapped(previous.data / _SCALES, np.float32, 1)[:, 0]
    with (data / _CODES).open("wb") as codes, (data / _SCALES).open("wb") as scales:
        for part, stays in previous.blocks(_PASSAGES_AT_ONCE):
            first = int(ends[part.start - 1]) if part.start else 0
            counts = np.diff(ends[part], prepend=first)
            rows, is_in = slice(first, int(ends[part.stop - 1])), np.repeat(stays, counts)
            codes.write(old_codes[rows][is_in].tobytes())
            scales.write(old_scales[rows][is_in].tobytes())
            yield counts[stays]
