"""Checks the records of a run against their proof, the examples, the manifest and the store, and citations against passages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from hopweave.core.errors import DataError
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.postgres_connection import is_address
from hopweave.core.redaction import public_address
from hopweave.core.types import Example
from hopweave.evaluation.integrity import checksums
from hopweave.evaluation.integrity.diff import Problem, Verification
from hopweave.evaluation.integrity.manifest import Manifest
from hopweave.evaluation.integrity.verify_inputs import hash_of_run_file, is_settled
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.runs.paths import find
from hopweave.record import ModelCall, Record
from hopweave.run.store.store import Store, key_of
from hopweave.run.store.stores import open_store

_PARTICULARS = lazy_pattern(r"'[^']*'|\"[^\"]*\"|\d+")
"""What distinguishes problems of the same kind: names and numbers."""
_REPLACED = "\ufffd"
"""Replaces in a record what UTF-8 cannot encode, so the key under which it was asked is not known."""


def check_records(run: RunFolder, known: Manifest | None, found: Verification, server: str = "") -> bool:
    """Checks examples and records; returns whether all are readable. A store on a server is queried if it is `server`."""
    checks = _Checks(run, known, found)
    with _KeptReplies.of(run, known, found, server) as replies:
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
        found.differs(name, line, what if len(places) == 1 else f"{what}; the same holds for {len(places) - 1:,} more records")
    return checks.can_score


@dataclass(slots=True)
class _Checks:
    """The findings over all cells.

    Attributes:
        can_score: whether all records can be read.
        setups: statements of records about their setup that differ from the manifest, with all their places.
    """

    run: RunFolder
    known: Manifest | None
    found: Verification
    can_score: bool = True
    setups: dict[str, list[tuple[str, int]]] = field(default_factory=dict)

    def check(self, dataset: str, method: str, examples: dict[str, Example], replies: _KeptReplies) -> None:
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
        """Reports the first problem of each kind and counts the others."""
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
            yield f"question {record.question.id!r} differs from the one in the examples"

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


@dataclass(slots=True)
class _KeptReplies:
    """The stores of a run.

    Attributes:
        stores: those available, by name; empty if nothing can be checked.
        problems: replies in the records that none of them has in that form.
        server: the address of a store on a server that may be asked. One that only the run names is not: the maker of the
            run could have the user's password sent anywhere.
    """

    found: Verification
    stores: dict[str, Store] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    server: str = ""

    @classmethod
    @contextmanager
    def of(cls, run: RunFolder, known: Manifest | None, found: Verification, server: str = "") -> Iterator[_KeptReplies]:
        """Opens the stores of a run to read; what is wrong with them is reported when they are closed.

        Where a session kept no replies, or a store is missing, a reply missing from another proves nothing.
        """
        kept = cls(found, server=server)
        named = dict.fromkeys(session.store for session in known.sessions) if known is not None else {}
        can_check = bool(named) and None not in named
        try:
            for store in named:
                can_check = store is not None and kept._open(run, known, store) and can_check
            if not can_check:
                kept.close()
            yield kept
            kept.found.hold(", ".join(kept.stores), kept.problems)
        finally:
            kept.close()

    def check(self, record: Record, name: str, number: int) -> None:
        """Looks up each reply of a record.

        Args:
            record: whose calls are looked up.
            name: of its file.
            number: of its line there.
        """
        if not self.stores:
            return
        for call in record.steps:
            if not isinstance(call, ModelCall) or call.error is not None:
                continue
            messages = [record.messages[place] for place in call.messages]
            if any(_REPLACED in message.text for message in messages):
                continue
            self.found.count("replies")
            key = key_of(record.setup.llm, messages, call.sampling, call.sample)
            num_unreadable = self._num_unreadable()
            try:
                stored = [one.get(key) for one in self.stores.values()]
            except DataError as error:
                self.problems.append((None, str(error)))
                continue
            texts = [one.reply.text for one in stored if one is not None and one.reply is not None]
            if call.text not in texts:
                is_altered = self._num_unreadable() > num_unreadable  # the row does not match its own checksum
                said = "another reply to" if texts else "an altered reply to" if is_altered else "no reply to"
                self.problems.append((None, f"it holds {said} the call {call.id} ({call.purpose}) of {name}, line {number}"))

    def close(self) -> None:
        """Closes the stores."""
        for store in self.stores.values():
            store.close()
        self.stores.clear()

    def _num_unreadable(self) -> int:
        return sum(store.num_unreadable for store in self.stores.values())

    def _open(self, run: RunFolder, known: Manifest | None, named: str) -> bool:
        """Opens a store; returns whether that succeeded."""
        if is_address(named):
            return self._open_server(named)
        base = known.base if known is not None else None
        place = run.store_path if not named else find(named, base, run.path) if base is not None else None
        name = named or run.store_path.name
        if place is None:
            self.found.unchecked.append(f"the replies: the store {named} is not here; put it back, or verify where it is")
            return False
        try:
            if not Path(place).exists():
                raise DataError("it is missing, and with it every reply of the model behind the records")
            self.stores[name] = Store(place, "replay")
        except DataError as error:
            self.found.differs(name, None, str(error))
        return name in self.stores

    def _open_server(self, named: str) -> bool:
        try:
            if public_address(self.server) != named:
                raise DataError(f"the store {named} is on a server; if it is yours, give its address with --store")
            self.stores[named] = open_store(self.server, "replay")
        except DataError as error:
            self.found.unchecked.append(f"the replies: {error}")
        return named in self.stores
