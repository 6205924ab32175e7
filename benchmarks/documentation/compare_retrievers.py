"""Compares retrievers on the documentation ground, question by question; no model is called.

    python benchmarks/documentation/compare_retrievers.py --ground DIR --half choose|confirm [--retrievers bm25,weave]

Asks each retriever what the ground asks (look-ups, and questions over two files) and the look-ups that `look_ups.py` makes
from the index, and prints as Markdown: MRR (of ten hits), the share of what is needed among the first five hits, and for two
files how often all of it is there; and the difference of each retriever from the first one, paired over questions, with its
95% interval (BCa bootstrap, 10,000 resamples). A look-up needs a passage of any of its files, a question over two files one of
each, that states what the file must state. `--questions` and `--after` take some of the questions, as in `small_model.py`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import mean
from typing import Any

import fetch
import look_ups

from hopweave.core.catalog import load
from hopweave.core.types import Column, Hit, Passage
from hopweave.evaluation.scoring.counted import Counted
from hopweave.evaluation.scoring.paired import Pairing
from hopweave.evaluation.scoring.results import Comparison
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.show.table import Table, columns, decimal, rows
from hopweave.show.table_markdown import table_markdown

MAX_HITS = 10
DEPTH = 5
TWO_FILES = "two files"

Need = Callable[[Passage], bool]
"""Whether a passage is one that a question needs."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and what must be found for it.

    Attributes:
        id: unique among all.
        group: the questions that it is counted with.
        text: what is searched for.
        needs: all are needed; one passage is enough for each.
    """

    id: str
    group: str
    text: str
    needs: tuple[Need, ...]


def reciprocal_rank(asked: Asked, hits: Sequence[Hit]) -> float:
    """1 over the rank of the first hit that is needed; 0 without one."""
    return next((1 / rank for rank, hit in enumerate(hits, start=1) if any(need(hit.passage) for need in asked.needs)), 0.0)


def recall(asked: Asked, hits: Sequence[Hit]) -> float:
    """The share of what is needed among the first `DEPTH` hits."""
    return mean(any(need(hit.passage) for hit in hits[:DEPTH]) for need in asked.needs)


def all_gold(asked: Asked, hits: Sequence[Hit]) -> float:
    """1 if all that is needed is among the first `DEPTH` hits, else 0."""
    return float(recall(asked, hits) == 1)


FIGURES: Mapping[str, Callable[[Asked, Sequence[Hit]], float]] = {
    "MRR": reciprocal_rank,
    f"recall at {DEPTH}": recall,
    f"all gold at {DEPTH}": all_gold,
}


def asked_of_ground(questions: Iterable[Mapping[str, Any]], copies: Callable[[str], Iterable[str]]) -> Iterator[Asked]:
    """The questions of the ground that can be answered.

    Args:
        questions: their rows.
        copies: gives the sources that have the text of a passage, by its id, as well.
    """
    for row in questions:
        needs = [_stated_in(file, texts, copies) for file, texts in fetch.needed(row)]
        if row["type"] == "two_files":
            yield Asked(row["id"], TWO_FILES, row["question"], tuple(needs))
        elif needs:
            yield Asked(row["id"], "look-ups", row["question"], (_any_of(needs),))


def asked_of_look_ups(passages: Iterable[Passage]) -> Iterator[Asked]:
    """The look-ups that are made from some passages."""
    for number, made in enumerate(look_ups.look_ups(passages), start=1):
        yield Asked(f"made-{number}", f"look-ups made from {made.kind}", made.query, (_one_of(made.relevant),))


def _stated_in(file: str, texts: Sequence[str], copies: Callable[[str], Iterable[str]]) -> Need:
    def need(passage: Passage) -> bool:
        sources = (passage.source, *copies(passage.id))
        is_of_file = any(source.partition("#")[0] == file for source in sources)
        return is_of_file and fetch.states(f"{passage.heading}\n{passage.text}", texts)

    return need


def _any_of(needs: Sequence[Need]) -> Need:
    return lambda passage: any(need(passage) for need in needs)


def _one_of(ids: Sequence[str]) -> Need:
    return lambda passage: passage.id in ids


def compared(asked: Sequence[Asked], found: Mapping[str, Sequence[Sequence[Hit]]]) -> Iterator[tuple[Comparison, int]]:
    """Each figure of each group, each retriever against the first, with the number of questions.

    Args:
        asked: the questions.
        found: their hits, by retriever.
    """
    for group in dict.fromkeys(one.group for one in asked):
        places = [place for place, one in enumerate(asked) if one.group == group]
        for name, figure in FIGURES.items():
            if figure is all_gold and group != TWO_FILES:
                continue  # the same as recall
            values = {
                retriever: Counted({asked[place].id: figure(asked[place], hits[place]) for place in places})
                for retriever, hits in found.items()
            }
            order = [asked[place].id for place in places]
            yield from ((row, len(order)) for row in Pairing(group, name, Column(name), order, values).rows())


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--ground", type=Path, required=True, help="folder that fetch.py has built")
    parser.add_argument("--half", choices=fetch.HALVES, required=True, help="which questions")
    parser.add_argument("--retrievers", default="bm25,weave", help="what to compare; differences are from the first")
    parser.add_argument("--questions", type=int, help="only the first so many of the file; default: all")
    parser.add_argument("--after", type=int, default=0, help="without the first so many of the file")
    options = parser.parse_args()
    if len(options.retrievers.split(",")) < 2:
        parser.error("name two retrievers or more with --retrievers, such as bm25,weave")
    return options


def main() -> None:
    """The command."""
    options = _options()
    index = options.ground / options.half / "index"
    bm25 = BM25(index)

    @cache  # a passage is found for many questions
    def copies(passage_id: str) -> Iterable[str]:
        origin = bm25.origin_of(passage_id)
        return origin.also_in if origin is not None else ()

    questions = fetch.questions(options.half)[options.after : options.questions]
    asked = [*asked_of_ground(questions, copies), *asked_of_look_ups(bm25.all_passages())]
    found = {}
    for name in options.retrievers.split(","):
        retriever = load("retrievers", name)(index=index)
        found[name] = retriever.search([one.text for one in asked], MAX_HITS)
        retriever.close()
    lines = [(row.dataset, str(num), row.column, *_cells(row)) for row, num in compared(asked, found)]
    heads = ("of", "the other", "difference", "95% interval", "better", "worse")
    table = Table(columns(("asked", "questions", "figure", "retriever"), heads), rows(lines))
    print("\n".join(table_markdown(table)))


def _cells(row: Comparison) -> tuple[str, ...]:
    bounds = row.interval
    interval = f"{bounds.low:+.3f} to {bounds.high:+.3f}" if bounds else ""
    means = (decimal(row.mean), decimal(row.baseline_mean))
    return (
        f"{row.method} - {row.baseline}",
        *means,
        f"{row.difference or 0:+.3f}",
        interval,
        str(row.num_wins),
        str(row.num_losses),
    )


if __name__ == "__main__":
    main()
