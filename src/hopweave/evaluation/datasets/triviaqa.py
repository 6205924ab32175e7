"""TriviaQA: questions by trivia enthusiasts, with many aliases for each answer.

Address: https://nlp.cs.washington.edu/triviaqa (Joshi et al. 2017, arXiv 1705.03551). Licence: Apache-2.0 for the release; the
questions belong to their authors. On the hub: `mandarjoshi/trivia_qa`, configuration `rc.nocontext`.

Supported are the original (unfiltered, web or Wikipedia), KILT, and the question files of DPR and DrQA.

One row of `unfiltered-web-dev.json`:

    {"Domain": "unfiltered-web", "Split": "dev", "VerifiedEval": false, "Version": 1.0, "Data": [
      {"Question": "Which fictional lighthouse did Ines Halloran design?", "QuestionId": "tc_9001",
       "QuestionSource": "http://www.example.org/", "EntityPages": [], "SearchResults": [],
       "Answer": {"Value": "Carrow Head Light", "Aliases": ["Carrow Head Light", "The Carrow Light"],
                  "NormalizedAliases": ["carrow head light", "carrow light"], "NormalizedValue": "carrow head light",
                  "Type": "FreeForm"}}]}

or, of KILT, `triviaqa-dev-kilt.jsonl`:

    {"id": "tc_9001", "input": "Which fictional lighthouse did Ines Halloran design?",
     "output": [{"answer": "Carrow Head Light"}, {"provenance": [{"wikipedia_id": "900001", "title": "Carrow Head Light"}]}]}
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from pydantic import AliasChoices, Field

from hopweave.core.types import Example, Gold, Question
from hopweave.evaluation.datasets._hub import HubAddress
from hopweave.evaluation.datasets._kilt import KiltRow, KiltSource
from hopweave.evaluation.datasets._open_questions import OpenRow, open_example, open_rows
from hopweave.evaluation.datasets._rows import Id, Layout, Row, Text
from hopweave.evaluation.datasets._source import distinct, examples_of


class _Answer(Layout):
    value: Text = Field(validation_alias=AliasChoices("Value", "value"))
    aliases: tuple[str, ...] = Field((), validation_alias=AliasChoices("Aliases", "aliases"))
    by_people: tuple[str, ...] = Field((), validation_alias=AliasChoices("HumanAnswers", "human_answers"))


class _Original(Layout):
    marks = ("Question",)
    id: Id = Field(validation_alias=AliasChoices("QuestionId", "question_id"))
    question: Text = Field(validation_alias=AliasChoices("Question", "question"))
    answer: _Answer = Field(validation_alias=AliasChoices("Answer", "answer"))


class _OnHub(_Original):
    marks = ("question_id",)


@dataclass(frozen=True, slots=True)
class TriviaQA(KiltSource):
    """TriviaQA in any of its formats. In the original, the value, all aliases and the human answers count."""

    HUB: ClassVar = HubAddress("mandarjoshi/trivia_qa", "rc.nocontext")

    def examples(self) -> Iterator[Example]:
        yield from examples_of(open_rows(self, (KiltRow, _Original, _OnHub, OpenRow), under=("Data",)), self._examples)

    def _examples(self, row: Row[Layout]) -> Iterator[Example]:
        match row.values:
            case KiltRow() as values:
                yield self.kilt_example(row, values)
            case OpenRow() as values:
                yield open_example(row, values.question, values.answer)
            case _Original() as values:
                answers = distinct((values.answer.value, *values.answer.aliases, *values.answer.by_people))
                yield Example(Question(values.id, values.question), Gold(answers))
