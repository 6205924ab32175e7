"""Which answers about everyday documents the support rule would tick, right ones and tempting wrong ones: no model is called.

    python benchmarks/everyday.py [--half choose|confirm] [--grounds de,fr] [--passages 20] [--list] [--rules]

Each folder below `everyday/` has documents as people have them (contracts, minutes, manuals, mails, price lists ...), written
for this, and questions with the right short answer and up to four wrong ones, all of which its documents state of something
else: another year, product or case, a former or a rejected value. For each question, `weave` finds passages in an index of its
folder, and each answer is judged as the only claim. Choose on every second question (`choose`), and look only at the totals of
the others (`confirm`). A further ground is a folder with `docs/` and `questions.jsonl` (`id`, `language`, `question`, `answer`,
`wrong`, `file`).

Prints for each language how often the file that states the answer is among the passages, and how many right and wrong answers
have a tick. Of the choosing half, `--list` shows the wrong answers with a tick (`WRONG`) and the right ones without (`right`),
and `--rules` counts what each rule of support withholds (`docs/support_rules.md`), and what would have a tick without it.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from _rules import HELP, Judged

from hopweave.ingest.intake import Intake
from hopweave.ingest.lookup import document_id_of
from hopweave.ingest.read import CorpusOptions
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.retrieval.engines.weave import Weave
from hopweave.show.table import Table, columns, rows
from hopweave.show.table_markdown import table_markdown

FOLDER = Path(__file__).parent / "everyday"
NUM_PASSAGES = 5
HALVES = {"choose": 0, "confirm": 1}


@dataclass(slots=True)
class Counts:
    """Of the questions of one language.

    Attributes:
        num_found: those whose file is among the passages.
        right: whether each right answer has a tick.
        wrong: whether each wrong answer has one.
    """

    num_found: int = 0
    right: list[bool] = field(default_factory=list)
    wrong: list[bool] = field(default_factory=list)


def main() -> None:
    """The command."""
    options = _options()
    by_language: defaultdict[str, Counts] = defaultdict(Counts)
    judged = Judged(by_rule=options.rules and options.half == "choose")
    for ground in grounds_named(options.grounds):
        count(ground, options, by_language, judged)
    by_language["all"] = together(list(by_language.values()))
    heads = columns(("questions in",), ("questions", "file found", "right answers ticked", "wrong answers ticked"))
    print("\n".join(table_markdown(Table(heads, rows(_row(name, counts) for name, counts in by_language.items())))))
    if judged.by_rule:
        print("", *table_markdown(judged.table()), sep="\n")


def _row(name: str, counts: Counts) -> tuple[str, ...]:
    ticks = (f"{sum(ticked)} of {len(ticked)}" for ticked in (counts.right, counts.wrong))
    return (name, str(len(counts.right)), str(counts.num_found), *ticks)


def together(several: Sequence[Counts]) -> Counts:
    """The counts of several languages, added up."""
    of_all = Counts(sum(one.num_found for one in several))
    for one in several:
        of_all.right += one.right
        of_all.wrong += one.wrong
    return of_all


def count(ground: Path, options: argparse.Namespace, by_language: defaultdict[str, Counts], judged: Judged) -> None:
    """Judges the answers to the questions of a folder, and adds to the counts of their language."""
    with tempfile.TemporaryDirectory() as folder:
        index_ground(ground, Path(folder) / "index")
        retriever = Weave(Path(folder) / "index")
        for one in asked_of(ground, options.half):
            [hits] = retriever.search([one["question"]], options.passages)
            passages = [hit.passage for hit in hits]
            counts = by_language[one["language"]]
            counts.num_found += any(document_id_of(passage) == Path(one["file"]).name for passage in passages)
            counts.right.append(judged.has_tick(one["question"], one["answer"], passages, is_right=True))
            ticked = {wrong: judged.has_tick(one["question"], wrong, passages, is_right=False) for wrong in one["wrong"]}
            counts.wrong += ticked.values()
            if options.list and options.half == "choose":
                for line in _told(one, has_tick=counts.right[-1], wrong_ticks=[wrong for wrong, has in ticked.items() if has]):
                    print(line)


def asked_of(ground: Path, half: str) -> list[dict[str, Any]]:
    """The questions of a half of a folder: `id`, `language`, `question`, `answer`, `wrong` and `file` of each."""
    lines = (ground / "questions.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines][HALVES[half] :: 2]


def index_ground(ground: Path, index: Path) -> None:
    """Makes an index of the documents of a folder."""
    BM25.take_in(index, Intake([ground / "docs"], options=CorpusOptions()), update=False)


def _told(one: dict[str, str], *, has_tick: bool, wrong_ticks: Sequence[str]) -> Iterator[str]:
    if wrong_ticks or not has_tick:
        yield f"{one['id']} {one['question']} -> {one['answer']} ({one['file']})"
        yield from (f"  WRONG {wrong}" for wrong in wrong_ticks)
        yield from [] if has_tick else ["  right has no tick"]


def grounds_named(names: str) -> list[Path]:
    """The folders of some names, separated by commas; without any, all."""
    chosen = [FOLDER / name for name in names.split(",") if name] or sorted(path for path in FOLDER.iterdir() if path.is_dir())
    if missing := [path.name for path in chosen if not path.is_dir()]:
        raise SystemExit(f"no such ground in {FOLDER}: {', '.join(missing)}")
    return chosen


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--half", choices=sorted(HALVES), default="choose", help="which questions; default: choose")
    parser.add_argument("--grounds", default="", help="folders, by comma; default: all")
    parser.add_argument("--passages", type=int, default=NUM_PASSAGES, help="passages for a question")
    parser.add_argument("--list", action="store_true", help="show what is wrong, of the choosing half")
    parser.add_argument("--rules", action="store_true", help=HELP)
    return parser.parse_args()


if __name__ == "__main__":
    main()
