"""The samples of one draw count once, as long as the longest of them, however they were drawn."""

from dataclasses import replace

import pytest
from support.bench import Bench
from support.workbench import ASK, WARM, AtOnce, bench, record_of

from hopweave.core.types import Message
from hopweave.models.llms.scripted import Scripted
from hopweave.record import ModelCall, Timing
from hopweave.record.critical_path import critical_path
from hopweave.run.budget import Budget

SAID = "Ulm. So the final answer is Ulm."


def timed(record, seconds):
    """The record with calls of the model that took so long, one after the other; the last number goes on."""
    left = list(seconds)
    steps = [
        replace(step, timing=Timing(0.0, left.pop(0) if len(left) > 1 else left[0])) if isinstance(step, ModelCall) else step
        for step in record.steps
    ]
    return replace(record, steps=tuple(steps))


async def test_twenty_samples_of_a_second_and_a_half_take_a_second_and_a_half():
    record = await Bench([("", SAID)]).ask("Where is it?", "cot_sc")
    path = critical_path(timed(record, [1.5]))
    assert record.totals().llm_calls == 20
    assert (path.seconds, path.total_seconds) == (1.5, 1.5)


@pytest.mark.parametrize("make", [lambda: Scripted(["a", "b", "c", "d"]), AtOnce], ids=["side by side", "one request"])
async def test_a_draw_is_as_long_as_its_longest_sample_and_other_calls_wait_for_it(make):
    async with bench(make()) as workbench:
        await workbench.samples(ASK, 3, purpose="p", sampling=WARM)
        await workbench.reply(ASK, purpose="q")
        path = critical_path(timed(record_of(workbench), [1.0, 4.0, 2.0, 8.0]))
    assert (path.seconds, path.total_seconds) == (12.0, 12.0)


async def test_two_draws_one_after_the_other_count_twice():
    async with bench(Scripted([("", "x")])) as workbench:
        for _ in range(2):
            await workbench.samples(ASK, 3, purpose="p", sampling=WARM)
        path = critical_path(timed(record_of(workbench), [2.0]))
    assert (path.seconds, path.total_seconds) == (4.0, 4.0)


async def test_samples_that_a_limit_made_take_turns_count_like_others():
    async with bench(Scripted([("", "x")]), budget=Budget(max_tokens=1000)) as workbench:
        await workbench.samples(ASK, 3, purpose="p", sampling=WARM)
        assert critical_path(timed(record_of(workbench), [2.0])).seconds == 2.0


async def test_a_method_that_asks_again_after_it_saw_a_reply_waited_for_it():
    async with bench(Scripted([("", "x")])) as workbench:
        for sample in range(3):
            await workbench.reply(ASK, purpose="p", sampling=WARM, sample=sample)
        path = critical_path(timed(record_of(workbench), [2.0]))
    assert (path.seconds, path.total_seconds) == (6.0, 6.0)


async def test_branches_that_each_draw_are_as_long_as_the_longest_branch():
    async with bench(Scripted([("", "x")])) as workbench:
        with workbench.under(workbench.decide("graph", "g")):
            for name in ("one", "two"):
                with workbench.under(workbench.decide("node", name)):
                    await workbench.samples(ASK, 2, purpose="p", sampling=WARM)
        path = critical_path(timed(record_of(workbench), [1.0, 3.0, 2.0, 2.0]))
    assert (path.seconds, path.total_seconds) == (3.0, 5.0)


async def test_an_offline_stage_takes_nothing_of_the_path():
    async with bench(Scripted([("", "x")])) as workbench:
        with workbench.offline("o") as offline:
            await offline.reply(ASK, purpose="p")
        await workbench.reply(ASK, purpose="q")
        path = critical_path(timed(record_of(workbench), [50.0, 1.0]))
    assert (path.seconds, path.total_seconds) == (1.0, 1.0)


async def test_a_sample_whose_draw_lost_its_first_is_not_taken_for_one_of_the_call_before():
    async with bench(Scripted([("", "x")])) as workbench:
        await workbench.reply([Message("user", "another")], purpose="p")
        await workbench.samples(ASK, 2, purpose="p", sampling=WARM)
        record = record_of(workbench)
    first, _, second = record.steps
    lost = replace(record, steps=(first, replace(second, id=1)))
    assert critical_path(timed(lost, [2.0])).total_seconds == 4.0
