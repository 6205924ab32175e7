"""Ask a kept question again with one step changed.

Without a change it lists the steps that can be changed, with their numbers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopweave.apps.cli._asking_options import AskingOptions
from hopweave.apps.cli._declared import with_options
from hopweave.apps.cli._options import RESUMES, Calls, Legend, OfQuestion, OnLine, RecordFile, Thoughts
from hopweave.apps.cli._record_files import append, chosen, end_of, print_record, record_of
from hopweave.core.catalog import entries
from hopweave.core.errors import DataError
from hopweave.core.files import read_json, read_whole

if TYPE_CHECKING:
    from hopweave.record import Record

app = typer.Typer(add_completion=False)
IF_INTERRUPTED = RESUMES

_Edits = Annotated[list[str] | None, typer.Option("--reply", metavar="STEP=WORDS", help="Words to replace an answer.")]
_Queries = Annotated[list[str] | None, typer.Option("--query", metavar="STEP=WORDS", help="A query to replace another.")]
_Forbid = Annotated[list[str] | None, typer.Option(metavar="STEP=PASSAGE", help="Hide a passage from this step on.")]
_Pin = Annotated[list[str] | None, typer.Option(metavar="STEP=PASSAGE", help="Put a passage first among the hits of a search.")]


@app.command()
@with_options(AskingOptions, "store", "replay", method="As in `hopweave ask`; default: that of the record.")
def again(
    file: RecordFile,
    *,
    question: OfQuestion = None,
    line: OnLine = None,
    replies: _Edits = None,
    queries: _Queries = None,
    forbid: _Forbid = None,
    pin: _Pin = None,
    changes: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A JSON file with a list of changes, added to those above.")
    ] = None,
    asking: AskingOptions,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Append the new record to this JSONL file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the new record as JSON and nothing else.")] = False,
    calls: Calls = False,
    thoughts: Thoughts = False,
    legend: Legend = False,
) -> None:
    """Ask a kept question again with something changed from one step on; everything before it is replayed.

    Without a change, list the steps that can be changed, with their numbers.
    """
    record = record_of(file, *chosen(file, question, line))
    wanted = [*_assigned("reply", replies), *_assigned("query", queries), *_assigned("forbid", forbid), *_assigned("pin", pin)]
    wanted += _read_changes(changes) if changes is not None else []
    if not wanted:
        _list_steps(record)
        return
    settings = asking.settings(method=asking.method or _method_of(record))
    if out is not None:
        append(out, "")
    branch = _answer(settings, record, wanted, is_quiet=as_json)
    if out is not None:
        append(out, branch.to_json() + "\n")
    print_record(branch, as_json=as_json, with_calls=calls, with_thoughts=thoughts, with_legend=legend)
    end_of(branch, as_json=as_json)


def _assigned(change: str, pairs: Sequence[str] | None) -> list[dict[str, Any]]:
    """The changes of one kind.

    Raises:
        DataError: for a pair that is not STEP=TEXT.
    """
    found = []
    for pair in pairs or ():
        step, equals, text = pair.partition("=")
        if not equals or not step.strip().isdecimal():
            raise DataError(f"--{change} expects STEP=TEXT, not {pair!r}; for example: --{change} 3=...")
        found.append({"change": change, "step": int(step), "now" if change in ("reply", "query") else "passage": text})
    return found


def _read_changes(path: Path) -> list[Any]:
    try:
        found = read_json(read_whole(path))
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}; give a JSON file of changes") from None
    except ValueError as error:
        raise DataError(f"{path} cannot be read: {error}; give a JSON file of changes") from None
    if not isinstance(found, list):
        raise DataError(f"{path} contains no list; give a list of changes")
    return found


def _method_of(record: Record) -> str:
    """The method of a record, if it is one of the catalog; nothing that a record names is run as code."""
    return record.setup.method if record.setup.method in entries("methods") else ""


def _answer(settings: Any, record: Record, changes: Sequence[Any], *, is_quiet: bool) -> Record:
    from hopweave.apps.cli._live import LiveTree
    from hopweave.run.weaver import Weaver

    async def run() -> Record:
        async with Weaver(settings) as weaver:
            if is_quiet:
                return await weaver.again(record, changes)
            with LiveTree(record.question.text) as live:
                return await weaver.again(record, changes, observers=[live])

    return asyncio.run(run())


def _list_steps(record: Record) -> None:
    from rich.table import Table
    from rich.text import Text

    from hopweave.apps.cli._console import console
    from hopweave.show.branch import changeable_steps

    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("step", justify="right")
    table.add_column("is")
    table.add_column("words or id", overflow="fold")
    for number, kind, words in changeable_steps(record):
        table.add_row(str(number), kind, Text(words))
    console(highlight=False).print(table)
