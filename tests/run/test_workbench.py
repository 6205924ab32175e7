"""The workbench: nothing is done that is not recorded, counted, batched, bounded and named when it fails."""

import asyncio
import json
import logging
import math
import re
import sqlite3
import threading
from dataclasses import replace

import pytest
from support.workbench import ASK, QUICK, Engine, Gate, Model, bench, others, record_of, until

from hopweave.core.errors import (
    BudgetReached,
    DataError,
    MissingExtra,
    ModelError,
    ReadError,
    ReplayMiss,
    RunError,
    SearchError,
    SettingsError,
)
from hopweave.core.prompt import Prompt
from hopweave.core.retries import Retries
from hopweave.core.types import Hit, Message, Passage, Reading, Reply, Sampling, Span, TokenLogprob, Usage
from hopweave.models.batching import Batcher
from hopweave.models.llms.scripted import Line, Rule, Scripted
from hopweave.record import ModelCall, Read, Record, Search, Started, TextPiece, Trace
from hopweave.run.budget import Budget
from hopweave.run.components import Components
from hopweave.run.store.store import Store, Stored, key_of
from hopweave.run.workbench import Workbench

ULM = Passage("ulm", "Einstein was born in Ulm.")
CALLS = {
    ModelError: lambda workbench: workbench.reply(ASK, purpose="plan"),
    SearchError: lambda workbench: workbench.search(["a"], 1),
    ReadError: lambda workbench: workbench.read("where?", ULM),
}
"""A call of each kind that crosses a boundary, under the error of that boundary."""


class Asks:
    """A reader that asks the model."""

    identity = "asks"

    async def read_with(self, ask, query, passage):
        reply = await ask([Message("user", f"{query} {passage.text}")], Sampling(max_tokens=3))
        start = passage.text.index(reply.text)
        return Reading(reply.text, Span(start, start + len(reply.text)), 1.0)


# -- everything is recorded ------------------------------------------------------------------------------------------------


async def test_every_call_is_in_the_trace_under_its_step():
    engine = Engine()
    async with bench(Scripted(["a plan"]), retriever=engine, reader=engine) as workbench:
        node = workbench.decide("node", "a node", verdict="known")
        with workbench.under(node):
            sampling = Sampling(max_tokens=9, stop=("x",))
            assert (await workbench.reply(ASK, purpose="plan", sampling=sampling, sample=2)).text == "a plan"
            hits = await workbench.search(["one", "two"], 3)
            reading = await workbench.read("where?", ULM)
            workbench.parse_failed("chain", "why", "what")
        record = record_of(workbench)
    assert [[hit.passage.text for hit in of_one] for of_one in hits] == [["one"], ["two"]]
    call, search, read = record.steps[1:4]
    assert (call.purpose, call.sampling, call.sample, call.text, call.usage) == ("plan", sampling, 2, "a plan", Usage(1, 2))
    assert [record.messages[index] for index in call.messages] == ASK
    assert (search.queries, search.max_hits) == (("one", "two"), 3)
    assert [[found.passage_id for found in of_one] for of_one in search.hits] == [["p one"], ["p two"]]
    assert (read.query, read.passage_id, read.reading) == ("where?", "ulm", reading)
    assert {step.parent for step in record.steps} == {None, node}
    assert {passage.id for passage in record.passages} == {"p one", "p two", "ulm"}
    assert engine.is_closed
    assert others() == set()


async def test_what_could_not_be_parsed_is_filed_once_for_each_reason():
    async with bench(Scripted([])) as workbench:
        workbench.parse_failed("chain", ["no query", "no answer"], "what")
        workbench.parse_failed("chain", [], "what")
        record = record_of(workbench)
    assert [step.reason for step in record.steps] == ["no query", "no answer"]
    assert record.totals().parse_failures == 2


async def test_the_calls_of_a_reader_that_asks_the_model_are_filed_under_its_reading():
    async with bench(Scripted(["Ulm"]), reader=Asks()) as workbench:
        assert (await workbench.read("where?", ULM)).text == "Ulm"
        read, call = record_of(workbench).steps
    assert (type(read), type(call), call.parent, call.purpose) == (Read, ModelCall, read.id, "reader")


@pytest.mark.parametrize("is_small", [True, False])
async def test_a_reader_of_excerpts_is_told_which_answer_is_checked_and_whether_the_model_is_small(is_small):
    told = []

    class Checks(Asks):
        async def check_with(self, ask, query, passage, answer, *, is_small):
            told.append((query, answer, is_small))
            return await self.read_with(ask, query, passage)

        def excerpt(self, query, passage, answer="", words=None, *, is_small):
            return passage.text

    async with bench(Scripted(["Ulm", "Ulm"], is_small=is_small), reader=Checks()) as workbench:
        await workbench.read("where?", ULM, answer="in Ulm")
        await workbench.read("where?", ULM)
    assert told == [("where?", "in Ulm", is_small), ("where?", "", is_small)]


