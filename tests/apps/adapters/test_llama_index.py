"""The LlamaIndex adapter: a retriever and a query engine, and answers with checked citations."""

import asyncio
from functools import partial

import pytest

pytest.importorskip("llama_index.core", reason="needs: pip install 'hopweave[llama-index]'")

from apps.cli.test_ask import PASSAGES, QUESTION
from llama_index.core import Settings
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import ResponseMode, get_response_synthesizer

from hopweave.apps.adapters.llama_index import HopweaveQueryEngine, HopweaveRetriever
from hopweave.core.errors import DataError, ModelError, RunError

pytestmark = pytest.mark.filterwarnings("default")  # what LlamaIndex warns of is its own affair
TEXTS = {passage.id: passage.text for passage in PASSAGES}


@pytest.fixture
def engine(opened):
    return partial(opened, HopweaveQueryEngine)


def test_an_answer_cites_the_exact_words_of_passages(engine):
    response = engine().query(QUESTION)
    assert "Port Merrow" in str(response)
    assert response.metadata == {"short": "Port Merrow", "support": "supported"}
    cited = [(node.metadata, node.text) for node in response.source_nodes]
    assert [place["passage_id"] for place, _ in cited] == ["lamp", "engineer"]
    assert all(TEXTS[place["passage_id"]][place["start"] : place["end"]] == text for place, text in cited)


def test_asynchronous_queries_are_answered(engine):
    one = engine(["So the answer is: Kiel."], method="direct")
    assert asyncio.run(one.aquery("Where?")).metadata["short"] == "Kiel"


def test_a_retriever_gives_nodes_and_fits_into_an_engine_of_the_framework(monkeypatch):
    monkeypatch.setattr(Settings, "_llm", MockLLM())  # which the engine wants even where it calls none
    retriever = HopweaveRetriever(corpus="index", retriever="bm25", max_hits=1)
    [node] = retriever.retrieve("Who designed Carrow Head Light?")
    assert (node.node_id, node.text, node.metadata["rank"]) == ("lamp", TEXTS["lamp"], 1)
    assert asyncio.run(retriever.aretrieve("Ines Halloran born"))[0].node_id == "engineer"
    synthesizer = get_response_synthesizer(response_mode=ResponseMode.NO_TEXT)
    found = RetrieverQueryEngine(retriever, synthesizer).query("first lit in 1874")
    assert [one.node_id for one in found.source_nodes] == ["lamp"]


def test_failures_say_why(engine):
    with pytest.raises(RunError, match="no answer: the language model failed: the endpoint is down"):
        engine([ModelError("the endpoint is down")], method="direct").query("Where?")
    with pytest.raises(DataError, match="hopweave index"):
        engine(corpus="gone").query("Where?")
