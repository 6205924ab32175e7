"""The files of real multi-hop questions that benchmarks read, and the passages that are searched for each."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from hopweave.core.catalog import load
from hopweave.core.types import Passage

FILES = {
    "hotpotqa": "hotpotqa_dev100.json",
    "two_wikimultihopqa": "2wikimultihopqa_dev100.json",
    "musique": "musique_dev100.jsonl",
}
MORE_PASSAGES = {"two_wikimultihopqa": "2wikimultihopqa_corpus.json"}
"""Passages of other questions that make the haystack larger."""


def passages_of_file(data: Path, name: str) -> Iterable[Passage]:
    """The pooled passages of a file, each once, and those of its extra corpus.

    Args:
        data: folder of the files.
        name: of the dataset, a key of `FILES`.
    """
    of_questions = {passage.id: passage for passage in load("datasets", name)(path=data / FILES[name]).passages()}
    yield from of_questions.values()
    if name in MORE_PASSAGES:
        titles = {passage.title for passage in of_questions.values()}
        for number, row in enumerate(json.loads((data / MORE_PASSAGES[name]).read_text("utf-8"))):
            if row["title"] not in titles:
                yield Passage(f"more-{number}", row["text"], row["title"])
