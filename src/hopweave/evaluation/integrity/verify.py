"""Computes every number of a run again from its records, and says what differs from what is written, by file, line and value.

What is held to what:

    data, index, plan, examples    to the hashes in manifest.json; an index to its own checksums, too
    manifest.json                  to its seal
    records                        to their proof, to the examples, each citation to the passage that it quotes, and each reply
                                   of the model to the store
    scores.jsonl, scores.json      to the scores and tables that the records give
    compare.json                   to the comparisons that the records give
    report/                        to the numbers that the records give

One cause is one difference; differences that only follow from an earlier one are counted. Anything that is not there to be
checked is listed separately: it is no difference that a run lies where its data does not.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hopweave.core.errors import DataError, HopweaveError
from hopweave.core.files import read_json, read_whole
from hopweave.evaluation.integrity.diff import Problem, Verification, differing_values, line_difference, lines_of, num_numbers
from hopweave.evaluation.integrity.manifest import Manifest
from hopweave.evaluation.integrity.verify_inputs import check_inputs
from hopweave.evaluation.integrity.verify_records import check_records
from hopweave.evaluation.integrity.verify_report import Again, check_report
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.runs.paths import Base, find
from hopweave.evaluation.scoring import compare, comparisons, summary
from hopweave.evaluation.scoring.comparisons import Comparisons, sibling_run
from hopweave.evaluation.scoring.score import LINES, OpenMetric, Score, open_metrics, records_hashes, score_run


def verify(path: Path, server: str = "") -> Verification:
    """Checks a run.

    Args:
        path: of its folder.
        server: the address of the store that the run used, if that is on a server.

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
    check_report(run, found, again)
    return found


class _FileMissing(Exception):
    """A file that a metric reads is not here."""


@dataclass(slots=True)
class _Computing:
    """Scores and comparisons, computed again and held to what is written."""

    run: RunFolder
    known: Manifest | None
    found: Verification
    _scored: dict[str, list[Score]] = field(default_factory=dict)

    def again(self) -> Again | None:
        """What the records give; `None` if that cannot be computed."""
        made = Again()
        try:
            try:
                there = summary.read_summary(self.run)
                if there is not None:
                    self._summarize(there, made)
                elif (self.run.path / LINES).exists():
                    what = f"it is missing beside {LINES}; make both anew with: hopweave score {self.run.path}"
                    self.found.differs(summary.FILE, None, what)
            except (HopweaveError, LookupError, TypeError, ValueError, AttributeError) as error:
                self.found.differs(summary.FILE, None, f"it cannot be computed again: {error}")
                made.summary = None
            return made if self._compared(made) else None
        except _FileMissing as error:
            self.found.unchecked.append(f"scores, comparisons and report, since {error}")
            return None

    def _summarize(self, there: Mapping[str, Any], made: Again) -> None:
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
        """Scores of a run that went on since are too old, which is one cause for all that differs."""
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

    def _compared(self, made: Again) -> bool:
        try:
            kept = comparisons.kept_comparisons(self.run)
        except DataError as error:
            self.found.differs(comparisons.FILE, None, str(error))
            return False
        for table in kept:
            gone = [one.name for one in table.runs if one.name and sibling_run(self.run, one.name) is None]
            if gone:
                where = f"{comparisons.FILE}, {table.dataset}, {table.column}"
                self.found.unchecked.append(f"{where}: not computed again without the run {gone[0]} beside this one")
                made.tables.append(table)
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

    def _scores_for(self, table: Comparisons) -> list[Score]:
        key = json.dumps([table.metric, table.options], sort_keys=True, default=str)
        if key not in self._scored:
            metric = self._with_files(open_metrics([table.metric], {table.metric: table.options})[0][0])
            self._scored[key] = score_run(self.run, [metric])
        return self._scored[key]


def _differing_scores(lines: Sequence[str], expected: Sequence[str]) -> list[tuple[str, Problem]]:
    """The lines of scores that are not as expected, each with its cell; they are held to the line of the same record."""
    right = {_key_of(line): line for line in expected}
    now = [_key_of(line) for line in lines]
    times = Counter(now)
    found: list[tuple[str, Problem]] = []
    for number, (key, line) in enumerate(zip(now, lines, strict=True), start=1):
        if key not in right:
            found.append((_cell_of(key), (number, f"it is of no record: {line[:80]}")))
        elif line != right[key]:
            found.append((_cell_of(key), (number, line_difference(line, right[key]))))
        elif times[key] > 1:
            times[key] -= 1
            found.append((_cell_of(key), (number, f"it stands twice: {' '.join(key)}")))
    found += [(_cell_of(key), (None, f"the line of {' '.join(key)} is missing")) for key in right if key not in times]
    if not found:
        number = next(number for number, pair in enumerate(zip(lines, expected, strict=True), start=1) if pair[0] != pair[1])
        found.append(("", (number, "its lines stand in another order")))
    return found


def _key_of(line: str) -> tuple[str, ...]:
    """Dataset, method, question and metric; empty if it is no score."""
    try:
        data = read_json(line)
        return tuple(str(data[name]) for name in ("dataset", "method", "question", "metric"))
    except (ValueError, LookupError, TypeError):
        return ()


def _cell_of(key: tuple[str, ...]) -> str:
    return "/".join(key[:2])
