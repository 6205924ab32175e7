"""Records in a file that a user names (JSON Lines, a record each), and how a new one is printed."""

from __future__ import annotations

import re
from os import SEEK_END
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from hopweave.cli._terminal import say, standard_input

_ADDRESS = re.compile(r"[a-z][a-z+.-]+:/")  # a path folds the two slashes of an address

if TYPE_CHECKING:
    from hopweave.trace import Record


def read_lines(file: Path) -> list[tuple[int, str]]:
    """The lines that are not blank, with their numbers.

    Raises:
        DataError: if the file cannot be read or contains nothing.
    """
    from hopweave.errors import DataError

    try:
        text = standard_input() if str(file) == "-" else file.read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"cannot read {file}: {error.strerror}; give a file of records") from None
    except UnicodeDecodeError:
        raise DataError(f"{file} is not UTF-8 text; give a file of records (JSON Lines)") from None
    # Only "\n" ends a line of JSON Lines: strings in it may contain other line separators.
    lines = [(number, content) for number, content in enumerate(text.split("\n"), start=1) if content.strip()]
    if not lines:
        raise DataError(f"{_name(file)} contains no record; run a question first")
    if len(lines) > 1 and not text.endswith("\n") and _question_id(lines[-1][1]) is None:
        number, _ = lines.pop()
        say(f"{_name(file)}, line {number} is incomplete, as after an interrupted run; left out", err=True)
    return lines


def chosen(file: Path, lines: list[tuple[int, str]], question: str | None, line: int | None) -> tuple[int, str]:
    """The line asked for, by default the last.

    Raises:
        SettingsError: if both a question and a line are given.
        DataError: if there is no such line or question.
    """
    from hopweave.errors import DataError, SettingsError, suggest

    if question is not None and line is not None:
        raise SettingsError("--question and --line are mutually exclusive; give one of them")
    if line is not None:
        for number, text in lines:
            if number == line:
                return number, text
        raise DataError(f"{_name(file)} has no record on line {line}; its last is on line {lines[-1][0]}")
    if question is None:
        return lines[-1]
    ids = [(_question_id(text), number, text) for number, text in lines]
    for question_id, number, text in reversed(ids):
        if question_id == question:
            return number, text
    known = {question_id for question_id, _, _ in ids if question_id is not None}
    raise DataError(f"{_name(file)} has no record of question {question!r}; {suggest(question, known)}")


def _question_id(text: str) -> str | None:
    """The id of the question on a line, without parsing the whole record; `None` if the line is not a record."""
    from hopweave.files import read_json

    try:
        found = read_json(text)["question"]["id"]
    except (ValueError, LookupError, TypeError):
        return None
    return found if isinstance(found, str) else None


def record_of(file: Path, number: int, text: str) -> Record:
    from hopweave.errors import DataError
    from hopweave.trace import Record

    try:
        return Record.from_json(text)
    except DataError as error:
        raise DataError(f"{_name(file)}, line {number}: {error}") from None


def _name(file: Path) -> str:
    return "standard input" if str(file) == "-" else str(file)


def append(path: Path, text: str) -> None:
    """Adds a line to a file of records; an empty text only shows that it can be written to."""
    from hopweave.errors import DataError, SettingsError

    if _ADDRESS.match(str(path)):
        raise SettingsError(
            "--out is a file, not an address; give a file, or keep answers at an address with: hopweave serve --answers"
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab+") as file:
            if text and file.tell():
                file.seek(-1, SEEK_END)
                # The last line may be torn, as when a run is cut off while it writes; it must not tear this one.
                text = text if file.read() == b"\n" else "\n" + text
            file.write(text.encode())
    except OSError as error:
        raise DataError(f"cannot write the record to {path}: {error.strerror}; choose another file") from None


def print_record(record: Record, *, as_json: bool, with_calls: bool) -> None:
    """Prints a record as the commands that answer do."""
    from hopweave.render.plain import plain_json

    if as_json:
        typer.echo(plain_json(record.to_json()))
        return
    from hopweave.cli._console import console
    from hopweave.render.terminal import draw_record

    console(highlight=False).print(draw_record(record, calls=with_calls))
