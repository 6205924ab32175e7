"""What clients are told of a question: all that happened, without what only the operator of the server is to know.

That is why a call failed, as the message of an error may contain addresses, paths and what another server said; the addresses
of models and databases; and, for holders of keys, which replies came from the store, since those of others are in it, too. The
kept record and the log have all of it, and an operator who is the only user is told all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from hopweave.apps.server.callers import Caller
from hopweave.apps.server.kept import Entry
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.record import (
    AnyStep,
    Decision,
    Event,
    Failure,
    ModelCall,
    Observer,
    Read,
    Record,
    Search,
    Setup,
    Started,
    TextPiece,
    what_failed,
)

_WHAT_TO_DO = "if it goes on, tell the operator of the server, whose log says why"
_HARMLESS = frozenset({"BudgetReached", "ParseError", "ReplayMiss"})
"""Errors whose messages name only limits of the question and what the model wrote, which clients see anyway."""
# In the identity of a model, what follows the colon behind an address is the name of the model.
_ADDRESS = lazy_pattern(
    r"\b[a-zA-Z][a-zA-Z0-9+.-]{0,19}+://(?:\[[^\]\s]*+\]|[^\s/:]*+)(?::\d++(?![^\s/:]))?(?:/[^\s:]*+)?(?::(?!\s))?"
)


class Telling:
    """Tells one client about one question.

    Args:
        caller: the client.
    """

    def __init__(self, caller: Caller) -> None:
        self._is_operator = caller.is_operator
        self._hides_store = caller.limits is not None
        self._withheld: dict[str, str] = {}
        """Messages of errors, with what is told in their place: decisions may repeat them."""

    def to(self, observer: Observer) -> Observer:
        """An observer that passes on what the client is told."""
        return lambda event: observer(self.event(event))

    def event(self, event: Event) -> Event:
        """An event as the client is told of it. The events of a question must come in their order."""
        return event if self._is_operator or isinstance(event, Started | TextPiece) else self._step(event)

    def _step(self, step: AnyStep) -> AnyStep:
        match step:
            case ModelCall() | Search() | Read():
                error, timing = self._failure(step.error), step.timing
                if self._hides_store:
                    timing = replace(timing, from_store=False, is_merged=False)
                return replace(step, error=error, timing=timing)
            case Decision() if self._withheld:
                data = _changed(step.data, self._without_messages)
                return replace(step, text=self._without_messages(step.text), data=data)
        return step

    def record(self, record: Record) -> Record:
        """A record as the client is told of it; the same object if that is all of it."""
        if self._is_operator:
            return record
        steps = tuple(map(self._step, record.steps))
        told = replace(record, steps=steps, error=self._failure(record.error), setup=_without_addresses_in(record.setup))
        return told if told != record else record

    def entry(self, entry: Entry) -> Entry:
        """The entry of an answer as the client is told of it."""
        return entry.model_copy(update={"is_replayed": False}) if self._hides_store else entry

    def _failure(self, failure: Failure | None) -> Failure | None:
        if failure is None or failure.kind in _HARMLESS:
            return failure
        told = replace(failure, message=_WHAT_TO_DO)
        if told.in_words == _WHAT_TO_DO:  # then nothing else says what failed
            told = replace(told, message=f"{what_failed(failure.kind)}; {_WHAT_TO_DO}")
        if failure.message:
            self._withheld[failure.message] = told.message
        return told

    def _without_messages(self, text: str) -> str:
        for message, told in self._withheld.items():
            text = text.replace(message, told)
        return text


def told_line(caller: Caller, record_line: str) -> str:
    """A kept record, as its line of JSON, as a client is told of it.

    Raises:
        DataError: if it cannot be read.
    """
    record = Record.from_json(record_line)
    told = Telling(caller).record(record)
    return record_line if told is record else told.to_json()


def withheld_failures(record: Record) -> Iterator[Failure]:
    """The failures of calls and of the question whose messages clients do not get, each once."""
    calls = (step.error for step in record.steps if isinstance(step, ModelCall | Search | Read))
    for failure in dict.fromkeys((*calls, record.error)):
        if failure is not None and failure.kind not in _HARMLESS:
            yield failure


def without_addresses(text: str) -> str:
    """A text without the addresses in it.

    >>> without_addresses("chat:http://10.0.0.5:8000/v1/private:m1:7b+thinking=low")
    'chat:m1:7b+thinking=low'
    """
    return _ADDRESS.sub("", text)


def _without_addresses_in(setup: Setup) -> Setup:
    own = {"where": setup.settings["where"]} if "where" in setup.settings else {}  # the client's own words
    return replace(
        setup,
        llm=without_addresses(setup.llm),
        retriever=without_addresses(setup.retriever),
        reader=without_addresses(setup.reader),
        options=_changed(setup.options, without_addresses),
        settings={**_changed(setup.settings, without_addresses), **own},
    )


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    """A value as of JSON, with each text in it changed."""
    match value:
        case str():
            return change(value)
        case Mapping():
            return {key: _changed(item, change) for key, item in value.items()}
        case list() | tuple():
            return type(value)(_changed(item, change) for item in value)
    return value
