"""Endpoints that lie, over real sockets: whatever they send, a call ends in a sound reply or in a ModelError, and in time."""

import asyncio
import json
import time
import zlib
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.lies import ASK, ENDLESS, EVENTS, MALFORMED_COMPLETIONS, SHORT, completion, outcome
from support.scripted_server import Behaviour, ScriptedServer
from support.served_model import served

from hopweave.core.errors import ModelError
from hopweave.core.json_text import one_line_of_json
from hopweave.core.retries import Retries
from hopweave.core.types import Reply, Sampling, Usage
from hopweave.models.llms._address import Wire
from hopweave.models.llms._json import MALFORMED, parsed
from hopweave.models.llms._wire import StreamedReply, parse_completion
from hopweave.models.llms.openai_compatible import OpenAICompatible
from hopweave.record import ModelCall, Trace
from hopweave.run.components import Components
from hopweave.run.store.store import Store
from hopweave.run.workbench import Workbench

# -- malformed replies -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("body", MALFORMED_COMPLETIONS.values(), ids=MALFORMED_COMPLETIONS)
async def test_what_is_of_the_wrong_type_is_an_error_of_the_model(body, stream):
    came = await outcome(Behaviour(raw=json.dumps(body)), stream=stream)
    assert type(came) is ModelError
    assert str(came).startswith("http://127.0.0.1")
    assert "\n" not in str(came)


@pytest.mark.parametrize("event", EVENTS.values(), ids=EVENTS)
async def test_an_event_of_the_wrong_type_is_an_error_of_the_model(event):
    body = f"data: {json.dumps(event)}\n\ndata: [DONE]\n\n"
    came = await outcome(Behaviour(raw=body, headers={"Content-Type": "text/event-stream"}), stream=True)
    assert type(came) is ModelError


@pytest.mark.parametrize(
    "body", [b"\xff\xfe\xfa", b'{"choices": "\xc3', b"[" * 100_000, b'{"a":' * 100_000, b"9" * 100_000, b"\x00" * 50]
)
async def test_bytes_that_are_no_json_are_an_error_of_the_model(body):
    assert type(await outcome(Behaviour(raw=body))) is ModelError


@pytest.mark.parametrize("where", ["choice_finish_reason", "choice_message"])
async def test_half_of_a_surrogate_pair_comes_to_a_reply_that_can_be_kept(where, tmp_path):
    body = completion(**{where: "\ud800" if "reason" in where else {"content": "Ulm \udc00"}})
    async with ScriptedServer([Behaviour(raw=json.dumps(body))]) as server:
        record, stored = await kept(server, tmp_path)
    assert stored.reply is not None
    assert "\ufffd" in one_line_of_json_of(stored.reply)
    assert record.error is None


@pytest.mark.parametrize("body", MALFORMED_COMPLETIONS.values(), ids=MALFORMED_COMPLETIONS)
async def test_a_malformed_reply_is_kept_as_a_failure_and_tried_again(body, tmp_path):
    async with ScriptedServer([Behaviour(raw=json.dumps(body)), Behaviour("Ulm")]) as server:
        first, failed = await kept(server, tmp_path)
        second, stored = await kept(server, tmp_path)
    assert (first.error.kind, failed) == ("ModelError", None)
    assert (second.error, stored.reply.text) == (None, "Ulm")


async def kept(server, folder):
    """The step of a call without retries, and what the store holds of it afterwards."""
    llm, store = OpenAICompatible(model="m", base_url=server.base_url), Store(folder / "store.sqlite")
    parts, steps = Components(llm, store=store, retries=Retries(max_attempts=1)), []
    trace = Trace([steps.append])
    keys = []
    put = store.put
    store.put = lambda key, stored: (keys.append(key), put(key, stored))[1]
    try:
        await Workbench(parts, trace).reply(ASK, purpose="test", sampling=SHORT)
    except ModelError:
        pass
    finally:
        found = store.get(keys[0]) if keys else None
        await parts.close()
    return next(step for step in steps if isinstance(step, ModelCall)), found


def one_line_of_json_of(reply):
    from pydantic import TypeAdapter

    return one_line_of_json(TypeAdapter(Reply), reply)


