"""Merge the shards of a run into one run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopweave.apps.cli._terminal import say

app = typer.Typer(add_completion=False)


@app.command()
def merge(
    shards: Annotated[
        list[Path], typer.Argument(metavar="SHARD...", help="The folders of all shards, as made by: hopweave evaluate --shard.")
    ],
    *,
    out: Annotated[Path, typer.Option(metavar="RUN", help="The folder of the run to make; it must not exist yet.")],
) -> None:
    """Merge the shards of a plan into the run that one process would have made, record by record.

    Each shard is first checked against its own checksums. The shards are not changed.
    """
    from hopweave.evaluation.runs.merge import merge as merge_shards

    merged = merge_shards(shards, out)
    replies = f" and {merged.num_replies:,} replies" if merged.num_replies else ""
    say(f"merged {len(shards):,} shards into {out}: {merged.num_records:,} records{replies}")
