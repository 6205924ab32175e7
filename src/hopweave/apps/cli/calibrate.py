"""Fit confidence, or tune a reader's thresholds."""

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

from hopweave.apps.cli._bar import bar
from hopweave.apps.cli._options import RESUMES, Assignments, Config, Profile, listed, settings_of, write_out
from hopweave.apps.cli._terminal import say, say_table
from hopweave.core.catalog import key_of
from hopweave.core.errors import DataError, RunError, SettingsError, suggest
from hopweave.show.table import Table, columns, rows

if TYPE_CHECKING:
    from hopweave.evaluation.runs.folder import RunFolder
    from hopweave.evaluation.scoring.calibrating import Labelled
    from hopweave.evaluation.scoring.reader_thresholds import Outcome, Pair, Point, Scored
    from hopweave.record.confidence import Calibration
    from hopweave.run.settings import Settings

app = typer.Typer(add_completion=False)
IF_INTERRUPTED = RESUMES

# The paper's: theta from 1.0 by 0.1 (until nothing is predicted), alpha from 0.30 to 0.50 by 0.05.
_RANGES: dict[str, tuple[float, float | None, float]] = {"theta": (1.0, None, 0.1), "alpha": (0.3, 0.5, 0.05)}


@app.command()
def calibrate(
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="SOURCE...", help="Runs with known answers; or JSONL of query, passage and answers, or MuSiQue's own JSONL."
        ),
    ],
    *,
    what: Annotated[
        Literal["auto", "confidence", "theta", "alpha"],
        typer.Option(help="Confidence of answers, theta of a reader, or alpha; auto: confidence for a run, theta for pairs."),
    ] = "auto",
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write to this file: the calibration (JSON), or the result of each pair (JSONL)."),
    ] = None,
    at_least: Annotated[
        float | None, typer.Option(metavar="SHARE", help="The share of right answers that ticks are to have; default: 0.85.")
    ] = None,
    methods: Annotated[
        str, typer.Option(metavar="NAME,...", help="Only answers of these methods of the runs, separated by commas.")
    ] = "",
    reader: Annotated[
        str, typer.Option(metavar="NAME", help="The reader; `hopweave list readers` lists them; or FILE.py:CLASS.")
    ] = "",
    llm: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The language model, if the reader uses it; `hopweave list llms` lists them; or FILE.py:CLASS.",
        ),
    ] = "",
    start: Annotated[float | None, typer.Option(help="First threshold; default: 1.0 for theta, 0.30 for alpha.")] = None,
    stop: Annotated[float | None, typer.Option(help="Last threshold; default: nothing above theta, 0.50 for alpha.")] = None,
    step: Annotated[float | None, typer.Option(help="Step size; default: 0.1 for theta, 0.05 for alpha.")] = None,
    limit: Annotated[int | None, typer.Option(help="At most this many pairs, from the beginning of the file.")] = None,
    format_: Annotated[
        Literal["auto", "pairs", "musique"], typer.Option("--format", help="Format of the file; auto looks at its first row.")
    ] = "auto",
    rouge: Annotated[Literal["f1", "precision"], typer.Option(help="Which ROUGE-L alpha is compared with.")] = "precision",
    replay: Annotated[bool, typer.Option("--replay", help="Read from the store alone, without calling a model.")] = False,
    profile: Profile = "",
    set_: Assignments = None,
    config: Config = None,
) -> None:
    """Fit the confidence of answers on a run, or choose a reader's threshold.

    Runs, of one model: the probability that an answer is right is fitted on signals of its record, and the threshold of a tick
    is chosen so that ticks are right as often as wanted (docs/confidence.md). It needs --out.

    Pairs: the threshold that best separates pairs with the answer from pairs without, as SearChain did. A pair is positive if
    its passage contains a gold answer, and predicted positive if the reader's f is above theta.
    """
    for source in sources:
        if not source.exists():
            raise DataError(f"there is no {source}; give the folder of a run, or a JSONL file of pairs")
    if what == "confidence" or (what == "auto" and sources[0].is_dir()):
        of_pairs = {"reader": reader, "llm": llm, "start": start, "stop": stop, "step": step, "limit": limit}
        _refuse("on a run", "leave it out, or give pairs", **of_pairs)
        _calibrate_confidence(sources, out, at_least, listed(methods))
        return
    if len(sources) > 1:
        raise SettingsError(f"a threshold is chosen on one file of pairs, not on {len(sources)}; give one of them")
    _refuse("on pairs", "leave it out, or give a run", at_least=at_least, methods=methods)
    settings = settings_of(set_, config, replay=replay, reader=reader, llm=llm, profile=profile)
    pairs = _pairs(sources[0], format_, limit)
    if out is not None:
        _write(out, [])  # so that a file that cannot be written to is found before the work, not after it
    if what == "alpha":
        option, scored = "methods.searchain.alpha", _scored_for_alpha(pairs, rouge, out)
    else:
        what = "theta"
        option, scored = f"readers.{key_of('readers', settings.reader)}.theta", _scored_for_theta(settings, pairs, out)
    _report(what, option, scored, _range(what, start, stop, step))


