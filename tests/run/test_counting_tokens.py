"""Counting tokens: asked of the model once, kept in the store, estimated where the model cannot count."""

import asyncio
import json
from functools import partial

import pytest
from support.workbench import bench as bench_of

from hopweave.core.errors import BudgetReached, ModelError, ReplayMiss
from hopweave.core.protocols import TokenCounter
from hopweave.core.retries import Retries
from hopweave.core.types import Abilities, Message, Reply, Sampling
from hopweave.models.llms import llama_cpp
from hopweave.models.llms.llama_cpp import LlamaCpp
from hopweave.models.llms.openai_compatible import OpenAICompatible
from hopweave.models.llms.scripted import Scripted
from hopweave.run.budget import Budget
from hopweave.run.store.store import Store

bench = partial(bench_of, retries=Retries(3, 0.0))


class Counter(Scripted):
    """Remembers what it counted, and fails as often as it is told."""

    def __init__(self, num_failures=0, error=None):
        super().__init__()
        self.counted = []
        self.num_failures = num_failures
        self.error = error or ModelError("busy", retryable=True)

    async def count_tokens(self, text):
        self.counted.append(text)
        if len(self.counted) <= self.num_failures:
            raise self.error
        return len(text)


class Stalled(Counter):
    """Never gets done."""

    async def count_tokens(self, text):
        await asyncio.Event().wait()


class CannotCount:
    """The least that a language model is."""

    identity = "least"
    abilities = Abilities()

    async def reply(self, messages, sampling, on_text=None):
        return Reply("")

    async def close(self):
        pass


def test_who_can_count():
    assert isinstance(Scripted(), TokenCounter)
    assert isinstance(LlamaCpp(), TokenCounter)
    assert not isinstance(OpenAICompatible(model="m", base_url="http://127.0.0.1:9/v1"), TokenCounter)


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abc", 1), ("abcd", 2), ("x" * 300, 100)])
async def test_without_a_counter_three_characters_are_a_token_rounded_up(text, tokens):
    async with bench(CannotCount()) as workbench:
        assert await workbench.count_tokens(text) == tokens


async def test_a_scripted_word_is_a_token():
    async with bench(Scripted()) as workbench:
        assert await workbench.count_tokens("one  two\nthree") == 3


async def test_a_text_is_counted_once_and_a_replay_needs_no_model(tmp_path):
    llm = Counter()
    async with bench(llm, store=Store(tmp_path / "s")) as workbench:
        assert [await workbench.count_tokens("four") for _ in range(2)] == [4, 4]
    assert llm.counted == ["four"]
    again = Counter()
    async with bench(again, store=Store(tmp_path / "s", "replay")) as workbench:
        assert await workbench.count_tokens("four") == 4
        with pytest.raises(ReplayMiss):
            await workbench.count_tokens("five!")
    assert again.counted == []


async def test_a_count_is_never_taken_for_a_reply(tmp_path):
    llm = Counter()
    async with bench(llm, store=Store(tmp_path / "s")) as workbench:
        await workbench.count_tokens("four")
        llm._queue.append("said")
        assert (await workbench.reply([Message("user", "four")], purpose="p", sampling=Sampling())).text == "said"


async def test_counting_costs_no_budget_and_leaves_no_step():
    async with bench(Counter(), budget=Budget(max_llm_calls=1, max_tokens=1)) as workbench:
        await workbench.count_tokens("four")
        await workbench.count_tokens("five!")
        assert workbench._account.llm_calls == workbench._account.tokens == 0
        assert workbench.trace._steps == {}


async def test_what_may_succeed_later_is_tried_again():
    llm = Counter(num_failures=2)
    async with bench(llm) as workbench:
        assert await workbench.count_tokens("four") == 4
    assert len(llm.counted) == 3


@pytest.mark.parametrize("error", [ModelError("gone"), ZeroDivisionError("oops")])
async def test_a_failure_crosses_the_boundary_of_the_model_and_is_replayed(tmp_path, error):
    async with bench(Counter(9, error), store=Store(tmp_path / "s")) as workbench:
        with pytest.raises(ModelError):
            await workbench.count_tokens("four")
    async with bench(Counter(), store=Store(tmp_path / "s", "replay")) as workbench:
        with pytest.raises(ModelError):
            await workbench.count_tokens("four")
    async with bench(Counter(), store=Store(tmp_path / "s")) as workbench:
        assert await workbench.count_tokens("four") == 4


async def test_time_that_is_up_is_up_for_counting_too(tmp_path):
    async with bench(Stalled(), store=Store(tmp_path / "s"), budget=Budget(max_seconds=1e-9)) as workbench:
        with pytest.raises(BudgetReached):
            await workbench.count_tokens("four")
    async with bench(Counter(), store=Store(tmp_path / "s", "replay"), budget=Budget(max_seconds=1e-9)) as workbench:
        with pytest.raises(BudgetReached):
            await workbench.count_tokens("four")


SERVER = """
import http.server, json, sys, threading
options = json.loads(sys.stdin.readline())
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        is_right = self.path == "/tokenize" and self.headers["Authorization"] == "Bearer " + options["key"]
        said = {"tokens": body["content"].split()} if is_right else {"error": "no"}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(said).encode())
    def log_message(self, *_):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(json.dumps({"address": "http://127.0.0.1:%d" % server.server_address[1]}), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def embedded(tmp_path, monkeypatch):
    """The embedded model with a script in the place of the process that runs it."""
    monkeypatch.setenv("HOPWEAVE_MODELS", str(tmp_path))
    monkeypatch.setattr(llama_cpp.importlib.util, "find_spec", lambda name: object())
    (tmp_path / "mine.gguf").write_bytes(b"GGUF")

    def with_code(code):
        file = tmp_path / "server.py"
        file.write_text(code)
        monkeypatch.setattr(llama_cpp._llama_server, "__file__", str(file))
        return LlamaCpp("mine")

    return with_code


async def test_the_embedded_model_counts_by_its_server_which_the_first_count_starts(embedded):
    llm = embedded(SERVER)
    assert [await llm.count_tokens(text) for text in ("one two", "", "half \ud800 a pair")] == [2, 0, 4]
    await llm.close()


async def test_a_server_that_does_not_count_is_a_model_error_worth_another_try(embedded):
    llm = embedded(SERVER.replace('"tokens"', json.dumps("other")))
    with pytest.raises(ModelError, match="cannot count tokens") as caught:
        await llm.count_tokens("one")
    assert caught.value.retryable
    await llm.close()
