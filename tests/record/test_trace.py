"""The record: what it keeps, what it refuses, and that neither the clock nor the order of finishing changes it."""

import asyncio
import json
import logging
import math
import random
from dataclasses import fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopweave.core import errors
from hopweave.core.errors import BudgetReached, DataError, HopweaveError, MethodError, ModelError
from hopweave.core.types import (
    Answer,
    Citation,
    Claim,
    Hit,
    Message,
    Passage,
    Question,
    Reading,
    Reply,
    Sampling,
    Span,
    TokenLogprob,
    ToolCall,
    Usage,
)
from hopweave.record import (
    SCHEMA,
    Decision,
    Failure,
    ModelCall,
    ParseFailure,
    Read,
    Record,
    Search,
    Setup,
    Started,
    TextPiece,
    Timing,
    Trace,
    call_step,
    failures_in_words,
    what_failed,
    what_to_do,
)

ULM = Passage("ulm", "Einstein was born in Ulm. It lies on the Danube.", "Ulm", "cities.md", 10, 58)
DANUBE = Passage("danube", "The Danube – 2,850 km – flows into the Black Sea. 🌊", "Danube")
QUESTION = Question("q1", "Into which sea …?\n\u2028 “x” \x00", "label", ("a", "b"))
SETUP = Setup("0.1.0", "made_up", {"theta": 1.5, "name": None, "flags": [True, "x"]}, "model", "bm25", "reader")
TIMING = Timing(0.5, 1.25, attempts=3)


def call(trace: Trace, purpose: str, text: str, *turns: Message, outcome: Reply | None = None) -> int:
    step_id = trace.begin("model_call", purpose)
    kept = trace.keep_messages(turns or [Message("user", purpose)])
    reply = outcome or Reply(text, usage=Usage(10, 5, 2))
    trace.end(call_step(step_id, trace.parent, purpose, kept, Sampling(stop=("\n",), seed=3), 0, reply, TIMING))
    return step_id


def search(trace: Trace, query: str, *passages: Passage) -> None:
    step_id = trace.begin("search", query)
    found = trace.keep_hits([Hit(passage, 2.5 - rank, rank) for rank, passage in enumerate(passages, start=1)])
    trace.end(Search(step_id, trace.parent, (query,), 5, (found,), None, TIMING))


def finished(trace: Trace) -> Record:
    return trace.finish(QUESTION, SETUP, "", Answer("", ""), None)


def rich_answer() -> Answer:
    quote = "Einstein was born in Ulm."
    cited = (Citation(1, "ulm", 0, len(quote), quote, Span(21, 24)),)
    claims = (Claim("Where was Einstein born?", "Ulm", "verified", "supported", cited), Claim("What is unknown?", ""))
    return Answer("In Ulm [1].", "Ulm", claims, "max_rounds", "forced", 2)


def rich_record() -> Record:
    trace = Trace()
    trace.prompts = {"z.last": "2", "a.first": "1"}
    call(trace, "plan", "a plan", Message("system", "S"), Message("user", "U"))
    node = trace.decide("node", "a node", {"origin": "model", "numbers": [1, 2.5], "nested": {"of": None}})
    with trace.under(node):
        search(trace, "ulm", ULM, DANUBE)
        step_id = trace.begin("read", "ulm")
        reading = Reading("Ulm", Span(21, 24), 6.25)
        trace.end(Read(step_id, trace.parent, "ulm", "ulm", reading, None, TIMING))
        failed = trace.begin("model_call", "verify")
        kept = trace.keep_messages([Message("user", "U"), Message("assistant", "begun")])
        error = ModelError("no way", retryable=True)
        trace.end(call_step(failed, trace.parent, "verify", kept, Sampling(json_schema={"a": [1]}), 2, error, TIMING))
        trace.parse_failed("chain", "no query", "blah")
    trace.decide("stop", "done", {}, after=[node])
    return trace.finish(QUESTION, SETUP, "2026-01-01T00:00:00.000+00:00", rich_answer(), None)


