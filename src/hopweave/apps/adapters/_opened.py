"""Components that stay open between the calls of a framework: an engine, or everything that answers questions.

Frameworks call from any thread and any event loop. A weaver belongs to one loop, so it gets a separate one in a thread, and
concurrent questions share its batches.
"""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Coroutine, Mapping
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

from hopweave.core.errors import RunError, SettingsError
from hopweave.core.protocols import Retriever
from hopweave.core.types import Answer, Hit, Question
from hopweave.record import Record
from hopweave.run.asked import question_asked
from hopweave.run.opening import Chosen, open_retriever
from hopweave.run.weaver import Weaver

T = TypeVar("T")

_END_SECONDS = 10.0
"""How long to wait for a thread: a library that hangs must not keep a program from ending."""


class Searching:
    """A retriever that is opened with the first search, and searches for one thread at a time.

    Args:
        corpus: an index folder, the address of a server, or `starter`; that of the settings if absent.
        retriever: finds passages: a name, the path of a file, or an object; that of the settings if absent.
        settings: other keys of the settings.

    Raises:
        SettingsError: for a retriever object along with a corpus.
    """

    def __init__(self, corpus: str | None, retriever: Any, settings: Mapping[str, Any]) -> None:
        self._given = Chosen.of(corpus=corpus, retriever=retriever)
        self._settings = dict(settings)
        self._lock = threading.Lock()
        self._engine: Retriever | None = self._given.objects.get("retriever")

    def search(self, query: str, max_hits: int) -> list[Hit]:
        """The best passages for a query.

        Raises:
            SearchError: if the engine fails.
            SettingsError, DataError, MissingExtra: for anything that the user has to fix first.
        """
        with self._lock:
            if self._engine is None:
                self._engine = self._opened()
            [hits] = self._engine.search([query], max_hits)
        return hits

    def _opened(self) -> Retriever:
        settings = self._given.over(self._settings)
        opened, engine = open_retriever(settings)
        if opened is not engine:
            engine.close()
            raise SettingsError(
                f"the retriever {settings.retriever!r} asks the language model; take one that does not, such as weave, or "
                "answer whole questions with it"
            )
        plain: Retriever = engine
        return plain


class Answering:
    """A weaver that is opened with the first question, on a separate event loop, until it is closed or garbage-collected.

    Args:
        choices: arguments of `Weaver`.
    """

    def __init__(self, **choices: Any) -> None:
        self._choices = choices
        self._lock = threading.Lock()
        self._open: _Running | None = None

    def answer(self, question: str) -> tuple[Record, Answer]:
        """The record of a question, and its answer; interrupting the wait cancels the question.

        Raises:
            RunError: if it failed, with the reason.
            SettingsError, DataError, MissingExtra: as in `Weaver.answer`.
        """
        work = self._submitted(question)
        try:
            return _answered(work.result())
        except KeyboardInterrupt:
            work.cancel()
            raise

    async def answer_async(self, question: str) -> tuple[Record, Answer]:
        """`answer` for any event loop; cancelling it cancels the question. Same errors."""
        return _answered(await asyncio.wrap_future(self._submitted(question)))

    def close(self) -> None:
        """Closes what is open; the next question opens it again."""
        with self._lock:
            running, self._open = self._open, None
        if running is not None:
            running.close()

    def _submitted(self, question: str) -> Future[Record]:
        with self._lock:
            if self._open is None:
                self._open = _Running(self._choices)
                weakref.finalize(self, self._open.close)
            return self._open.submit(question_asked(question))


class _Running:
    """A thread that runs an event loop with a weaver."""

    def __init__(self, choices: Mapping[str, Any]) -> None:
        self._loop = asyncio.new_event_loop()
        self._weaver: Weaver | None = None
        self._thread = threading.Thread(target=self._turn, name="hopweave-answering", daemon=True)
        self._thread.start()
        try:
            self._weaver = self._run(_opened(choices)).result()
        except BaseException:
            self.close()
            raise

    def submit(self, question: Question) -> Future[Record]:
        return self._run(_answer(self._weaver, question))

    def close(self) -> None:
        """Cancels what runs, closes everything and ends the thread; from that thread itself, without waiting for it."""
        with suppress(RuntimeError):  # it has ended already
            self._loop.call_soon_threadsafe(lambda: self._loop.create_task(self._end()))
        if threading.current_thread() is not self._thread:
            self._thread.join(_END_SECONDS)

    def _turn(self) -> None:
        self._loop.run_forever()
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def _end(self) -> None:
        try:
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            if self._weaver is not None:
                with suppress(RuntimeError):  # at the end of a program no thread can be started to close the rest
                    await self._weaver.close()
        finally:
            self._loop.stop()


async def _answer(weaver: Weaver | None, question: Question) -> Record:
    assert weaver is not None  # noqa: S101 - it is there once the constructor has returned
    return await weaver.answer(question)


async def _opened(choices: Mapping[str, Any]) -> Weaver:
    return Weaver(**choices)


def _answered(record: Record) -> tuple[Record, Answer]:
    if record.answer is None:
        failure = record.error
        said = failure.in_words if failure is not None else "it failed"
        raise RunError(f"no answer: {said}", retryable=failure is not None and failure.retryable)
    return record, record.answer
