"""Answers that are kept: a folder for each caller, in it two files for each answer.

`ID.jsonl` is the record, as `hopweave ask --out` writes it, so that every command that reads records reads it. `ID.json` is
what a list of answers shows. Ids begin with the time, so their order is that of the answers. Files are written whole or not at
all, the record last: an answer is kept once its record is there.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hopweave.conversation import asked_of
from hopweave.errors import DataError
from hopweave.files import write_whole
from hopweave.server.asking import Asked
from hopweave.trace import Record, whole

_ID = re.compile(r"[0-9a-f]{12}-[0-9a-f]{16}")


class Entry(BaseModel):
    """An answer in a list.

    Attributes:
        id: of the answer.
        started_at: an ISO 8601 time in UTC.
        question: as the method saw it; `asked` is how it was asked, where that differs.
        method, corpus: their names.
        access: the labels with which it was asked.
        options: that were given with the question.
        filter: the values of metadata that were asked for.
        short: the bare answer; empty if there is none.
        support: how the answer stands; `None` where the question failed.
        error: the kind of error of a question that failed.
        seconds: that it took.
        of: the answer that this one is a changed run of.
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
    error: str | None = None
    seconds: float = 0.0
    of: str | None = None

    @classmethod
    def from_record(cls, answer_id: str, record: Record, asked: Asked, of: str | None = None) -> Entry:
        """The entry of a record."""
        was = asked_of(record)[0].text
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
            support=record.answer.verdict.support if record.answer is not None else None,
            error=record.error.kind if record.error is not None else None,
            seconds=record.seconds,
            of=of,
        )


def new_id() -> str:
    """An id that nobody can guess, and that comes after those of earlier answers."""
    return f"{time.time_ns() // 1_000_000:012x}-{secrets.token_hex(8)}"


class KeptAnswers:
    """The kept answers of all callers.

    Args:
        folder: made when it is needed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def check(self) -> None:
        """Makes the folder, so that one that cannot be written to is found before the first question.

        Raises:
            DataError: if it cannot be made.
        """
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_whole(self._folder / ".writable", "")
            (self._folder / ".writable").unlink(missing_ok=True)
        except OSError as error:
            raise DataError(
                f"cannot keep answers in {self._folder}: {error.strerror}; name another folder with --answers"
            ) from None

    def keep(self, caller: str, entry: Entry, record: Record) -> None:
        """Keeps an answer.

        Raises:
            DataError: if it cannot be written.
        """
        folder = self._folder / caller
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(folder / f"{entry.id}.json", entry.model_dump_json(), is_private=True)
            write_whole(folder / f"{entry.id}.jsonl", record.to_json() + "\n", is_private=True)
        except OSError as error:
            raise DataError(f"cannot keep answers in {folder}: {error.strerror}; free some space, or name another") from None

    def entry(self, caller: str, answer_id: str) -> Entry | None:
        """The entry of a caller's answer; `None` if there is none of that id."""
        if not _ID.fullmatch(answer_id) or not (self._folder / caller / f"{answer_id}.jsonl").is_file():
            return None
        try:
            return Entry.model_validate_json((self._folder / caller / f"{answer_id}.json").read_bytes())
        except (OSError, ValidationError):
            return None

    def record_line(self, caller: str, answer_id: str) -> str:
        """The record of an answer that has an entry, as its line of JSON.

        Raises:
            DataError: if it cannot be read.
        """
        path = self._folder / caller / f"{answer_id}.jsonl"
        try:
            return path.read_text(encoding="utf-8").rstrip("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise DataError(f"the kept answer {path} cannot be read: {error}; delete it") from None

    def page(self, caller: str, *, before: str | None, limit: int) -> tuple[Sequence[Entry], str | None]:
        """Entries, newest first, and where the next page begins; `None` after the last one.

        Args:
            caller: whose answers.
            before: only those that come before this id in time.
            limit: at most so many.
        """
        folder = self._folder / caller
        ids = sorted((path.stem for path in folder.glob("*.jsonl") if _ID.fullmatch(path.stem)), reverse=True)
        found = [one for one in ids if before is None or one < before]
        entries = [entry for one in found[:limit] if (entry := self.entry(caller, one)) is not None]
        return entries, found[limit - 1] if len(found) > limit else None


def answer_json(answer_id: str, record_line: str) -> str:
    """An answer as clients get it: its id, and its record as it is kept."""
    return f'{{"id":"{answer_id}","record":{record_line}}}'
