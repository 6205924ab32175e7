"""MultiHop-RAG: queries over news whose evidence is in two to four articles.

Address: https://github.com/yixuantt/MultiHop-RAG (Tang and Yang 2024, arXiv 2401.15391). Licence: ODC-BY. On the hub:
`yixuantt/MultiHopRAG`, configurations `MultiHopRAG` and `corpus`.

Relevance is defined by text: a passage is relevant if it contains a fact of the evidence, however the articles were split.
Articles are identified by URL. Null queries have no evidence and expect the answer that the dataset gives for them; they are
marked by the trait `type`, and retrieval metrics have no data for them.

Two rows of `MultiHopRAG.json`:

    [{"query": "Who designed the lighthouse that both The Ellery Post and The Carrow Times report as closed?",
      "answer": "Ines Halloran", "question_type": "inference_query", "evidence_list": [
        {"title": "Light out", "author": "N. N.", "url": "https://example.org/1", "source": "The Ellery Post",
         "category": "news", "published_at": "2023-10-01T00:00:00+00:00", "fact": "The Carrow Head Light has closed."},
        {"title": "No light", "author": "N. N.", "url": "https://example.org/2", "source": "The Carrow Times",
         "category": "news", "published_at": "2023-10-02T00:00:00+00:00", "fact": "Halloran's light is closed."}]},
     {"query": "What did The Grey Water Herald say of it?", "answer": "Insufficient information.",
      "question_type": "null_query", "evidence_list": []}]

and its articles, in `corpus.json` (option `corpus`):

    [{"title": "Light out", "author": "N. N.", "source": "The Ellery Post", "published_at": "2023-10-01T00:00:00+00:00",
      "category": "news", "url": "https://example.org/1", "body": "The Carrow Head Light has closed. It is dark now."},
     {"title": "No light", "author": "N. N.", "source": "The Carrow Times", "published_at": "2023-10-02T00:00:00+00:00",
      "category": "news", "url": "https://example.org/2", "body": "It is true. Halloran's light is closed."}]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from hopweave.core.types import Example, Gold, Passage, Question
from hopweave.evaluation.datasets._hub import HubAddress, hub_rows
from hopweave.evaluation.datasets._rows import Layout, Row, Text, read_rows
from hopweave.evaluation.datasets._source import Source, distinct, examples_of, required


class _Evidence(Layout):
    fact: Text
    url: str = ""


class _Query(Layout):
    query: Text
    answer: Text
    question_type: Text
    evidence_list: tuple[_Evidence, ...]


class _Article(Layout):
    url: Text
    title: str = ""
    body: str


@dataclass(frozen=True, slots=True)
class MultiHopRAG(Source):
    """MultiHop-RAG. Relevance is defined by the facts of the evidence; `type` is the query type, `hops` the number of facts."""

    HUB: ClassVar = HubAddress("yixuantt/MultiHopRAG", "MultiHopRAG")

    split: Annotated[str, "which split, with hub"] = "train"
    corpus: Annotated[Path | None, "the file corpus.json, needed to build a corpus"] = None

    def examples(self) -> Iterator[Example]:
        yield from examples_of(self.rows(_Query), _examples)

    def passages(self) -> Iterator[Passage]:
        for row in self._articles():
            yield Passage(row.values.url, row.values.body, row.values.title)

    def _articles(self) -> Iterator[Row[_Article]]:
        if self.hub and self.corpus is None:
            return hub_rows(HubAddress(self.HUB.name, "corpus"), self.split, (_Article,))
        return read_rows(required(self.corpus, "corpus", "the articles of MultiHop-RAG"), (_Article,))


def _examples(row: Row[_Query]) -> Iterator[Example]:
    values = row.values
    facts = distinct(one.fact for one in values.evidence_list)
    if not facts and values.question_type != "null_query":
        raise row.error(f"evidence_list is empty, and its question_type is {values.question_type}, not null_query")
    traits: dict[str, str | int] = {"type": values.question_type}
    if facts:
        traits["hops"] = len(facts)
    gold = Gold((values.answer,), distinct(one.url for one in values.evidence_list), facts)
    yield Example(Question("", values.query), gold, traits)