# -- to JSON and back ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("failed", [{}, {"answer": None, "error": Failure("ModelError", "gone", retryable=True)}])
def test_a_record_comes_back_from_json_as_it_was(failed):
    record = replace(rich_record(), **failed)
    line = record.to_json()
    assert "\n" not in line
    assert Record.from_json(line) == record
    assert Record.from_json(line + "\n").to_json() == line


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def test_thoughts_and_tools_are_kept_and_leave_no_trace_in_the_json_of_records_without_them():
    plain, rich = Trace(), Trace()
    call(plain, "answer", "Ulm")
    asked = (Message("user", "Where?"), Message("assistant", "", (ToolCall("1", "search", "{}"),), thoughts="Hm."))
    result = Message("tool", "Ulm", result_of="1")
    outcome = Reply("Ulm", usage=Usage(10, 5, thinking_tokens=3), thoughts="So.", tool_calls=(ToolCall("2", "answer", "{}"),))
    call(rich, "answer", "", *asked, result, outcome=outcome)
    new = ("thoughts", "tool_calls", "tools", "thinking", "result_of", "thinking_tokens")
    assert not any(f'"{name}"' in finished(plain).to_json() for name in new)
    record = finished(rich)
    assert Record.from_json(record.to_json()) == record
    assert record.messages == (*asked, result)
    [step] = record.steps
    assert (step.thoughts, step.tool_calls, step.usage.thinking_tokens) == ("So.", outcome.tool_calls, 3)


@settings(deadline=None, max_examples=60)
@given(st.text(), st.text(), st.dictionaries(st.text(max_size=6), json_values, max_size=3))
def test_any_text_and_any_json_data_survive(question, label, data):
    trace = Trace()
    trace.decide(label, question, data)
    call(trace, label, question)
    trace.parse_failed(label, question, question)
    record = trace.finish(Question("q", question), SETUP, "", Answer(question, label), None)
    again = Record.from_json(record.to_json())
    assert again == record
    assert again.fingerprint == record.fingerprint


def test_half_of_a_surrogate_pair_does_not_lose_the_record_or_move_a_quote():
    broken = Passage("p", "a\ud83dbc d", "t\udcff")
    trace = Trace()
    search(trace, "q", broken)
    trace.decide("node", "\ud800", {"text": "\udfff"})
    answer = Answer("x [1]", "x", (Claim("q", "x", "verified", "supported", (Citation(1, "p", 1, 4, broken.text[1:4]),)),))
    record = trace.finish(Question("q", "q"), SETUP, "", answer, None)
    again = Record.from_json(record.to_json())
    assert again.answer.citations[0].quote == "\ufffdbc"
    assert again.fingerprint == record.fingerprint


def test_logprobs_do_not_go_into_the_record():
    trace = Trace()
    tokens = tuple(TokenLogprob(f"tokenword{n}", -0.1, (("alternative", -3.0),) * 10) for n in range(500))
    call(trace, "read", "", outcome=Reply("yes", logprobs=tokens))
    line = finished(trace).to_json()
    assert "tokenword" not in line
    assert len(line) < 3000


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_no_number_that_is_none_makes_invalid_json(number):
    trace = Trace()
    trace.decide("node", "x", {"confidence": number, "deep": [{"x": number}]})
    setup = replace(SETUP, options={"theta": number}, budget={"max_seconds": number})
    record = trace.finish(QUESTION, setup, "", Answer("", ""), None)

    def refuse(word):
        pytest.fail(f"{word} is not JSON")

    line = record.to_json()
    json.loads(line, parse_constant=refuse)
    again = Record.from_json(line)
    assert str(again.setup.budget["max_seconds"]) == str(number)
    assert again.steps[0].data == {"confidence": None, "deep": [{"x": None}]}
    assert again.to_json() == line


def test_data_that_cannot_be_json_is_refused_where_it_is_given():
    trace = Trace()
    with pytest.raises(MethodError, match="decision 'node' cannot be kept as JSON"):
        trace.decide("node", "x", {"what": object()})
    assert trace.decide("node", "x", {"pair": (1, 2), "some": {3}}) == 0
    assert finished(trace).steps[0].data == {"pair": [1, 2], "some": [3]}


