"""A method's access to everything that it uses: model, retriever, reader, budget and trace.

Every call goes through the workbench, which records it, keeps it in the store, counts it against the budget, retries it if that
may help, coalesces identical concurrent calls, collects the requests of waiting coroutines to an engine into one batch, and
classifies every failure by the boundary that it crossed. A method cannot forget any of this.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar, cast

from hopweave.core.errors import BudgetReached, ModelError, ReadError, ReplayMiss, RunError, SearchError, error_that_counts
from hopweave.core.prompt import Prompt
from hopweave.core.protocols import (
    ExcerptReader,
    ManyReplies,
    ModelReader,
    ModelRetriever,
    Reader,
    Samples,
    TextScorer,
    TokenCounter,
    WordSearcher,
    is_part,
)
from hopweave.core.retries import boundary
from hopweave.core.types import Abilities, Hit, Message, Passage, Reading, Reply, Sampling, Usage
from hopweave.record import OFFLINE, READER, Failure, Read, Search, Timing, Trace, call_step
from hopweave.run.again import DRIFT, Again, Searching
from hopweave.run.budget import Account, Budget
from hopweave.run.components import Components
from hopweave.run.corpus_overview import Overview
from hopweave.run.estimated_usage import usage_of_prompt
from hopweave.run.in_flight import OnText
from hopweave.run.model_calls import ModelCalls
from hopweave.run.validation import checked_hits, checked_reading, checked_reply

T = TypeVar("T")

CHARACTERS_PER_TOKEN = 3
"""The estimate if the model cannot count its tokens: English has more than 4, so the estimated count is rather too high."""

# The store keeps counts and scores of given texts under these samplings, which no reply is ever requested with.
_COUNTING = Sampling(max_tokens=0)
_SCORING = Sampling(max_tokens=0, top_logprobs=1)
_SHOWN_OF_A_QUERY = 80
_COUNTED = ("max_llm_calls", "max_tokens", "max_searches")


class Workbench:
    """One question's access to the components, as described by `core.protocols.MethodContext`.

    Args:
        components: the components, shared with other questions.
        trace: the trace of this question.
        budget: the budget of this question; no limits if absent.
        again: the earlier record that is run again, with changes.
    """

    def __init__(self, components: Components, trace: Trace, budget: Budget | None = None, again: Again | None = None) -> None:
        self.again = again
        self.components = components
        self.trace = trace
        self.budget = budget or Budget()
        self._calls = ModelCalls(components, self._new_account())
        self._is_underneath = False  # its searches go to the engine

    def _new_account(self) -> Account:
        return Account(self.budget, self.trace.seconds, runs_clock=not self.components.is_replay)

    @property
    def _account(self) -> Account:
        return self._calls.account

    @property
    def abilities(self) -> Abilities:
        return self.components.llm.abilities

    @property
    def sampling(self) -> Sampling:
        return self.components.sampling

    @property
    def num_searches_left(self) -> int | None:
        limit = self.budget.max_searches
        return None if limit is None else max(0, limit - self._account.searches)

    @property
    def has_retriever(self) -> bool:
        return self.components.retriever is not None

    @property
    def limits(self) -> Mapping[str, float]:
        return self.budget.limits()

    @property
    def underneath(self) -> Workbench:
        """This workbench, with searches that go to the engine even if the retriever asks the model."""
        underneath = copy(self)
        underneath._is_underneath = True
        return underneath

    @property
    def reader(self) -> Reader | ModelReader | None:
        return self.components.reader

    def readings_of(self, query: str) -> list[tuple[Passage, Reading]]:
        readings = self.trace.readings_of(query)
        return [(passage, reading) for key, reading in readings.items() if (passage := self.trace.passage(key)) is not None]

    def keep_passage(self, passage: Passage) -> None:
        self.trace.keep_passage(passage)

    async def side_by_side(self, work: Sequence[Callable[[], Coroutine[Any, Any, T]]], *, in_turn: bool = False) -> list[T]:
        if in_turn or any(limit in self.budget.limits() for limit in _COUNTED):
            return [await one() for one in work]
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(one()) for one in work]
        except ExceptionGroup as errors:
            raise error_that_counts([errors]) from None
        return [task.result() for task in tasks]

    def fill(self, prompt: Prompt, **values: str) -> str:
        self.trace.prompts[prompt.name] = prompt.fingerprint
        return prompt.fill(**values)

    def written_once(self, key: Hashable, write: Callable[[], T]) -> T:
        known = self.components.written.get(key)
        if known is None:
            noted, self.trace.prompts = self.trace.prompts, {}
            try:
                known = self.components.written.keep(key, (write(), self.trace.prompts))
            finally:
                self.trace.prompts = noted
        text, prompts = known
        self.trace.prompts |= prompts
        return cast("T", text)

    def decide(self, label: str, text: str, *, after: Sequence[int] = (), **data: Any) -> int:
        if self.again is not None and isinstance(data.get("origin"), str):
            said = data.get("answer", text.rpartition(" -> ")[2])
            data["origin"] = self.again.origin_of(data["origin"], str(said))
        return self.trace.decide(label, text, data, after)

    def under(self, step_id: int) -> AbstractContextManager[None]:
        return self.trace.under(step_id)

    @contextmanager
    def offline(self, text: str) -> Iterator[Workbench]:
        account = self._new_account()
        with self.under(self.decide(OFFLINE, text)):
            try:
                offline = copy(self)
                offline._calls = ModelCalls(self.components, account, is_offline=True)
                yield offline
            finally:
                seconds = account.seconds_since_opened()
                self._account.seconds_aside += seconds
                self.trace.set_aside(seconds)

    def parse_failed(self, parser: str, reason: str | Sequence[str], text: str) -> None:
        for one in [reason] if isinstance(reason, str) else reason:
            self.trace.parse_failed(parser, one, text)

    async def reply(
        self, messages: Sequence[Message], *, purpose: str, sampling: Sampling | None = None, sample: int = 0
    ) -> Reply:
        return await self._reply(messages, sampling or self.sampling, purpose, sample)

    async def samples(
        self, messages: Sequence[Message], num: int, *, purpose: str, sampling: Sampling | None = None
    ) -> Samples:
        sampling = sampling or self.sampling
        if self.abilities.samples and isinstance(self.components.llm, ManyReplies) and num > 1:
            return Samples(await self._at_once(self.components.llm, messages, num, purpose, sampling))
        drawn = [
            self._reply(
                messages,
                sampling if sampling.seed is None else replace(sampling, seed=sampling.seed + number),
                purpose,
                number,
                drawn_concurrently=number > 0,
            )
            for number in range(num)
        ]
        # If tokens are limited, the number of calls that fit must not depend on timing, so they run one at a time.
        are_in_turn = self.budget.max_tokens is not None
        outcomes = [await _outcome_of(one) for one in drawn] if are_in_turn else await asyncio.gather(*map(_outcome_of, drawn))
        replies = tuple(outcome for outcome in outcomes if isinstance(outcome, Reply))
        failed = [outcome for outcome in outcomes if isinstance(outcome, RunError)]
        worst = error_that_counts(failed) if failed else None
        if worst is not None and not (replies and isinstance(worst, BudgetReached)):
            raise worst
        return Samples(replies, worst if isinstance(worst, BudgetReached) else None)

    async def score_text(self, prompt: str, text: str, *, purpose: str) -> Reply:
        llm = self.components.llm
        if not isinstance(llm, TextScorer):
            raise ModelError(f"{llm.identity} does not score given text; choose another model")

        async def score(_: OnText | None) -> Reply:
            reply = checked_reply(await llm.score_text(prompt, text))
            if not reply.logprobs:
                raise ModelError("the model sent no log-probabilities of the text that it was to score")
            return reply

        messages = [Message("user", prompt), Message("assistant", text)]
        return await self._reply(messages, _SCORING, purpose, 0, ask=score)

    async def count_tokens(self, text: str) -> int:
        llm = self.components.llm
        if not is_part(llm, TokenCounter):
            return math.ceil(len(text) / CHARACTERS_PER_TOKEN)
        outcome = await self._calls.counted(self._calls.key([Message("user", text)], _COUNTING, 0), llm, text)
        if isinstance(outcome, RunError):
            raise outcome
        return outcome.usage.prompt_tokens

    async def search(self, queries: Sequence[str], max_hits: int) -> list[list[Hit]]:
        if not queries:
            return []
        retriever = None if self._is_underneath else self.components.retriever
        rewriter, engine = retriever if is_part(retriever, ModelRetriever) else None, self.components.engine
        if rewriter is None:  # otherwise the queries that it sends to the engine are counted
            self._account.afford("max_searches", self._account.searches + len(queries))
            await self._calls.afford_time()
            self._account.searches += len(queries)
        as_made = self.again.searching(queries, max_hits) if self.again is not None else Searching(tuple(queries))
        queries = as_made.queries
        step_id, parent, started = self.trace.begin("search", "; ".join(queries)), self.trace.parent, self.trace.seconds()

        def end(hits: Sequence[Sequence[Hit]], error: Failure | None) -> None:
            found = tuple(self.trace.keep_hits(of_one) for of_one in hits)
            timing = Timing(started, self.trace.seconds() - started)
            changed = as_made.was, tuple(sorted(as_made.forbidden)), as_made.ids_of(hits)
            self.trace.end(
                Search(step_id, parent, tuple(queries), max_hits, found, error, timing, rewriter is not None, *changed)
            )

        try:
            if rewriter is None:
                async with self._account.deadline():
                    with boundary(SearchError, engine):
                        search = self.components.search_once if self._calls.is_offline else self.components.search
                        depth = as_made.depth(max_hits)
                        hits = as_made.shown(checked_hits(await search(queries, depth), depth, engine), max_hits)
            else:
                with boundary(SearchError, rewriter):
                    found = await self._rewritten(rewriter, step_id, queries, max_hits)
                    hits = as_made.shown(checked_hits(found, max_hits, rewriter), max_hits)
        except RunError as error:
            end((), Failure.of(error))
            raise
        end(hits, None)
        with self.under(step_id):
            self._note_what_has_no_terms(queries, hits)
            self._note_drift(as_made, hits)
        return hits

    def _note_drift(self, as_made: Searching, hits: Sequence[Sequence[Hit]]) -> None:
        """Notes which queries have other hits than in the earlier record, although nothing has been changed yet."""
        for query, before, now in zip(as_made.queries, as_made.found_before or (), hits, strict=False):
            if before != tuple(hit.passage.id for hit in now):
                shown = " ".join(query.split())[:_SHOWN_OF_A_QUERY]
                self.decide(DRIFT, f"other passages are found than in the earlier record for: {shown}")

    def note_missed_changes(self) -> None:
        """Notes which changes were not applied, since the work did not reach their step."""
        for change, line in self.again.missed() if self.again is not None else ():
            self.decide(DRIFT, line, step=change.step, change=change.change)

    def _note_what_has_no_terms(self, queries: Sequence[str], hits: Sequence[Sequence[Hit]]) -> None:
        """Notes which queries found nothing because they contain only stop words or punctuation."""
        retriever = self.components.retriever if not self._is_underneath else self.components.engine
        if is_part(retriever, WordSearcher):
            for query in (query for query, of_one in zip(queries, hits, strict=True) if not of_one):
                if not retriever.has_terms(query):
                    shown = " ".join(query.split())[:_SHOWN_OF_A_QUERY]
                    self.decide("no_terms", f"nothing to search for, only stop words or punctuation: {shown}")

    async def overview(self) -> Overview | None:
        """How much the corpus holds; `None` if its engine cannot tell. It is no search: it costs only time, and adds no step.

        Raises:
            SearchError: if the engine fails.
            BudgetReached: if the question ran out of time.
        """
        async with self._account.deadline():
            with boundary(SearchError, self.components.engine):
                return await self.components.overview()

    async def read(self, query: str, passage: Passage, *, answer: str = "") -> Reading:
        if not is_part(self.components.reader, ModelReader):  # its call checks the time itself, and the store notes it
            await self._calls.afford_time()
        step_id, parent, started = self.trace.begin("read", query), self.trace.parent, self.trace.seconds()
        self.trace.keep_passage(passage)

        def end(reading: Reading | None, error: Failure | None) -> None:
            timing = Timing(started, self.trace.seconds() - started)
            self.trace.end(Read(step_id, parent, query, passage.id, reading, error, timing))

        try:
            with boundary(ReadError, self.components.reader):
                reading = checked_reading(await self._reading(step_id, query, passage, answer), passage)
        except RunError as error:
            end(None, Failure.of(error))
            raise
        end(reading, None)
        return reading

    async def duplicate_of(self, query: str, seen: Sequence[str]) -> int | None:
        with boundary(RunError, self.components.duplicate_detector):
            index = await self.components.duplicate_of(query, seen)
            if index is not None and not 0 <= index < len(seen):
                raise RunError(f"the duplicate detector named query {index} of {len(seen)}")
        return index

    async def _rewritten(
        self, rewriter: ModelRetriever, step_id: int, queries: Sequence[str], max_hits: int
    ) -> list[list[Hit]]:
        """The hits for each query of a retriever that asks the model."""
        underneath = self.underneath

        async def search(query: str, query_step: int) -> list[Hit]:
            with self.under(query_step):
                return await rewriter.search_with(underneath, query, max_hits)

        with self.under(step_id):
            steps = [self.decide("query", query) for query in queries]
        return await self.side_by_side([partial(search, *one) for one in zip(queries, steps, strict=True)])

    async def _reading(self, step_id: int, query: str, passage: Passage, answer: str) -> Reading:
        reader = self.components.reader
        if not is_part(reader, ModelReader):
            async with self._account.deadline():
                return await self.components.read(query, passage)

        async def ask(messages: Sequence[Message], sampling: Sampling) -> Reply:
            return await self.reply(messages, purpose=READER, sampling=sampling)

        with self.under(step_id):
            if is_part(reader, ExcerptReader):
                return await reader.check_with(ask, query, passage, answer, is_small=self.abilities.is_small)
            return await reader.read_with(ask, query, passage)

    async def _reply(
        self,
        messages: Sequence[Message],
        sampling: Sampling,
        purpose: str,
        sample: int,
        *,
        drawn_concurrently: bool = False,
        ask: Callable[[OnText | None], Awaitable[Reply]] | None = None,
    ) -> Reply:
        self._account.afford_call()
        key = self._calls.key(messages, sampling, sample)
        await self._calls.afford_time(key)
        self._account.llm_calls += 1
        step_id, parent, started = self.trace.begin("model_call", purpose), self.trace.parent, self.trace.seconds()
        kept = self.trace.keep_messages(messages)
        asking = ask or partial(self._calls.asked, messages, sampling)
        given = self.again.given(messages, sampling, sample) if self.again is not None else None
        outcome, timing = await self._calls.outcome(key, asking, started, self._on_text(step_id), given)
        lost, was = _lost(messages, outcome), given.was if given is not None else None
        self.trace.end(
            call_step(
                step_id,
                parent,
                purpose,
                kept,
                sampling,
                sample,
                outcome,
                timing,
                lost=lost,
                drawn_concurrently=drawn_concurrently,
                was=was,
            )
        )
        if isinstance(outcome, RunError):
            raise outcome
        self._account.tokens += outcome.usage.prompt_tokens + outcome.usage.completion_tokens
        return outcome

    async def _at_once(
        self, llm: ManyReplies, messages: Sequence[Message], num: int, purpose: str, sampling: Sampling
    ) -> tuple[Reply, ...]:
        """Draws samples by one request; those in the store are not drawn again."""
        self._account.afford_call()
        keys = [self._calls.key(messages, sampling, number) for number in range(num)]
        await self._calls.afford_time(keys[0])
        self._account.llm_calls += 1
        steps = [self.trace.begin("model_call", purpose) for _ in range(num)]
        parent, kept, started = self.trace.parent, self.trace.keep_messages(messages), self.trace.seconds()
        again = self.again
        given = [again.given(messages, sampling, number) if again is not None else None for number in range(num)]
        outcomes = await self._calls.drawn(llm, messages, sampling, keys, started, given)
        is_first = _first_of_requests([outcome for outcome, _ in outcomes])
        self._account.llm_calls += sum(is_first[1:])
        for number, (step_id, (outcome, timing)) in enumerate(zip(steps, outcomes, strict=True)):
            is_shared = not is_first[number]
            lost = None if is_shared else _lost(messages, outcome)
            self.trace.end(
                call_step(
                    step_id,
                    parent,
                    purpose,
                    kept,
                    sampling,
                    number,
                    outcome,
                    timing,
                    lost=lost,
                    is_shared=is_shared,
                    drawn_concurrently=number > 0,
                    was=one.was if (one := given[number]) is not None else None,
                )
            )
        if failed := [outcome for outcome, _ in outcomes if isinstance(outcome, RunError)]:
            raise error_that_counts(failed)
        replies = tuple(outcome for outcome, _ in outcomes if isinstance(outcome, Reply))
        self._account.tokens += sum(reply.usage.prompt_tokens + reply.usage.completion_tokens for reply in replies)
        return replies

    def _on_text(self, step_id: int) -> Callable[[str], None] | None:
        if not self.trace.is_observed:
            return None
        return lambda piece: self.trace.piece(step_id, piece)


async def _outcome_of(call: Awaitable[Reply]) -> Reply | RunError:
    try:
        return await call
    except RunError as error:
        return error


def _lost(messages: Sequence[Message], outcome: Reply | RunError) -> Usage | None:
    """The tokens that a call had sent when it failed; `None` if it did not fail, or nothing was sent."""
    is_lost = isinstance(outcome, RunError) and not isinstance(outcome, ReplayMiss)
    return usage_of_prompt(messages) if is_lost else None


def _first_of_requests(outcomes: Sequence[Reply | RunError]) -> list[bool]:
    """Whether each of several samples is the first of a request. Stored and newly drawn samples come from separate requests.

    The first reply of a request has its usage, in the store as well, so a replay gives the same result.
    """
    failed = next((number for number, outcome in enumerate(outcomes) if isinstance(outcome, RunError)), None)
    return [
        number in (0, failed) or (isinstance(outcome, Reply) and outcome.usage.prompt_tokens > 0)
        for number, outcome in enumerate(outcomes)
    ]
