"""Answer datasets with several methods; resumable."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopweave.apps.cli._asking_options import AskingOptions
from hopweave.apps.cli._declared import with_options
from hopweave.apps.cli._options import RESUMES, listed
from hopweave.apps.cli._terminal import say
from hopweave.show.plain import cut, one_line

if TYPE_CHECKING:
    from hopweave.evaluation.runs.estimate import Estimate, Range
    from hopweave.evaluation.runs.folder import Plan
    from hopweave.evaluation.runs.run import Outcome, RunOptions, Watcher
    from hopweave.evaluation.runs.run_plan import Flags
    from hopweave.run.settings import Settings

app = typer.Typer(add_completion=False)
IF_INTERRUPTED = RESUMES


DatasetNames = Annotated[
    str,
    typer.Option(
        metavar="NAME,...",
        help="Datasets, labels of the plan, or FILE.py:CLASS, separated by commas; `hopweave list datasets` lists datasets.",
    ),
]
Seed = Annotated[int | None, typer.Option(help="Sample them at random with this seed; without it, the first ones are used.")]


@app.command()
@with_options(AskingOptions, "method")
def evaluate(
    plan: Annotated[
        Path | None, typer.Argument(metavar="PLAN", help="A TOML file with datasets, methods and settings; or use flags.")
    ] = None,
    *,
    out: Annotated[Path, typer.Option(metavar="RUN", help="The folder of the run. An existing run is resumed.")],
    dataset: DatasetNames = "",
    path: Annotated[Path | None, typer.Option(help="The dataset's file.")] = None,
    limit: Annotated[int | None, typer.Option(help="Use this many questions of each dataset.")] = None,
    seed: Seed = None,
    methods: Annotated[
        str,
        typer.Option(
            metavar="NAME,...",
            help="Methods, labels of the plan, or FILE.py:CLASS, separated by commas; `hopweave list methods` lists methods.",
        ),
    ] = "",
    asking: AskingOptions,
    parallel: Annotated[
        int | None,
        typer.Option(help="Concurrent questions; default: a quarter more than the calls that the endpoint serves."),
    ] = None,
    processes: Annotated[
        int,
        typer.Option(help="Processes that answer; --parallel, and the calls at a time, are of all of them together."),
    ] = 1,
    prices: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A TOML table of prices per million tokens, to compute the cost.")
    ] = None,
    max_cost: Annotated[float | None, typer.Option(help="End the run before it costs more; needs --prices.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="End the run before it uses more tokens, in and out.")] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Start no question after this time.")] = None,
    max_questions: Annotated[int | None, typer.Option(help="End the run at this many records, over all cells.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Estimate calls, tokens and cost; no model is called.")] = False,
    shard: Annotated[
        str,
        typer.Option(help="Answer only this part of the questions, such as 2/3; see `hopweave merge`.", metavar="NUMBER/COUNT"),
    ] = "",
    cluster: Annotated[
        str, typer.Option(help="Let the workers of a Dask cluster answer: tcp://HOST:8786; needs --store.", metavar="ADDRESS")
    ] = "",
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Ask failed questions again.")] = False,
) -> None:
    """Answer every question of some datasets with several methods, each into a record.

    It can be stopped at any time; the same command resumes it. A run that ended at a limit resumes with a higher one.
    The exit status is 0 if every question has a record, including failed ones, which are listed.
    """
    from hopweave.evaluation.runs.progress import RunBudget
    from hopweave.evaluation.runs.run import RunOptions
    from hopweave.evaluation.runs.run_plan import Flags

    flags = Flags(listed(dataset), listed(methods), path, limit, seed, asking.flags(), shard)
    budget = RunBudget(max_cost, max_tokens, max_seconds, max_questions)
    options = RunOptions(parallel, budget, prices, retry_failed, cluster, processes)
    whole, settings = _plan(plan, flags, out, asking.config)
    if dry_run:
        _estimate(out, whole, settings, options)
        return
    _report(_run(out, whole, settings, options), out)


def _plan(file: Path | None, flags: Flags, out: Path, config: Path | None) -> tuple[Plan, Settings]:
    from hopweave.evaluation.runs.folder import RunFolder
    from hopweave.evaluation.runs.run_plan import chosen, in_full, read_plan
    from hopweave.run.settings import read_settings
    from hopweave.run.trust import named_files

    if file is None and not flags.datasets and not flags.methods and RunFolder.is_at(out):
        there = RunFolder.open(out)
        plan, settings = chosen(there.plan, flags), read_settings(flags.settings, config=config, plan=there.found)
    else:
        plan = read_plan(file, flags)
        settings = read_settings(plan.settings, config=config, files=named_files(plan.parts))
    return in_full(plan, settings), settings


def _run(out: Path, plan: Plan, settings: Settings, options: RunOptions) -> Outcome:
    from hopweave.evaluation.runs.run import evaluate as work

    with _watcher() as watcher:
        return asyncio.run(work(out, plan, settings, options, watcher))


def _watcher() -> AbstractContextManager[Watcher]:
    """Draws bars, or only prints the notes if nobody would see bars: their library takes a while to import."""
    from hopweave.evaluation.runs.run import Watcher, Work

    class Notes(Watcher):
        def started(self, work: Work) -> None:
            for note in work.notes:
                say(f"note: {note}", err=True)

    if not (sys.stderr.isatty() or os.environ.get("FORCE_COLOR")):
        return nullcontext(Notes())
    from hopweave.apps.cli._console import console
    from hopweave.evaluation.runs.progress_bars import Bars

    return Bars(console(stderr=True))


def _report(outcome: Outcome, out: Path) -> None:
    from hopweave.evaluation.runs.progress_bars import duration
    from hopweave.record import what_failed, what_to_do
    from hopweave.show.thinking import of_which

    progress = outcome.progress
    cost = f", cost {progress.spent('cost'):,.4g}" if progress.price is not None else ""
    some = of_which(int(progress.spent("thinking_tokens")), int(progress.spent("estimated_tokens")))
    say(
        f"{progress.num_done:,} of {progress.num_planned:,} questions have a record in {out}, {progress.num_failed:,} failed; "
        f"{progress.spent('llm_calls'):,.0f} calls, {progress.spent('tokens'):,.0f} tokens{some}{cost}; "
        f"this session took {duration(outcome.seconds)}"
    )
    for cell, kind, num, (question_id, message) in progress.failures():
        said = f"such as question {question_id}: {cut(one_line(message), 160)}"
        say(f"  failed {num:,} of {cell.dataset} x {cell.method}: {what_failed(kind)}, {said}")
        if to_do := what_to_do(kind):
            say(f"    {to_do}")
    if progress.num_failed:
        say("  ask them again with the same command and --retry-failed")
    if outcome.num_unreadable:
        say(f"  {outcome.num_unreadable:,} replies of the store could not be read, so these calls were made again")
    if outcome.ended_because != "finished":
        say(f"ended at {outcome.ended_because}; the same command resumes it, with a higher limit or when the endpoint is back")
    if not progress.is_complete:
        raise typer.Exit(1)


def _estimate(out: Path, plan: Plan, settings: Settings, options: RunOptions) -> None:
    from hopweave.evaluation.runs.estimate import estimate
    from hopweave.evaluation.runs.folder import RunFolder
    from hopweave.evaluation.runs.prepare import prepare
    from hopweave.models.prices import price_of

    folder = RunFolder.create(out, plan) if RunFolder.is_at(out) else None
    identity = settings.part("llms", settings.llm).identity
    price = price_of(identity, options.prices) if options.prices is not None else None
    found = asyncio.run(estimate(prepare(plan, settings, folder), folder, price))
    rows = [(f"{one.cell.dataset} x {one.cell.method}", one) for one in found]
    say(f"model {identity}; nothing was asked of it")
    for name, one in rows:
        say(f"{name}: {one.num_left:,} questions, by {one.basis}")
        say(f"  {_said(one)}")
    if len(rows) > 1:
        say(f"all: {sum(one.num_left for one in found):,} questions")
        say(f"  {_said_of_all(found)}")


def _said(one: Estimate) -> str:
    said = [
        f"{_range(one.llm_calls)} calls",
        f"{_range(one.prompt_tokens)} tokens in",
        f"{_range(one.completion_tokens)} tokens out",
        f"cost {_range(one.cost)}" if one.cost is not None else "cost unknown (no --prices)",
    ]
    return ", ".join(said)


def _said_of_all(found: Sequence[Estimate]) -> str:
    from dataclasses import replace
    from functools import reduce

    def both(one: Estimate, other: Estimate) -> Estimate:
        cost = one.cost + other.cost if one.cost is not None and other.cost is not None else None
        return replace(
            one,
            llm_calls=one.llm_calls + other.llm_calls,
            prompt_tokens=one.prompt_tokens + other.prompt_tokens,
            completion_tokens=one.completion_tokens + other.completion_tokens,
            cost=cost,
        )

    return _said(reduce(both, found))


def _range(numbers: Range) -> str:
    low, high = (f"{value:,.0f}" if value >= 100 else f"{value:.3g}" for value in (numbers.low, numbers.high))
    return low if low == high else f"{low} to {high}"
