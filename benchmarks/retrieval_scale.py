"""What an index costs as it grows: building, memory, disk, opening, and a query, for `bm25` and `weave`.

The corpora are generated, from a seed: words of an invented vocabulary of 200,000 drawn by Zipf's law (exponent 1.07), 60 to
100 a passage; each passage has a title of one to three invented names of its own, and names the titles of 4 others on average
(Poisson), which are drawn by Zipf's law as well (exponent 0.8), so that some are named by thousands. A question holds a title
and other words. Generated text says nothing about quality: see retrieval_quality.py.

    python benchmarks/retrieval_scale.py [--passages 200000,1000000,5000000] [--queries 200] [--out OUT]
        [--against bm25s] [--plot growth.svg] [--vectors 1000000]

Every figure is of a process of its own, so that peak memory is its own. CPU is that of all threads; on a busy machine it is the
figure to look at, and still too high. `--against bm25s` measures that library in the same run, where it is installed. `--plot`
needs matplotlib (extra `eval`). An index that was built before is used again.

`--vectors` measures `dense` as well, on that many vectors of 384 dimensions and length 1, which are generated, too: 1,000
centres drawn at random, and around each of them vectors in random directions (a cosine of 0.8 to the centre, so about 0.64 to
each other). Queries are stored vectors that were moved (a cosine of 0.9). Recall at 10 is against comparing every vector.
Inside a cluster all vectors are about equally far apart, which is harder than what real encoders make.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from hopweave.core.catalog import load, require
from hopweave.core.indexing import IndexSummary
from hopweave.core.types import Passage
from hopweave.retrieval.encoders.encoders import EncoderOptions
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.retrieval.engines.dense import Dense

SEED = 20260717
NUM_WORDS = 200_000
WORDS_BY_ZIPF = 1.07
LINKS_BY_ZIPF = 0.8
MEAN_LINKS = 4
CHUNK = 20_000
BATCH = 64
MAX_HITS = 10
DIMENSION = 384
NUM_CENTRES = 1_000
NEAR_CENTRE = 0.8
NEAR_VECTOR = 0.9
_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]


def main() -> None:
    """Measures each size, and prints a table; then the vectors, where they are asked for."""
    options = _options()
    if options.step:
        print(json.dumps(STEPS[options.step](options.folder, options.size, options.queries)))
        return
    engines = ("bm25", "weave", *(["bm25s"] if options.against else []))
    sizes = [int(size) for size in options.passages.split(",") if size]
    if sizes:
        _print_row("passages", "engine", *COLUMNS)
        _print_row(*["---"] * (len(COLUMNS) + 2))
    measured = {}
    for size in sizes:
        folder = options.out / str(size)
        built = _measured("build", folder, size, options.queries)
        for engine in engines:
            queried = _measured(engine, folder, size, options.queries)
            measured[engine, size] = {**(built if engine == "bm25" else {}), **queried}
            _print_row(f"{size:,}", engine, *_cells(measured[engine, size]))
    if options.plot is not None:
        _plot(measured, options.plot)
    if options.vectors:
        folder = options.out / f"vectors-{options.vectors}"
        built = _measured("build vectors", folder, options.vectors, options.queries)
        queried = _measured("vectors", folder, options.vectors, options.queries)
        recall = queried.pop("recall")
        print(f"\n{options.vectors:,} vectors of {DIMENSION} dimensions: recall at {MAX_HITS} {100 * recall:.1f}%\n")
        _print_row("vectors", "engine", *COLUMNS)
        _print_row(*["---"] * (len(COLUMNS) + 2))
        _print_row(f"{options.vectors:,}", "dense", *_cells({**built, **queried}))


COLUMNS: Mapping[str, tuple[str, str]] = {
    "build s": ("seconds", ",.0f"),
    "build CPU s": ("cpu_seconds", ",.0f"),
    "build peak MB": ("build_peak_mb", ",.0f"),
    "disk MB": ("disk_mb", ",.0f"),
    "open s": ("open_seconds", ".2f"),
    "CPU ms a query": ("alone_ms", ".1f"),
    f"CPU ms in batches of {BATCH}": ("batch_ms", ".1f"),
    "query peak MB": ("peak_mb", ",.0f"),
}
"""Of the table: what is measured, and how it is written."""


def _cells(values: Mapping[str, float]) -> list[str]:
    return [format(values[key], how) if key in values else "" for key, how in COLUMNS.values()]


def _print_row(*cells: str) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)


def _plot(measured: Mapping[tuple[str, int], Mapping[str, float]], path: Path) -> None:
    """Draws how CPU, memory and disk grow with the passages."""
    pyplot: Any = require("matplotlib.pyplot", "eval")
    shown = {"alone_ms": "CPU ms a query", "build_peak_mb": "peak memory of the build, MB", "disk_mb": "disk, MB"}
    figure, axes = pyplot.subplots(1, len(shown), figsize=(11, 3.2), layout="constrained")
    sizes = sorted({size for _, size in measured})
    for axis, (key, label) in zip(axes, shown.items(), strict=True):
        for engine in dict.fromkeys(name for name, _ in measured):
            points = sorted((size, of[key]) for (name, size), of in measured.items() if name == engine and key in of)
            if points:
                axis.plot(*zip(*points, strict=True), marker="o", label=engine)
        axis.set(xscale="log", xlabel="passages", ylabel=label)
        axis.set_xticks(sizes, [f"{size:,}" for size in sizes], minor=False)
        axis.set_xticks([], minor=True)
        axis.set_ylim(bottom=0)
        axis.legend(frameon=False)
    figure.savefig(path)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--passages", default="200000,1000000,5000000", help="sizes of the corpora; empty: none")
    parser.add_argument("--queries", type=int, default=200, help="queries asked, alone and again in batches")
    parser.add_argument(
        "--out", type=Path, default=Path("retrieval-scale"), help="folder for the indexes, kept for the next time"
    )
    parser.add_argument("--against", choices=("bm25s",), help="measure this library as well")
    parser.add_argument("--plot", type=Path, help="draw the growth into this file, such as growth.svg")
    parser.add_argument("--vectors", type=int, default=0, help="measure dense on so many vectors")
    parser.add_argument("--step", choices=STEPS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--size", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


def _measured(step: str, folder: Path, size: int, queries: int) -> dict[str, float]:
    arguments = ["--step", step, "--folder", str(folder), "--size", str(size), "--queries", str(queries)]
    done = subprocess.run([sys.executable, __file__, *arguments], check=True, capture_output=True, text=True)
    values: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return values


def _build(folder: Path, size: int, _: int) -> dict[str, float]:
    return _once(folder, lambda: BM25.build(folder / "index", generated(size), num_passages=size))


def _once(folder: Path, build: Callable[[], IndexSummary]) -> dict[str, float]:
    """What building costs; what it cost, where it has been done."""
    report = folder / "build.json"
    if report.is_file():
        values: dict[str, float] = json.loads(report.read_text())
        return values
    folder.mkdir(parents=True, exist_ok=True)
    started, cpu = time.monotonic(), time.process_time()
    summary = build()
    built = {
        "seconds": time.monotonic() - started,
        "cpu_seconds": time.process_time() - cpu,
        "build_peak_mb": _peak_mb(),
        "disk_mb": summary.num_bytes / 1e6,
    }
    report.write_text(json.dumps(built))
    return built


def _build_vectors(folder: Path, size: int, queries: int) -> dict[str, float]:
    if not (folder / "queries.txt").is_file():
        _write_vectors(folder, size, queries)
    passages = (Passage(f"v{number}", f"Passage {number}.") for number in range(size))
    options = EncoderOptions(vectors=folder / "passages.npy")
    return _once(folder, lambda: Dense.build(folder / "dense", passages, options=options))


def _write_vectors(folder: Path, size: int, queries: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    draw = np.random.default_rng(SEED)
    centres = _of_length_1(draw.standard_normal((NUM_CENTRES, DIMENSION), dtype=np.float32))
    vectors = np.lib.format.open_memmap(folder / "passages.npy", mode="w+", dtype=np.float32, shape=(size, DIMENSION))
    for first in range(0, size, CHUNK):
        part = vectors[first : first + CHUNK]
        part[:] = _near(draw, centres[draw.integers(0, NUM_CENTRES, len(part))], NEAR_CENTRE)
    np.save(folder / "queries.npy", _near(draw, vectors[np.sort(draw.integers(0, size, queries))], NEAR_VECTOR))
    (folder / "passages.txt").write_text("".join(f"v{number}\n" for number in range(size)))
    (folder / "queries.txt").write_text("".join(f"question {number}\n" for number in range(queries)))


def _near(draw: np.random.Generator, vectors: Any, cosine: float) -> Any:
    """Vectors of length 1 with a cosine to given ones, in a random direction."""
    away = draw.standard_normal(vectors.shape, dtype=np.float32)
    away -= (away * vectors).sum(axis=1, keepdims=True) * vectors
    return cosine * vectors + (1 - cosine**2) ** 0.5 * _of_length_1(away)


def _of_length_1(vectors: Any) -> Any:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _vectors(folder: Path, size: int, queries: int) -> dict[str, float]:
    asked = [f"question {number}" for number in range(queries)]
    started = time.monotonic()
    retriever = load("retrievers", "dense")(index=folder / "dense", query_vectors=folder / "queries.npy")
    retriever.search(asked[:1], MAX_HITS)
    opened = time.monotonic() - started
    timed = _timed(lambda some: retriever.search(some, MAX_HITS), asked)
    peak = _peak_mb()
    found = [{int(hit.passage.id[1:]) for hit in hits} for hits in retriever.search(asked, MAX_HITS)]
    exact = _nearest(np.load(folder / "passages.npy", mmap_mode="r"), np.load(folder / "queries.npy"))
    recall = sum(len(one & set(other)) for one, other in zip(found, exact, strict=True)) / (MAX_HITS * queries)
    return {"open_seconds": opened, **timed, "peak_mb": peak, "recall": recall}


def _nearest(vectors: Any, queries: Any) -> list[list[int]]:
    """The rows with the largest inner products with each query, by comparing all."""
    best = [np.zeros((len(queries), 0))] * 2
    for first in range(0, len(vectors), CHUNK):
        found = queries @ vectors[first : first + CHUNK].T
        rows = np.broadcast_to(np.arange(first, first + found.shape[1]), found.shape)
        scores, rows = np.concatenate([best[0], found], axis=1), np.concatenate([best[1], rows], axis=1)
        top = np.argsort(-scores, axis=1)[:, :MAX_HITS]
        best = [np.take_along_axis(scores, top, axis=1), np.take_along_axis(rows, top, axis=1)]
    return best[1].astype(int).tolist()


def _query(name: str) -> Callable[[Path, int, int], dict[str, float]]:
    def measure(folder: Path, size: int, queries: int) -> dict[str, float]:
        asked = questions(size, queries)
        started = time.monotonic()
        retriever = load("retrievers", name)(index=folder / "index")
        retriever.search(asked[:1], MAX_HITS)
        opened = time.monotonic() - started
        return {"open_seconds": opened, **_timed(lambda some: retriever.search(some, MAX_HITS), asked), "peak_mb": _peak_mb()}

    return measure


def _bm25s(folder: Path, size: int, queries: int) -> dict[str, float]:
    bm25s = import_module("bm25s")
    asked = questions(size, queries)
    started, cpu = time.monotonic(), time.process_time()
    tokens = bm25s.tokenize([f"{one.title}\n{one.text}" for one in generated(size)], stopwords="en", show_progress=False)
    engine = bm25s.BM25(method="lucene")
    engine.index(tokens, show_progress=False)
    built = {"seconds": time.monotonic() - started, "cpu_seconds": time.process_time() - cpu, "build_peak_mb": _peak_mb()}
    engine.save(folder / "bm25s")
    disk = sum(path.stat().st_size for path in (folder / "bm25s").iterdir()) / 1e6
    started = time.monotonic()
    engine = bm25s.BM25.load(folder / "bm25s")

    def search(some: Sequence[str]) -> Any:
        return engine.retrieve(bm25s.tokenize(some, stopwords="en", show_progress=False), k=MAX_HITS, show_progress=False)

    search(asked[:1])
    opened = time.monotonic() - started
    return {**built, "disk_mb": disk, "open_seconds": opened, **_timed(search, asked), "peak_mb": _peak_mb()}


def _timed(search: Callable[[Sequence[str]], Any], asked: Sequence[str]) -> dict[str, float]:
    """CPU milliseconds a query, each alone and then in batches; every question is new to the process the first time."""
    half = len(asked) // 2
    started = time.process_time()
    for question in asked[:half]:
        search([question])
    alone = time.process_time() - started
    started = time.process_time()
    for first in range(half, len(asked), BATCH):
        search(asked[first : first + BATCH])
    batch = time.process_time() - started
    return {"alone_ms": 1000 * alone / half, "batch_ms": 1000 * batch / (len(asked) - half)}


STEPS: Mapping[str, Callable[[Path, int, int], dict[str, float]]] = {
    "build": _build,
    "bm25": _query("bm25"),
    "weave": _query("weave"),
    "bm25s": _bm25s,
    "build vectors": _build_vectors,
    "vectors": _vectors,
}


def generated(size: int) -> Iterator[Passage]:
    """Passages by the million, the same for the same size."""
    for first in range(0, size, CHUNK):
        yield from _chunk(size, first)


def questions(size: int, num: int) -> list[str]:
    """Questions, each with a title and four words."""
    draw = np.random.default_rng(SEED + 1)
    words = _zipf(draw, NUM_WORDS, WORDS_BY_ZIPF, 4 * num).reshape(num, 4)
    return [
        f"Which {' '.join(map(_word, of_one))} belongs to {_title(int(number))}?"
        for of_one, number in zip(words.tolist(), draw.integers(0, size, num), strict=True)
    ]


def _chunk(size: int, first: int) -> list[Passage]:
    num = min(CHUNK, size - first)
    draw = np.random.default_rng([SEED, size, first])
    lengths = draw.integers(60, 101, num)
    words = iter(_zipf(draw, NUM_WORDS, WORDS_BY_ZIPF, int(lengths.sum())).tolist())
    passages = []
    for offset, links in enumerate(_links(size, first)):
        text = [_word(next(words)) for _ in range(int(lengths[offset]))]
        for link in links:
            text.insert(int(link) % len(text), f"{_title(int(link))},")
        sentences = [" ".join(text[at : at + 15]).capitalize() for at in range(0, len(text), 15)]
        number = first + offset
        passages.append(Passage(f"g{number}", f"{_title(number)} is one. {'. '.join(sentences)}.", _title(number)))
    return passages


def _links(size: int, first: int) -> list[list[int]]:
    """For each passage of a chunk, the numbers of those that it names."""
    num = min(CHUNK, size - first)
    draw = np.random.default_rng([SEED, size, first, 7])
    counts = draw.poisson(MEAN_LINKS, num)
    targets = _zipf(draw, size, LINKS_BY_ZIPF, int(counts.sum()))
    # Spread over all numbers, so that those that are named often do not stand together.
    spread = (targets * 2_654_435_761) % size
    return [part.tolist() for part in np.split(spread, np.cumsum(counts)[:-1])]


def _zipf(draw: np.random.Generator, most: int, exponent: float, num: int) -> Any:
    """Numbers below `most`, the k-th of them in proportion to 1 / k^exponent, by the inverse of the continuous distribution."""
    at = draw.random(num)
    power = 1 - exponent
    return np.minimum(((at * (float(most) ** power - 1) + 1) ** (1 / power)).astype(np.int64), most) - 1


def _word(number: int) -> str:
    parts = []
    number += len(_SYLLABLES)
    while number:
        number, syllable = divmod(number, len(_SYLLABLES))
        parts.append(_SYLLABLES[syllable])
    return "".join(parts)


def _title(number: int) -> str:
    names = [
        _word(number + 1_000_000),
        *([_word(number % 3_000 + 300_000)] if number % 3 else []),
        *(["Hall"] if number % 7 == 0 else []),
    ]
    return " ".join(name.capitalize() for name in names)


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


if __name__ == "__main__":
    main()