def test_numbers_of_numpy_become_plain_numbers():
    class Single(float):
        """Stands for numpy.float32, without numpy."""

    trace = Trace()
    assert type(trace.keep_hits([Hit(ULM, Single(1.5), 1)])[0].score) is float


# -- what is refused -------------------------------------------------------------------------------------------------------


def altered(change) -> str:
    data = json.loads(rich_record().to_json())
    change(data)
    return json.dumps(data)


def set_at(*path):
    *keys, last, value = path

    def change(data):
        for key in keys:
            data = data[key]
        data[last] = value

    return change


OTHER_SCHEMA = rich_record().to_json().replace(SCHEMA, "hopweave.record/99")
READ = "this version of hopweave reads 'hopweave.record/2' and 'hopweave.record/1'"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([OTHER_SCHEMA], rf"schema 'hopweave.record/99'; {READ}"),
        (["{}", '{"schema": null}', '{"question": {"id": "q"}}'], "this record has schema None"),
        (
            ["", "not json", "[]", "null", "\x00", '{"schema": "hopweave.record/1"}', "{" * 5000],
            r"^not a record: .*; restore the file or run the question again$",
        ),
        (
            [altered(set_at("answer", "claims", 0, "origin", "maybe"))],
            r"not a record: answer\.claims\.0\.origin",
        ),
    ],
    ids=["another-schema", "no-schema", "no-record", "value-of-a-wrong-type"],
)
def test_a_line_that_is_no_record_of_this_version_is_refused_with_what_is_wrong(lines, said):
    for line in lines:
        with pytest.raises(DataError, match=said):
            Record.from_json(line)


@settings(deadline=None, max_examples=80)
@given(st.integers(1, 10_000))
def test_a_line_cut_anywhere_is_refused(length):
    line = rich_record().to_json()
    with pytest.raises(DataError, match="not a record"):
        Record.from_json(line[: length % len(line)])


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (set_at("answer", "claims", 0, "citations", 0, "quote", "Einstein was born in Bern."), "does not quote passage 'ulm'"),
        (set_at("passages", 0, "text", "Newton was born in Ulm."), "does not quote passage 'ulm'"),
        (set_at("answer", "claims", 0, "citations", 0, "start", 1), "does not quote passage 'ulm'"),
        (set_at("answer", "claims", 0, "citations", 0, "start", -48), "does not quote passage 'ulm'"),
        (set_at("answer", "claims", 0, "citations", 0, "end", 9999), "does not quote passage 'ulm'"),
        (set_at("answer", "claims", 0, "citations", 0, "passage_id", "x"), "names passage 'x', which is not in the record"),
        (set_at("answer", "claims", 0, "citations", 0, "focus", {"start": 30, "end": 33}), "its focus outside of its quote"),
        (set_at("passages", []), "refers to a passage that is not in the record"),
        (set_at("steps", 0, "messages", [99]), "step 0 refers to a message that is not in the record"),
        (set_at("steps", 0, "messages", [-1]), "step 0 refers to a message that is not in the record"),
        (set_at("steps", 1, "id", 7), "step 1 is not in its place"),
        (set_at("steps", 1, "parent", 4), "step 1 is not in its place"),
        (set_at("steps", 6, "after", [70]), "step 6 refers to a step that is not in the record"),
        (set_at("answer", None), "either an answer or an error"),
        (set_at("error", {"kind": "ModelError", "message": ""}), "either an answer or an error"),
    ],
)
def test_an_altered_record_is_refused_with_what_is_wrong(change, problem):
    with pytest.raises(DataError, match=rf"the record of question 'q1' was altered: .*{problem}.*run the question again"):
        Record.from_json(altered(change))


# -- sums and fingerprints -------------------------------------------------------------------------------------------------


