"""SQuAD: questions about paragraphs of Wikipedia, answered by a span.

Address: https://rajpurkar.github.io/SQuAD-explorer (Rajpurkar et al. 2016, arXiv 1606.05250; 2018, arXiv 1806.03822). Licence:
CC BY-SA 4.0. On the hub: `rajpurkar/squad`.

Supported are versions 1.1 and 2.0, and the question files of DPR and DrQA. Unanswerable questions of version 2.0 are left
out. The paragraph that a question was asked about is its gold passage.

One article of `dev-v1.1.json`:

    {"version": "1.1", "data": [{"title": "Carrow_Head_Light", "paragraphs": [
      {"context": "The Carrow Head Light was designed by Ines Halloran.", "qas": [
        {"id": "q1", "question": "Who designed the Carrow Head Light?",
         "answers": [{"answer_start": 38, "text": "Ines Halloran"}, {"answer_start": 43, "text": "Halloran"}]}]}]}]}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator

from hopweave.core.types import Example, Gold, Passage, Question
from hopweave.evaluation.datasets._hub import HubAddress
from hopweave.evaluation.datasets._open_questions import OpenRow, open_example, open_rows
from hopweave.evaluation.datasets._rows import Id, Layout, Row, Text
from hopweave.evaluation.datasets._source import Source, distinct, examples_of, passage_of


def _texts(value: Any) -> Any:
    """The texts of answers: on the hub they are a column. Anything else is left as it is, to be refused."""
    if isinstance(value, Mapping):
        return value.get("text")
    if isinstance(value, list):
        return [answer.get("text") if isinstance(answer, Mapping) else answer for answer in value]
    return () if value is None else value


Answers = Annotated[tuple[str, ...], BeforeValidator(_texts)]


class _Asked(Layout):
    id: Id
    question: Text
    answers: Answers = ()
    is_impossible: bool = False


class _Paragraph(Layout):
    context: Text
    qas: tuple[_Asked, ...]


class _Article(Layout):
    marks = ("paragraphs",)
    title: str = ""
    paragraphs: tuple[_Paragraph, ...]


class _OnHub(_Asked):
    marks = ("context",)
    title: str = ""
    context: Text


@dataclass(frozen=True, slots=True)
class SQuAD(Source):
    """SQuAD in any of its formats; underscores in titles become spaces."""

    HUB: ClassVar = HubAddress("rajpurkar/squad")

    def examples(self) -> Iterator[Example]:
        yield from examples_of(self._rows(), _examples)

    def passages(self) -> Iterator[Passage]:
        for row in self._rows():
            match row.values:
                case _Article() as values:
                    yield from (passage_of(_title(values.title), one.context) for one in values.paragraphs)
                case _OnHub() as values:
                    yield passage_of(_title(values.title), values.context)

    def _rows(self) -> Iterator[Row[Layout]]:
        return open_rows(self, (_Article, _OnHub, OpenRow), under=("data",))


def _title(title: str) -> str:
    return title.replace("_", " ")


def _examples(row: Row[Layout]) -> Iterator[Example]:
    match row.values:
        case _Article() as values:
            for paragraph in values.paragraphs:
                for asked in paragraph.qas:
                    yield from _asked(row, asked, _title(values.title), paragraph.context)
        case _OnHub() as values:
            yield from _asked(row, values, _title(values.title), values.context)
        case OpenRow() as values:
            yield open_example(row, values.question, values.answer)


def _asked(row: Row[Layout], asked: _Asked, title: str, context: str) -> Iterator[Example]:
    answers = distinct(asked.answers)
    if answers:
        yield Example(Question(asked.id, asked.question), Gold(answers, (passage_of(title, context).id,)))
    elif not asked.is_impossible and "is_impossible" in asked.model_fields_set:
        raise row.error(f"the question {asked.id!r} has no answer and is not marked as impossible")
