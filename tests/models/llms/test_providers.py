"""The client at endpoints as people have them: each fake refuses, thinks, counts and cuts off as its provider does."""

import asyncio
import logging
from dataclasses import replace

import pytest
from support.providers import (
    LONG_THOUGHTS,
    PROVIDERS,
    THOUGHTS,
    Provider,
    Said,
    bodies,
    client_of,
    connected,
    error,
    in_turn,
    words_of,
)
from support.scripted_server import Behaviour
from support.served_model import served

from hopweave.core.errors import ModelError
from hopweave.core.types import Message, Sampling, Tool
from hopweave.models.llms import _learnt
from hopweave.models.llms._plan import Plan, Request
from hopweave.models.llms._servers import KINDS

ASK = (Message("system", "Be brief."), Message("user", "Where does the Blau end?"))
ULM = "It ends in Ulm."
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": False}
SEARCH = Tool("search", "Finds passages.", {"type": "object", "properties": {"query": {"type": "string"}}})


def everything(llm, **more):
    """All that a method asks of an endpoint, as far as it can."""
    able = llm.abilities
    wants = {"top_logprobs": 2 if able.logprobs else 0, "json_schema": SCHEMA if able.json_schema else None}
    return Sampling(**{"max_tokens": 64, "stop": ("\n\n", "Observation:"), "seed": 7, **wants, **more})


async def asked(llm, sampling=None, messages=ASK, *, is_streamed=False):
    shown = []
    await llm.probe()
    reply = await llm.reply(messages, sampling or everything(llm), shown.append if is_streamed else None)
    assert not is_streamed or "".join(shown) == reply.text
    return reply


# -- every provider ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_streamed", [False, True])
@pytest.mark.parametrize("name", PROVIDERS)
async def test_a_method_gets_a_reply_from_every_provider_and_none_of_its_thoughts(name, is_streamed):
    provider = PROVIDERS[name]
    async with connected(provider, lambda messages: ULM) as (llm, server):
        reply = await asked(llm, is_streamed=is_streamed)
        first = len(bodies(server))
        again = await asked(llm, is_streamed=is_streamed)
        assert len(bodies(server)) == first + 1, "what was learnt is not learnt again"
    assert (reply.text, reply.finish_reason) == (again.text, again.finish_reason) == (ULM, "stop")
    is_seen = provider.thoughts and provider.shown != "hidden"
    assert again.thoughts == (provider.thoughts if is_seen else "")
    if again.logprobs:
        assert "".join(token.token for token in again.logprobs) == ULM


@pytest.mark.parametrize("name", PROVIDERS)
async def test_the_next_process_need_not_learn_it_again(name):
    async with connected(PROVIDERS[name], lambda messages: ULM) as (llm, server):
        await asked(llm)
        _learnt.forget_all()
        num_before, num_all = len(bodies(server)), len(server.requests)
        other = client_of(PROVIDERS[name], server.base_url)
        assert other.abilities == llm.abilities
        assert (await asked(other)).text == ULM
        await other.close()
        assert len(bodies(server)) == num_before + 1
        if "server" not in PROVIDERS[name].options and PROVIDERS[name].gets:
            assert len(server.requests) == num_all + 1, "nor ask again what it is"


@pytest.mark.parametrize("name", PROVIDERS)
async def test_a_step_that_needs_no_thought_gets_its_reply_too(name):
    """Where the model can be told, it does not think; elsewhere it thinks as little as it can."""
    provider = PROVIDERS[name]
    async with connected(provider, lambda messages: ULM) as (llm, server):
        await asked(llm)
        reply = await asked(llm, everything(llm, thinking="off"))
        assert reply.text == ULM
        can_be_told = provider.is_off(bodies(server)[-1])
    assert reply.thoughts == ("" if can_be_told or provider.shown == "hidden" else provider.thoughts)


