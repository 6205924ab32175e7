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


async def two_draws(workbench):
    for _ in range(2):
        await workbench.samples(ASK, 3, purpose="p", sampling=WARM)


async def calls_in_turn(workbench):
    for sample in range(3):
        await workbench.reply(ASK, purpose="p", sampling=WARM, sample=sample)


async def draws_in_branches(workbench):
    with workbench.under(workbench.decide("graph", "g")):
        for name in ("one", "two"):
            with workbench.under(workbench.decide("node", name)):
                await workbench.samples(ASK, 2, purpose="p", sampling=WARM)


async def offline_stage(workbench):
    with workbench.offline("o") as offline:
        await offline.reply(ASK, purpose="p")
    await workbench.reply(ASK, purpose="q")


@pytest.mark.parametrize(
    ("work", "seconds", "longest", "total"),
    [
        (two_draws, [2.0], 4.0, 4.0),
        (calls_in_turn, [2.0], 6.0, 6.0),  # a method that asks again after it saw a reply waited for it
        (draws_in_branches, [1.0, 3.0, 2.0, 2.0], 3.0, 5.0),
        (offline_stage, [50.0, 1.0], 1.0, 1.0),
    ],
)
async def test_the_path_is_as_long_as_the_longest_of_what_waited_for_one_another(work, seconds, longest, total):
    async with bench(Scripted([("", "x")]), budget=Budget(max_tokens=1000)) as workbench:  # samples take turns, and count once
        await work(workbench)
        path = critical_path(timed(record_of(workbench), seconds))
    assert (path.seconds, path.total_seconds) == (longest, total)


async def test_a_sample_whose_draw_lost_its_first_is_not_taken_for_one_of_the_call_before():
    async with bench(Scripted([("", "x")])) as workbench:
        await workbench.reply([Message("user", "another")], purpose="p")
        await workbench.samples(ASK, 2, purpose="p", sampling=WARM)
        record = record_of(workbench)
    first, _, second = record.steps
    lost = replace(record, steps=(first, replace(second, id=1)))
    assert critical_path(timed(lost, [2.0])).total_seconds == 4.0
