"""Calls of tools in the protocol of endpoints: whole, in pieces of a stream, and in the ways servers get them wrong."""

import json
import re

import pytest
from support.scripted_server import Behaviour
from support.served_model import served

from hopweave.core.errors import ModelError
from hopweave.core.types import Message, Reply, Sampling, Tool, ToolCall
from hopweave.models.llms._address import Wire
from hopweave.models.llms._request_body import request_body

ASK = (Message("user", "Where?"),)
SEARCH = Tool("search", "Finds passages.", {"type": "object", "properties": {"query": {"type": "string"}}})
WITH_TOOLS = Sampling(tools=(SEARCH,))
ULM = ToolCall("call_1", "search", '{"query": "Ulm"}')
SCHEMA = {"type": "object", "properties": {}, "additionalProperties": False}


def call(id_="call_1", name="search", arguments='{"query": "Ulm"}', **more):
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}, **more}


def message(*calls, content=None):
    choice = {"message": {"role": "assistant", "content": content, "tool_calls": list(calls)}, "finish_reason": "tool_calls"}
    return Behaviour(raw=json.dumps({"choices": [choice]}))


def stream(*pieces):
    events = [{"choices": [{"delta": {"tool_calls": [piece]}}]} for piece in pieces]
    events.append({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]})
    raw = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
    return Behaviour(raw=raw, headers={"Content-Type": "text/event-stream"})


def piece(index, arguments="", id_=None, name=None):
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    return {key: value for key, value in (("index", index), ("id", id_), ("function", function)) if value is not None}


