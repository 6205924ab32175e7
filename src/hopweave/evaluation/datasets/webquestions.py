"""WebQuestions: questions from search-engine suggestions, answered by Freebase entities.

Address: https://nlp.stanford.edu/software/sempre (Berant et al. 2013, EMNLP). Licence: CC BY 4.0. On the hub:
`stanfordnlp/web_questions`.

Supported are the original and the question files of DPR and DrQA. Any one of the entities counts as an answer, as in the
open-domain use of the dataset.

One row of `webquestions.examples.test.json`:

    [{"url": "http://www.freebase.com/view/en/carrow_head_light", "utterance": "who made the carrow head light?",
      "targetValue": "(list (description \\"Ines Halloran\\") (description Halloran))"}]
"""  # noqa: D301 - the backslashes are JSON's

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Example
from hopweave.evaluation.datasets._hub import HubAddress
from hopweave.evaluation.datasets._open_questions import OpenRow, open_example, open_rows
from hopweave.evaluation.datasets._rows import Layout, Row, Text
from hopweave.evaluation.datasets._source import Source, examples_of

_DESCRIPTION = lazy_pattern(r'\(description\s+(?:"((?:[^"\\]|\\.)*)"|([^()"]+))\s*\)')
_ESCAPED = lazy_pattern(r"\\(.)")


class _Original(Layout):
    marks = ("utterance",)
    utterance: Text
    targetValue: Text  # noqa: N815 - the field's own name


class _OnHub(Layout):
    marks = ("question", "answers")
    question: Text
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WebQuestions(Source):
    """WebQuestions in any of its formats."""

    HUB: ClassVar = HubAddress("stanfordnlp/web_questions")

    split: Annotated[str, "which split, with hub"] = "test"

    def examples(self) -> Iterator[Example]:
        yield from examples_of(open_rows(self, (_Original, _OnHub, OpenRow)), _examples)


def _examples(row: Row[Layout]) -> Iterator[Example]:
    match row.values:
        case _Original() as values:
            found = _DESCRIPTION.findall(values.targetValue)
            if len(found) != values.targetValue.count("(description"):
                raise row.error(f"targetValue: {values.targetValue!r} is not a list of descriptions")
            answers = [_ESCAPED.sub(r"\1", quoted) or plain.strip() for quoted, plain in found]
            yield open_example(row, values.utterance, answers)
        case _OnHub() as values:
            yield open_example(row, values.question, values.answers)
        case OpenRow() as values:
            yield open_example(row, values.question, values.answer)
