"""Computes every number of a run again from its records, and says what differs from what is written, by file, line and value.

What is held to what:

    data, index, plan, examples    to the hashes in manifest.json; an index to its own checksums, too
    records                        to their proof, to the examples, and each citation to the passage that it quotes
    scores.jsonl, scores.json      to the scores and tables that the records give
    compare.json                   to the comparisons that the records give
    report/                        to the numbers that the records give, and to the hash of each file
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from hopweave.catalog import entries, load
from hopweave.errors import DataError, HopweaveError
from hopweave.evaluation import compare, comparisons, manifest, proof, summary
from hopweave.evaluation.differing import Verification, hold_lines, hold_values
from hopweave.evaluation.manifest import FileHash, Manifest, Source, hash_file, hash_source
from hopweave.evaluation.run_folder import RunFolder
from hopweave.evaluation.score import LINES, Score, open_metrics, score_run
from hopweave.trace import Record

REPORT = "report"
NUMBERS = "numbers.json"

ReportAgain = Callable[[RunFolder], Mapping[str, str]]
"""Makes the report of a run anew, in memory: the text of each file by name, `numbers.json` among them."""


def verify(path: Path, *, report_again: ReportAgain | None = None) -> Verification:
    """Checks a run.

    Args:
        path: of its folder.
        report_again: makes the report anew; without it only the hashes of its files are checked.

    Raises:
        DataError: if there is no run.
    """
    run, found = RunFolder.open(path), Verification()
    known = _manifest(run, found)
    can_score = _records(run, known, found)
    if can_score:
        _computed(run, found)
    else:
        found.notes.append(
            "scores, comparisons and report were not computed again, since the records or examples cannot be read"
        )
    _report(run, found, report_again if can_score else None)
    return found


def _manifest(run: RunFolder, found: Verification) -> Manifest | None:
    try:
        known = Manifest.read(run.path)
    except DataError as error:
        found.differs(manifest.NAME, None, str(error))
        return None
    if known is None:
        found.differs(manifest.NAME, None, "it is missing, so that nothing holds the run to its data; restore it")
        return None
    _hash(run.path / "plan.json", known.plan, "plan.json", found)
    for label, drawn in known.datasets.items():
        for source in drawn.sources:
            _source(source, f"the data of {label}", found)
        _hash(run.examples_path(label), drawn.sha256, f"examples/{label}.jsonl", found)
    for corpus, source in known.indexes.items():
        _source(source, f"the index {corpus}", found)
        _check_index(Path(source.path), known.retrievers.get(corpus, ""), found)
    if _is_settled(known):
        for cell, kept in known.records.items():
            _hash(run.path / "records" / f"{cell}.jsonl", kept.sha256, f"records/{cell}.jsonl", found)
    else:
        found.notes.append("the last sitting of the run has not ended, so that manifest.json does not hold its records yet")
    if any(sitting.code != manifest.hash_code() for sitting in known.sittings):
        found.notes.append("the code of hopweave is not that which the run was made with; numbers are computed with this one")
    return known


def _is_settled(known: Manifest) -> bool:
    return bool(known.sittings) and bool(known.sittings[-1].ended_at)


def _hash(place: Path, expected: str, name: str, found: Verification) -> None:
    found.count("files")
    try:
        now = hash_file(place)
    except DataError as error:
        found.differs(name, None, str(error))
        return
    if now != expected:
        found.differs(name, None, f"its SHA-256 was {expected}, is now {now}")


def _source(source: Source, what: str, found: Verification) -> None:
    try:
        files = hash_source(Path(source.path)).files
    except DataError as error:
        found.differs(source.path, None, f"{what}: {error}")
        return
    before, now = ({file.path: file for file in each} for each in (source.files, files))
    for name in sorted({*before, *now}):
        found.count("files")
        place = name if Path(source.path).name == name and len(before) == 1 else f"{source.path}/{name}"
        if before.get(name) is None or now.get(name) is None:
            found.differs(place, None, f"{what}: the file was {_hashed(before.get(name))}, is now {_hashed(now.get(name))}")
        elif before[name].sha256 != now[name].sha256:
            found.differs(place, None, f"{what}: SHA-256 was {before[name].sha256}, is now {now[name].sha256}")


def _hashed(file: FileHash | None) -> str:
    return "absent" if file is None else f"there ({file.num_bytes:,} bytes)"


def _check_index(folder: Path, identity: str, found: Verification) -> None:
    """An engine that can check its own index does so."""
    name = identity.partition(" ")[0]
    if name not in entries("retrievers"):
        return
    try:
        check = getattr(load("retrievers", name), "check", None)
        if check is not None:
            check(folder)
    except HopweaveError as error:
        found.differs(str(folder), None, str(error))


def _records(run: RunFolder, known: Manifest | None, found: Verification) -> bool:
    """Checks examples and records; whether all of them can be read."""
    can_score = True
    for dataset in run.plan.datasets:
        try:
            examples = {example.question.id: example for example in run.examples(dataset)}
        except DataError as error:
            found.differs(f"examples/{dataset}.jsonl", None, str(error))
            can_score = False
            continue
        found.count("examples", len(examples))
        for method in run.plan.methods:
            place = run.records_path(dataset, method)
            name = place.relative_to(run.path).as_posix()
            for number, what in proof.problems(place):
                found.differs(name, number, what)
            seen: set[str] = set()
            for number, line in _lines(place):
                try:
                    record = Record.from_json(line)
                except DataError as error:
                    found.differs(name, number, str(error))
                    can_score = False
                    continue
                found.count("records")
                found.count("citations", len(record.answer.citations) if record.answer is not None else 0)
                example = examples.get(record.question.id)
                seen.add(record.question.id)
                if example is None:
                    found.differs(name, number, f"question {record.question.id!r} is not among the examples of {dataset!r}")
                    can_score = False
                elif example.question != record.question:
                    found.differs(name, number, f"question {record.question.id!r} is not as it stands in the examples")
                for what in _setup_problems(record, known):
                    found.differs(name, number, what)
            if len(seen) < len(examples):
                found.notes.append(f"{name} lacks {len(examples) - len(seen)} of {len(examples)} questions")
    return can_score


def _lines(place: Path) -> Iterator[tuple[int, str]]:
    if place.exists():
        with place.open(encoding="utf-8", errors="replace", newline="\n") as file:
            yield from enumerate(file, start=1)


def _setup_problems(record: Record, known: Manifest | None) -> Iterator[str]:
    if known is None:
        return
    if record.setup.llm != known.llm:
        yield f"it was answered by {record.setup.llm}, and the manifest names {known.llm}"
    for name, fingerprint in record.setup.prompts.items():
        if _is_settled(known) and fingerprint not in known.prompts.get(name, ()):
            yield f"prompt {name} had fingerprint {fingerprint}, which the manifest does not name"


def _computed(run: RunFolder, found: Verification) -> None:
    cache: dict[str, list[Score]] = {}
    try:
        there = summary.read_summary(run)
        if there is not None:
            metrics = summary.metrics_of(there)
            scores = score_run(run, metrics)
            hold_lines(run.path / LINES, LINES, [score.to_json() for score in scores], found)
            made = summary.summarize(run, scores, metrics, left_out=there["left_out"], by=there["by"], seed=int(there["seed"]))
            hold_values(summary.FILE, there, made.to_json(), found)
        elif (run.path / LINES).exists():
            found.differs(summary.FILE, None, f"it is missing beside {LINES}; make both anew with: hopweave score {run.path}")
    except (HopweaveError, LookupError, TypeError, ValueError) as error:
        found.differs(summary.FILE, None, f"it cannot be computed again: {error}")
    try:
        tables = comparisons.kept_tables(run)
    except DataError as error:
        found.differs(comparisons.FILE, None, str(error))
        return
    again: list[dict[str, Any] | None] = []
    for table in tables:
        try:
            key = json.dumps([table.metric, table.options], sort_keys=True, default=str)
            if key not in cache:
                cache[key] = score_run(run, open_metrics([table.metric], {table.metric: table.options})[0])
            made_table = compare.again(run, table, cache[key])
        except HopweaveError as error:
            found.differs(comparisons.FILE, None, f"{table.dataset}, {table.column}: it cannot be computed again: {error}")
            return
        again.append(comparisons.table_values(made_table) if made_table is not None else None)
    if tables:
        text = json.loads((run.path / comparisons.FILE).read_text(encoding="utf-8"))
        hold_values(comparisons.FILE, text, {"schema": comparisons.SCHEMA, "tables": again}, found)


def _report(run: RunFolder, found: Verification, report_again: ReportAgain | None) -> None:
    folder = run.path / REPORT
    if not folder.exists():
        return
    try:
        there = json.loads((folder / NUMBERS).read_text(encoding="utf-8"))
        files: Mapping[str, str] = dict(there["files"])
    except (OSError, ValueError, LookupError, TypeError) as error:
        found.differs(f"{REPORT}/{NUMBERS}", None, f"it cannot be read: {error}; make the report anew")
        return
    for name, expected in files.items():
        place = folder / name
        found.count("files")
        now = hashlib.sha256(place.read_bytes()).hexdigest() if place.is_file() else "absent"
        if now != expected:
            found.differs(f"{REPORT}/{name}", None, f"its SHA-256 was {expected}, is now {now}")
    if report_again is None:
        found.notes.append("the numbers of the report were not computed again; only the hashes of its files were checked")
        return
    try:
        again = dict(report_again(run))
    except HopweaveError as error:
        found.differs(f"{REPORT}/{NUMBERS}", None, f"it cannot be computed again: {error}")
        return
    hold_values(f"{REPORT}/{NUMBERS}", there, json.loads(again.pop(NUMBERS)), found)
    for name, text in again.items():
        hold_lines(folder / name, f"{REPORT}/{name}", text.split("\n"), found)
