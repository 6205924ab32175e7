"""Holds the records of a run to their proof, to the examples, the manifest and the store, and citations to their passages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hopweave.core.errors import DataError
from hopweave.core.types import Example
from hopweave.evaluation.integrity import checksums
from hopweave.evaluation.integrity.diff import Problem, Verification
from hopweave.evaluation.integrity.manifest import Manifest
from hopweave.evaluation.integrity.verify_inputs import hash_of_run_file, is_settled
from hopweave.evaluation.integrity.verify_replies import KeptReplies
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.record import Record

_PARTICULARS = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")
"""What tells one problem of a kind from another: names and numbers."""


def check_records(run: RunFolder, known: Manifest | None, found: Verification, server: str = "") -> bool:
    """Checks examples and records; whether all of them can be read. A store on a server is asked if it is `server`."""
    checks = _Checks(run, known, found)
    with KeptReplies.of(run, known, found, server) as replies:
        for dataset in run.plan.datasets:
            try:
                examples = {example.question.id: example for example in run.examples(dataset)}
            except DataError as error:
                checks.can_score = False
                if not any(one.file == f"examples/{dataset}.jsonl" for one in found.differences):
                    found.differs(f"examples/{dataset}.jsonl", None, str(error))
                continue
            found.count("examples", len(examples))
            for method in run.plan.methods:
                checks.check(dataset, method, examples, replies)
    for what, places in checks.setups.items():
        name, line = places[0]
        found.differs(name, line, what if len(places) == 1 else f"{what}; so it is with {len(places) - 1:,} more records")
    return checks.can_score


@dataclass(slots=True)
class _Checks:
    """What is found over all cells.

    Attributes:
        can_score: whether all records can be read.
        setups: what a record says of its making that is not as in the manifest, with all places where it stands.
    """

    run: RunFolder
    known: Manifest | None
    found: Verification
    can_score: bool = True
    setups: dict[str, list[tuple[str, int]]] = field(default_factory=dict)

    def check(self, dataset: str, method: str, examples: dict[str, Example], replies: KeptReplies) -> None:
        """Checks a cell."""
        place = self.run.records_path(dataset, method)
        name = place.relative_to(self.run.path).as_posix()
        problems: dict[int, list[str]] = {}
        for number, what in checksums.problems(place, examples):
            problems.setdefault(number, []).append(what)
        is_whole = not problems
        seen: set[str] = set()
        for number, line in _lines(place):
            try:
                record = Record.from_json(line)
            except DataError as error:
                problems.setdefault(number, []).append(str(error))
                self.can_score = False
                continue
            seen.add(record.question.id)
            self.found.count("records")
            self.found.count("citations", len(record.answer.citations) if record.answer is not None else 0)
            for what in self._question_problems(dataset, record, examples):
                problems.setdefault(number, []).append(what)
            for what in _setup_problems(record, method, self.known):
                self.setups.setdefault(what, []).append((name, number))
            if number not in problems:
                replies.check(record, name, number)
        self._tell(name, problems)
        if problems or not self._has_known_hash(f"{dataset}/{method}", place, name):
            self.found.altered.add(f"{dataset}/{method}")
        elif is_whole and len(seen) < len(examples):
            self.found.notes.append(f"{name} lacks {len(examples) - len(seen)} of {len(examples)} questions")

    def _tell(self, name: str, problems: dict[int, list[str]]) -> None:
        """Tells the first problem of each kind and counts the others of it."""
        kinds: dict[str, list[Problem]] = {}
        for number, what in sorted(problems.items()):
            kinds.setdefault(_PARTICULARS.sub("", what[0]).partition(":")[0], []).append((number, "; ".join(what)))
        for of_one_kind in kinds.values():
            self.found.hold(name, of_one_kind)

    def _question_problems(self, dataset: str, record: Record, examples: dict[str, Example]) -> Iterator[str]:
        example = examples.get(record.question.id)
        if example is None:
            self.can_score = False
            yield f"question {record.question.id!r} is not among the examples of {dataset!r}"
        elif example.question != record.question:
            yield f"question {record.question.id!r} is not as it stands in the examples"

    def _has_known_hash(self, cell: str, place: Path, name: str) -> bool:
        if self.known is None or not is_settled(self.known) or cell not in self.known.records:
            return True
        return hash_of_run_file(place, self.known.records[cell].sha256, name, self.found)


def _lines(place: Path) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(checksums.lines_in(place), start=1):
        yield number, line.decode("utf-8", "replace")


def _setup_problems(record: Record, method: str, known: Manifest | None) -> Iterator[str]:
    if known is None:
        return
    if record.setup.llm != known.llm:
        yield f"it was answered by {record.setup.llm}, and the manifest names {known.llm}"
    if record.setup.options != known.methods.get(method, record.setup.options):
        yield f"it was answered under other options of {method} than the manifest names"
    for name, fingerprint in record.setup.prompts.items():
        if is_settled(known) and fingerprint not in known.prompts.get(name, ()):
            yield f"prompt {name} had fingerprint {fingerprint}, which the manifest does not name"
