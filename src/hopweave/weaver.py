"""Opens the parts that settings name and answers questions with them, each into a record.

async with Weaver(read_settings({"corpus": "my-index"})) as weaver:
    record = await weaver.answer("Who designed the bridge that ...?")
"""

from __future__ import annotations

import asyncio
import dataclasses
import logging
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any

from platformdirs import user_cache_path
from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from hopweave.catalog import load
from hopweave.errors import BudgetReached, DataError, HopweaveError, MethodError, RunError, SettingsError
from hopweave.files import sha256_of
from hopweave.grounding.citing import NOT_IN_CORPUS, settle_marks
from hopweave.grounding.marking import abstention, settled, verdict_of
from hopweave.protocols import Method, Noting
from hopweave.runtime.budget import Budget
from hopweave.runtime.components import Parts
from hopweave.runtime.store import Store
from hopweave.runtime.workbench import Workbench
from hopweave.settings import Settings, read_settings
from hopweave.trace import Failure, Observer, Record, Setup, Trace, citation_problems, one_line_of_json
from hopweave.types import Answer, Question

STARTER = "starter"
MAX_QUESTION_CHARACTERS = 8_000
APART_SECONDS = 0.002
"""Between the beginnings of questions side by side. Begun at one moment, their replies come back at one moment, and each waits
until all the others have been worked on, in every round again."""
_LOG = logging.getLogger(__name__)


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
        self._public_settings = self.settings.public()
        self._options: tuple[Any, dict[str, Any]] = (None, {})
        for note in (
            self.method.notes_on(Workbench(self.parts, Trace(), self.budget)) if isinstance(self.method, Noting) else ()
        ):
            _warn_once(note)

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
            DataError: for an empty question, one longer than 8,000 characters, or one that asks for a label and names none.
            SettingsError, DataError, MissingExtra: for what the user has to mend first.
        """
        asked = Question("question", question) if isinstance(question, str) else question
        check_question(asked)
        trace = Trace(observers)
        bench = Workbench(self.parts, trace, self.budget)
        started_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        answer, failure = await self._try(asked, bench)
        if answer is not None and self.settings.require_support:
            answer = _withheld(answer, bench)
        return trace.finish(asked, self.setup(self.budget), started_at, answer, failure)

    async def answer_all(self, questions: Iterable[Question], *, max_parallel: int = 1) -> AsyncIterator[Record]:
        """Answers many questions, up to `max_parallel` side by side, and yields each record as it is done.

        Raises:
            SettingsError: if `max_parallel` is below 1.
            SettingsError, DataError, MissingExtra: as `answer`. What was done by then is yielded first, the rest is cancelled.
        """
        if max_parallel < 1:
            raise SettingsError(f"max_parallel must be at least 1, not {max_parallel}")
        waiting = iter(questions)
        running: list[asyncio.Task[Record]] = []
        try:
            while True:
                while len(running) < max_parallel and (question := next(waiting, None)) is not None:
                    running.append(asyncio.create_task(self.answer(question)))
                    if len(running) < max_parallel:
                        await asyncio.sleep(APART_SECONDS)
                if not running:
                    return
                done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in sorted(done, key=lambda task: (task.exception() is not None, running.index(task))):
                    record = task.result()
                    running.remove(task)
                    yield record
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    def setup(self, budget: Budget) -> Setup:
        """What a record of this weaver depends on."""
        reader = self.parts.reader
        return Setup(
            version=_own_version(),
            method=self.settings.method,
            options=self._options_of_method(),
            llm=self.parts.llm.identity,
            retriever=self.parts.retriever_identity,
            reader=reader.identity if reader is not None else "",
            budget=budget.limits(),
            settings=self._public_settings,
        )

    def _options_of_method(self) -> dict[str, Any]:
        """The options of the method, written out once as long as no other takes its place."""
        if self._options[0] is not self.method:
            self._options = (self.method, dataclasses.asdict(self.method))  # type: ignore[call-overload]
        return self._options[1]

    async def _try(self, question: Question, bench: Workbench) -> tuple[Answer | None, Failure | None]:
        name = self.settings.method
        try:
            answer = await self.method.answer(question, bench)
            _check_answer(answer, bench.trace)
            return settled(answer), None
        except Exception as error:  # noqa: BLE001 - a method that breaks is a failed question, not a lost run
            cause = cause_of(error)
        if isinstance(cause, BudgetReached):
            return Answer("", "", stopped_because=cause.limit, how="empty"), None
        if isinstance(cause, RunError):
            return None, Failure.of(cause)
        if isinstance(cause, HopweaveError):
            raise cause
        _LOG.debug("%s broke on question %r", name, question.id, exc_info=cause)
        return None, Failure.of(MethodError(f"{name} broke: {type(cause).__name__}: {cause}"))


def _withheld(answer: Answer, bench: Workbench) -> Answer:
    """The answer, or an abstention in its place where no passage bears it out; the answer itself stays in the trace."""
    support = verdict_of(answer).support
    if support == "supported" or not answer.short:
        return answer
    bench.decide("withheld", answer.short, support=support, was=answer.text, stopped_because=answer.stopped_because)
    return abstention(answer)


def open_parts(settings: Settings) -> Parts:
    """Opens the model, the engines and the store that settings name."""
    retriever, engine = open_retriever(settings)
    return Parts(
        settings.part("llms", settings.llm),
        retriever=retriever,
        engine=engine,
        reader=settings.part("readers", settings.reader),
        duplicate_detector=settings.part("duplicate_detectors", settings.duplicate_detector),
        store=Store(settings.store.path, settings.store.mode),
        sampling=settings.make_sampling(),
        retries=settings.make_retries(),
    )


def open_retriever(settings: Settings) -> tuple[Any, Any]:
    """Opens the retriever over the corpus that settings name, and the engine that it searches with (often itself)."""
    engine = _open_engine(settings, engine_of(settings))
    return (settings.part("retrievers", settings.retriever) if _asks_the_model(settings.retriever) else engine), engine


def engine_of(settings: Settings) -> str:
    """The name of the retriever that searches the index: the one chosen or, if that one asks the model, the one underneath.

    Raises:
        SettingsError: if what is underneath asks the model, too.
    """
    if not _asks_the_model(settings.retriever):
        return settings.retriever
    engine: str = settings.part("retrievers", settings.retriever).engine
    if _asks_the_model(engine):
        raise SettingsError(
            f"retrievers.{settings.retriever}.engine = {engine!r} asks the language model itself; "
            "name one that does not, such as 'bm25'"
        )
    return engine


def _asks_the_model(retriever: str) -> bool:
    return hasattr(load("retrievers", retriever), "search_with")


def _open_engine(settings: Settings, name: str) -> Any:
    part = load("retrievers", name)
    has_index = any(option.name == "index" for option in dataclasses.fields(part)) if dataclasses.is_dataclass(part) else False
    is_given = "index" in settings.retrievers.get(name, {})
    more = {"index": index_folder(settings)} if has_index and not is_given else {}
    return settings.part("retrievers", name, **more)


def index_folder(settings: Settings) -> Path:
    """The index of the settings' corpus; that of the starter corpus is built in the user's cache when first needed.

    Raises:
        DataError: if the corpus is no index, with the command that makes one.
    """
    if settings.corpus == STARTER:
        return _starter_index(engine_of(settings))
    folder = Path(settings.corpus)
    if not folder.exists():
        raise DataError(f"there is no index at {folder}; make one with: hopweave index DOCUMENTS --to {folder}")
    if not (folder / "manifest.json").is_file():
        raise DataError(f"{folder} is not an index; make one with: hopweave index {folder} --to {folder.name}-index")
    return folder


def _starter_index(retriever: str) -> Path:
    from hopweave.corpus import read_corpus

    passages = Path(__file__).parent / "starter" / "passages.jsonl"
    digest = sha256_of(passages)[:12]
    folder = user_cache_path("hopweave") / "indexes" / f"starter-{version('hopweave')}-{digest}-{retriever}"
    if (folder / "manifest.json").is_file():
        return folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder.parent) as scratch:
            made = Path(scratch) / "index"
            load("retrievers", retriever).build(made, read_corpus([passages]))
            with suppress(OSError):  # another process that built it at the same time was first
                made.rename(folder)
    except OSError as error:
        raise DataError(f"cannot make the starter index in {folder.parent}: {error.strerror}; name a --corpus") from None
    return folder


def check_question(question: Question) -> None:
    """Holds a question to what can be asked.

    Raises:
        DataError: if it is empty, too long, or asks for a label and names none.
    """
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
    """Holds a method to its contract: an answer of the right types, every quote in its passage, and every mark resolves.

    Raises:
        MethodError: saying what is wrong.
    """
    if not isinstance(answer, Answer):
        raise MethodError(f"the method handed back {type(answer).__name__}, not an Answer")
    try:
        _answer_adapter().validate_json(one_line_of_json(_answer_adapter(), answer))
    except (PydanticSerializationError, ValidationError) as error:
        raise MethodError(f"the answer cannot be kept in a record: {str(error).splitlines()[-1].strip()}") from None
    against = filter(None, (claim.contradicted_by for claim in answer.claims))
    passages = {one.passage_id: trace.passage(one.passage_id) for one in (*answer.citations, *against)}
    for problem in citation_problems(answer, {key: passage.text for key, passage in passages.items() if passage is not None}):
        raise MethodError(problem)
    if any(citation.passage_id.startswith(NOT_IN_CORPUS) for citation in answer.citations):
        raise MethodError("the answer cites what the model wrote; a 'faithful' ranking of a retriever is for measuring only")
    _, num_loose = settle_marks(answer.text, {citation.mark for citation in answer.citations})
    if num_loose:
        raise MethodError(f"the answer has marks without a citation, {num_loose} in all: {answer.text[:200]!r}")


@cache
def _own_version() -> str:
    return version("hopweave")  # which reads a file, and takes more than a millisecond


@cache
def _answer_adapter() -> TypeAdapter[Answer]:
    return TypeAdapter(Answer)


def cause_of(error: Exception) -> Exception:
    """The error that counts: of several that came out of a task group, what the user has to mend, then what broke."""
    return min(_leaves(error), key=_weight)


def _leaves(error: Exception) -> Iterator[Exception]:
    if isinstance(error, ExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _weight(error: Exception) -> int:
    match error:
        case BudgetReached():
            return 3
        case RunError():
            return 2
        case HopweaveError():
            return 0
        case _:
            return 1


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
    """`aask` for code that is not asynchronous.

    Raises:
        SettingsError: if called where an event loop runs, as in a notebook.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass
    else:
        raise SettingsError("ask() cannot wait where an event loop runs, as in a notebook; write: await hopweave.aask(...)")
    return asyncio.run(aask(question, observers=observers, **settings))


@cache
def _warn_once(note: str) -> None:
    """Says once in a process what does not fit; without a handler, logging writes it to standard error."""
    _LOG.warning(note)