def _calibrate_confidence(paths: Sequence[Path], out: Path | None, at_least: float | None, methods: Sequence[str]) -> None:
    from hopweave.evaluation.runs.folder import RunFolder
    from hopweave.evaluation.scoring.calibrating import WANTED, fitted

    wanted = WANTED if at_least is None else at_least
    if not 0 < wanted < 1:
        raise SettingsError(f"--at-least is a share between 0 and 1, not {wanted:g}")
    runs = [RunFolder.open(path) for path in paths]
    if out is None:
        raise SettingsError(
            f"the calibration of a run is written to a file; name it: hopweave calibrate {paths[0]} --out FILE.json"
        )
    found = [_labelled(run, methods) for run in runs]
    labelled, num_asked = [one for of_run, _ in found for one in of_run], sum(num for _, num in found)
    _check_one_model(labelled)
    made = fitted(labelled, llm=labelled[0].llm, methods=sorted({one.method for one in labelled}), wanted=wanted)
    write_out(out, made.to_json() + "\n")
    _say_fit(made, labelled, num_asked)
    say()
    say(f"written to {out}; use it with: --calibration {out}")


def _say_fit(made: Calibration, labelled: Sequence[Labelled], num_asked: int) -> None:
    """Prints what a calibration was fitted on, how good it is, and what it promises."""
    say(f"{made.num_labels} answers with a known answer, {made.num_right} of them right")
    for method in made.methods if len(made.methods) > 1 else ():
        of = [one.is_right for one in labelled if one.method == method]
        say(f"  {method}: {len(of)} answers, {sum(of)} of them right")
    if num_asked > len(labelled):
        say(f"  left out, as they have no answer or no known one: {num_asked - len(labelled)}")
    say(f"  expected calibration error {made.ece:.3f}, Brier score {made.brier:.3f}, of answers left out of the fit")
    say()
    for line in _promise(made):
        say(line)


def _labelled(run: RunFolder, methods: Sequence[str]) -> tuple[list[Labelled], int]:
    """The answers of a run that can be calibrated with, and how many questions there are.

    Raises:
        DataError: if there are none, answers were withheld, or there is no such method.
    """
    from hopweave.evaluation.scoring.calibrating import labelled_in

    for method in methods:
        if method not in run.plan.methods:
            raise DataError(f"the run in {run.path} has no method {method!r}; {suggest(method, run.plan.methods)}")
    if run.plan.settings.get("require_support") or run.plan.settings.get("min_confidence"):
        raise DataError(
            f"the run in {run.path} withheld answers, so it does not show how often they are right; make another one without "
            "require_support and min_confidence"
        )
    labelled = list(labelled_in(run, methods))
    if not labelled:
        raise DataError(
            f"no question of the run in {run.path} has an answer and a known one to compare it with; give the questions known "
            "answers (docs/datasets.md), and finish the run with: hopweave evaluate"
        )
    num_asked = sum(len(run.examples(dataset)) for dataset in run.plan.datasets) * len(methods or run.plan.methods)
    return labelled, num_asked


