"""Tune a reader's thresholds theta and alpha."""

from __future__ import annotations

import asyncio
import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from hopweave.apps.cli._options import Assignments, Config, Profile, settings_of, write_out
from hopweave.apps.cli._terminal import say, say_table

if TYPE_CHECKING:
    from hopweave.evaluation.scoring.reader_thresholds import Outcome, Pair, Point, Scored
    from hopweave.run.settings import Settings

app = typer.Typer(add_completion=False)

# The paper's: theta from 1.0 by 0.1 (until nothing is predicted), alpha from 0.30 to 0.50 by 0.05.
_RANGES: dict[str, tuple[float, float | None, float]] = {"theta": (1.0, None, 0.1), "alpha": (0.3, 0.5, 0.05)}


@app.command()
def calibrate(
    pairs: Annotated[
        Path, typer.Argument(metavar="PAIRS", help="JSONL of query, passage and answers; or MuSiQue's own JSONL.")
    ],
    *,
    what: Annotated[Literal["theta", "alpha"], typer.Option(help="theta of a reader, or alpha for long answers.")] = "theta",
    reader: Annotated[str, typer.Option(help="The reader; `hopweave list readers` lists them.")] = "",
    llm: Annotated[str, typer.Option(help="The language model, if the reader uses it.")] = "",
    start: Annotated[float | None, typer.Option(help="First threshold; default 1.0 for theta, 0.30 for alpha.")] = None,
    stop: Annotated[float | None, typer.Option(help="Last threshold; default: nothing above theta, 0.50 for alpha.")] = None,
    step: Annotated[float | None, typer.Option(help="Step size; default 0.1 for theta, 0.05 for alpha.")] = None,
    limit: Annotated[int | None, typer.Option(help="At most this many pairs, from the beginning of the file.")] = None,
    format_: Annotated[
        Literal["auto", "pairs", "musique"], typer.Option("--format", help="Format of the file; auto looks at its first row.")
    ] = "auto",
    rouge: Annotated[Literal["f1", "precision"], typer.Option(help="Which ROUGE-L alpha is compared with.")] = "precision",
    replay: Annotated[bool, typer.Option("--replay", help="Read from the store alone, without calling a model.")] = False,
    profile: Profile = "",
    set_: Assignments = None,
    config: Config = None,
    out: Annotated[Path | None, typer.Option(help="Write the result of each pair to this JSONL file.")] = None,
) -> None:
    """Choose the threshold that best separates pairs with the answer from pairs without, as SearChain did.

    A pair is positive if its passage contains a gold answer, and predicted positive if the reader's f is above theta.
    """
    from hopweave.core.catalog import key_of
    from hopweave.core.errors import SettingsError
    from hopweave.evaluation.scoring.reader_thresholds import pairs_of_file

    settings = settings_of(set_, config, replay=replay, reader=reader, llm=llm, profile=profile)
    if limit is not None and limit < 1:
        raise SettingsError(f"--limit must be at least 1, not {limit}")
    chosen = pairs_of_file(pairs, format_)[:limit]
    if out is not None:
        _write(out, [])  # so that a file that cannot be written to is found before the work, not after it
    scored = _scored_for_theta(settings, chosen, out) if what == "theta" else _scored_for_alpha(chosen, rouge, out)
    usual_start, usual_stop, usual_step = _RANGES[what]
    _report(
        what,
        f"readers.{key_of('readers', settings.reader)}.theta" if what == "theta" else "methods.searchain.alpha",
        scored,
        start=usual_start if start is None else start,
        stop=usual_stop if stop is None else stop,
        step=usual_step if step is None else step,
    )


def _scored_for_theta(settings: Settings, pairs: Sequence[Pair], out: Path | None) -> list[Scored]:
    from hopweave.core.errors import RunError
    from hopweave.evaluation.scoring.reader_thresholds import scored_by_reader

    outcomes, reader = _read(settings, pairs)
    if out is not None:
        _write(out, [_row_of_reading(outcome) for outcome in outcomes])
    scored = scored_by_reader(outcomes)
    failures = Counter(outcome.failure.kind for outcome in outcomes if outcome.failure is not None)
    say(f"{len(pairs)} pairs read by {reader}")
    if failures:
        counts = ", ".join(f"{kind} ({number:,})" for kind, number in sorted(failures.items()))
        say(f"  failed and not scored: {counts}")
    if not scored:
        first = next(outcome.failure for outcome in outcomes if outcome.failure is not None)
        raise RunError(f"nothing could be read: {first.kind}: {first.message}")
    return scored


