"""A server of unknown kind is asked once what it is; that never delays, breaks or leaks anything."""

import asyncio
import json
from dataclasses import replace

import pytest
from support.providers import PROVIDERS, bodies, client_of, connected
from support.scripted_server import Behaviour, ScriptedServer
from support.served_model import served

from hopweave.core.protocols import Probes
from hopweave.core.types import Message, Sampling
from hopweave.evaluation.runs.limiter import Turns, limited
from hopweave.models.llms import _learnt, _probing
from hopweave.models.llms.openai_compatible import OpenAICompatible
from hopweave.run.settings import read_settings
from hopweave.run.weaver import Weaver

ASK = (Message("user", "Where?"),)
SCHEMA = {"type": "object", "properties": {}, "additionalProperties": False}
FOUND = {"vllm": "vllm", "sglang": "sglang", "lmstudio": "lmstudio", "llama.cpp": "llama.cpp", "litellm": "litellm"}
FOUND |= {"ollama": "ollama", "ollama, a model without tools": "ollama"}


@pytest.mark.parametrize(("name", "server"), FOUND.items(), ids=FOUND)
async def test_a_server_is_told_by_what_it_says_of_itself(name, server):
    async with connected(PROVIDERS[name], lambda messages: "Ulm") as (llm, running):
        assert isinstance(llm, Probes)
        assert not llm.abilities.json_schema
        await llm.probe()
        assert llm.abilities == client_of(PROVIDERS[name], running.base_url, server=server).abilities
        assert llm.abilities.json_schema
        await llm.reply(ASK, Sampling(json_schema=SCHEMA))
        assert "response_format" in bodies(running)[0]


async def test_ollama_says_which_of_its_models_think_and_call_tools():
    async with connected(PROVIDERS["ollama"], lambda messages: "Ulm") as (llm, server):
        await llm.probe()
        assert llm.abilities.tools
        await llm.reply(ASK, Sampling(max_tokens=64, stop=("\n\n",)))
        [body] = bodies(server)
    assert (body["max_tokens"], "stop" in body) == (64 + 8192, False)
    async with connected(PROVIDERS["ollama, a model without tools"], lambda messages: "Ulm") as (llm, _):
        await llm.probe()
        assert not llm.abilities.tools


async def test_it_is_asked_once_for_all_who_come_at_the_same_time():
    async with connected(PROVIDERS["vllm"], lambda messages: "Ulm") as (llm, server):
        await asyncio.gather(*(llm.probe() for _ in range(5)))
        other = client_of(PROVIDERS["vllm"], server.base_url)
        await other.probe()
        assert server.num_requests == 1
        assert server.num_connections == 1
        await llm.reply(ASK, Sampling())
        assert server.num_connections == 1, "the first call uses the same connection"
        await other.close()


async def test_a_server_that_is_known_is_not_asked():
    async with connected(PROVIDERS["vllm"], lambda messages: "Ulm", server="vllm") as (llm, server):
        await llm.probe()
        assert server.num_requests == 0


async def test_a_kind_that_was_found_stays_known_in_a_replay(monkeypatch):
    async with connected(PROVIDERS["vllm"], lambda messages: "Ulm") as (llm, server):
        await llm.probe()
        monkeypatch.setattr(_learnt, "KEPT_DAYS", 0.0)
        _learnt.forget_all()
        other = client_of(PROVIDERS["vllm"], server.base_url)
        assert other.abilities == llm.abilities
        await other.probe()
        assert server.num_requests == 2, "but is found out again when it may have changed"
        await other.close()


LIARS = {
    "a page": Behaviour(raw="<html>Welcome</html>"),
    "an error": Behaviour("no", status=500),
    "a refused key": Behaviour("no", status=401),
    "no list": Behaviour(raw='{"data": {"id": "m"}}'),
    "a list of numbers": Behaviour(raw='{"data": [1, 2]}'),
    "owners that are lists": Behaviour(raw='{"data": [{"id": "m", "owned_by": ["vllm"]}]}'),
    "an unknown owner": Behaviour(raw='{"data": [{"id": "m", "owned_by": "me"}]}'),
    "nothing": Behaviour(raw=""),
    "a closed connection": Behaviour(close=True),
    "half a body": Behaviour("a list that is cut off", truncate=True),
    "a body without end": Behaviour(raw=b" " * 65536, is_endless=True),
    "a redirect": Behaviour("", status=307, headers={"Location": "http://elsewhere.example/v1/models"}),
}


