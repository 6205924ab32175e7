"""Answers the questions of a file, one record per line, and prints the results.

    python examples/answer_questions.py QUESTIONS --corpus INDEX [--method searchain] [--limit 10] [--with-context]
        [--out run.jsonl] [--replay] [--same-as earlier.jsonl] [--set key=value]

QUESTIONS is a JSON list or JSONL whose rows have `question` and `answer` (and `id` or `_id`), as HotpotQA, 2WikiMultiHopQA,
MuSiQue and StrategyQA have. With `--same-as`, each record is compared with that of an earlier run: they must be equal except
for timings. Questions that the `--out` file already contains are not asked again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import time
from pathlib import Path
from typing import Any

from hopweave import Question, Record, Weaver, read_settings
from hopweave.run.nested_settings import assignments


def main() -> None:
    """Reads the questions, answers those without a record, and prints a summary at the end."""
    options = _options()
    rows = read_rows(options.questions, with_context=options.with_context)[: options.limit]
    golds = {id_of(row): str(row.get("answer", "")) for row in rows}
    done = read_records(options.out) if options.out and options.out.exists() else {}
    questions = [as_question(row) for row in rows if id_of(row) not in done]
    flags: dict[str, Any] = {"corpus": options.corpus, "method": options.method} | assignments(options.set)
    if options.replay:
        flags["store"] = flags.get("store", {}) | {"mode": "replay"}
    started = time.perf_counter()
    records = asyncio.run(_answer(flags, questions, golds, options))
    print(f"\n{len(records)} records in {time.perf_counter() - started:.1f} s, {len(done)} already existed")
    _summarise(records, golds)
    if options.same_as:
        _compare(records, read_records(options.same_as))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Answer the questions of a file.")
    parser.add_argument("questions", type=Path)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--method", default="searchain")
    parser.add_argument("--limit", type=int, default=10)
    parser.add_argument("--with-context", action="store_true", help="skip rows without their own context")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--replay", action="store_true")
    parser.add_argument("--same-as", type=Path)
    parser.add_argument("--parallel", type=int, default=1)
    parser.add_argument("--set", action="append", default=[])
    return parser.parse_args()


def read_rows(path: Path, *, with_context: bool) -> list[dict[str, Any]]:
    """The rows of a JSON list or JSONL file; optionally only those with their own passages."""
    text = path.read_text(encoding="utf-8")
    rows = (
        json.loads(text) if text.lstrip().startswith("[") else [json.loads(line) for line in text.splitlines() if line.strip()]
    )
    return [row for row in rows if not with_context or row.get("context") or row.get("paragraphs")]


def id_of(row: dict[str, Any]) -> str:
    """The id of a row, under whatever name; the question itself if it has none."""
    return str(row.get("id") or row.get("_id") or row.get("qid") or row["question"])


def as_question(row: dict[str, Any]) -> Question:
    """The question of a row; a true or false answer makes it a yes-or-no question."""
    if isinstance(row.get("answer"), bool):
        return Question(id_of(row), row["question"], "label", ("Yes", "No"))
    return Question(id_of(row), row["question"])


def read_records(path: Path) -> dict[str, Record]:
    """The records of a run, by question."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {record.question.id: record for record in map(Record.from_json, filter(None, lines))}


async def _answer(
    flags: dict[str, Any], questions: list[Question], golds: dict[str, str], options: argparse.Namespace
) -> list[Record]:
    records = []
    async with Weaver(read_settings(flags)) as weaver:
        async for record in weaver.answer_all(questions, max_parallel=options.parallel):
            records.append(record)
            if options.out:
                with options.out.open("a", encoding="utf-8") as file:
                    file.write(record.to_json() + "\n")
            show(record, golds[record.question.id])
    return records


def show(record: Record, gold: str) -> None:
    """Prints the result of a question."""
    totals = record.totals()
    print(f"\n{record.question.text}")
    if record.answer is None:
        print(f"  FAILED: {record.error}")
    else:
        print(f"  answer: {record.answer.short!r} ({record.answer.how}, {record.answer.stopped_because}); gold: {gold!r}")
        for number, claim in enumerate(record.answer.claims, start=1):
            print(f"  [{number}] {claim.support}: {claim.query} -> {claim.text}")
    print(f"  {totals.llm_calls} calls, {totals.parse_failures} parse failures, {record.seconds:.1f} s")
    sys.stdout.flush()


def _summarise(records: list[Record], golds: dict[str, str]) -> None:
    from hopweave.text.matching import is_contained

    answers = [(record.answer, golds[record.question.id]) for record in records]
    hits = sum(answer is not None and is_contained(gold, answer.short) for answer, gold in answers)
    calls = sum(record.totals().llm_calls for record in records)
    failures = sum(record.totals().parse_failures for record in records)
    failed = sum(answer is None for answer, _ in answers)
    print(f"gold in answer {hits} of {len(records)}, failed {failed}, calls {calls}, parse failures {failures}")
    citations = [(record, citation) for record in records if record.answer for citation in record.answer.citations]
    false = sum(_text(record, c.passage_id)[c.start : c.end] != c.quote for record, c in citations)
    loose = sum(_loose_marks(record) for record in records)
    print(f"citations {len(citations)}, quotes that differ from their passage {false}, marks without a citation {loose}")


def _text(record: Record, passage_id: str) -> str:
    return record.passage(passage_id).text


def _loose_marks(record: Record) -> int:
    if record.answer is None:
        return 0
    known = {citation.mark for citation in record.answer.citations}
    return sum(int(mark) not in known for mark in re.findall(r"\[(\d+)\]", record.answer.text))


def _compare(records: list[Record], earlier: dict[str, Record]) -> None:
    same = sum(r.question.id in earlier and r.fingerprint == earlier[r.question.id].fingerprint for r in records)
    print(f"identical to the earlier run except for timings: {same} of {len(records)}")
    if same < len(records):
        sys.exit(1)


if __name__ == "__main__":
    main()
