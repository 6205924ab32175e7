"""Opens the parts that settings name and answers questions with them, each into a record.

async with Weaver(read_settings({"corpus": "my-index"})) as weaver:
    record = await weaver.answer("Who designed the bridge that ...?")
"""

from __future__ import annotations

import asyncio
import dataclasses
import re
from collections.abc import AsyncIterator, Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Any

from platformdirs import user_cache_path

from hopweave.errors import BudgetReached, DataError, MethodError, RunError, SettingsError
from hopweave.protocols import Method
from hopweave.settings import Settings, read_settings
from hopweave.store import Store
from hopweave.trace import Failure, Observer, Record, Setup, Trace
from hopweave.types import Answer, Question
from hopweave.workbench import Budget, Parts, Workbench

STARTER = "starter"
MAX_QUESTION_CHARACTERS = 8_000
_MARK = re.compile(r"\[(\d{1,3})\]")


class Weaver:
    """Everything that questions share, opened once.

    Args:
        settings: which parts, with which options; the defaults if absent.
        parts: ready parts to use instead of those that the settings name.
    """

    def __init__(self, settings: Settings | None = None, *, parts: Parts | None = None) -> None:
        self.settings = settings or read_settings()
        self.method: Method = self.settings.part("methods", self.settings.method)
        self.parts = parts or open_parts(self.settings)
        self.budget = self.settings.make_budget()

    async def __aenter__(self) -> Weaver:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the parts."""
        await self.parts.close()

    async def answer(self, question: str | Question, *, observers: Sequence[Observer] = ()) -> Record:
        """Answers a question. Whatever fails on the way is in the record, not raised.

        Args:
            question: the question, or its text.
            observers: told of each step as it happens.

        Raises:
            DataError: for an empty question, or one longer than 8,000 characters.
            SettingsError, MissingExtra: for what the user has to mend first.
        """
        asked = Question("question", question) if isinstance(question, str) else question
        _check_question(asked)
        trace = Trace(observers)
        bench = Workbench(self.parts, trace, self.budget)
        started_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        answer, failure = await self._try(asked, bench)
        return trace.finish(asked, self.setup(self.budget), started_at, answer, failure)

    async def answer_all(self, questions: Iterable[Question], *, max_parallel: int = 1) -> AsyncIterator[Record]:
        """Answers many questions, up to `max_parallel` side by side, and yields each record as it is done."""
        waiting = iter(questions)
        running: set[asyncio.Task[Record]] = set()
        try:
            while True:
                while len(running) < max_parallel and (question := next(waiting, None)) is not None:
                    running.add(asyncio.create_task(self.answer(question)))
                if not running:
                    return
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    yield task.result()
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    def setup(self, budget: Budget) -> Setup:
        """What a record of this weaver depends on."""
        reader, retriever = self.parts.reader, self.parts.retriever
        return Setup(
            version=version("hopweave"),
            method=self.settings.method,
            options=dataclasses.asdict(self.method),  # type: ignore[call-overload]
            llm=self.parts.llm.identity,
            retriever=retriever.identity if retriever is not None else "",
            reader=reader.identity if reader is not None else "",
            budget=budget.limits(),
            settings=self.settings.public(),
        )

    async def _try(self, question: Question, bench: Workbench) -> tuple[Answer | None, Failure | None]:
        try:
            answer = await self.method.answer(question, bench)
            _check_answer(answer, bench.trace)
        except BudgetReached as reached:
            return Answer("", "", stopped_because=reached.limit, how="empty"), None
        except RunError as error:
            return None, Failure.of(error)
        except (SettingsError, DataError):
            raise
        except Exception as error:  # noqa: BLE001 - a method that breaks is a failed question, not a lost run
            return None, Failure.of(MethodError(f"{self.settings.method} broke: {type(error).__name__}: {error}"))
        return answer, None


def open_parts(settings: Settings) -> Parts:
    """Opens the model, the engines and the store that settings name."""
    return Parts(
        settings.part("llms", settings.llm),
        retriever=settings.part("retrievers", settings.retriever, index=index_folder(settings)),
        reader=settings.part("readers", settings.reader),
        duplicate_detector=settings.part("duplicate_detectors", settings.duplicate_detector),
        store=Store(settings.store.path, settings.store.mode),
        sampling=settings.make_sampling(),
        retries=settings.make_retries(),
    )


def index_folder(settings: Settings) -> Path:
    """The index of the settings' corpus; that of the starter corpus is built in the user's cache when first needed.

    Raises:
        DataError: if the corpus is no index, with the command that makes one.
    """
    if settings.corpus == STARTER:
        return _starter_index(settings.retriever)
    folder = Path(settings.corpus)
    if not folder.exists():
        raise DataError(f"there is no index at {folder}; make one with: hopweave index DOCUMENTS --to {folder}")
    if not (folder / "manifest.json").is_file():
        raise DataError(f"{folder} is not an index; make one with: hopweave index {folder} --to {folder.name}-index")
    return folder


def _starter_index(retriever: str) -> Path:
    from hopweave.catalog import load
    from hopweave.corpus import read_corpus

    folder = user_cache_path("hopweave") / "indexes" / f"starter-{version('hopweave')}-{retriever}"
    if not (folder / "manifest.json").is_file():
        folder.parent.mkdir(parents=True, exist_ok=True)
        load("retrievers", retriever).build(folder, read_corpus([Path(__file__).parent / "starter" / "passages.jsonl"]))
    return folder


def _check_question(question: Question) -> None:
    if not question.text.strip():
        raise DataError("the question is empty; ask something")
    if len(question.text) > MAX_QUESTION_CHARACTERS:
        raise DataError(
            f"the question has {len(question.text):,} characters, more than {MAX_QUESTION_CHARACTERS:,}; "
            "put long texts into the corpus and ask about them"
        )
    if question.form == "label" and not question.labels:
        raise DataError(f"question {question.id!r} asks for a label and names none; give it labels")


def _check_answer(answer: Answer, trace: Trace) -> None:
    """Holds a method to its contract: every quote is in its passage, and every mark resolves."""
    for citation in answer.citations:
        passage = trace.passage(citation.passage_id)
        if passage is None or passage.text[citation.start : citation.end] != citation.quote or not citation.quote:
            raise MethodError(f"citation [{citation.mark}] does not quote passage {citation.passage_id!r}")
    known = {citation.mark for citation in answer.citations}
    loose = [int(mark) for mark in _MARK.findall(answer.text) if int(mark) not in known]
    if loose:
        raise MethodError(f"the answer has marks without a citation: {loose}")


async def aask(question: str, *, observers: Sequence[Observer] = (), **settings: Any) -> Record:
    """Answers one question.

    Args:
        question: what is asked.
        observers: told of each step as it happens.
        settings: keys of `Settings`, such as `corpus`, `method`, `llm`, `budget`; the rest comes from files and environment.

    Returns:
        The record: `record.answer` is the answer, or `None` with `record.error` set.
    """
    async with Weaver(read_settings(settings)) as weaver:
        return await weaver.answer(question, observers=observers)


def ask(question: str, *, observers: Sequence[Observer] = (), **settings: Any) -> Record:
    """`aask` for code that is not asynchronous."""
    return asyncio.run(aask(question, observers=observers, **settings))
