"""Opens the components that settings name and answers questions with them, each into a record.

async with Weaver(read_settings({"corpus": "my-index"})) as weaver:
    record = await weaver.answer("Who designed the bridge that ...?")
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Collection,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Sized,
)
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import aclosing, suppress
from contextvars import copy_context
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from inspect import Parameter, signature
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, Unpack, get_type_hints

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from hopweave.citations.citing import NOT_IN_CORPUS
from hopweave.citations.marking import UNCERTAIN, WHOLE_CORPUS, abstention, settled
from hopweave.citations.of_the_question import with_doubt
from hopweave.citations.shortfalls import why_unsupported
from hopweave.core.catalog import name_of
from hopweave.core.errors import (
    BudgetReached,
    DataError,
    HopweaveError,
    MethodError,
    RunError,
    SettingsError,
    error_that_counts,
)
from hopweave.core.json_text import one_line_of_json
from hopweave.core.preparation import prepare_soon, prepared
from hopweave.core.protocols import Method, Noting, Probes, is_part
from hopweave.core.retries import is_stray_cancellation
from hopweave.core.types import Answer, Question
from hopweave.record import Change, Failure, Observer, Record, Setup, Trace, citation_problems
from hopweave.record.confidence import Calibration
from hopweave.run.again import Again, check_same_setup
from hopweave.run.asked import check_length, question_asked
from hopweave.run.budget import Budget
from hopweave.run.calibration import open_calibration
from hopweave.run.components import Components
from hopweave.run.opening import AskingChoices, Choices, Chosen, check_identity, check_object, open_components, options_of
from hopweave.run.progress_bar import progress
from hopweave.run.settings import Settings
from hopweave.run.starts import Starts
from hopweave.run.validation import problem_of_question, tuples_of
from hopweave.run.whole_corpus import answer_whole_corpus
from hopweave.run.whole_corpus_questions import WholeCorpus, whole_corpus
from hopweave.run.workbench import Workbench
from hopweave.text.citation_marks import settle_marks
from hopweave.text.word_vectors import word_vectors

if TYPE_CHECKING:
    from hopweave.run.conversation import Turn

_LOG = logging.getLogger(__name__)
_END: Any = object()
"""What comes after the last question."""
_P = ParamSpec("_P")
_T = TypeVar("_T")


def _with_choices(kind: type) -> Callable[[Callable[_P, _T]], Callable[_P, _T]]:
    """Lists the keys of a `TypedDict` that a function takes as `**choices` among its parameters, for `help` and notebooks."""

    def decorate(function: Callable[_P, _T]) -> Callable[_P, _T]:
        own = [one for one in signature(function).parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
        keys = get_type_hints(kind)
        listed = [Parameter(key, Parameter.KEYWORD_ONLY, default=None, annotation=keys[key]) for key in keys]
        function.__signature__ = signature(function).replace(parameters=own + listed)  # type: ignore[attr-defined]
        return function

    return decorate


def _with_parameters_of(
    asynchronous: Callable[_P, Coroutine[Any, Any, Record]],
) -> Callable[[Callable[..., Record]], Callable[_P, Record]]:
    """Gives a function the parameters of another, for type checkers, editors and `help`."""

    def decorate(function: Callable[..., Record]) -> Callable[_P, Record]:
        function.__signature__ = signature(asynchronous)  # type: ignore[attr-defined]
        return function

    return decorate


@dataclass(frozen=True, slots=True)
class _Answering:
    """What answers a question, as it was when the question began: meanwhile the weaver's method may be replaced."""

    method: Method
    name: str
    setup: Setup
    calibration: Calibration | None


