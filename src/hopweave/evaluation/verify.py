"""Computes every number of a run again from its records, and says what differs from what is written, by file, line and value.

What is held to what:

    data, index, plan, examples    to the hashes in manifest.json; an index to its own checksums, too
    records                        to their proof, to the examples, and each citation to the passage that it quotes
    scores.jsonl, scores.json      to the scores and tables that the records give
    compare.json                   to the comparisons that the records give
    report/                        to the numbers that the records give, and to the hash of each file
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from hopweave.catalog import entries, load
from hopweave.errors import DataError, HopweaveError
from hopweave.evaluation import compare, comparisons, manifest, proof, report, summary
from hopweave.evaluation.comparisons import Table
from hopweave.evaluation.differing import Verification, hold_lines, hold_values
from hopweave.evaluation.entrants import beside
from hopweave.evaluation.manifest import FileHash, Manifest, Source, hash_file, hash_source
from hopweave.evaluation.run_folder import RunFolder
from hopweave.evaluation.score import LINES, Score, open_metrics, score_run, write_scores
from hopweave.trace import Record

REPORT = "report"


def verify(path: Path) -> Verification:
    """Checks a run.

    Args:
        path: of its folder.

    Raises:
        DataError: if there is no run.
    """
    run, found = RunFolder.open(path), Verification()
    known = _manifest(run, found)
    again = None
    if _records(run, known, found):
        again = _computed(run, found)
    else:
        found.notes.append(
            "scores, comparisons and report were not computed again, since the records or examples cannot be read"
        )
    _report(run, found, again)
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


@dataclass(slots=True)
class _Again:
    """What the records give."""

    scores: list[Score] = field(default_factory=list)
    summary: summary.Summary | None = None
    tables: list[Table] = field(default_factory=list)


def _computed(run: RunFolder, found: Verification) -> _Again | None:
    """Computes scores and comparisons again; `None` if that cannot be done."""
    again = _Again()
    try:
        there = summary.read_summary(run)
        if there is not None:
            metrics = summary.metrics_of(there)
            again.scores = score_run(run, metrics)
            hold_lines(run.path / LINES, LINES, [score.to_json() for score in again.scores], found)
            again.summary = summary.summarize(
                run, again.scores, metrics, left_out=there["left_out"], by=there["by"], seed=int(there["seed"])
            )
            hold_values(summary.FILE, there, again.summary.to_json(), found)
        elif (run.path / LINES).exists():
            found.differs(summary.FILE, None, f"it is missing beside {LINES}; make both anew with: hopweave score {run.path}")
    except (HopweaveError, LookupError, TypeError, ValueError, AttributeError) as error:
        found.differs(summary.FILE, None, f"it cannot be computed again: {error}")
        again.summary = None
    return again if _compared(run, again, found) else None


def _compared(run: RunFolder, again: _Again, found: Verification) -> bool:
    try:
        kept = comparisons.kept_tables(run)
    except DataError as error:
        found.differs(comparisons.FILE, None, str(error))
        return False
    scores: dict[str, list[Score]] = {}
    for table in kept:
        gone = [one.name for one in table.runs if one.name and beside(run, one.name) is None]
        if gone:
            where = f"{comparisons.FILE}, {table.dataset}, {table.column}"
            found.notes.append(f"{where}: not computed again without the run {gone[0]} beside this one")
            again.tables.append(table)
            continue
        try:
            key = json.dumps([table.metric, table.options], sort_keys=True, default=str)
            if key not in scores:
                scores[key] = score_run(run, open_metrics([table.metric], {table.metric: table.options})[0])
            again.tables.append(compare.again(run, table, scores[key]))
        except HopweaveError as error:
            found.differs(comparisons.FILE, None, f"{table.dataset}, {table.column}: it cannot be computed again: {error}")
            return False
    if kept:
        there = json.loads((run.path / comparisons.FILE).read_text(encoding="utf-8"))
        hold_values(comparisons.FILE, there, comparisons.document(again.tables), found)
    return True


def _report(run: RunFolder, found: Verification, again: _Again | None) -> None:
    folder = run.path / REPORT
    if not folder.exists():
        return
    try:
        there = json.loads((folder / report.NUMBERS).read_text(encoding="utf-8"))
        files: Mapping[str, str] = dict(there["files"])
        run_name = Path(there["run"]).name
    except (OSError, ValueError, LookupError, TypeError) as error:
        found.differs(f"{REPORT}/{report.NUMBERS}", None, f"it cannot be read: {error}; make the report anew")
        return
    for name, expected in files.items():
        _hash(folder / name, expected, f"{REPORT}/{name}", found)
    if again is None or again.summary is None:
        found.notes.append("the numbers of the report were not computed again; only the hashes of its files were checked")
        return
    try:
        made = _report_again(run, again, run_name)
    except (HopweaveError, OSError, ValueError) as error:
        found.differs(f"{REPORT}/{report.NUMBERS}", None, f"it cannot be computed again: {error}")
        return
    hold_values(f"{REPORT}/{report.NUMBERS}", there, json.loads(made.pop(report.NUMBERS)), found)
    for name, text in made.items():
        hold_lines(folder / name, f"{REPORT}/{name}", text.split("\n"), found)


def _report_again(run: RunFolder, again: _Again, name: str) -> dict[str, str]:
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
        comparisons.keep_tables(copy, again.tables)
        return dict(report.report_again(copy))