async def test_the_fingerprint_of_each_prompt_that_was_filled_is_in_the_record():
    prompt = Prompt("made_up.ask", "Say {what}")
    async with bench() as workbench:
        assert workbench.fill(prompt, what="hello") == "Say hello"
        assert record_of(workbench).setup.prompts == {"made_up.ask": prompt.fingerprint}


async def test_searching_for_nothing_asks_nobody():
    engine = Engine()
    async with bench(retriever=engine) as workbench:
        assert await workbench.search([], 5) == []
        assert record_of(workbench).steps == ()
    assert engine.batches == []


# -- budgets ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [{"max_llm_calls": 2}, {"max_tokens": 80}], ids=str)
async def test_calls_end_before_the_one_that_a_limit_does_not_allow(limit):
    [(name, most)] = limit.items()
    llm = Scripted(lambda messages, sampling: Reply("ok", usage=Usage(30, 10)))
    async with bench(llm, budget=Budget(**limit)) as workbench:
        for _ in range(2):
            await workbench.reply(ASK, purpose="plan")
        with pytest.raises(BudgetReached, match=f"{name} = {most} reached") as reached:
            await workbench.reply(ASK, purpose="plan")
        assert len(record_of(workbench).steps) == 2
    assert reached.value.limit == name
    assert len(llm.calls) == 2


async def test_queries_are_counted_one_by_one_and_a_batch_that_goes_beyond_is_not_sent():
    engine = Engine()
    async with bench(retriever=engine, budget=Budget(max_searches=3)) as workbench:
        assert workbench.num_searches_left == 3
        await workbench.search(["a", "b"], 1)
        with pytest.raises(BudgetReached, match="max_searches = 3"):
            await workbench.search(["c", "d"], 1)
        assert workbench.num_searches_left == 1
        await workbench.search(["c"], 1)
        assert workbench.num_searches_left == 0
        assert len(record_of(workbench).steps) == 2
    assert [queries for queries, _ in engine.batches] == [["a", "b"], ["c"]]


async def test_without_limits_nothing_is_counted_out():
    async with bench(retriever=Engine()) as workbench:
        assert workbench.num_searches_left is None


async def test_time_that_is_up_stops_every_kind_of_call_before_it_is_made():
    engine = Engine()
    llm = Scripted(lambda messages, sampling: "ok")
    async with bench(llm, retriever=engine, reader=engine, budget=Budget(max_seconds=1e-9)) as workbench:
        for call in CALLS.values():
            with pytest.raises(BudgetReached, match="max_seconds"):
                await call(workbench)
        assert record_of(workbench).steps == ()
    assert llm.calls == engine.batches == []


async def test_a_call_that_runs_out_of_time_is_cut_cancelled_and_recorded():
    fate = []

    async def hang():
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            fate.append("cancelled")
            raise

    async with bench(Model(lambda number: hang()), budget=Budget(max_seconds=0.3)) as workbench:
        with pytest.raises(BudgetReached, match=r"max_seconds = 0\.3"):
            await workbench.reply(ASK, purpose="plan")
        (step,) = record_of(workbench).steps
    assert fate == ["cancelled"]
    assert (step.error.kind, step.text, step.timing.attempts) == ("BudgetReached", None, 1)
    assert others() == set()


@pytest.mark.parametrize(("kind", "error"), [("search", SearchError), ("read", ReadError)])
async def test_a_search_and_a_reading_that_run_out_of_time_are_cut_and_recorded(kind, error):
    gate = threading.Event()
    engine = Engine(lambda *_: gate.wait(20) and [], lambda *_: gate.wait(20) and Reading("", None, 0.0))
    async with bench(retriever=engine, reader=engine, budget=Budget(max_seconds=0.3)) as workbench:
        try:
            with pytest.raises(BudgetReached):
                await CALLS[error](workbench)
        finally:
            gate.set()
        (step,) = record_of(workbench).steps
    assert (step.kind, step.error.kind) == (kind, "BudgetReached")


async def test_a_reading_by_the_model_that_runs_out_of_time_leaves_the_cut_call_in_the_record():
    async with bench(Scripted([Line(stalls=True)]), reader=Asks(), budget=Budget(max_seconds=0.3)) as workbench:
        with pytest.raises(BudgetReached):
            await workbench.read("where?", ULM)
        read, call = record_of(workbench).steps
    assert (read.error.kind, call.error.kind) == ("BudgetReached", "BudgetReached")