TOLD = {
    # how a step without thought is asked for, once the model is known to think
    "ollama": {"reasoning_effort": "none", "think": False},
    "vllm": {"chat_template_kwargs": {"enable_thinking": False, "thinking": False}},
    "sglang": {"chat_template_kwargs": {"enable_thinking": False, "thinking": False}},
    "llama.cpp": {"chat_template_kwargs": {"enable_thinking": False, "thinking": False}},
    "openrouter": {"reasoning": {"effort": "none", "enabled": False}},
    "groq": {"reasoning_effort": "none"},
    "deepseek": {"thinking": {"type": "disabled"}},
    "together": {"reasoning": {"enabled": False}},
    "o-series": {"reasoning_effort": "low"},
    "gemini": {"reasoning_effort": "low"},
    "litellm": {"reasoning_effort": "minimal"},
    "<think>": {"reasoning_effort": "none"},
}


@pytest.mark.parametrize(("name", "fields"), TOLD.items(), ids=TOLD)
async def test_each_kind_of_server_is_told_in_its_words_and_the_nearest_level_that_it_takes(name, fields):
    async with connected(PROVIDERS[name], lambda messages: ULM) as (llm, server):
        await asked(llm)
        before = bodies(server)[-1]
        await asked(llm, everything(llm, thinking="off"))
        body = bodies(server)[-1]
    assert not any(field in before for field in fields), "nobody is told without need"
    assert {field: body[field] for field in fields} == fields


LEVELS = {
    "o-series": ("high", {"reasoning_effort": "high"}),
    "ollama": ("minimal", {"reasoning_effort": "low"}),
    "vllm": ("low", {"chat_template_kwargs": {"enable_thinking": True, "thinking": True}}),
    "openrouter": ("medium", {"reasoning": {"effort": "medium"}}),
    "anthropic": ("medium", {"thinking": {"type": "enabled", "budget_tokens": 4096}}),
    "deepseek": ("high", {"thinking": {"type": "enabled"}}),
    "together": ("low", {"reasoning_effort": "low"}),
    "mistral": ("medium", {"reasoning_effort": "high"}),
}


@pytest.mark.parametrize(("name", "level", "fields"), [(name, *row) for name, row in LEVELS.items()], ids=LEVELS)
async def test_a_level_of_thinking_is_asked_for_with_room_from_the_first_call_on(name, level, fields):
    async with connected(PROVIDERS[name], lambda messages: ULM, thinking=level) as (llm, server):
        assert (await asked(llm)).text == ULM
        sent = bodies(server)
    assert {field: sent[-1].get(field) for field in fields} == fields
    assert "stop" not in sent[0]
    assert sent[0].get("max_completion_tokens", sent[0].get("max_tokens")) == 64 + 8192


@pytest.mark.parametrize("model", ["openai/gpt-oss-20b", "gpt-oss:120b"])
def test_gpt_oss_is_asked_for_an_effort_that_cannot_be_none(model):
    assert KINDS["vllm"].thinking("off", model, 9) == {
        "reasoning_effort": "low",
        "chat_template_kwargs": {"reasoning_effort": "low"},
    }


# -- room and stop strings ---------------------------------------------------------------------------------------------------

THINKER = Provider("thinker", "m", {}, THOUGHTS, "content", cuts_thoughts=True)
HIDDEN = Provider("hidden", "m", {}, LONG_THOUGHTS, counts="details")


async def test_a_model_that_turns_out_to_think_is_asked_once_more_with_room_and_without_stop_strings():
    async with connected(THINKER, lambda messages: ULM) as (llm, server):
        reply = await asked(llm)
        first, second = bodies(server)
        await asked(llm)
        third = bodies(server)[2]
    assert (first["max_tokens"], "stop" in first) == (64, True)
    assert (second["max_tokens"], "stop" in second) == (64 + 8192, False)
    assert third == second
    written = len(words_of(f"<think>\n{THOUGHTS}\n</think>\n\n{ULM}"))
    assert reply.usage.completion_tokens > written, "what the first attempt took is counted"


