"""Files that are nested too deeply, too wide, too slow, or inflate: one line names the limit, and no document is cut off."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from support.oversized import LONG, NESTED, WIDE, StepClock, as_bytes, inflated_pdf

from hopweave.core.errors import DataError
from hopweave.core.types import Passage
from hopweave.ingest import deadline
from hopweave.ingest.office_tables import MAX_COLUMNS
from hopweave.ingest.read import CorpusOptions, read_corpus
from hopweave.ingest.tally import Tally

from ..attack import Attack, Trial
from .corpora import one_line

MAX_MEGABYTES = 1_100
"""Of a page of a PDF, decompressed."""


def nested(trial: Trial) -> None:
    """A file is nested up to the limit or beyond it."""
    name = trial.random.choice([*NESTED])
    deepest, make = NESTED[name]
    factor = trial.random.choice([1 / 50, 1 / 2, 1.1, 3, 30])
    depth = max(6, round(factor * deepest))
    trial.shows(f"{name}, {depth:,} deep")
    _holds(trial, name, make(depth), "is nested too deeply" if factor > 1 else "")


def wide(trial: Trial) -> None:
    """A row has columns up to the limit or beyond it."""
    name = trial.random.choice([*WIDE])
    what, make = WIDE[name]
    num = trial.random.choice([MAX_COLUMNS // 100, MAX_COLUMNS, MAX_COLUMNS + 1, 20 * MAX_COLUMNS])
    trial.shows(f"{name}, {num:,} {what}")
    _holds(trial, name, make(num), f"has {num:,} {what}, more than {MAX_COLUMNS:,}" if num > MAX_COLUMNS else "")


def inflated(trial: Trial) -> None:
    """A page of a PDF inflates, whichever way; the other page is read all the same."""
    num_mb = trial.random.choice([80, 150, 400, MAX_MEGABYTES])
    how = trial.random.choice([{}, {"layers": 2}, {"layers": 3}, {"in_form": True}, {"parts": 100}])
    other = trial.random.choice([(), ("The second page.",)])
    trial.shows(f"{num_mb} MB, {how}, {other}")
    content = inflated_pdf(1 + num_mb // 100 if "parts" in how else num_mb, *other, **how)
    _holds(trial, "a.pdf", content, "is too large to be read", num_kept=len(other))


def slow(trial: Trial) -> None:
    """A file is read within its time, which is counted in steps, or stopped there; of a document nothing is handed out."""
    name = trial.random.choice([*LONG])
    seconds, num = trial.random.choice([1, 5, 30, 200, 100_000]), trial.random.choice([10, 100, 1_000])
    trial.shows(f"{name}, {num} times, {seconds} steps")
    (trial.folder / name).write_bytes(as_bytes(LONG[name](num)))
    whole = _read(trial, Tally())
    tally, clock = Tally(), StepClock()
    with _clock(clock):
        found = _read(trial, tally, max_seconds=seconds)
    assert 0 < clock.num_looks <= seconds + 3 + 2 * len(found), clock.num_looks
    if not tally.unread:
        assert found == whole
        return
    [unread] = tally.unread
    assert f"took longer than {seconds} seconds to read" in unread.reason, unread.reason
    assert found == whole[: len(found)]
    assert unread.num_passages == len(found)
    assert not found or name.endswith((".json", ".jsonl", ".csv"))


@contextmanager
def _clock(clock: StepClock) -> Iterator[None]:
    ours, deadline.monotonic = deadline.monotonic, clock
    try:
        yield
    finally:
        deadline.monotonic = ours


def _read(trial: Trial, tally: Tally, **options: int) -> list[Passage]:
    given = CorpusOptions(lenient=True, max_words=20, **options)
    try:
        return list(read_corpus([trial.folder], options=given, tally=tally))
    except DataError:  # there is nothing else in the folder
        return []


def _holds(trial: Trial, name: str, content: str | bytes, reason: str, num_kept: int = 0) -> None:
    """Beside a good file, a file is read as a whole if there is no reason against it; else it is named with the reason."""
    (trial.folder / "good.txt").write_text("good")
    (trial.folder / name).write_bytes(as_bytes(content))
    tally = Tally()
    found = _read(trial, tally)
    assert "good.txt" in {passage.id for passage in found}
    if not reason:
        assert not tally.unread, tally.unread
        assert len(found) > 1
        return
    [unread] = tally.unread
    assert unread.reason.startswith(name)
    assert reason in unread.reason, unread.reason
    assert len(found) - 1 == unread.num_passages == num_kept
    one_line(ValueError(unread.reason))


ATTACKS = (
    Attack("nested", "what is nested too deeply is one line that names it, and the rest is read", nested, 400, 12),
    Attack("wide", "a row that is too wide is one line that names it, and the rest is read", wide, 200, 8),
    Attack("inflated", "a PDF that inflates is said to be too large, and no scan", inflated, 60, 3),
    Attack("slow", "a file is read in its time, or stopped, and no document by half", slow, 600, 20),
)
