"""No key, password or token gets into a message, a reply, a record or a store, whatever an endpoint does with it."""

import base64
import json
import logging

import pytest
from support.lies import KEY, LEAKS, assert_hidden
from support.scripted_server import Behaviour, ScriptedServer
from support.served_model import served

from hopweave.core.errors import HopweaveError, SettingsError
from hopweave.core.redaction import Secrets, is_secret_name, public, secrets_of
from hopweave.core.types import Message, Reply, Sampling, Tool
from hopweave.models.llms.openai_compatible import OpenAICompatible
from hopweave.run.settings import read_settings
from hopweave.run.weaver import Weaver

ASK = (Message("user", "Where?"),)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("behaviour", LEAKS.values(), ids=LEAKS)
async def test_the_key_is_in_nothing_that_comes_of_a_call(behaviour, stream, monkeypatch, caplog):
    monkeypatch.setenv("MY_KEY", KEY)
    caplog.set_level(logging.DEBUG)
    shown = []
    async with served(behaviour, api_key_env="MY_KEY", stream=stream) as (llm, server):
        try:
            came = await llm.reply(ASK, Sampling(top_logprobs=2), shown.append if stream else None)
        except HopweaveError as error:
            came = error
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    for text in (str(came), repr(came), "".join(shown), caplog.text, repr(getattr(came, "logprobs", ""))):
        assert_hidden(text)
    if isinstance(came, Reply):
        assert_hidden("".join(token.token for token in came.logprobs))


SEARCH = Tool("search", "", {"type": "object"})
CALL = {"id": KEY, "function": {"name": KEY, "arguments": json.dumps({"query": KEY})}}
PLACES = {
    "thoughts in a field": {"content": "Ulm", "reasoning_content": f"The key is {KEY}"},
    "thoughts in the content": {"content": f"<think>The key is {KEY}</think>Ulm"},
    "thoughts in parts": {"content": [{"type": "thinking", "thinking": KEY}, {"type": "text", "text": "Ulm"}]},
    "a call of a tool": {"content": None, "tool_calls": [CALL]},
    "a refusal": {"content": None, "refusal": KEY},
}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("message", PLACES.values(), ids=PLACES)
async def test_the_key_is_in_no_thought_and_no_call_of_a_tool(message, stream, monkeypatch, caplog):
    monkeypatch.setenv("MY_KEY", KEY)
    raw = json.dumps({"choices": [{"message": message, "delta": message, "finish_reason": "stop"}]})
    headers = {"Content-Type": "text/event-stream"} if stream else {}
    behaviour = Behaviour(raw=f"data: {raw}\n\n" if stream else raw, headers=headers)
    async with served(behaviour, api_key_env="MY_KEY", stream=stream, tools="yes") as (llm, _):
        try:
            came = await llm.reply(ASK, Sampling(tools=(SEARCH,)))
        except HopweaveError as error:
            came = error
    assert_hidden(repr(came))
    assert_hidden(str(came))
    assert_hidden(caplog.text)
    assert "***" in repr(came)


@pytest.mark.parametrize("name", ["a page", "a status of 500", "a reply", "an error with escapes"])
async def test_the_key_is_in_no_record_and_no_store(name, monkeypatch, tmp_path):
    monkeypatch.setenv("MY_KEY", KEY)
    monkeypatch.chdir(tmp_path)
    async with ScriptedServer([LEAKS[name]]) as server:
        given = {"llm": "openai_compatible", "method": "direct", "retries": {"max_attempts": 1}}
        given |= {"llms": {"openai_compatible": {"model": "m", "base_url": server.base_url, "api_key_env": "MY_KEY"}}}
        async with Weaver(read_settings({**given, "store": {"path": str(tmp_path / "store.sqlite")}})) as weaver:
            record = await weaver.answer("Where is Ulm?")
    assert server.num_requests == 1
    assert_hidden(record.to_json())
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert KEY.encode() not in kept
    assert json.dumps(KEY)[1:-1].encode() not in kept


