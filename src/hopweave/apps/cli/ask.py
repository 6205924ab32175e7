"""Answer a question, with checked citations."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopweave.apps.cli._asking_options import AskingOptions
from hopweave.apps.cli._declared import with_options
from hopweave.apps.cli._options import RESUMES, Calls, Legend, Thoughts, listed
from hopweave.apps.cli._record_files import append, end_of, print_record
from hopweave.apps.cli._terminal import say, standard_input

if TYPE_CHECKING:
    from hopweave.record import Record
    from hopweave.run.settings import Settings

app = typer.Typer(add_completion=False)
IF_INTERRUPTED = RESUMES


@app.command()
@with_options(AskingOptions)
def ask(
    question: Annotated[str, typer.Argument(help="The question; - reads it from standard input.")],
    *,
    asking: AskingOptions,
    labels: Annotated[
        str, typer.Option(metavar="ANSWER,...", help="Allowed answers, separated by commas, such as Yes,No.")
    ] = "",
    long: Annotated[
        bool | None,
        typer.Option(
            "--long/--short",
            help="Ask for an explanation of several sentences, or for a few words; else, the question decides.",
            show_default=False,
        ),
    ] = None,
    max_llm_calls: Annotated[int | None, typer.Option(help="At most this many model calls; 0 means no limit.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="At most this many tokens in and out; 0 means no limit.")] = None,
    max_searches: Annotated[int | None, typer.Option(help="At most this many queries; 0 means no limit.")] = None,
    max_seconds: Annotated[float | None, typer.Option(help="At most this many seconds; 0 means no limit.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Append the record to this JSONL file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the record as JSON and nothing else.")] = False,
    calls: Calls = False,
    thoughts: Thoughts = False,
    legend: Legend = False,
) -> None:
    """Answer one question, showing its reasoning as a tree that grows while it runs."""
    limits = {
        "max_llm_calls": max_llm_calls,
        "max_tokens": max_tokens,
        "max_searches": max_searches,
        "max_seconds": max_seconds,
    }
    budget = {key: value or None for key, value in limits.items() if value is not None}
    settings = asking.settings(budget=budget)
    asked = _question(question, labels, long=long)
    if out is not None:
        append(out, "")  # so that a file that cannot be written to is found before the work, not after it
    record = _answer(settings, asking.config, asked, is_quiet=as_json)
    if out is not None:
        append(out, record.to_json() + "\n")
    print_record(record, as_json=as_json, with_calls=calls, with_thoughts=thoughts, with_legend=legend)
    end_of(record, as_json=as_json)


def _question(text: str, labels: str, *, long: bool | None) -> Any:
    from hopweave.run.asked import question_asked

    return question_asked(standard_input() if text == "-" else text, long=long, labels=listed(labels))


def _answer(settings: Settings, config: Path | None, question: Any, *, is_quiet: bool) -> Record:
    from hopweave.apps.cli._live import LiveTree
    from hopweave.apps.cli._settings_summary import settings_summary
    from hopweave.run.weaver import Weaver

    async def run() -> Record:
        async with Weaver(settings) as weaver:
            if is_quiet:
                return await weaver.answer(question)
            say(settings_summary(settings, config), err=True)
            with LiveTree(question.text) as live:
                return await weaver.answer(question, observers=[live])

    return asyncio.run(run())
