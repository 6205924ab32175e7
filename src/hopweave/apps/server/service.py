"""The service behind the routes: it admits a question, answers it, keeps the answer and counts the cost."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from hopweave.apps.server.asking import Asked, Choices
from hopweave.apps.server.callers import Allowance, Caller, Callers, Spending
from hopweave.apps.server.daily_counts import open_counts
from hopweave.apps.server.databases import Databases
from hopweave.apps.server.estimates import Estimates
from hopweave.apps.server.first_questions import NOTHING_KNOWN, Overview, overview_of
from hopweave.apps.server.kept import Entry, KeptAnswers, new_id
from hopweave.apps.server.page_images import PageImages
from hopweave.apps.server.prometheus import Metrics
from hopweave.apps.server.refusals import Refused, refusing
from hopweave.apps.server.server_settings import ServerSettings
from hopweave.apps.server.telling import Telling, withheld_failures
from hopweave.citations.marking import WHOLE_CORPUS
from hopweave.core.errors import DataError, HopweaveError, MissingExtra, SettingsError
from hopweave.core.protocols import LanguageModel, Opens, is_part
from hopweave.core.redaction import public_address
from hopweave.core.visibility import Visible
from hopweave.record import Observer, Record, Totals
from hopweave.run.components import Components
from hopweave.run.corpora import Corpora
from hopweave.run.opening import open_components
from hopweave.run.settings import Settings
from hopweave.run.starts import Starts
from hopweave.run.store.answer_store import open_answer_store
from hopweave.run.weaver import Weaver

if TYPE_CHECKING:
    from hopweave.apps.server.spans import Spans

_MAX_WEAVERS = 256
_SWEEP_SECONDS = 3600
"""How often expired answers are deleted."""
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer that is kept.

    Attributes:
        id: of the answer.
        record: of the question, as the client is told of it.
        record_line: the record as its line of JSON, which takes a while to write.
    """

    id: str
    record: Record
    record_line: str


@dataclass(frozen=True, slots=True)
class Branching:
    """A kept answer whose question is asked again with changes.

    Attributes:
        of: its id.
        record: its record.
        changes: see `hopweave.record.changes`.
    """

    of: str
    record: Record
    changes: Sequence[Mapping[str, Any]]


