"""Which methods get to an answer at which endpoints, and what the user is told where they do not.

Every method is asked one question of three hops (`tests/support/three_hops.py`) at a fake of each provider
(`tests/support/providers.py`): a real HTTP server that refuses, thinks, counts and cuts off as the provider does. What the
model says is scripted (`tests/support/hops/`), so a wrong or missing answer is the fault of the client or of the method.

    python benchmarks/endpoints.py [--method stitch] [--endpoint vllm] [--stream]

A cell is the number of requests that it took, refused ones included, if the answer is right; otherwise what came out, or the
number of a message below the table.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "tests"))

METHODS = ("stitch", "searchain", "toqd", "ircot", "tool_agent")
_WIDTH = 11


@dataclass(frozen=True)
class Outcome:
    """What came of a question.

    Attributes:
        answer: the short answer; empty if there is none.
        message: the error, if there is one.
        num_requests: requests for replies, refused ones included.
        is_right: whether the answer is that of the question.
    """

    answer: str
    message: str
    num_requests: int
    is_right: bool


def main() -> None:
    """Prints the table, and the messages below it."""
    from support.providers import PROVIDERS

    options = _options(sorted(PROVIDERS))
    methods = [options.method] if options.method else methods_there()
    messages: list[str] = []
    logging.getLogger("hopweave").setLevel(logging.ERROR)
    print(f"{'endpoint':<32}" + "".join(f"{method:>{_WIDTH}}" for method in methods))
    for name in [options.endpoint] if options.endpoint else PROVIDERS:
        cells = []
        for method in methods:
            with nothing_known():
                outcome = asyncio.run(ask(method, name, is_streamed=options.stream))
            cells.append(_cell(outcome, messages))
        print(f"{name:<32}" + "".join(f"{cell:>{_WIDTH}}" for cell in cells), flush=True)
    for number, message in enumerate(messages, start=1):
        print(f"[{number}] {message}")


def _options(endpoints: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("--method", choices=methods_there(), default="", help="one method; default: all")
    parser.add_argument("--endpoint", choices=endpoints, default="", help="one endpoint; default: all")
    parser.add_argument("--stream", action="store_true", help="stream replies")
    return parser.parse_args()


def methods_there() -> list[str]:
    """Those of `METHODS` that exist, and whose dialogue is scripted."""
    from hopweave.core.catalog import entries

    return [name for name in METHODS if name in entries("methods") and find_spec(f"support.hops.{name}") is not None]


def _cell(outcome: Outcome, messages: list[str]) -> str:
    if outcome.is_right:
        return str(outcome.num_requests)
    if not outcome.message:
        return outcome.answer[: _WIDTH - 1] or "(none)"
    if outcome.message not in messages:
        messages.append(outcome.message)
    return f"[{messages.index(outcome.message) + 1}]"


@contextmanager
def nothing_known() -> Iterator[None]:
    """A cache of the user without anything in it, as before the first call."""
    before = os.environ.get("XDG_CACHE_HOME")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        try:
            yield
        finally:
            os.environ.pop("XDG_CACHE_HOME")
            os.environ |= {"XDG_CACHE_HOME": before} if before is not None else {}


async def ask(method: str, endpoint: str, *, is_streamed: bool = False) -> Outcome:
    """Asks the question with a method at the fake of an endpoint, with its defaults."""
    from support.bench import TableReader, TableRetriever
    from support.providers import PROVIDERS, bodies, connected
    from support.three_hops import ANSWER, QUESTION

    from hopweave.core.retries import Retries
    from hopweave.models.duplicate_detectors.keywords import KeyWords
    from hopweave.run.components import Components
    from hopweave.run.settings import read_settings
    from hopweave.run.weaver import Weaver

    case = import_module(f"support.hops.{method}").CASE
    settings = read_settings({"method": method, "methods": {method: dict(case.options)}})
    # The dialogues are those of a small model, which methods ask for one thing at a time.
    async with connected(PROVIDERS[endpoint], Dialogue(case.says), stream=is_streamed, is_small="yes") as (llm, server):
        retriever = TableRetriever(case.found)
        parts = Components(
            llm,
            retriever=retriever,
            engine=retriever,
            reader=TableReader(case.read),
            duplicate_detector=KeyWords(),
            retries=Retries(max_attempts=1),
        )
        async with Weaver(settings, components=parts) as weaver:
            record = await weaver.answer(QUESTION)
        num_requests, address = len(bodies(server)), server.base_url
    answer = record.answer.short if record.answer is not None else ""
    message = record.error.message if record.error is not None else ""
    return Outcome(answer, message.replace(address, "ADDRESS"), num_requests, answer.strip(". ") == ANSWER)


class Dialogue:
    """What the model says: by rules, or one reply after the other. A request that is sent again gets the same reply.

    Args:
        says: rules or replies; see `Scripted`.
    """

    def __init__(self, says: Any) -> None:
        from hopweave.models.llms.scripted import Scripted

        self._model = Scripted(says, tools=True)
        self._known: dict[str, Any] = {}

    def __call__(self, messages: Sequence[Mapping[str, Any]]) -> Any:
        key = json.dumps(messages, sort_keys=True)
        if key not in self._known:
            self._known[key] = self._said(messages)
        return self._known[key]

    def _said(self, messages: Sequence[Mapping[str, Any]]) -> Any:
        from support.providers import Said

        from hopweave.core.types import Sampling, Tool

        sampling = Sampling(max_tokens=1_000_000, tools=(Tool("any", "", {}),))
        reply = _at_once(self._model.reply([_message(one) for one in messages], sampling))
        return Said(reply.text, tool_calls=tuple((call.name, json.loads(call.arguments)) for call in reply.tool_calls))


def _message(sent: Mapping[str, Any]) -> Any:
    from hopweave.core.types import Message, ToolCall

    calls = [
        ToolCall(call["id"], call["function"]["name"], call["function"]["arguments"]) for call in sent.get("tool_calls") or ()
    ]
    return Message(sent["role"], sent.get("content") or "", tuple(calls), sent.get("tool_call_id", ""))


def _at_once(reply: Any) -> Any:
    """The result of a coroutine that gives way to others, but waits for nothing."""
    while True:
        try:
            reply.send(None)
        except StopIteration as done:
            return done.value


if __name__ == "__main__":
    main()