async def test_a_reply_that_thoughts_made_short_is_asked_for_again_and_shown_once():
    shown = []
    text = "word " * 60
    provider = Provider("short", "m", {}, THOUGHTS, "reasoning_content")
    async with connected(provider, lambda messages: text.strip()) as (llm, server):
        reply = await llm.reply(ASK, Sampling(max_tokens=64), shown.append)
        assert len(bodies(server)) == 2
    assert (reply.text, reply.finish_reason) == (text.strip(), "stop")
    assert text.startswith("".join(shown)), "what was shown is not shown again"


async def test_thoughts_that_are_neither_shown_nor_counted_apart_are_known_by_the_tokens_that_are_missing():
    """A token has at least one byte, so a short reply that took many tokens was thought about."""
    provider = Provider("silent", "m", {}, LONG_THOUGHTS)
    text = " ".join(["word"] * 8)
    async with connected(provider, lambda messages: text) as (llm, server):
        limit = len(words_of(LONG_THOUGHTS)) + 4
        reply = await llm.reply(ASK, Sampling(max_tokens=limit))
        assert [body["max_tokens"] for body in bodies(server)] == [limit, limit + 8192]
        assert (reply.text, reply.finish_reason, reply.usage.thinking_tokens) == (text, "stop", 0)


@pytest.mark.parametrize("text", ["word " * 30, "\u6c49" * 30, "\U0001f642" * 10, "{}[]" * 10])
async def test_a_reply_that_has_as_many_tokens_as_bytes_hides_nothing(text):
    usage = {"prompt_tokens": 7, "completion_tokens": len(text.encode())}
    async with served(Behaviour(text, usage=usage, finish_reason="length")) as (llm, server):
        assert (await llm.reply(ASK, Sampling())).text == text
        assert server.num_requests == 1


async def test_a_model_that_does_not_think_gets_its_limit_and_its_stop_strings():
    async with connected(PROVIDERS["openai"], lambda messages: " ".join(["word"] * 90)) as (llm, server):
        reply = await asked(llm)
        [body] = bodies(server)
    assert (reply.finish_reason, body["max_completion_tokens"], len(body["stop"])) == ("length", 64, 2)


async def test_thoughts_that_take_all_the_room_are_an_error_that_says_what_to_set():
    async with connected(HIDDEN, lambda messages: ULM, max_thinking_tokens=100) as (llm, server):
        with pytest.raises(ModelError) as caught:
            await asked(llm)
        assert [body["max_tokens"] for body in bodies(server)] == [64, 164]
    assert not caught.value.retryable
    assert str(caught.value).endswith(
        "all 164 tokens went into thoughts; raise llms.openai_compatible.max_thinking_tokens (now 100), or set "
        'llms.openai_compatible.thinking = "low" or "off"'
    )


async def test_without_room_on_top_nothing_is_asked_twice():
    async with connected(HIDDEN, lambda messages: ULM, max_thinking_tokens=0) as (llm, server):
        with pytest.raises(ModelError, match="all 64 tokens went into thoughts"):
            await asked(llm)
        assert len(bodies(server)) == 1


