"""Nodes that wait for nothing run side by side: the record is the same in every order, and nothing is left running."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.bench import decisions, purposes, verdicts
from support.scripted_server import Behaviour, ScriptedServer
from support.toqd import Plays, asked, bench

from hopweave.answering.methods.toqd._arrows import parse_arrows
from hopweave.answering.methods.toqd._graph import QuestionGraph
from hopweave.answering.methods.toqd.toqd import ToQD
from hopweave.core.errors import ModelError
from hopweave.core.types import Message, Passage, Question, Sampling
from hopweave.ingest.read import read_corpus
from hopweave.models.llms.scripted import Line
from hopweave.record import Trace
from hopweave.record.critical_path import critical_path
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.run.components import Components
from hopweave.run.settings import read_settings
from hopweave.run.weaver import Weaver
from hopweave.run.workbench import Workbench

MAIN = "Main?"
NAMES = ["One?", "Two?", "Three?", "Four?"]
FOUND = {name: [Passage(name, f"{name} It is {name.lower()}."), Passage("shared", "Shared.")] for name in NAMES}
PLAYS = Plays(
    sub_questions={MAIN: NAMES},
    arrows={MAIN: "1 -> 3\n2 -> 3\n3 -> Q\n4 -> Q", "Four?": "1 -> Q\n2 -> Q"},
    knows={"One?": "one", "4a?": "a"},
    reads={"Two?": "two?", "Three?": "three?", "4b?": "b"},
    further={"Four?": ["4a?", "4b?"]},
    sums_up={"Four?": "a"},
    summary="So the final answer is done [2].",
)


async def until(is_so) -> None:
    async with asyncio.timeout(60):
        for _ in iter(is_so, True):
            await asyncio.sleep(0.02)


# -- the same record, whatever the clock -------------------------------------------------------------------------------


async def test_records_are_equal_under_random_delays_and_side_by_side_or_one_after_the_other():
    records = [
        await bench(dataclasses.replace(PLAYS, delay=0.02, seed=seed), FOUND).ask(MAIN, "toqd", parallel=True)
        for seed in range(8)
    ]
    assert len({record.fingerprint for record in records}) == 1
    in_a_row = await bench(PLAYS, FOUND).ask(MAIN, "toqd", parallel=False)
    assert in_a_row.answer == records[0].answer
    assert [(step.id, step.parent, step.kind) for step in in_a_row.steps] == [
        (step.id, step.parent, step.kind) for step in records[0].steps
    ]


async def test_independent_nodes_are_open_at_the_same_time_and_one_at_a_time_without_parallel():
    slow = dataclasses.replace(PLAYS, delay=0.02)
    side_by_side, in_a_row = bench(slow, FOUND), bench(slow, FOUND)
    await side_by_side.ask(MAIN, "toqd")
    await in_a_row.ask(MAIN, "toqd", parallel=False)
    assert side_by_side.llm.max_concurrency >= 3
    assert in_a_row.llm.max_concurrency == 1


async def test_where_calls_are_counted_nodes_take_turns():
    made = bench(dataclasses.replace(PLAYS, delay=0.01), FOUND)
    await made.ask(MAIN, "toqd", budget={"max_llm_calls": 50})
    assert made.llm.max_concurrency == 1


async def test_a_node_waits_for_all_before_it_and_for_nothing_else():
    def say(messages, sampling):
        slow = asked(messages)[1] == "Two?"
        return Line(PLAYS(messages, sampling), delay_seconds=0.2 if slow else 0.0)

    record = await bench(say, FOUND).ask(MAIN, "toqd")
    began = {}
    for step in record.steps:
        if step.kind == "model_call" and step.purpose == "self_verify":
            began[record.steps[step.parent].data["query"]] = step.timing.started_seconds
    assert began["Three?"] > 0.35
    assert max(began["One?"], began["Four?"], began["4a?"], began["4b?"]) < 0.2


# -- the critical path -------------------------------------------------------------------------------------------------


async def test_the_critical_path_is_the_longest_way_along_what_waited_for_what():
    def say(messages, sampling):
        return Line(PLAYS(messages, sampling), delay_seconds=0.05 if asked(messages)[1] in {"Two?", "Three?"} else 0.0)

    record = await bench(say, FOUND).ask(MAIN, "toqd")
    path = critical_path(record)
    assert [record.steps[step].data["query"] for step in path.steps] == ["Two?", "Three?"]
    assert path.seconds <= path.total_seconds
    assert 0.25 <= path.seconds < record.seconds + 0.01
    in_a_row = critical_path(await bench(say, FOUND).ask(MAIN, "toqd", parallel=False))
    assert in_a_row.steps == path.steps


async def test_the_critical_path_goes_through_a_child_graph():
    def say(messages, sampling):
        return Line(PLAYS(messages, sampling), delay_seconds=0.2 if asked(messages)[1] == "4b?" else 0.0)

    record = await bench(say, FOUND).ask(MAIN, "toqd")
    assert [record.steps[step].data["query"] for step in critical_path(record).steps] == ["Four?", "4b?"]


# -- failure and cancellation ------------------------------------------------------------------------------------------


async def test_a_failure_in_one_branch_is_one_error_and_cancels_the_others():
    stalled = {("self_verify", "One?"): Line("x", stalls=True), ("self_verify", "Four?"): ModelError("down")}
    made = bench(dataclasses.replace(PLAYS, raw=stalled), FOUND)
    record = await made.ask(MAIN, "toqd")
    assert (record.error.kind, record.error.message) == ("ModelError", "down")
    assert made.llm._num_open == 0
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_what_is_raised_is_never_a_group_of_errors():
    down = {("self_verify", "4b?"): ModelError("down"), ("self_verify", "One?"): Line("x", stalls=True)}
    made = bench(dataclasses.replace(PLAYS, raw=down), FOUND)
    parts = Components(made.llm, retriever=made.retriever)
    with pytest.raises(ModelError, match="down"):
        await ToQD().answer(Question("q", MAIN), Workbench(parts, Trace()))
    await parts.close()


async def test_cancelling_a_question_leaves_nothing_running():
    stalled = {("self_verify", name): Line("x", stalls=True) for name in ("One?", "Two?", "4a?", "4b?")}
    made = bench(dataclasses.replace(PLAYS, raw=stalled), FOUND)
    task = asyncio.create_task(made.ask(MAIN, "toqd"))
    await until(lambda: made.llm._num_open == 4)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert made.llm._num_open == 0
    assert asyncio.all_tasks() == {asyncio.current_task()}


# -- killed in the middle of a child graph -----------------------------------------------------------------------------


def behaviour(delay: float):
    def respond(request) -> Behaviour:
        text = PLAYS([Message("user", request.body["messages"][-1]["content"])], Sampling())
        return Behaviour(text=text, delay=delay if asked_of(request) == ("self_verify", "4b?") else 0.0)

    return respond


def asked_of(request) -> tuple[str, str]:
    return asked([Message("user", request.body["messages"][-1]["content"])])


def settings_for(base_url: str, folder: Path, index: Path) -> dict:
    return {
        "method": "toqd",
        "llm": "openai_compatible",
        "llms": {"openai_compatible": {"model": "m", "base_url": base_url}},
        "methods": {"toqd": {"cite_with_reader": False}},
        "store": {"path": str(folder / "store.sqlite"), "mode": "on"},
        "corpus": str(index),
    }


KILLED = """
import asyncio, json, sys
from hopweave.run.settings import read_settings
from hopweave.run.weaver import Weaver

