"""`hopweave mcp`, asked by the SDK's own client: over standard input and output, and over HTTP."""

import asyncio
import json
import os
import socket
import subprocess
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="needs: pip install 'hopweave[mcp]'")

import httpx
from apps.cli.test_ask import PASSAGES, QUESTION, RULES
from mcp import Client, StdioServerParameters
from support.commands import COMMAND, assert_one_line, ran, ran_alone
from support.served_app import free_port
from support.workbench import until

from hopweave.apps.mcp_server.tools import serving
from hopweave.core.errors import ModelError
from hopweave.core.types import Passage
from hopweave.models.llms.scripted import Line, Scripted
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.run.settings import read_settings

MCP = [*COMMAND, "mcp"]
SOON = 60


@pytest.fixture(autouse=True)
def scene(tmp_path):
    """Two indexes, and a model that says what the rules say."""
    BM25.build(tmp_path / "index", PASSAGES)
    cut = [Passage("oak#1", "An old oak.", "Oak", "trees.md", 0, 11), Passage("oak#2", "It stands.", "Oak", "trees.md", 12, 22)]
    BM25.build(tmp_path / "trees-index", [*cut, Passage("pay", "The keeper is paid.", access=("board",))])
    Path("rules.toml").write_text(RULES)
    Path("hopweave.toml").write_text(
        'method = "searchain"\nretriever = "bm25"\nllm = "scripted"\n[llms.scripted]\nrules_file = "rules.toml"\n'
    )


@asynccontextmanager
async def over_stdio(*arguments, cwd=None):
    server = StdioServerParameters(command=MCP[0], args=[*MCP[1:], *arguments], env=dict(os.environ), cwd=cwd or Path.cwd())
    async with Client(server, read_timeout_seconds=SOON) as client:
        yield client


@asynccontextmanager
async def in_process(rules, **corpora):
    llm = Scripted(rules)
    settings = read_settings({"store": {"mode": "off"}})
    async with serving(corpora or {"lights": "index"}, settings, llm=llm) as server, Client(server) as client:
        yield client, llm


def said(result):
    return "".join(block.text for block in result.content)


async def cited(client):
    """Asks, and checks that the answer cites the passages and that each step was told before it."""
    told = []

    async def hear(progress, total, message):
        told.append((progress, message))

    reply = await client.call_tool("ask", {"question": QUESTION}, progress_callback=hear)
    assert not reply.is_error, said(reply)
    found = reply.structured_content
    expected = {"answer": "Port Merrow", "support": "supported", "corpus": "lights", "method": "searchain"}
    assert {name: found[name] for name in expected} == expected
    quotes = {one["passage_id"]: one for one in found["citations"]}
    texts = {passage.id: passage.text for passage in PASSAGES}
    assert set(quotes) == {"lamp", "engineer"}
    assert all(texts[name][one["start"] : one["end"]] == one["quote"] for name, one in quotes.items())
    assert [claim["support"] for claim in found["claims"]] == ["supported", "supported"]
    assert json.loads(said(reply)) == found  # for clients that read text alone
    assert [number for number, _ in told] == list(range(1, len(told) + 1))
    lines = [message for _, message in told]
    assert any(line.startswith("search ") and "Who designed Carrow Head Light?" in line for line in lines), lines
    assert any("✓ supported, verified" in line for line in lines)


@pytest.mark.slow
async def test_a_client_over_standard_input_gets_a_cited_answer_and_hears_of_each_step():
    async with over_stdio("lights=index", "trees=trees-index") as client:
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == ["ask", "search", "read_passage"]
        assert all(tool.output_schema and tool.annotations.read_only_hint for tool in listed.tools)
        await cited(client)


