"""An engine's candidates, ranked by a cross-encoder, which reads the query and the passage together.

The model is one of the hub or its folder (extra `hf`), an ONNX model in a folder (extra `dense`), or behind an endpoint with
the rerank API that Cohere, Jina and vLLM share: `POST /rerank`.

Calls of a language model: none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar

from hopweave.core.errors import SearchError, SettingsError
from hopweave.core.indexing import IndexTraits
from hopweave.core.options import Count, check_options
from hopweave.core.protocols import Retriever, WordSearcher
from hopweave.core.types import Hit
from hopweave.core.visibility import PUBLIC, Visible
from hopweave.retrieval.encoders.cross_encoders import EndpointReranker, HubReranker, OnnxReranker, Reranker
from hopweave.retrieval.encoders.encoders import onnx_file
from hopweave.retrieval.index.vector_source import encoded_text
from hopweave.retrieval.opened_engines import opened

NEEDS_EXTRA = "dense"
__all__ = ["Reranked"]
_DECIMALS = 6


@dataclass(eq=False)
class Reranked:
    """Ranks the hits of an engine by a cross-encoder's scores.

    Raises:
        SettingsError: if no model is named, or the engine asks the language model.
        DataError: if the engine's index cannot be opened.
        MissingExtra: if a library that the engine needs is not installed.
    """

    INDEX: ClassVar[IndexTraits] = IndexTraits(of="bm25")

    index: Annotated[Path, "folder of the index; that of the engine may be inside, under the engine's name"]
    engine: Annotated[str, "finds the candidates; one that asks no model"] = "bm25"
    model: Annotated[str, "a cross-encoder: a folder with an ONNX model, one of the hub or its folder, or one at base_url"] = ""
    base_url: Annotated[str, "an endpoint with the rerank API, without the final /rerank; empty: rank here"] = ""
    api_key_env: Annotated[str, "name of the environment variable with the endpoint's key"] = "OPENAI_API_KEY"
    candidates: Annotated[Count, "hits requested from the engine, or the number of results if that is larger"] = 50
    max_tokens: Annotated[Count, "longest query and passage together, in tokens of an ONNX model"] = 512
    batch_size: Annotated[Count, "pairs that are scored together"] = 32
    device: Annotated[str | None, "where a hub model runs, such as cpu or cuda; chosen automatically if absent"] = None
    engine_options: Annotated[Mapping[str, Mapping[str, Any]], "options of the engine, by name; as in retrievers.NAME"] = field(
        default_factory=dict
    )
    visible: Annotated[Visible, "which passages may be shown; from the settings access and where"] = PUBLIC

    def __post_init__(self) -> None:
        check_options(self)
        self._reranker = self._new_reranker()
        self.index = Path(self.index)
        of = "retrievers.reranked"
        self._engine: Retriever | None = opened(self.engine, self.index, self.engine_options, of, self.visible)
        self.identity = f"reranked {self._reranker.identity} candidates={self.candidates} over {self._engine.identity}"

    def search(self, queries: Sequence[str], max_hits: int) -> list[list[Hit]]:
        """See `core.protocols.Retriever`. Equal scores keep the order of the engine."""
        if self._engine is None:
            raise SearchError(f"the reranked retriever on {self.index} is closed")
        if max_hits < 1:
            return [[] for _ in queries]
        found = self._engine.search(queries, max(self.candidates, max_hits))
        return [self._ranked(query, hits, max_hits) for query, hits in zip(queries, found, strict=True)]

    def has_terms(self, query: str) -> bool:
        """Whether the engine can search for it; see `core.protocols.WordSearcher`."""
        return not isinstance(self._engine, WordSearcher) or self._engine.has_terms(query)

    def close(self) -> None:
        """Closes the engine."""
        if self._engine is not None:
            self._engine.close()
        self._engine = None

    def _ranked(self, query: str, hits: Sequence[Hit], max_hits: int) -> list[Hit]:
        texts = [encoded_text(hit.passage) for hit in hits]
        scores = [round(score, _DECIMALS) for score in self._reranker.scores(query, texts)] if hits else []
        best = sorted(zip(scores, hits, strict=True), key=lambda pair: -pair[0])[:max_hits]
        return [Hit(hit.passage, score, rank, hit.via) for rank, (score, hit) in enumerate(best, start=1)]

    def _new_reranker(self) -> Reranker:
        if not self.model:
            raise SettingsError(
                "reranked needs a cross-encoder; name one of the hub, or a folder, with --set retrievers.reranked.model=MODEL"
            )
        if self.base_url:
            return EndpointReranker(self.model, self.base_url, self.api_key_env)
        if onnx_file(Path(self.model)) is not None:
            return OnnxReranker(Path(self.model), self.max_tokens, self.batch_size)
        return HubReranker(self.model, self.device, self.batch_size)
