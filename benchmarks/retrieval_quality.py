"""How much of the evidence retrieval finds: recall on real multi-hop questions, for each way to search.

The questions of HotpotQA, 2WikiMultiHopQA and MuSiQue are searched in the pooled passages of their own file, and in all
passages together ("haystack"). Harder forms of each corpus: titles taken away; passages cut to about 40 words, where a gold
passage is found once one of its pieces is; 5 or 10 false links a passage, titles of passages that have nothing to do with it.

    python benchmarks/retrieval_quality.py --data DATA [--out OUT] [--ways bm25,weave] [--half second] [--encoder FOLDER]

The ways that need vectors (`dense`, `hybrid`, MaxSim, `weave` over them) need the folder of an ONNX model, `--encoder`.
MaxSim takes the vectors that the model makes of tokens, whether or not it was trained for that.

The figures of `weave` were chosen on the first half of each file, so `--half second` has those that it was not fitted to.
Differences are paired over questions with 95% intervals of a bootstrap (BCa, 10,000 resamples). No model is called, unless
`--llm` names one: then the ways that ask it, over `bm25`, are compared as well, in the plain corpora; it takes long, so
`--questions` limits how many are searched. Its replies are kept in OUT, so a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean
from typing import Any

from _corpora import FILES, passages_of_file

from hopweave.core.catalog import load
from hopweave.core.protocols import MethodContext
from hopweave.core.types import Answer, Example, Passage, Question
from hopweave.evaluation.scoring.statistics import bca_interval, bootstrap_means
from hopweave.ingest.document import Part
from hopweave.ingest.split import cut_part
from hopweave.record import Record, Search
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.run.weaver import Weaver

WAYS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "bm25": ("bm25", {}),
    "bm25 of IRCoT": ("bm25", {"fields": "text", "title_weight": 0.0}),
    "weave": ("weave", {}),
    "weave without links": ("weave", {"links": False}),
    "weave without residual words": ("weave", {"residual": False}),
    "weave without set choice": ("weave", {"set_choice": False}),
    "weave at one hop": ("weave", {"depth": 1}),
    "linear_rag": ("linear_rag", {}),
    "dense": ("dense", {}),
    "hybrid": ("hybrid", {}),
    "weave over dense": ("weave", {"first": "dense"}),
    "weave over hybrid": ("weave", {"first": "hybrid"}),
    "MaxSim over bm25": ("late_interaction", {}),
    "MaxSim over weave": ("late_interaction", {"engine": "weave"}),
    "weave over MaxSim": ("weave", {"first": "late_interaction"}),
}
NEED_VECTORS: Mapping[str, str] = {
    "dense": "dense",
    "hybrid": "dense",
    "weave over dense": "dense",
    "weave over hybrid": "dense",
    "MaxSim over bm25": "late_interaction",
    "MaxSim over weave": "late_interaction",
    "weave over MaxSim": "late_interaction",
}
"""Whose index of vectors a way needs."""

OWN_INDEX = "linear_rag"
"""The engine, and way, that needs an index of its own, without a model."""

REWRITINGS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "HyDE, 1 passage": ("hyde", {"num_documents": 1}),
    "MultiQuery": ("multi_query", {}),
    "SubQuestion": ("sub_question", {}),
    "MultiStep": ("multi_step", {}),
    "ToQD": ("toqd", {}),
}
"""The ways that ask the model."""

FORMS = ("plain", "no titles", "40 words", "5 false links", "10 false links")
DEPTHS = (2, 5, 10, 15)
DEEPEST = 60
"""Hits asked for, since several pieces of one passage count once."""

SEED = 20260717
_PIECE = re.compile(r"#\d+$")


@dataclass(frozen=True, slots=True)
class SearchOnly:
    """A method that searches with the question and answers nothing."""

    async def answer(self, question: Question, workbench: MethodContext) -> Answer:
        await workbench.search([question.text], DEEPEST)
        return Answer("", "")


@dataclass(frozen=True, slots=True)
class Searched:
    """What one way to search found for some questions.

    Attributes:
        found: for each question, the ids of gold passages and those of what was found, best first, each passage once.
        cpu_seconds: that the searching took; `None` where a model was asked.
        asked: how often the model was asked, and with how many tokens in and out, for a question in the mean.
        num_failed: questions that failed, for which nothing was found.
    """

    found: tuple[tuple[frozenset[str], tuple[str, ...]], ...]
    cpu_seconds: float | None = None
    asked: str = ""
    num_failed: int = 0

    def recall(self, depth: int) -> list[float]:
        """For each question, the share of its gold passages among the first so many."""
        return [len(gold & set(ids[:depth])) / len(gold) for gold, ids in self.found]

    def all_gold(self, depth: int) -> list[float]:
        """For each question, 1 where all its gold passages are among the first so many."""
        return [float(share == 1) for share in self.recall(depth)]


def main() -> None:
    """Searches, and prints a table for each corpus and form."""
    options = _options()
    asked = {name: list(_examples(options.data, name, options.half))[: options.questions] for name in FILES}
    corpora = {name: list(passages_of_file(options.data, name)) for name in FILES}
    haystack = list({passage.id: passage for passages in corpora.values() for passage in passages}.values())
    ways = [way for way in options.ways.split(",") if options.encoder is not None or way not in NEED_VECTORS]
    engines = {NEED_VECTORS[way]: options.encoder for way in ways if way in NEED_VECTORS}
    rewritings = REWRITINGS if options.llm else ()
    columns = (*(f"R@{depth}" for depth in DEPTHS), "all gold@5", "R@5 against the first", "CPU ms")
    columns += ("calls and tokens", "failed") if options.llm else ()
    for form in options.forms.split(","):
        for name in (*FILES, *(("haystack",) if form == "plain" else ())):
            passages = haystack if name == "haystack" else corpora[name]
            examples = [one for of_file in asked.values() for one in of_file] if name == "haystack" else asked[name]
            own = [OWN_INDEX] if OWN_INDEX in ways else []
            index = _index(options.out / f"{name}-{form}".replace(" ", "-"), list(_formed(passages, form)), engines, own)
            print(f"\n{name}, {form}: {len(examples)} questions, {len(passages):,} passages\n")
            print(f"| | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}")
            base: Searched | None = None
            for way in (*ways, *(rewritings if form == "plain" and name != "haystack" else ())):
                if way in REWRITINGS:
                    searched = asyncio.run(_rewritten(way, index, examples, options))
                else:
                    searched = _searched(way, index, examples, engines)
                base = base or searched
                cells = [*_cells(searched, base), *([searched.asked, str(searched.num_failed)] if options.llm else [])]
                print(f"| {way} | {' | '.join(cells)} |", flush=True)


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
    parser.add_argument("--llm", default="", help="compare the ways that ask a language model as well, with this one")
    parser.add_argument("--questions", type=int, help="the first so many of each file's half; default: all")
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
            for number, (span, _) in enumerate(cut_part(Part(passage.text), 40), start=1)
        ]
    if form.endswith("false links"):
        draw = random.Random(SEED)
        titles = [passage.title for passage in passages if passage.title]
        num = int(form.split(maxsplit=1)[0])
        return [replace(passage, text=f"{passage.text} {'. '.join(draw.sample(titles, num))}.") for passage in passages]
    return passages


def _index(folder: Path, passages: Sequence[Passage], engines: Mapping[str, Path], own: Sequence[str]) -> Path:
    if not (folder / "manifest.json").is_file():
        folder.parent.mkdir(parents=True, exist_ok=True)
        BM25.build(folder, passages)
    for name, encoder in engines.items():
        if not (folder / name / "manifest.json").is_file():
            engine = load("retrievers", name)
            engine.build(folder / name, passages, options=engine.INDEX.options(model=str(encoder)))
    for name in own:
        if not (folder / name / "manifest.json").is_file():
            load("retrievers", name).build(folder / name, passages)
    return folder


def _searched(way: str, index: Path, examples: Sequence[Example], engines: Mapping[str, Path]) -> Searched:
    name, options = WAYS[way]
    models = {engine: {"model": str(encoder)} for engine, encoder in engines.items()}
    more: Mapping[str, Any] = models.get(name, {"engine_options": models})
    retriever = load("retrievers", name)(index=index, **options, **(more if way in NEED_VECTORS else {}))
    started = time.process_time()
    hits = retriever.search([example.question.text for example in examples], DEEPEST)
    seconds = time.process_time() - started
    retriever.close()
    ids = [_ids(hit.passage.id for hit in of_one) for of_one in hits]
    return Searched(tuple(zip(_golds(examples), ids, strict=True)), seconds)


async def _rewritten(way: str, index: Path, examples: Sequence[Example], options: argparse.Namespace) -> Searched:
    name, of_retriever = REWRITINGS[way]
    settings = {"retrievers": {name: of_retriever}, "store": {"path": str(options.out / "store.sqlite")}}
    async with Weaver(settings, method=SearchOnly(), llm=options.llm, retriever=name, corpus=index) as weaver:
        records = [await weaver.answer(example.question) for example in examples]
    totals = [record.totals() for record in records]
    calls, tokens_in, tokens_out = (
        mean(getattr(one, of) for one in totals) for of in ("llm_calls", "prompt_tokens", "completion_tokens")
    )
    ids = [() if record.error else _ids(_ranking(record)) for record in records]
    return Searched(
        tuple(zip(_golds(examples), ids, strict=True)),
        asked=f"{calls:.1f}: {tokens_in:,.0f} + {tokens_out:,.0f}",
        num_failed=sum(record.error is not None for record in records),
    )


def _ranking(record: Record) -> Iterable[str]:
    """The ids of what the retriever found in the end, best first. What it searched for itself stands under that step."""
    step = next(step for step in record.steps if isinstance(step, Search) and step.is_rewritten)
    return (hit.passage_id for hit in step.hits[0])


def _golds(examples: Sequence[Example]) -> list[frozenset[str]]:
    return [frozenset(example.gold.passage_ids) for example in examples]


def _ids(found: Iterable[str]) -> tuple[str, ...]:
    """The passages that were found, each once, whichever of its pieces."""
    return tuple(dict.fromkeys(_PIECE.sub("", one) for one in found))


def _cells(searched: Searched, base: Searched) -> list[str]:
    means = [*(searched.recall(depth) for depth in DEPTHS), searched.all_gold(5)]
    cells = [f"{100 * sum(values) / len(values):.1f}" for values in means]
    differences = [one - other for one, other in zip(searched.recall(5), base.recall(5), strict=True)]
    cells.append("" if searched is base else _interval(differences))
    seconds = searched.cpu_seconds
    cells.append("" if seconds is None else f"{1000 * seconds / len(searched.found):.1f}")
    return cells


def _interval(differences: Sequence[float]) -> str:
    [means] = bootstrap_means([differences])
    bounds = bca_interval(differences, means)
    mean = 100 * sum(differences) / len(differences)
    return f"{mean:+.1f} [{100 * bounds.low:+.1f}, {100 * bounds.high:+.1f}]" if bounds else f"{mean:+.1f}"


if __name__ == "__main__":
    main()
