"""Equal calls that are under way at the same moment are made once, and each record and budget is right all the same."""

import asyncio

import pytest
from support.workbench import ASK, QUICK, WARM, AtOnce, Model, bench, others, record_of, until

from hopweave.core.errors import BudgetReached, ModelError
from hopweave.core.types import Reply, Usage
from hopweave.record import ModelCall, TextPiece, Trace
from hopweave.run.budget import Budget
from hopweave.run.components import Components
from hopweave.run.in_flight import InFlight
from hopweave.run.store.store import Store
from hopweave.run.workbench import Workbench


class Gate(Model):
    """A model that answers once it is let."""

    def __init__(self, *outcomes):
        super().__init__(self._say)
        self.outcomes = outcomes or (Reply("Ulm", usage=Usage(7, 3)),)
        self.open = asyncio.Event()
        self.num_cancelled = 0

    async def _say(self, number):
        try:
            await self.open.wait()
        except asyncio.CancelledError:
            self.num_cancelled += 1
            raise
        return self.outcomes[min(number, len(self.outcomes)) - 1]


class Desk:
    """Several questions over the same parts."""

    def __init__(self, llm, store, num=3, budget=None, **parts):
        self.llm = llm
        self.components = Components(llm, store=store, **parts)
        self.benches = [Workbench(self.components, Trace(), budget or Budget()) for _ in range(num)]

    def ask(self):
        return [asyncio.create_task(one.reply(ASK, purpose="p")) for one in self.benches]

    async def asked(self, num_calls=1):
        """All ask, and so many calls are under way."""
        asked = self.ask()
        await until(lambda: self.llm.num_calls == num_calls)
        return asked

    async def answered(self):
        """All ask, and each gets its reply."""
        asked = await self.asked()
        self.llm.open.set()
        return await asyncio.gather(*asked)

    def calls(self):
        return [step for one in self.benches for step in record_of(one).steps if isinstance(step, ModelCall)]


@pytest.fixture
async def desk_of():
    """Makes desks, whose parts are closed at the end."""
    made = []

    def make(*given, **named):
        made.append(Desk(*given, **named))
        return made[-1]

    yield make
    for one in made:
        await one.components.close()


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


async def test_equal_calls_of_several_questions_are_made_once_while_one_is_under_way(desk_of, store):
    desk = desk_of(Gate(), store)
    assert {reply.text for reply in await desk.answered()} == {"Ulm"}
    assert (desk.llm.num_calls, len(store)) == (1, 1)


async def test_the_record_of_a_merged_call_says_so_and_counts_like_any_other(desk_of, store):
    desk = desk_of(Gate(), store)
    await desk.answered()
    calls = desk.calls()
    assert [call.timing.is_merged for call in calls] == [False, True, True]
    assert not any(call.timing.from_store for call in calls)
    assert {call.timing.seconds for call in calls} == {calls[0].timing.seconds}
    assert {(call.text, call.usage, call.timing.attempts) for call in calls} == {("Ulm", Usage(7, 3), 1)}
    assert len({record_of(one).fingerprint for one in desk.benches}) == 1
    for one in desk.benches:
        assert (record_of(one).totals().llm_calls, record_of(one).totals().prompt_tokens) == (1, 7)


async def test_a_merged_call_counts_against_the_limits_of_each_who_asked(desk_of, store):
    desk = desk_of(Gate(), store, budget=Budget(max_llm_calls=1))
    await desk.answered()
    for one in desk.benches:
        with pytest.raises(BudgetReached):
            await one.reply(ASK, purpose="p")


@pytest.mark.parametrize("gone", [0, 1])
async def test_cancelling_one_who_waits_leaves_the_others_their_call(desk_of, store, gone):
    desk = desk_of(Gate(), store)
    asked = await desk.asked()
    asked[gone].cancel()
    await asyncio.wait([asked[gone]])
    assert asked.pop(gone).cancelled()
    desk.llm.open.set()
    assert [reply.text for reply in await asyncio.gather(*asked)] == ["Ulm", "Ulm"]
    assert (desk.llm.num_calls, desk.llm.num_cancelled) == (1, 0)


async def test_a_call_that_nobody_waits_for_any_more_is_cancelled_and_an_equal_one_is_made_again(desk_of, store):
    desk = desk_of(Gate(), store, num=2)
    asked = await desk.asked()
    for task in asked:
        task.cancel()
    await asyncio.wait(asked)
    assert (desk.llm.num_cancelled, others()) == (1, set())
    desk.llm.open.set()
    assert (await desk.benches[0].reply(ASK, purpose="p")).text == "Ulm"
    assert desk.llm.num_calls == 2