NAMES = [
    "choices", "message", "content", "text", "delta", "finish_reason", "usage", "prompt_tokens", "logprobs", "tokens", "token",
    "logprob", "top_logprobs", "token_logprobs", "index", "error", "timings",
]  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=12,
)
CHOICE = st.fixed_dictionaries(
    {"message": st.fixed_dictionaries({"content": JSON})}, optional={"finish_reason": JSON, "logprobs": JSON, "index": JSON}
)
COMPLETION = st.fixed_dictionaries(
    {"choices": st.lists(CHOICE, min_size=1, max_size=3)}, optional={"usage": JSON, "timings": JSON}
)


@pytest.mark.slow
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(JSON | COMPLETION)
def test_any_json_is_a_sound_reply_or_one_of_the_errors_of_reading(data):
    wire = Wire("m", "http://127.0.0.1/v1")
    try:
        replies = [one.reply for one in parse_completion(wire, parsed(json.dumps(data).encode()), "", Sampling())]
    except (ModelError, *MALFORMED):
        pass
    else:
        for reply in replies:
            one_line_of_json_of(reply if reply.text.isprintable() else Reply("", reply.finish_reason, reply.usage))
    streamed = StreamedReply(wire, "", SHORT)
    try:
        list(streamed.feed(b"data: " + json.dumps(data).encode() + b"\n"))
        streamed.end()
    except ModelError:
        pass


# -- replies that the endpoint says are none -----------------------------------------------------------------------------------


def streamed(*events, end="data: [DONE]\n\n"):
    """A stream of these events: a text, or the fields of a choice."""
    deltas = [{"delta": {"content": event}} if isinstance(event, str) else event for event in events]
    lines = "".join(f"data: {json.dumps({'choices': [delta]})}\n\n" for delta in deltas)
    return Behaviour(raw=lines + end, headers={"Content-Type": "text/event-stream"})


DOWN = {"code": 502, "message": "The provider is down"}
NO_ROOM = "insufficient_system_resource"
FAILED = {
    "openrouter": ({"finish_reason": "error", "error": DOWN}, "The provider is down"),
    "an error and no reason": ({"error": {"message": "The provider is down"}}, "The provider is down"),
    "deepseek": ({"finish_reason": NO_ROOM}, f"could not complete the reply ({NO_ROOM})"),
    "vllm": ({"finish_reason": "abort"}, "could not complete the reply (abort)"),
    "an error alone": ({"finish_reason": "error"}, "could not complete the reply (error)"),
}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("ending", "said"), FAILED.values(), ids=FAILED)
async def test_half_a_reply_that_the_endpoint_could_not_complete_is_an_error_to_try_again(ending, said, stream):
    whole = Behaviour(raw=json.dumps(completion(**{f"choice_{name}": value for name, value in ending.items()})))
    came = await outcome(streamed("Ul", {"delta": {}, **ending}) if stream else whole, stream=stream)
    assert said in str(came)
    assert came.retryable


async def test_half_a_reply_is_never_stored(tmp_path):
    broken = completion(choice_finish_reason="error", choice_error={"code": 502, "message": "gone"})
    async with ScriptedServer([Behaviour(raw=json.dumps(broken)), Behaviour("Ulm")]) as server:
        first, stored = await kept(server, tmp_path)
        second, _ = await kept(server, tmp_path)
    assert (first.error.kind, stored) == ("ModelError", None)
    assert second.text == "Ulm"


@pytest.mark.parametrize("stream", [False, True])
async def test_a_reply_of_which_a_filter_withheld_the_rest_is_said_to_be_withheld(stream):
    reason = {"finish_reason": "content_filter"}
    whole = Behaviour(raw=json.dumps(completion(choice_finish_reason="content_filter")))
    came = await outcome(streamed("Ul", {"delta": {}, **reason}) if stream else whole, stream=stream)
    assert "withheld the reply (content_filter)" in str(came)
    assert not came.retryable