async def test_waiting_to_try_again_is_cut_too():
    llm = Model(lambda number: ModelError("busy", retryable=True, retry_after_seconds=25))
    async with bench(llm, budget=Budget(max_seconds=0.3)) as workbench:
        with pytest.raises(BudgetReached):
            await workbench.reply(ASK, purpose="plan")
    assert llm.num_calls == 1


async def test_stored_replies_count_as_calls_and_tokens(tmp_path):
    for _ in range(2):
        llm = Scripted(lambda messages, sampling: "ok")
        async with bench(llm, store=Store(tmp_path / "s"), budget=Budget(max_llm_calls=1)) as workbench:
            await workbench.reply(ASK, purpose="plan")
            with pytest.raises(BudgetReached):
                await workbench.reply(ASK, purpose="plan")
    assert llm.calls == []


@pytest.mark.parametrize("concurrently", [0, 3])
async def test_stored_replies_count_the_seconds_that_they_took_and_concurrent_ones_count_them_once(tmp_path, concurrently):
    async with bench(Model(lambda number: f"{number}"), store=Store(tmp_path / "s")) as workbench:
        for sample in range(5):
            await workbench.reply(ASK, purpose="plan", sample=sample)
    slow_down(tmp_path / "s", seconds=60.0)
    async with bench(Model(lambda number: "new"), store=Store(tmp_path / "s"), budget=Budget(max_seconds=100)) as workbench:
        if concurrently:
            await asyncio.gather(*(workbench.reply(ASK, purpose="plan", sample=sample) for sample in range(concurrently)))
        else:
            await workbench.reply(ASK, purpose="plan")
        await workbench.reply(ASK, purpose="plan", sample=3)
        with pytest.raises(BudgetReached, match="max_seconds = 100"):
            await workbench.reply(ASK, purpose="plan", sample=4)


def slow_down(path, seconds):
    """Lets every stored reply have taken so long; its row is written without a checksum, as earlier versions did."""
    file = sqlite3.connect(path)
    with file:
        rows = file.execute("SELECT key, outcome FROM replies").fetchall()
        slower = [(seconds, json.dumps(json.loads(outcome)[:2]), key) for key, outcome in rows]
        file.executemany("UPDATE replies SET seconds = ?, outcome = ? WHERE key = ?", slower)
    file.close()


@pytest.mark.parametrize("value", [-1, math.inf, math.nan])
@pytest.mark.parametrize("name", ["max_llm_calls", "max_tokens", "max_searches", "max_seconds"])
def test_a_limit_that_is_none_is_refused(name, value):
    with pytest.raises(SettingsError, match=f"budget {name} must be a number above 0, or 0 for no limit"):
        Budget(**{name: value})


def test_only_the_limits_that_are_set_are_told():
    assert Budget(max_tokens=5, max_seconds=1.5).limits() == {"max_tokens": 5, "max_seconds": 1.5}


# -- trying again ----------------------------------------------------------------------------------------------------------


async def test_what_may_succeed_later_is_tried_again_silently_and_the_attempts_are_recorded(capfd):
    llm = Model(lambda number: ModelError("busy", retryable=True) if number < 3 else "at last")
    async with bench(llm, retries=QUICK) as workbench:
        assert (await workbench.reply(ASK, purpose="plan")).text == "at last"
        (step,) = record_of(workbench).steps
    assert (step.text, step.timing.attempts, llm.num_calls) == ("at last", 3, 3)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("num_retryable", "max_attempts", "attempts"), [(0, 4, 1), (1, 4, 2), (9, 1, 1), (9, 2, 2), (9, 4, 4)])
async def test_trying_again_ends_with_the_first_final_error_or_the_last_attempt(num_retryable, max_attempts, attempts):
    llm = Model(lambda number: ModelError(f"error {number}", retryable=number <= num_retryable))
    async with bench(llm, retries=Retries(max_attempts, 0.0)) as workbench:
        with pytest.raises(ModelError, match=f"error {attempts}"):
            await workbench.reply(ASK, purpose="plan")
        (step,) = record_of(workbench).steps
    assert llm.num_calls == step.timing.attempts == attempts
    assert (step.error.kind, step.text) == ("ModelError", None)


@pytest.mark.parametrize(
    ("asked", "waited"),
    [(7.0, 7.0), (3600.0, 30.0), (math.inf, 30.0)],
)
async def test_the_wait_that_the_other_side_asks_for_is_kept_up_to_the_longest(monkeypatch, asked, waited):
    assert await seconds_waited(monkeypatch, asked, num_failures=1) == pytest.approx(waited)


@pytest.mark.parametrize("asked", [None, 0.2, 0.0, -5.0, math.nan])
async def test_a_wait_shorter_than_the_usual_is_not_made_shorter_by_what_the_other_side_asks_for(monkeypatch, asked):
    assert await seconds_waited(monkeypatch, asked, num_failures=3) >= 0.5 + 1.0 + 2.0


