"""Have a model judge whether the citations of a run bear their claims out, before scoring."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopweave.cli._terminal import say

if TYPE_CHECKING:
    from hopweave.evaluation.judging.judge import Tally
    from hopweave.settings import Settings
    from hopweave.trace import Record

app = typer.Typer(add_completion=False)


@app.command()
def judge(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    *,
    llm: Annotated[str, typer.Option(help="The model that judges; `hopweave list llms` lists them.")] = "",
    out: Annotated[Path | None, typer.Option(help="The file of verdicts; RUN/judgements.jsonl if left out.")] = None,
    replay: Annotated[bool, typer.Option("--replay", help="From the store alone; no model is called.")] = False,
    profile: Annotated[str, typer.Option(help="Named settings, or a TOML file.")] = "",
    set_: Annotated[list[str] | None, typer.Option("--set", help="Any setting, as key=value; may be repeated.")] = None,
    config: Annotated[Path | None, typer.Option(help="A settings file instead of hopweave.toml.")] = None,
) -> None:
    """Judge each cited claim of a run once, and write the verdicts into a file that `citations` scores from.

    Judge with another model than the one that answered. What was judged before is not judged again.
    """
    from hopweave.evaluation.judging.judge import FILE
    from hopweave.evaluation.runs.folder import RunFolder
    from hopweave.settings import assignments, merged, read_settings

    folder = RunFolder.open(run)
    path = out if out is not None else run / FILE
    flags: dict[str, Any] = {key: value for key, value in {"llm": llm, "profile": profile}.items() if value}
    if replay:
        flags["store"] = {"mode": "replay"}
    settings = read_settings(merged(assignments(set_ or []), flags), config=config)
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
    from hopweave.runtime.components import Components
    from hopweave.runtime.store import Store

    components = Components(
        settings.part("llms", settings.llm),
        store=Store(settings.store.path, settings.store.mode),
        sampling=settings.make_sampling(),
        retries=settings.make_retries(),
    )
    try:
        return await judge_records(Judge(components), records, path, max_parallel=components.llm.abilities.max_parallel or 8)
    finally:
        await components.close()
