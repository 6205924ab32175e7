"""Corpora on servers over HTTP and MCP: passages are searched and read by their ids as those of an index folder are."""

import asyncio
import os
from contextlib import closing
from dataclasses import replace

import pytest
from retrieval.test_engines_on_servers import ENGINES, elastic_server, place  # noqa: F401 - fixtures
from support.served_app import PASSAGES, app_over, client_of

from hopweave.core.catalog import load
from hopweave.models.llms.scripted import Scripted
from hopweave.run.corpora import Corpora
from hopweave.run.opening import open_components
from hopweave.run.settings import read_settings

SECRET = "pay"
LONG_ID = "notes//a/b.md#1"


@pytest.fixture(autouse=True)
def scene(monkeypatch):
    monkeypatch.setenv("PGUSER", "postgres")


@pytest.fixture
def built(place):  # noqa: F811 - a fixture
    """The address of a corpus on an engine."""

    def of(engine):
        address = f"{place(engine)}#served{os.getpid()}"
        one = load("retrievers", engine)(address, max_attempts=1)
        one.build(PASSAGES)
        one.close()
        return address

    return of


def served(folder, address, **settings):
    return client_of(app_over(folder, corpora={"light": address}, settings=settings))


def read(client, passage_id):
    return client.get(f"/v1/corpora/light/passages/{passage_id}")


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_a_passage_is_read_by_its_id_and_a_hidden_one_is_as_if_it_were_not_there(engine, built, tmp_path):
    address = built(engine)
    with served(tmp_path, address) as client:
        hits = client.post("/v1/search", json={"query": "light of Carrow Head", "max_hits": 9}).json()["hits"]
        shown = {hit["passage"]["id"]: hit["passage"] for hit in hits}
        assert SECRET not in shown
        assert read(client, "carrow").json() == shown["carrow"]
        assert read(client, "notes%2F%2Fa%2Fb.md%231").json()["id"] == LONG_ID
        hidden, absent = read(client, "pay"), read(client, "pax")
        assert (hidden.status_code, absent.status_code) == (404, 404)
        assert hidden.text == absent.text.replace("pax", "pay")
        assert [read(client, odd).status_code for odd in ("%00", "notes", "%ff", "'%20OR%20''='", "x" * 1999)] == [404] * 5
    with served(tmp_path, address, access=["board"]) as client:
        assert read(client, "pay").json()["text"] == PASSAGES[2].text


@pytest.mark.slow
def test_a_corpus_whose_server_is_down_is_told_as_such_and_served_again_when_it_is_back(built, tmp_path, elastic_server):  # noqa: F811
    address = built("elasticsearch")
    options = {"retrievers": {"elasticsearch": {"max_attempts": 2}}}
    with served(tmp_path, address, **options) as client:
        assert read(client, "carrow").status_code == 200
        for fault in ("503", "cut"):
            with elastic_server.failing(fault, path="_search") as failures:
                refused = read(client, "carrow")
            assert (refused.status_code, refused.json()["error"]["code"]) == (503, "search_failed")
            assert address not in refused.text
            assert failures.count == 2
        assert read(client, "carrow").status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["postgres", "elasticsearch"])
def test_a_corpus_that_is_updated_while_it_is_served_fails_once_and_is_then_the_new_one(engine, built, tmp_path):
    address = built(engine)
    with served(tmp_path, address) as client:
        assert read(client, "carrow").json()["text"] == PASSAGES[0].text
        with closing(load("retrievers", engine)(address)) as one:
            one.update(upsert=[replace(PASSAGES[0], text="It burnt down in 1900.")], delete=[LONG_ID])
        assert [read(client, "carrow").status_code for _ in range(2)] == [503, 200]
        assert read(client, "carrow").json()["text"] == "It burnt down in 1900."
        assert read(client, "notes%2F%2Fa%2Fb.md%231").status_code == 404
        hits = client.post("/v1/search", json={"query": "when did it burn down"}).json()["hits"]
        assert [hit["passage"]["id"] for hit in hits] == ["carrow"]


async def test_ids_that_are_asked_for_at_the_same_moment_are_one_request(built, tmp_path, monkeypatch):
    address = built("elasticsearch")
    settings = read_settings({"llm": "scripted", "store": {"mode": "off"}})
    parts = open_components(settings, {"llm": Scripted([])}, with_corpus=False)
    corpora = Corpora(settings, {"light": address}, parts)
    asked = []
    kind = load("retrievers", "elasticsearch")
    passages_of = kind.passages_of
    monkeypatch.setattr(
        kind, "passages_of", lambda self, ids, **more: asked.append(list(ids)) or passages_of(self, ids, **more)
    )
    try:
        await corpora.passage("light", (), {}, "carrow")
        ids = ["carrow", "gone", LONG_ID, "carrow"]
        found = await asyncio.gather(*(corpora.passage("light", (), {}, one) for one in ids))
        assert found == [PASSAGES[0], None, PASSAGES[1], PASSAGES[0]]
        assert asked[1:] == [ids]
        assert await corpora.passage("light", (), {"year": ("1900",)}, LONG_ID) is None
        assert await corpora.passage("light", (), {"year": ("1833",)}, LONG_ID) == PASSAGES[1]
        assert await corpora.passage("light", ("board",), {}, SECRET) == replace(PASSAGES[2])
    finally:
        await corpora.close()
        await parts.close()


@pytest.mark.parametrize("engine", ENGINES)
async def test_a_client_of_mcp_reads_a_passage_by_its_id(engine, built):
    pytest.importorskip("mcp", reason="needs: pip install 'hopweave[mcp]'")
    from mcp import Client

    from hopweave.apps.mcp_server.tools import serving

    settings = read_settings({"store": {"mode": "off"}, "llm": "scripted"})
    async with serving({"light": built(engine)}, settings, llm=Scripted([])) as server, Client(server) as client:
        read_one = await client.call_tool("read_passage", {"passage_id": LONG_ID})
        assert read_one.structured_content["text"] == PASSAGES[1].text
        for passage_id in (SECRET, "gone", "\u0000"):
            reply = await client.call_tool("read_passage", {"passage_id": passage_id})
            assert reply.is_error
            assert f"light has no passage {passage_id!r}; take the id" in reply.content[0].text
