"""Scoring of given text: at endpoints that echo, in this process, by script, and through the workbench."""

from __future__ import annotations

import math

import pytest
from support.scripted_server import Behaviour
from support.served_model import served

from hopweave.core.errors import ModelError, ReplayMiss
from hopweave.core.protocols import TextScorer
from hopweave.core.types import Message, Sampling
from hopweave.evaluation.runs.limiter import Turns, limited
from hopweave.models.llms.openai_compatible import OpenAICompatible
from hopweave.models.llms.scripted import Scripted
from hopweave.record import Trace
from hopweave.run.budget import Budget
from hopweave.run.components import Components
from hopweave.run.store.store import Store
from hopweave.run.workbench import Workbench

PROMPT, TEXT = "The light was lit in", " 1874 by Ida"


def echoed(tokens, values, *, new=("!",), usage=None):
    """A completion that says the prompt again, with log-probabilities, and one token more."""
    said = {"tokens": [*tokens, *new], "token_logprobs": [*values, *[-9.0] * len(new)]}
    usage = {"prompt_tokens": len(tokens), "completion_tokens": len(new)} if usage is None else usage
    choice = {"index": 0, "text": "".join(map(str, [*tokens, *new])), "logprobs": said, "finish_reason": "length"}
    return Behaviour(extra={"choices": [choice], "usage": usage})


WHOLE = echoed(
    ["<s>", "The", " light", " was", " lit", " in", " 18", "74", " by", " Ida"], [None, -1, -2, -3, -4, -5, -6, -7, -8, -0.5]
)


async def scored(behaviour, text=TEXT, prompt=PROMPT, **options):
    async with served(behaviour, server="vllm", **options) as (llm, server):
        return await llm.score_text(prompt, text), server.requests[0]


async def test_an_endpoint_that_echoes_says_how_likely_each_token_of_the_text_is():
    reply, request = await scored(WHOLE)
    assert [(token.token, token.logprob) for token in reply.logprobs] == [(" 18", -6), ("74", -7), (" by", -8), (" Ida", -0.5)]
    assert (reply.text, reply.usage.prompt_tokens, reply.usage.completion_tokens) == ("", 10, 1)
    assert request.path == "/v1/completions"
    assert {key: request.body[key] for key in ("prompt", "echo", "logprobs", "max_tokens")} == {
        "prompt": PROMPT + TEXT, "echo": True, "logprobs": 1, "max_tokens": 1
    }  # fmt: skip


async def test_a_token_of_both_counts_to_the_text_and_signs_without_words_of_their_own_are_not_lost():
    behaviour = echoed(["a: ", "b: T", "rom", "s", "\ufffd", "", " is"], [None, -1, -2, -3, -4, -5, -6])
    reply, _ = await scored(behaviour, "Troms\u00f8 is", "a: b: ")
    assert [token.logprob for token in reply.logprobs] == [-1, -2, -3, -4, -5, -6]


@pytest.mark.parametrize(
    "behaviour",
    [
        Behaviour(text="ok"),  # no log-probabilities at all
        echoed([], []),  # llama.cpp's own server: only those of new words
        echoed(["Another", " prompt"], [None, -1.0]),
        echoed([" 1874", " by", " Ida"], [None, -1.0, -2.0]),  # the first token of all has none
        echoed([" 1874", " by", " Ida"], [-1.0, math.nan, -2.0]),
        echoed([" 1874", " by", " Ida"], [-1.0, 0.5, -2.0]),
        echoed([" 1874", " by", " Ida"], [-1.0, True, -2.0]),
        echoed([" 1874", " by", 7], [-1.0, -1.0, -2.0]),
        echoed([" 1874", " by", " Ida"], [-1.0, -2.0]),
        echoed([" 1874", " by", " Ida"], [-1.0, -1.0, -2.0], usage={"completion_tokens": "many"}),
        echoed([" 1874", " by", " Ida"], [-1.0, -1.0, -2.0], usage={"completion_tokens": -3}),
        Behaviour(extra={"choices": []}),
        Behaviour(extra={"choices": [{"logprobs": None}]}),
        Behaviour(extra={"choices": "none"}),
        Behaviour(raw="[]"),
        Behaviour(status=400, text="Only no echo is supported"),
    ],
)
async def test_an_endpoint_that_does_not_report_the_words_it_is_given_is_an_error_and_no_number(behaviour):
    with pytest.raises(ModelError) as raised:
        await scored(behaviour)
    assert not raised.value.retryable


@pytest.mark.parametrize(
    ("options", "can"),
    [
        ({"server": "vllm"}, True),
        ({"server": "llama.cpp"}, False),
        ({"server": "openai"}, False),
        ({"server": "llama.cpp", "scores": "yes"}, True),
        ({"server": "vllm", "scores": "no"}, False),
    ],
)
def test_which_endpoints_can_is_known_by_their_server_unless_an_option_says_otherwise(options, can):
    assert OpenAICompatible("m", "http://127.0.0.1:9/v1", **options).abilities.scores == can


def bench_of(llm, store=None, **limits):
    return Workbench(Components(llm, store=store), Trace(), Budget(**limits))


async def test_a_score_is_a_call_that_is_recorded_kept_and_replayed(tmp_path):
    llm = Scripted([], scores={"1874": -0.5})
    store = Store(tmp_path / "store.sqlite")
    bench = bench_of(llm, store)
    first = await bench.score_text(PROMPT, TEXT, purpose="noisy channel")
    assert [token.logprob for token in first.logprobs] == [-0.5] * 3
    [step] = bench.trace._steps.values()
    assert (step.kind, step.purpose, step.text, step.usage.prompt_tokens) == ("model_call", "noisy channel", "", 8)
    store.close()
    replayed = bench_of(llm, Store(tmp_path / "store.sqlite", "replay"))
    assert await replayed.score_text(PROMPT, TEXT, purpose="noisy channel") == first
    with pytest.raises(ReplayMiss):
        await replayed.score_text(PROMPT, " 1875", purpose="noisy channel")


async def test_a_model_that_cannot_score_is_refused_and_so_is_one_that_sends_nothing():
    with pytest.raises(ModelError, match="no scores of given text"):
        await bench_of(Scripted([])).score_text(PROMPT, TEXT, purpose="x")

    class Mute(Scripted):
        async def score_text(self, prompt, text):
            return await self.reply([Message("user", prompt)], Sampling())

    with pytest.raises(ModelError, match="no log-probabilities"):
        await bench_of(Mute(["ok"])).score_text(PROMPT, TEXT, purpose="x")


def test_a_limited_model_can_score_if_the_model_can():
    turns = Turns(1)
    assert isinstance(limited(Scripted([]), turns), TextScorer)
    assert not isinstance(limited(_Plain(), turns), TextScorer)


class _Plain:
    identity = "plain"
    abilities = Scripted([]).abilities

    async def reply(self, messages, sampling, on_text=None):
        raise NotImplementedError

    async def close(self):
        pass
