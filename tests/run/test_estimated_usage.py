"""Tokens that no endpoint counted are estimated and say so; words and tokens of a prompt are of the same requests."""

import dataclasses

import pytest
from support.scripted_server import Behaviour, ScriptedServer
from support.workbench import ASK, QUICK, WARM, AtOnce, Model, bench, record_of

from hopweave.core.errors import BudgetReached, ModelError, ReplayMiss
from hopweave.core.types import Example, Gold, Message, Reply, Sampling, Usage
from hopweave.evaluation.metrics.tokens import Tokens
from hopweave.models.llms.openai_compatible import OpenAICompatible
from hopweave.record import ModelCall, Record
from hopweave.run.budget import Budget
from hopweave.run.estimated_usage import with_usage
from hopweave.run.store.store import Store
from hopweave.text.content_words import estimated_tokens

LONG = [Message("user", "Where was the maker of the Vell clock born? " * 10)]
CUT = Reply("It was Ulm", usage=Usage(completion_tokens=4))  # as of a stream that we ended: pieces, and no count of the prompt


def call_of(workbench):
    [call] = [step for step in record_of(workbench).steps if isinstance(step, ModelCall)]
    return call


def tokens_of(record):
    return Tokens().score(record, Example(record.question, Gold(("x",))))


async def test_a_reply_whose_stream_was_cut_has_estimated_tokens_in_the_record_and_the_store(tmp_path):
    store = Store(tmp_path / "s")
    for _ in range(2):
        async with bench(Model(lambda number: CUT), store=store) as workbench:
            workbench.components.store = Store(tmp_path / "s")
            await workbench.reply(LONG, purpose="p")
            call, found = call_of(workbench), tokens_of(record_of(workbench))
        assert call.usage == Usage(110, 4, is_estimated=True)
        assert (found["total_tokens"], found["estimated_tokens"]) == (114.0, 114.0)
    assert call.timing.from_store


async def test_a_stream_that_we_end_at_a_stop_string_is_estimated():
    behaviour = Behaviour(pieces=["one", "\n", "\ntwo", "three"], stall_after=3)
    async with ScriptedServer([behaviour]) as server:
        llm = OpenAICompatible(model="m", base_url=server.base_url)
        async with bench(llm, observers=[lambda event: None]) as workbench:
            reply = await workbench.reply(LONG, purpose="p", sampling=Sampling(stop=("\n\n",)))
    assert reply.text == "one"
    assert (reply.usage.prompt_tokens, reply.usage.is_estimated) == (110, True)
    assert reply.usage.completion_tokens > 0


async def test_what_the_endpoint_counted_is_taken_as_it_is():
    async with bench(Model(lambda number: Reply("Ulm", usage=Usage(7, 3)))) as workbench:
        await workbench.reply(LONG, purpose="p")
        assert call_of(workbench).usage == Usage(7, 3)
        assert tokens_of(record_of(workbench))["estimated_tokens"] == 0.0


async def test_tokens_that_nobody_counted_count_against_the_limit():
    async with bench(Model(lambda number: CUT), budget=Budget(max_tokens=100)) as workbench:
        await workbench.reply(LONG, purpose="p")
        with pytest.raises(BudgetReached):
            await workbench.reply(LONG, purpose="q")


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [("Who composed The Planets, and where was he born?", 8, 14), ("霍尔斯特出生在哪里", 5, 12), ("", 0, 0)],
)
def test_an_estimate_is_near_what_tokenizers_make_of_a_text(text, least, most):
    assert least <= estimated_tokens(text) <= most


def test_half_of_a_character_can_be_estimated():
    assert estimated_tokens("\ud800") == 1


async def test_a_call_that_failed_has_the_tokens_that_it_sent():
    async with bench(Model(lambda number: ModelError("gone")), retries=QUICK) as workbench:
        with pytest.raises(ModelError):
            await workbench.reply(LONG, purpose="p")
        call, totals = call_of(workbench), record_of(workbench).totals()
    assert call.usage == Usage(110, is_estimated=True)
    assert (totals.prompt_tokens, totals.prompt_words) == (110, 90)


async def test_a_call_that_was_never_sent_has_neither_tokens_nor_words(tmp_path):
    async with bench(Model(lambda number: CUT), store=Store(tmp_path / "s")) as workbench:
        await workbench.reply(ASK, purpose="p")
    async with bench(Model(lambda number: CUT), store=Store(tmp_path / "s", "replay")) as workbench:
        with pytest.raises(ReplayMiss):
            await workbench.reply(LONG, purpose="p")
        totals = record_of(workbench).totals()
    assert (totals.prompt_tokens, totals.prompt_words) == (0, 0)


class EachCounted(AtOnce):
    """An endpoint that says for every reply of one request how long the prompt was."""

    async def replies(self, messages, sampling, num):
        return [Reply(f"s{number}", usage=Usage(5, 2)) for number in range(num)]


async def test_the_prompt_of_one_request_is_read_once_whatever_the_endpoint_says_of_each_reply():
    async with bench(EachCounted()) as workbench:
        await workbench.samples(LONG, 4, purpose="p", sampling=WARM)
        totals = record_of(workbench).totals()
    assert (totals.prompt_tokens, totals.completion_tokens, totals.prompt_words, totals.llm_calls) == (5, 8, 90, 1)


async def test_samples_that_took_two_requests_have_the_words_and_tokens_of_two(tmp_path):
    async with bench(AtOnce(), store=Store(tmp_path / "s")) as workbench:
        await workbench.samples(LONG, 2, purpose="p", sampling=WARM)
    for mode in ("on", "replay"):
        async with bench(AtOnce(), store=Store(tmp_path / "s", mode), budget=Budget(max_llm_calls=2)) as workbench:
            await workbench.samples(LONG, 5, purpose="p", sampling=WARM)
            totals = record_of(workbench).totals()
            with pytest.raises(BudgetReached):
                await workbench.reply(LONG, purpose="p")
        assert (totals.llm_calls, totals.completions, totals.prompt_words, totals.prompt_tokens) == (2, 5, 180, 20)


def test_several_replies_that_nobody_counted_have_one_estimate_for_all():
    first, *others = with_usage(ASK, [Reply("four"), Reply("fourfour")])
    assert first.usage == Usage(estimated_tokens(ASK[0].text), 3, is_estimated=True)
    assert [one.usage for one in others] == [Usage()]


def test_a_record_from_before_there_were_estimates_is_read_as_it_was():
    from evaluation.metrics.test_spending_metrics import worked

    record, _ = worked("x", calls=[("one two", "three")])
    old = record.to_json()
    for field in (',"is_estimated":false', ',"is_merged":false', ',"drawn_concurrently":false', ',"dataset":""'):
        assert field in old
        old = old.replace(field, "")
    assert Record.from_json(old) == record
    assert dataclasses.replace(record).totals().estimated_tokens == 0