async def test_one_whose_time_is_up_is_cut_and_the_others_get_their_reply(desk_of, store):
    desk = desk_of(Gate(), store, num=2)
    desk.benches[0] = Workbench(desk.components, Trace(), Budget(max_seconds=0.05))
    hurried, patient = desk.ask()
    with pytest.raises(BudgetReached):
        await hurried
    desk.llm.open.set()
    assert (await patient).text == "Ulm"
    assert (desk.llm.num_calls, desk.llm.num_cancelled) == (1, 0)
    cut, made = desk.calls()
    assert (cut.error.kind, cut.timing.attempts, made.text) == ("BudgetReached", 1, "Ulm")


async def test_a_failure_reaches_all_who_wait_and_is_not_kept(desk_of, store):
    desk = desk_of(Gate(ModelError("gone"), "back"), store, num=2, retries=QUICK)
    asked = await desk.asked()
    desk.llm.open.set()
    assert [str(error) for error in await asyncio.gather(*asked, return_exceptions=True)] == ["gone"] * 2
    assert [call.error.message for call in desk.calls()] == ["gone"] * 2
    assert (await desk.benches[0].reply(ASK, purpose="p")).text == "back"


async def test_what_the_user_has_to_mend_reaches_all_who_wait(desk_of, store):
    desk = desk_of(Gate(), store, num=2)
    asked = await desk.asked()
    store.close()
    desk.llm.open.set()
    assert {type(error).__name__ for error in await asyncio.gather(*asked, return_exceptions=True)} == {"DataError"}


@pytest.mark.parametrize("mode", [None, "off"])
async def test_without_a_store_every_call_is_made(desk_of, mode, tmp_path):
    desk = desk_of(Gate(), Store(tmp_path / "s", mode) if mode else None)
    asked = await desk.asked(num_calls=3)
    desk.llm.open.set()
    await asyncio.gather(*asked)
    assert not any(call.timing.is_merged for call in desk.calls())


async def test_equal_draws_of_samples_in_one_request_are_made_once_where_there_is_a_store(store):
    for kept, num_requests in ((store, 1), (None, 2)):
        llm = AtOnce()
        parts = Components(llm, store=kept)
        benches = [Workbench(parts, Trace()) for _ in range(2)]
        drawn = await asyncio.gather(*(one.samples(ASK, 3, purpose="p", sampling=WARM) for one in benches))
        assert [[reply.text for reply in one.replies] for one in drawn] == [["s0", "s1", "s2"]] * 2
        assert llm.asked == [3] * num_requests
        assert [record_of(one).totals().llm_calls for one in benches] == [1, 1]
        await parts.close()


async def test_a_question_that_joins_late_hears_the_whole_reply():
    class Speaker(Gate):
        async def reply(self, messages, sampling, on_text=None):
            on_text("U")
            reply = await super().reply(messages, sampling)
            on_text("lm")
            return reply

    heard: list[list[str]] = [[], []]

    def listener(number):
        return lambda event: heard[number].append(event.text) if isinstance(event, TextPiece) else None

    in_flight: InFlight[Reply] = InFlight()
    llm = Speaker()
    async with bench(llm, observers=[listener(0)]) as first:
        first.components.in_flight = in_flight
        second = Workbench(first.components, Trace([listener(1)]))
        with first.offline("o") as one, second.offline("o") as two:
            asked = [asyncio.create_task(one.reply(ASK, purpose="p"))]
            await until(lambda: heard[0] == ["U"])
            asked.append(asyncio.create_task(two.reply(ASK, purpose="p")))
            await until(lambda: heard[1] == ["U"])
            llm.open.set()
            await asyncio.gather(*asked)
    assert heard == [["U", "lm"], ["U", "lm"]]


async def test_a_run_with_merged_calls_and_its_replay_have_one_fingerprint(desk_of, tmp_path, store):
    desk = desk_of(Gate(), store)
    await desk.answered()
    again = desk_of(Gate(), Store(tmp_path / "store", "replay"), num=1)
    await asyncio.gather(*again.ask())
    assert {record_of(one).fingerprint for one in desk.benches} == {record_of(again.benches[0]).fingerprint}
