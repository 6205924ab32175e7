"""Dense retrieval over an index on disk (faiss): passages whose vectors are nearest to that of the query.

The same model encodes each passage (title, full stop, text) and the query, and passages are ranked by the inner product. Up to
50,000 passages, every vector is compared; above that, the nearest lists of an inverted file with 8-bit codes are searched, and
the best candidates are compared by their vectors. Scores are rounded to six decimals, and equal ones are ordered by passage id.
Models, endpoints and precomputed vectors: see docs/engines.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import InitVar, dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np

from hopweave.core.indexing import IndexTraits
from hopweave.core.options import Count, check_options
from hopweave.core.ranking import APART
from hopweave.core.types import Hit
from hopweave.core.visibility import PUBLIC, Visible
from hopweave.retrieval.encoders.encoders import Encoder, EncoderOptions, Vectors
from hopweave.retrieval.engines._vector_engine import VectorEngine
from hopweave.retrieval.index.dense_index import ENGINE, KIND, DenseFiles, DenseStore

NEEDS_EXTRA = "dense"
__all__ = ["Dense"]


@dataclass(eq=False)
class Dense(EncoderOptions, VectorEngine[EncoderOptions, Encoder, DenseStore]):
    """Finds passages by the nearness of vectors.

    An instance serves one thread at a time. It keeps the state of the index that it opened, even while the index is updated.

    Raises:
        DataError: if the index cannot be opened, or has vectors of another model, with what to do.
        SettingsError: if no model is named.
        MissingExtra: without faiss.
    """

    INDEX: ClassVar[IndexTraits] = IndexTraits(of="bm25", options=EncoderOptions, averages=True)
    """`--corpus` names an index of `bm25` with one of `dense` inside, or that one itself; see `index_for`."""
    engine_name, kind, store, files = ENGINE, KIND, DenseStore, DenseFiles

    index: Annotated[Path, "folder of the index, or of a bm25 index with one in its folder dense"]
    nprobe: Annotated[Count, "lists of the inverted file that are searched; more find more, and take longer"] = 32
    visible: Annotated[Visible, "which passages may be shown; from the settings access and where"] = PUBLIC
    encoder: InitVar[Encoder | None] = None

    def __post_init__(self, encoder: Encoder | None) -> None:
        check_options(self)
        self._open(encoder, visible=self.visible)

    @property
    def identity(self) -> str:
        """Name, encoder, options, and the fingerprint of the corpus."""
        return (
            f"dense encoder={self._encoder.identity} vectors={self._manifest.analyzer} nprobe={self.nprobe} "
            f"corpus={self._manifest.fingerprint}{self.visible.identity}"
        )

    def search(self, queries: Sequence[str], max_hits: int) -> list[list[Hit]]:
        """See `core.protocols.Retriever`. A score is an inner product; a query of white space finds nothing.

        For a query and documents separated by `APART`, the mean of their vectors is used; the query may be empty.
        """
        store = self._open_store()
        asked = [query for query in queries if query.strip()]
        if not asked or max_hits < 1:
            return [[] for _ in queries]
        found = iter(self._nearest(store, self._encoded(store, asked), max_hits))
        return [next(found) if query.strip() else [] for query in queries]

    def _encoded(self, store: DenseStore, queries: Sequence[str]) -> Vectors:
        plain = iter(self._encoder.encode([query for query in queries if APART not in query], "query"))
        vectors = np.array([self._mean(query) if APART in query else next(plain) for query in queries], dtype=np.float32)
        self._check_dimension(vectors, store.dimension or vectors.shape[1])
        return vectors

    def _mean(self, texts: str) -> Vectors:
        query, *documents = texts.split(APART)
        rows = [self._encoder.encode([document for document in documents if document], "passage")]
        rows += [self._encoder.encode([query], "query")] if query.strip() else []
        mean: Vectors = np.concatenate([row for row in rows if len(row)]).mean(axis=0)
        return mean

    def _nearest(self, store: DenseStore, vectors: Vectors, max_hits: int) -> list[list[Hit]]:
        return [
            [Hit(passage, score, rank) for rank, (score, passage) in enumerate(found, start=1)]
            for found in store.nearest(vectors, max_hits, self.nprobe)
        ]
