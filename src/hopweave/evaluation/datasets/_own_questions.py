"""Our own layout of questions, described in `jsonl`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pydantic import AliasChoices, ConfigDict, Field

from hopweave.core.errors import suggest
from hopweave.core.types import AnswerForm, Example, Gold, GoldStep, Passage, Question
from hopweave.evaluation.datasets._rows import Id, Layout, Row, Text
from hopweave.evaluation.datasets._source import LocalFile, distinct, examples_of
from hopweave.ingest.lookup import content_id


class _Strict(Layout):
    """Fields of which others are an error, since they may be typos."""

    model_config = ConfigDict(extra="allow")

    def unknown(self, place: str = "") -> Iterator[tuple[str, Iterable[str]]]:
        """Yields the path of each field that there is not, also within others, and those that there are beside it."""
        for name in self.model_extra or {}:
            yield f"{place}{name}", type(self).model_fields
        for name in type(self).model_fields:
            value = getattr(self, name)
            for number, item in enumerate(value if isinstance(value, tuple) else ()):
                if isinstance(item, _Strict):
                    yield from item.unknown(f"{place}{name}.{number}.")


class _Passage(_Strict):
    text: Text
    title: str = ""
    id: Id | None = None
    is_gold: bool = False

    def passage(self) -> Passage:
        return Passage(self.id or content_id(self.title, self.text), self.text, self.title)


class _Step(_Strict):
    query: Text
    answer: str = ""
    passage: str = ""


class _Line(_Strict):
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
        yield from examples_of(self._rows(), lambda row: [_example(row)])

    def passages(self) -> Iterator[Passage]:
        for row in self._rows():
            yield from (one.passage() for one in row.values.passages)

    def _rows(self) -> Iterator[Row[_Line]]:
        """The rows. Same errors as in `read_rows`, and one for a field that there is not."""
        for row in self.rows(_Line):
            for path, known in row.values.unknown():
                raise row.error(f"there is no field {path!r}; {suggest(path.rpartition('.')[2], known)}")
            yield row


def _example(row: Row[_Line]) -> Example:
    values = row.values
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