async def seconds_waited(monkeypatch, asked, num_failures):
    """The time between the attempts of a call, of which the first ones fail and ask for a wait."""
    waits = []

    async def sleep(seconds, result=None):
        if seconds:
            waits.append(seconds)
        await asyncio.tasks.__sleep0()

    monkeypatch.setattr(asyncio, "sleep", sleep)
    busy = ModelError("busy", retryable=True, retry_after_seconds=asked)
    llm = Model(lambda number: busy if number <= num_failures else "ok")
    async with bench(llm) as workbench:
        await workbench.reply(ASK, purpose="plan")
    return sum(waits)


@pytest.mark.parametrize("options", [{"max_attempts": 0}, {"max_wait_seconds": -1.0}, {"max_wait_seconds": math.inf}])
def test_retries_that_cannot_be_are_refused(options):
    with pytest.raises(SettingsError, match=r"^retries max_"):
        Retries(**options)


# -- errors at the boundary ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "message", "retryable"),
    [
        (ValueError("what"), "{}: ValueError: what", False),
        (KeyError("text"), "{}: KeyError: 'text'", False),
        (TimeoutError("read"), "timed out: read", True),
        (TimeoutError(), "timed out", True),
    ],
)
async def test_a_foreign_error_becomes_that_of_the_boundary_it_crossed_and_names_the_part(error, message, retryable):
    def fail(*_):
        raise error

    engine = Engine(fail, fail)
    said = {kind: message.format("Model" if kind is ModelError else "Engine") for kind in CALLS}
    async with bench(Model(lambda number: error), retriever=engine, reader=engine, retries=Retries(1)) as workbench:
        for kind, call in CALLS.items():
            with pytest.raises(kind) as caught:
                await call(workbench)
            assert (str(caught.value), caught.value.retryable) == (said[kind], retryable)
        steps = record_of(workbench).steps
    assert [(step.error.kind, step.error.message) for step in steps] == [(kind.__name__, said[kind]) for kind in CALLS]


async def test_where_a_part_broke_is_in_the_log(caplog):
    def fail(*_):
        raise KeyError("text")

    engine = Engine(fail, fail)
    with caplog.at_level(logging.DEBUG, "hopweave"):
        async with bench(Model(lambda number: KeyError("text")), retriever=engine, reader=engine) as workbench:
            for kind, call in CALLS.items():
                caplog.clear()
                with pytest.raises(kind):
                    await call(workbench)
                assert "Traceback" in caplog.text
                assert "KeyError: 'text'" in caplog.text


async def test_what_a_part_waits_for_and_somebody_cancelled_is_a_failure_of_the_part_and_no_cancellation():
    async def waits():
        future = asyncio.get_running_loop().create_future()
        future.cancel()
        return await future

    def fail(*_):
        raise asyncio.CancelledError

    engine = Engine(fail, fail)
    async with bench(Model(lambda number: waits()), retriever=engine, reader=engine) as workbench, asyncio.timeout(20):
        for kind, call in CALLS.items():
            with pytest.raises(kind, match=r"^(?:Model|Engine): .*[Cc]ancelled"):
                await call(workbench)
        assert [step.error.kind for step in record_of(workbench).steps] == [kind.__name__ for kind in CALLS]


@pytest.mark.parametrize("error", [SettingsError("no key"), DataError("no index"), MissingExtra("x", "local")])
async def test_what_the_user_has_to_mend_is_raised_as_it_is(error):
    def fail(*_):
        raise error

    engine = Engine(fail, fail)
    async with bench(Model(lambda number: error), retriever=engine, reader=engine) as workbench:
        for call in CALLS.values():
            with pytest.raises(type(error)):
                await call(workbench)


async def test_without_a_retriever_or_reader_or_detector_the_error_says_what_to_name():
    async with bench() as workbench:
        assert not workbench.has_retriever
        with pytest.raises(SearchError, match="no corpus was given; name one with --corpus"):
            await workbench.search(["a"], 1)
        with pytest.raises(ReadError, match="no reader was given; name one with --reader"):
            await workbench.read("where?", ULM)
        with pytest.raises(SettingsError, match="no duplicate detector was given; set duplicate_detector"):
            await workbench.duplicate_of("a", ["b"])
        assert [step.error.kind for step in record_of(workbench).steps] == ["SearchError", "ReadError"]


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf])
async def test_a_score_or_a_confidence_that_is_no_number_is_refused(score):
    engine = Engine(lambda *_: [Hit(ULM, score, 1)], lambda *_: Reading("Ulm", Span(21, 24), score))
    async with bench(retriever=engine, reader=engine) as workbench:
        with pytest.raises(SearchError, match=r"passage 'ulm' the score .*, which is no number"):
            await workbench.search(["a"], 1)
        with pytest.raises(ReadError, match=r"sure of passage 'ulm' by .*, which is no number"):
            await workbench.read("where?", ULM)
        assert len(record_of(workbench).steps) == 2


