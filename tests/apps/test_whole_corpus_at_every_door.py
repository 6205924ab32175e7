"""A question about the documents as a whole is answered alike at every door, and never by a model."""

from __future__ import annotations

import asyncio
import json
from io import StringIO

import pytest
from mcp import Client
from rich.console import Console
from support.commands import ran
from support.served_app import PASSAGES, QUESTION, app_over, client_of, index_of

from hopweave.apps.mcp_server.tools import serving
from hopweave.core.errors import ModelError
from hopweave.models.llms.scripted import Scripted
from hopweave.record import Record
from hopweave.run.settings import read_settings
from hopweave.show.legend import banner_of
from hopweave.show.no_answer import why_no_answer
from hopweave.show.record_html import draw_page
from hopweave.show.terminal import draw_record

pytestmark = pytest.mark.usefixtures("own_folders")
LISTED = "Which documents mention Carrow Head?"
TOPICS = "What are these documents about?"
NONE = "Which documents mention whales?"
FOUND = 'Search found 1 document that mentions "Carrow Head":'
CERTAIN = 'You can search 2 documents in 2 passages, namely "Carrow Head"; "Ines Halloran".'
A_LISTING = "A listing of what search found, which may not be all"


def silent():
    return Scripted([("", ModelError("the model was asked"))])


@pytest.fixture
def client(tmp_path):
    with client_of(app_over(tmp_path, silent())) as opened:
        yield opened


def test_over_http(client):
    made = client.post("/v1/answers", json={"question": LISTED}).json()
    record = Record.from_json(json.dumps(made["record"]))
    assert record.answer.text.startswith(FOUND)
    assert (record.answer.short, record.answer.verdict.support, record.totals().llm_calls) == ("Carrow Head", "supported", 0)
    summary = client.get(f"/v1/answers/{made['id']}/summary").json()
    assert (summary["banner"]["headline"], summary["banner"]["sign"]) == (A_LISTING, "✓")
    assert CERTAIN in client.post("/v1/answers", json={"question": TOPICS}).json()["record"]["answer"]["text"]
    assert "the question is about the documents as a whole" in client.get("/static/legend.json").text


def test_in_a_chat(client):
    def said(question):
        asked = {"model": "direct_retrieval@light", "messages": [{"role": "user", "content": question}]}
        return client.post("/v1/chat/completions", json=asked).json()["choices"][0]["message"]["content"]

    listing = said(LISTED)
    assert listing.startswith(FOUND)
    assert '[1] Carrow Head: "The light of Carrow Head was designed by Ines Halloran."' in listing
    assert CERTAIN in said(TOPICS)
    for text in (said(TOPICS), said(NONE)):
        assert "No passage" not in text.replace("No passage has any of these words", "")


def test_a_listing_says_nothing_of_what_a_method_usually_costs(tmp_path):
    app = app_over(tmp_path)
    with client_of(app) as client:
        client.post("/v1/answers", json={"question": LISTED})
        assert app.state.service._estimates._of_methods == {}
        client.post("/v1/answers", json={"question": QUESTION})
        assert list(app.state.service._estimates._of_methods) == ["direct_retrieval"]


def test_over_mcp(tmp_path):
    async def asked():
        settings = read_settings({"store": {"mode": "off"}})
        corpora = {"light": index_of(tmp_path / "light")}
        async with serving(corpora, settings, llm=silent()) as server, Client(server) as client:
            return [(await client.call_tool("ask", {"question": one})).structured_content for one in (LISTED, TOPICS)]

    listing, topics = asyncio.run(asked())
    assert (listing["answer"], listing["support"]) == ("Carrow Head", "supported")
    assert [one["quote"] for one in listing["citations"]] == ["The light of Carrow Head was designed by Ines Halloran."]
    assert topics["answer"] == ""
    assert CERTAIN in topics["text"]


def test_on_the_command_line(tmp_path):
    index = index_of(tmp_path / "light", PASSAGES[:2])
    listing = ran("ask", LISTED, "--corpus", index, "--llm", "scripted", exit_code=0)
    assert FOUND in listing.stdout
    assert A_LISTING in listing.stdout
    topics = ran("ask", TOPICS, "--corpus", index, "--llm", "scripted", exit_code=1)
    assert "You can search 2 documents in 2 passages" in " ".join(topics.stdout.split())
    assert "hopweave: no answer: the question is about the documents as a whole" in topics.stderr
    none = ran("ask", NONE, "--corpus", index, "--llm", "scripted", exit_code=1)
    assert "hopweave: no answer: search found no document that mentions it" in none.stderr
    number = ran("ask", "How many documents are there?", "--corpus", index, "--llm", "scripted", exit_code=0)
    assert "Counted in the index: the question is about the documents as a whole." in " ".join(number.stdout.split())
    file = tmp_path / "records.jsonl"
    ran("ask", LISTED, "--corpus", index, "--llm", "scripted", "--out", file, exit_code=0)
    ran("stale", file, "--corpus", index, exit_code=0)
    [record] = map(Record.from_json, file.read_text(encoding="utf-8").splitlines())
    console = Console(file=StringIO(), width=120)
    console.print(draw_record(record))
    assert "the question is about the documents as a whole, so search answers it" in " ".join(console.file.getvalue().split())
    assert A_LISTING in draw_page(record)
    assert banner_of(record.answer).tone == "good"
    assert why_no_answer(record) == []
