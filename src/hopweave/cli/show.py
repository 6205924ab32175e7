"""Draw a record: its tree, its answer, its citations.

Reads a file of records (JSON Lines) and draws one of them, or lists them all.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from hopweave.cli._terminal import say, standard_input

if TYPE_CHECKING:
    from rich.console import RenderableType

    from hopweave.trace import Record

app = typer.Typer(add_completion=False)

View = Literal["tree", "answer", "mermaid", "html", "json"]

_VIEWS_BY_SUFFIX: dict[str, View] = {
    ".html": "html",
    ".htm": "html",
    ".mmd": "mermaid",
    ".mermaid": "mermaid",
    ".json": "json",
    ".jsonl": "json",
}

TEXT_FILE_COLUMNS = 110


@app.command()
def show(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of records; - reads standard input.", allow_dash=True)],
    question: Annotated[str | None, typer.Option("--question", metavar="ID", help="The last record of this question.")] = None,
    line: Annotated[int | None, typer.Option("--line", metavar="N", help="The record on this line, from 1.", min=1)] = None,
    view: Annotated[
        View | None, typer.Option("--as", help="What to draw. Default: tree and answer, or according to the suffix of --out.")
    ] = None,
    calls: Annotated[  # noqa: FBT002 (typer makes it a flag)
        bool, typer.Option("--calls", help="Also draw model calls, searches and reads.")
    ] = False,
    listing: Annotated[bool, typer.Option("--list", help="List the records instead.")] = False,  # noqa: FBT002
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write to this file.")] = None,
) -> None:
    """Draw what happened for a question: its tree, its answer, its citations."""
    lines = _read_lines(file)
    if listing:
        _put(_listing([_record(file, number, text) for number, text in lines], [number for number, _ in lines]), out)
        return
    record = _record(file, *_chosen(file, lines, question, line))
    view = view or (_VIEWS_BY_SUFFIX.get(out.suffix.lower()) if out else None)
    _put(_drawn(record, view, calls=calls), out)


def _read_lines(file: Path) -> list[tuple[int, str]]:
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


def _chosen(file: Path, lines: list[tuple[int, str]], question: str | None, line: int | None) -> tuple[int, str]:
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


def _record(file: Path, number: int, text: str) -> Record:
    from hopweave.errors import DataError
    from hopweave.trace import Record

    try:
        return Record.from_json(text)
    except DataError as error:
        raise DataError(f"{_name(file)}, line {number}: {error}") from None


def _name(file: Path) -> str:
    return "standard input" if str(file) == "-" else str(file)


def _drawn(record: Record, view: View | None, *, calls: bool) -> RenderableType:
    """What to print: a string is printed unchanged, anything else is drawn by rich."""
    match view:
        case "html":
            from hopweave.render.html import draw_page

            return draw_page(record)
        case "mermaid":
            from hopweave.render.mermaid import draw_mermaid

            return draw_mermaid(record, calls=calls)
        case "json":
            from hopweave.render.plain import plain_json

            return plain_json(record.to_json()) + "\n"
        case _:
            from hopweave.render import terminal

            if view == "tree":
                return terminal.draw_tree(record, calls=calls)
            return terminal.draw_answer(record) if view == "answer" else terminal.draw_record(record, calls=calls)


def _listing(records: list[Record], numbers: list[int]) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    from hopweave.render.legend import banner_of
    from hopweave.render.plain import cut, one_line, seconds_text
    from hopweave.render.terminal import STYLES

    table = Table(box=None, pad_edge=False, header_style="dim", expand=True)
    table.add_column("line", justify="right")
    table.add_column("id", overflow="fold")
    table.add_column("question", ratio=3, no_wrap=True)
    table.add_column("answer or error", ratio=2, no_wrap=True)
    table.add_column("stands", no_wrap=True)
    table.add_column("calls", justify="right")
    table.add_column("seconds", justify="right")
    for number, record in zip(numbers, records, strict=True):
        short = Text(cut(one_line(record.answer.short), 60) if record.answer else "")
        if record.error is not None:
            short = Text(f"{record.error.kind}: {cut(one_line(record.error.message), 60)}", "red")
        banner = banner_of(record.answer) if record.answer is not None else None
        table.add_row(
            str(number),
            Text(one_line(record.question.id)),
            Text(cut(one_line(record.question.text), 80)),
            short,
            Text(f"{banner.sign} {record.answer.verdict.support}", STYLES[banner.tone])
            if record.answer is not None and banner is not None
            else Text(),
            str(record.totals().llm_calls),
            seconds_text(record.seconds),
        )
    return table


def _put(drawn: RenderableType, out: Path | None) -> None:
    """Writes to a file, or to standard output.

    Raises:
        DataError: if the file cannot be written.
    """
    from hopweave.cli._console import console
    from hopweave.errors import DataError

    if out is None:
        if isinstance(drawn, str):
            typer.echo(drawn, nl=False)
        else:
            console(highlight=False).print(drawn)
        return
    try:
        with out.open("w", encoding="utf-8", newline="\n") as stream:
            if isinstance(drawn, str):
                stream.write(drawn)
            else:
                console(file=stream, width=TEXT_FILE_COLUMNS, highlight=False, color_system=None).print(drawn)
    except OSError as error:
        raise DataError(f"cannot write {out}: {error.strerror}; choose another --out") from None
    say(f"wrote {out}", err=True)