async def test_pieces_are_shown_as_soon_as_they_can_be_no_beginning_of_the_key(monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    shown = []
    async with served(
        Behaviour(pieces=["Ulm", " sk-", "i", " sk-proj/Zu", "rich+42%7=tail", "!"]), api_key_env="MY_KEY", stream=True
    ) as (llm, _):
        reply = await llm.reply(ASK, Sampling(), shown.append)
    assert shown == ["Ulm", " ", "sk-i", " ", "***", "!"]
    assert reply.text == "Ulm sk-i ***!"


@pytest.mark.parametrize("key", ["x", "none", "ollama", "Ulm"])
async def test_a_word_in_place_of_a_key_spoils_no_reply(key, monkeypatch):
    monkeypatch.setenv("MY_KEY", key)
    async with served(Behaviour(f"In Ulm; x, none, ollama, {key}"), api_key_env="MY_KEY") as (llm, _):
        assert (await llm.reply(ASK, Sampling())).text == f"In Ulm; x, none, ollama, {key}"


# -- addresses -------------------------------------------------------------------------------------------------------------

ADDRESS = "http://me:pass-word-1@127.0.0.1:9/v1?api-key=query-secret&api-version=2&code=other-secret"
HIDDEN = ("pass-word-1", "query-secret", "other-secret", base64.b64encode(b"me:pass-word-1").decode())


async def test_no_secret_of_an_address_is_in_a_message_or_a_setting(monkeypatch):
    llm = OpenAICompatible(model="m", base_url=ADDRESS)
    with pytest.raises(HopweaveError) as caught:
        await llm.reply(ASK, Sampling())
    await llm.close()
    settings = read_settings({"llms": {"openai_compatible": {"base_url": ADDRESS}}})
    for text in (str(caught.value), repr(llm), llm.identity, json.dumps(settings.public())):
        assert not any(secret in text for secret in HIDDEN)
    assert "http://127.0.0.1:9/v1" in str(caught.value)
    assert "api-version=2" in json.dumps(settings.public())


async def test_a_password_that_an_endpoint_repeats_is_hidden():
    async with ScriptedServer(
        lambda request: Behaviour(f"no {request.headers['authorization']} {request.path}", 500)
    ) as server:
        address = server.base_url.replace("//", "//me:pass-word-1@") + "?api-key=query-secret"
        llm = OpenAICompatible(model="m", base_url=address)
        with pytest.raises(HopweaveError) as caught:
            await llm.reply(ASK, Sampling())
        await llm.close()
    assert server.requests[0].headers["authorization"] == f"Basic {HIDDEN[3]}"
    assert server.requests[0].path == "/v1/chat/completions?api-key=query-secret"
    assert "no Basic ***" in str(caught.value)
    assert not any(secret in str(caught.value) for secret in HIDDEN)


@pytest.mark.parametrize("address", ["host/v1?key=query-secret", "ftp://me:pass-word-1@host", "http://me:pass-word-1@[::1"])
def test_an_address_that_is_none_is_told_without_its_secrets(address):
    with pytest.raises(SettingsError, match="is not a valid address") as caught:
        OpenAICompatible(model="m", base_url=address)
    assert not any(secret in str(caught.value) for secret in HIDDEN)


# -- fields that go along --------------------------------------------------------------------------------------------------

EXTRA = {
    "token": "T-secret-1",
    "apiKey": "T-secret-2",
    "nested": {"client_secret": "T-secret-3", "list": [{"credentials": {"user": "T-secret-4"}}]},
    "signature": ["T-secret-5"],
    "passwd": "T-secret-6",
    "user": "ulm",
    "top_k": 5,
    "eos_token": "</s>",
    "max_new_tokens": 7,
    "prompt_cache_key": "a",
}


async def test_what_extra_body_holds_under_the_name_of_a_secret_is_hidden_and_sent():
    settings = read_settings({"llms": {"openai_compatible": {"extra_body": EXTRA}}})
    public_extra = settings.public()["llms"]["openai_compatible"]["extra_body"]
    assert "T-secret" not in json.dumps(public_extra)
    assert public_extra["user"] == "ulm"
    assert [public_extra[name] for name in ("top_k", "eos_token", "max_new_tokens", "prompt_cache_key")] == [5, "</s>", 7, "a"]
    async with served(lambda request: Behaviour(json.dumps(request.body), status=500), extra_body=EXTRA) as (llm, server):
        with pytest.raises(HopweaveError) as caught:
            await llm.reply(ASK, Sampling())
    assert server.requests[0].body["nested"] == EXTRA["nested"]
    assert "T-secret" not in str(caught.value) + repr(llm)


def test_the_identity_goes_by_extra_body_and_not_by_its_secrets():
    def identity(**extra):
        return OpenAICompatible(model="m", extra_body=extra).identity

    assert identity(top_k=1, token="a-b-c-d") == identity(top_k=1, token="e-f-g-h")
    assert identity(top_k=1) != identity(top_k=2)
    assert identity(top_k=1) == "chat:https://api.openai.com/v1:m+d22e66c087dc"


@pytest.mark.parametrize(
    "name", ["token", "X-Auth-Token", "accessToken", "key", "API_KEY", "credentials", "clientSecret", "pwd"]
)
def test_a_foreign_name_that_ends_in_the_word_for_a_secret_is_one(name):
    assert is_secret_name(name, is_foreign=True)
    assert secrets_of({name: "abc"}, "extra_body") == ["abc"]


@pytest.mark.parametrize("name", ["max_tokens", "eos_token", "tokenizer", "keyboard", "top_k", "monkey", "api_key_env"])
def test_a_foreign_name_that_only_looks_like_it_is_none(name):
    assert not is_secret_name(name, is_foreign=True)
    assert public({name: "abc"}, "extra_body") == {name: "abc"}


def test_texts_without_a_secret_stay_as_they_are():
    text = "100 % of \\alpha & \\u0041 &#65; %41"
    assert Secrets([KEY, "password"]).out_of(text) == text
    assert Secrets().out_of(text) == text
