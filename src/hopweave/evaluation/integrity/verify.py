"""Recomputes every number of a run from its records, and reports differences from what is written, by file, line and value.

What is checked against what:

    data, index, plan, examples    the hashes in manifest.json; for an index, its own checksums too
    manifest.json                  its seal
    records                        their proof and the examples; each citation against the passage that it quotes, and
                                   each reply of the model against the store
    scores.jsonl, scores.json      the scores and tables that the records give
    compare.json                   the comparisons that the records give
    report/                        the numbers that the records give

One cause is one difference; differences that only follow from an earlier one are counted. Anything that is not available
for checking is listed separately: a run whose data is elsewhere has no difference for that.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hopweave.core.errors import DataError, HopweaveError, SettingsError
from hopweave.core.files import read_json, read_whole
from hopweave.core.part_files import part_file
from hopweave.evaluation.integrity.diff import (
    Problem,
    Verification,
    differing_lines,
    differing_values,
    line_difference,
    lines_of,
    num_numbers,
)
from hopweave.evaluation.integrity.manifest import NAME, Manifest
from hopweave.evaluation.integrity.verify_inputs import check_inputs, hash_of_run_file
from hopweave.evaluation.integrity.verify_records import check_records
from hopweave.evaluation.reports import report
from hopweave.evaluation.reports.reproduce import compare_command
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.runs.paths import Base, find
from hopweave.evaluation.scoring import compare, comparisons, summary
from hopweave.evaluation.scoring.comparisons import Comparisons, sibling_run
from hopweave.evaluation.scoring.score import LINES, OpenMetric, Score, records_hashes, score_run, write_scores
from hopweave.evaluation.scoring.summary import Summary
from hopweave.run.trust import PLAN, trusting_for_now

_FOLDER = "report"
_WITH_PLOTS = (".svg", ".html", ".md")
_NUMBERS = f"{_FOLDER}/{report.NUMBERS}"


def verify(path: Path, server: str = "") -> Verification:
    """Checks a run.

    Args:
        path: of its folder.
        server: the address of the store that the run used, if it is on a server.

    Raises:
        DataError: if there is no run.
    """
    run, found = RunFolder.open(path), Verification()
    known = check_inputs(run, found)
    again = None
    if check_records(run, known, found, server):
        again = _Computing(run, known, found).again()
    else:
        found.unchecked.append("scores, comparisons and report, since the records or examples cannot be read")
    _check_report(run, found, again)
    return found


@dataclass(slots=True)
class _Recomputed:
    """What the records give."""

    scores: list[Score] = field(default_factory=list)
    summary: Summary | None = None
    tables: list[Comparisons] = field(default_factory=list)


class _FileMissing(Exception):
    """A file that a metric reads is missing."""


@dataclass(slots=True)
class _Computing:
    """Recomputes scores and comparisons and checks them against what is written."""

    run: RunFolder
    known: Manifest | None
    found: Verification
    _scored: dict[str, list[Score]] = field(default_factory=dict)

    def again(self) -> _Recomputed | None:
        """What the records give; `None` if it cannot be computed."""
        made = _Recomputed()
        try:
            try:
                there = summary.read_summary(self.run)
                if there is not None:
                    self._summarize(there, made)
                elif (self.run.path / LINES).exists():
                    what = f"it is missing next to {LINES}; make both again with: hopweave score {self.run.path}"
                    self.found.differs(summary.FILE, None, what)
            except (HopweaveError, LookupError, TypeError, ValueError, AttributeError) as error:
                self.found.differs(summary.FILE, None, f"it cannot be computed again: {error}")
                made.summary = None
            return made if self._compared(made) else None
        except _FileMissing as error:
            self.found.unchecked.append(f"scores, comparisons and report, since {error}")
            return None

    def _summarize(self, there: Mapping[str, Any], made: _Recomputed) -> None:
        self._check_age(there)
        opened = [self._with_files(metric) for metric in summary.metrics_of(there)]
        made.scores = score_run(self.run, opened)
        self._hold_scores(made.scores)
        made.summary = summary.summarize(
            self.run, made.scores, opened, left_out=there["left_out"], by=there["by"], seed=int(there["seed"])
        )
        expected = made.summary.to_json()
        self.found.count("numbers", num_numbers(expected))
        self.found.hold_after(summary.FILE, differing_values(there, expected))

    def _check_age(self, there: Mapping[str, Any]) -> None:
        """Scores of a run that was resumed since are out of date, which is one cause for all differences."""
        now, then = records_hashes(self.run), dict(there["records"])
        new = {cell for cell in {*now, *then} if now.get(cell) != then.get(cell)}
        if new and not self.found.altered:
            what = f"it was made before the records of {min(new)} were; run score again: hopweave score {self.run.path}"
            self.found.differs(summary.FILE, None, what)
            self.found.altered |= new

    def _with_files(self, metric: OpenMetric) -> OpenMetric:
        """A metric whose options name files, with the files where they are now."""
        base = self.known.base if self.known is not None else Base()
        moved = {}
        for option, value in metric.options.items():
            if not isinstance(value, str) or not Path(value).suffix:
                continue
            place = find(value, base, self.run.path)
            if place is None:
                raise _FileMissing(f"{value} is not here, which the metric {metric.name} reads")
            moved[option] = str(place)
        if metric.metric is None or not moved:
            return metric
        return replace(metric, metric=replace(metric.metric, **moved))  # type: ignore[type-var]

    def _hold_scores(self, scores: Sequence[Score]) -> None:
        expected = [score.to_json() for score in scores]
        self.found.count("lines", len(expected))
        try:
            lines = lines_of(self.run.path / LINES)
        except (OSError, UnicodeDecodeError) as error:
            self.found.differs(LINES, None, f"it cannot be read: {error}")
            return
        if lines == (expected or [""]):
            return
        own: list[Problem] = []
        for cell, problem in _differing_scores(lines, expected):
            if cell in self.found.altered:
                self.found.follows[LINES] += 1
            else:
                own.append(problem)
        self.found.hold(LINES, own)

    def _compared(self, made: _Recomputed) -> bool:
        try:
            kept = comparisons.kept_comparisons(self.run)
        except DataError as error:
            self.found.differs(comparisons.FILE, None, str(error))
            return False
        old = self._outdated_of(kept)
        for table in kept:
            why = self._why_unchecked(table)
            if why:
                self.found.unchecked.append(f"{comparisons.FILE}, {table.dataset}, {table.column}: not computed again {why}")
                made.tables += [table] if table.key not in old else []  # of an outdated table there is nothing to go by
                continue
            try:
                made.tables.append(compare.again(self.run, table, self._scores_for(table)))
            except HopweaveError as error:
                what = f"{table.dataset}, {table.column}: it cannot be computed again: {error}"
                self.found.differs(comparisons.FILE, None, what)
                return False
        if kept:
            there = read_json(read_whole(self.run.path / comparisons.FILE))
            expected = comparisons.document(made.tables)
            self.found.count("numbers", num_numbers(expected))
            self.found.hold_after(comparisons.FILE, differing_values(there, expected))
        return True

    def _outdated_of(self, kept: Sequence[Comparisons]) -> set[tuple[Any, ...]]:
        """The keys of tables that are out of date, like scores in `_check_age`."""
        old = comparisons.outdated(self.run, kept)
        for table, changed in old:
            if not self.found.altered:
                again = f"run compare again: {compare_command(self.run, table)}"
                self.found.differs(comparisons.FILE, None, f"it was made before the records of {changed[0]} were; {again}")
            self.found.altered |= set(changed)
        return {table.key for table, _ in old}

    def _why_unchecked(self, table: Comparisons) -> str:
        """Why a table cannot be computed here; empty if it can."""
        gone = [one.name for one in table.runs if one.name and sibling_run(self.run, one.name) is None]
        if gone:
            return f"without the run {gone[0]} next to this one"
        if part_file(table.metric) is not None:
            try:
                compare.opened_again(self.run, table)
            except SettingsError as error:
                return f"since {error}; to make it again, run: {compare_command(self.run, table)}"
            except DataError:  # a file that has changed is a difference
                return ""
        return ""

    def _scores_for(self, table: Comparisons) -> list[Score]:
        key = json.dumps([table.metric, table.options, table.forms], sort_keys=True, default=str)
        if key not in self._scored:
            metric = self._with_files(compare.opened_again(self.run, table))
            self._scored[key] = score_run(self.run, [metric])
        return self._scored[key]


def _differing_scores(lines: Sequence[str], expected: Sequence[str]) -> list[tuple[str, Problem]]:
    """The lines of scores that are not as expected, each with its cell; compared with the line of the same record."""
    right = {_key_of(line): line for line in expected}
    now = [_key_of(line) for line in lines]
    times = Counter(now)
    found: list[tuple[str, Problem]] = []
    for number, (key, line) in enumerate(zip(now, lines, strict=True), start=1):
        if key not in right:
            found.append((_cell_of(key), (number, f"it belongs to no record: {line[:80]}")))
        elif line != right[key]:
            found.append((_cell_of(key), (number, line_difference(line, right[key]))))
        elif times[key] > 1:
            times[key] -= 1
            found.append((_cell_of(key), (number, f"it occurs twice: {' '.join(key)}")))
    found += [(_cell_of(key), (None, f"the line of {' '.join(key)} is missing")) for key in right if key not in times]
    if not found:
        number = next(number for number, pair in enumerate(zip(lines, expected, strict=True), start=1) if pair[0] != pair[1])
        found.append(("", (number, "its lines are in another order")))
    return found


def _key_of(line: str) -> tuple[str, ...]:
    """Dataset, method, question and metric; empty if it is not a score."""
    try:
        data = read_json(line)
        return tuple(str(data[name]) for name in ("dataset", "method", "question", "metric"))
    except (ValueError, LookupError, TypeError):
        return ()


def _cell_of(key: tuple[str, ...]) -> str:
    return "/".join(key[:2])


def _check_report(run: RunFolder, found: Verification, again: _Recomputed | None) -> None:
    """Checks the report of a run, if it has one.

    Args:
        run: whose report it is.
        found: receives the differences.
        again: what the records give; `None` where that is not known, so only the files' hashes are checked.
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
    """Where the numbers differ, a text that was written with them differs because of that, and is only counted."""
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
    """Another version of the library draws other bytes, so plots and the pages that show them cannot be reproduced."""
    _hold_to_hashes(folder, {name: str(held) for name, held in there["files"].items() if name.endswith(_WITH_PLOTS)}, found)
    by = there.get("drawn_by") or "something else"
    found.unchecked.append(
        f"the plots of the report, drawn by {by}, and the pages that show them: here there is {here or 'no matplotlib'}, so "
        "only the hashes of these files were checked"
    )


def _file_problems(place: Path, text: str, held: str | None) -> tuple[list[Problem], bool]:
    """What is wrong with a file of the report, and whether it is unchanged since the report was made."""
    try:
        problems = differing_lines(lines_of(place), text.split("\n"))
        return problems, report.hash_of(read_whole(place).decode()) == held
    except (OSError, UnicodeDecodeError) as error:
        return [(None, f"it cannot be read: {error}")], False


def _report_again(run: RunFolder, again: _Recomputed, name: str) -> dict[str, str]:
    """The report files of a copy of the run that holds the recomputed values instead of the written ones.

    The copy has the name that the run had when the report was made, which the report uses in its commands.
    """
    with TemporaryDirectory(prefix="hopweave-verify-") as place, trusting_for_now():
        path = Path(place) / name
        path.mkdir()
        for part in (PLAN, NAME, "examples", "records"):
            if (run.path / part).exists():
                (path / part).symlink_to((run.path / part).resolve())
        copy = RunFolder(path, run.plan)
        write_scores(copy, again.scores)
        if again.summary is not None:
            again.summary.write(copy)
        comparisons.write_comparisons(copy, again.tables)
        return dict(report.report_again(copy))
