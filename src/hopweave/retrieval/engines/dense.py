"""Dense retrieval over an index on disk (faiss): passages whose vectors are nearest to that of the query.

The same model encodes each passage (title, full stop, text) and the query, and passages are ranked by the inner product. Up to
50,000 passages, every vector is compared; above that, the nearest lists of an inverted file with 8-bit codes are searched, and
the best candidates are compared by their vectors. Scores are rounded to six decimals, and equal ones are ordered by passage id.
Models, endpoints and precomputed vectors: see docs/engines.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import InitVar, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np

from hopweave.core.errors import SearchError
from hopweave.core.indexing import IndexSummary, IndexTraits
from hopweave.core.options import Count, check_options
from hopweave.core.ranking import APART
from hopweave.core.types import Hit, Passage
from hopweave.core.visibility import PUBLIC, Visible
from hopweave.retrieval.encoders.encoders import Encoder, EncoderOptions, Vectors
from hopweave.retrieval.index.dense_index import ENGINE, KIND, DenseFiles, DenseStore
from hopweave.retrieval.index.index_folder import open_index
from hopweave.retrieval.index.vector_index import build, other_model, update
from hopweave.retrieval.index.vector_source import GIVEN
from hopweave.retrieval.opened_engines import index_for

NEEDS_EXTRA = "dense"
__all__ = ["Dense"]


@dataclass(eq=False)
class Dense(EncoderOptions):
    """Finds passages by the similarity of vectors.

    An instance serves one thread at a time. It keeps the state of the index that it opened, even while the index is updated.

    Raises:
        DataError: if the index cannot be opened, or has vectors of another model, with what to do.
        SettingsError: if no model is named.
        MissingExtra: without faiss.
    """

    INDEX: ClassVar[IndexTraits] = IndexTraits(of="bm25", options=EncoderOptions, averages=True)
    """`--corpus` names an index of `bm25` with one of `dense` inside, or the latter itself; see `index_for`."""

    index: Annotated[Path, "folder of the index, or of a bm25 index with one in its folder dense"]
    nprobe: Annotated[Count, "lists of the inverted file that are searched; more find more, and take longer"] = 32
    visible: Annotated[Visible, "which passages may be shown; from the settings access and where"] = PUBLIC
    encoder: InitVar[Encoder | None] = None

    def __post_init__(self, encoder: Encoder | None) -> None:
        check_options(self)
        self.index = index_for(Path(self.index), ENGINE)
        self._manifest, store = open_index(self.index, ENGINE, partial(DenseStore, visible=self.visible))
        self._store: DenseStore | None = store
        self._encoder = encoder or KIND.encoder_of(self)
        if self._manifest.analyzer not in (self._encoder.identity, GIVEN):
            raise other_model(self.index, ENGINE, self._manifest.analyzer, self._encoder.identity)

    @property
    def identity(self) -> str:
        """Name, encoder, options, and the fingerprint of the corpus."""
        return (
            f"dense encoder={self._encoder.identity} vectors={self._manifest.analyzer} nprobe={self.nprobe} "
            f"corpus={self._manifest.fingerprint}{self.visible.identity}"
        )

    @property
    def num_passages(self) -> int:
        """Passages in the index."""
        return self._manifest.num_passages

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

    def close(self) -> None:
        """Closes the index."""
        if self._store is not None:
            self._store.close()
        self._store = None

    def all_passages(self) -> Iterator[Passage]:
        """Yields all passages, including hidden ones, in the order in which they were added, in constant memory."""
        return self._open_store().passages()

    def passages_of(self, any_ids: Iterable[str], *, documents: bool = True) -> list[Passage]:
        """See `ingest.lookup.LooksUp`."""
        found = self._open_store().passages_of(any_ids, documents=documents)
        return [passage for passage in found if self.visible.shows(passage)]

    @classmethod
    def build(
        cls,
        folder: Path,
        passages: Iterable[Passage],
        *,
        options: EncoderOptions | None = None,
        encoder: Encoder | None = None,
        cluster: Any = None,
        on_passage: Callable[[int], None] | None = None,
    ) -> IndexSummary:
        """Builds an index. An existing one is replaced, but stays in use until the new one is complete.

        Until then, encoded pieces are kept next to the folder, in `.NAME.encoding`: a build that was killed and is run again
        encodes only the rest.

        Args:
            folder: the index.
            passages: consumed one by one.
            options: which model encodes, or where the vectors are.
            encoder: used instead of that model.
            cluster: a client of a Dask cluster, whose workers encode.
            on_passage: called with the number of passages so far, after each.

        Raises:
            DataError: for a repeated id, no passages, a folder that is not an index, another writer, or a full disk. The
                existing content is not changed.
            SearchError: if the encoder fails.
        """
        source = KIND.source(folder, options or EncoderOptions(), encoder, cluster)
        return build(folder, ENGINE, DenseFiles(source, folder), passages, on_passage)

    @classmethod
    def update(
        cls,
        folder: Path,
        *,
        upsert: Iterable[Passage] = (),
        delete: Iterable[str] = (),
        missing_ok: bool = False,
        options: EncoderOptions | None = None,
        encoder: Encoder | None = None,
        cluster: Any = None,
        on_passage: Callable[[int], None] | None = None,
    ) -> IndexSummary:
        """Deletes passages, then adds and replaces passages, without re-encoding the rest; see `BM25.update`.

        Raises:
            DataError: for an id to delete that does not exist, an id that is added twice, a model other than the index's, no
                index, another writer, or a full disk. The index is not changed.
            SearchError: if the encoder fails.
        """
        source = KIND.source(folder, options or EncoderOptions(), encoder, cluster)
        return update(
            folder,
            ENGINE,
            DenseFiles(source, folder),
            upsert=upsert,
            delete=delete,
            missing_ok=missing_ok,
            on_passage=on_passage,
        )

    @classmethod
    def check(cls, folder: Path) -> IndexSummary:
        """Verifies every byte of an index, whatever its size.

        Raises:
            DataError: names what is damaged.
        """
        manifest, store = open_index(folder, ENGINE, DenseStore, full=True)
        with closing(store):
            return IndexSummary(manifest.num_passages, 0, 0, manifest.num_bytes, manifest.fingerprint)

    def _open_store(self) -> DenseStore:
        if self._store is None:
            raise SearchError(f"the dense retriever on {self.index} is closed")
        return self._store

    def _encoded(self, store: DenseStore, queries: Sequence[str]) -> Vectors:
        plain = iter(self._encoder.encode([query for query in queries if APART not in query], "query"))
        vectors = np.array([self._mean(query) if APART in query else next(plain) for query in queries], dtype=np.float32)
        if store.dimension and vectors.shape[1] != store.dimension:
            raise SearchError(
                f"the encoder makes vectors of {vectors.shape[1]} numbers, and index {self.index} has {store.dimension}; "
                "name the model that made them"
            )
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
