"""Which answers the support rule would tick among all that could be read off the passages, right and wrong: no model is called.

    python benchmarks/distractors.py --data DATA --ground GROUND --half choose|confirm --work WORK [--rules]

For each question of the three Wikipedia files (DATA; choosing: the first 57 of each, confirming: the rest) and of the
documentation ground (GROUND, see documentation/README.md), `weave` finds five passages, as for `direct_retrieval`; the indexes
of the files are built below WORK. The right answer, if the passages have it, is judged as the only claim, and so are up to 20
others, drawn by a fixed seed: names and numbers of the same passages that are of the kind that is asked for, and neither the
question's nor part of the answer. A rule is better if it ticks more of the former and fewer of the latter. Of the
choosing half, `--rules` counts what each rule of support withholds (`docs/support_rules.md`), and what would have a tick
without it.

Neither share is that of a model's answers, since a model chooses better than by chance; and after several hops, an answer often
rests on claims of earlier steps, which are missing here.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from _corpora import FILES, passages_of_file
from _rules import HELP, Judged

from hopweave.core.catalog import load
from hopweave.core.types import Passage
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.retrieval.engines.weave import Weave
from hopweave.show.table import Table, columns, rows
from hopweave.show.table_markdown import table_markdown
from hopweave.text.answer_kinds import is_of_kind, kind_asked
from hopweave.text.content_words import anchors, keys_of
from hopweave.text.matching import is_contained, is_yes_or_no

NUM_CHOSEN_ON = 57
NUM_PASSAGES = 5
NUM_OTHERS = 20
SEED = 7


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its accepted answers, none of them a yes or a no."""

    text: str
    answers: Sequence[str]


@dataclass(slots=True)
class Counts:
    """Of one ground: its questions, the right answers in their passages, the others, and those of both with a tick."""

    num_questions: int = 0
    num_right: int = 0
    num_right_ticked: int = 0
    num_others: int = 0
    num_others_ticked: int = 0


def main() -> None:
    """The command."""
    options = _options()
    lines = []
    judged = Judged(by_rule=options.rules and options.half == "choose")
    for name, index, asked in _grounds(options):
        counts = counted(asked, Weave(index), judged)
        shares = (f"{counts.num_right_ticked} of {counts.num_right}", f"{counts.num_others_ticked} of {counts.num_others}")
        lines.append((name, str(counts.num_questions), *shares))
    heads = columns(("questions of",), ("questions", "right answers ticked", "other answers ticked"))
    print("\n".join(table_markdown(Table(heads, rows(lines)))))
    if judged.by_rule:
        print("", *table_markdown(judged.table()), sep="\n")


def counted(asked: Sequence[Asked], retriever: Weave, judged: Judged) -> Counts:
    """Judges the right answer and others to each question."""
    counts, drawn = Counts(), random.Random(SEED)
    for one in asked:
        [hits] = retriever.search([one.text], NUM_PASSAGES)
        passages = [hit.passage for hit in hits]
        counts.num_questions += 1
        there = " ".join(f"{passage.heading} {passage.text}" for passage in passages)
        right = [answer for answer in one.answers if is_contained(answer, there)]
        counts.num_right += bool(right)
        counts.num_right_ticked += any(judged.has_tick(one.text, answer, passages, is_right=True) for answer in right)
        others = list(dict.fromkeys(_others(one, passages)))
        drawn.shuffle(others)
        counts.num_others += len(others[:NUM_OTHERS])
        counts.num_others_ticked += sum(
            judged.has_tick(one.text, answer, passages, is_right=False) for answer in others[:NUM_OTHERS]
        )
    return counts


def _others(asked: Asked, passages: Sequence[Passage]) -> Iterator[str]:
    kind, known = kind_asked(asked.text), keys_of(asked.text)
    for passage in passages:
        for name in anchors(passage.text):
            is_right = any(is_contained(answer, name) or is_contained(name, answer) for answer in asked.answers)
            if not is_right and not keys_of(name) <= known and is_of_kind(name, kind):
                yield name


def _grounds(options: argparse.Namespace) -> Iterator[tuple[str, Path, list[Asked]]]:
    """Yields the name of each ground, its index, and its questions of the half."""
    for name, file in FILES.items():
        index = options.work / name
        if not index.exists():
            BM25.build(index, passages_of_file(options.data, name))
        examples = list(load("datasets", name)(path=options.data / file).examples())
        of_half = examples[:NUM_CHOSEN_ON] if options.half == "choose" else examples[NUM_CHOSEN_ON:]
        yield name, index, [_asked(one.question.text, one.gold.answers) for one in of_half]
    folder = options.ground / options.half
    read = [json.loads(line) for line in (folder / "questions.jsonl").read_text("utf-8").splitlines()]
    yield "documentation", folder / "index", [_asked(one["question"], one.get("answers", ())) for one in read]


def _asked(text: str, answers: Sequence[str]) -> Asked:
    return Asked(text, [answer for answer in answers if answer and not is_yes_or_no(answer)])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the three files")
    parser.add_argument("--ground", type=Path, required=True, help="folder that documentation/fetch.py has built")
    parser.add_argument("--half", choices=("choose", "confirm"), required=True, help="which questions")
    parser.add_argument("--work", type=Path, required=True, help="folder for the indexes of the files")
    parser.add_argument("--rules", action="store_true", help=HELP)
    return parser.parse_args()


if __name__ == "__main__":
    main()
