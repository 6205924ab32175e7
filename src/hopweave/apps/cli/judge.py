"""Have a model judge the citations of a run."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopweave.apps.cli._bar import bar
from hopweave.apps.cli._options import RESUMES, Assignments, Config, Profile, Run, settings_of
from hopweave.apps.cli._terminal import say

if TYPE_CHECKING:
    from hopweave.evaluation.judging.judge import Tally
    from hopweave.record import Record
    from hopweave.run.settings import Settings

app = typer.Typer(add_completion=False)
IF_INTERRUPTED = RESUMES


@app.command()
def judge(
    run: Run,
    *,
    llm: Annotated[
        str, typer.Option(metavar="NAME", help="The model that judges; `hopweave list llms` lists them; or FILE.py:CLASS.")
    ] = "",
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the verdicts to this file; default: RUN/judgements.jsonl.")
    ] = None,
    replay: Annotated[bool, typer.Option("--replay", help="Judge from the store alone, without calling a model.")] = False,
    profile: Profile = "",
    set_: Assignments = None,
    config: Config = None,
) -> None:
    """Judge each cited claim of a run once, and write the verdicts to a file for the metric `citations`.

    Use a different model from the one that answered. Existing verdicts are kept.
    """
    from hopweave.evaluation.judging.judge import FILE
    from hopweave.evaluation.runs.folder import RunFolder

    folder = RunFolder.open(run)
    path = out if out is not None else run / FILE
    settings = settings_of(set_, config, replay=replay, llm=llm, profile=profile)
    records = [
        record
        for dataset in folder.plan.datasets
        for method in folder.plan.methods
        for record in folder.records(dataset, method)
    ]
    tally = asyncio.run(_judge(settings, records, path))
    without = f", {tally.num_without:,} of them without a verdict" if tally.num_without else ""
    say(f"{path}: {tally.num_judged:,} judged{without}; {tally.num_before:,} were judged before")
    say(f"score with: metrics.citations.by=judge, metrics.citations.judgements={path}")


async def _judge(settings: Settings, records: list[Record], path: Path) -> Tally:
    from hopweave.evaluation.judging.judge import Judge, judge_records
    from hopweave.run.opening import open_model

    components = open_model(settings)
    try:
        max_parallel, progress = components.llm.abilities.max_parallel or 8, partial(bar, "judging")
        return await judge_records(Judge(components), records, path, max_parallel=max_parallel, progress=progress)
    finally:
        await components.close()
