"""IIRC: questions about a passage with incomplete information; the rest is on the pages it links to.

Address: https://allenai.org/data/iirc (Ferguson et al. 2020, arXiv 2011.07127). Licence: CC BY 4.0. There is no official
address on the hub.

The main passage is pinned to the question. The linked pages are in a separate file (`context_articles.json`, HTML by lower-case
title); with it, paragraphs of more than ten words are the passages, and the gold ones are those that contain what annotators
marked, as in IRCoT (never the main passage itself). Questions without an answer are left out. The spans of an answer with
several spans are joined by commas into one text.

One passage with its questions, of `dev.json`:

    [{"pid": "p_9", "title": "Carrow", "text": "Carrow is a harbour. Its lighthouse is the Carrow Head Light.",
      "links": [{"target": "Carrow Head Light", "indices": [43, 60]}],
      "questions": [
        {"qid": "q_1", "question": "Who designed the lighthouse of Carrow?", "question_links": ["Carrow Head Light"],
         "context": [{"passage": "main", "text": "Its lighthouse is the Carrow Head Light.", "indices": [21, 61]},
                     {"passage": "Carrow Head Light", "text": "drawn by Ines Halloran", "indices": [24, 46]}],
         "answer": {"type": "span", "answer_spans": [{"text": "Ines Halloran", "passage": "carrow head light"}]}},
        {"qid": "q_2", "question": "How many harbours are older?", "context": [], "answer": {"type": "none"}}]}]

and the pages that it links to, in `context_articles.json` (option `articles`):

    {"carrow head light": "<p>The plans for the light were drawn by Ines Halloran in the year 1931, they say.</p><p>Short.</p>"}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from hopweave.core.types import Example, Gold, Passage, Question
from hopweave.evaluation.datasets._rows import Id, Layout, Row, Text, read_members
from hopweave.evaluation.datasets._source import LocalFile, distinct, examples_of, passage_of, required
from hopweave.ingest.deadline import no_check
from hopweave.ingest.documents import read_document

_MIN_WORDS = 11


class _Marked(Layout):
    passage: str
    text: str


class _Span(Layout):
    text: str


class _Answer(Layout):
    type: Literal["span", "binary", "value", "none"]
    answer_spans: tuple[_Span, ...] = ()
    answer_value: str = ""
    answer_unit: str = ""


class _Asked(Layout):
    qid: Id
    question: Text
    context: tuple[_Marked, ...] = ()
    answer: _Answer


class _Main(Layout):
    title: str
    text: Text
    questions: tuple[_Asked, ...]


class _Page(Layout):
    value: str


Pages = Mapping[str, Sequence[Passage]]
"""Paragraphs of pages, by lower-case title."""


@dataclass(frozen=True, slots=True)
class IIRC(LocalFile):
    """IIRC; `type` is the kind of its answer (span, binary or value)."""

    articles: Annotated[Path | None, "the file context_articles.json; without it there are no gold passages"] = None

    def examples(self) -> Iterator[Example]:
        pages = {} if self.articles is None else self._pages_of_gold()
        yield from examples_of(self.rows(_Main), lambda row: _examples(row, pages))

    def passages(self) -> Iterator[Passage]:
        articles = required(self.articles, "articles", "the passages of IIRC")
        for title, row in read_members(articles, _Page):
            yield from _paragraphs(title, row.values.value)

    def _pages_of_gold(self) -> Pages:
        articles = required(self.articles, "articles", "the passages of IIRC")
        wanted = {
            marked.passage.strip().lower()
            for row in self.rows(_Main)
            for asked in row.values.questions
            for marked in asked.context
        }
        return {title: _paragraphs(title, row.values.value) for title, row in read_members(articles, _Page) if title in wanted}


def _paragraphs(title: str, html: str) -> list[Passage]:
    text = read_document(html, ".html", "the article", no_check).parts[0].text
    return [passage_of(title, line) for line in text.split("\n") if len(line.split()) >= _MIN_WORDS]


def _examples(row: Row[_Main], pages: Pages) -> Iterator[Example]:
    main = passage_of(row.values.title.strip(), row.values.text.strip())
    for asked in row.values.questions:
        if asked.answer.type == "none":
            continue
        answers = _answers(asked.answer)
        if not answers:
            raise row.error(f"the question {asked.qid!r} has no answer of its type {asked.answer.type}")
        question = Question(asked.qid, asked.question, pinned=(main,))
        yield Example(question, Gold(answers, _gold(asked.context, pages)), {"type": asked.answer.type})


def _answers(answer: _Answer) -> tuple[str, ...]:
    if answer.type == "span":
        return distinct([", ".join(distinct(span.text.strip() for span in answer.answer_spans))])
    value = answer.answer_value.strip()
    return distinct((value, f"{value} {answer.answer_unit.strip()}".strip())) if value else ()


def _gold(context: Sequence[_Marked], pages: Pages) -> tuple[str, ...]:
    """Ids of the paragraphs that contain the marked text; none unless every marked page is available."""
    marked = [(one.passage.strip().lower(), one.text) for one in context if one.passage.strip() != "main"]
    if not all(pages.get(title) for title, _ in marked):
        return ()
    return distinct(_best(pages[title], text).id for title, text in marked)


def _best(paragraphs: Sequence[Passage], text: str) -> Passage:
    """The paragraph that contains the text, else the one that shares the most words with it."""
    wanted = " ".join(text.split())
    for paragraph in paragraphs:
        if wanted in " ".join(paragraph.text.split()):
            return paragraph
    words = Counter(wanted.lower().split())
    return max(paragraphs, key=lambda paragraph: (words & Counter(paragraph.text.lower().split())).total())