CALLS = {
    # what a server sends, and the calls that it makes of it
    "a call": (message(call()), [ULM]),
    "a call beside words": (message(call(), content="I look it up."), [ULM]),
    "several": (message(call(), call("call_2", "read", "{}")), [ULM, ToolCall("call_2", "read", "{}")]),
    "arguments as an object": (message(call(arguments={"query": "Ulm"})), [ULM]),
    "no arguments": (message(call(arguments=None)), [ToolCall("call_1", "search", "{}")]),
    "arguments that are no JSON": (message(call(arguments="Ulm")), [ToolCall("call_1", "search", "Ulm")]),
    "a stream": (stream(piece(0, "", "call_1", "search"), piece(0, '{"query"'), piece(0, ': "Ulm"}')), [ULM]),
    "a stream that repeats the id": (
        stream(piece(0, '{"query"', "call_1", "search"), piece(0, ': "Ulm"}', "call_1", "")), [ULM]
    ),
    "a stream of several": (
        stream(piece(0, "{}", "a", "search"), piece(1, "{", "b", "read"), piece(1, "}")),
        [ToolCall("a", "search", "{}"), ToolCall("b", "read", "{}")],
    ),
    "a stream without numbers": (
        stream(piece(None, "{", "a", "search"), piece(None, "}"), piece(None, "{}", "b", "read")),
        [ToolCall("a", "search", "{}"), ToolCall("b", "read", "{}")],
    ),
    "a stream of calls with one number": (
        stream(piece(0, "{}", "a", "search"), piece(0, "{}", "b", "read")),
        [ToolCall("a", "search", "{}"), ToolCall("b", "read", "{}")],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("behaviour", "calls"), CALLS.values(), ids=CALLS)
async def test_calls_are_read(behaviour, calls):
    is_streamed = "Content-Type" in behaviour.headers
    async with served(behaviour, tools="yes", stream=is_streamed) as (llm, _):
        reply = await llm.reply(ASK, WITH_TOOLS)
    assert list(reply.tool_calls) == calls
    assert reply.finish_reason == "tool_calls"


async def test_missing_ids_are_made_up_so_that_mistral_takes_them_and_no_two_are_alike():
    twice = message(call(None), call(""))
    async with served(twice, tools="yes") as (llm, _):
        replies = [await llm.reply(turns, WITH_TOOLS) for turns in (ASK, ASK, (*ASK, *ASK))]
    ids = [[one.id for one in reply.tool_calls] for reply in replies]
    assert all(re.fullmatch("[a-zA-Z0-9]{9}", id_) for pair in ids for id_ in pair)
    assert ids[0] == ids[1]
    assert len({*ids[0], *ids[2]}) == 4


async def test_calls_of_tools_that_were_not_offered_are_left_out():
    async with served(message(call(), content="Ulm"), tools="yes") as (llm, _):
        assert await llm.reply(ASK, Sampling()) == Reply("Ulm", "tool_calls")


WRONG = {
    "an object": {"a": 1}, "a text": "search", "a list of texts": ["search"],
    "a function that is a text": [{"function": "search"}],
    "a name that is a number": [call(name=5)], "an id that is a list": [call(["a"])],
}  # fmt: skip


@pytest.mark.parametrize("calls", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("is_streamed", [False, True])
async def test_calls_of_another_type_are_an_error(calls, is_streamed):
    choice = {"message": {"content": "", "tool_calls": calls}, "delta": {"tool_calls": calls}, "finish_reason": "stop"}
    raw = json.dumps({"choices": [choice]})
    streamed = Behaviour(raw=f"data: {raw}\n\n", headers={"Content-Type": "text/event-stream"})
    async with served(streamed if is_streamed else Behaviour(raw=raw), tools="yes", stream=is_streamed) as (llm, _):
        with pytest.raises(ModelError, match="what is not a completion"):
            await llm.reply(ASK, WITH_TOOLS)


async def test_a_call_that_never_ends_is_cut_off():
    pieces = [piece(0, "", "a", "search"), *[piece(0, "x")] * 200]
    async with served(stream(*pieces), tools="yes", stream=True) as (llm, _):
        with pytest.raises(ModelError, match="was cut off"):
            await llm.reply(ASK, Sampling(tools=(SEARCH,), max_tokens=8))


# -- what is sent ------------------------------------------------------------------------------------------------------------

SENT_BACK = {
    "a call": (Message("assistant", "", (ULM,)), {"content": None, "tool_calls": [call()]}),
    "a call beside words": (Message("assistant", "I look.", (ULM,)), {"content": "I look.", "tool_calls": [call()]}),
    "arguments that are no object": (
        Message("assistant", "", (ToolCall("a", "search", "Ulm"),)),
        {"content": None, "tool_calls": [call("a", arguments='{"arguments": "Ulm"}')]},
    ),
    "thoughts, which nobody asked for": (
        Message("assistant", "", (ULM,), thoughts="Hm."), {"content": None, "tool_calls": [call()]}
    ),
    "thoughts without a call": (Message("assistant", "Ulm", thoughts="Hm."), {"content": "Ulm"}),
    "a result": (Message("tool", "It is in Ulm.", result_of="call_1"), {"content": "It is in Ulm.", "tool_call_id": "call_1"}),
}  # fmt: skip


@pytest.mark.parametrize(("turn", "sent"), SENT_BACK.values(), ids=SENT_BACK)
def test_turns_are_sent_as_endpoints_take_them(turn, sent):
    body = request_body(Wire("m", "http://h/v1", tools=True), (*ASK, turn, *ASK), WITH_TOOLS, frozenset(), is_streamed=False)
    assert body["messages"][1] == {"role": turn.role, **sent}
    assert body["tools"] == [
        {"type": "function", "function": {"name": "search", "description": "Finds passages.", "parameters": SEARCH.parameters}}
    ]


@pytest.mark.parametrize(
    ("wire", "fields"),
    [
        ({"tools": False}, {"response_format"}),
        ({"tools": True}, {"tools", "tool_choice"}),
        ({"tools": True, "server": "openai"}, {"tools", "tool_choice", "response_format"}),
        ({"tools": True, "endpoint": "completion"}, set()),
    ],
)
def test_tools_and_a_schema_go_together_only_where_they_can(wire, fields):
    sampling = Sampling(tools=(SEARCH,), json_schema=SCHEMA)
    body = request_body(Wire("m", "http://h/v1", **wire), ASK, sampling, frozenset(), is_streamed=False)
    assert {"tools", "tool_choice", "response_format"} & body.keys() == fields


def test_a_turn_with_calls_is_no_prefill():
    wire = Wire("m", "http://h/v1", server="vllm", prefill=True, tools=True)
    body = request_body(wire, (*ASK, Message("assistant", "", (ULM,))), WITH_TOOLS, frozenset(), is_streamed=False)
    assert "continue_final_message" not in body
