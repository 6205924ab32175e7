"""The LangChain adapter: a retriever and a runnable that fit into chains, and answers with checked citations."""

import asyncio
import gc
import subprocess
import sys
import threading
import time
from contextlib import suppress
from functools import partial

import pytest

pytest.importorskip("langchain_core", reason="needs: pip install 'hopweave[langchain]'")

from apps.cli.test_ask import PASSAGES, QUESTION
from langchain_core.output_parsers import StrOutputParser
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from support.workbench import until

from hopweave.apps.adapters.langchain import HopweaveAnswers, HopweaveRetriever
from hopweave.core.errors import DataError, ModelError, RunError, SettingsError
from hopweave.models.llms.scripted import Line, Scripted

THREAD = "hopweave-answering"
pytestmark = pytest.mark.filterwarnings("default")  # what LangChain warns of is its own affair


@pytest.fixture
def answers(opened):
    return partial(opened, HopweaveAnswers)


def threads():
    return [one for one in threading.enumerate() if one.name == THREAD]


def test_an_answer_cites_the_exact_words_of_passages(answers):
    reply = answers().invoke(QUESTION)
    assert (reply["input"], reply["short"], reply["support"]) == (QUESTION, "Port Merrow", "supported")
    texts = {passage.id: passage.text for passage in PASSAGES}
    assert [one["passage_id"] for one in reply["citations"]] == ["lamp", "engineer"]
    assert all(texts[one["passage_id"]][one["start"] : one["end"]] == one["quote"] for one in reply["citations"])
    assert [document.id for document in reply["context"]] == ["lamp", "engineer"]
    assert reply["answer"].endswith("[2].")


def test_a_retriever_gives_documents_with_their_places():
    retriever = HopweaveRetriever(corpus="index", retriever="bm25", max_hits=1)
    [found] = retriever.invoke("Who designed Carrow Head Light?")
    assert (found.id, found.page_content) == ("lamp", PASSAGES[0].text)
    assert found.metadata["title"] == "Carrow Head Light"
    assert (found.metadata["rank"], found.metadata["score"] > 0) == (1, True)
    assert [one.id for one in asyncio.run(retriever.ainvoke("Ines Halloran born"))] == ["engineer"]


def test_labels_and_filters_count():
    query = "What is the keeper paid?"
    assert HopweaveRetriever(corpus="index", retriever="bm25").invoke(query) == []
    [found] = HopweaveRetriever(corpus="index", retriever="bm25", settings={"access": ["board"]}).invoke(query)
    assert found.id == "pay"


def test_both_fit_into_chains(answers):
    chain = {"question": RunnablePassthrough()} | answers() | RunnableLambda(lambda reply: reply["short"]) | StrOutputParser()
    assert chain.invoke(QUESTION) == "Port Merrow"
    retriever = HopweaveRetriever(corpus="index", retriever="bm25") | (lambda found: [one.id for one in found])
    assert retriever.batch(["Ines Halloran born", "first lit in 1874"])[1][0] == "lamp"


def test_many_questions_at_once_share_one_thread_and_one_model(answers):
    one = answers([(f"town {n}?", Line(f"So the answer is: T{n}.", delay_seconds=0.05)) for n in range(6)], method="direct")
    found = one.batch([f"What is town {n}?" for n in range(6)])
    assert [reply["short"] for reply in found] == [f"T{n}" for n in range(6)]
    assert len(threads()) == 1
    assert one.llm.max_concurrency > 1


async def test_asynchronous_calls_from_several_loops_are_answered(answers):
    one = answers(["So the answer is: Kiel.", "So the answer is: Ulm."], method="direct")
    assert (await one.ainvoke({"input": "Where?"}))["short"] == "Kiel"
    assert (await asyncio.to_thread(lambda: asyncio.run(one.ainvoke("And where?"))))["short"] == "Ulm"


async def test_cancelling_leaves_no_open_call(answers):
    one = answers([Line("A", stalls=True)], method="direct")
    call = asyncio.create_task(one.ainvoke("Where?"))
    await until(lambda: one.llm._num_open == 1)
    call.cancel()
    with suppress(asyncio.CancelledError):
        await call
    await until(lambda: one.llm._num_open == 0)


def test_a_failed_question_is_an_error_that_says_why(answers):
    with pytest.raises(RunError, match="no answer: the language model failed: the endpoint is down"):
        answers([ModelError("the endpoint is down")], method="direct").invoke("Where?")


def test_what_the_user_has_to_fix_is_said(answers):
    with pytest.raises(DataError, match=r"hopweave index"):
        answers(corpus="gone").invoke("Where?")
    with pytest.raises(DataError, match="give a text"):
        answers().invoke({"topic": "lights"})
    with pytest.raises(DataError, match="the question is empty"):
        answers().invoke(" ")
    with pytest.raises(SettingsError, match="asks the language model"):
        HopweaveRetriever(corpus="index", retriever="hyde").invoke("Where?")
    with pytest.raises(ValueError, match="max_hits"):
        HopweaveRetriever(corpus="index", max_hits=0)


def test_what_is_closed_or_forgotten_ends_its_thread_and_opens_again(answers):
    one = answers(["So the answer is: Kiel.", "So the answer is: Ulm."], method="direct")
    assert one.invoke("Where?")["short"] == "Kiel"
    one.close()
    assert threads() == []
    assert one.invoke("Where?")["short"] == "Ulm"
    forgotten = HopweaveAnswers(llm=Scripted(["So the answer is: Kiel."]), method="direct", corpus="index", retriever="bm25")
    forgotten.invoke("Where now?")
    assert len(threads()) == 2
    del forgotten
    gc.collect()
    deadline = time.monotonic() + 60
    while len(threads()) > 1 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(threads()) == 1


@pytest.mark.slow
def test_a_program_that_closes_nothing_ends_all_the_same():
    code = """
from hopweave.apps.adapters.langchain import HopweaveAnswers
answers = HopweaveAnswers(llm="scripted", corpus="index", retriever="bm25", method="searchain",
                          settings={"llms": {"scripted": {"rules_file": "rules.toml"}}})
print(answers.invoke("%s")["short"])
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code % QUESTION], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "Port Merrow\n", "")
