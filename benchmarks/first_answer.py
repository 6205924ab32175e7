"""How long the first answer takes in a fresh process with the embedded model, with and without saved beginnings of prompts.

    python benchmarks/first_answer.py [--times 5] [--question QUESTION] [--then QUESTION]
    python benchmarks/first_answer.py --questions starter [--limit 20]
    python benchmarks/first_answer.py ... [--before-src CHECKOUT/src] [--set KEY=VALUE ...]

Each answer is that of a new `hopweave ask` (the demo's question and settings, unless others are given), without the store. The
ways alternate: `before` has nothing on disk (`cache_disk_mib=0`), or is the code of another checkout (`--before-src`); `after`
restores what an answer before the first measured one has saved. For each way, it prints the seconds of the whole command, its
tokens computed (those of prompts that no cache held) and decoded, and the largest memory of one process, then the calls of the
last answer. `--then` measures a second question instead, asked by `hopweave chat` in the same process once the first one has
been answered; its seconds are those of its record. `--questions` asks each question of a file with `id` and `question` in each
line (`starter`: those that come with hopweave) both ways, prints the means, and lists the answers that differ.

Seconds are only worth something on a machine that does nothing else; tokens do not depend on it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from statistics import mean
from typing import Any

DEMO = "In which city was the author of the novel behind the film Barry Lyndon born?"
NOTHING_SAVED = "llms.llama_cpp.cache_disk_mib=0"
_KILO = 1 if sys.platform == "darwin" else 1024  # the unit of ru_maxrss, in bytes


@dataclass(frozen=True, slots=True)
class Asked:
    """One answer.

    Attributes:
        seconds: of the whole command.
        record: what `hopweave ask --json` printed.
        peak_bytes: the largest memory of one process; 0 if that was not measured.
    """

    seconds: float
    record: Mapping[str, Any]
    peak_bytes: int

    @property
    def calls(self) -> list[Mapping[str, Any]]:
        """The calls of the model."""
        return [step for step in self.record["steps"] if step["kind"] == "model_call"]

    @property
    def answer(self) -> str:
        """The short answer; the error if there is none."""
        answer = self.record.get("answer")
        return str(answer["short"]) if answer else f"failed: {self.record.get('error')}"


@dataclass(frozen=True, slots=True)
class Way:
    """A way to ask.

    Attributes:
        name: in tables.
        settings: `KEY=VALUE`, on top of those of both ways.
        src: the code to run, if it is not that of this checkout.
    """

    name: str
    settings: Sequence[str]
    src: str

    def ask(self, question: str, settings: Sequence[str]) -> Asked:
        """Asks in a new process."""
        command = [sys.executable, "-m", "hopweave", "ask", question, "--require-support", "--json", *self._given(settings)]
        with tempfile.TemporaryFile() as out:
            began = time.perf_counter()
            process = subprocess.Popen(command, stdout=out, env={**os.environ, "PYTHONPATH": self.src})
            _, status, used = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - began
            process.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            printed = out.read()
        if not printed.strip():
            sys.exit(f"{self.name}: no record (exit code {process.returncode})")
        return Asked(seconds, json.loads(printed), used.ru_maxrss * _KILO)

    def ask_then(self, question: str, then: str, settings: Sequence[str]) -> Asked:
        """The second of two questions that are asked in one new process, one after the other."""
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "records.jsonl"
            command = [sys.executable, "-m", "hopweave", "chat", "--require-support", "--out", str(out), *self._given(settings)]
            asked = f"{question}\n/new\n{then}\n"
            environment = {**os.environ, "PYTHONPATH": self.src}
            subprocess.run(command, input=asked, text=True, stdout=subprocess.DEVNULL, env=environment, check=True)
            records = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
        if len(records) != 2:
            sys.exit(f"{self.name}: {len(records)} records of two questions")
        return Asked(records[1]["seconds"], records[1], 0)

    def _given(self, settings: Sequence[str]) -> list[str]:
        return [part for one in ["store.mode=off", *settings, *self.settings] for part in ("--set", one)]


def main() -> None:
    """Asks in all ways and prints the tables."""
    options = _options()
    here = str(Path(__file__).parents[1] / "src")
    before = Way("before", [] if options.before_src else [NOTHING_SAVED], options.before_src or here)
    ways = [before, Way("after", [], here)]
    questions = _questions(options.questions)[: options.limit] if options.questions else [("demo", options.question)]
    asked: dict[str, list[Asked]] = {way.name: [] for way in ways}
    ways[-1].ask(questions[0][1], options.set)
    for time_number in range(1 if options.questions else options.times):
        for number, (name, question) in enumerate(questions):
            for way in ways if (time_number + number) % 2 == 0 else reversed(ways):
                ask = partial(way.ask_then, question, options.then) if options.then else partial(way.ask, question)
                asked[way.name].append(ask(options.set))
                print(f"{name} {way.name}: {asked[way.name][-1].seconds:.1f} s", file=sys.stderr)
    _print_table(
        ("way", "answers", "seconds", "from", "to", "computed", "decoded", "GB"), [_line(*one) for one in asked.items()]
    )
    if options.questions:
        _print_differences(questions, asked)
    else:
        for name, answers in asked.items():
            print(f"\n{name}: {answers[-1].answer}\n")
            _print_table(("call", "prompt", "computed", "decoded", "seconds"), [_of_call(call) for call in answers[-1].calls])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--question", default=DEMO)
    parser.add_argument("--then", default="", metavar="QUESTION", help="measure this one, asked in the same process afterwards")
    parser.add_argument("--questions", help="a JSONL file, or starter")
    parser.add_argument("--limit", type=int, default=20)
    parser.add_argument("--before-src", default="", help="the src folder of another checkout")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of both ways")
    return parser.parse_args()


def _questions(named: str) -> list[tuple[str, str]]:
    file = files("hopweave.starter") / "questions.jsonl" if named == "starter" else Path(named)
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [(str(row["id"]), str(row["question"])) for row in rows]


def _computed(call: Mapping[str, Any]) -> int:
    return int(call["usage"]["prompt_tokens"] - call["usage"]["cached_tokens"])


def _line(name: str, answers: Sequence[Asked]) -> tuple[str, ...]:
    seconds = [one.seconds for one in answers]
    return (
        name,
        str(len(answers)),
        f"{mean(seconds):.1f}",
        f"{min(seconds):.1f}",
        f"{max(seconds):.1f}",
        f"{mean(sum(map(_computed, one.calls)) for one in answers):.0f}",
        f"{mean(sum(call['usage']['completion_tokens'] for call in one.calls) for one in answers):.0f}",
        f"{peak / 1e9:.2f}" if (peak := max(one.peak_bytes for one in answers)) else "",
    )


def _of_call(call: Mapping[str, Any]) -> tuple[str, ...]:
    usage, seconds = call["usage"], call["timing"]["seconds"]
    counts = (usage["prompt_tokens"], _computed(call), usage["completion_tokens"])
    return (call["purpose"], *map(str, counts), f"{seconds:.1f}")


def _print_differences(questions: Sequence[tuple[str, str]], asked: Mapping[str, Sequence[Asked]]) -> None:
    pairs = list(zip(questions, *asked.values(), strict=True))
    different = [(name, one.answer, other.answer) for (name, _), one, other in pairs if one.answer != other.answer]
    print(f"\n{len(pairs) - len(different)} of {len(pairs)} answers are the same\n")
    if different:
        _print_table(("question", *asked), different)


def _print_table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    for cells in (heads, ["---"] * len(heads), *lines):
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