async def test_a_client_over_http_gets_a_cited_answer_and_hears_of_each_step():
    port = free_port()
    process = await asyncio.create_subprocess_exec(
        *MCP, "lights=index", "--http", "--port", str(port), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        assert f"http://127.0.0.1:{port}/mcp" in (await asyncio.wait_for(process.stderr.readline(), SOON)).decode()
        await reachable(port)
        async with Client(f"http://127.0.0.1:{port}/mcp", read_timeout_seconds=SOON) as client:
            await cited(client)
        async with httpx.AsyncClient() as stranger:  # a page of another site, whose name was pointed at this machine
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
            reply = await stranger.post(f"http://127.0.0.1:{port}/mcp", json=body, headers={"Host": "evil.example"})
            assert reply.status_code == 421
            reply = await stranger.post(f"http://127.0.0.1:{port}/mcp", json=body, headers={"Origin": "http://evil.example"})
            assert reply.status_code == 403
        process.send_signal(2)
        assert await asyncio.wait_for(process.wait(), SOON) == 0
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.communicate()


@pytest.mark.slow
def test_a_port_that_is_taken_is_said_in_one_line():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = ran_alone("mcp", "lights=index", "--http", "--port", str(port))
    assert done.returncode == 1
    assert f"hopweave: cannot listen at port {port}; choose another with --port" in done.stderr


async def reachable(port):
    for _ in range(SOON * 20):
        with suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            await writer.wait_closed()
            return
        await asyncio.sleep(0.05)


async def test_passages_are_searched_and_read_without_a_model():
    async with in_process([ModelError("no model")], lights="index", trees="trees-index") as (client, llm):
        found = (await client.call_tool("search", {"query": "an old oak", "corpus": "trees", "max_hits": 1})).structured_content
        assert [hit["passage_id"] for hit in found["hits"]] == ["oak#1"]
        place = {"passage_id": "oak#1", "source": "trees.md", "start": 0, "end": 11, "rank": 1, "score": 0}
        assert found["hits"][0] | {"score": 0} == place | {
            "title": "Oak",
            "text": "An old oak.",
            "metadata": {},
            "sections": [],
        }
        read = (await client.call_tool("read_passage", {"passage_id": "oak#2", "corpus": "trees"})).structured_content
        assert (read["text"], read["source"]) == ("It stands.", "trees.md")
        assert llm.calls == []


@pytest.mark.parametrize(
    ("tool", "given", "what_to_do"),
    [
        ("ask", {"question": " "}, "the question is empty; ask something"),
        ("ask", {"question": "x" * 8001}, "put long texts into the corpus"),
        pytest.param(
            "ask",
            {"question": "x", "corpus": "index"},
            "there is no corpus 'index'; choose one of: lights, trees",
            marks=pytest.mark.slow,
        ),
        ("ask", {"question": "x", "corpus": "../index"}, "choose one of: lights, trees"),
        ("ask", {"question": "x", "corpus": "postgres://evil.example/db"}, "choose one of: lights, trees"),
        ("ask", {"question": "x", "method": "./mine.py:Mine"}, "there is no method './mine.py:Mine'"),
        ("ask", {"question": "x", "method": "serchain"}, "did you mean 'searchain'"),
        ("ask", {}, "question is missing"),
        ("ask", {"question": 5, "form": "tall"}, "question should be a valid string; form should be 'auto', 'short' or 'long'"),
        ("search", {"query": " "}, "the query is empty; give the words to search for"),
        ("serch", {"query": "oak"}, "there is no tool 'serch'; call one of: ask, search, read_passage"),
        ("search", {"query": "oak", "corpus": "/etc"}, "choose one of: lights, trees"),
        ("search", {"query": "oak", "max_hits": 10**6}, "less than or equal to 50"),
        ("read_passage", {"passage_id": "gone"}, "lights has no passage 'gone'; take the id from a hit of search"),
        ("read_passage", {"passage_id": "pay", "corpus": "trees"}, "trees has no passage 'pay'"),
        ("read_passage", {"passage_id": "oak", "corpus": "trees"}, "trees has no passage 'oak'"),
    ],
)
async def test_what_cannot_be_is_an_error_of_the_tool_that_says_what_to_do(tool, given, what_to_do):
    async with in_process(["So the answer is: x."], lights="index", trees="trees-index") as (client, _):
        reply = await client.call_tool(tool, given)
        assert reply.is_error
        assert what_to_do in said(reply)
        assert not [code for code in ("Traceback", "Error", "http", "[type=", "\n") if code in said(reply)]


@pytest.mark.parametrize(
    ("tool", "given"), [("ask", {"question": QUESTION}), ("search", {"query": "oak"}), ("read_passage", {"passage_id": "lamp"})]
)
async def test_a_fault_in_the_server_is_told_in_words_and_its_details_are_in_the_log(tool, given, monkeypatch, caplog):
    async with in_process(["x"]) as (client, _):
        monkeypatch.setattr("hopweave.apps.mcp_server.tools._Tools._opened", lambda self: {}["secret"])
        reply = await client.call_tool(tool, given)
    assert reply.is_error
    assert (
        said(reply)
        == f"{tool} failed because of a fault in the server, which its log describes; call it again, or tell the user"
    )
    assert "KeyError: 'secret'" in caplog.text


async def test_an_answer_that_is_empty_says_why():
    async with in_process([("", Line(""))]) as (client, _):
        found = (await client.call_tool("ask", {"question": QUESTION, "method": "direct"})).structured_content
    assert found["answer"] == ""
    assert found["text"].startswith("There is no answer: the reply of ")


async def test_a_question_that_fails_says_why_and_what_to_do():
    async with in_process([ModelError("the endpoint is down", retryable=False)]) as (client, _):
        reply = await client.call_tool("ask", {"question": QUESTION})
        assert reply.is_error
        why = "there is no answer, since the language model failed: the endpoint is down"
        assert said(reply) == f"{why}; tell the user, or use search, which needs no language model"


async def test_a_call_that_is_cancelled_leaves_no_open_call_of_the_model():
    async with in_process([Line("A", stalls=True), "So the answer is: Kiel."]) as (client, llm):
        call = asyncio.create_task(client.call_tool("ask", {"question": QUESTION, "method": "direct"}))
        await until(lambda: llm._num_open == 1)
        call.cancel()
        with suppress(asyncio.CancelledError):
            await call
        await until(lambda: llm._num_open == 0)
        reply = await client.call_tool("ask", {"question": QUESTION, "method": "direct"})
        assert reply.structured_content["answer"] == "Kiel"


async def test_several_questions_at_once_hear_of_their_own_steps():
    rules = [(f"town {n}", f"So the answer is: T{n}.") for n in range(8)]
    async with in_process(rules) as (client, _):

        async def one(number):
            told = []

            async def hear(progress, total, message):
                told.append(message)

            given = {"question": f"What is town {number}?", "method": "direct"}
            reply = await client.call_tool("ask", given, progress_callback=hear)
            return reply.structured_content["answer"], " ".join(told)

        for number, (answer, told) in enumerate(await asyncio.gather(*map(one, range(8)))):
            assert answer == f"T{number}"
            assert f"T{number}." in told
            assert not any(f"T{other}." in told for other in range(8) if other != number)


async def test_an_index_that_is_updated_while_the_server_runs_is_seen():
    async with in_process(["x"]) as (client, _):
        BM25.update(Path("index"), upsert=[Passage("new", "A windmill stands on the hill.")])
        found = (await client.call_tool("search", {"query": "windmill"})).structured_content
        assert [hit["passage_id"] for hit in found["hits"]] == ["new"]
        assert not (await client.call_tool("read_passage", {"passage_id": "new"})).is_error


def test_what_the_operator_has_to_fix_is_one_line():
    for arguments, what in ((["gone"], "there is no index at gone"), (["=x"], "NAME=INDEX"), (["a/x", "b/x"], "named 'x'")):
        assert_one_line(ran("mcp", *arguments), what)
