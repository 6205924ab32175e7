"""The task that every peer does: the IRCoT loop of `benchmarks/throughput.py`, with the same calls to the same server.

A peer reads the task from standard input and prints its figures. A search returns given passages at once, so that no peer's
figures have a search in them. Standard library only: each peer has its own environment, without hopweave.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any

MAX_SENTENCES = 8


@dataclass(frozen=True)
class Task:
    """The questions, and what every prompt has.

    Attributes:
        base_url: the server.
        parallel: the number of questions at a time.
        head: the instruction and the demonstrations.
        found: the passages that each search finds, one list for each search of a question, in order.
        questions: their texts.
        begun: when the process was started (`time.monotonic`).
    """

    base_url: str
    parallel: int
    head: str
    found: list[list[str]]
    questions: list[str]
    begun: float

    def search(self, number: int) -> list[str]:
        """The passages of the search with a number, from 0."""
        return self.found[number] if number < len(self.found) else []

    def prompt(self, question: str, passages: list[str], sentences: list[str]) -> str:
        """The prompt for the next sentence, or for the answer."""
        shown = "\n".join(passages)
        return f"{self.head}{shown}\nQ: {question}\nA: {' '.join(sentences)}".rstrip()


def is_last(sentence: str) -> bool:
    """Whether a sentence states the answer."""
    return "answer is" in sentence


async def answer_each(task: Task, ask: Callable[[str], Awaitable[str]]) -> list[str]:
    """The loop over every question of a task, for what only sends prompts and has no loop of its own."""
    turns = asyncio.Semaphore(task.parallel)

    async def answer(question: str) -> str:
        async with turns:
            passages, sentences = list(task.search(0)), list[str]()
            while len(sentences) < MAX_SENTENCES:
                sentences.append(await ask(task.prompt(question, passages, sentences)))
                if is_last(sentences[-1]):
                    break
                passages += task.search(len(sentences))
            return await ask(task.prompt(question, passages, []))

    return list(await asyncio.gather(*map(answer, task.questions)))


def run(answer_all: Callable[[Task], Coroutine[Any, Any, list[str]]]) -> None:
    """Does the task and prints the figures. `answer_all` is called when everything is imported."""
    task = Task(**json.loads(sys.stdin.read()))
    started_at = time.process_time()
    answers = asyncio.run(answer_all(task))
    seconds, cpu_seconds = time.monotonic() - task.begun, time.process_time() - started_at
    failed = sum("the Baltic Sea" not in answer for answer in answers)
    figures = {"seconds": seconds, "cpu_seconds": cpu_seconds, "start_cpu_seconds": started_at, "failed": failed}
    print(json.dumps(figures))