async def test_more_hits_than_were_asked_for_are_refused():
    engine = Engine(lambda query, max_hits: [Hit(ULM, 1.0, rank) for rank in range(1, 4)])
    async with bench(retriever=engine) as workbench:
        with pytest.raises(SearchError, match="sent 3 hits where 2 were asked for"):
            await workbench.search(["a"], 2)


@pytest.mark.parametrize(
    "reading",
    [
        Reading("Ulm", Span(20, 23), 1.0),
        Reading("Ulm", None, 1.0),
        Reading("", Span(0, 0), 1.0),
        Reading("Ulm", Span(-4, -1), 1.0),
        Reading("Bern", Span(21, 24), 1.0),
    ],
)
async def test_a_reading_that_does_not_stand_in_the_passage_is_refused(reading):
    async with bench(reader=Engine(read=lambda *_: reading)) as workbench:
        with pytest.raises(ReadError, match=r"stands in passage 'ulm' at .*; it does not"):
            await workbench.read("where?", ULM)


@pytest.mark.parametrize("answer", [None, 5, [1], "text"])
async def test_an_engine_that_hands_back_something_else_is_an_error_and_no_hang(answer):
    class Odd(Engine):
        def search(self, queries, max_hits):
            return answer

        read = search

    odd = Odd()
    async with bench(retriever=odd, reader=odd) as workbench, asyncio.timeout(20):
        with pytest.raises(SearchError):
            await workbench.search(["a"], 1)
        with pytest.raises(ReadError):
            await workbench.read("where?", ULM)
        record_of(workbench)


async def test_a_model_that_hands_back_something_else_is_an_error():
    async with bench(Model(lambda number: 5)) as workbench:
        with pytest.raises(ModelError, match="handed back int, not a Reply"):
            await workbench.reply(ASK, purpose="plan")


async def test_half_of_a_character_in_a_reply_neither_loses_the_reply_nor_the_store(tmp_path):
    reply = Reply("a \ud83d b", logprobs=(TokenLogprob("\ud83d", -math.inf, (("\udfff", -1.0),)),))
    async with bench(Model(lambda number: reply), store=Store(tmp_path / "s")) as workbench:
        first = await workbench.reply(ASK, purpose="plan")
        again = await workbench.reply(ASK, purpose="plan")
        record_of(workbench)
    assert first == again
    assert (first.text, first.logprobs[0].token) == ("a \ufffd b", "\ufffd")


async def test_a_duplicate_detector_that_fails_is_named():
    class Broken:
        def __init__(self, answer):
            self.answer = answer

        def duplicate_of(self, query, seen):
            if isinstance(self.answer, Exception):
                raise self.answer
            return self.answer

    for answer, message in (
        (ValueError("boom"), "Broken: ValueError: boom"),
        (7, "named query 7 of 1"),
        (-1, "named query -1 of 1"),
    ):
        async with bench(duplicate_detector=Broken(answer)) as workbench:
            with pytest.raises(RunError, match=message):
                await workbench.duplicate_of("a", ["b"])


# -- batches ---------------------------------------------------------------------------------------------------------------


async def test_searches_of_many_coroutines_reach_the_engine_as_few_batches_off_the_event_loop():
    engine = Engine()
    async with bench(retriever=engine) as workbench:
        found = await asyncio.gather(*(workbench.search([f"q{number}"], 1) for number in range(200)))
    assert [hits[0][0].passage.text for hits in found] == [f"q{number}" for number in range(200)]
    assert len(engine.batches) == 1
    assert threading.get_ident() not in engine.threads


async def test_what_is_asked_while_a_batch_runs_gathers_for_the_next_and_a_batch_has_a_limit():
    gate = Gate()
    batcher = Batcher(gate, "test")
    first = asyncio.create_task(batcher.ask([-1]))
    await until(gate.begun.is_set)
    rest = [asyncio.create_task(batcher.ask([number])) for number in range(600)]
    await asyncio.sleep(0)
    gate.opens.set()
    assert await first == [-1]
    assert await asyncio.gather(*rest) == [[number] for number in range(600)]
    assert [len(batch) for batch in gate.batches] == [1, 256, 256, 88]
    await batcher.close()


