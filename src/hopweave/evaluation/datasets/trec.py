"""CuratedTREC: questions of the TREC question-answering tracks, answered by patterns.

Address: https://github.com/brmson/dataset-factoid-curated (Baudis and Sedivy 2015, CLEF); as JSON lines:
https://github.com/facebookresearch/DrQA. Licence: that of the underlying TREC data (NIST). There is no address on the hub.

An answer is a regular expression. Gold answers are texts, so each expression is expanded into everything that it matches, with
one space for white space and for a dot, and zero or one repetitions. A row with an expression that matches too many texts is an
error, or is left out with `leave_out_open_patterns`.

One row of `CuratedTrec-test.txt`:

    {"question": "Who designed the Carrow Head Light ?", "answer": ["(Ines )?Halloran"]}

or, with a tab between the two, of DPR, `curatedtrec-test.qa.csv`:

    Who designed the Carrow Head Light ?    ['(Ines )?Halloran']
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from hopweave.core.types import Example
from hopweave.evaluation.datasets._open_questions import OpenRow, open_example, open_rows
from hopweave.evaluation.datasets._patterns import TooManyTexts, texts_of
from hopweave.evaluation.datasets._rows import Row
from hopweave.evaluation.datasets._source import LocalFile, examples_of


@dataclass(frozen=True, slots=True)
class TREC(LocalFile):
    """CuratedTREC, with its patterns expanded into answers."""

    leave_out_open_patterns: Annotated[bool, "leave out rows whose patterns match too many texts"] = False

    def examples(self) -> Iterator[Example]:
        yield from examples_of(open_rows(self, (OpenRow,)), self._examples)

    def _examples(self, row: Row[OpenRow]) -> Iterator[Example]:
        try:
            answers = [text for pattern in row.values.answer for text in texts_of(pattern)]
        except TooManyTexts as error:
            if self.leave_out_open_patterns:
                return
            remedy = "list the answers in the row, or set leave_out_open_patterns = true"
            raise row.error(f"answer: {error}", remedy) from None
        yield open_example(row, row.values.question, answers)
