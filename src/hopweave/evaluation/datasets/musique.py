"""MuSiQue: questions of two to four hops composed from single ones, twenty paragraphs each.

Address: https://github.com/StonyBrookNLP/musique (Trivedi et al. 2022, arXiv 2108.00573). Licence: CC BY 4.0. On the hub a
third-party copy: `dgslibisey/MuSiQue`.

The number of hops is the first digit of the id. In a decomposition, `#1` stands for the answer to the first step.

One row of `musique_ans_v1.0_dev.jsonl`:

    {"id": "2hop__1_2", "question": "Who designed the lighthouse of the harbour where Ines Halloran was born?",
     "paragraphs": [
       {"idx": 0, "title": "Ines Halloran", "paragraph_text": "She was born in Carrow.", "is_supporting": true},
       {"idx": 1, "title": "Port Ellery", "paragraph_text": "Port Ellery has no lighthouse.", "is_supporting": false},
       {"idx": 2, "title": "Carrow", "paragraph_text": "Its lighthouse is by Tam Orre.", "is_supporting": true}],
     "question_decomposition": [
       {"id": 1, "question": "Ines Halloran >> place of birth", "answer": "Carrow", "paragraph_support_idx": 0},
       {"id": 2, "question": "Who designed the lighthouse of #1 ?", "answer": "Tam Orre", "paragraph_support_idx": 2}],
     "answer": "Tam Orre", "answer_aliases": ["T. Orre"], "answerable": true}
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Example, Gold, GoldStep, Passage, Question
from hopweave.evaluation.datasets._hub import HubAddress
from hopweave.evaluation.datasets._rows import Id, Layout, Row, Text
from hopweave.evaluation.datasets._source import Source, distinct, examples_of, passage_of

_HOPS = lazy_pattern(r"(\d)hop\d*__")


class _Paragraph(Layout):
    idx: int
    title: str
    paragraph_text: str
    is_supporting: bool = False


class _Step(Layout):
    question: str
    answer: str
    paragraph_support_idx: int | None = None


class _MusiqueRow(Layout):
    id: Id
    question: Text
    paragraphs: tuple[_Paragraph, ...]
    question_decomposition: tuple[_Step, ...] = ()
    answer: Text
    answer_aliases: tuple[str, ...] = ()
    answerable: bool = True


@dataclass(frozen=True, slots=True)
class MuSiQue(Source):
    """MuSiQue-Ans. Unanswerable questions of MuSiQue-Full are left out: they share ids with others."""

    HUB: ClassVar = HubAddress("dgslibisey/MuSiQue")

    def examples(self) -> Iterator[Example]:
        yield from examples_of(self.rows(_MusiqueRow), _examples)

    def passages(self) -> Iterator[Passage]:
        for row in self.rows(_MusiqueRow):
            for paragraph in row.values.paragraphs:
                yield passage_of(paragraph.title, paragraph.paragraph_text)


def _examples(row: Row[_MusiqueRow]) -> Iterator[Example]:
    values = row.values
    if not values.answerable:
        return
    hops = _HOPS.match(values.id)
    if not hops:
        raise row.error(f"its id {values.id!r} does not begin with the number of hops, as 2hop__ or 3hop1__ do")
    ids = {one.idx: passage_of(one.title, one.paragraph_text).id for one in values.paragraphs}
    if len(ids) != len(values.paragraphs):
        raise row.error("paragraphs: duplicate idx")
    steps = []
    for number, step in enumerate(values.question_decomposition):
        at = step.paragraph_support_idx
        if at is not None and at not in ids:
            raise row.error(f"question_decomposition.{number}: there is no paragraph with the idx {at}")
        steps.append(GoldStep(step.question, step.answer, "" if at is None else ids[at]))
    gold = Gold(
        distinct((values.answer, *values.answer_aliases)),
        distinct(ids[one.idx] for one in values.paragraphs if one.is_supporting),
        steps=tuple(steps),
    )
    traits: dict[str, str | int] = {"hops": int(hops[1]), "type": values.id.partition("__")[0]}
    yield Example(Question(values.id, values.question, dataset="musique"), gold, traits)
