"""Answers kept for each caller, and the entries of a list of them.

They are stored in a folder or a database, see `hopweave.run.store.answer_store`. Ids begin with the time, so they sort
in the order of the answers.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from statistics import median
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from hopweave.apps.server.asking import Asked
from hopweave.core.characters import whole
from hopweave.record import ModelCall, Record
from hopweave.run.conversation import asked_of
from hopweave.run.store.answer_store import ANSWER_ID, AnswerStore
from hopweave.show.legend import banner_of

_MILLISECONDS_PER_DAY = 86_400_000
_NUM_LOOKED_AT = 100
_NUM_TIMED = 20


class Entry(BaseModel):
    """An answer in a list.

    Attributes:
        id: of the answer.
        started_at: an ISO 8601 time in UTC.
        question: as the method saw it; `asked` is how it was asked, if that differs.
        method, corpus: their names.
        access: the labels with which it was asked.
        options: given with the question.
        filter: the requested values of metadata.
        short: the bare answer; empty if there is none.
        support: of the answer; `None` if the question failed.
        standing: the support, or `uncertain` for an answer that is supported and gets no tick; `None` for one that claims
            nothing, such as `unknown`, or if the question failed.
        confidence: the probability that the answer is right, 0 to 1; `None` if it was not estimated.
        error: the kind of error of a question that failed.
        seconds: how long it took.
        is_replayed: whether stored replies answered most of its calls, so that it took less time than others will.
        of: the answer of which this one is a changed run.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    started_at: str
    question: str
    asked: str | None = None
    method: str
    corpus: str
    access: tuple[str, ...] = ()
    options: dict[str, Any] = Field(default_factory=dict)
    filter: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    short: str = ""
    support: str | None = None
    standing: str | None = None
    confidence: float | None = None
    error: str | None = None
    seconds: float = 0.0
    is_replayed: bool = False
    of: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _with_standing(cls, stored: Any) -> Any:
        """Entries that were kept before answers had a standing stand as they are supported."""
        return {"standing": stored.get("support"), **stored} if isinstance(stored, dict) else stored

    @classmethod
    def from_record(cls, answer_id: str, record: Record, asked: Asked, of: str | None = None) -> Entry:
        """The entry of a record."""
        was = asked_of(record)[0].text
        verdict = record.answer.verdict if record.answer is not None else None
        return cls(
            id=answer_id,
            started_at=record.started_at,
            question=whole(record.question.text),
            asked=whole(was) if was != record.question.text else None,
            method=asked.method_name,
            corpus=asked.corpus,
            access=asked.access,
            options=dict(asked.given),
            filter=dict(asked.where),
            short=whole(record.answer.short) if record.answer is not None else "",
            support=verdict.support if verdict is not None else None,
            standing=banner_of(record.answer).standing if record.answer is not None else None,
            confidence=verdict.confidence if verdict is not None else None,
            error=record.error.kind if record.error is not None else None,
            seconds=record.seconds,
            is_replayed=_is_replayed(record),
            of=of,
        )


def _is_replayed(record: Record) -> bool:
    calls = [step.timing.from_store for step in record.own_steps if isinstance(step, ModelCall)]
    return sum(calls) > len(calls) / 2


def new_id() -> str:
    """An unguessable id, which sorts after those of earlier answers."""
    return f"{_now():012x}-{secrets.token_hex(8)}"


def _now() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class KeptAnswers:
    """The kept answers of all callers.

    Args:
        answers: where they are kept.
        days: how long each is kept; `None`: forever. After that it is hidden, and `sweep` deletes it.
    """

    def __init__(self, answers: AnswerStore, days: float | None = None) -> None:
        self._answers = answers
        self._days = days

    def check(self) -> None:
        """Makes sure that answers can be kept, so that an unwritable place is found before the first question.

        Raises:
            DataError: if not.
        """
        self._answers.check()

    def close(self) -> None:
        """Closes what is open."""
        self._answers.close()

    def keep(self, caller: str, entry: Entry, record_line: str) -> None:
        """Keeps an answer, whose record is a line of JSON.

        Raises:
            DataError: if it cannot be written.
        """
        self._answers.keep(caller, entry.id, entry.model_dump_json(), record_line)

    def entry(self, caller: str, answer_id: str) -> Entry | None:
        """The entry of a caller's answer; `None` if there is none of that id."""
        text = self._answers.entry(caller, answer_id) if self._may_be_kept(answer_id) else None
        return _entry(text) if text is not None else None

    def record_line(self, caller: str, answer_id: str) -> str | None:
        """The record of a caller's answer, as its line of JSON; `None` if there is none of that id.

        Raises:
            DataError: if it cannot be read.
        """
        return self._answers.record(caller, answer_id) if self._may_be_kept(answer_id) else None

    def delete(self, caller: str, answer_id: str) -> bool:
        """Deletes a caller's answer for good; returns whether there was one with that id.

        Raises:
            DataError: if it cannot be deleted.
        """
        return self._may_be_kept(answer_id) and self._answers.delete(caller, answer_id)

    def sweep(self) -> int:
        """Deletes expired answers; returns how many there were.

        Raises:
            DataError: if they cannot be deleted.
        """
        return self._answers.expire(self._oldest()) if self._days is not None else 0

    def page(self, caller: str, *, before: str | None, limit: int) -> tuple[Sequence[Entry], str | None]:
        """Entries, newest first, and where the next page begins; `None` after the last one.

        Args:
            caller: whose answers.
            before: only answers older than the one with this id; none for an invalid id.
            limit: how many, at most.
        """
        if before is not None and not ANSWER_ID.fullmatch(before):
            return (), None
        page = self._answers.page(caller, before=before, limit=limit)
        found = (_entry(text) for answer_id, text in page.entries if self._may_be_kept(answer_id))
        following = page.following if page.following is not None and page.following >= self._oldest() else None
        return [entry for entry in found if entry is not None], following

    def usual_seconds(self, caller: str, method: str) -> tuple[float, int] | None:
        """The median time of a caller's latest answers by a method, and their number, up to `_NUM_TIMED`; `None` without any.

        Failed questions do not count, nor do answers that stored replies gave.
        """
        entries, _ = self.page(caller, before=None, limit=_NUM_LOOKED_AT)
        timed = [one.seconds for one in entries if one.method == method and one.error is None and not one.is_replayed]
        return (median(timed[:_NUM_TIMED]), len(timed[:_NUM_TIMED])) if timed else None

    def _may_be_kept(self, answer_id: str) -> bool:
        return ANSWER_ID.fullmatch(answer_id) is not None and answer_id >= self._oldest()

    def _oldest(self) -> str:
        """The lowest id that an answer can have without being expired."""
        return "" if self._days is None else f"{max(0, _now() - round(self._days * _MILLISECONDS_PER_DAY)):012x}"


def _entry(text: str) -> Entry | None:
    try:
        return Entry.model_validate_json(text)
    except ValidationError:
        return None


def answer_json(answer_id: str, record_line: str) -> str:
    """An answer as clients get it: its id, and its record as it is kept."""
    return f'{{"id":"{answer_id}","record":{record_line}}}'
