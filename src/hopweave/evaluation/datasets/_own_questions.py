"""Our own layout of questions, described in `jsonl`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import AliasChoices, ConfigDict, Field

from hopweave.core.errors import suggest
from hopweave.core.types import AnswerForm, Example, Gold, GoldStep, Passage, Question
from hopweave.evaluation.datasets._rows import Id, Layout, Row, Text
from hopweave.evaluation.datasets._source import LocalFile, distinct, examples_of
from hopweave.ingest.lookup import content_id


class _Passage(Layout):
    text: Text
    title: str = ""
    id: Id | None = None
    is_gold: bool = False

    def passage(self) -> Passage:
        return Passage(self.id or content_id(self.title, self.text), self.text, self.title)


class _Step(Layout):
    query: Text
    answer: str = ""
    passage: str = ""


class _Line(Layout):
    model_config = ConfigDict(extra="allow")
    id: Id | None = None
    question: Text
    answers: tuple[str, ...] = ()
    answer: str = ""
    form: AnswerForm = "short"
    labels: tuple[Text, ...] = ()
    family: str = ""
    dataset: str = ""
    type: str = ""
    level: str = ""
    hops: int = 0
    traits: dict[str, str | int] = Field(default_factory=dict)
    gold_passages: tuple[Id, ...] = Field((), validation_alias=AliasChoices("gold_passages", "passage_ids"))
    facts: tuple[Text, ...] = ()
    steps: tuple[_Step, ...] = ()
    pinned: tuple[_Passage, ...] = ()
    passages: tuple[_Passage, ...] = ()


@dataclass(frozen=True, slots=True)
class OwnQuestions(LocalFile):
    """A file in our own layout, one JSON object per line (a JSON list of objects also works)."""

    def examples(self) -> Iterator[Example]:
        yield from examples_of(self.rows(_Line), lambda row: [_example(row)])

    def passages(self) -> Iterator[Passage]:
        for row in self.rows(_Line):
            yield from (one.passage() for one in row.values.passages)


def _example(row: Row[_Line]) -> Example:
    values = row.values
    for unknown in values.model_extra or {}:
        raise row.error(f"there is no field {unknown!r}; {suggest(unknown, _Line.model_fields)}")
    answers = distinct((values.answer, *values.answers))
    if not answers:
        raise row.error("it has neither answers nor an answer", "give the accepted answers")
    if values.form == "label" and not set(answers) <= set(values.labels):
        raise row.error(f"its answer is not one of its labels {list(values.labels)}")
    question = Question(
        values.id or "",
        values.question,
        values.form,
        values.labels,
        values.family,
        tuple(one.passage() for one in values.pinned),
        values.dataset,
    )
    gold = Gold(
        answers,
        distinct((*values.gold_passages, *(one.passage().id for one in values.passages if one.is_gold))),
        values.facts,
        tuple(GoldStep(step.query, step.answer, step.passage) for step in values.steps),
    )
    traits: dict[str, str | int] = {"type": values.type, "level": values.level, "hops": values.hops}
    return Example(question, gold, {name: value for name, value in traits.items() if value} | values.traits)