async def test_of_several_replies_the_one_that_a_filter_cut_short_is_empty():
    [choice] = completion()["choices"]
    choices = [choice, {**choice, "index": 1, "finish_reason": "content_filter"}, {**choice, "index": 2}]
    async with served(Behaviour(raw=json.dumps(completion(choices=choices)))) as (llm, _):
        assert [reply.text for reply in await llm.replies(ASK, SHORT, 3)] == ["Ulm", "", "Ulm"]


async def test_a_reply_that_our_stop_string_ends_is_whole_whatever_ends_the_rest():
    body = completion(choice_message={"content": "Ulm\nand so"}, choice_finish_reason="content_filter")
    came = await outcome(Behaviour(raw=json.dumps(body)), sampling=Sampling(stop=("\n",)))
    assert (came.text, came.finish_reason) == ("Ulm", "stop")


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("reason", ["length", "max_tokens", "model_length", "MAX_TOKENS"])
async def test_every_name_of_a_limit_is_the_same_to_methods(reason, stream):
    whole = Behaviour(raw=json.dumps(completion(choice_finish_reason=reason)))
    came = await outcome(streamed("Ulm", {"delta": {}, "finish_reason": reason}) if stream else whole, stream=stream)
    assert (came.text, came.finish_reason) == ("Ulm", "length")


# -- streams that end otherwise than they should -------------------------------------------------------------------------------

STOP = {"delta": {}, "finish_reason": "stop"}
SAID = "Ulm ", "it is"
OTHER = {"index": 1, "delta": {"content": "Bonn"}}
UNENDED = streamed(*SAID, STOP, end="").raw
ENDINGS = {
    "as usual": streamed(*SAID, STOP),
    "without a reason": streamed(*SAID),
    "without saying so": streamed(*SAID, STOP, end=""),
    "without a last line feed": replace(streamed(), raw=UNENDED.rstrip("\n")),
    "without a last line feed and a reason": streamed(*SAID, end="data: [DONE]"),
    "within an event after the reason": streamed(*SAID, STOP, end='data: {"choices": [], "usa'),
    "with a byte order mark": replace(streamed(), raw=f"\ufeff{UNENDED}"),
    "with another choice between": streamed("Ulm ", OTHER, {"index": 0, "delta": {"content": "it is"}}, STOP),
    "with another choice that ends first": streamed("Ulm ", {"index": 1, **STOP, "finish_reason": "length"}, "it is", STOP),
}


@pytest.mark.parametrize("behaviour", ENDINGS.values(), ids=ENDINGS)
async def test_a_stream_is_one_whole_reply_however_it_ends(behaviour):
    shown = []
    came = await outcome(behaviour, stream=True, on_text=shown.append)
    assert (came.text, came.finish_reason, "".join(shown)) == ("Ulm it is", "stop", "Ulm it is")


BROKEN = {
    "within the reply": streamed("Ulm ", "it is", end=""),
    "within an event": streamed("Ulm ", end='data: {"choices": [{"delta": {"con'),
    "before anything came": streamed(),
}


@pytest.mark.parametrize("behaviour", BROKEN.values(), ids=BROKEN)
async def test_a_stream_that_ends_too_early_has_broken_off(behaviour):
    came = await outcome(behaviour, stream=True)
    assert "broke off in the middle of a reply" in str(came)
    assert came.retryable


async def test_an_error_without_a_last_line_feed_is_still_told():
    came = await outcome(streamed("Ulm ", end='data: {"error": {"message": "slot is gone"}}'), stream=True)
    assert "slot is gone" in str(came)


