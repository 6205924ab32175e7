"""What the engines over an index of vectors share: opening it, building, updating and checking it, and reading its passages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar, cast

from hopweave.core.errors import SearchError
from hopweave.core.indexing import IndexSummary
from hopweave.core.types import Passage
from hopweave.core.visibility import Visible
from hopweave.retrieval.encoders.cluster_encoding import EncodesTexts
from hopweave.retrieval.encoders.encoders import Vectors
from hopweave.retrieval.index.index_folder import Manifest, open_index
from hopweave.retrieval.index.vector_index import VectorFiles, VectorStore, build, other_model, update
from hopweave.retrieval.index.vector_source import GIVEN, VectorKind
from hopweave.retrieval.opened_engines import index_for

Options = TypeVar("Options", bound=Any)
Encoder = TypeVar("Encoder", bound=EncodesTexts[Any])
Store = TypeVar("Store", bound=VectorStore)


class VectorEngine(Generic[Options, Encoder, Store]):
    """A retriever over an index of vectors.

    Class attributes:
        engine_name: of the engine, as the manifest of its index has it.
        kind: what its vectors are.
        store: opens an index for reading, from its data folder and manifest.
        files: writes the vectors of an index.
    """

    engine_name: ClassVar[str]
    kind: ClassVar[VectorKind[Any, Any]]
    store: ClassVar[Callable[..., Any]]
    files: ClassVar[type[VectorFiles]]

    index: Path
    visible: Visible
    _manifest: Manifest
    _store: Store | None
    _encoder: Encoder

    @property
    def num_passages(self) -> int:
        """Passages in the index."""
        return self._manifest.num_passages

    def close(self) -> None:
        """Lets go of the index."""
        if self._store is not None:
            self._store.close()
        self._store = None

    def all_passages(self) -> Iterator[Passage]:
        """All passages, hidden ones included, in the order in which they were added; memory does not grow with them."""
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
        options: Options | None = None,
        encoder: Encoder | None = None,
        cluster: Any = None,
        on_passage: Callable[[int], None] | None = None,
    ) -> IndexSummary:
        """Builds an index, in place of the one that may be there, which stays until the new one is complete.

        What is encoded is kept next to the folder, in `.NAME.encoding`, until then: a build that was killed and is run again
        encodes only the rest.

        Args:
            folder: the index.
            passages: taken one after the other.
            options: which model encodes, or where the vectors are.
            encoder: encodes in its place.
            cluster: a client of a Dask cluster, whose workers encode.
            on_passage: told the number of passages so far, after each.

        Raises:
            DataError: for an id that occurs twice, no passage at all, a folder that is something else, another writer, or a
                full disk. What was there is untouched.
            SearchError: if the encoder fails.
        """
        return build(folder, cls.engine_name, cls._files_in(folder, options, encoder, cluster), passages, on_passage)

    @classmethod
    def update(
        cls,
        folder: Path,
        *,
        upsert: Iterable[Passage] = (),
        delete: Iterable[str] = (),
        missing_ok: bool = False,
        options: Options | None = None,
        encoder: Encoder | None = None,
        cluster: Any = None,
        on_passage: Callable[[int], None] | None = None,
    ) -> IndexSummary:
        """Deletes passages, then adds and replaces passages, without encoding the rest again; see `BM25.update`.

        Raises:
            DataError: for an id to delete that is not there, an id that is added twice, another model than the index's, no
                index, another writer, or a full disk. The index is untouched.
            SearchError: if the encoder fails.
        """
        files = cls._files_in(folder, options, encoder, cluster)
        return update(
            folder, cls.engine_name, files, upsert=upsert, delete=delete, missing_ok=missing_ok, on_passage=on_passage
        )

    @classmethod
    def check(cls, folder: Path) -> IndexSummary:
        """Verifies every byte of an index, whatever its size.

        Raises:
            DataError: names what is damaged.
        """
        manifest, store = open_index(folder, cls.engine_name, cls.store, full=True)
        with closing(store):
            return IndexSummary(manifest.num_passages, 0, 0, manifest.num_bytes, manifest.fingerprint)

    @classmethod
    def _files_in(cls, folder: Path, options: Options | None, encoder: Encoder | None, cluster: Any) -> VectorFiles:
        return cls.files(cls.kind.source(folder, options, encoder, cluster), folder)

    def _open(self, encoder: Encoder | None, **shown: Any) -> None:
        """Opens the index and the encoder.

        Args:
            encoder: to use in place of the one that the options name.
            shown: further arguments of the store.

        Raises:
            DataError: if the index cannot be opened, or holds vectors of another model.
        """
        self.index = index_for(Path(self.index), self.engine_name)
        self._manifest, self._store = open_index(self.index, self.engine_name, partial(type(self).store, **shown))
        self._encoder = cast("Encoder", encoder or self.kind.encoder_of(self))
        if self._manifest.analyzer not in (self._encoder.identity, GIVEN):
            raise other_model(self.index, self.engine_name, self._manifest.analyzer, self._encoder.identity)

    def _open_store(self) -> Store:
        if self._store is None:
            raise SearchError(f"the {self.engine_name} retriever on {self.index} is closed")
        return self._store

    def _check_dimension(self, vectors: Vectors, dimension: int) -> None:
        """Makes sure that a query's vectors, of shape (rows, dimension), have the dimension of the index."""
        if vectors.shape[1] != dimension:
            raise SearchError(
                f"the encoder makes vectors of {vectors.shape[1]} numbers, and index {self.index} has {dimension}; "
                "name the model that made them"
            )
