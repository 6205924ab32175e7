"""Several replies to the same messages: each is recorded, stored and counted, however they were drawn."""

import asyncio
from dataclasses import replace

import pytest
from support.workbench import ASK, QUICK, WARM, AtOnce, Engine, bench, record_of

from hopweave.core.errors import BudgetReached, ModelError, ReplayMiss
from hopweave.models.llms.scripted import Line, Scripted
from hopweave.record import ModelCall
from hopweave.run.budget import Budget
from hopweave.run.store.store import Store


def calls(workbench):
    return [step for step in record_of(workbench).steps if isinstance(step, ModelCall)]


async def test_samples_are_requests_side_by_side_where_the_endpoint_draws_one_at_a_time():
    llm = Scripted([Line(f"s{number}", delay_seconds=0.02) for number in range(3)])
    async with bench(llm) as workbench:
        drawn = await workbench.samples(ASK, 3, purpose="p", sampling=WARM)
        totals = record_of(workbench).totals()
    assert ([reply.text for reply in drawn.replies], drawn.reached) == (["s0", "s1", "s2"], None)
    assert llm.max_concurrency == 3
    assert (totals.llm_calls, totals.completions) == (3, 3)
    assert [step.sample for step in calls(workbench)] == [0, 1, 2]


async def test_samples_come_of_one_request_where_the_endpoint_can_and_a_single_one_is_a_plain_reply():
    llm = AtOnce()
    async with bench(llm) as workbench:
        drawn = await workbench.samples(ASK, 3, purpose="p", sampling=WARM)
        totals = record_of(workbench).totals()
    assert [reply.text for reply in drawn.replies] == ["s0", "s1", "s2"]
    assert (llm.asked, llm.num_calls) == ([3], 0)
    assert (totals.llm_calls, totals.completions, totals.prompt_words, totals.prompt_tokens) == (1, 3, 1, 10)
    assert [(step.sample, step.is_shared) for step in calls(workbench)] == [(0, False), (1, True), (2, True)]
    async with bench(llm) as workbench:
        await workbench.samples(ASK, 1, purpose="p")
    assert (llm.asked, llm.num_calls) == ([3], 1)


async def test_under_a_seed_every_sample_has_a_seed_of_its_own():
    llm = Scripted(lambda messages, sampling: f"{sampling.seed}")
    async with bench(llm) as workbench:
        drawn = await workbench.samples(ASK, 3, purpose="p", sampling=replace(WARM, seed=7))
    assert [reply.text for reply in drawn.replies] == ["7", "8", "9"]


@pytest.mark.parametrize("make", [lambda: Scripted(["a", "b", "c", "d"]), AtOnce])
async def test_every_sample_is_an_entry_of_the_store_and_only_what_is_missing_is_drawn(make, tmp_path):
    path = tmp_path / "s"
    llm = make()
    async with bench(llm, store=Store(path)) as workbench:
        first = await workbench.samples(ASK, 2, purpose="p", sampling=WARM)
    store = Store(path)
    assert len(store) == 2
    async with bench(llm, store=store) as workbench:
        more = await workbench.samples(ASK, 3, purpose="p", sampling=WARM)
        kept = record_of(workbench)
        assert len(store) == 3
    assert more.replies[:2] == first.replies
    if isinstance(llm, AtOnce):
        assert llm.asked == [2, 1]
    async with bench(llm, store=Store(path, "replay")) as workbench:
        again = await workbench.samples(ASK, 3, purpose="p", sampling=WARM)
        replayed = record_of(workbench)
        with pytest.raises(ReplayMiss):
            await workbench.samples(ASK, 4, purpose="p", sampling=WARM)
    assert again.replies == more.replies
    assert replayed.fingerprint == kept.fingerprint


@pytest.mark.parametrize(
    ("llm", "limit", "num", "texts", "reached"),
    [
        (Scripted(["a", "b", "c"]), {"max_llm_calls": 2}, 3, ["a", "b"], "max_llm_calls"),
        (AtOnce(), {"max_llm_calls": 1}, 5, ["s0", "s1", "s2", "s3", "s4"], None),  # one request is one call
        (Scripted(["a b", "c d", "e f"]), {"max_tokens": 5}, 3, ["a b", "c d"], "max_tokens"),
    ],
    ids=["calls", "one-request", "tokens"],
)
async def test_a_limit_leaves_the_samples_that_it_allows(llm, limit, num, texts, reached):
    async with bench(llm, budget=Budget(**limit)) as workbench:
        drawn = await workbench.samples(ASK, num, purpose="p")
        assert ([reply.text for reply in drawn.replies], drawn.reached and drawn.reached.limit) == (texts, reached)
        with pytest.raises(BudgetReached):
            await workbench.samples(ASK, num, purpose="p")


async def test_where_tokens_are_limited_samples_take_turns():
    llm = Scripted([Line("a b", delay_seconds=0.01), Line("c d", delay_seconds=0.01)])
    async with bench(llm, budget=Budget(max_tokens=500)) as workbench:
        await workbench.samples(ASK, 2, purpose="p")
    assert llm.max_concurrency == 1


@pytest.mark.parametrize("make", [lambda error: Scripted(["a", error, "c"]), lambda error: AtOnce(lambda number: error)])
async def test_a_sample_that_fails_is_recorded_and_fails_the_call(make):
    async with bench(make(ModelError("gone")), retries=QUICK) as workbench:
        with pytest.raises(ModelError, match="gone"):
            await workbench.samples(ASK, 3, purpose="p")
        assert record_of(workbench).totals().llm_failures == 1


async def test_one_request_is_tried_again_where_that_can_help():
    failures = [ModelError("busy", retryable=True)]

    def say(number):
        return failures.pop() if failures else f"s{number}"

    async with bench(AtOnce(say), retries=QUICK) as workbench:
        drawn = await workbench.samples(ASK, 2, purpose="p")
        assert {step.timing.attempts for step in calls(workbench)} == {2}
    assert [reply.text for reply in drawn.replies] == ["s0", "s1"]


async def test_rounds_are_blocks_of_searches_between_calls_of_the_model_or_single_queries():
    async with bench(retriever=Engine()) as workbench:
        await workbench.search(["before any call"], 1)
        await workbench.reply(ASK, purpose="chain")
        await workbench.search(["a", "b"], 1)
        await workbench.reply(ASK, purpose="reader")
        await workbench.search(["c"], 1)
        await workbench.reply(ASK, purpose="chain")
        record = record_of(workbench)
    assert (record.num_rounds(), record.num_rounds("per_call")) == (2, 4)


async def test_branches_side_by_side_count_their_rounds_whatever_the_clock_says():
    async with bench(retriever=Engine()) as workbench:

        async def branch(name, seconds):
            with workbench.under(workbench.decide("branch", name)):
                await workbench.reply(ASK, purpose="ask")
                await asyncio.sleep(seconds)
                await workbench.search([name], 1)

        await asyncio.gather(branch("a", 0.02), branch("b", 0.01))
        assert record_of(workbench).num_rounds() == 2
