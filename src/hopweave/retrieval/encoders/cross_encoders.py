"""Scores a query and a passage together: with a hub model, an ONNX model in a folder, or an endpoint."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from hopweave.core.catalog import require
from hopweave.core.characters import encodable
from hopweave.core.errors import SearchError
from hopweave.retrieval.encoders.encoders import OnnxModel, endpoint_of, posted


class Reranker(Protocol):
    """Scores texts for a query."""

    @property
    def identity(self) -> str:
        """Names the model."""

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """A score for each text; higher is better.

        Raises:
            SearchError: if it fails.
        """


class HubReranker:
    """A cross-encoder of the hub, in this process.

    Args:
        model: a name of the hub, or a folder.
        device: such as cpu or cuda; chosen automatically if absent.
        batch_size: pairs that are scored together.
    """

    def __init__(self, model: str, device: str | None, batch_size: int) -> None:
        self.identity = f"hub({model})"
        self._model = model
        self._device = device
        self._batch_size = batch_size

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """See `Reranker`.

        Raises:
            MissingExtra: without the library of the extra `hf`.
        """
        found = self._encoder.predict([(query, text) for text in texts], batch_size=self._batch_size)
        return [float(score) for score in found]

    @cached_property
    def _encoder(self) -> Any:
        return require("sentence_transformers", "hf").CrossEncoder(self._model, device=self._device, num_labels=1)


class OnnxReranker:
    """A cross-encoder with one output, as an ONNX model in a folder.

    Args:
        folder: contains `model.onnx` and `tokenizer.json`.
        max_tokens: the limit for query and text together.
        batch_size: pairs that are scored together.
    """

    def __init__(self, folder: Path, max_tokens: int, batch_size: int) -> None:
        self._model = OnnxModel(folder, max_tokens)
        self._batch_size = batch_size

    @property
    def identity(self) -> str:
        """See `Reranker`."""
        return f"onnx({self._model.sha256}, max_tokens={self._model.max_tokens})"

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """See `Reranker`.

        Raises:
            SettingsError: for a folder without a model that can be loaded.
            MissingExtra: without the libraries of the extra `dense`.
        """
        found: list[float] = []
        for first in range(0, len(texts), self._batch_size):
            batch = texts[first : first + self._batch_size]
            logits, _ = self._model.run([(encodable(query), encodable(text)) for text in batch])
            if logits.shape not in ((len(batch),), (len(batch), 1)):
                raise SearchError(f"the model gives {logits.shape[1:]} numbers for a pair instead of one; name a cross-encoder")
            found += [float(score) for score in logits.reshape(-1)]
        return found


class EndpointReranker:
    """The rerank API of Cohere, Jina and vLLM. Requests are retried if that can help.

    Args:
        model: the model's name there.
        base_url: the address up to `/rerank`, which is not part of it.
        api_key_env: the environment variable with the key.

    Raises:
        SettingsError: for an invalid address.
    """

    def __init__(self, model: str, base_url: str, api_key_env: str) -> None:
        self.identity = f"endpoint({model})"
        self._model = model
        self._endpoint = endpoint_of(model, base_url, api_key_env, "retrievers.reranked")

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """See `Reranker`."""
        body = {"model": self._model, "query": query, "documents": list(texts), "top_n": len(texts)}
        [data] = posted(self._endpoint, "/rerank", [body])
        try:
            rows = [(int(row["index"]), float(row["relevance_score"])) for row in data["results"]]
            by_place = dict(rows)
            if len(by_place) != len(rows):  # which score of a text counts, nobody knows
                raise ValueError("rows")
            scores = [by_place[place] for place in range(len(texts))]
        except (KeyError, TypeError, ValueError, OverflowError):
            raise SearchError(f"the endpoint sent no scores of {len(texts)} passages; check that {self._model} ranks") from None
        if not all(map(math.isfinite, scores)):
            raise SearchError(f"{self._model} scored a passage with what is no number; use another model")
        return scores