async def test_each_depth_is_searched_as_it_was_asked_for():
    engine = Engine(lambda query, max_hits: [Hit(Passage(f"{query}{r}", ""), 1.0, r) for r in range(1, max_hits + 1)])
    async with bench(retriever=engine) as workbench:
        found = await asyncio.gather(*(workbench.search([f"q{depth}"], depth) for depth in (3, 1, 3, 2)))
    assert [len(hits[0]) for hits in found] == [3, 1, 3, 2]
    assert engine.batches == [(["q1"], 1), (["q2"], 2), (["q3", "q3"], 3)]


async def test_readings_and_comparisons_are_batched_too():
    class Compare:
        def duplicate_of(self, query, seen):
            return list(seen).index(query) if query in seen else None

    engine = Engine()
    async with bench(reader=engine, duplicate_detector=Compare()) as workbench:
        await asyncio.gather(*(workbench.read(f"q{number}", ULM) for number in range(50)))
        found = await asyncio.gather(*(workbench.duplicate_of(str(number), ["0", "3"]) for number in range(5)))
    assert len(engine.batches) == 1
    assert found == [0, None, None, 1, None]


async def test_one_poisonous_query_fails_alone():
    def search(query, max_hits):
        if query == "poison":
            raise ValueError("no syntax")
        return [Hit(Passage(query, query), 1.0, 1)]

    async with bench(retriever=Engine(search)) as workbench:
        asked = [workbench.search([query], 1) for query in ("a", "poison", "b")]
        good, bad, fine = await asyncio.gather(*asked, return_exceptions=True)
    assert (good[0][0].passage.id, fine[0][0].passage.id) == ("a", "b")
    assert isinstance(bad, SearchError)
    assert str(bad) == "Engine: ValueError: no syntax"


async def test_an_engine_may_even_raise_what_no_future_can_hold():
    def search(query, max_hits):
        raise StopIteration("the end")

    async with bench(retriever=Engine(search)) as workbench, asyncio.timeout(20):
        with pytest.raises(SearchError, match="StopIteration: the end"):
            await workbench.search(["a"], 1)


@pytest.mark.parametrize("num_results", [0, 1, 3])
async def test_a_wrong_number_of_results_is_an_error(num_results):
    class Odd(Engine):
        def search(self, queries, max_hits):
            return [[]] * num_results if len(queries) > 1 else []

    async with bench(retriever=Odd()) as workbench, asyncio.timeout(20):
        with pytest.raises(SearchError):
            await workbench.search(["a", "b"], 1)


async def test_cancelling_one_who_waits_harms_nobody_else():
    gate = Gate()
    batcher = Batcher(gate, "test")
    tasks = [asyncio.create_task(batcher.ask([number])) for number in range(5)]
    await until(gate.begun.is_set)
    tasks += [asyncio.create_task(batcher.ask([number])) for number in range(5, 10)]
    await asyncio.sleep(0)
    tasks[2].cancel()
    tasks[8].cancel()
    await asyncio.sleep(0)
    gate.opens.set()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    for number, outcome in enumerate(outcomes):
        assert isinstance(outcome, asyncio.CancelledError) if number in (2, 8) else outcome == [number]
    await batcher.close()


async def test_closing_a_batcher_leaves_nobody_waiting():
    gate = Gate()
    batcher = Batcher(gate, "test", SearchError)
    running = asyncio.create_task(batcher.ask([1]))
    await until(gate.begun.is_set)
    waiting = asyncio.create_task(batcher.ask([2]))
    await asyncio.sleep(0)
    gate.opens.set()
    await batcher.close()
    async with asyncio.timeout(20):
        outcomes = await asyncio.gather(running, waiting, return_exceptions=True)
    assert all(outcome == [1] or isinstance(outcome, SearchError) for outcome in outcomes)
    with pytest.raises(SearchError, match="closed"):
        await batcher.ask([3])


async def test_closing_waits_for_no_batch_and_fails_each_request_of_it():
    gate = Gate()
    batcher = Batcher(gate, "test", SearchError)
    running = [asyncio.create_task(batcher.ask([number])) for number in range(3)]
    await until(gate.begun.is_set)
    async with asyncio.timeout(10):  # the gate itself would wait for twice as long
        await batcher.close()
        outcomes = await asyncio.gather(*running, return_exceptions=True)
    assert [str(outcome) for outcome in outcomes] == ["it was closed before the result was there"] * 3
    gate.opens.set()


async def test_an_engine_that_is_searched_is_closed_once_that_search_has_ended():
    gate = Gate()
    engine = Engine(lambda query, max_hits: gate([query]) and [])
    components = Components(Scripted(["x"]), retriever=engine)
    search = asyncio.create_task(components.search(["a"], 1))
    await until(gate.begun.is_set)
    search.cancel()
    async with asyncio.timeout(10):
        await components.close()
    assert not engine.is_closed
    gate.opens.set()
    await until(lambda: engine.is_closed)


