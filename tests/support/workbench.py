"""A workbench for tests: over an engine, and a model that is a function."""

import asyncio
import threading
from contextlib import asynccontextmanager
from dataclasses import replace

from hopweave.core.retries import Retries
from hopweave.core.types import Answer, Hit, Message, Passage, Question, Reading, Reply, Sampling, Span, Usage
from hopweave.models.llms.scripted import Scripted
from hopweave.record import Record, Setup, Trace
from hopweave.run.budget import Budget
from hopweave.run.components import Components
from hopweave.run.workbench import Workbench

ASK = [Message("user", "what?")]
WARM = Sampling(temperature=0.7)
QUICK = Retries(max_attempts=4, max_wait_seconds=0.0)


class Engine:
    """A retriever and reader in one: does what it is told, and remembers in which batch and in which thread."""

    identity = "engine"

    def __init__(self, search=None, read=None):
        self.on_search = search or (lambda query, max_hits: [Hit(Passage(f"p {query}", query), 1.0, 1)])
        self.on_read = read or (lambda query, passage: Reading("Ulm", Span(21, 24), 2.0))
        self.batches = []
        self.threads = set()
        self.is_closed = False

    def search(self, queries, max_hits):
        self.batches.append((list(queries), max_hits))
        self.threads.add(threading.get_ident())
        return [self.on_search(query, max_hits) for query in queries]

    def read(self, pairs):
        self.batches.append(list(pairs))
        self.threads.add(threading.get_ident())
        return [self.on_read(query, passage) for query, passage in pairs]

    def close(self):
        self.is_closed = True


class Model:
    """A language model that is a function."""

    identity = "model"
    abilities = Scripted().abilities

    def __init__(self, say):
        self.say = say
        self.num_calls = 0

    async def reply(self, messages, sampling, on_text=None):
        self.num_calls += 1
        said = self.say(self.num_calls)
        said = await said if asyncio.iscoroutine(said) else said
        if isinstance(said, BaseException):
            raise said
        return Reply(said) if isinstance(said, str) else said

    async def close(self):
        pass


class AtOnce(Model):
    """A model whose endpoint draws several replies in one request."""

    abilities = replace(Scripted().abilities, samples=True)

    def __init__(self, say=lambda number: f"s{number}"):
        super().__init__(say)
        self.asked = []

    async def replies(self, messages, sampling, num):
        self.asked.append(num)
        said = [self.say(number) for number in range(num)]
        for one in said:
            if isinstance(one, Exception):
                raise one
        return [Reply(one, usage=Usage(10, 2 * num) if number == 0 else Usage()) for number, one in enumerate(said)]


class Gate:
    """A batched call that waits in its thread until `opens` is set; it says when it has `begun`, and with which items."""

    def __init__(self):
        self.opens, self.begun = threading.Event(), threading.Event()
        self.batches = []

    def __call__(self, items):
        self.batches.append(items)
        self.begun.set()
        assert self.opens.wait(20)
        return items


@asynccontextmanager
async def bench(llm=None, *, budget=None, observers=(), **parts):
    opened = Components(llm or Scripted(lambda messages, sampling: "ok"), **parts)
    try:
        yield Workbench(opened, Trace(observers), budget or Budget())
    finally:
        await opened.close()


def record_of(workbench: Workbench) -> Record:
    record = workbench.trace.finish(Question("q", "q"), Setup("0", "m", {}, "l"), "", Answer("", ""), None)
    assert Record.from_json(record.to_json()) == record
    return record


def others() -> set[asyncio.Task]:
    return asyncio.all_tasks() - {asyncio.current_task()}


async def until(is_so, seconds=20.0):
    async with asyncio.timeout(seconds):
        while not is_so():  # noqa: ASYNC110 - a thread says so
            await asyncio.sleep(0.001)
