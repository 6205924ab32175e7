"""Answers the same questions with several methods on the same model and corpus, and prints a table.

    python examples/compare_methods.py QUESTIONS --corpus INDEX [--methods direct_retrieval,ircot,searchain,toqd]
        [--limit 5] [--with-context] [--out FOLDER] [--replay] [--set key=value]

QUESTIONS is a file as for `answer_questions.py`. Records go to FOLDER/METHOD.jsonl; existing ones are kept. In the table,
cover-EM is the share of questions whose gold answer occurs in the short answer (failed ones count as not), a round is a block
of searches between two model calls other than the reader's, and seconds are those of the original model calls, even if the
store answered.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import Any

from answer_questions import as_question, id_of, read_records, read_rows, show

from hopweave import Record, Weaver, read_settings
from hopweave.run.nested_settings import assignments, merged
from hopweave.text.matching import is_contained

COLUMNS = ("method", "records", "failed", "cover-EM", "calls", "words in", "words out", "rounds", "seconds", "unread")


def main() -> None:
    """Runs the methods one after another, so that each benefits from the prefix cache, and prints the table at the end."""
    options = _options()
    rows = read_rows(options.questions, with_context=options.with_context)[: options.limit]
    golds = {id_of(row): _golds(row) for row in rows}
    table: list[tuple[str, ...]] = [COLUMNS]
    for method in options.methods.split(","):
        records = asyncio.run(_answer(method, rows, golds, options))
        table.append(_line(method, records, golds))
    widths = [max(len(line[column]) for line in table) for column in range(len(COLUMNS))]
    print()
    for line in table:
        print(
            "  ".join(
                cell.rjust(width) if column else cell.ljust(width)
                for column, (cell, width) in enumerate(zip(line, widths, strict=True))
            )
        )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare methods on the questions of a file.")
    parser.add_argument("questions", type=Path)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--methods", default="direct_retrieval,ircot,searchain,toqd")
    parser.add_argument("--limit", type=int, default=5)
    parser.add_argument("--with-context", action="store_true", help="skip rows without their own context")
    parser.add_argument("--out", type=Path, default=Path("compared"))
    parser.add_argument("--replay", action="store_true")
    parser.add_argument("--set", action="append", default=[])
    return parser.parse_args()


def _golds(row: dict[str, Any]) -> list[str]:
    answer = row.get("answer", "")
    main_answer = ("Yes" if answer else "No") if isinstance(answer, bool) else str(answer)
    return [main_answer, *map(str, row.get("answer_aliases", []))]


async def _answer(
    method: str, rows: list[dict[str, Any]], golds: dict[str, list[str]], options: argparse.Namespace
) -> list[Record]:
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / f"{method}.jsonl"
    done = read_records(path) if path.exists() else {}
    flags: dict[str, Any] = {"corpus": options.corpus, "method": method}
    if options.replay:
        flags["store"] = {"mode": "replay"}
    waiting = [as_question(row) for row in rows if id_of(row) not in done]
    async with Weaver(read_settings(merged(flags, assignments(options.set)))) as weaver:
        async for record in weaver.answer_all(waiting):
            done[record.question.id] = record
            with path.open("a", encoding="utf-8") as file:
                file.write(record.to_json() + "\n")
            print(f"\n{method}:", end="")
            show(record, golds[record.question.id][0])
    return [done[id_of(row)] for row in rows]


def _line(method: str, records: list[Record], golds: dict[str, list[str]]) -> tuple[str, ...]:
    answered = [record for record in records if record.answer is not None]
    hits = sum(
        any(is_contained(gold, r.answer.short) for gold in golds[r.question.id]) for r in answered if r.answer is not None
    )
    totals = [record.totals() for record in records]
    return (
        method,
        str(len(records)),
        str(len(records) - len(answered)),
        _mean(hits, records),
        _mean(sum(t.llm_calls for t in totals), records),
        _mean(sum(t.prompt_words for t in totals), records),
        _mean(sum(t.reply_words for t in totals), records),
        _mean(sum(record.num_rounds() for record in records), records),
        _mean(sum(t.llm_seconds for t in totals), records),
        f"{sum(t.parse_failures for t in totals)} of {sum(t.llm_calls for t in totals)}",
    )


def _mean(total: float, records: list[Record]) -> str:
    return f"{total / len(records):.2f}" if records else "no data"


if __name__ == "__main__":
    main()