async def held_open(body, *, is_reset=False, **options):
    """What comes of a stream whose connection stays open after this body, or is reset, and how long that takes."""

    over = asyncio.Event()

    async def serve(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        data = body.encode()
        writer.write(head.encode() + f"{len(data):x}\r\n".encode() + data + b"\r\n")
        await writer.drain()
        if is_reset:
            await asyncio.sleep(0.1)
            writer.transport.abort()
        else:
            await reader.read()
        writer.close()
        over.set()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    llm = OpenAICompatible(model="m", base_url=address, server="openai", stream=True, **options)
    begun = time.monotonic()
    try:
        return await llm.reply(ASK, SHORT), time.monotonic() - begun
    except ModelError as error:
        return error, time.monotonic() - begun
    finally:
        await llm.close()
        await over.wait()
        server.close()


async def test_a_stream_that_says_it_is_over_is_not_waited_for():
    came, seconds = await held_open(streamed("Ulm", STOP).raw, timeout_seconds=30.0)
    assert came.text == "Ulm"
    assert seconds < 3.0


@pytest.mark.parametrize("is_reset", [False, True])
async def test_a_reply_that_has_its_reason_is_whole_though_the_stream_stalls_or_is_lost(is_reset):
    came, _ = await held_open(streamed("Ulm", STOP, end="").raw, is_reset=is_reset, timeout_seconds=0.5)
    assert (came.text, came.finish_reason) == ("Ulm", "stop")
    broken, _ = await held_open(streamed("Ulm", end="").raw, is_reset=is_reset, timeout_seconds=0.5)
    assert type(broken) is ModelError
    assert broken.retryable


# -- too much --------------------------------------------------------------------------------------------------------------


async def within(seconds, call):
    return await asyncio.wait_for(call, seconds)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("behaviour", ENDLESS.values(), ids=ENDLESS)
async def test_what_does_not_end_is_cut_off(behaviour, stream):
    came = await within(60, outcome(behaviour, stream=stream, max_thinking_tokens=0))
    assert "was cut off" in str(came)
    assert not came.retryable


async def test_thoughts_may_be_as_long_as_they_are_allowed_to_be_and_no_longer():
    def sent(num_pieces):
        thoughts = "".join(
            f'data: {{"choices": [{{"delta": {{"reasoning": "{"x" * 900} "}}}}]}}\n\n' for _ in range(num_pieces)
        )
        ending = 'data: {"choices": [{"delta": {"content": "Ulm"}, "finish_reason": "stop"}]}\n\n'
        return Behaviour(raw=thoughts + ending, headers={"Content-Type": "text/event-stream"})

    assert (await outcome(sent(2000), stream=True, max_thinking_tokens=1000)).text == "Ulm"
    came = await outcome(sent(2000), stream=True, max_thinking_tokens=100)
    assert "1,729 pieces of a reply that was to have 108 tokens" in str(came) or "bytes that a reply" in str(came)
    assert "was cut off" in str(came)


async def test_a_stream_of_more_pieces_than_tokens_were_asked_for_is_cut_off():
    shown = []
    behaviour = Behaviour("a b c", is_endless=True)
    came = await within(60, outcome(behaviour, stream=True, on_text=shown.append))
    assert "129 pieces of a reply that was to have 8 tokens" in str(came)
    assert len(shown) == 128


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("thoughts", ["", "<think>Hm.</think>"])
async def test_a_reply_far_beyond_its_limit_is_cut_as_if_the_limit_had_ended_it(thoughts, stream):
    words, shown = "Ulm and " * 20_000, []
    behaviour = Behaviour(thoughts + words, pieces=[thoughts + words[:30_000], words[30_000:]])
    came = await outcome(behaviour, sampling=Sampling(max_tokens=600), stream=stream, on_text=shown.append if stream else None)
    assert (came.text, came.finish_reason) == (words[: 16 * 600], "length")
    assert not stream or "".join(shown) == came.text


@pytest.mark.parametrize("stream", [False, True])
async def test_a_reply_of_some_thousand_characters_is_whole_however_small_its_limit(stream):
    words = "Ulm and " * 1000
    behaviour = Behaviour(words, pieces=[words])
    came = await outcome(behaviour, sampling=Sampling(max_tokens=8), stream=stream)
    assert (came.text, came.finish_reason) == (words, "stop")


async def test_a_stop_string_beyond_the_most_characters_is_none():
    text = "a" * 9000 + "\nb"
    came = await outcome(Behaviour(text), sampling=Sampling(max_tokens=8, stop=("\n",)))
    assert (len(came.text), came.finish_reason) == (8192, "length")


async def test_a_stream_that_comes_letter_by_letter_is_a_reply():
    text = "The Danube flows through Ulm."
    assert (await outcome(Behaviour(text, pieces=list(text)), stream=True)).text == text


@pytest.mark.slow
async def test_a_stream_that_keeps_coming_ends_at_its_time():
    behaviour = Behaviour("a", is_endless=True, piece_delay=0.02)
    sampling = Sampling(max_tokens=100_000)
    came = await within(30, outcome(behaviour, sampling=sampling, stream=True, timeout_seconds=1.5, stream_seconds=3.0))
    assert "had not ended its reply after 3 s" in str(came)
    assert "llms.openai_compatible.stream_seconds" in str(came)


def packed(content, kind="gzip"):
    squeeze = zlib.compressobj(wbits={"gzip": 31, "deflate": 15, "raw": -15}[kind])
    return squeeze.compress(content) + squeeze.flush()


ZIPPED = {"Content-Encoding": "gzip"}
PACKED = {
    "a small body that unpacks to a huge one": Behaviour(raw=packed(b" " * 200_000_000), headers=ZIPPED),
    "a body that unpacks to nothing, again and again": Behaviour(raw=packed(b"") * 4000, is_endless=True, headers=ZIPPED),
}


@pytest.mark.parametrize("behaviour", PACKED.values(), ids=PACKED)
async def test_packed_bytes_are_cut_off_too(behaviour):
    assert len(behaviour.raw) < 300_000
    assert "was cut off" in str(await within(60, outcome(behaviour)))


@pytest.mark.parametrize(("kind", "name"), [("gzip", "gzip"), ("deflate", "deflate"), ("raw", "deflate")])
async def test_a_packed_reply_is_read(kind, name):
    body = packed(json.dumps(completion()).encode(), kind)
    assert (await outcome(Behaviour(raw=body, headers={"Content-Encoding": name}))).text == "Ulm"


@pytest.mark.parametrize("name", ["br", "gzip", "deflate", "gzip, gzip"])
async def test_what_is_packed_otherwise_than_it_says_is_an_error(name):
    assert type(await outcome(Behaviour(raw=b"\x99 no such thing", headers={"Content-Encoding": name}))) is ModelError


def nested(depth):
    return '{"choices": ' + "[" * depth + "]" * depth + ', "usage": {}}'


async def test_brackets_are_nested_so_deep_and_no_deeper():
    assert "nested more than 64 deep" in str(await outcome(Behaviour(raw=nested(100))))
    assert "nested" not in str(await outcome(Behaviour(raw=nested(60))))
    text = "[{" * 4000 + '\\"' * 50
    assert (await outcome(Behaviour(raw=json.dumps(completion(choice_message={"content": text}))))).text == text


@pytest.mark.parametrize("usage", [{"prompt_tokens": 7.0}, {"prompt_tokens": 7, "completion_tokens": None}])
async def test_a_usage_that_says_less_is_read_as_far_as_it_goes(usage):
    assert (await outcome(Behaviour(raw=json.dumps(completion(usage=usage))))).usage == Usage(7)


# -- elsewhere -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_to_another_server_is_an_error_and_nothing_is_sent_there(status):
    async with ScriptedServer() as elsewhere:
        target = f"{elsewhere.base_url}/chat/completions"
        came = await outcome(Behaviour("moved", status=status, headers={"Location": target}))
        assert f"redirects to '{target}', which is not followed" in str(came)
        assert not came.retryable
        assert elsewhere.num_connections == 0


@pytest.mark.parametrize("target", ["/v1/here/chat/completions", "here/completions"])
async def test_a_redirect_that_stays_is_followed_with_the_request(target):
    def decide(request):
        is_first = request.path == "/v1/chat/completions"
        return Behaviour("moved", status=308, headers={"Location": target}) if is_first else Behaviour("Ulm")

    async with served(decide) as (llm, server):
        assert (await llm.reply(ASK, SHORT)).text == "Ulm"
    assert server.requests[0].body == server.requests[1].body


@pytest.mark.parametrize("target", ["", "/v1/chat/completions", "file:///etc/passwd", "http://", "//[", "https://127.0.0.1:1/"])
async def test_a_redirect_that_leads_nowhere_is_an_error(target):
    assert "redirects to" in str(await outcome(Behaviour("moved", status=307, headers={"Location": target})))
