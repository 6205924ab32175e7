"""What a question costs with the embedded model, and how much each optimisation saved.

Each system answers the same questions twice, alternating question by question: once in the old way (`BEFORE`), once in the
current way. Each has its own model process, so that neither warms the other's cache, and no store. For each system it prints
prompt tokens and the share of them served by the prefix cache, tokens decoded, seconds, and the ratio of before to after.

    python benchmarks/model_cost.py QUESTIONS --corpus INDEX [--methods searchain,ircot,toqd] [--limit 5] [--with-context]

QUESTIONS is a file as for `examples/answer_questions.py`.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hopweave import Question, Record, Weaver, read_settings

sys.path.append(str(Path(__file__).parents[1] / "examples"))
from answer_questions import as_question, read_rows

# How each system would work without the optimisations. Without memory for prefixes, what one prompt left in the cache is lost
# to the next prompt of another kind.
NO_MEMORY = {"llms": {"llama_cpp": {"cache_ram_mib": 0}}}
BEFORE: Mapping[str, Mapping[str, Any]] = {
    "searchain": {**NO_MEMORY, "methods": {"searchain": {"continue_chain": False, "stop_before_final": False}}},
    "ircot": NO_MEMORY,
    "toqd": NO_MEMORY,
}
COLUMNS = ("system", "when", "records", "failed", "calls", "prompt tokens", "cached", "decoded", "seconds")


def main() -> None:
    """Runs every system both ways and prints a table."""
    options = _options()
    rows = read_rows(options.questions, with_context=options.with_context)[: options.limit]
    questions = [as_question(row) for row in rows]
    table: list[tuple[str, ...]] = [COLUMNS]
    for method in options.methods.split(","):
        before, after = asyncio.run(_in_turns(method, questions, options.corpus))
        table += [_line(method, "before", before), _line("", "after", after), _ratios(before, after)]
    widths = [max(len(line[column]) for line in table) for column in range(len(COLUMNS))]
    for line in table:
        print("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("questions", type=Path)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--methods", default=",".join(BEFORE))
    parser.add_argument("--limit", type=int, default=5)
    parser.add_argument("--with-context", action="store_true", help="skip rows without their own context")
    return parser.parse_args()


async def _in_turns(method: str, questions: list[Question], corpus: str) -> tuple[list[Record], list[Record]]:
    given: dict[str, Any] = {"method": method, "corpus": corpus, "store": {"mode": "off"}}
    before: list[Record] = []
    after: list[Record] = []
    async with Weaver(read_settings({**given, **BEFORE[method]})) as as_was, Weaver(read_settings(given)) as as_is:
        for number, question in enumerate(questions):
            ways = [(as_was, before), (as_is, after)]
            for weaver, records in ways if number % 2 == 0 else reversed(ways):
                records.append(await weaver.answer(question))
                print(f"{method} {number + 1} of {len(questions)}: {records[-1].seconds:.1f} s", file=sys.stderr)
    return before, after


def _sums(records: list[Record]) -> Counter[str]:
    sums: Counter[str] = Counter()
    for totals in (record.totals() for record in records):
        sums["calls"] += totals.llm_calls
        sums["prompt"] += totals.prompt_tokens
        sums["cached"] += totals.cached_tokens
        sums["decoded"] += totals.completion_tokens
        sums["milliseconds"] += round(1000 * totals.llm_seconds)
    return sums


def _line(method: str, when: str, records: list[Record]) -> tuple[str, ...]:
    sums = _sums(records)
    return (
        method,
        when,
        str(len(records)),
        str(sum(record.error is not None for record in records)),
        str(sums["calls"]),
        str(sums["prompt"]),
        _ratio(sums["cached"], sums["prompt"]),
        str(sums["decoded"]),
        f"{sums['milliseconds'] / 1000:.1f}",
    )


def _ratios(before: list[Record], after: list[Record]) -> tuple[str, ...]:
    was, now = _sums(before), _sums(after)
    computed = _ratio(was["prompt"] - was["cached"], now["prompt"] - now["cached"])
    ratios = (_ratio(was[key], now[key]) for key in ("calls", "prompt"))
    rest = (_ratio(was[key], now[key]) for key in ("decoded", "milliseconds"))
    return ("", "ratio", "", "", *ratios, f"computed {computed}", *rest)


def _ratio(upper: float, lower: float) -> str:
    return f"{upper / lower:.2f}" if lower else "no data"


if __name__ == "__main__":
    main()
