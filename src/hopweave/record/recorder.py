"""The trace of a question while it is being answered; it is turned into a record."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from pydantic_core import PydanticSerializationError

from hopweave.citations.marking import verdict_of
from hopweave.core.errors import MethodError
from hopweave.core.json_text import mapping_adapter, one_line_of_json
from hopweave.core.types import Answer, Hit, Message, Passage, Question, Reading
from hopweave.record.changes import Branch
from hopweave.record.failures import Failure
from hopweave.record.record import SCHEMA, Record, Setup
from hopweave.record.steps import (
    AnyStep,
    Decision,
    Event,
    Found,
    ModelCall,
    Observer,
    ParseFailure,
    Read,
    Search,
    Started,
    TextPiece,
    check_in,
    passage_ids_of,
)

_LOG = logging.getLogger(__name__)


class Trace:
    """Collects the steps of one question and notifies observers of each as it happens.

    Steps are numbered as they start. If branches ran in parallel, that order depends on timing, so `finish` renumbers steps,
    messages and passages along the tree of parents, which does not: see `under`. Steps that started but never ended (cancelled
    calls) are dropped, and what was recorded under them moves to the step above.

    An observer only watches: one that raises is not called again, which is logged, and the question continues.
    """

    def __init__(self, observers: Sequence[Observer] = ()) -> None:
        self._observers = list(observers)
        self._steps: dict[int, AnyStep] = {}
        self._parents: dict[int, int | None] = {}
        self._num_begun = 0
        self._messages: dict[Message, int] = {}
        self._passages: dict[str, Passage] = {}
        self._parent: ContextVar[int | None] = ContextVar("parent", default=None)
        self._start = time.perf_counter()
        self._seconds_aside = 0.0
        self.prompts: dict[str, str] = {}

    def seconds(self) -> float:
        """Seconds since the question was started."""
        return time.perf_counter() - self._start

    def set_aside(self, seconds: float) -> None:
        """Subtracts elapsed seconds from the question's duration, because they belong to an offline stage."""
        self._seconds_aside += seconds

    @property
    def is_observed(self) -> bool:
        """Whether there are any observers."""
        return bool(self._observers)

    @property
    def parent(self) -> int | None:
        """The step under which new steps are recorded, in the current task."""
        return self._parent.get()

    @contextmanager
    def under(self, parent: int) -> Iterator[None]:
        """Records what starts inside the block under a step. Tasks started inside inherit it.

        Each parallel branch needs its own step as a parent, decided before the branch first waits: this makes the record the
        same whichever branch finishes first.
        """
        token = self._parent.set(parent)
        try:
            yield
        finally:
            self._parent.reset(token)

    def begin(self, kind: str, label: str) -> int:
        """Numbers a step that starts now."""
        step_id = self._take_id()
        self._tell(Started(step_id, self.parent, kind, label))
        return step_id

    def piece(self, step_id: int, text: str) -> None:
        """Passes a piece of a reply to the observers."""
        self._tell(TextPiece(step_id, text))

    def end(self, step: ModelCall | Search | Read) -> None:
        """Records a step that has ended."""
        self._steps[step.id] = step
        self._tell(step)

    def decide(self, label: str, text: str, data: Mapping[str, Any], after: Sequence[int] = ()) -> int:
        """Records a decision and returns its id.

        Args:
            label: the kind of decision.
            text: one line for humans.
            data: the details, stored as JSON: NaN and infinity become null.
            after: the decisions that this one depended on.

        Raises:
            MethodError: if the data cannot be represented as JSON.
        """
        try:
            plain = _as_json(data)
        except PydanticSerializationError as error:
            raise MethodError(f"the data of the decision {label!r} cannot be kept as JSON: {error}") from None
        step = Decision(self._take_id(), self.parent, label, text, plain, tuple(after))
        self._steps[step.id] = step
        self._tell(step)
        return step.id

    def parse_failed(self, parser: str, reason: str, text: str) -> None:
        """Records model output that could not be parsed."""
        step = ParseFailure(self._take_id(), self.parent, parser, reason, text)
        self._steps[step.id] = step
        self._tell(step)

    def keep_messages(self, messages: Sequence[Message]) -> tuple[int, ...]:
        """Positions of the messages in the record, which contains each distinct one once."""
        return tuple(self._messages.setdefault(message, len(self._messages)) for message in messages)

    def keep_hits(self, hits: Sequence[Hit]) -> tuple[Found, ...]:
        """References to hits by id; their passages are added to the record once."""
        for hit in hits:
            self._passages.setdefault(hit.passage.id, hit.passage)
        return tuple(Found(hit.passage.id, float(hit.score), hit.via) for hit in hits)

    def keep_passage(self, passage: Passage) -> None:
        """Adds a passage to the record."""
        self._passages.setdefault(passage.id, passage)

    def passage(self, passage_id: str) -> Passage | None:
        """The passage with that id, if it was found or read."""
        return self._passages.get(passage_id)

    def readings_of(self, query: str) -> dict[str, Reading]:
        """What the reader has extracted for a query so far, by passage id; for repeated readings, the most confident one."""
        found: dict[str, Reading] = {}
        for step in self._steps.values():
            if isinstance(step, Read) and step.query == query and step.reading is not None:
                other = found.get(step.passage_id)
                if other is None or step.reading.confidence > other.confidence:
                    found[step.passage_id] = step.reading
        return found

    def finish(
        self,
        question: Question,
        setup: Setup,
        started_at: str,
        answer: Answer | None,
        error: Failure | None,
        branch: Branch | None = None,
    ) -> Record:
        """The record of the question; the verdict of its answer is computed here, whatever the method reports."""
        steps = _along_the_tree(self._steps, self._parents)
        steps, messages = _with_messages_in_order(steps, tuple(self._messages))
        if answer is not None:
            agreed = (check_in(steps) or {}).get("agrees_at_once") if answer.short else None
            answer = replace(answer, verdict=replace(verdict_of(answer), agreed=agreed))
        in_steps = dict.fromkeys(passage_id for step in steps for passage_id in passage_ids_of(step))
        passage_ids = (*in_steps, *sorted(self._passages.keys() - in_steps.keys()))
        return Record(
            schema=SCHEMA,
            question=question,
            answer=answer,
            error=error,
            setup=replace(setup, prompts=dict(sorted(self.prompts.items()))),
            messages=messages,
            passages=tuple(self._passages[passage_id] for passage_id in passage_ids),
            steps=steps,
            started_at=started_at,
            seconds=self.seconds() - self._seconds_aside,
            branch=branch,
        )

    def _take_id(self) -> int:
        step_id = self._num_begun
        self._num_begun += 1
        self._parents[step_id] = self.parent
        return step_id

    def _tell(self, event: Event) -> None:
        for observer in tuple(self._observers):
            try:
                observer(event)
            except Exception:  # noqa: BLE001 - a faulty observer must not affect what it observes
                self._observers.remove(observer)
                _LOG.warning("an observer failed and is not called again", exc_info=True)


