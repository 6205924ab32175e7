"""The test double that replies by rule."""

import asyncio
import json
import math
import re

import pytest

from hopweave.core.errors import ModelError, SettingsError
from hopweave.core.protocols import LanguageModel
from hopweave.core.types import Message, Reply, Sampling, Tool, ToolCall, Usage
from hopweave.models.llms.scripted import Line, Rule, Scripted

GREEDY = Sampling()


def said(text):
    return (Message("user", text),)


async def texts_of(llm, *asked):
    return [(await llm.reply(said(text), GREEDY)).text for text in asked]


def test_it_fills_the_role_of_a_language_model():
    assert isinstance(Scripted(), LanguageModel)


async def test_the_first_rule_that_fits_replies():
    llm = Scripted([("capital", "Paris"), (re.compile(r"river.*Paris"), "Seine"), ("a", "never")])
    assert await texts_of(llm, "the capital?", "the river of Paris?") == ["Paris", "Seine"]


async def test_a_rule_looks_in_the_last_message_unless_told_to_look_in_all():
    conversation = (Message("user", "capital"), Message("user", "well?"))
    assert (await Scripted([("capital", "no"), "yes"]).reply(conversation, GREEDY)).text == "yes"
    assert (await Scripted([Rule("capital", "yes", where="all")]).reply(conversation, GREEDY)).text == "yes"


async def test_replies_without_a_rule_are_given_in_order_and_then_no_more():
    llm = Scripted(["one", "two"])
    assert await texts_of(llm, "?", "?") == ["one", "two"]
    with pytest.raises(ModelError, match=r"no rule.*'\?'") as caught:
        await llm.reply(said("?"), GREEDY)
    assert not caught.value.retryable


async def test_a_rule_with_several_replies_gives_them_in_turn_and_stays_with_the_last():
    llm = Scripted([("q", ["one", "two"])])
    assert await texts_of(llm, "q", "q", "q") == ["one", "two", "two"]


async def test_a_function_may_decide():
    llm = Scripted(lambda messages, sampling: f"{messages[-1].text} {sampling.max_tokens}")
    assert (await llm.reply(said("hi"), Sampling(max_tokens=7))).text == "hi 7"


@pytest.mark.parametrize("is_rule", [True, False])
async def test_a_failure_passes_after_so_many_times(is_rule):
    line = Line("fine", error=ModelError("busy", retryable=True), num_errors=2)
    llm = Scripted([("q", [line, "later"]) if is_rule else line, "later"])
    for _ in range(2):
        with pytest.raises(ModelError, match="busy"):
            await llm.reply(said("q"), GREEDY)
    assert await texts_of(llm, "q", "q") == ["fine", "later"]


async def test_an_error_is_raised():
    with pytest.raises(ModelError, match="gone"):
        await Scripted([("q", ModelError("gone"))]).reply(said("q"), GREEDY)


async def test_a_stalled_reply_waits_until_it_is_cancelled():
    pieces = []
    llm = Scripted([Line("one two", stalls=True)])
    call = asyncio.create_task(llm.reply(said("q"), GREEDY, pieces.append))
    await asyncio.sleep(0.02)
    assert not call.done()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert pieces == ["one ", "two"]


async def test_a_reply_is_cut_like_that_of_a_model():
    llm = Scripted([("q", "one two three\nObs: four")])
    assert await llm.reply(said("q r"), Sampling(stop=("\nObs:",))) == Reply("one two three", "stop", Usage(2, 3))
    assert await llm.reply(said("q r"), Sampling(max_tokens=2)) == Reply("one two", "length", Usage(2, 2))


async def test_a_prefill_at_the_beginning_is_taken_off():
    messages = (*said("q"), Message("assistant", "It is"))
    assert (await Scripted(["It is Paris"]).reply(messages, GREEDY)).text == " Paris"


async def test_a_watcher_sees_the_reply_in_pieces():
    pieces = []
    await Scripted(["one two"]).reply(said("q"), GREEDY, pieces.append)
    await Scripted([Line("abc", pieces=("a", "bc"))]).reply(said("q"), GREEDY, pieces.append)
    assert pieces == ["one ", "two", "a", "bc"]


async def test_a_yes_logit_is_the_log_odds_of_the_first_token():
    (token,) = (await Scripted([Line(yes_logit=-1.5)]).reply(said("q"), Sampling(top_logprobs=2))).logprobs
    tops = dict(token.top)
    assert token.token == "No"
    assert tops["Yes"] - tops["No"] == pytest.approx(-1.5)
    assert math.exp(tops["Yes"]) + math.exp(tops["No"]) == pytest.approx(1)