def test_event_loops_of_several_threads_ask_at_the_same_time():
    batcher = Batcher(lambda items: [item * 2 for item in items], "test")
    got = {}

    def ask(number):
        got[number] = [asyncio.run(batcher.ask([number, each])) for each in range(50)]

    threads = [threading.Thread(target=ask, args=(number,), daemon=True) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert got == {number: [[2 * number, 2 * each] for each in range(50)] for number in range(4)}
    assert not batcher._queues
    asyncio.run(batcher.close())


def test_a_batcher_serves_one_event_loop_after_the_other():
    batcher = Batcher(lambda items: [item * 2 for item in items], "test")
    assert asyncio.run(batcher.ask([1])) == [2]
    assert asyncio.run(batcher.ask([2, 3])) == [4, 6]
    asyncio.run(batcher.close())


def test_a_batcher_that_was_cut_off_serves_the_next_event_loop():
    gate = Gate()
    batcher = Batcher(gate, "test")

    async def cut_off():
        tasks = [asyncio.create_task(batcher.ask([number])) for number in range(2)]
        await until(gate.begun.is_set)
        tasks.append(asyncio.create_task(batcher.ask([2])))
        await asyncio.sleep(0)

    asyncio.run(cut_off())
    gate.opens.set()
    assert asyncio.run(batcher.ask([7])) == [7]
    asyncio.run(batcher.close())


# -- cancelling ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", [Line("never to be seen", stalls=True), Line("late", delay_seconds=3600)])
async def test_cancelling_a_question_ends_its_open_call_and_leaves_no_task_and_no_half_step(line):
    llm = Scripted(["first", line])
    async with bench(llm) as workbench:

        async def method():
            await workbench.reply(ASK, purpose="first")
            await workbench.reply(ASK, purpose="second")

        task = asyncio.create_task(method())
        await until(lambda: len(llm.calls) == 2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert others() == set()
        assert [step.purpose for step in record_of(workbench).steps] == ["first"]
        assert llm._num_open == 0


async def test_cancelling_a_question_that_waits_for_a_search_leaves_the_others_their_results():
    gate = Gate()
    async with bench(retriever=Engine(lambda query, _: gate([Hit(Passage(query, query), 1.0, 1)]))) as workbench:
        other = Workbench(workbench.components, Trace())
        cancelled, kept = asyncio.create_task(workbench.search(["a"], 1)), asyncio.create_task(other.search(["b"], 1))
        await until(gate.begun.is_set)
        cancelled.cancel()
        gate.opens.set()
        assert (await kept)[0][0].passage.id == "b"
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        assert record_of(workbench).steps == ()
        assert len(record_of(other).steps) == 1


async def test_closing_the_parts_closes_all_of_them_even_if_one_fails(tmp_path):
    class Broken(Engine):
        def close(self):
            raise OSError("stuck")

    closed = []

    class Closing(Scripted):
        async def close(self):
            closed.append("llm")

    store = Store(tmp_path / "s")
    parts = Components(Closing([]), retriever=Broken(), store=store)
    with pytest.raises(OSError, match="stuck"):
        await parts.close()
    assert closed == ["llm"]
    with pytest.raises(DataError, match="is closed"):
        store.get("k")


# -- observers -------------------------------------------------------------------------------------------------------------


async def test_observers_see_a_step_begin_then_its_words_then_its_end():
    events = []
    async with bench(Scripted(["Paris is it"]), retriever=Engine(), observers=[events.append]) as workbench:
        await workbench.reply(ASK, purpose="answer")
        await workbench.search(["q"], 1)
    assert [type(event) for event in events] == [Started, TextPiece, TextPiece, TextPiece, ModelCall, Started, Search]
    assert "".join(event.text for event in events if isinstance(event, TextPiece)) == "Paris is it"
    assert len({event.id for event in events[:5]}) == 1


async def test_nobody_asks_for_pieces_where_nobody_listens():
    asked = []

    class Watching(Scripted):
        async def reply(self, messages, sampling, on_text=None):
            asked.append(on_text)
            return await super().reply(messages, sampling, on_text)

    async with bench(Watching(["x"])) as workbench:
        await workbench.reply(ASK, purpose="answer")
    assert asked == [None]


# -- the store -------------------------------------------------------------------------------------------------------------


async def scene(path, mode, llm, budget=None) -> Record:
    """Calls one after the other and side by side, some of which fail."""
    async with bench(llm, retriever=Engine(), store=Store(path, mode), budget=budget, retries=Retries(2, 0.0)) as workbench:

        async def branch(name: str) -> None:
            with workbench.under(workbench.decide("node", name)):
                for sample in range(2):
                    try:
                        await workbench.reply([Message("user", name)], purpose=name, sample=sample)
                    except RunError as error:
                        workbench.decide("failed", str(error))
                await workbench.search([name], 1)

        await workbench.reply(ASK, purpose="plan")
        await asyncio.gather(*(branch(name) for name in ("slow", "broken", "busy", "quick")))
        return record_of(workbench)


def rules():
    busy = Line("done", error=ModelError("busy", retryable=True), num_errors=1)
    slow = Line("slowly", delay_seconds=0.02)
    broken = ModelError("no such model")
    return Scripted([Rule("slow", slow), Rule("broken", broken), Rule("busy", busy), Rule(re.compile(""), "ok")])


async def test_a_run_and_its_replay_have_one_fingerprint_and_the_replay_calls_nobody(tmp_path):
    first = await scene(tmp_path / "s", "on", rules())
    for mode in ("replay", "replay", "on"):
        llm = rules()
        again = await scene(tmp_path / "s", mode, llm)
        assert again.fingerprint == first.fingerprint
        if mode == "replay":
            assert llm.calls == []
    calls = [step for step in again.steps if isinstance(step, ModelCall)]
    # Failures are tried again with the store on.
    assert {step.purpose for step in calls if not step.timing.from_store} == {"broken"}
    assert [step.timing.attempts for step in calls if step.purpose == "busy"] == [2, 1]


async def test_cuts_replay_as_they_happened_whatever_the_clock_says(tmp_path):
    def llm():
        return Scripted([Rule("0", "first"), Rule("1", Line(stalls=True)), Rule("2", "never")])

    async def cut_short(mode, llm):
        budget = Budget(max_seconds=0.5)
        async with bench(llm, store=Store(tmp_path / "s", mode), budget=budget) as workbench:
            told = []
            for number in range(3):
                try:
                    told.append((await workbench.reply([Message("user", str(number))], purpose="plan")).text)
                except BudgetReached as reached:
                    told.append(str(reached))
            return told, record_of(workbench)

    told, first = await cut_short("on", llm())
    assert told == ["first", "max_seconds = 0.5 reached", "max_seconds = 0.5 reached"]
    assert [step.error and step.error.kind for step in first.steps] == [None, "BudgetReached"]
    slow_down(tmp_path / "s", seconds=1000.0)
    silent = llm()
    again = await cut_short("replay", silent)
    assert again[0] == told
    assert again[1].fingerprint == first.fingerprint
    assert silent.calls == []


async def test_a_call_that_the_store_does_not_hold_is_a_failure_in_replay_and_nothing_is_tried_again(tmp_path):
    Store(tmp_path / "s").close()
    llm = Scripted(lambda messages, sampling: "ok")
    async with bench(llm, store=Store(tmp_path / "s", "replay")) as workbench:
        with pytest.raises(ReplayMiss, match="the store does not hold this call; run once with the store on"):
            await workbench.reply(ASK, purpose="plan")
        (step,) = record_of(workbench).steps
    assert (step.error.kind, step.text) == ("ReplayMiss", None)
    assert llm.calls == []


async def test_samples_of_one_call_are_kept_apart(tmp_path):
    async with bench(Model(lambda number: f"draw {number}"), store=Store(tmp_path / "s")) as workbench:
        first = [(await workbench.reply(ASK, purpose="vote", sample=sample)).text for sample in range(3)]
        again = [(await workbench.reply(ASK, purpose="vote", sample=sample)).text for sample in range(3)]
    assert first == again == ["draw 1", "draw 2", "draw 3"]


async def test_what_another_process_was_told_first_counts(tmp_path):
    path = tmp_path / "s"
    rival = Store(path)
    async with bench(Model(lambda number: late_reply(rival)), store=Store(path)) as workbench:
        assert (await workbench.reply(ASK, purpose="plan")).text == "rival's"
    rival.close()


async def late_reply(rival):
    rival.put(key_of("model", ASK, Sampling(), 0), Stored(Reply("rival's"), None, 1.0, 1))
    return Reply("mine")


async def test_with_the_store_off_every_call_is_made(tmp_path):
    llm = Model(lambda number: f"{number}")
    async with bench(llm, store=Store(tmp_path / "s", "off")) as workbench:
        assert [(await workbench.reply(ASK, purpose="plan")).text for _ in range(2)] == ["1", "2"]


async def test_methods_start_from_the_sampling_and_the_abilities_that_were_given():
    async with bench(sampling=Sampling(temperature=0.3, seed=7)) as workbench:
        await workbench.reply(ASK, purpose="plan", sampling=replace(workbench.sampling, max_tokens=5))
        assert record_of(workbench).steps[0].sampling == Sampling(temperature=0.3, seed=7, max_tokens=5)
        assert workbench.abilities.prefill
