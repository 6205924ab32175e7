"""Everything that reads a file which a user gives, by what the file is; and a guard against what would be waited for."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hopweave.answering.methods.chain_of_thought.auto_cot import read_pool
from hopweave.answering.methods.dsp._demonstrate import training_of
from hopweave.apps.cli._record_files import chosen, read_lines
from hopweave.apps.cli.again import _read_changes
from hopweave.apps.server.server_settings import read_server_settings
from hopweave.citations.entailment import read_judgements
from hopweave.core.errors import HopweaveError, SettingsError
from hopweave.core.part_files import hashes
from hopweave.core.prompt import Prompts
from hopweave.core.types import Question
from hopweave.evaluation.datasets.jsonl import JSONLines
from hopweave.evaluation.integrity import checksums
from hopweave.evaluation.integrity.manifest import hash_source
from hopweave.evaluation.judging.annotation import read_sheet
from hopweave.evaluation.judging.judge import _known
from hopweave.evaluation.runs.run_plan import Flags, read_plan
from hopweave.evaluation.scoring.reader_thresholds import pairs_of_file
from hopweave.models.llms.scripted import read_rules
from hopweave.models.prices import price_of
from hopweave.retrieval.encoders.encoders import given_vectors
from hopweave.run.settings_files import found_toml
from hopweave.run.staleness import Checked, kept_records

Reads = Callable[[Path], object]


def stale(path: Path) -> None:
    """What `hopweave stale` reads; what it only names as unchecked is raised here."""
    checked = Checked()
    list(kept_records([path], checked))
    if checked.unchecked:
        raise SettingsError(checked.unchecked[0])


def part_file(path: Path) -> object:
    """A part in a file, which has the suffix of one."""
    named = path.with_suffix(".py")
    path.rename(named)
    return hashes(str(named))


LINES: Mapping[str, Reads] = {
    "show": lambda path: chosen(path, None, None),
    "show --list": lambda path: list(read_lines(path)),
    "stale": stale,
    "records of a run": lambda path: list(checksums.lines_in(path)),
    "verdicts": read_judgements,
    "verdicts to go on with": _known,
    "sheet": read_sheet,
    "pairs": pairs_of_file,
    "training questions": lambda path: training_of(path, Question("q", "Who?"), None, 0),
    "pool": read_pool,
}
"""Of files of lines."""

WHOLE: Mapping[str, Reads] = {
    "settings": found_toml,
    "settings of a server": lambda path: read_server_settings(path, {}),
    "plan": lambda path: read_plan(path, Flags()),
    "prices": lambda path: price_of("m", path),
    "rules": read_rules,
    "prompts": Prompts,
    "changes": _read_changes,
    "part": part_file,
}
"""Of files that are held in memory as a whole."""

OTHERS: Mapping[str, Reads] = {
    "questions": lambda path: list(JSONLines(path).examples()),
    "source": hash_source,
    "vectors": given_vectors,
}
"""Of files that have limits of their own, or none."""

READERS = {**LINES, **WHOLE, **OTHERS}


@contextmanager
def no_waiting(seconds: float = 20) -> Iterator[None]:
    """Ends what would wait for a pipe, or read a device without an end."""

    def ended(*_: Any) -> None:
        raise AssertionError("it waits, or reads without an end")

    before = signal.signal(signal.SIGALRM, ended)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def refusal_of(reads: Reads, path: Path) -> HopweaveError | None:
    """The error with which a file is refused; `None` if it is read."""
    with no_waiting():
        try:
            reads(path)
        except HopweaveError as error:
            return error
    return None
