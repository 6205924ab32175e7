"""Thoughts are told from a reply: in one text, in pieces, in fields of their own, and in whatever else servers make of them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.providers import bodies
from support.scripted_server import Behaviour
from support.served_model import served

from hopweave.core.types import Message, Sampling
from hopweave.models.llms._thoughts import ThoughtSplitter, split_thoughts

ASK = (Message("user", "Where?"),)

TEXTS = {
    # what the model wrote, what of it are thoughts, and what is the reply
    "closed thoughts": ("<think>In Ulm?\nYes.</think>\n\nUlm", "In Ulm?\nYes.", "Ulm"),
    "thoughts without an end": ("\n<think>In Ulm? Let me", "In Ulm? Let me", ""),
    "thoughts that the template opens": ("In Ulm?\n</think>\n\nUlm", "In Ulm?", "Ulm"),
    "thoughts that are empty": ("<think>\n\n</think>\n\nUlm", "", "Ulm"),
    "no thoughts, closed all the same": ("</think>\n\nUlm", "", "Ulm"),
    "thoughts in two parts": ("<think>In Ulm?</think>\n<think>Yes.</think> Ulm", "In Ulm?\n\nYes.", "Ulm"),
    "other names": ("<thinking>In Ulm?</thinking>Ulm", "In Ulm?", "Ulm"),
    "a thought": ("<thought>In Ulm?</thought>Ulm", "In Ulm?", "Ulm"),
    "reasoning": ("<reasoning>In Ulm?</reasoning>Ulm", "In Ulm?", "Ulm"),
    "capital letters": ("<Think>In Ulm?</THINK>Ulm", "In Ulm?", "Ulm"),
    "seed": ("<seed:think>In Ulm?</seed:think>Ulm", "In Ulm?", "Ulm"),
    "magistral": ("[THINK]In Ulm?[/THINK]Ulm", "In Ulm?", "Ulm"),
    "magistral, opened by the template": ("In Ulm?[/THINK]Ulm", "In Ulm?", "Ulm"),
    "channels of gpt-oss": (
        "<|channel|>analysis<|message|>In Ulm?<|end|><|start|>assistant<|channel|>final<|message|>Ulm<|return|>",
        "In Ulm?",
        "Ulm",
    ),
    "a channel without an end": ("<|channel|>analysis<|message|>In Ulm?", "In Ulm?", ""),
    "channels that follow at once": (
        "<|channel|>analysis<|message|>In Ulm?<|channel|>final <|constrain|>json<|message|>{}", "In Ulm?", "{}"
    ),
    "only the last channel": ("<|channel|>final<|message|>Ulm", "", "Ulm"),
    "channels without their control tokens": ("analysisIs it in Ulm?assistantfinalUlm", "Is it in Ulm?", "Ulm"),
    "an end that is quoted": ("<think>I end with `</think>`. Ulm?</think>Ulm", "I end with `</think>`. Ulm?", "Ulm"),
    "an end between code": ("<think>It is `Ulm`</think>`Ulm`", "It is `Ulm`", "`Ulm`"),
    # ordinary replies
    "a reply": (" Ulm\n", "", " Ulm\n"),
    "nothing": ("", "", ""),
    "blanks": (" \n", "", " \n"),
    "a mark in an answer": ("R1 writes <think>, then </think>.", "", "R1 writes <think>, then </think>."),
    "a closing mark in backticks": ("R1 ends with `</think>`.", "", "R1 ends with `</think>`."),
    "other tags": ("<answer>Ulm</answer>", "", "<answer>Ulm</answer>"),
    "half a mark": ("<thi", "", "<thi"),
    "signs": ("1 < 2 [3]", "", "1 < 2 [3]"),
    "an analysis": ("analysis of Ulm", "", "analysis of Ulm"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "thoughts", "reply"), TEXTS.values(), ids=TEXTS)
def test_thoughts_are_told_from_the_reply(text, thoughts, reply):
    assert split_thoughts(text) == (thoughts, reply)


@pytest.mark.parametrize(("text", "thoughts", "reply"), TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_pieces_come_to_the_same_as_the_whole(text, thoughts, reply, size):
    splitter, shown = ThoughtSplitter(), ""
    for start in range(0, len(text), size):
        shown = told(splitter, shown, splitter.push(text[start : start + size]))
    shown = told(splitter, shown, splitter.rest())
    assert (splitter.thoughts, splitter.text, shown) == (thoughts, reply, reply)


def told(splitter, shown, piece):
    """What is shown after a piece. What was taken back is noted in the splitter, for the next piece."""
    is_new = splitter.num_taken_back > getattr(splitter, "seen", 0)
    splitter.seen = splitter.num_taken_back
    return piece if is_new else shown + piece


INSIDE = {
    "closed": ("In Ulm?</think>Ulm", False, ("In Ulm?", "Ulm")),
    "opened after all": ("<think>In Ulm?</think>Ulm", False, ("In Ulm?", "Ulm")),
    "a model that did not think": ("Ulm", False, ("", "Ulm")),
    "cut off before it was closed": ("In Ulm? Let", True, ("In Ulm? Let", "")),
}


@pytest.mark.parametrize(("text", "is_cut_off", "expected"), INSIDE.values(), ids=INSIDE)
def test_a_text_that_is_known_to_begin_inside_thoughts_shows_none_of_them(text, is_cut_off, expected):
    splitter = ThoughtSplitter(begins_inside=True)
    shown = "".join([*map(splitter.push, text), splitter.rest(is_cut_off=is_cut_off)])
    assert (splitter.thoughts, shown) == split_thoughts(text, begins_inside=True, is_cut_off=is_cut_off) == expected
    assert splitter.num_taken_back == 0


MARKS = [
    "<think>",
    "</think>",
    "[THINK]",
    "[/THINK]",
    "`",
    "<",
    "a ",
    "\n",
    "<|channel|>",
    "analysis",
    "<|message|>",
    "<|end|>",
]


@given(st.lists(st.sampled_from(MARKS), max_size=12), st.lists(st.integers(1, 9), min_size=1, max_size=12), st.booleans())
def test_however_marks_are_mixed_and_cut_nothing_is_lost_and_pieces_come_to_the_same(parts, sizes, begins_inside):
    text = "".join(parts)
    splitter, rest, shown = ThoughtSplitter(begins_inside=begins_inside), text, ""
    while rest:
        sizes = [*sizes[1:], sizes[0]]
        piece, rest = rest[: sizes[0]], rest[sizes[0] :]
        shown = told(splitter, shown, splitter.push(piece))
    shown = told(splitter, shown, splitter.rest())
    assert (splitter.thoughts, splitter.text) == split_thoughts(text, begins_inside=begins_inside)
    assert shown == splitter.text
    assert (splitter.thoughts + splitter.text).count("a") <= text.count("a")
    if "think" not in text.lower() and "<|" not in text and "analysis" not in text:
        assert splitter.text == text


# -- in replies --------------------------------------------------------------------------------------------------------------


def message(**fields):
    return Behaviour(raw=json.dumps({"choices": [{"message": {"role": "assistant", **fields}, "finish_reason": "stop"}]}))


PARTS = [
    {"type": "thinking", "thinking": [{"type": "text", "text": "In "}, {"type": "text", "text": "Ulm?"}]},
    {"type": "text", "text": "Ulm"},
]
FIELDS = {
    "reasoning_content": message(content="Ulm", reasoning_content="In Ulm?"),
    "reasoning": message(content="Ulm", reasoning="In Ulm?"),
    "both": message(content="Ulm", reasoning="In Ulm?", reasoning_content="In Ulm?"),
    "reasoning_details": message(content="Ulm", reasoning_details=[{"type": "reasoning.text", "text": "In Ulm?"}]),
    "a summary": message(content="Ulm", reasoning_details=[{"type": "reasoning.summary", "summary": "In Ulm?"}]),
    "parts of the content": message(content=PARTS),
    "marks": message(content="<think>In Ulm?</think>\n\nUlm"),
}


@pytest.mark.parametrize("behaviour", FIELDS.values(), ids=FIELDS)
async def test_thoughts_are_read_wherever_a_server_puts_them(behaviour):
    async with served(behaviour) as (llm, _):
        reply = await llm.reply(ASK, Sampling())
    assert (reply.thoughts, reply.text) == ("In Ulm?", "Ulm")


@pytest.mark.parametrize("value", [5, None, [], {}, [5], [{"text": 5}], {"text": "x"}, True])
async def test_thoughts_of_another_type_are_none(value):
    async with served(message(content="Ulm", reasoning=value, reasoning_details=value)) as (llm, _):
        reply = await llm.reply(ASK, Sampling())
    assert (reply.thoughts, reply.text) == ("", "Ulm")


def stream(*deltas, reason="stop"):
    events = [*({"choices": [{"delta": delta}]} for delta in deltas), {"choices": [{"delta": {}, "finish_reason": reason}]}]
    raw = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
    return Behaviour(raw=raw, headers={"Content-Type": "text/event-stream"})


STREAMS = {
    "a field": stream({"reasoning_content": "In "}, {"reasoning_content": "Ulm?"}, {"content": "Ul"}, {"content": "m"}),
    "details": stream({"reasoning_details": [{"text": "In Ulm?"}], "content": ""}, {"content": "Ul"}, {"content": "m"}),
    "parts": stream({"content": PARTS[:1]}, {"content": "Ul"}, {"content": "m"}),
    "marks": stream({"content": "<thi"}, {"content": "nk>In Ulm?</think"}, {"content": ">\n\nUl"}, {"content": "m"}),
}


@pytest.mark.parametrize("behaviour", STREAMS.values(), ids=STREAMS)
async def test_thoughts_of_a_stream_are_not_shown(behaviour):
    shown = []
    async with served(behaviour) as (llm, _):
        reply = await llm.reply(ASK, Sampling(), shown.append)
    assert (reply.thoughts, reply.text, shown) == ("In Ulm?", "Ulm", ["Ul", "m"])


async def test_a_stop_string_ends_the_reply_and_never_the_thoughts():
    content = "<think>In Neu-Ulm?\n\nObs: no.</think>\n\nUlm\n\nObs: yes"
    async with served(Behaviour(content), Behaviour(pieces=list(content))) as (llm, _):
        replies = [await llm.reply(ASK, Sampling(stop=("\n\n", "Obs:")), show) for show in (None, [].append)]
    assert [(one.thoughts, one.text, one.finish_reason) for one in replies] == [("In Neu-Ulm?\n\nObs: no.", "Ulm", "stop")] * 2


def tokens(*words):
    return [(word, {word: -0.1}) for word in words]


ALIGNED = {
    # the content, the tokens with a log-probability, and those that remain
    "thoughts before the reply": (
        "<think>In Ulm?</think>\n\nUlm it is", ("<think>", "In", " Ulm", "?", "</think>", "\n\n", "Ulm", " it", " is"),
        ["Ulm", " it", " is"],
    ),
    "blanks that belong to the first token": ("<think>x</think>\n\nUlm", ("<think>", "x", "</think>", "\n\nUlm"), ["Ulm"]),
    "a token that is part of both": ("<think>x</think>Ulm", ("<think>x</think>Ulm",), []),
    "a reply that stands in the thoughts, too": ("<think>Ulm</think>Ulm", ("<think>", "Ulm", "</think>", "Ulm"), ["Ulm"]),
    "tokens of something else": ("<think>x</think>Ulm", ("a", "b"), []),
    "no thoughts": ("Ulm it is", ("Ulm", " it", " is"), ["Ulm", " it", " is"]),
}  # fmt: skip


@pytest.mark.parametrize(("content", "given", "kept"), ALIGNED.values(), ids=ALIGNED)
@pytest.mark.parametrize("is_streamed", [False, True])
async def test_log_probabilities_are_those_of_the_reply_alone(content, given, kept, is_streamed):
    pieces = given if "".join(given) == content else [content, ""]
    behaviour = Behaviour(content, pieces=pieces, logprobs=tokens(*given))
    async with served(behaviour, stream=is_streamed) as (llm, _):
        reply = await llm.reply(ASK, Sampling(top_logprobs=1))
    assert [token.token for token in reply.logprobs] == kept


async def test_tokens_of_thoughts_in_a_field_of_their_own_are_dropped():
    given = {"content": [{"token": word, "logprob": -0.1} for word in ("In", " Ulm", "?", "Ulm", "<|im_end|>")]}
    raw = {"choices": [{"message": {"content": "Ulm", "reasoning_content": "In Ulm?"}, "logprobs": given}]}
    async with served(Behaviour(raw=json.dumps(raw))) as (llm, _):
        reply = await llm.reply(ASK, Sampling(top_logprobs=1))
    assert [token.token for token in reply.logprobs] == ["Ulm"]


@pytest.mark.parametrize("is_streamed", [False, True])
@pytest.mark.parametrize(
    "text", ["<think> Who is it? <search> mayor of Orlau ", "<think> I know. </think>\n<answer> Ulm ", "I know. </think> Ulm"]
)
async def test_tags_that_a_prompt_asks_for_stay_in_the_reply_and_tell_nothing_of_the_model(text, is_streamed):
    shown = []
    asked = Sampling(max_tokens=64, stop=("</search>", "</answer>"), thinking="in_text")
    async with served(Behaviour(f"{text}</search> more")) as (llm, server):
        for _ in range(2):
            reply = await llm.reply(ASK, asked, shown.append if is_streamed else None)
            assert (reply.text, reply.thoughts, reply.finish_reason) == (text, "", "stop")
        first, second = bodies(server)
    assert first == second
    assert (first["max_tokens"], first["stop"]) == (64, ["</search>", "</answer>"])
    assert "".join(shown) == text * 2 * is_streamed