def _read(settings: Settings, pairs: Sequence[Pair]) -> tuple[list[Outcome], str]:
    from hopweave.evaluation.scoring.reader_thresholds import read_pairs
    from hopweave.run.opening import open_model

    async def run() -> tuple[list[Outcome], str]:
        reader = settings.part("readers", settings.reader)
        components = open_model(settings, reader)
        try:
            with _progress(len(pairs)) as on_done:
                return await read_pairs(components, pairs, on_done), reader.identity
        finally:
            await components.close()

    return asyncio.run(run())


def _scored_for_alpha(pairs: Sequence[Pair], rouge: Literal["f1", "precision"], out: Path | None) -> list[Scored]:
    from hopweave.core.errors import DataError
    from hopweave.evaluation.scoring.reader_thresholds import scored_by_rouge

    if not any(pair.answer for pair in pairs):
        raise DataError('alpha compares long answers with passages: give each row an "answer" (and "consistent", if known)')
    scored = scored_by_rouge([pair for pair in pairs if pair.answer], rouge)
    if out is not None:
        _write(out, [{"query": one.group, "score": one.score, "is_positive": one.is_positive} for one in scored])
    say(f"{len(pairs)} pairs, ROUGE-L {rouge} of answer and passage")
    if len(scored) < len(pairs):
        say(f"  left out, as it is undecidable whether answer and passage agree: {len(pairs) - len(scored)}")
    return scored


@contextmanager
def _progress(total: int) -> Iterator[Callable[[Outcome], None]]:
    """On standard error: a bar if that is a terminal, else an occasional line."""
    from rich.progress import Progress

    from hopweave.apps.cli._console import console

    num_done = 0
    with Progress(console=console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("reading", total=total)

        def on_done(_: Outcome) -> None:
            nonlocal num_done
            num_done += 1
            progress.advance(task)
            if progress.disable and num_done % max(1, total // 10) == 0:
                say(f"read {num_done} of {total}", err=True)

        yield on_done


def _report(what: str, option: str, scored: Sequence[Scored], *, start: float, stop: float | None, step: float) -> None:
    from hopweave.evaluation.scoring.reader_thresholds import best_of, f1_interval, sweep, thresholds
    from hopweave.show.table import Table, columns, rows

    num_positive = sum(one.is_positive for one in scored)
    say(f"  {num_positive} positive, {len(scored) - num_positive} negative")
    say()
    points = sweep(scored, thresholds(start, _last(scored, start, step) if stop is None else stop, step))
    lines = (
        [f"{point.threshold:g}", _shown(point.precision), _shown(point.recall), _shown(point.f1), ""]
        for point in _without_repeats(points)
    )
    heads = columns((), (what, "precision", "recall", "F1"), (f"(of equal rows, the highest {what})",))
    say_table(Table(heads, rows(lines)))
    best = best_of(points)
    if best is None:
        say()
        say(f"no {what} finds a positive pair, so none is best")
        return
    interval = f1_interval(scored, best.threshold)
    within = f", 95% interval {interval[0]:.3f} to {interval[1]:.3f} (1,000 bootstrap samples of queries)" if interval else ""
    say()
    say(f"best: {what} = {best.threshold:g}, F1 {_shown(best.f1)}{within}")
    if best.threshold == points[0].threshold or (best.threshold == points[-1].threshold and best.num_predicted):
        say(f"it is at the edge of the range, so a better {what} may lie beyond: move --start or --stop")
    say(f"use it with: --set {option}={best.threshold:g}")


def _last(scored: Sequence[Scored], start: float, step: float) -> float:
    """The first threshold at which nothing is predicted positive."""
    if not (step > 0 and math.isfinite(start)):
        return start  # which is refused with the step
    highest = max((one.score for one in scored), default=start)
    return start + max(0, math.ceil((highest - start) / step - 1e-9)) * step


def _without_repeats(points: Sequence[Point]) -> list[Point]:
    """The last of each run of points with the same predictions."""
    following = [*((point.num_true, point.num_predicted) for point in points[1:]), None]
    return [point for point, after in zip(points, following, strict=True) if (point.num_true, point.num_predicted) != after]


def _shown(value: float | None) -> str:
    return "no data" if value is None else f"{value:.3f}"


def _row_of_reading(outcome: Outcome) -> dict[str, Any]:
    pair, reading, failure = outcome.pair, outcome.reading, outcome.failure
    row: dict[str, Any] = {
        "id": pair.id,
        "query": pair.query,
        "passage_id": pair.passage.id,
        "title": pair.passage.title,
        "answers": list(pair.answers),
        "is_positive": pair.is_positive,
    }
    if reading is not None:
        span = [reading.span.start, reading.span.end] if reading.span is not None else None
        row |= {"confidence": reading.confidence, "text": reading.text, "span": span}
    if failure is not None:
        row["error"] = {"kind": failure.kind, "message": failure.message}
    return row


def _write(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    write_out(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