class Weaver:
    """Everything that questions share, opened once. Once closed, it answers nothing; closing it again is harmless.

    Args:
        settings: the components and their options; or keys and values that override files and the environment, as in `ask`.
        components: open components to use instead of opening any; the weaver closes them.
        choices: components by name or as objects, and limits, which override the settings; see `Choices`.

    Raises:
        SettingsError: for anything unusable, such as an object that lacks a member of its role, with what it lacks.
        DataError, MissingExtra: as in `answer`.
        TypeError: for a choice that `Choices` does not have.
    """

    @_with_choices(Choices)
    def __init__(
        self,
        settings: Settings | Mapping[str, Any] | None = None,
        *,
        components: Components | None = None,
        **choices: Unpack[Choices],
    ) -> None:
        opened = [key for key, value in choices.items() if value is not None and key not in ("method", "budget")]
        if opened and components is not None:
            given = " and ".join(opened)
            raise SettingsError(f"components are given, so {given} would have no effect; pass either components or {given}")
        chosen = Chosen.of(**choices)
        self.settings = chosen.over(settings)
        self.budget = self.settings.make_budget()
        is_ready = "method" in chosen.objects
        self._take(chosen.objects["method"] if is_ready else self.settings.part("methods", self.settings.method))
        self._name = self.settings.method
        self._is_closed = False
        self.components = components or open_components(self.settings, chosen.objects)
        self.calibration = open_calibration(self.settings, self.components.llm.identity, self._name)
        # A record may leave this machine, as a server's does: it names the file, and not its place.
        self._public_settings = self.settings.public() | {"calibration": Path(self.settings.calibration).name}
        for note in self._notes():
            _warn_once(note)

    def _notes(self) -> Sequence[str]:
        """Mismatches between the options of the method and the components."""
        return self.method.notes_on(Workbench(self.components, Trace(), self.budget)) if isinstance(self.method, Noting) else ()

    @property
    def method(self) -> Method:
        """The method that answers the questions. It can be replaced: questions asked from then on are answered by the new one.

        Raises:
            SettingsError: when it is set to an object that is not a method, or has no calibration but needs one.
        """
        return self._method

    @method.setter
    def method(self, method: Method) -> None:
        check_object("methods", method)
        name = name_of("methods", method)
        self.calibration = open_calibration(self.settings, self.components.llm.identity, name)
        self._take(method)
        self._name = name
        self._public_settings = {**self._public_settings, "method": self._name}

    def _take(self, method: Method) -> None:
        check_object("methods", method)
        self._method = method
        self._options = options_of(method)

    async def __aenter__(self) -> Weaver:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the components."""
        self._is_closed = True
        await self.components.close()

    async def answer(
        self,
        question: str | Question,
        *,
        observers: Sequence[Observer] = (),
        earlier: Sequence[Turn | Record | Mapping[str, str]] = (),
    ) -> Record:
        """Answers a question. Any failure on the way is in the record, not raised.

        Args:
            question: the question, or its text, which asks for an explanation if it begins so ("How do I ...", "Why ...").
            observers: called with each step as it happens.
            earlier: the turns of the conversation before it, in order: each a `Turn`, its record, or a mapping with `question`
                and `answer`; the record's question is then completed from them.

        Raises:
            DataError: for an empty question, one longer than 8,000 characters, one that asks for a label but lists none, or one
                with a field of the wrong type.
            SettingsError: if this weaver is closed, or for observers that cannot be called, or turns that are none.
            SettingsError, DataError, MissingExtra: for anything that the user has to fix first.
        """
        asked = question_asked(question) if isinstance(question, str) else question
        check_question(asked)
        return await self._answer(tuples_of(asked), observers, _turns_of(earlier), None)

    async def again(
        self, record: Record, changes: Sequence[Change | Mapping[str, Any]], *, observers: Sequence[Observer] = ()
    ) -> Record:
        """Asks the question of a record again, with changes from one of its steps on.

        The steps before the first changed one are replayed from the record without the model; later ones are run again.

        Args:
            record: a record made with the same method, model, retriever and reader.
            changes: what to change, see `hopweave.record.changes`.
            observers: called with each step as it happens.

        Returns:
            A new record; its `branch` names the earlier record and the changes.

        Raises:
            DataError: for a change that does not fit the record.
            SettingsError: if the record was made with other components or options, with what differs; or as in `answer`.
        """
        from hopweave.run.conversation import asked_of

        again = Again(record, changes, self.settings.visible)
        check_same_setup(record.setup, self.setup(self.budget))
        asked, earlier = asked_of(record)
        return await self._answer(asked, observers, earlier, again)

    async def _answer(
        self, asked: Question, observers: Sequence[Observer], earlier: Sequence[Turn], again: Again | None
    ) -> Record:
        if self._is_closed:
            raise SettingsError("this weaver is closed; open another")
        _check_observers(observers)
        llm = self.components.llm
        if is_part(llm, Probes) and not self.components.is_replay:
            await llm.probe()
        prepare_soon()
        by = _Answering(self.method, self._name, self.setup(self.budget), self.calibration)
        trace = Trace(observers)
        workbench = Workbench(self.components, trace, self.budget, again)
        started_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        asked, answer, failure = await self._try(asked, earlier, workbench, by)
        is_checked = answer is not None and answer.how not in WHOLE_CORPUS
        if answer is not None and is_checked and self.settings.check == "more":
            from hopweave.run.answer_check import check_answer

            await check_answer(asked, answer, workbench)
        workbench.note_missed_changes()
        branch = again.branch if again is not None else None
        record = trace.finish(asked, by.setup, started_at, answer, failure, branch)
        if not is_checked:
            return record
        if by.calibration is not None:
            record = by.calibration.applied(record)
        if record.answer is None or not self._has_to_be_withheld(record.answer):
            return record
        return trace.finish(asked, by.setup, started_at, _withheld(record.answer, workbench), failure, branch)

    def _has_to_be_withheld(self, answer: Answer) -> bool:
        is_unsupported = self.settings.require_support and answer.verdict.support != "supported"
        return bool(answer.short) and (is_unsupported or (answer.verdict.confidence or 0.0) < self.settings.min_confidence)

    async def answer_all(
        self, questions: Iterable[Question], *, max_parallel: int = 1, show_progress: bool | None = None
    ) -> AsyncIterator[Record]:
        """Answers many questions, up to `max_parallel` concurrently, and yields each record when it is done.

        Args:
            questions: the questions.
            max_parallel: how many to answer at a time, from 1.
            show_progress: whether to draw a bar on standard error; `None` draws it in a terminal and in a notebook.

        Raises:
            SettingsError: if `max_parallel` is below 1.
            DataError: for a single question; `answer` takes it.
            SettingsError, DataError, MissingExtra: as in `answer`. Finished records are yielded first, the rest is cancelled.
        """
        if max_parallel < 1:
            raise SettingsError(f"max_parallel must be at least 1, not {max_parallel}")
        _check_are_several(questions)
        total = len(questions) if isinstance(questions, Sized) else None
        with progress(total, is_shown=show_progress) as one_more_done:
            async with aclosing(self._answers(iter(questions), max_parallel)) as records:
                async for record in records:
                    one_more_done()
                    yield record

    async def _answers(self, waiting: Iterator[Question], max_parallel: int) -> AsyncGenerator[Record, None]:
        running: list[asyncio.Task[Record]] = []
        ended: list[asyncio.Task[Record]] = []
        starts = Starts()
        num_started = 0
        try:
            while True:
                has_failed = any(map(_has_failed, ended))
                while not has_failed and len(running) < max_parallel and (question := next(waiting, _END)) is not _END:
                    if num_started < max_parallel:  # those that follow come when another ends, which is seldom at once
                        await starts.turn()
                    running.append(asyncio.create_task(self.answer(question)))
                    num_started += 1
                for task in ended:
                    yield task.result()
                if not running:
                    return
                done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                ended = sorted(done, key=lambda task: (_has_failed(task), running.index(task)))
                running = [task for task in running if task not in done]
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    def setup(self, budget: Budget) -> Setup:
        """Everything that a record of this weaver depends on.

        Raises:
            SettingsError: for a component whose identity is no text.
        """
        reader = self.components.reader
        for part in (self.components.llm, self.components.retriever, self.components.engine, reader):
            check_identity(part)
        return Setup(
            version=_own_version(),
            method=self._name,
            options=self._options,
            llm=self.components.llm.identity,
            retriever=self.components.retriever_identity,
            reader=reader.identity if reader is not None else "",
            word_vectors=word_vectors(),
            budget=budget.limits(),
            settings=self._public_settings,
        )

    def _of_all_documents(self, question: Question, *, is_first: bool = True) -> WholeCorpus | None:
        """What a question asks about the documents as a whole; `None` if it is for the method."""
        is_for_the_method = self.settings.whole_corpus == "method" or question.form == "label" or question.pinned
        if is_for_the_method or self.components.engine is None:
            return None
        return whole_corpus(question.text, is_first=is_first)

    async def _try(
        self, question: Question, earlier: Sequence[Turn], workbench: Workbench, by: _Answering
    ) -> tuple[Question, Answer | None, Failure | None]:
        try:
            whole = self._of_all_documents(question, is_first=not earlier)
            if whole is None and earlier:
                from hopweave.run.conversation import rewrite_follow_up

                question = await rewrite_follow_up(question, earlier, workbench)
                whole = self._of_all_documents(question)
            if whole is not None:
                answer = await answer_whole_corpus(whole, workbench)
            else:
                answer = await by.method.answer(question, workbench)
            _check_answer(answer, workbench.trace)
            if whole is None:
                answer = with_doubt(answer, question)
            again = workbench.again
            return question, settled(again.with_origins(answer) if again is not None else answer), None
        except Exception as error:  # noqa: BLE001 - a bug in a method is a failed question, not a lost run
            cause = error_that_counts([error])
        except asyncio.CancelledError as error:
            if not is_stray_cancellation(error):
                raise
            cause = MethodError(f"{by.name} broke: what it waited for was cancelled")
        if isinstance(cause, BudgetReached):
            return question, Answer("", "", stopped_because=cause.limit, how="empty"), None
        if isinstance(cause, RunError):
            return question, None, Failure.of(cause)
        if isinstance(cause, HopweaveError):
            raise cause
        _LOG.debug("%s broke on question %r", by.name, question.id, exc_info=cause)
        return question, None, Failure.of(MethodError(f"{by.name} broke: {type(cause).__name__}: {cause}"))


def _withheld(answer: Answer, workbench: Workbench) -> Answer:
    """The abstention in place of an answer; the answer itself stays in the trace."""
    verdict = answer.verdict
    support = UNCERTAIN if verdict.support == "supported" else verdict.support
    why = {"support": support, "why": why_unsupported(answer), "confidence": verdict.confidence}
    told: dict[str, Any] = {key: value for key, value in why.items() if value not in ("", None)}
    workbench.decide("withheld", answer.short, **told, was=answer.text, stopped_because=answer.stopped_because)
    return abstention(answer)


def check_question(question: Question) -> None:
    """Checks that a question can be asked.

    Raises:
        DataError: if it is none, empty or too long, has a field of the wrong type, or asks for a label but lists none.
    """
    if not isinstance(question, Question):
        raise DataError(f"the question is of type {type(question).__name__}; give a text or a Question")
    if problem := problem_of_question(question):
        raise DataError(problem)
    if not question.text.strip():
        raise DataError("the question is empty; ask something")
    check_length(question.text)
    if question.form == "label" and not question.labels:
        raise DataError(f"question {question.id!r} asks for a label but lists none; give it labels")


def _turns_of(earlier: Any) -> Sequence[Turn]:
    if not earlier:
        return ()
    from hopweave.run.conversation import turns_of

    return turns_of(earlier)


def _check_are_several(questions: object) -> None:
    if isinstance(questions, str) or not isinstance(questions, Iterable):
        raise DataError(f"questions must be a list of questions, not {type(questions).__name__}; for one, use answer")


def _has_failed(task: asyncio.Task[Record]) -> bool:
    return task.cancelled() or task.exception() is not None


def _check_observers(observers: object) -> None:
    if not isinstance(observers, Collection) or not all(map(callable, observers)):
        raise SettingsError(f"observers must be a list of functions, not {observers!r}")


def _check_answer(answer: Answer, trace: Trace) -> None:
    """Checks a method's contract: an answer of the right types, every quote is in its passage, and every mark resolves.

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
    return version("hopweave")  # reads a file, which takes more than a millisecond


