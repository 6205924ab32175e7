"""Questions with their answers and nothing else, in the forms in which open-domain question answering passes them on.

JSON lines of `question` and `answer` (NQ-open, DrQA), or the tab-separated files of DPR: a question and a Python list of
answers.
"""

from __future__ import annotations

import ast
import csv
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from hopweave.corpus.files import CorpusFile, open_text
from hopweave.datasets._rows import L, Layout, Row, Text, checked
from hopweave.datasets._source import LocalFile, Naming, Source, distinct
from hopweave.errors import DataError
from hopweave.types import Example, Gold, Question


class OpenRow(Layout):
    """A question with the answers that count."""

    marks = ("question", "answer")
    question: Text
    answer: tuple[str, ...]


def open_rows(source: Source | LocalFile, layouts: Sequence[type[L]], under: Sequence[str] = ()) -> Iterator[Row[L]]:
    """The rows of a dataset that may also be such a table. Same errors as `Source.rows`."""
    suffixes = [] if source.path is None else [suffix for suffix in source.path.suffixes if suffix != ".gz"]
    if source.path is not None and suffixes and suffixes[-1] in {".csv", ".tsv"}:
        return _table(source.path, layouts)
    return source.rows(*layouts, under=under)


def open_example(row: Row[L], question: str, answers: Sequence[str], name: Naming) -> Example:
    """The example of a row, named by its question.

    Raises:
        DataError: if it has no answer.
    """
    found = distinct(answers)
    if not found:
        raise row.error("there is no answer in it", "take a split that has answers, or remove the row")
    return Example(Question(name(question), question), Gold(found))


def _table(path: Path, layouts: Sequence[type[L]]) -> Iterator[Row[L]]:
    file = CorpusFile(path, path.as_posix(), path.name)
    with open_text(file) as lines:
        for cells in (reader := csv.reader(lines, delimiter="\t")):
            place = f"{file.source}, line {reader.line_num}"
            if not cells:
                continue
            if len(cells) != 2:
                raise DataError(f"{place} has {len(cells)} columns, not a question and its answers; correct the line")
            try:
                answers = ast.literal_eval(cells[1])
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                raise DataError(f"{place}: its answers are no list of texts; correct the line or remove it") from None
            yield checked({"question": cells[0], "answer": answers}, partial(str, place), layouts)