@pytest.mark.parametrize("behaviour", LIARS.values(), ids=LIARS)
async def test_a_server_that_does_not_say_is_left_as_it_was(behaviour):
    async with ScriptedServer(lambda request: Behaviour("Ulm") if request.body else behaviour, takes_gets=True) as server:
        llm = OpenAICompatible(model="m", base_url=server.base_url)
        before = llm.abilities
        await llm.probe()
        assert llm.abilities == before
        assert (await llm.reply(ASK, Sampling())).text == "Ulm"
        await llm.close()


async def test_a_server_that_takes_its_time_delays_nothing_for_long(monkeypatch):
    monkeypatch.setattr(_probing, "PROBE_SECONDS", 0.1)
    slow = Behaviour("no", delay=30)
    async with ScriptedServer(lambda request: Behaviour("Ulm") if request.body else slow, takes_gets=True) as server:
        llm = OpenAICompatible(model="m", base_url=server.base_url)
        async with asyncio.timeout(3):
            await llm.probe()
            await llm.probe()
            assert (await llm.reply(ASK, Sampling())).text == "Ulm"
        assert server.num_requests == 2
        await llm.close()


async def test_nobody_there_is_left_to_the_first_call():
    llm = OpenAICompatible(model="m", base_url="http://127.0.0.1:9/v1")
    await llm.probe()
    await llm.close()


async def test_a_missing_key_is_left_to_the_first_call(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    await OpenAICompatible(model="m", base_url="https://models.example/v1").probe()


async def test_the_key_goes_nowhere_but_to_the_address(monkeypatch):
    """Ollama's own protocol lies next to the address: it is tried only where there is no key."""
    monkeypatch.setenv("MY_KEY", "sk-secret-123")
    owned = Behaviour(raw=json.dumps({"data": [{"id": "m", "owned_by": "me"}]}))
    async with ScriptedServer(lambda request: owned, takes_gets=True) as server:
        llm = OpenAICompatible(model="m", base_url=f"{server.base_url}", api_key_env="MY_KEY")
        await llm.probe()
        await llm.close()
    assert [request.path for request in server.requests] == ["/v1/models"]


async def test_a_question_is_asked_of_a_server_that_is_known(tmp_path):
    """`ask` and `evaluate` do it before a method reads the abilities; a replay, which has no server, does not."""
    provider = replace(PROVIDERS["vllm"], checks=(), thoughts="")
    async with ScriptedServer(provider.saying(lambda messages: "Ulm"), takes_gets=True) as server:
        given = {"llm": "openai_compatible", "method": "direct", "store": {"path": str(tmp_path / "store.sqlite")}}
        given |= {"llms": {"openai_compatible": {"model": provider.model, "base_url": server.base_url}}}
        async with Weaver(read_settings(given)) as weaver:
            await weaver.answer("Where is Ulm?")
            assert weaver.components.llm.abilities.prefill
        asked = [request.path for request in server.requests]
        given["store"] |= {"mode": "replay"}
        async with Weaver(read_settings(given)) as weaver:
            await weaver.answer("Where is Ulm?")
        assert [request.path for request in server.requests] == asked
    assert asked[0] == "/v1/models"


async def test_a_limited_model_is_asked_too():
    async with connected(PROVIDERS["vllm"], lambda messages: "Ulm") as (llm, _):
        model = limited(llm, Turns(2))
        assert isinstance(model, Probes)
        await model.probe()
        assert model.abilities.json_schema


async def test_opening_a_model_asks_nothing():
    async with served() as (llm, server):
        await llm.open()
        assert server.num_connections == 0