def test_totals_are_the_sums_over_the_steps():
    totals = rich_record().totals()
    assert (totals.llm_calls, totals.llm_failures) == (2, 1)
    assert (totals.prompt_tokens, totals.completion_tokens, totals.cached_tokens) == (10, 5, 2)
    assert (totals.prompt_words, totals.reply_words) == (4, 2)
    assert (totals.searches, totals.queries, totals.reads, totals.parse_failures) == (1, 1, 1, 1)
    assert (totals.llm_seconds, totals.search_seconds) == (2.5, 1.25)
    nothing = finished(Trace()).totals()
    assert {getattr(nothing, field.name) for field in fields(nothing)} == {0}


def test_the_clock_does_not_touch_the_fingerprint():
    record = rich_record()
    timed = tuple(
        replace(step, timing=Timing(9.0, 9.0, from_store=True, attempts=1)) if hasattr(step, "timing") else step
        for step in record.steps
    )
    assert replace(record, steps=timed, started_at="later", seconds=99.0).fingerprint == record.fingerprint


@pytest.mark.parametrize(
    "change",
    [
        set_at("question", "text", "another"),
        set_at("question", "labels", ["b", "a"]),
        set_at("answer", "short", "In Ulm"),
        set_at("answer", "claims", 1, "origin", "completed"),
        set_at("answer", "stopped_because", "finished"),
        set_at("setup", "options", "theta", 1.6),
        set_at("setup", "llm", "another"),
        set_at("setup", "prompts", "a.first", "9"),
        set_at("setup", "budget", {"max_tokens": 5}),
        set_at("messages", 0, "text", "another"),
        set_at("messages", 0, "role", "user"),
        set_at("passages", 1, "text", "another"),
        set_at("steps", 0, "text", "another"),
        set_at("steps", 0, "usage", "cached_tokens", 0),
        set_at("steps", 0, "sampling", "temperature", 0.1),
        set_at("steps", 1, "data", "origin", "verified"),
        set_at("steps", 2, "hits", 0, 0, "score", 9.5),
        set_at("steps", 3, "reading", "confidence", 6.0),
        set_at("steps", 4, "error", "message", "another"),
        set_at("steps", 5, "reason", "another"),
        set_at("steps", 6, "after", []),
    ],
)
def test_any_other_content_changes_the_fingerprint(change):
    assert Record.from_json(altered(change)).fingerprint != rich_record().fingerprint


def test_a_passage_is_found_by_its_id():
    record = rich_record()
    assert record.passage("ulm") == ULM
    with pytest.raises(KeyError):
        record.passage("nowhere")


# -- order -----------------------------------------------------------------------------------------------------------------


async def side_by_side(seed: int) -> Record:
    """Three branches with branches of their own; who finishes when is up to the seed."""
    chance = random.Random(seed)
    trace = Trace()

    async def wait() -> None:
        for _ in range(chance.randrange(6)):
            await asyncio.sleep(0)

    async def branch(name: str, depth: int) -> int:
        node = trace.decide("node", name, {})
        with trace.under(node):
            step_id, parent = trace.begin("model_call", name), trace.parent
            await wait()
            kept = trace.keep_messages([Message("system", "shared"), Message("user", name)])
            trace.end(call_step(step_id, parent, name, kept, Sampling(), 0, Reply(name), Timing(0, 0)))
            await wait()
            search(trace, name, Passage(f"of {name}", name), DANUBE)
            inner = []
            if depth:
                async with asyncio.TaskGroup() as group:
                    inner = [group.create_task(branch(f"{name}.{n}", depth - 1)) for n in range(2)]
            await wait()
            return trace.decide("verdict", name, {}, after=[task.result() for task in inner])

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(branch(str(n), 1)) for n in range(3)]
    trace.decide("stop", "done", {}, after=[task.result() for task in tasks])
    return finished(trace)


async def test_branches_side_by_side_give_the_same_record_in_whatever_order_they_finish():
    records = [await side_by_side(seed) for seed in range(25)]
    first = records[0]
    assert Record.from_json(first.to_json()) == first
    assert {record.fingerprint for record in records} == {first.fingerprint}
    assert [step.id for step in first.steps] == list(range(len(first.steps)))
    assert all(step.parent is None or step.parent < step.id for step in first.steps)
    assert [message.text for message in first.messages] == ["shared", "0", "0.0", "0.1", "1", "1.0", "1.1", "2", "2.0", "2.1"]
    assert [passage.id for passage in first.passages][:3] == ["of 0", "danube", "of 0.0"]