async def test_no_log_probabilities_come_unasked():
    assert (await Scripted([Line(yes_logit=1.0)]).reply(said("q"), GREEDY)).logprobs == ()


async def test_calls_and_the_most_at_a_time_are_counted():
    llm = Scripted([("q", Line("ok", delay_seconds=0.02))])
    await asyncio.gather(*(llm.reply(said("q"), GREEDY) for _ in range(4)))
    assert len(llm.calls) == llm.max_concurrency == 4
    assert llm.calls[0] == (said("q"), GREEDY)


def test_equal_rules_have_equal_identities():
    def rules(text):
        return [("q", [Line("a", error=ModelError("x"), num_errors=1), text]), (re.compile("r"), Reply("b"))]

    assert Scripted(rules("c")).identity == Scripted(rules("c")).identity
    assert Scripted(rules("c")).identity != Scripted(rules("d")).identity
    assert Scripted(lambda m, s: "a").identity != Scripted(lambda m, s: "b").identity
    assert Scripted().identity.startswith("scripted:")


async def test_rules_are_read_from_toml(tmp_path):
    file = tmp_path / "rules.toml"
    file.write_text(
        '[[rules]]\nfind = "capital"\nsay = ["Paris", "Rome"]\n\n[[rules]]\nmatch = "riv.r"\nerror = "busy"\nnum_errors = 1\n'
        'is_retryable = true\nsay = "Seine"\n\n[[rules]]\nsay = "else"\n'
    )
    llm = Scripted(rules_file=file)
    assert await texts_of(llm, "capital", "capital") == ["Paris", "Rome"]
    with pytest.raises(ModelError, match="busy") as caught:
        await llm.reply(said("river"), GREEDY)
    assert caught.value.retryable
    assert await texts_of(llm, "river", "?") == ["Seine", "else"]


async def test_rules_are_read_from_json(tmp_path):
    file = tmp_path / "rules.json"
    file.write_text(json.dumps({"rules": [{"find": "q", "say": "Yes", "yes_logit": 2.0}]}))
    reply = await Scripted(rules_file=file).reply(said("q"), Sampling(top_logprobs=1))
    assert reply.logprobs[0].token == "Yes"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[rules]]\nsya = "x"', "rule 1 .* did you mean 'say'"),
        ("rules = 3", "list of tables"),
        ("rules = [", "cannot be read"),
        ('[[rules]]\nmatch = "("\nsay = "x"', "pattern"),
        ('[[rules]]\nsay = ["x", "y"]', "several replies"),
    ],
)
def test_a_bad_rules_file_says_what_is_wrong(tmp_path, text, message):
    file = tmp_path / "rules.toml"
    file.write_text(text)
    with pytest.raises(SettingsError, match=message):
        Scripted(rules_file=file)


def test_a_missing_rules_file_says_so(tmp_path):
    with pytest.raises(SettingsError, match="check the path"):
        Scripted(rules_file=tmp_path / "none.toml")


def test_a_function_and_a_file_do_not_go_together(tmp_path):
    with pytest.raises(SettingsError, match="use one of them"):
        Scripted(lambda m, s: "x", rules_file=tmp_path / "rules.toml")


async def test_a_script_can_think_and_call_tools():
    tools = (Tool("search", "Searches.", {"type": "object"}),)
    llm = Scripted(
        [Line(thoughts="Hm.", tool_calls=(("search", {"query": "Sula"}),)), Line("Sula", thoughts="So.")], tools=True
    )
    assert llm.abilities.tools
    first = await llm.reply(said("Where?"), Sampling(tools=tools))
    assert (first.text, first.thoughts, first.tool_calls) == ("", "Hm.", (ToolCall("call_1", "search", '{"query": "Sula"}'),))
    assert (await llm.reply(said("So?"), Sampling(tools=tools))).thoughts == "So."


async def test_tools_that_were_not_offered_are_not_called():
    llm = Scripted([Line("No.", tool_calls=(("search", {}),))], tools=True)
    assert (await llm.reply(said("Where?"), GREEDY)).tool_calls == ()


async def test_a_file_can_hold_thoughts_and_calls_of_tools(tmp_path):
    file = tmp_path / "rules.json"
    call = {"name": "search", "arguments": {"query": "Sula"}}
    file.write_text(json.dumps({"rules": [{"find": "q", "say": "", "thoughts": "Hm.", "tool_calls": [call]}]}))
    reply = await Scripted(rules_file=file, tools=True).reply(said("q"), Sampling(tools=(Tool("search", "", {}),)))
    assert (reply.thoughts, reply.tool_calls) == ("Hm.", (ToolCall("call_1", "search", '{"query": "Sula"}'),))