@prepared
@cache
def _answer_adapter() -> TypeAdapter[Answer]:
    return TypeAdapter(Answer)


@_with_choices(AskingChoices)
async def aask(question: str | Question, *, observers: Sequence[Observer] = (), **choices: Unpack[AskingChoices]) -> Record:
    """Answers one question.

    Arguments override `hopweave.toml` and the environment, and an object overrides all options in the settings under its name.

    Args:
        question: the question.
        observers: called with each step as it happens.
        choices: components and limits, as `Choices` describes them, and other keys of `Settings`, such as `profile` or `store`,
            and options of components, such as `methods`.

    Returns:
        The record: `record.answer` is the answer, or `None` with `record.error` set.

    Raises:
        SettingsError, DataError, MissingExtra: for anything that the user has to fix first, as in `Weaver` and `Weaver.answer`.
    """
    given: dict[str, Any] = {key: value for key, value in choices.items() if value is not None}
    chosen: Any = {key: given.pop(key) for key in Choices.__annotations__ if key in given}
    async with Weaver(given, **chosen) as weaver:
        return await weaver.answer(question, observers=observers)


@_with_parameters_of(aask)
def ask(question: str | Question, **given: Any) -> Record:
    """Answers one question.

    For synchronous code, and for notebooks, whose event loop is already running: there it works in a separate thread. In
    asynchronous code, await `aask` instead, and for many questions open a `Weaver` once.

    Arguments override `hopweave.toml` and the environment, and an object overrides all options in the settings under its name.

        record = hopweave.ask("Who designed the bridge that ...?", corpus="my-index", method="stitch")
        print(record.answer.text)

    Args:
        question: the question, or its text.
        given: what is passed by name: `observers`, functions that are called with each step as it happens; components
            (`method`, `llm`, `retriever`, `reader`, `duplicate_detector`), as names or objects; the `corpus`, an index folder
            or the address of a server; the `budget`; and other keys of `Settings`, such as `profile` or `require_support`.

    Returns:
        The record: `record.answer` is the answer, or `None` with `record.error` set.

    Raises:
        SettingsError, DataError, MissingExtra: for anything that the user has to fix first.
    """
    work = aask(question, **given)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    return _in_a_thread(work)


def _in_a_thread(work: Coroutine[Any, Any, Record]) -> Record:
    """Waits for a coroutine on its own loop in its own thread. Interrupting the wait cancels it."""
    begun: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = Future()

    async def watched() -> Record:
        task = asyncio.current_task()
        if task is not None:
            begun.set_result((asyncio.get_running_loop(), task))
        return await work

    with ThreadPoolExecutor(1, "hopweave-ask") as thread:
        done = thread.submit(copy_context().run, asyncio.run, watched())
        try:
            return done.result()
        except KeyboardInterrupt:
            loop, task = begun.result()
            with suppress(RuntimeError):  # it ended at the same moment
                loop.call_soon_threadsafe(task.cancel)
            raise


@cache
def _warn_once(note: str) -> None:
    """Logs a mismatch once per process; without a handler, logging writes it to standard error."""
    _LOG.warning(note)