async def main():
    async with Weaver(read_settings(json.loads(sys.argv[1]))) as weaver:
        record = await weaver.answer("Main?")
        print(record.to_json())

asyncio.run(main())
"""


def killable(given: dict) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-c", KILLED, json.dumps(given)], stdout=subprocess.PIPE, env=os.environ)


@pytest.mark.slow
@pytest.mark.parametrize("parallel", [True, False])
async def test_a_run_killed_in_the_middle_of_a_child_graph_goes_on_without_repeating_a_call(tmp_path, parallel):
    source = tmp_path / "corpus.jsonl"
    source.write_text("".join(json.dumps({"id": name, "text": f"{name} It is {name.lower()}."}) + "\n" for name in NAMES))
    BM25.build(tmp_path / "index", read_corpus([source]))
    async with ScriptedServer(behaviour(30.0)) as server:
        given = settings_for(server.base_url, tmp_path, tmp_path / "index")
        given["methods"]["toqd"]["parallel"] = parallel
        process = killable(given)
        open_node, before_it = ("self_verify", "4b?"), ("self_verify_with_passages", "Three?")

        def is_in_the_middle() -> bool:
            """Only one call is under way, and every node that can do without it is done."""
            seen = [asked_of(request) for request in server.requests]
            return open_node in seen and server.num_open == 1 and (before_it in seen or not parallel)

        await until(is_in_the_middle)
        await asyncio.sleep(0.3)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        first = [asked_of(request) for request in server.requests]
        server.script = behaviour(0.0)
        async with Weaver(read_settings(given)) as weaver:
            record = await weaver.answer(MAIN)
        second = [asked_of(request) for request in server.requests][len(first) :]
    assert record.error is None
    assert record.answer.short == "done"
    assert open_node in second  # the call that was under way
    assert not set(second) & (set(first) - {open_node})
    assert len(first) + len(second) == len(purposes(record)) + 1
    assert sum(step.timing.from_store for step in record.steps if step.kind == "model_call") == len(first) - 1


# -- graphs of every shape ---------------------------------------------------------------------------------------------


@st.composite
def graphs(draw) -> QuestionGraph:
    num = draw(st.integers(1, 7))
    arrows = draw(st.lists(st.tuples(st.integers(1, num), st.integers(0, num)), max_size=15))
    names = tuple(f"Number {n}?" for n in range(1, num + 1))
    edges = parse_arrows("\n".join(f"{start} -> {end or 'Q'}" for start, end in arrows), names).edges
    return QuestionGraph(names, edges)


@given(graphs(), st.integers(0, 9))
def test_the_order_is_topological_and_the_shares_are_the_allowance(graph, allowance):
    order = graph.order()
    assert sorted(order) == list(range(1, len(graph.sub_questions) + 1))
    place = {node: index for index, node in enumerate(order)}
    assert all(place[start] < place[end] for start, end in graph.edges if end)
    assert sum(graph.shares(allowance).values()) == allowance
    for node in order:
        assert set(graph.before(node)) <= set(graph.ancestors(node))
        assert node not in graph.ancestors(node)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(graphs(), st.integers(0, 100), st.sets(st.integers(1, 7)), st.integers(1, 6))
def test_any_graph_is_walked_whole_each_node_after_those_before_it_and_r_max_holds(graph, seed, opened, max_graphs):
    names = graph.sub_questions
    plays = Plays(
        sub_questions={MAIN: names},
        arrows={MAIN: "\n".join(f"{start} -> {end or 'Q'}" for start, end in graph.edges)},
        knows={name: "x" for number, name in enumerate(names, start=1) if number not in opened},
        delay=0.002,
        seed=seed,
    )
    record = asyncio.run(bench(plays, {}).ask(MAIN, "toqd", max_graphs=max_graphs))
    assert record.error is None
    assert {query for query, _, _ in verdicts(record)} >= set(names)
    assert len(decisions(record, "graph")) <= max_graphs
    assert len(decisions(record, "verdict")) == len(decisions(record, "node")) == len(record.answer.claims)
