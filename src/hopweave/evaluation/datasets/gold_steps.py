"""The hops of a run's questions: each asked as a separate question, or some of them shown with the whole question.

Its address and licence are those of the dataset that the run sampled from: `path` is RUN/examples/DATASET.jsonl.
Questions whose hops are unknown or have no answers are left out, and so are one-hop questions.

`form = "parts"` asks each hop alone. `form = "given"` asks the whole question and shows the first hops with their gold
answers, once for each number of hops left to the model, from 1 to all; `form = "listed"` shows them without answers.
Here gold answers reach a method on purpose, as part of the question: this is the experiment of SearChain's table 7 and figure
10 (appendix A.2.1). In a hop, `#1` stands for the answer to the first one and is replaced by it.

Traits: `whole` (the id of the question), `parts` (its number of hops), and `part` (which one, from 1) or `left` (how many
are left to the model).

One row of `examples/musique.jsonl`:

    {"question": {"id": "2hop__1_2", "text": "Who designed the lighthouse of the harbour where Ines Halloran was born?"},
     "gold": {"answers": ["Tam Orre", "T. Orre"], "steps": [
       {"query": "Where was Ines Halloran born?", "answer": "Carrow"},
       {"query": "Who designed the lighthouse of #1?", "answer": "Tam Orre"}]}}
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import AnswerForm, Example, Gold, Question
from hopweave.evaluation.datasets._rows import Id, Layout, Row, Text
from hopweave.evaluation.datasets._source import LocalFile, distinct, examples_of

Form = Literal["parts", "given", "listed"]

_EARLIER = lazy_pattern(r"#(\d+)")


class _Question(Layout):
    id: Id
    text: Text
    form: AnswerForm = "short"
    labels: tuple[str, ...] = ()
    family: str = ""
    dataset: str = ""


class _Step(Layout):
    query: Text
    answer: str = ""


class _Gold(Layout):
    answers: tuple[str, ...] = ()
    steps: tuple[_Step, ...] = ()


class _Example(Layout):
    question: _Question
    gold: _Gold


@dataclass(frozen=True, slots=True)
class GoldSteps(LocalFile):
    """The hops of a run's questions, asked alone or shown with the whole question."""

    form: Annotated[Form, "parts: each hop alone; given: the first hops with their answers; listed: without"] = "parts"

    def examples(self) -> Iterator[Example]:
        yield from examples_of(self.rows(_Example), partial(_examples, form=self.form))


def _examples(row: Row[_Example], form: Form) -> Iterator[Example]:
    question, gold = row.values.question, row.values.gold
    steps = gold.steps
    if len(steps) < 2 or not all(step.answer.strip() for step in steps):
        return
    said = [step.answer for step in steps]
    queries = [_EARLIER.sub(partial(_answer_of, said=said[:place]), step.query) for place, step in enumerate(steps)]
    traits: dict[str, str | int] = {"whole": question.id, "parts": len(steps)}
    if form == "parts":
        for part, (query, answer) in enumerate(zip(queries, said, strict=True), start=1):
            answers = distinct([answer, *(gold.answers if part == len(steps) and question.form == "short" else ())])
            yield Example(Question(f"{question.id}#{part}", query), Gold(answers), {**traits, "part": part})
        return
    for left in range(1, len(steps) + 1):
        num_shown = len(steps) - left
        if form == "given":
            shown = [f"{query} {answer}" for query, answer in zip(queries[:num_shown], said, strict=False)]
        else:  # as originally written: an answer in the text of a later one would give it away
            shown = [step.query for step in steps[:num_shown]]
        text = _with(shown, question.text, form)
        asked = Question(
            f"{question.id}+{left}", text, question.form, question.labels, question.family, dataset=question.dataset
        )
        yield Example(asked, Gold(distinct(gold.answers)), {**traits, "left": left})


def _answer_of(match: re.Match[str], said: Sequence[str]) -> str:
    number = int(match[1])
    return said[number - 1] if 0 < number <= len(said) else match[0]


def _with(shown: Sequence[str], text: str, form: Form) -> str:
    if not shown:
        return text
    lead = "What is known:" if form == "given" else "Questions on the way:"
    lines = [f"{number}. {line}" for number, line in enumerate(shown, start=1)]
    return "\n".join([text, lead, *lines])
