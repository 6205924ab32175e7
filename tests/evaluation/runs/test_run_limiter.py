"""Turns of calls: how the limit follows what the endpoint bears."""

import asyncio

import pytest
from support.scripted_server import Behaviour, ScriptedServer
from support.tiers import first_of

from hopweave.core.errors import ModelError
from hopweave.core.protocols import ManyReplies, TokenCounter
from hopweave.core.retries import Retries
from hopweave.core.types import Message, Question, Sampling
from hopweave.evaluation.runs.limiter import Turns, limited
from hopweave.models.llms.openai_compatible import OpenAICompatible
from hopweave.models.llms.scripted import Scripted
from hopweave.run.components import Components
from hopweave.run.settings import read_settings
from hopweave.run.weaver import Weaver

ASKED = [Message("user", "Who?")]


class Bounded:
    """A model that refuses a call when so many are open."""

    identity = "bounded"

    def __init__(self, num_places, *, seconds=0.01, retry_after_seconds=None):
        self.abilities = Scripted().abilities
        self.num_places, self.seconds, self.retry_after_seconds = num_places, seconds, retry_after_seconds
        self.num_open = self.most_open = self.num_refused = 0

    async def reply(self, messages, sampling, on_text=None):
        if self.num_open >= self.num_places:
            await asyncio.sleep(0)
            self.num_refused += 1
            raise ModelError("busy (429)", retryable=True, is_refusal=True, retry_after_seconds=self.retry_after_seconds)
        self.num_open += 1
        self.most_open = max(self.most_open, self.num_open)
        await asyncio.sleep(self.seconds)
        self.num_open -= 1
        return await Scripted(["yes"]).reply(messages, sampling)

    async def close(self):
        pass


async def test_no_more_calls_than_the_ceiling_are_under_way():
    inner = Bounded(100)
    llm = limited(inner, Turns(3))
    await asyncio.gather(*(llm.reply(ASKED, Sampling()) for _ in range(20)))
    assert inner.most_open == 3
    assert llm.turns.limit == 3


async def test_a_refusal_halves_the_limit_and_reaches_the_caller():
    turns = Turns(16)
    llm = limited(Scripted([ModelError("busy", retryable=True, is_refusal=True)]), turns)
    with pytest.raises(ModelError, match="busy"):
        await llm.reply(ASKED, Sampling())
    assert turns.num_refused == 1
    assert turns.limit <= 8


async def test_of_calls_that_began_together_the_limit_falls_to_those_that_were_borne():
    inner = Bounded(5, seconds=0.05)
    llm = limited(inner, Turns(40))
    outcomes = await asyncio.gather(*(llm.reply(ASKED, Sampling()) for _ in range(40)), return_exceptions=True)
    assert sum(isinstance(outcome, ModelError) for outcome in outcomes) == 35
    assert 5 <= llm.turns.limit <= 6  # and one more, once five were borne


async def test_another_failure_leaves_the_limit_alone():
    turns = Turns(16)
    llm = limited(Scripted([ModelError("broken", retryable=True), ModelError("wrong")]), turns)
    for _ in range(2):
        with pytest.raises(ModelError):
            await llm.reply(ASKED, Sampling())
    assert turns.limit == 16


async def test_the_limit_grows_by_one_with_every_round_of_calls_up_to_the_ceiling():
    turns = Turns(10)
    turns._limit = 4.0
    for _ in range(4):
        turns.borne()
    assert turns.limit == 4  # four calls under a growing limit are not quite a round
    turns.borne()
    assert turns.limit == 5
    for _ in range(1000):
        turns.borne()
    assert turns.limit == 10


async def test_no_call_begins_before_the_time_that_the_endpoint_asked_for():
    refusal = ModelError("busy", retryable=True, retry_after_seconds=0.2)
    llm = limited(Scripted([refusal, "yes"]), Turns(4))
    loop = asyncio.get_running_loop()
    with pytest.raises(ModelError):
        await llm.reply(ASKED, Sampling())
    began = loop.time()
    assert (await llm.reply(ASKED, Sampling())).text == "yes"
    assert loop.time() - began >= 0.19


async def test_a_call_that_is_cancelled_while_it_waits_takes_no_turn():
    inner = Bounded(100, seconds=0.05)
    llm = limited(inner, Turns(1))
    first, second, third = (asyncio.create_task(llm.reply(ASKED, Sampling())) for _ in range(3))
    await asyncio.sleep(0.01)
    second.cancel()
    assert (await first).text == (await third).text == "yes"
    assert llm.turns.num_open == 0


async def test_a_call_that_is_cancelled_just_as_its_turn_comes_gives_it_back():
    turns = Turns(1)
    holder = turns.turn()
    await holder.__aenter__()

    async def wait():
        async with turns.turn():
            pass

    waiting = asyncio.create_task(wait())
    await asyncio.sleep(0)
    await holder.__aexit__(None, None, None)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert turns.num_open == 0


def test_a_limited_model_can_do_what_the_model_can_and_no_more():
    counting = limited(Scripted(), Turns(1))
    plain = limited(Bounded(1), Turns(1))
    many = limited(OpenAICompatible(model="m", base_url="http://127.0.0.1:9/v1"), Turns(1))
    assert isinstance(counting, TokenCounter)
    assert not isinstance(plain, TokenCounter)
    assert isinstance(many, ManyReplies)
    assert not isinstance(counting, ManyReplies)


async def test_every_refusal_is_an_attempt_in_the_record():
    llm = limited(Scripted([ModelError("busy", retryable=True, retry_after_seconds=0.01), "So the answer is: yes."]), Turns(4))
    parts = Components(llm, retries=Retries(max_wait_seconds=0.05))
    async with Weaver(read_settings({"method": "direct"}), components=parts) as weaver:
        record = await weaver.answer(Question("1", "Is it?"))
    assert [step.timing.attempts for step in record.steps if step.kind == "model_call"] == [2]


@pytest.mark.parametrize("status", first_of([429, 503]))
async def test_a_server_that_bears_few_calls_at_a_time_is_met_without_a_failed_question(status):

    def busy_or_not(_):
        return Behaviour(text="yes", delay=0.02) if server.num_open <= 4 else Behaviour(status=status, text="too many")

    async with ScriptedServer(busy_or_not) as server:
        llm = limited(OpenAICompatible(model="m", base_url=server.base_url, server="other"), Turns(32))
        parts = Components(llm, retries=Retries(max_attempts=4, max_wait_seconds=1.0))
        async with Weaver(read_settings({"method": "direct"}), components=parts) as weaver:
            # All at one moment, which is the worst.
            records = await asyncio.gather(*(weaver.answer(Question(str(n), f"Is it {n}?")) for n in range(60)))
    assert [record.error for record in records if record.error] == []
    assert llm.turns.num_refused >= 20
    assert llm.turns.limit < 32
