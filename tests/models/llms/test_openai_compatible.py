"""The client of OpenAI-compatible endpoints, against a real HTTP server."""

import asyncio
import email.utils
import json
import subprocess
import sys
import time

import pytest
from support import scripted_server
from support.scripted_server import Behaviour, ScriptedServer
from support.served_model import served

from hopweave.core.errors import ModelError, SettingsError
from hopweave.core.protocols import LanguageModel, Opens
from hopweave.core.types import Message, Reply, Sampling, Usage
from hopweave.models.llms._address import Wire, server_at
from hopweave.models.llms._reply_text import Cutter
from hopweave.models.llms._request_body import request_body
from hopweave.models.llms.openai_compatible import OpenAICompatible

ASK = (Message("system", "Be brief."), Message("user", "Where?"))
BEGUN = (*ASK, Message("assistant", "It is in"))
GREEDY = Sampling()
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": False}
FORMAT = {"type": "json_schema", "json_schema": {"name": "reply", "schema": SCHEMA, "strict": True}}


async def failed(*script, messages=ASK, sampling=GREEDY, on_text=None, **options) -> ModelError:
    async with served(*script, **options) as (llm, _):
        with pytest.raises(ModelError) as caught:
            await llm.reply(messages, sampling, on_text)
    return caught.value


def test_it_fills_the_role_of_a_language_model():
    assert isinstance(OpenAICompatible(model="m"), LanguageModel)


async def test_opening_it_sends_nothing_and_it_replies_afterwards():
    async with served(Behaviour("Ulm")) as (llm, server):
        assert isinstance(llm, Opens)
        await llm.open()
        await llm.open()
        assert server.num_requests == 0
        assert (await llm.reply(ASK, GREEDY)).text == "Ulm"