def _check_one_model(labelled: Sequence[Labelled]) -> None:
    llms = sorted({one.llm for one in labelled})
    if len(llms) > 1:
        raise DataError(f"the answers are of several models, {' and '.join(llms)}; a calibration is for one")


def _promise(made: Calibration) -> Iterator[str]:
    """What is known about answers with a tick."""
    ticks = made.guarantee
    if not ticks.num_ticked:
        yield "no answer gets a tick, as no passage bears one out; see why with: hopweave show"
        return
    yield (
        f"a tick for a supported answer from a confidence of {made.threshold:.2f}: {ticks.num_ticked} answers, "
        f"{ticks.num_right} of them right"
    )
    yield f"  so at least {100 * ticks.at_least:.0f}% of ticks are right (exact one-sided interval, level {ticks.level:g})"
    if ticks.at_least < made.wanted:
        yield f"  that is less than the {100 * made.wanted:.0f}% wanted: label more questions, or want less with --at-least"


def _refuse(what: str, instead: str, **given: object) -> None:
    """Refuses options that would have no effect.

    Raises:
        SettingsError: for the first that was given.
    """
    for name, value in given.items():
        if value not in (None, "", False):
            raise SettingsError(f"--{name.replace('_', '-')} has no effect {what}; {instead}")


def _pairs(file: Path, format_: Literal["auto", "pairs", "musique"], limit: int | None) -> list[Pair]:
    """The pairs of a file, or the first of them.

    Raises:
        SettingsError: for a limit below 1.
        DataError: as `pairs_of_file`.
    """
    from hopweave.evaluation.scoring.reader_thresholds import pairs_of_file

    if limit is not None and limit < 1:
        raise SettingsError(f"--limit must be at least 1, not {limit}")
    return pairs_of_file(file, format_)[:limit]


def _range(what: str, start: float | None, stop: float | None, step: float | None) -> tuple[float, float | None, float]:
    """The first and last threshold, and the step between them: the given ones, and the usual ones for those not given."""
    usual_start, usual_stop, usual_step = _RANGES[what]
    return (
        usual_start if start is None else start,
        usual_stop if stop is None else stop,
        usual_step if step is None else step,
    )


def _scored_for_theta(settings: Settings, pairs: Sequence[Pair], out: Path | None) -> list[Scored]:
    from hopweave.evaluation.scoring.reader_thresholds import scored_by_reader
    from hopweave.record import what_failed

    outcomes, reader = _read(settings, pairs)
    if out is not None:
        _write(out, [_row_of_reading(outcome) for outcome in outcomes])
    scored = scored_by_reader(outcomes)
    failures = Counter(what_failed(outcome.failure.kind) for outcome in outcomes if outcome.failure is not None)
    say(f"{len(pairs)} pairs read by {reader}")
    if failures:
        counts = ", ".join(f"{kind} ({number:,})" for kind, number in sorted(failures.items()))
        say(f"  failed and not scored: {counts}")
    if not scored:
        first = next(outcome.failure for outcome in outcomes if outcome.failure is not None)
        raise RunError(f"nothing could be read: {first.in_words}")
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
    num_done = 0
    with bar("reading", total) as advance:

        def on_done(_: Outcome) -> None:
            nonlocal num_done
            num_done += 1
            advance()
            if not sys.stderr.isatty() and num_done % max(1, total // 10) == 0:
                say(f"read {num_done} of {total}", err=True)

        yield on_done


def _report(what: str, option: str, scored: Sequence[Scored], within: tuple[float, float | None, float]) -> None:
    from hopweave.evaluation.scoring.reader_thresholds import best_of, f1_interval, sweep, thresholds
    from hopweave.evaluation.scoring.statistics import NUM_FIGURE_RESAMPLES

    start, stop, step = within
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
    likely = ""
    if interval is not None:
        samples = f"{NUM_FIGURE_RESAMPLES:,} bootstrap samples of queries"
        likely = f", 95% interval {interval.low:.3f} to {interval.high:.3f} ({samples})"
    say()
    say(f"best: {what} = {best.threshold:g}, F1 {_shown(best.f1)}{likely}")
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
