"""LlamaIndex: a retriever, and a query engine that answers with checked citations. Needs only `llama-index-core`.

retriever = HopweaveRetriever(corpus="my-index")
engine = HopweaveQueryEngine(corpus="my-index", method="searchain", llm="ollama")
engine.query("Who designed the bridge that ...?").source_nodes
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from hopweave.apps.adapters._opened import Answering, Searching
from hopweave.apps.cited import citation_values, passage_metadata, verdict_values
from hopweave.core.catalog import require
from hopweave.core.types import Answer, Citation, Passage
from hopweave.record import Record

require("llama_index.core", "llama-index")

from llama_index.core.base.base_query_engine import BaseQueryEngine  # noqa: E402 (after the error that says what to install)
from llama_index.core.base.response.schema import Response  # noqa: E402
from llama_index.core.retrievers import BaseRetriever  # noqa: E402
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode  # noqa: E402

__all__ = ["HopweaveQueryEngine", "HopweaveRetriever"]


class HopweaveRetriever(BaseRetriever):
    """Finds passages of a corpus, as `hopweave search` does; no language model is called.

    A node's id is the passage's; its `metadata` has title, source, offsets and rank, and the passage's own metadata.

    Args:
        corpus: an index folder, the address of a server, or `starter`; that of the settings if absent.
        retriever: a name, the path of a file, or an object that plays the role; that of the settings if absent.
        max_hits: the maximum number of passages.
        settings: other keys of the settings, such as `access` or `where`.

    Raises:
        SettingsError: for a retriever object along with a corpus.
    """

    def __init__(
        self,
        *,
        corpus: str | None = None,
        retriever: Any = None,
        max_hits: int = 5,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self._searching = Searching(corpus, retriever, settings or {})
        self._max_hits = max_hits
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        hits = self._searching.search(query_bundle.query_str, self._max_hits)
        return [NodeWithScore(node=_node(hit.passage, rank=hit.rank), score=hit.score) for hit in hits]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


class HopweaveQueryEngine(BaseQueryEngine):
    """Answers a question; everything is opened with the first one and stays open, so keep the object.

    The response is the answer in sentences. Each of its `source_nodes` is a citation: the quoted words, with their mark,
    passage id, start and end in `metadata`. The response's own `metadata` has `short` (the bare answer) and `support`.

    Args:
        method: how to answer, as for `hopweave.ask`; `llm`, `retriever`, `reader`, `corpus` and `budget` likewise.
        settings: other keys of the settings.
    """

    def __init__(
        self,
        *,
        method: Any = None,
        llm: Any = None,
        retriever: Any = None,
        reader: Any = None,
        corpus: str | None = None,
        budget: Any = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self._answering = Answering(
            settings=settings, method=method, llm=llm, retriever=retriever, reader=reader, corpus=corpus, budget=budget
        )
        super().__init__(callback_manager=None)

    def close(self) -> None:
        """Closes what is open; the next question opens it again."""
        self._answering.close()

    def _query(self, query_bundle: QueryBundle) -> Response:
        return _response(*self._answering.answer(query_bundle.query_str))

    async def _aquery(self, query_bundle: QueryBundle) -> Response:
        return _response(*await self._answering.answer_async(query_bundle.query_str))

    def _get_prompt_modules(self) -> dict[str, Any]:
        return {}


def _response(record: Record, answer: Answer) -> Response:
    return Response(
        response=answer.text,
        source_nodes=[_cited(citation, passage) for citation, passage in record.cited_passages()],
        metadata={"short": answer.short, **verdict_values(answer.verdict)},
    )


def _cited(citation: Citation, passage: Passage) -> NodeWithScore:
    metadata = citation_values(citation, passage)
    return NodeWithScore(node=TextNode(text=metadata.pop("quote"), metadata=metadata))


def _node(passage: Passage, **more: Any) -> TextNode:
    return TextNode(id_=passage.id, text=passage.text, metadata=passage_metadata(passage, **more))
