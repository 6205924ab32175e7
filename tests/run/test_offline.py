"""What a method does once for all questions of a run is made once, told in every record, and counted apart."""

import asyncio
import json

import pytest
from support.bench import TableRetriever
from support.workbench import ASK, Model, bench, record_of

from hopweave.core.errors import BudgetReached, ModelError
from hopweave.core.types import Example, Gold, Message, Passage, Question, Reply, Usage
from hopweave.evaluation.metrics.calls import Calls
from hopweave.evaluation.metrics.cost import Cost
from hopweave.evaluation.metrics.seconds import Seconds
from hopweave.evaluation.metrics.tokens import Tokens
from hopweave.evaluation.metrics.words import Words
from hopweave.models.llms.scripted import Scripted
from hopweave.record import Record, Trace
from hopweave.record.critical_path import critical_path
from hopweave.run.budget import Budget
from hopweave.run.components import Components
from hopweave.run.settings import read_settings
from hopweave.run.store.store import Store
from hopweave.run.weaver import Weaver
from hopweave.run.workbench import Workbench

OWN = [Message("user", "one two three")]
POOL = [f"Who is number {number} of the town?" for number in range(20)]


def says(messages, sampling):
    return "It is known. The answer is Ulm."


def pool_file(tmp_path):
    path = tmp_path / "pool.txt"
    path.write_text("\n".join(POOL), encoding="utf-8")
    return str(path)


def stores(tmp_path):
    return {"on": Store(tmp_path / "store"), "off": Store(tmp_path / "store", "off"), "none": None}


async def run_of_ten(tmp_path, kind, parallel=10):
    """Ten questions that Auto-CoT answers, for which it runs its whole pool of 20."""
    options = {"pool": pool_file(tmp_path), "run_whole_pool": True, "n_demos": 4}
    settings = read_settings({"method": "auto_cot", "methods": {"auto_cot": options}})
    llm = Scripted(says)
    turns = asyncio.Semaphore(parallel)
    async with Weaver(settings, components=Components(llm, store=stores(tmp_path)[kind])) as weaver:

        async def ask(number):
            async with turns:
                return await weaver.answer(Question(f"q{number}", f"Where is tower {number}?"))

        records = await asyncio.gather(*map(ask, range(10)))
    return records, llm


@pytest.mark.parametrize("parallel", [1, 10])
@pytest.mark.parametrize("kind", ["on", "off", "none"])
async def test_the_offline_stage_of_auto_cot_is_made_once_for_all_questions_of_a_run(tmp_path, kind, parallel):
    records, llm = await run_of_ten(tmp_path, kind, parallel)
    assert len(llm.calls) == 2 * len(POOL) + 10
    assert sum(record.totals().llm_calls for record in records) == 10
    assert {record.totals(offline=True).llm_calls for record in records} == {40}
    assert {record.answer.short for record in records} == {"Ulm"}


async def test_every_record_tells_of_the_offline_stage_the_same(tmp_path):
    records, _ = await run_of_ten(tmp_path, "on")
    told = {tuple((step.kind, getattr(step, "text", "")) for step in record.offline_steps) for record in records}
    assert len(told) == 1
    for record in records:
        assert Record.from_json(record.to_json()) == record
        assert {step.purpose for step in record.own_steps if step.kind == "model_call"} == {"reasoning"}


async def test_the_stage_of_dsp_is_made_once_for_all_questions_with_its_searches(tmp_path):
    train = tmp_path / "train.jsonl"
    rows = [{"question": "Who built the Dove?", "answer": "Ada"}, {"question": "Who built the Swan?", "answer": "Bo"}]
    train.write_text("\n".join(map(json.dumps, rows)))
    options = {"preset": "light", "train": str(train), "n_demos": 2}
    settings = read_settings({"method": "dsp", "methods": {"dsp": options}})
    retriever = TableRetriever({"q": Passage("ada", "Ada and Bo built ships.")})
    llm = Scripted(lambda messages, sampling: "It is so.\n\nSearch Query: q\n\nAnswer: Ada")
    async with Weaver(settings, components=Components(llm, retriever=retriever)) as weaver:
        first = await weaver.answer("Who built the mill?")
        num_calls, num_batches = len(llm.calls), len(retriever.batches)
        others = await asyncio.gather(*(weaver.answer(f"Who built mill {number}?") for number in range(5)))
    offline = first.totals(offline=True)
    assert offline.llm_calls > 0 < offline.searches
    own = first.totals()
    assert num_calls == offline.llm_calls + own.llm_calls
    assert len(llm.calls) == num_calls + sum(record.totals().llm_calls for record in others)
    assert sum(map(len, retriever.batches[num_batches:])) == sum(record.totals().queries for record in others)
    assert {record.totals(offline=True).llm_calls for record in others} == {offline.llm_calls}
    assert {record.num_rounds() for record in others} == {first.num_rounds()}