def _with_messages_in_order(
    steps: tuple[AnyStep, ...], messages: tuple[Message, ...]
) -> tuple[tuple[AnyStep, ...], tuple[Message, ...]]:
    """Numbers the messages in the order in which the steps refer to them; messages of calls that never ended are dropped."""
    places: dict[int, int] = {}

    def renumbered(step: AnyStep) -> AnyStep:
        if not isinstance(step, ModelCall):
            return step
        in_order = tuple(places.setdefault(index, len(places)) for index in step.messages)
        return step if in_order == step.messages else replace(step, messages=in_order)

    in_order = tuple(map(renumbered, steps))
    return in_order, tuple(messages[index] for index in places)


def _as_json(data: Mapping[str, Any]) -> dict[str, Any]:
    """Some values as they come back from JSON."""
    if all(type(key) is str and key.isascii() and _is_plain(value) for key, value in data.items()):  # as almost always
        return {key: list(value) if type(value) is list else value for key, value in data.items()}
    return mapping_adapter().validate_json(one_line_of_json(mapping_adapter(), dict(data)))


def _is_plain(value: Any) -> bool:
    """Whether a value comes back from JSON as it is."""
    if type(value) is list:
        return all(type(item) is str and item.isascii() for item in value)
    return value is None or type(value) in (bool, int) or (type(value) is str and value.isascii())


def _along_the_tree(steps: Mapping[int, AnyStep], parents: Mapping[int, int | None]) -> tuple[AnyStep, ...]:
    above: dict[int, int | None] = {}
    children: dict[int | None, list[int]] = {}
    for step_id in sorted(steps):
        parent = steps[step_id].parent
        while parent is not None and parent not in steps:
            parent = parents.get(parent)
        above[step_id] = parent
        children.setdefault(parent, []).append(step_id)
    order: list[int] = []
    waiting = list(reversed(children.get(None, [])))
    while waiting:
        step_id = waiting.pop()
        order.append(step_id)
        waiting.extend(reversed(children.get(step_id, [])))
    new_id = {old: new for new, old in enumerate(order)}
    renumbered = []
    for old in order:
        step, above_it = steps[old], above[old]
        parent = None if above_it is None else new_id[above_it]
        if (step.id, step.parent) != (new_id[old], parent):
            step = replace(step, id=new_id[old], parent=parent)
        if isinstance(step, Decision) and step.after:
            step = replace(step, after=tuple(new_id[other] for other in step.after if other in new_id))
        renumbered.append(step)
    return tuple(renumbered)
