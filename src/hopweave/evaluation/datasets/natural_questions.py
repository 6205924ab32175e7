"""Natural Questions: real search-engine queries, answered from Wikipedia.

Address: https://ai.google.com/research/NaturalQuestions (Kwiatkowski et al. 2019, TACL; NQ-open: Lee et al. 2019, arXiv
1906.00300). Licence: CC BY-SA 3.0. On the hub: `google-research-datasets/nq_open`.

Four formats are supported: NQ-open, KILT, DPR's tab-separated questions, and the original. From the original, only questions
with a short answer of at most `max_answer_words` words, or yes or no, are used, as in NQ-open (five words).

One row of `NQ-open.dev.jsonl`:

    {"question": "who designed the carrow head light", "answer": ["Ines Halloran", "Halloran"]}

or, of KILT, `nq-dev-kilt.jsonl`:

    {"id": "-91", "input": "who designed the carrow head light", "output": [{"answer": "Ines Halloran",
     "provenance": [{"wikipedia_id": "900001", "title": "Carrow Head Light", "start_paragraph_id": 1}]}]}

or, with a tab between the two, of DPR, `nq-test.qa.csv`:

    who designed the carrow head light    ['Ines Halloran', 'Halloran']

or, of the original, `simplified-nq-train.jsonl`:

    {"example_id": 91, "question_text": "who designed the carrow head light", "document_url": "https://example.org/carrow",
     "document_text": "The light was designed by Ines Halloran in 1931 .",
     "annotations": [{"annotation_id": 1, "yes_no_answer": "NONE", "short_answers": [{"start_token": 5, "end_token": 7}],
                      "long_answer": {"start_token": 0, "end_token": 10, "candidate_index": 0}}]}
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from hopweave.core.options import Count
from hopweave.core.types import Example, Gold, Question
from hopweave.evaluation.datasets._hub import HubAddress
from hopweave.evaluation.datasets._kilt import KiltRow, KiltSource
from hopweave.evaluation.datasets._open_questions import OpenRow, open_example, open_rows
from hopweave.evaluation.datasets._rows import Id, Layout, Row, Text
from hopweave.evaluation.datasets._source import distinct, examples_of


class _Tokens(Layout):
    start_token: int
    end_token: int


class _Annotation(Layout):
    yes_no_answer: Literal["NONE", "YES", "NO"] = "NONE"
    short_answers: tuple[_Tokens, ...] = ()


class _Token(Layout):
    token: str


class _Original(Layout):
    marks = ("question_text", "annotations")
    example_id: Id
    question_text: Text
    document_text: str = ""
    document_tokens: tuple[_Token, ...] = ()
    annotations: tuple[_Annotation, ...]


@dataclass(frozen=True, slots=True)
class NaturalQuestions(KiltSource):
    """Natural Questions in any of its formats."""

    HUB: ClassVar = HubAddress("google-research-datasets/nq_open")

    max_answer_words: Annotated[Count, "maximum length of a short answer in the original format"] = 5

    def examples(self) -> Iterator[Example]:
        yield from examples_of(open_rows(self, (KiltRow, _Original, OpenRow)), self._examples)

    def _examples(self, row: Row[Layout]) -> Iterator[Example]:
        match row.values:
            case KiltRow() as values:
                yield self.kilt_example(row, values)
            case OpenRow() as values:
                yield open_example(row, values.question, values.answer)
            case _Original() as values:
                answers = self._answers(row, values)
                if answers:
                    yield Example(Question(values.example_id, values.question_text), Gold(answers))

    def _answers(self, row: Row[Layout], values: _Original) -> tuple[str, ...]:
        tokens = [one.token for one in values.document_tokens] or values.document_text.split(" ")
        found = []
        for annotation in values.annotations:
            if annotation.yes_no_answer != "NONE":
                found.append(annotation.yes_no_answer.lower())
            for span in annotation.short_answers:
                if not 0 <= span.start_token < span.end_token <= len(tokens):
                    raise row.error(f"a short answer is at tokens {span.start_token} to {span.end_token} of {len(tokens)}")
                if span.end_token - span.start_token <= self.max_answer_words:
                    found.append(" ".join(tokens[span.start_token : span.end_token]))
        return distinct(found)
