"""Draw a record: its tree, answer and citations.

Reads a file of records (JSON Lines) and draws one of them, or lists them all.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from hopweave.apps.cli._options import Calls, Legend, OfQuestion, OnLine, RecordFile, Thoughts
from hopweave.apps.cli._record_files import chosen, read_lines, record_of
from hopweave.apps.cli._terminal import say
from hopweave.core.errors import DataError, SettingsError
from hopweave.show.plain import cut, one_line, plain_json, seconds_text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from hopweave.record import Record

app = typer.Typer(add_completion=False)

View = Literal["tree", "answer", "mermaid", "html", "json"]

_VIEWS_BY_SUFFIX: dict[str, View | None] = {
    "": None,
    ".txt": None,
    ".html": "html",
    ".htm": "html",
    ".mmd": "mermaid",
    ".mermaid": "mermaid",
    ".json": "json",
    ".jsonl": "json",
}
"""`None` is the tree and the answer, as text."""
_SUFFIXES = ".html, .mmd, .json or .txt"

TEXT_FILE_COLUMNS = 110


@app.command()
def show(
    file: RecordFile,
    *,
    question: OfQuestion = None,
    line: OnLine = None,
    view: Annotated[
        View | None, typer.Option("--as", help="What to draw; default: tree and answer, or what the suffix of --out says.")
    ] = None,
    calls: Calls = False,
    thoughts: Thoughts = False,
    legend: Legend = False,
    listing: Annotated[bool, typer.Option("--list", help="List the records instead.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help=f"Write to this file, as its suffix says: {_SUFFIXES}.")
    ] = None,
) -> None:
    """Draw what happened for a question: its tree, its answer, its citations."""
    if listing:
        _put(_listing((number, record_of(file, number, text)) for number, text in read_lines(file)), out)
        return
    record = record_of(file, *chosen(file, question, line))
    view = view or (_view_of(out) if out else None)
    _put(_drawn(record, view, calls=calls, thoughts=thoughts, with_legend=legend or out is not None), out)


def _view_of(out: Path) -> View | None:
    """What to draw into a file, by its suffix.

    Raises:
        SettingsError: for a suffix that says nothing.
    """
    suffix = out.suffix.lower()
    if suffix not in _VIEWS_BY_SUFFIX:
        raise SettingsError(f"cannot tell what to draw from {suffix!r}; use {_SUFFIXES}, or say --as")
    return _VIEWS_BY_SUFFIX[suffix]


def _drawn(record: Record, view: View | None, *, calls: bool, thoughts: bool, with_legend: bool) -> RenderableType:
    """What to print: a string is printed unchanged, anything else is drawn by rich."""
    match view:
        case "html":
            from hopweave.show.record_html import draw_page

            return draw_page(record)
        case "mermaid":
            from hopweave.show.mermaid import draw_mermaid

            return draw_mermaid(record, calls=calls)
        case "json":
            return plain_json(record.to_json()) + "\n"
        case _:
            from hopweave.apps.cli._legend import legend_for_user
            from hopweave.show import terminal

            if view == "tree":
                return terminal.draw_tree(record, calls=calls, thoughts=thoughts)
            if view == "answer":
                return terminal.draw_answer(record)
            words = legend_for_user(record, calls=calls or thoughts, is_wanted=with_legend)
            return terminal.draw_record(record, calls=calls, thoughts=thoughts, legend=words)


def _listing(records: Iterable[tuple[int, Record]]) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    from hopweave.show.legend import banner_of
    from hopweave.show.terminal import STYLES

    listed = list(records)
    has_ids = len({record.question.id for _, record in listed}) > 1  # those of `hopweave ask` are all the same
    table = Table(box=None, pad_edge=False, header_style="dim", expand=True)
    table.add_column("line", justify="right")
    if has_ids:
        table.add_column("id", overflow="fold")
    table.add_column("question", ratio=3, no_wrap=True)
    table.add_column("answer or error", ratio=2, no_wrap=True)
    table.add_column("support", no_wrap=True)
    table.add_column("calls", justify="right")
    table.add_column("seconds", justify="right")
    for number, record in listed:
        short = Text(cut(one_line(record.answer.short), 60) if record.answer else "")
        if record.error is not None:
            short = Text(cut(one_line(record.error.message), 60), "red")
        banner = banner_of(record.answer) if record.answer is not None else None
        table.add_row(
            str(number),
            *([Text(one_line(record.question.id))] if has_ids else []),
            Text(cut(one_line(record.question.text), 160)),
            short,
            Text(f"{banner.sign} {banner.standing or ''}".rstrip(), STYLES[banner.tone])
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
    from hopweave.apps.cli._console import console

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