async def test_what_a_decision_waited_for_is_renumbered_with_the_steps():
    record = await side_by_side(7)
    stop = record.steps[-1]
    assert isinstance(stop, Decision)
    assert [record.steps[index].text for index in stop.after] == ["0", "1", "2"]
    assert {record.steps[index].label for index in stop.after} == {"verdict"}


def test_a_step_that_began_and_never_ended_leaves_nothing_behind_and_what_was_under_it_moves_up():
    trace = Trace()
    node = trace.decide("node", "node", {})
    with trace.under(node):
        lost = trace.begin("read", "cancelled")
        trace.keep_messages([Message("user", "never sent")])
        with trace.under(lost):
            call(trace, "reader", "ended")
    record = finished(trace)
    assert [(type(step), step.id, step.parent) for step in record.steps] == [(Decision, 0, None), (ModelCall, 1, 0)]
    assert [message.text for message in record.messages] == ["reader"]
    assert Record.from_json(record.to_json()) == record


def test_each_message_and_each_passage_is_kept_once():
    trace = Trace()
    for _ in range(3):
        call(trace, "plan", "x", Message("user", "the same"))
        search(trace, "q", ULM)
    record = finished(trace)
    assert len(record.messages) == len(record.passages) == 1


def test_two_traces_do_not_share_their_parents():
    one, other = Trace(), Trace()
    with one.under(one.decide("node", "x", {})):
        assert (one.parent, other.parent) == (0, None)


# -- observers -------------------------------------------------------------------------------------------------------------


def test_observers_are_told_of_a_step_before_it_ends():
    events = []
    trace = Trace([events.append])
    step_id = call(trace, "plan", "text")
    trace.piece(step_id, "te")
    trace.decide("node", "a", {})
    trace.parse_failed("chain", "why", "what")
    assert [type(event) for event in events] == [Started, ModelCall, TextPiece, Decision, ParseFailure]
    assert events[0] == Started(step_id, None, "model_call", "plan")


def test_an_observer_that_raises_is_told_no_more_and_the_others_are(caplog):
    events = []

    def broken(event):
        raise ValueError("not drawn")

    trace = Trace([broken, events.append])
    with caplog.at_level(logging.WARNING):
        call(trace, "plan", "text")
        trace.decide("node", "a", {})
    assert [type(event) for event in events] == [Started, ModelCall, Decision]
    assert [record.message for record in caplog.records] == ["an observer failed and is not called again"]
    assert len(finished(trace).steps) == 2


def test_an_observer_can_still_be_interrupted():
    def interrupted(event):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Trace([interrupted]).decide("node", "a", {})


def test_a_failure_names_the_class_and_whether_to_try_again():
    assert Failure.of(ModelError("gone", retryable=True)) == Failure("ModelError", "gone", retryable=True)
    assert Failure.of(BudgetReached("max_tokens", 10)) == Failure("BudgetReached", "max_tokens = 10 reached")
    assert Failure.of(ValueError("odd \udcff")) == Failure("ValueError", "odd \ufffd")


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (Failure("ModelError", "no reply"), "the language model failed: no reply"),
        (Failure("ReplayMiss", "the store does not hold this call"), "the store does not hold this call"),
        (Failure("KeyError", "'x'"), "KeyError: 'x'"),
    ],
)
def test_a_failure_in_words_names_a_class_only_if_it_is_none_of_hopweaves(failure: Failure, said: str):
    assert failure.in_words == said


def test_every_error_of_hopweave_has_words_for_what_failed():
    kinds = {kind.__name__ for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, HopweaveError)}
    assert failures_in_words().keys() == kinds
    assert what_failed("ReadError") == failures_in_words()["ReadError"]["what"] == "reading the passages failed"


def test_an_error_that_is_none_of_hopweaves_is_named_where_failures_are_counted():
    assert what_failed("KeyError") == "an unexpected error came up (KeyError)"
    assert what_to_do("KeyError") == ""
