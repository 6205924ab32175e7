"""Holds the report of a run to the numbers that the records give."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hopweave.core.errors import HopweaveError
from hopweave.core.files import read_json, read_whole
from hopweave.evaluation.integrity.diff import Problem, Verification, differing_lines, differing_values, lines_of, num_numbers
from hopweave.evaluation.integrity.verify_inputs import hash_of_run_file
from hopweave.evaluation.reports import report
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.scoring import comparisons
from hopweave.evaluation.scoring.comparisons import Comparisons
from hopweave.evaluation.scoring.score import Score, write_scores
from hopweave.evaluation.scoring.summary import Summary

_FOLDER = "report"
_WITH_PLOTS = (".svg", ".html", ".md")
_NUMBERS = f"{_FOLDER}/{report.NUMBERS}"


@dataclass(slots=True)
class Again:
    """What the records give."""

    scores: list[Score] = field(default_factory=list)
    summary: Summary | None = None
    tables: list[Comparisons] = field(default_factory=list)


def check_report(run: RunFolder, found: Verification, again: Again | None) -> None:
    """Checks the report of a run, if it has one.

    Args:
        run: whose report it is.
        found: told of what differs.
        again: what the records give; `None` where that is not known, so that only the files' hashes are checked.
    """
    folder = run.path / _FOLDER
    if not folder.exists():
        return
    try:
        there = read_json(read_whole(folder / report.NUMBERS))
        files: Mapping[str, str] = {str(name): str(held) for name, held in there["files"].items()}
        run_name, sources = Path(there["run"]).name, there.get("made_of")
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        found.differs(_NUMBERS, None, f"it cannot be read: {error}; run report again: hopweave report {run.path}")
        return
    if again is None or again.summary is None:
        _hold_to_hashes(folder, files, found)
        found.unchecked.append(
            "the numbers of the report, since scores cannot be computed; only its files' hashes were checked"
        )
        return
    try:
        made = _report_again(run, again, run_name)
    except (HopweaveError, OSError, ValueError) as error:
        found.differs(_NUMBERS, None, f"it cannot be computed again: {error}")
        return
    right = json.loads(made.pop(report.NUMBERS))
    if not found.altered and sources not in (right["made_of"], report.made_of(run)):
        what = "it is older than the scores and comparisons of this run; run report again: hopweave report"
        found.differs(_FOLDER, None, f"{what} {run.path}")
        _hold_to_hashes(folder, files, found)
        return
    _hold_files(folder, there, right, made, found)


def _hold_to_hashes(folder: Path, files: Mapping[str, str], found: Verification) -> None:
    for name, expected in files.items():
        hash_of_run_file(folder / name, expected, f"{_FOLDER}/{name}", found)


def _hold_files(folder: Path, there: Any, right: Any, made: Mapping[str, str], found: Verification) -> None:
    """Where the numbers differ, a text that was written along with them differs by that alone, and is counted."""
    found.count("numbers", num_numbers(right))
    numbers = differing_values(there, right, but=("made_of", "files", "drawn_by"))
    is_drawn_alike = there.get("drawn_by") == right["drawn_by"]
    if not is_drawn_alike:
        _hold_plots_to_their_hashes(folder, there, str(right["drawn_by"]), found)
    for name, text in made.items():
        if not is_drawn_alike and name.endswith(_WITH_PLOTS):
            continue
        found.count("files")
        problems, is_as_made = _file_problems(folder / name, text, there["files"].get(name))
        if problems and numbers and is_as_made:
            numbers += problems
        else:
            found.hold_after(f"{_FOLDER}/{name}", problems)
    if not numbers and is_drawn_alike and there["files"] != right["files"]:
        numbers = differing_values(there, right, but=("made_of",))
    found.hold_after(_NUMBERS, numbers)


def _hold_plots_to_their_hashes(folder: Path, there: Any, here: str, found: Verification) -> None:
    """Another version of the library draws other bytes, so that plots and the pages that show them cannot be made again."""
    _hold_to_hashes(folder, {name: str(held) for name, held in there["files"].items() if name.endswith(_WITH_PLOTS)}, found)
    by = there.get("drawn_by") or "something else"
    found.unchecked.append(
        f"the plots of the report, drawn by {by}, and the pages that show them: here there is {here or 'no matplotlib'}, so "
        "only the hashes of these files were checked"
    )


def _file_problems(place: Path, text: str, held: str | None) -> tuple[list[Problem], bool]:
    """What is wrong with a file of the report, and whether it is as it was when the report was made."""
    try:
        problems = differing_lines(lines_of(place), text.split("\n"))
        return problems, report.hash_of(read_whole(place).decode()) == held
    except (OSError, UnicodeDecodeError) as error:
        return [(None, f"it cannot be read: {error}")], False


def _report_again(run: RunFolder, again: Again, name: str) -> dict[str, str]:
    """The files of the report of a copy of the run that holds what was computed again instead of what is written.

    The copy has the name that the run had when the report was made, which the report gives in its commands.
    """
    with TemporaryDirectory(prefix="hopweave-verify-") as place:
        path = Path(place) / name
        path.mkdir()
        for part in ("plan.json", "manifest.json", "examples", "records"):
            if (run.path / part).exists():
                (path / part).symlink_to((run.path / part).resolve())
        copy = RunFolder(path, run.plan)
        write_scores(copy, again.scores)
        if again.summary is not None:
            again.summary.write(copy)
        comparisons.keep_comparisons(copy, again.tables)
        return dict(report.report_again(copy))
