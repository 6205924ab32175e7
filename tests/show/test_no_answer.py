"""Why there is no answer is said in one or two plain lines: what ended the work, at which step, and what to set."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.sample_records import LIGHTHOUSE, Writer, failed, finish, searchain

from hopweave.core.types import Answer, Question, Reply, Sampling, ToolCall, Usage
from hopweave.record import ModelCall, Record, Trace, call_step
from hopweave.show.no_answer import is_intended, why_no_answer

ASKED = Question("q", "Where was the engineer of Kerrow Light born?")


def record_of(*replies: Reply | str, stopped: str = "finished", how: str = "empty", text: str = "", **setup: object) -> Record:
    """A record without an answer, after these replies to calls of the purpose `chain`."""
    trace = Trace()
    write = Writer(trace)
    for reply in replies:
        given = Reply(reply, usage=Usage(10, 5)) if isinstance(reply, str) else reply
        step_id = trace.begin("model_call", "chain")
        trace.end(call_step(step_id, None, "chain", (), Sampling(), 0, given, write.timing(2.0)))
    record = finish(trace, ASKED, Answer(text, "", (), stopped, how))
    return replace(record, setup=replace(record.setup, **setup))


def test_an_answer_needs_no_reason():
    assert why_no_answer(searchain()) == []


def test_a_limit_says_what_used_it_and_which_flag_raises_it():
    limits = {"max_llm_calls": 2, "max_tokens": 30, "max_searches": 1, "max_seconds": 1.5}
    said = {name: why_no_answer(record_of("a", "b", stopped=name, budget=limits)) for name in limits}
    assert said["max_llm_calls"] == [
        "the limit max_llm_calls = 2 was reached first: 2 calls of the model (chain 2)",
        "allow more with --max-llm-calls N, or any number with --max-llm-calls 0",
    ]
    assert said["max_tokens"][0] == "the limit max_tokens = 30 was reached first: 30 tokens (chain 30)"
    assert said["max_searches"][0] == "the limit max_searches = 1 was reached first: 0 queries"
    assert said["max_seconds"][0].endswith("2 calls of the model took 4.0 s, 0 searches 0.00 s")


def test_a_limit_that_thinking_used_up_says_so():
    thought = Reply("a", usage=Usage(10, 500, thinking_tokens=480))
    [first, _] = why_no_answer(record_of(thought, stopped="max_tokens", budget={"max_tokens": 400}))
    assert first == "the limit max_tokens = 400 was reached first: 510 tokens (of which 480 thinking) (chain 510)"


def test_many_kinds_of_calls_are_summed_up():
    record = record_of(*"abcdefg", stopped="max_llm_calls", budget={"max_llm_calls": 7})
    steps = [replace(step, purpose=f"kind {step.id // 2 if step.id < 4 else step.id}") for step in record.steps]
    [first, _] = why_no_answer(replace(record, steps=tuple(steps)))
    assert first.endswith("(kind 0 2, kind 1 2, kind 4 1, kind 5 1, others 1)")


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (
            Reply("", "length", Usage(10, 512, thinking_tokens=512)),
            [
                "the reply of chain (step 1) is empty: all 512 tokens went into thinking",
                "allow more with --set llms.embedded.max_thinking_tokens=N, or have it think less with "
                "--set llms.embedded.thinking=low",
            ],
        ),
        (
            Reply(" \n", "length", Usage(10, 64)),
            ["the reply of chain (step 1) is empty: its 64 tokens were used up before it said anything"],
        ),
        (
            Reply("", "stop", Usage(10, 40), thoughts="Let me see. " * 10),
            ["the reply of chain (step 1) is empty, after about 30 tokens of thinking"],
        ),
        (Reply("", "stop"), ["the reply of chain (step 1) is empty"]),
    ],
    ids=["thinking", "cut off", "thoughts that nobody counted", "nothing"],
)
def test_an_empty_reply_at_the_end_says_where_its_tokens_went(reply: Reply, said: list[str]):
    assert why_no_answer(record_of("Who?", reply, settings={"llm": "embedded"})) == said


def test_a_reply_that_calls_a_tool_is_not_empty():
    record = record_of(
        Reply("", "tool_calls", tool_calls=(ToolCall("1", "search", "{}"),)), stopped="max_turns", options={"max_turns": 3}
    )
    assert why_no_answer(record) == [
        "searchain came to its limit max_turns = 3 without one",
        "allow more with --set methods.searchain.max_turns=N",
    ]


def test_what_else_went_wrong_is_told_the_most_telling_first():
    plain = record_of("I do not know.", text="I do not know.", stopped="repeated_query")
    assert why_no_answer(plain) == ["searchain stopped early: repeated_query"]
    assert why_no_answer(record_of("I do not know.", text="I do not know.")) == ['the model says: "I do not know."']
    assert why_no_answer(record_of("x")) == ["the model gave none"]


def with_trouble(trouble: str) -> Record:
    trace = Trace()
    write = Writer(trace)
    write.search(["Who?"], [LIGHTHOUSE] if trouble == "unread" else [])
    write.call("chain", "p", "Hm.")
    if trouble == "unread":
        trace.parse_failed("chain", "no query was found", "Well\n...")
        trace.parse_failed("final", "no answer is in the reply", "Hm.\nI cannot say.")
        trace.parse_failed("chain", "no query was found", "Other")
    return finish(trace, ASKED, Answer("", "", how="empty"))


def test_a_reply_that_could_not_be_read_is_quoted_on_one_line():
    assert why_no_answer(with_trouble("unread")) == [
        'a reply could not be read (step 3): no answer is in the reply; it begins with "Hm. I cannot say."'
    ]


def test_finding_no_passage_comes_before_the_words_of_the_model():
    assert why_no_answer(with_trouble("nothing found"))[0].startswith("no passage was found for any query")


def test_a_failed_question_names_its_error_and_the_step_that_failed():
    record = failed()
    [step] = [step for step in record.steps if isinstance(step, ModelCall) and step.error is not None]
    assert why_no_answer(record) == [f"the language model failed: {record.error.message}"]  # no step has the very error
    same = replace(record, error=step.error)
    told = f"the language model failed: {step.error.message}"
    assert why_no_answer(same) == [told, f"it failed at chain (step {step.id})"]
    tried = replace(step, timing=replace(step.timing, attempts=4, seconds=486.0))
    often = replace(same, steps=tuple(tried if one is step else one for one in same.steps))
    assert why_no_answer(often) == [told, f"it failed at chain (step {step.id}), after 4 attempts in 486 s"]


@pytest.mark.parametrize(
    ("support", "reason"), [("unsupported", "no passage supports it"), ("contradicted", "a passage contradicts it")]
)
def test_an_answer_that_was_withheld_is_named_with_the_reason(support: str, reason: str):
    trace = Trace()
    trace.decide("withheld", "The Clyde", {"support": support})
    record = finish(trace, ASKED, Answer("No passage bears out the answer.", "", (), "unsupported", "unsupported"))
    assert is_intended(record)
    assert why_no_answer(record)[0] == f'"The Clyde" is withheld, since {reason}'


def test_a_ranking_without_a_reader_is_meant_to_have_no_answer_unless_the_search_failed():
    trace = Trace()
    write = Writer(trace)
    write.search(["Who?"], [LIGHTHOUSE])
    with trace.under(0):
        write.call("document", "Write a passage.", "Kerrow Light was designed by Ada Finch.")
    record = finish(trace, ASKED, Answer("", "", how="empty"), method="oner")
    assert is_intended(record)
    assert why_no_answer(record) == ["oner was set to find passages and to ask the model for none"]
    assert not is_intended(replace(record, answer=Answer("", "", (), "max_searches", "empty")))
    assert not is_intended(record_of("x"))


def test_the_lines_are_lines_whatever_a_record_holds():
    record = record_of("x", text="a\n\x1b[31mb\u202e", stopped="x\ny", method="m\n1")
    for line in why_no_answer(record):
        assert line.isprintable()


def test_what_the_last_reading_did_not_find_is_named():
    trace = Trace()
    for missing in (["a bridge"], ["Mara Lind's town", "her school"]):
        trace.decide("reading", "missing", {"missing": missing})
    assert why_no_answer(finish(trace, ASKED, Answer("", "", (), how="empty"))) == [
        'the passages that were found do not state what is needed: "Mara Lind\'s town; her school"'
    ]
