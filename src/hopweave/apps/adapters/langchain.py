"""LangChain: a retriever, and a runnable that answers questions with checked citations. Needs only `langchain-core`.

retriever = HopweaveRetriever(corpus="my-index")
answers = HopweaveAnswers(corpus="my-index", method="searchain", llm="ollama")
answers.invoke("Who designed the bridge that ...?")["citations"]
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ConfigDict, Field, PrivateAttr

from hopweave.apps.adapters._opened import Answering, Searching
from hopweave.apps.cited import citation_values, passage_metadata, verdict_values
from hopweave.core.catalog import require
from hopweave.core.errors import DataError
from hopweave.core.types import Answer, Passage
from hopweave.record import Record

require("langchain_core", "langchain")

from langchain_core.callbacks import CallbackManagerForRetrieverRun  # noqa: E402 (after the error that says what to install)
from langchain_core.documents import Document  # noqa: E402
from langchain_core.retrievers import BaseRetriever  # noqa: E402
from langchain_core.runnables import RunnableConfig, RunnableSerializable  # noqa: E402

__all__ = ["HopweaveAnswers", "HopweaveRetriever"]

_QUESTION_KEYS = ("question", "input", "query")


class HopweaveRetriever(BaseRetriever):
    """Finds passages of a corpus, as `hopweave search` does; no language model is called.

    A document's `metadata` has the passage's id, title, source, offsets, score and rank, and its own metadata.

    Attributes:
        corpus: an index folder, the address of a server, or `starter`; that of the settings if absent.
        retriever: a name, the path of a file, or an object that plays the role; that of the settings if absent.
        max_hits: the maximum number of passages.
        settings: other keys of the settings, such as `access` or `where`.

    Raises:
        SettingsError: for a retriever object along with a corpus.
    """

    corpus: str | None = None
    retriever: Any = None
    max_hits: int = Field(default=5, ge=1)
    settings: dict[str, Any] = Field(default_factory=dict)
    _searching: Searching = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Prepares the search; nothing is opened yet."""
        super().model_post_init(context)
        self._searching = Searching(self.corpus, self.retriever, self.settings)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        hits = self._searching.search(query, self.max_hits)
        return [_document(hit.passage, score=hit.score, rank=hit.rank) for hit in hits]


class HopweaveAnswers(RunnableSerializable[str | dict[str, Any], dict[str, Any]]):
    """Answers a question; everything is opened with the first one and stays open, so keep the object.

    The input is the question, or a dictionary that has it as `question`, `input` or `query`. The output is a dictionary:

    - `input`: the question; `answer`: the answer in sentences, whose `[k]` refers to the citation with that mark
    - `short`: the bare answer; `support`: `supported`, `contradicted` or `unsupported`
    - `citations`: dictionaries of `mark`, `passage_id`, `start`, `end`, `quote`, `title`, `source`
    - `context`: the cited passages as documents

    Attributes:
        method: how to answer, as for `hopweave.ask`; `llm`, `retriever`, `reader`, `corpus` and `budget` likewise.
        settings: other keys of the settings.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    method: Any = None
    llm: Any = None
    retriever: Any = None
    reader: Any = None
    corpus: str | None = None
    budget: Any = None
    settings: dict[str, Any] = Field(default_factory=dict)
    _answering: Answering = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Prepares the answering; nothing is opened yet."""
        super().model_post_init(context)
        named = ("method", "llm", "retriever", "reader", "corpus", "budget", "settings")
        self._answering = Answering(**{name: getattr(self, name) for name in named})

    def invoke(self, input: str | dict[str, Any], config: RunnableConfig | None = None, **_: Any) -> dict[str, Any]:  # noqa: A002 (LangChain's name)
        """Answers a question.

        Raises:
            RunError: if it failed, with the reason.
            HopweaveError: for anything that the user has to fix first.
        """
        return self._call_with_config(self._answer, input, config, run_type="chain")

    async def ainvoke(self, input: str | dict[str, Any], config: RunnableConfig | None = None, **_: Any) -> dict[str, Any]:  # noqa: A002
        """`invoke` for asynchronous code; cancelling it cancels the question and its open calls."""
        return await self._acall_with_config(self._answer_async, input, config, run_type="chain")

    def close(self) -> None:
        """Closes what is open; the next question opens it again."""
        self._answering.close()

    def _answer(self, given: str | dict[str, Any]) -> dict[str, Any]:
        question = _question_in(given)
        return _reply(question, *self._answering.answer(question))

    async def _answer_async(self, given: str | dict[str, Any]) -> dict[str, Any]:
        question = _question_in(given)
        return _reply(question, *await self._answering.answer_async(question))


def _question_in(given: str | Mapping[str, Any]) -> str:
    if isinstance(given, str):
        return given
    found = [given[key] for key in _QUESTION_KEYS if isinstance(given.get(key), str)]
    if not found:
        raise DataError(f"there is no question in {sorted(given)}; give a text, or a dictionary with one as question")
    return str(found[0])


def _reply(question: str, record: Record, answer: Answer) -> dict[str, Any]:
    cited = record.cited_passages()
    return {
        "input": question,
        "answer": answer.text,
        "short": answer.short,
        **verdict_values(answer.verdict),
        "citations": [citation_values(citation, passage) for citation, passage in cited],
        "context": [_document(passage) for passage in {passage.id: passage for _, passage in cited}.values()],
    }


def _document(passage: Passage, **more: Any) -> Document:
    return Document(id=passage.id, page_content=passage.text, metadata=passage_metadata(passage, **more))
