"""Records in a file that a user names (JSON Lines, a record each), and how a new one is printed."""

from __future__ import annotations

from collections.abc import Iterator
from os import SEEK_END
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from hopweave.apps.cli._terminal import say
from hopweave.core import files
from hopweave.core.errors import DataError, SettingsError, suggest
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.show.plain import plain_json

_ADDRESS = lazy_pattern(r"[a-z][a-z+.-]+:/")  # a path folds the two slashes of an address

if TYPE_CHECKING:
    from hopweave.record import Record


def read_lines(file: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, in order, with their numbers.

    Raises:
        DataError: if the file cannot be read or contains nothing, or a line is longer than records are.
    """
    has_any = False
    for number, line in enumerate(_lines(file), start=1):
        if not line.strip():
            continue
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise DataError(f"{_name(file)} is not UTF-8 text; give a file of records (JSON Lines)") from None
        if has_any and not line.endswith(b"\n") and _question_id(text) is None:
            say(f"{_name(file)}, line {number} is incomplete, as after an interrupted run; left out", err=True)
            return
        has_any = True
        yield number, text
    if not has_any:
        raise DataError(f"{_name(file)} contains no record; run a question first")


def _lines(file: Path) -> Iterator[bytes]:
    try:
        if str(file) != "-":
            yield from files.read_lines(file)
            return
        for number, line in enumerate(files.lines_within(typer.get_binary_stream("stdin")), start=1):
            if line is None:
                raise files.too_long(f"line {number}", file)
            yield line
    except OSError as error:
        raise DataError(f"cannot read {_name(file)}: {error.strerror}; give a file of records") from None


def chosen(file: Path, question: str | None, line: int | None) -> tuple[int, str]:
    """The number and the text of the line asked for, by default the last. No other is held in memory.

    Raises:
        SettingsError: if both a question and a line are given.
        DataError: if there is no such line or question, and as in `read_lines`.
    """
    if question is not None and line is not None:
        raise SettingsError("--question and --line are mutually exclusive; give one of them")
    known: set[str] = set()
    found = last = (0, "")
    for last in read_lines(file):
        if line is not None and last[0] == line:
            return last
        question_id = _question_id(last[1]) if question is not None else None
        if question_id is not None:
            known.add(question_id)
            found = last if question_id == question else found
    if line is not None:
        raise DataError(f"{_name(file)} has no record on line {line}; its last is on line {last[0]}")
    if question is None:
        return last
    if not found[0]:
        raise DataError(
            f"{_name(file)} has no record of question {question!r}; {suggest(question, known)} (--line N chooses by line)"
        )
    return found


def _question_id(text: str) -> str | None:
    """The id of the question on a line, without parsing the whole record; `None` if the line is not a record."""
    try:
        found = files.read_json(text)["question"]["id"]
    except (ValueError, LookupError, TypeError):
        return None
    return found if isinstance(found, str) else None


def record_of(file: Path, number: int, text: str) -> Record:
    from hopweave.record import Record

    try:
        return Record.from_json(text)
    except DataError as error:
        raise DataError(f"{_name(file)}, line {number}: {error}") from None


def _name(file: Path) -> str:
    return "standard input" if str(file) == "-" else str(file)


def append(path: Path, text: str) -> None:
    """Adds a line to a file of records; an empty text only shows that it can be written to."""
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


def print_record(record: Record, *, as_json: bool, with_calls: bool, with_thoughts: bool, with_legend: bool) -> None:
    """Prints a record in the form of the commands that answer; why it has no answer is left to `end_of`."""
    if as_json:
        typer.echo(plain_json(record.to_json()))
        return
    from hopweave.apps.cli._console import console
    from hopweave.apps.cli._legend import legend_for_user
    from hopweave.show.terminal import draw_record

    legend = legend_for_user(record, calls=with_calls or with_thoughts, is_wanted=with_legend)
    drawn = draw_record(record, calls=with_calls, thoughts=with_thoughts, legend=legend, failure=False)
    console(highlight=False).print(drawn)


def end_of(record: Record, *, as_json: bool) -> None:
    """Ends a command that answers: if there is no answer, it says why and exits with 1.

    If the settings ask for that, as `--require-support` does where no passage supports the answer, the status is 0.

    Raises:
        typer.Exit: if there is no answer.
    """
    from hopweave.show.no_answer import is_intended

    if record.answer is not None and record.answer.short.strip():
        return
    if is_intended(record):
        if not as_json:
            tell_why(record)
        return
    tell_why(record)
    raise typer.Exit(1)


def tell_why(record: Record) -> None:
    """Says on standard error why there is no answer."""
    from hopweave.show.no_answer import why_no_answer

    first, *more = why_no_answer(record)
    say(f"hopweave: no answer: {first}", err=True)
    for line in more:
        say(f"  {line}", err=True)
