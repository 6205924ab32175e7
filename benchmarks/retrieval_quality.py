"""How much of the evidence retrieval finds: recall on real multi-hop questions, for each way to search.

The questions of HotpotQA, 2WikiMultiHopQA and MuSiQue are searched in the pooled passages of their own file, and in all
passages together ("haystack"). Harder forms of each corpus: titles taken away; passages cut to about 40 words, where a gold
passage is found once one of its pieces is; 5 or 10 false links a passage, titles of passages that have nothing to do with it.

    python benchmarks/retrieval_quality.py --data DATA [--out OUT] [--ways bm25,weave] [--half second] [--encoder FOLDER]

The ways that need vectors (`dense`, `hybrid`, `weave` over either) need the folder of an ONNX model, `--encoder`.

The figures of `weave` were chosen on the first half of each file, so `--half second` has those that it was not fitted to.
Differences are paired over questions with 95% intervals of a bootstrap (BCa, 10,000 resamples). No model is called.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from _corpora import FILES, passages_of_file

from hopweave.catalog import load
from hopweave.corpus.split import split_spans
from hopweave.evaluation.scoring.statistics import bca_interval, bootstrap_means
from hopweave.retrievers.bm25 import BM25
from hopweave.types import Example, Passage

WAYS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "bm25": ("bm25", {}),
    "bm25 of IRCoT": ("bm25", {"fields": "text", "title_weight": 0.0}),
    "weave": ("weave", {}),
    "weave without links": ("weave", {"links": False}),
    "weave without residual words": ("weave", {"residual": False}),
    "weave without set choice": ("weave", {"set_choice": False}),
    "weave at one hop": ("weave", {"depth": 1}),
    "dense": ("dense", {}),
    "hybrid": ("hybrid", {}),
    "weave over dense": ("weave", {"first": "dense"}),
    "weave over hybrid": ("weave", {"first": "hybrid"}),
}
NEED_VECTORS = frozenset({"dense", "hybrid", "weave over dense", "weave over hybrid"})
FORMS = ("plain", "no titles", "40 words", "5 false links", "10 false links")
DEPTHS = (2, 5, 10, 15)
DEEPEST = 60
"""Hits asked for, since several pieces of one passage count once."""

SEED = 20260717
_PIECE = re.compile(r"#\d+$")


@dataclass(frozen=True, slots=True)
class Searched:
    """What one way to search found for some questions.

    Attributes:
        found: for each question, the ids of gold passages and those of what was found, best first, each passage once.
        cpu_seconds: that the searching took.
    """

    found: tuple[tuple[frozenset[str], tuple[str, ...]], ...]
    cpu_seconds: float

    def recall(self, depth: int) -> list[float]:
        """For each question, the share of its gold passages among the first so many."""
        return [len(gold & set(ids[:depth])) / len(gold) for gold, ids in self.found]

    def all_gold(self, depth: int) -> list[float]:
        """For each question, 1 where all its gold passages are among the first so many."""
        return [float(share == 1) for share in self.recall(depth)]


def main() -> None:
    """Searches, and prints a table for each corpus and form."""
    options = _options()
    asked = {name: list(_examples(options.data, name, options.half)) for name in FILES}
    corpora = {name: list(passages_of_file(options.data, name)) for name in FILES}
    haystack = list({passage.id: passage for passages in corpora.values() for passage in passages}.values())
    ways = [way for way in options.ways.split(",") if options.encoder is not None or way not in NEED_VECTORS]
    encoder = options.encoder if not NEED_VECTORS.isdisjoint(ways) else None
    columns = (*(f"R@{depth}" for depth in DEPTHS), "all gold@5", "R@5 against bm25", "CPU ms")
    for form in options.forms.split(","):
        for name in (*FILES, *(("haystack",) if form == "plain" else ())):
            passages = haystack if name == "haystack" else corpora[name]
            examples = [one for of_file in asked.values() for one in of_file] if name == "haystack" else asked[name]
            index = _index(options.out / f"{name}-{form}".replace(" ", "-"), list(_formed(passages, form)), encoder)
            print(f"\n{name}, {form}: {len(examples)} questions, {len(passages):,} passages\n")
            print(f"| | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}")
            base: Searched | None = None
            for way in ways:
                searched = _searched(way, index, examples, encoder)
                base = base or searched
                print(f"| {way} | {' | '.join(_cells(searched, base))} |", flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the three files")
    parser.add_argument(
        "--out", type=Path, default=Path("retrieval-quality"), help="folder for the indexes, kept for the next time"
    )
    parser.add_argument("--ways", default=",".join(WAYS), help="what to compare; differences are from the first")
    parser.add_argument("--forms", default=",".join(FORMS), help="forms of the corpora")
    parser.add_argument("--encoder", type=Path, help="folder of an ONNX model (model.onnx, tokenizer.json) for vectors")
    parser.add_argument("--half", choices=("first", "second", "all"), default="all", help="which questions of each file")
    return parser.parse_args()


def _examples(data: Path, name: str, half: str) -> Iterable[Example]:
    examples = [one for one in load("datasets", name)(path=data / FILES[name]).examples() if one.gold.passage_ids]
    middle = len(examples) // 2
    return {"first": examples[:middle], "second": examples[middle:], "all": examples}[half]


def _formed(passages: Sequence[Passage], form: str) -> Iterable[Passage]:
    """The passages in a harder form."""
    if form == "no titles":
        return [replace(passage, title="") for passage in passages]
    if form == "40 words":
        return [
            replace(
                passage, id=f"{passage.id}#{number}", text=passage.text[span.start : span.end], start=span.start, end=span.end
            )
            for passage in passages
            for number, span in enumerate(split_spans(passage.text, 40), start=1)
        ]
    if form.endswith("false links"):
        draw = random.Random(SEED)
        titles = [passage.title for passage in passages if passage.title]
        num = int(form.split(maxsplit=1)[0])
        return [replace(passage, text=f"{passage.text} {'. '.join(draw.sample(titles, num))}.") for passage in passages]
    return passages


def _index(folder: Path, passages: Sequence[Passage], encoder: Path | None) -> Path:
    if not (folder / "manifest.json").is_file():
        folder.parent.mkdir(parents=True, exist_ok=True)
        BM25.build(folder, passages)
    if encoder is not None and not (folder / "dense" / "manifest.json").is_file():
        dense = load("retrievers", "dense")
        dense.build(folder / "dense", passages, options=dense.INDEX_OPTIONS(model=str(encoder)))
    return folder


def _searched(way: str, index: Path, examples: Sequence[Example], encoder: Path | None) -> Searched:
    name, options = WAYS[way]
    of_dense = {"model": str(encoder)}
    more: Mapping[str, Any] = of_dense if name == "dense" else {"engine_options": {"dense": of_dense}}
    retriever = load("retrievers", name)(index=index, **options, **(more if way in NEED_VECTORS else {}))
    started = time.process_time()
    hits = retriever.search([example.question.text for example in examples], DEEPEST)
    seconds = time.process_time() - started
    retriever.close()
    ids = [tuple(dict.fromkeys(_PIECE.sub("", hit.passage.id) for hit in of_one)) for of_one in hits]
    golds = [frozenset(example.gold.passage_ids) for example in examples]
    return Searched(tuple(zip(golds, ids, strict=True)), seconds)


def _cells(searched: Searched, base: Searched) -> list[str]:
    means = [*(searched.recall(depth) for depth in DEPTHS), searched.all_gold(5)]
    cells = [f"{100 * sum(values) / len(values):.1f}" for values in means]
    differences = [one - other for one, other in zip(searched.recall(5), base.recall(5), strict=True)]
    cells.append("" if searched is base else _interval(differences))
    cells.append(f"{1000 * searched.cpu_seconds / len(searched.found):.1f}")
    return cells


def _interval(differences: Sequence[float]) -> str:
    [means] = bootstrap_means([differences])
    bounds = bca_interval(differences, means)
    mean = 100 * sum(differences) / len(differences)
    return f"{mean:+.1f} [{100 * bounds.low:+.1f}, {100 * bounds.high:+.1f}]" if bounds else f"{mean:+.1f}"


if __name__ == "__main__":
    main()
