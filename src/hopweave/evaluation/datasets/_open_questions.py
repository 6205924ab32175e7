"""Questions with answers and nothing else, in the formats of open-domain question answering.

JSON lines with `question` and `answer` (NQ-open, DrQA), or DPR's tab-separated files: a question and a Python list of
answers.
"""

from __future__ import annotations

import ast
import csv
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from hopweave.core.errors import DataError
from hopweave.core.types import Example, Gold, Question
from hopweave.evaluation.datasets._rows import L, Layout, Row, Text, checked
from hopweave.evaluation.datasets._source import LocalFile, Source, distinct
from hopweave.ingest.file_bytes import open_text
from hopweave.ingest.formats import CorpusFile


class OpenRow(Layout):
    """A question with its accepted answers."""

    marks = ("question", "answer")
    question: Text
    answer: tuple[str, ...]


def open_rows(source: Source | LocalFile, layouts: Sequence[type[L]], under: Sequence[str] = ()) -> Iterator[Row[L]]:
    """The rows of a dataset that may also be such a table. Same errors as in `Source.rows`."""
    suffixes = [] if source.path is None else [suffix for suffix in source.path.suffixes if suffix != ".gz"]
    if source.path is not None and suffixes and suffixes[-1] in {".csv", ".tsv"}:
        return _table(source.path, layouts)
    return source.rows(*layouts, under=under)


def open_example(row: Row[L], question: str, answers: Sequence[str]) -> Example:
    """The example of a row, identified by its question.

    Raises:
        DataError: if it has no answer.
    """
    found = distinct(answers)
    if not found:
        raise row.error("it has no answer", "take a split that has answers, or remove the row")
    return Example(Question("", question), Gold(found))


def _table(path: Path, layouts: Sequence[type[L]]) -> Iterator[Row[L]]:
    file = CorpusFile(path, path.as_posix(), path.name)
    with open_text(file) as lines:
        reader = csv.reader(lines, delimiter="\t")
        try:
            for cells in filter(None, reader):
                place = f"{file.source}, line {reader.line_num}"
                if len(cells) != 2:
                    raise DataError(f"{place} has {len(cells)} columns, not a question and its answers; correct the line")
                yield checked({"question": cells[0], "answer": _answers(cells[1], place)}, partial(str, place), layouts)
        except csv.Error as error:
            place = f"{file.source}, line {reader.line_num}"
            raise DataError(f"{place} cannot be split into columns: {error}; correct the line") from None


def _answers(cell: str, place: str) -> object:
    try:
        return ast.literal_eval(cell)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise DataError(f"{place}: its answers are not a list of texts; correct the line or remove it") from None
