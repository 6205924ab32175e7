"""Late interaction (ColBERT): an engine's candidates, ranked by the passage token nearest to each token of the query.

A passage is stored as the vectors of its tokens, in memory-mapped 8-bit codes. The score is MaxSim: for each
token of the query, the largest inner product with a token of the passage, summed. Another engine finds the candidates.
Checkpoints, ONNX models and precomputed vectors: see docs/engines.md.

Calls of a language model: none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar

from hopweave.core.catalog import key_of
from hopweave.core.errors import DataError, SearchError, SettingsError
from hopweave.core.indexing import IndexTraits
from hopweave.core.options import Count, check_options
from hopweave.core.protocols import Retriever
from hopweave.core.types import Hit, Passage
from hopweave.core.visibility import PUBLIC, Visible
from hopweave.retrieval.encoders.encoders import Vectors
from hopweave.retrieval.encoders.token_encoders import TokenEncoder, TokenEncoderOptions
from hopweave.retrieval.engines._vector_engine import VectorEngine
from hopweave.retrieval.index.index_folder import is_index
from hopweave.retrieval.index.late_index import ENGINE, KIND, TokenFiles, TokenStore
from hopweave.retrieval.opened_engines import opened

NEEDS_EXTRA = "dense"
__all__ = ["LateInteraction"]
_DECIMALS = 6


@dataclass(eq=False)
class LateInteraction(TokenEncoderOptions, VectorEngine[TokenEncoderOptions, TokenEncoder, TokenStore]):
    """Orders what an engine finds by MaxSim over token vectors.

    An instance serves one thread at a time. It keeps the state of the index that it opened, even while the index is updated.

    Raises:
        DataError: if an index cannot be opened, or has vectors of another model, with what to do.
        SettingsError: if no model is named, or the engine asks the language model.
        MissingExtra: if a library that the engine needs is not installed.
    """

    INDEX: ClassVar[IndexTraits] = IndexTraits(of="bm25", options=TokenEncoderOptions)
    """`--corpus` names an index of `bm25` with one of `late_interaction` inside, or that one itself; see `index_for`."""
    engine_name, kind, store, files = ENGINE, KIND, TokenStore, TokenFiles

    index: Annotated[Path, "folder of the index, or of a bm25 index with one in its folder late_interaction"]
    engine: Annotated[str, "finds the candidates; one that asks no model"] = "bm25"
    candidates: Annotated[Count, "hits requested from the engine, or the number of results if that is larger"] = 100
    engine_options: Annotated[Mapping[str, Mapping[str, Any]], "options of the engine, by name; as in retrievers.NAME"] = field(
        default_factory=dict
    )
    visible: Annotated[Visible, "which passages may be shown; from the settings access and where"] = PUBLIC
    encoder: InitVar[TokenEncoder | None] = None

    def __post_init__(self, encoder: TokenEncoder | None) -> None:
        check_options(self)
        if self.engine == ENGINE:
            raise SettingsError(
                f"{ENGINE} orders what another engine finds; set retrievers.{ENGINE}.engine to one, such as bm25"
            )
        self._open(encoder)
        self._engine = self._opened_engine()

    @property
    def identity(self) -> str:
        """Name, encoder, options, the fingerprint of the corpus, and the engine."""
        return (
            f"late_interaction encoder={self._encoder.identity} vectors={self._manifest.analyzer} "
            f"candidates={self.candidates} corpus={self._manifest.fingerprint} over {self._engine.identity}"
        )

    def search(self, queries: Sequence[str], max_hits: int) -> list[list[Hit]]:
        """See `core.protocols.Retriever`. Equal scores keep the order of the engine.

        Raises:
            SearchError: also if the engine finds a passage without vectors.
        """
        store = self._open_store()
        if max_hits < 1:
            return [[] for _ in queries]
        found = self._engine.search(queries, max(self.candidates, max_hits))
        vectors = iter(self._encoder.encode([query for query, hits in zip(queries, found, strict=True) if hits], "query"))
        return [self._ranked(store, next(vectors), hits, max_hits) if hits else [] for hits in found]

    def close(self) -> None:
        """Closes the index and the engine."""
        if self._store is not None:
            self._engine.close()
        super().close()

    def _opened_engine(self) -> Retriever:
        """The engine over the index around this one, unless its options name another."""
        key, around = key_of("retrievers", self.engine), self.index.absolute().parent
        if "index" not in self.engine_options.get(key, {}) and not is_index(around):
            raise DataError(
                f"{ENGINE} orders what {self.engine} finds, and index {self.index} lies in no index of another engine; build "
                f"it in the folder {ENGINE} of one, or name that of {self.engine} with --set retrievers.{key}.index=FOLDER"
            )
        return opened(self.engine, around, self.engine_options, f"retrievers.{ENGINE}", self.visible)

    def _ranked(self, store: TokenStore, query: Vectors, hits: Sequence[Hit], max_hits: int) -> list[Hit]:
        self._check_dimension(query, store.dimension)
        scores = [round(score, _DECIMALS) for score in self._scores(store, query, [hit.passage for hit in hits])]
        best = sorted(zip(scores, hits, strict=True), key=lambda pair: -pair[0])[:max_hits]
        return [Hit(hit.passage, score, rank, hit.via) for rank, (score, hit) in enumerate(best, start=1)]

    def _scores(self, store: TokenStore, query: Vectors, passages: Sequence[Passage]) -> Iterator[float]:
        for passage, score in zip(passages, store.scores(query, passages), strict=True):
            if score is None:
                raise SearchError(
                    f"index {self.index} has no vectors of passage {passage.id!r} as {self.engine} finds it; bring it up to "
                    f"date with: hopweave index PATH... --engine {ENGINE} --add --to {self.index}"
                )
            yield score