class Service:
    """Everything that belongs to a running server.

    Args:
        server: what it offers to whom.
        settings: of the components.
        llm: a language model to use instead of the one of the settings; it stays open.

    Raises:
        SettingsError: as in `Choices`, and for the address of a database that is invalid or has a password.
        MissingExtra: as in `Choices`, and for a database without psycopg.
    """

    def __init__(self, server: ServerSettings, settings: Settings, llm: LanguageModel | None = None) -> None:
        self.server = server
        self.settings = settings
        self.choices = Choices(settings, server.limits, server.methods)
        self.callers = Callers(server.keys, settings.access, is_private=server.is_private)
        places = (server.answers, settings.store.path if settings.store.mode == "on" else "")
        self.allowance = Allowance(open_counts(places, Path(server.answers)))
        self._estimates = Estimates()
        self._databases = Databases(places)
        self.kept = KeptAnswers(open_answer_store(server.answers), server.keep_days)
        self.metrics = Metrics()
        self.page_images = PageImages()
        self._spans = _spans_of(server)
        self.is_draining = False
        self._why_no_model = "the server is starting"
        self._llm = llm
        self._parts: Components | None = None
        self._corpora: Corpora | None = None
        self._weavers: OrderedDict[tuple[int, str], Weaver] = OrderedDict()
        self._overviews: WeakKeyDictionary[Components, Overview] = WeakKeyDictionary()
        self._num_running = 0
        self._starts = Starts()
        self._in_background: list[asyncio.Task[None]] = []

    @property
    def why_not_ready(self) -> str:
        """Why it takes no questions now; empty if it does."""
        return "the server is stopping" if self.is_draining else self._why_no_model or self._databases.why_not_ready

    @property
    def corpora(self) -> Corpora:
        """The corpora, once the server has started."""
        if self._corpora is None:
            raise Refused(503, "starting", "the server is starting; ask again", headers={"Retry-After": "1"})
        return self._corpora

    @asynccontextmanager
    async def started(self) -> AsyncIterator[None]:
        """Open for questions.

        Raises:
            HopweaveError: for anything that the operator has to fix first.
        """
        try:
            await self._start()
            yield
        finally:
            await self._stop()

    async def _start(self) -> None:
        """Opens the corpora, and the model in the background, so that the server can say that it is not ready.

        Raises:
            HopweaveError: for anything that the operator has to fix first.
        """
        await asyncio.to_thread(self.kept.check)
        if self.server.keys:
            await asyncio.to_thread(self.allowance.check)
        ready = {"llm": self._llm} if self._llm is not None else {}
        self._parts = open_components(self.settings, ready, with_corpus=False)
        self._corpora = Corpora(self.settings, self.server.corpora, self._parts)
        for name in self.server.corpora:
            async with self._corpora.opened(name, self.settings.access):
                pass
        self._in_background.append(asyncio.create_task(self._open_model(self._parts)))
        self._in_background.append(asyncio.create_task(self._databases.watch()))
        if self.server.keep_days is not None:
            self._in_background.append(asyncio.create_task(self._sweep()))

    async def _stop(self) -> None:
        """Closes everything."""
        self.is_draining = True
        for task in self._in_background:
            task.cancel()
        await asyncio.gather(*self._in_background, return_exceptions=True)
        await self.page_images.close()
        if self._corpora is not None:
            await self._corpora.close()
        if self._parts is not None:
            await self._parts.close()
        for part in (self.kept, self.allowance, self._databases):
            await asyncio.to_thread(part.close)
        if self._spans is not None:
            await asyncio.to_thread(self._spans.close)

    async def _open_model(self, parts: Components) -> None:
        try:
            if is_part(parts.llm, Opens):
                await parts.llm.open()
        except HopweaveError as error:
            self._why_no_model = "the language model cannot be opened; the server's log says why"
            _LOG.error("the language model cannot be opened: %s", error)
            return
        self._why_no_model = ""

    async def _sweep(self) -> None:
        while True:
            try:
                num_deleted = await asyncio.to_thread(self.kept.sweep)
                _LOG.info("%s answers were kept for %g days, and are deleted", num_deleted, self.server.keep_days)
            except DataError as error:
                _LOG.error("answers that were kept long enough cannot be deleted: %s", error)
            await asyncio.sleep(_SWEEP_SECONDS)

    def corpus_of(self, caller: Caller, name: str | None) -> str:
        """The corpus that a caller names, or the first one that they may search.

        Raises:
            Refused: if it does not exist or is not theirs; the message does not tell which.
        """
        theirs = [one for one in self.server.corpora if caller.may_search(one)]
        if name is None and theirs:
            return theirs[0]
        if name is None or name not in theirs:
            shown = f"no corpus {name[:100]!r}" if name is not None else "no corpus"
            raise Refused(404, "unknown_corpus", f"there is {shown} for you to search; GET /v1/corpora lists them")
        return name

    async def overview(self, parts: Components, visible: Visible) -> Overview:
        """What a corpus holds, as far as `visible` shows it; looked over once for each state of its index.

        Args:
            parts: the components that list its passages, opened for the same access and filter.
            visible: the passages that may be shown.
        """
        if parts not in self._overviews:
            found = await parts.listed(partial(overview_of, visible=visible))
            self._overviews[parts] = found or NOTHING_KNOWN
        return self._overviews[parts]

    def may_read(self, caller: Caller, entry: Entry) -> bool:
        """Whether a caller may still read one of their answers: they may have lost a corpus or a label."""
        return caller.may_search(entry.corpus) and set(entry.access) <= set(caller.access)

    async def admit(self, caller: Caller, asked: Asked) -> Asked:
        """Counts a question before it is asked; returns it with what was reserved for it.

        Raises:
            Refused: if the caller's budget for the day is spent or reserved, or too many questions run.
            DataError: if it cannot be counted.
        """
        self._check_running()
        if caller.limits is None:
            return asked
        tokens, seconds = self._estimates.tokens_of(asked), asked.limits["max_seconds"]
        reservation = await asyncio.to_thread(self.allowance.question, caller, tokens, max_seconds=seconds)
        asked = replace(asked, reservation=reservation)
        try:
            self._check_running()  # others may have begun meanwhile
        except Refused:
            await self._settle(caller, asked, 0)
            raise
        return asked

    def _check_running(self) -> None:
        if self._num_running >= self.server.limits.max_running:
            raise Refused(503, "busy", "too many questions run; ask again in 1 s", headers={"Retry-After": "1"})

    async def answer(
        self,
        asked: Asked,
        caller: Caller,
        *,
        observers: Sequence[Observer] = (),
        answer_id: str = "",
        branch: Branching | None = None,
    ) -> Answered:
        """Answers a question and keeps the answer. Cancelling it cancels its calls, and keeps nothing.

        Args:
            asked: the question, as `admit` returns it.
            caller: whose answer it will be.
            observers: called with each step as it happens, as the client is told of it.
            answer_id: of the answer; a new one if empty.
            branch: the kept answer that this is a changed run of, if any.

        Raises:
            Refused: for options or a filter that turn out not to fit.
            HopweaveError: for anything that the operator has to fix.
        """
        answer_id = answer_id or new_id()
        spending, telling = Spending(), Telling(caller)
        is_settled = False
        try:
            with self._running(asked):
                await self._starts.turn()
                async with self.corpora.opened(asked.corpus, asked.access, asked.where) as parts:
                    weaver = self._weaver(asked, parts)
                    record = await _record(weaver, asked, (spending, *map(telling.to, observers)), branch)
                for failure in withheld_failures(record):
                    _LOG.error("in the question of the answer %s: %s", answer_id, failure.in_words)
                line = record.to_json()
                entry = Entry.from_record(answer_id, record, asked, branch.of if branch is not None else None)
                totals = record.totals()
                is_settled = True
                # Shielded, as the work is done and paid for: a client that goes away now finds it among its answers.
                await asyncio.shield(asyncio.to_thread(self._keep, caller, asked, entry, totals, line))
        finally:
            if not is_settled:
                await self._settle(caller, asked, spending.tokens)
        if record.answer is not None and record.answer.how not in WHOLE_CORPUS:
            self._estimates.learn(asked, record.answer, _tokens_of(totals), spending.largest_call)
        self.metrics.record(asked.method_name, asked.corpus, record, totals)
        if self._spans is not None:
            self._spans.send(answer_id, record, asked.within)
        told = telling.record(record)
        return Answered(answer_id, told, line if told is record else told.to_json())

    def _keep(self, caller: Caller, asked: Asked, entry: Entry, totals: Totals, line: str) -> None:
        self.allowance.spent(caller, _tokens_of(totals), asked.reservation)
        self.kept.keep(caller.name, entry, line)

    async def _settle(self, caller: Caller, asked: Asked, tokens: int) -> None:
        """Counts what an interrupted question used, even if the task that waits for it is cancelled."""
        if caller.limits is not None:
            await asyncio.shield(asyncio.to_thread(self.allowance.spent, caller, tokens, asked.reservation))

    @contextmanager
    def _running(self, asked: Asked) -> Iterator[None]:
        self._num_running += 1
        self.metrics.running.inc()
        try:
            yield
        except asyncio.CancelledError:
            self.metrics.cancelled(asked.method_name, asked.corpus)
            raise
        finally:
            self._num_running -= 1
            self.metrics.running.dec()

    def _weaver(self, asked: Asked, parts: Components) -> Weaver:
        """A weaver for these choices. Making one is slow, so recent ones are kept."""
        key = id(parts), asked.weaver_key
        weaver = self._weavers.pop(key, None)
        if weaver is None or weaver.components is not parts:
            with refusing(HopweaveError):
                weaver = Weaver(asked.settings_over(self.settings), components=parts)
        self._weavers[key] = weaver
        if len(self._weavers) > _MAX_WEAVERS:
            self._weavers.popitem(last=False)
        return weaver

    @property
    def model_name(self) -> str:
        """The language model, for humans; without secrets."""
        return public_address(self._parts.llm.identity) if self._parts is not None else self.settings.llm


def _spans_of(server: ServerSettings) -> Spans | None:
    if server.telemetry == "off":
        return None
    try:
        from hopweave.apps.server.spans import Spans
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "opentelemetry", "telemetry") from None
    return Spans(with_texts=server.telemetry == "texts")


def _tokens_of(totals: Totals) -> int:
    return totals.prompt_tokens + totals.completion_tokens


async def _record(weaver: Weaver, asked: Asked, observers: Sequence[Observer], branch: Branching | None) -> Record:
    if branch is None:
        return await weaver.answer(asked.question, observers=observers, earlier=asked.earlier)
    with refusing(DataError, SettingsError):
        return await weaver.again(branch.record, branch.changes, observers=observers)