async def test_a_server_with_a_short_context_gives_as_much_room_as_it_has(caplog):
    async with connected(PROVIDERS["vllm"], lambda messages: ULM) as (llm, server):
        await asked(llm)
        long = (Message("user", "word " * 4000),)
        await asked(llm, messages=long)
        limits = [body["max_tokens"] for body in bodies(server)]
    room = 8192 - 64 - (2 * 8 + sum(len(message.text) // 3 for message in ASK))
    assert limits[:3] == [64, 64 + 8192, 64 + room]
    assert limits[3] < 64 + room - 6000, "a longer prompt leaves less, without a refusal"
    assert f"leaving {room} for thoughts" in caplog.text


async def test_an_endpoint_that_gives_few_new_tokens_is_asked_for_no_more():
    def at_most(body):
        message = f"max_tokens is too large: {body['max_tokens']}. This model supports at most 3000 completion tokens."
        return error(message, param="max_tokens", code="invalid_value") if body["max_tokens"] > 3000 else None

    provider = replace(THINKER, checks=[at_most])
    async with connected(provider, lambda messages: ULM) as (llm, server):
        await asked(llm)
        await asked(llm)
        assert [body["max_tokens"] for body in bodies(server)] == [64, 64 + 8192, 64 + 4096, 64 + 2048, 64 + 2048]


async def test_a_limit_on_prompt_and_reply_together_says_nothing_of_the_most_new_tokens():
    def at_most(body):
        total = 3000 + body["max_tokens"]
        message = f"input length and `max_tokens` exceed context limit: 3000 + {body['max_tokens']} > 8000, decrease either"
        return error(message) if total > 8000 else None

    provider = replace(THINKER, checks=[at_most])
    async with connected(provider, lambda messages: ULM) as (llm, server):
        await asked(llm)
        await asked(llm)
        known = llm._opened().learnt
    assert (known.max_new, known.max_total is not None) == (None, True)
    assert bodies(server)[-1]["max_tokens"] <= 5000


async def test_a_known_context_is_never_asked_for_more():
    async with connected(PROVIDERS["vllm"], lambda messages: ULM, context_tokens=8192, thinking="high") as (llm, server):
        await asked(llm)
        assert len(bodies(server)) == 1


async def test_a_model_that_was_told_not_to_think_is_believed_once_it_was_seen():
    async with connected(PROVIDERS["sglang"], lambda messages: ULM) as (llm, server):
        await asked(llm)
        for _ in range(2):
            await asked(llm, everything(llm, thinking="off"))
        first, second = bodies(server)[-2:]
    assert (first["max_tokens"], "stop" in first) == (64 + 8192, False)
    assert (second["max_tokens"], "stop" in second) == (64, True)


async def test_a_prompt_that_is_too_long_by_itself_is_still_told_of():
    async with connected(PROVIDERS["vllm"], lambda messages: ULM, thinking="high") as (llm, _):
        with pytest.raises(ModelError, match="the prompt is too long"):
            await asked(llm, messages=(Message("user", "word " * 9000),))


async def test_a_whole_call_may_take_longer_if_the_model_thinks_before_it():
    async with connected(THINKER, lambda messages: ULM) as (llm, _):
        endpoint = llm._opened()
        call = Request(ASK, Sampling())
        assert endpoint._seconds_for(call, Plan()) == 120.0
        assert 300.0 < endpoint._seconds_for(call, Plan(room=8192)) < 1200.0


# -- replies that are empty for a reason -------------------------------------------------------------------------------------

EMPTY = {
    "a filter": (Said("no matter", filtered=True), "withheld the reply (content_filter)"),
    "a refusal": (Said(refusal="I cannot help with that."), "refuses to reply: I cannot help with that."),
    "thoughts alone": (Said("", thoughts="Hm."), "ended its reply within its thoughts"),
}


@pytest.mark.parametrize("is_streamed", [False, True])
@pytest.mark.parametrize(("said", "words"), EMPTY.values(), ids=EMPTY)
async def test_an_empty_reply_says_why(said, words, is_streamed):
    provider = Provider("empty", "m", {}, "", "reasoning")
    async with connected(provider, lambda messages: said, stream=is_streamed) as (llm, _):
        with pytest.raises(ModelError) as caught:
            await asked(llm, Sampling())
    assert words in str(caught.value)
    assert not caught.value.retryable


@pytest.mark.parametrize("is_streamed", [False, True])
async def test_a_reply_may_end_within_thoughts_that_the_prompt_asked_for(is_streamed):
    said = Said("", thoughts="Who is it? <search> mayor of Orlau")
    async with connected(Provider("split", "m", {}, "", "reasoning"), lambda messages: said, stream=is_streamed) as (llm, _):
        reply = await asked(llm, Sampling(thinking="in_text"))
    assert (reply.text, reply.thoughts) == ("", "Who is it? <search> mayor of Orlau")


async def test_a_reply_that_begins_with_a_stop_string_is_empty_and_no_error():
    async with connected(PROVIDERS["deepseek"], lambda messages: f"Stop: {ULM}") as (llm, _):
        reply = await asked(llm, Sampling(stop=("Stop:",)))
        reply = await asked(llm, Sampling(stop=("Stop:",)))
    assert (reply.text, reply.finish_reason, reply.thoughts) == ("", "stop", THOUGHTS)


# -- tools -------------------------------------------------------------------------------------------------------------------

LOOP = [
    Said(tool_calls=(("search", {"query": "the end of the Blau"}), ("search", {"query": "Ulm"}))),
    Said(tool_calls=(("search", {"query": "Neu-Ulm"}),)),
    Said(ULM),
]


async def in_a_loop(llm, *, is_streamed=False):
    """Calls tools until there is a reply; returns the conversation."""
    turns, sampling = list(ASK), everything(llm, tools=(SEARCH,))
    while True:
        reply = await asked(llm, sampling, turns, is_streamed=is_streamed)
        turns.append(Message("assistant", reply.text, reply.tool_calls, thoughts=reply.thoughts))
        if not reply.tool_calls:
            return turns
        assert reply.finish_reason == "tool_calls"
        turns += [Message("tool", f"A passage for {call.arguments}", result_of=call.id) for call in reply.tool_calls]


WITHOUT_TOOLS = {"vllm", "sglang", "ollama, a model without tools", "o-series, in words"}
WITHOUT_TOOLS |= {"<think>", "<think>, opened by the template", "reasoning_content", "reasoning"}


@pytest.mark.parametrize("is_streamed", [False, True])
@pytest.mark.parametrize("name", [name for name in PROVIDERS if name not in WITHOUT_TOOLS])
async def test_tools_are_called_in_turn_and_their_results_sent_back(name, is_streamed):
    async with connected(PROVIDERS[name], in_turn(LOOP)) as (llm, server):
        await llm.probe()
        assert llm.abilities.tools
        turns = await in_a_loop(llm, is_streamed=is_streamed)
        sent = bodies(server)[-1]
    assert [turn.role for turn in turns[2:]] == ["assistant", "tool", "tool", "assistant", "tool", "assistant"]
    assert [call.arguments for call in turns[2].tool_calls] == ['{"query": "the end of the Blau"}', '{"query": "Ulm"}']
    assert turns[-1].text == ULM
    assert sent["tools"][0]["function"]["name"] == "search"
    assert sent["tool_choice"] == "auto"
    assert [message["role"] for message in sent["messages"][2:]] == ["assistant", "tool", "tool", "assistant", "tool"]
    assert sent["messages"][2]["content"] is None
    assert ("reasoning_content" in sent["messages"][2]) == (name == "deepseek")
    assert ("response_format" in sent) == (name in ("openai", "o-series", "azure"))


@pytest.mark.parametrize("name", sorted(WITHOUT_TOOLS - {"o-series, in words"}))
async def test_tools_are_not_offered_where_they_are_not_known_to_be(name):
    async with connected(PROVIDERS[name], lambda messages: ULM) as (llm, server):
        await llm.probe()
        assert not llm.abilities.tools
        assert (await asked(llm, everything(llm, tools=(SEARCH,)))).text == ULM
        assert not any("tools" in body for body in bodies(server))


@pytest.mark.parametrize("name", ["vllm", "ollama, a model without tools"])
async def test_a_model_that_refuses_tools_is_told_of_once_and_then_known(name):
    async with connected(PROVIDERS[name], lambda messages: ULM, tools="yes") as (llm, server):
        for _ in range(2):
            with pytest.raises(ModelError, match=r"takes no tools.*set llms.openai_compatible.tools=no") as caught:
                await asked(llm, Sampling(tools=(SEARCH,)))
            assert not caught.value.retryable
        assert len(bodies(server)) == 1
        assert not client_of(PROVIDERS[name], server.base_url).abilities.tools


async def test_thoughts_that_an_endpoint_misses_are_sent_from_then_on():
    provider = Provider(
        "elsewhere", "m", {"tools": "yes"}, THOUGHTS, "reasoning_content", checks=PROVIDERS["deepseek"].checks[-1:]
    )
    async with connected(provider, in_turn(LOOP)) as (llm, server):
        await in_a_loop(llm)
        bodies_sent = bodies(server)
    assert "reasoning_content" not in bodies_sent[1]["messages"][2]
    assert bodies_sent[2]["messages"][2]["reasoning_content"] == THOUGHTS
    assert len(bodies_sent) == 4


# -- what is said ------------------------------------------------------------------------------------------------------------


async def test_what_is_left_out_or_renamed_is_told_truly_and_once(caplog):
    provider = PROVIDERS["o-series"]
    async with connected(provider, lambda messages: ULM, server="other", json_schema="yes", logprobs="yes") as (llm, server):
        await asked(llm)
        await asked(llm)
        address = server.base_url
    told = [record.getMessage() for record in caplog.records if record.name.startswith("hopweave")]
    assert told == [
        f"o4-mini at {address} refuses max_tokens; sending max_completion_tokens in its place",
        *(
            f"o4-mini at {address} refuses {name}; continuing without it"
            for name in ("temperature", "stop", "top_p", "logprobs")
        ),
    ]
    assert "seed" in bodies(server)[-1]


async def test_a_later_process_tells_what_it_knows(caplog):
    async with connected(PROVIDERS["o-series"], lambda messages: ULM) as (llm, server):
        await asked(llm)
        _learnt.forget_all()
        caplog.clear()
        other = client_of(PROVIDERS["o-series"], server.base_url)
        await asked(other)
        await asked(other)
        await other.close()
    [record] = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert record.getMessage().endswith("is known to refuse logprobs, stop, temperature, top_p; continuing without it")


async def test_a_field_that_the_user_wrote_is_never_left_out():
    async with connected(PROVIDERS["o-series"], lambda messages: ULM, extra_body={"temperature": 0.5}) as (llm, _):
        with pytest.raises(ModelError, match=r"'temperature' does not support 0\.5"):
            await asked(llm)


async def test_a_level_in_extra_body_is_sent_as_it_is():
    extra = {"reasoning_effort": "xhigh"}
    async with connected(PROVIDERS["o-series"], lambda messages: ULM, extra_body=extra, thinking="low") as (llm, server):
        with pytest.raises(ModelError, match="does not support 'xhigh'"):
            await asked(llm)
        assert bodies(server)[-1]["reasoning_effort"] == "xhigh"


# -- several replies ---------------------------------------------------------------------------------------------------------


async def test_an_endpoint_that_draws_one_reply_at_a_time_is_asked_for_each():
    def one_at_a_time(body):
        return error("'n' must be 1 for this model", param="n", code="unsupported_value") if body.get("n", 1) > 1 else None

    provider = Provider("one", "m", {"samples": "yes"}, checks=[one_at_a_time])
    async with connected(provider, lambda messages: ULM) as (llm, server):
        for _ in range(2):
            replies = await llm.replies(ASK, Sampling(seed=5), 3)
        assert [one.get("n") for one in bodies(server)] == [3, None, None, None, None, None, None]
        assert sorted(one["seed"] for one in bodies(server)[1:4]) == [5, 6, 7]
    assert [reply.text for reply in replies] == [ULM] * 3
    assert replies[0].usage.completion_tokens == 3 * len(words_of(ULM))
    assert replies[1].usage.completion_tokens == 0


@pytest.mark.parametrize("name", ["sglang", "o-series"])
async def test_several_replies_at_once_get_room_for_their_thoughts_too(name):
    async with connected(PROVIDERS[name], lambda messages: ULM) as (llm, server):
        await llm.probe()
        replies = await llm.replies(ASK, everything(llm), 2)
        assert bodies(server)[-1]["n"] == 2
    assert [reply.text for reply in replies] == [ULM, ULM]
    assert replies[0].usage.thinking_tokens > 0
    assert replies[1].usage.completion_tokens == 0


async def test_many_calls_at_a_time_learn_together():
    async with connected(PROVIDERS["o-series"], lambda messages: ULM) as (llm, server):
        replies = await asyncio.gather(*(asked(llm) for _ in range(8)))
        assert [reply.text for reply in replies] == [ULM] * 8
        num = len(bodies(server))
        await asked(llm)
        assert len(bodies(server)) == num + 1