async def test_opening_it_without_the_key_that_it_needs_says_so(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(SettingsError, match="needs a key"):
        await OpenAICompatible(model="m", base_url="https://models.example/v1").open()


async def test_a_variable_that_is_named_for_the_key_and_not_set_is_told_before_any_call(monkeypatch):
    monkeypatch.delenv("MY_KEY", raising=False)
    async with served(api_key_env="MY_KEY") as (llm, server):
        with pytest.raises(SettingsError, match=r"MY_KEY, which llms\.openai_compatible\.api_key_env names, is not set"):
            await llm.reply(ASK, GREEDY)
        monkeypatch.setenv("MY_KEY", "sk-1")
        await llm.reply(ASK, GREEDY)
    assert server.num_requests == 1


async def test_a_server_on_this_machine_needs_no_key_under_the_usual_variables(monkeypatch):
    for name in ("OPENAI_API_KEY", "OLLAMA_API_KEY"):
        monkeypatch.delenv(name, raising=False)
        async with served(api_key_env=name) as (llm, server):
            await llm.reply(ASK, GREEDY)
        assert server.num_requests == 1


def test_importing_it_does_not_import_the_http_client():
    code = "import sys, hopweave.models.llms.openai_compatible; sys.exit('aiohttp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


async def test_a_reply_carries_text_reason_and_usage():
    usage = {"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}
    async with served(Behaviour("In Paris", finish_reason="length", usage=usage)) as (llm, server):
        reply = await llm.reply(ASK, Sampling(max_tokens=5))
    assert reply == Reply("In Paris", "length", Usage(9, 2, 4))
    assert server.requests[0].body == {
        "model": "m",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Where?"}],
        "temperature": 0.0,
        "top_p": 1.0,
        "max_tokens": 5,
    }


async def test_cached_tokens_are_read_from_timings_where_usage_is_silent():
    async with served(Behaviour(extra={"timings": {"cache_n": 5}})) as (llm, _):
        assert (await llm.reply(ASK, GREEDY)).usage.cached_tokens == 5


async def test_stop_strings_are_cut_on_our_side_at_the_first_that_occurs():
    async with served(Behaviour("one\nObs: two\n\nthree", finish_reason="length")) as (llm, server):
        reply = await llm.reply(ASK, Sampling(stop=("\n\n", "\nObs:")))
    assert (reply.text, reply.finish_reason) == ("one", "stop")
    assert server.requests[0].body["stop"] == ["\n\n", "\nObs:"]


PARTS = {"choices": [{"message": {"content": [{"type": "text", "text": "Pa"}, {"type": "text", "text": "ris"}]}}]}
TEXTS = {
    "an empty reply is a reply": (Behaviour(""), {}, ASK, ""),
    "no text is a reply": (Behaviour(None), {}, ASK, ""),
    "content in parts is joined": (Behaviour(raw=json.dumps(PARTS)), {}, ASK, "Paris"),
    "an echoed prefill is taken off": (Behaviour(" Paris", echo=True), {}, BEGUN, " Paris"),
    "an echoed prefill is taken off a stream": (Behaviour(" Paris", echo=True), {"stream": True}, BEGUN, " Paris"),
    "a reply without an echo stays whole": (Behaviour(" It was Paris"), {}, BEGUN, " It was Paris"),
    "a stream of a completion": (Behaviour("In Paris"), {"endpoint": "completion", "stream": True}, ASK, "In Paris"),
}


@pytest.mark.parametrize(("behaviour", "options", "messages", "text"), TEXTS.values(), ids=TEXTS)
async def test_the_text_of_a_reply_is_read(behaviour, options, messages, text):
    async with served(behaviour, **options) as (llm, _):
        assert (await llm.reply(messages, GREEDY)).text == text


YES = Behaviour("Yes", logprobs=[("Yes", {"No": -2.0, "Yes": -0.25})])
OF_YES = [("Yes", -0.25, (("Yes", -0.25), ("No", -2.0)))]
CUT = Behaviour("a b\n\nc", logprobs=[(token, {token: -0.1}) for token in ("a", " b", "\n\n", "c")])
APART = {"choices": [{"message": {"content": "A"}, "logprobs": {"content": [
    {"token": "A", "logprob": -3.0, "top_logprobs": [{"token": "B", "logprob": -0.1}]}]}}]}  # fmt: skip
LOGPROBS = {
    "of a chat": (YES, {}, Sampling(top_logprobs=2), OF_YES, {"logprobs": True, "top_logprobs": 2}),
    "of a completion": (YES, {"endpoint": "completion"}, Sampling(top_logprobs=2), OF_YES, {"logprobs": 2}),
    "of a stream": (YES, {"stream": True}, Sampling(top_logprobs=2), OF_YES, {"top_logprobs": 2}),
    "not beyond a cut": (
        CUT, {}, Sampling(top_logprobs=1, stop=("\n\n",)), [(one, -0.1, ((one, -0.1),)) for one in ("a", " b")], {}
    ),
    "of a token that is missing from its alternatives": (
        Behaviour(raw=json.dumps(APART)), {}, Sampling(top_logprobs=1), [("A", -3.0, (("B", -0.1), ("A", -3.0)))], {}
    ),
}  # fmt: skip


@pytest.mark.parametrize(("behaviour", "options", "sampling", "expected", "asked"), LOGPROBS.values(), ids=LOGPROBS)
async def test_log_probabilities_are_read(behaviour, options, sampling, expected, asked):
    async with served(behaviour, **options) as (llm, server):
        reply = await llm.reply(ASK, sampling)
    assert [(token.token, token.logprob, token.top) for token in reply.logprobs] == expected
    assert server.requests[0].body.items() >= asked.items()


async def test_the_completion_endpoint_joins_the_turns_with_blank_lines():
    async with served(Behaviour(" Paris"), endpoint="completion") as (llm, server):
        assert (await llm.reply(BEGUN, GREEDY)).text == " Paris"
    assert server.requests[0].path == "/v1/completions"
    assert server.requests[0].body["prompt"] == "Be brief.\n\nWhere?\n\nIt is in"


async def test_a_stream_is_shown_piece_by_piece_and_put_together():
    pieces = []
    async with served(Behaviour("In the city of Paris")) as (llm, server):
        reply = await llm.reply(ASK, GREEDY, pieces.append)
    assert pieces == ["In ", "the ", "city ", "of ", "Paris"]
    assert reply == Reply("In the city of Paris", "stop", Usage(7, 3))
    assert server.requests[0].body["stream_options"] == {"include_usage": True}


async def test_a_stream_ends_at_a_stop_string_that_the_server_let_pass():
    pieces = []
    behaviour = Behaviour(pieces=["one", "\n", "\ntwo", "three"], stall_after=3)
    async with served(behaviour) as (llm, server):
        reply = await llm.reply(ASK, Sampling(stop=("\n\n",)), pieces.append)
        await until(lambda: server.num_abandoned == 1)
    assert ("".join(pieces), reply.text, reply.finish_reason) == ("one", "one", "stop")


async def test_a_server_that_does_not_stream_is_read_all_the_same():
    pieces = []
    body = json.dumps({"choices": [{"message": {"content": "Paris"}, "finish_reason": "stop"}]})
    async with served(Behaviour(raw=body)) as (llm, _):
        assert (await llm.reply(ASK, GREEDY, pieces.append)).text == "Paris"
    assert pieces == ["Paris"]


def test_text_that_may_become_a_stop_string_is_held_back():
    cutter = Cutter(stop=("\n\nQ",))
    assert [cutter.push(piece) for piece in ("a\n", "\n", "b\n\n", "Q")] == ["a", "", "\n\nb", ""]
    assert (cutter.is_cut, cutter.rest(), cutter.shown) == (True, "", "a\n\nb")


def test_text_that_was_held_back_comes_at_the_end():
    cutter = Cutter(prefill="abc", stop=("XY",))
    assert (cutter.push("ab"), cutter.rest()) == ("", "ab")


# What is sent


AS_JSON = Sampling(json_schema=SCHEMA)
SENT = {
    # the messages, the sampling, what is known of the endpoint, and the value of a field; None if it is not sent
    "vllm goes on from the last turn": (BEGUN, GREEDY, {"server": "vllm", "prefill": True}, "continue_final_message", True),
    "and begins no other": (BEGUN, GREEDY, {"server": "vllm", "prefill": True}, "add_generation_prompt", False),
    "nobody else is told to": (BEGUN, GREEDY, {"server": "llama.cpp", "prefill": True}, "continue_final_message", None),
    "nor without a prefill": (BEGUN, GREEDY, {"server": "vllm", "prefill": False}, "continue_final_message", None),
    "openai takes four stop strings": (ASK, Sampling(stop=tuple("abcdef")), {"server": "openai"}, "stop", [*"abcd"]),
    "a schema": (ASK, AS_JSON, {}, "response_format", FORMAT),
    "no schema where none is known": (ASK, AS_JSON, {"json_schema": False}, "response_format", None),
    "a schema that the prefill begins": (
        (*ASK, Message("assistant", '{"city":')), AS_JSON, {"server": "llama.cpp", "prefill": True}, "response_format", FORMAT
    ),
    "no schema against the prefill": (BEGUN, AS_JSON, {"server": "llama.cpp", "prefill": True}, "response_format", None),
    "no schema beside a prefill at vllm": (
        (*ASK, Message("assistant", "{")), AS_JSON, {"server": "vllm", "prefill": True}, "response_format", None
    ),
    "extra fields as they are": (ASK, GREEDY, {"extra_body": {"top_k": 5}}, "top_k", 5),
}  # fmt: skip


@pytest.mark.parametrize(("messages", "sampling", "wire", "field", "value"), SENT.values(), ids=SENT)
def test_fields_are_sent_where_the_endpoint_takes_them(messages, sampling, wire, field, value):
    sent = request_body(Wire("m", "http://127.0.0.1/v1", **wire), messages, sampling, frozenset(), is_streamed=False)
    assert (sent.get(field), field in sent) == (value, value is not None)


@pytest.mark.parametrize(
    ("address", "server"),
    [
        ("https://api.openai.com/v1", "openai"),
        ("https://mine.openai.azure.com/openai/v1", "openai"),
        ("http://gpu:8000/v1", "vllm"),
        ("http://127.0.0.1:8080/v1", "llama.cpp"),
        ("http://localhost:11434/v1", "ollama"),
        ("https://notopenai.com/v1", "other"),
        ("https://api.anthropic.com/v1", "anthropic"),
        ("https://generativelanguage.googleapis.com/v1beta/openai", "gemini"),
        ("https://openrouter.ai/api/v1", "openrouter"),
        ("https://api.mistral.ai/v1", "mistral"),
        ("https://api.groq.com/openai/v1", "groq"),
        ("https://api.deepseek.com", "deepseek"),
        ("https://api.together.xyz/v1", "together"),
        ("http://gpu:30000/v1", "sglang"),
        ("http://127.0.0.1:1234/v1", "lmstudio"),
        ("http://proxy:4000/v1", "litellm"),
        ("http://127.0.0.1:8081/v1", "other"),
    ],
)
def test_a_server_is_known_by_its_address(address, server):
    assert server_at(address) == server


def test_abilities_follow_the_server_unless_an_option_says_otherwise():
    assert not OpenAICompatible(model="m").abilities.prefill
    assert OpenAICompatible(model="m", base_url="http://127.0.0.1:8000/v1").abilities.prefill
    assert OpenAICompatible(model="m", prefill="yes").abilities.prefill
    assert OpenAICompatible(model="m").abilities.tools
    assert not OpenAICompatible(model="m", tools="no").abilities.tools
    assert not OpenAICompatible(model="m", endpoint="completion", tools="yes").abilities.tools


SMALL = ("qwen2.5:1.5b", "llama-3.2-3b-instruct", "Qwen/Qwen3-0.6B", "SmolLM2-135M", "gemma3:270m", "gemma-3n-E2B-it")
SMALL += (
    "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    "tinyllama",
    "HuggingFaceTB/SmolLM2",
    "phi-2-2.7B-chat-4bit",
    "qwen3:1.7b-fp16",
)
LARGE = (
    "gpt-4o-mini",
    "qwen3:4b",
    "llama3.1:70b",
    "Qwen/Qwen3-30B-A3B",
    "mixtral-8x7b",
    "qwen3-235b-a22b",
    "o3",
    "gpt-5",
    "phi-3.5",
)
LARGE += (
    "claude-sonnet-4-5",
    "gemini-2.5-pro",
    "Qwen2.5-7B-Instruct-1M",
    "mistral-small-2506",
    "llama-4-scout-17b-16e",
    "m",
    "v1b",
)


@pytest.mark.parametrize("model", [*SMALL, *LARGE])
def test_a_small_model_is_known_by_the_size_in_its_name_unless_an_option_says_otherwise(model):
    assert OpenAICompatible(model=model).abilities.is_small == (model in SMALL)
    assert OpenAICompatible(model=model, is_small="yes").abilities.is_small
    assert not OpenAICompatible(model=model, is_small="no").abilities.is_small


async def test_a_model_that_refuses_a_field_gets_the_request_without_it():
    def decide(request):
        if "max_tokens" in request.body:
            return refusal("max_tokens", "unsupported_parameter")
        return refusal("temperature", "unsupported_value") if "temperature" in request.body else Behaviour("ok")

    def refusal(name, code):
        return Behaviour(status=400, raw=json.dumps({"error": {"message": "no", "param": name, "code": code}}))

    async with served(decide) as (llm, server):
        assert [(await llm.reply(ASK, Sampling(max_tokens=9))).text for _ in range(2)] == ["ok", "ok"]
    assert len(server.requests) == 4
    assert server.requests[-1].body["max_completion_tokens"] == 9


# Failures


STREAMED = {"Content-Type": "text/event-stream"}
QUOTA = json.dumps({"error": {"message": "no money", "code": "insufficient_quota"}})
NO_MORE, AGAIN = False, True
FAILURES = {
    **{f"status {status}": (Behaviour("no", status=status), {}, NO_MORE, []) for status in (400, 401, 403, 422)},
    **{f"status {status}": (Behaviour("no", status=status), {}, AGAIN, []) for status in (408, 409, 429, 500, 502, 503)},
    "a missing model": (Behaviour("no such model", status=404), {}, NO_MORE, ["'m'", "http://127.0.0.1"]),
    "a spent quota": (Behaviour(status=429, raw=QUOTA), {}, NO_MORE, []),
    "too long": (Behaviour("maximum context length is 8192 tokens", status=400), {}, NO_MORE, ["too long"]),
    "too long for llama.cpp": (
        Behaviour("request (9031 tokens) exceeds the available context size (8192 tokens)", status=400),
        {}, NO_MORE, ["too long"],
    ),
    "a page of a proxy": (Behaviour(raw="<html>a proxy says hello</html>"), {}, AGAIN, ["a proxy says hello"]),
    "nothing": (Behaviour(raw=""), {}, AGAIN, []),
    "a list": (Behaviour(raw="[]"), {}, AGAIN, []),
    "no choice": (Behaviour(raw='{"choices": []}'), {}, AGAIN, []),
    "a choice without a message": (Behaviour(raw='{"choices": [{}]}'), {}, AGAIN, []),
    "content that is a number": (Behaviour(raw='{"choices": [{"message": {"content": 3}}]}'), {}, AGAIN, []),
    "an error in a good status": (Behaviour(raw='{"error": {"message": "slot is gone"}}'), {}, AGAIN, ["slot is gone"]),
    "a body that is cut": (Behaviour("a text that is cut in the middle", truncate=True), {}, AGAIN, []),
    "a closed connection": (Behaviour(close=True), {}, AGAIN, []),
    "a call that takes too long": (Behaviour(delay=30), {"timeout_seconds": 0.2}, AGAIN, []),
    "a stream that breaks off": (Behaviour("one two three", close_after=1), {"stream": True}, AGAIN, []),
    "a stream without an ending": (
        Behaviour(raw='data: {"choices": [{"delta": {"content": "one"}}]}\n\n', headers=STREAMED),
        {"stream": True}, AGAIN, [],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("behaviour", "options", "is_retryable", "words"), FAILURES.values(), ids=FAILURES)
async def test_a_failure_says_what_happened_and_whether_to_try_again(behaviour, options, is_retryable, words):
    error = await failed(behaviour, **options)
    assert error.retryable == is_retryable
    assert [word for word in words if word not in str(error)] == []


async def test_a_refused_key_names_the_variable_and_never_the_key(monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-secret-123")
    error = await failed(Behaviour("bad key sk-secret-123", status=401), api_key_env="MY_KEY")
    assert "MY_KEY" in str(error)
    assert "secret" not in str(error)


@pytest.mark.parametrize(
    ("headers", "seconds"), [({"Retry-After": "2.5"}, 2.5), ({"retry-after-ms": "1500"}, 1.5), ({"Retry-After": "soon"}, None)]
)
async def test_the_wait_that_a_server_asks_for_is_kept(headers, seconds):
    assert (await failed(Behaviour("busy", status=429, headers=headers))).retry_after_seconds == seconds


async def test_the_wait_may_be_a_date():
    date = email.utils.formatdate(time.time() + 60, usegmt=True)
    error = await failed(Behaviour("busy", status=503, headers={"Retry-After": date}))
    assert error.retry_after_seconds == pytest.approx(60, abs=3)


async def test_a_server_that_is_not_there_is_named_with_what_to_do():
    llm = OpenAICompatible(model="m", base_url="http://127.0.0.1:9/v1")
    with pytest.raises(ModelError, match=r"http://127.0.0.1:9/v1.*start the server.*base_url") as caught:
        await llm.reply(ASK, GREEDY)
    assert caught.value.retryable
    await llm.close()


async def test_a_stalled_stream_ends():
    pieces = []
    error = await failed(Behaviour("one two three", stall_after=2), timeout_seconds=1.5, on_text=pieces.append)
    assert error.retryable
    assert pieces == ["one ", "two "]


async def test_a_long_stream_that_keeps_coming_does_not_time_out():
    text = "word " * 40

    slow = Behaviour(text, pieces=[text[:100], text[100:]], delay=0.9)
    async with served(slow, stream=True, timeout_seconds=1.6) as (llm, _):
        assert (await llm.reply(ASK, GREEDY)).text == text


async def test_the_next_call_after_a_failure_succeeds():
    async with served(Behaviour(close=True), Behaviour("ok", truncate=True), Behaviour("fine")) as (llm, _):
        for _ in range(2):
            with pytest.raises(ModelError):
                await llm.reply(ASK, GREEDY)
        assert (await llm.reply(ASK, GREEDY)).text == "fine"


# Keys


async def test_an_endpoint_elsewhere_needs_a_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(SettingsError, match="environment variable OPENAI_API_KEY"):
        await OpenAICompatible(model="m").reply(ASK, GREEDY)


async def test_a_key_is_sent_as_a_bearer_and_never_shown(monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-1")
    async with served(api_key_env="MY_KEY") as (llm, server):
        await llm.reply(ASK, GREEDY)
        assert "sk-1" not in repr(llm) + llm.identity + str(vars(llm))
    assert server.requests[0].headers["authorization"] == "Bearer sk-1"


def test_the_identity_holds_no_password_and_tells_models_apart():
    llm = OpenAICompatible(model="m", base_url="https://me:secret@host/v1")
    assert llm.identity == "chat:https://host/v1:m"
    assert OpenAICompatible(model="m", extra_body={"top_k": 1}).identity != OpenAICompatible(model="m").identity


def test_the_identity_holds_how_much_the_model_thinks_only_if_that_was_set():
    def identity(**options):
        return OpenAICompatible(model="m", base_url="https://host/v1", **options).identity

    assert identity() == identity(thinking="auto", max_thinking_tokens=8192, tools="yes") == "chat:https://host/v1:m"
    assert identity(thinking="low") == "chat:https://host/v1:m+thinking=low"
    assert identity(max_thinking_tokens=100) == "chat:https://host/v1:m+max_thinking_tokens=100"
    extra = identity(extra_body={"top_k": 1}, thinking="off")
    assert extra == f"{identity(extra_body={'top_k': 1})}+thinking=off"


@pytest.mark.parametrize(
    "options",
    [{"base_url": "localhost:8000"}, {"timeout_seconds": 0}, {"max_connections": 0}, {"max_thinking_tokens": -1}],
)
def test_options_that_cannot_be_are_refused(options):
    with pytest.raises(SettingsError):
        OpenAICompatible(model="m", **options)


# Connections


async def test_connections_are_kept():
    async with served() as (llm, server):
        for _ in range(5):
            await llm.reply(ASK, GREEDY)
    assert server.num_connections == 1


async def test_no_more_calls_are_open_than_allowed():
    async with served(Behaviour(delay=0.02), max_connections=3) as (llm, server):
        await asyncio.gather(*(llm.reply(ASK, GREEDY) for _ in range(12)))
    assert server.max_open == 3


@pytest.mark.slow
async def test_waiting_for_a_turn_is_not_a_timeout():
    async with served(Behaviour(delay=0.3), max_connections=1, timeout_seconds=1.2) as (llm, _):
        replies = await asyncio.gather(*(llm.reply(ASK, GREEDY) for _ in range(5)))
    assert len(replies) == 5


@pytest.mark.parametrize("stream", [False, True])
async def test_a_cancelled_call_closes_its_connection(stream):
    behaviour = Behaviour("one two", stall_after=1) if stream else Behaviour(delay=30)
    async with served(behaviour, stream=stream) as (llm, server):
        call = asyncio.create_task(llm.reply(ASK, GREEDY))
        await until(lambda: server.num_open == 1)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await until(lambda: server.num_abandoned == 1)


def test_one_object_serves_one_event_loop_after_another():
    llms = []

    async def once():
        async with ScriptedServer() as server:
            if not llms:
                llms.append((server.port, OpenAICompatible(model="m", base_url=server.base_url)))
            return await llms[0][1].reply(ASK, GREEDY)

    async def again():
        async with ScriptedServer(port=llms[0][0]):
            return await llms[0][1].reply(ASK, GREEDY)

    assert asyncio.run(once()) == asyncio.run(again())


async def until(condition, seconds=3.0):
    deadline = time.perf_counter() + seconds
    while not condition():
        assert time.perf_counter() < deadline, "it did not come to pass"
        await asyncio.sleep(0.01)


async def test_a_server_that_ends_its_connection_after_a_stream_is_told_to_do_so():
    """llama.cpp promises to keep the connection and closes it; a call that reuses it in that moment would be lost."""
    async with served(Behaviour(headers={"Server": "llama.cpp"}), stream=True) as (llm, server):
        for _ in range(3):
            await llm.reply(ASK, GREEDY)
    assert [request.headers["connection"] for request in server.requests] == ["keep-alive", "close", "close"]


async def test_many_calls_at_a_time_all_come_back():
    async with served(lambda request: Behaviour(request.body["messages"][0]["content"], delay=0.05)) as (llm, server):
        texts = [str(number) for number in range(40)]
        replies = await asyncio.gather(*(llm.reply((Message("user", text),), GREEDY) for text in texts))
    assert [reply.text for reply in replies] == texts
    assert server.max_open == 40


async def test_the_server_of_these_tests_runs_as_a_process_too(tmp_path):
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"text": "one"}, {"text": "two", "status": 429, "headers": {"Retry-After": "1"}}]))
    command = [sys.executable, scripted_server.__file__, "--port", "0", "--script", str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: ASYNC220 - nothing else runs here
        llm = OpenAICompatible(model="m", base_url=f"http://127.0.0.1:{int(process.stdout.readline())}/v1")
        assert (await llm.reply(ASK, GREEDY)).text == "one"
        with pytest.raises(ModelError, match="two"):
            await llm.reply(ASK, GREEDY)
        await llm.close()
        process.kill()


# -- several replies in one request ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("endpoint", ["chat", "completion"])
async def test_several_replies_come_of_one_request_in_order_and_the_first_has_its_usage(endpoint):
    async with served(Behaviour("ok"), endpoint=endpoint, samples="yes") as (llm, server):
        replies = await llm.replies(ASK, Sampling(temperature=0.7), 3)
    assert [reply.text for reply in replies] == ["ok 0", "ok 1", "ok 2"]
    assert [reply.usage for reply in replies] == [Usage(7, 3), Usage(), Usage()]
    [request] = server.requests
    assert request.body["n"] == 3


async def test_one_reply_is_asked_for_without_a_number():
    async with served() as (llm, server):
        await llm.reply(ASK, GREEDY)
    assert "n" not in server.requests[0].body


async def test_a_server_that_sends_fewer_replies_is_told_of_with_what_to_set():
    async with served(Behaviour(num_choices=1), samples="yes") as (llm, _):
        with pytest.raises(ModelError, match=r"sent 1 of 3 replies.*set llms.openai_compatible.samples=no") as caught:
            await llm.replies(ASK, GREEDY, 3)
    assert not caught.value.retryable


@pytest.mark.parametrize(("server", "is_able"), [("openai", True), ("vllm", True), ("llama.cpp", False), ("ollama", False)])
def test_whether_several_replies_are_drawn_at_once_goes_by_the_server_or_the_option(server, is_able):
    assert OpenAICompatible(model="m", server=server).abilities.samples is is_able
    assert OpenAICompatible(model="m", server=server, samples="no").abilities.samples is False