async def offline_record(tmp_path, **more):
    """A record with an own call and an offline one of many tokens."""
    llm = Scripted(lambda messages, sampling: Reply("four", usage=Usage(3, 1) if messages == OWN else Usage(1000, 500)))
    async with bench(llm, **more) as workbench:
        with workbench.offline("demonstrations") as offline:
            await offline.reply([Message("user", "a long long prompt of a stage")], purpose="demonstrate")
        await workbench.reply(OWN, purpose="answer")
        return record_of(workbench)


async def test_offline_calls_are_in_no_count_of_the_question_and_have_columns_of_their_own(tmp_path):
    record = await offline_record(tmp_path)
    example = Example(record.question, Gold(("x",)))
    once, never = ("llm_calls", "completions", "offline_llm_calls"), ("llm_failures", "searches", "queries", "reads")
    assert Calls().score(record, example) == dict.fromkeys(once, 1.0) | dict.fromkeys(never, 0.0)
    tokens = Tokens().score(record, example)
    assert (tokens["total_tokens"], tokens["offline_tokens"]) == (4.0, 1500.0)
    assert Words().score(record, example)["words_billed"] == 3.0
    table = tmp_path / "prices.toml"
    table.write_text('prices = [{model = "*", prompt = 1000.0, completion = 1000.0}]')
    assert Cost(prices=str(table)).score(record, example) == {"cost": 0.004, "offline_cost": 1.5}
    assert critical_path(record).total_seconds == Seconds().score(record, example)["llm_seconds"]


async def test_a_question_without_an_offline_stage_has_no_such_columns():
    async with bench() as workbench:
        await workbench.reply(OWN, purpose="answer")
        record = record_of(workbench)
    example = Example(record.question, Gold(("x",)))
    assert "offline_llm_calls" not in Calls().score(record, example)
    assert "offline_tokens" not in Tokens().score(record, example)
    assert record.own_steps == record.steps


async def test_the_offline_stage_has_the_limits_of_the_question_for_itself():
    async with bench(budget=Budget(max_llm_calls=1, max_tokens=1000)) as workbench:
        with workbench.offline("o") as offline:
            await offline.reply(ASK, purpose="p")
            with pytest.raises(BudgetReached):
                await offline.reply(ASK, purpose="p", sample=1)
        await workbench.reply(ASK, purpose="p", sample=2)
        with pytest.raises(BudgetReached):
            await workbench.reply(ASK, purpose="p", sample=3)


async def test_time_that_an_offline_stage_took_is_not_the_questions():
    async with bench(budget=Budget(max_seconds=0.2)) as workbench:
        with workbench.offline("o") as offline:
            await asyncio.sleep(0.25)
            with pytest.raises(BudgetReached):
                await offline.reply(ASK, purpose="p")
        assert (await workbench.reply(ASK, purpose="p")).text == "ok"
        took = workbench.trace.seconds()
        assert record_of(workbench).seconds < took - 0.2


async def test_what_failed_offline_is_tried_again_by_the_next_question():
    said = [ModelError("down"), "up"]
    llm = Model(lambda number: said[number - 1])
    parts = Components(llm)
    with Workbench(parts, Trace()).offline("o") as first, pytest.raises(ModelError):
        await first.reply(ASK, purpose="p")
    for _ in range(3):
        with Workbench(parts, Trace()).offline("o") as later:
            assert (await later.reply(ASK, purpose="p")).text == "up"
    assert llm.num_calls == 2


async def test_a_replay_of_a_run_with_an_offline_stage_has_its_fingerprints(tmp_path):
    records, _ = await run_of_ten(tmp_path, "on")
    options = {"pool": pool_file(tmp_path), "run_whole_pool": True, "n_demos": 4}
    settings = read_settings({"method": "auto_cot", "methods": {"auto_cot": options}})
    async with Weaver(settings, components=Components(Scripted(says), store=Store(tmp_path / "store", "replay"))) as weaver:
        for record in records:
            assert (await weaver.answer(record.question)).fingerprint == record.fingerprint
