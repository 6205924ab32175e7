"""Sheets for people who judge marks: AMP as it was judged for SearChain (section 4.3.4), and how far the judges agree.

A sheet is CSV: one row for each marked fragment of an answer, with the passage that the mark leads to, the whole text with the
marks as the model wrote them, and an empty column for yes or no. A mark that hopweave took out as misplaced is judged like any
other. One that leads to no passage is wrong, which the sheet says already. Rows are shuffled and do not name the method, so
that judges do not know whose answer they judge; the row's id links it to the record. Sheets of several people over the same run
are read together.
"""

from __future__ import annotations

import csv
import hashlib
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hopweave.core.errors import DataError
from hopweave.core.files import read_lines
from hopweave.record import Record
from hopweave.record.written import written_marks, written_text
from hopweave.show.csv_text import csv_text

COLUMNS = ("id", "question", "fragment", "k", "title", "passage", "answer", "is_correct")

_ANSWERS = {"yes": True, "y": True, "1": True, "true": True, "no": False, "n": False, "0": False, "false": False}


@dataclass(frozen=True, slots=True)
class Row:
    """A mark to be judged.

    Attributes:
        cell: dataset and method, which the sheet does not show.
        question_id: of the record, which the sheet does not show.
        question: its words.
        fragment: the words that the mark supports.
        k: the mark.
        title: of the passage; empty if the mark leads to none.
        passage: its text; likewise.
        answer: the text that the mark is in, with all the marks that the model wrote.
    """

    cell: tuple[str, str]
    question_id: str
    question: str
    fragment: str
    k: int
    title: str
    passage: str
    answer: str = ""

    @property
    def leads_somewhere(self) -> bool:
        """Whether there is a passage to judge the mark by."""
        return bool(self.title or self.passage)

    @property
    def id(self) -> str:
        """The first 16 hex digits of the SHA-256 of the row, without the answer around it."""
        words = "\0".join([*self.cell, self.question_id, self.fragment, str(self.k), self.title, self.passage])
        return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Agreement:
    """The outcome of people's judgements.

    Attributes:
        num_rows: rows that everybody judged.
        num_raters: sheets.
        num_open: rows that are open in one of the sheets, or missing from it; they do not count.
        kappa: Fleiss' kappa over the marks that lead to a passage; `None` where it is undefined.
        amp: the mean over answers of the share of judgements that say yes, for each cell.
        num_answers: answers that `amp` is the mean over, for each cell.
    """

    num_rows: int
    num_raters: int
    num_open: int
    kappa: float | None
    amp: Mapping[tuple[str, str], float] = field(default_factory=dict)
    num_answers: Mapping[tuple[str, str], int] = field(default_factory=dict)


def rows_of(cell: tuple[str, str], record: Record) -> list[Row]:
    """The marks that the model wrote into an answer, in order; none if there is no answer, or no such mark.

    A mark that leads to two passages is two rows. One that was invented, or whose claim cites nothing, leads to no passage.
    """
    if record.answer is None:
        return []
    passages = {passage.id: passage for passage in record.passages}
    cited: dict[int, list[str]] = defaultdict(list)
    for citation in record.answer.citations:
        if citation.passage_id not in cited[citation.mark]:
            cited[citation.mark].append(citation.passage_id)
    question, text = record.question, written_text(record)
    rows: list[Row] = []
    for mark in written_marks(record):
        ids = cited.get(mark.number, []) if mark.fate != "invented" else []
        shown = [(passages[one].title, passages[one].text) for one in ids] or [("", "")]
        rows += [Row(cell, question.id, question.text, mark.fragment, mark.number, *one, text) for one in shown]
    return rows


def write_sheet(rows: Iterable[Row], path: Path, *, seed: int = 0) -> int:
    """Writes a sheet, shuffled; returns the number of its rows.

    Raises:
        DataError: if it cannot be written.
    """
    shuffled = list({row.id: row for row in rows}.values())
    random.Random(seed).shuffle(shuffled)  # noqa: S311 - an order, not a secret
    try:
        rows_out = [
            [row.id, row.question, row.fragment, row.k, row.title, row.passage, row.answer, "" if row.leads_somewhere else "no"]
            for row in shuffled
        ]
        path.write_text(csv_text([COLUMNS, *rows_out], line_end="\r\n"), encoding="utf-8-sig", newline="")
    except OSError as error:
        raise DataError(f"cannot write the sheet {path}: {error.strerror}; choose another --out") from None
    return len(shuffled)


def read_sheet(path: Path) -> dict[str, bool | None]:
    """The judgements of a filled sheet by the id of the row; `None` for an open one.

    Raises:
        DataError: if it cannot be read, lacks a column, or has a value other than yes or no.
    """
    found: dict[str, bool | None] = {}
    try:
        lines = (line.decode("utf-8-sig" if number == 1 else "utf-8") for number, line in enumerate(read_lines(path), start=1))
        reader = csv.DictReader(lines)
        missing = {"id", "is_correct"} - set(reader.fieldnames or ())
        if missing:
            raise DataError(f"the sheet {path} has no column {min(missing)!r}; fill a sheet that `hopweave annotate` wrote")
        for row in reader:
            said = (row["is_correct"] or "").strip().lower()
            if said and said not in _ANSWERS:
                raise DataError(f"line {reader.line_num} of {path} says {said!r}; write yes or no")
            found[row["id"]] = _ANSWERS[said] if said else None
    except OSError as error:
        raise DataError(f"cannot read the sheet {path}: {error.strerror}; check the path") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"the sheet {path} is not CSV in UTF-8: {error}; save it as that") from None
    return found


def agreement(rows: Sequence[Row], sheets: Sequence[Mapping[str, bool | None]]) -> Agreement:
    """How far people agree, and AMP by their judgements: macro-averaged over answers, without marks left open.

    Args:
        rows: of the run, to know which mark belongs to which answer.
        sheets: what each person judged (`read_sheet`).

    Raises:
        DataError: if there is no sheet, or one judges a row that the run does not have.
    """
    if not sheets:
        raise DataError("no filled sheet given; name at least one")
    known = {row.id: row for row in rows}
    strange = [row_id for sheet in sheets for row_id in sheet if row_id not in known]
    if strange:
        raise DataError(
            f"a sheet judges the row {strange[0]!r}, which this run does not have; name the run that it came from, or leave "
            "out the row if an earlier version wrote the sheet: marks that hopweave added are not judged any more"
        )
    shown = dict.fromkeys(row_id for sheet in sheets for row_id in sheet)
    votes_of = {row_id: [vote for sheet in sheets if (vote := sheet.get(row_id)) is not None] for row_id in shown}
    judged = {row_id: votes for row_id, votes in votes_of.items() if len(votes) == len(sheets)}
    answers: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row_id, votes in judged.items():
        row = known[row_id]
        answers[row.cell][row.question_id].append(sum(votes) / len(votes))
    to_agree_on = [votes for row_id, votes in judged.items() if known[row_id].leads_somewhere]
    means = {cell: [sum(marks) / len(marks) for marks in of_cell.values()] for cell, of_cell in answers.items()}
    return Agreement(
        len(judged),
        len(sheets),
        len(shown) - len(judged),
        fleiss_kappa([[sum(votes), len(votes) - sum(votes)] for votes in to_agree_on]),
        {cell: sum(values) / len(values) for cell, values in means.items()},
        {cell: len(values) for cell, values in means.items()},
    )


def fleiss_kappa(table: Sequence[Sequence[int]]) -> float | None:
    """Fleiss' kappa (1971): how much more raters agree than by chance; 1 is always, 0 is chance, below 0 is less.

    With n raters, P_i = (sum_j n_ij^2 - n) / (n (n - 1)) for item i and p_j the share of all judgements in category j,

        kappa = (mean P_i - sum_j p_j^2) / (1 - sum_j p_j^2)

    Args:
        table: for each item, how many raters chose each category; every item by the same number of raters.

    Returns:
        `None` without items, with fewer than two raters, or where all judgements are the same, so that chance always agrees.

    Raises:
        DataError: if items have different numbers of raters.

    >>> round(fleiss_kappa([[3, 0], [2, 1], [0, 3]]), 4)
    0.55
    """
    num_raters = sum(table[0]) if table else 0
    if any(sum(item) != num_raters for item in table):
        raise DataError("not every item was judged by the same number of raters; leave out those that were not")
    if num_raters < 2:
        return None
    agreed: float = sum((sum(n * n for n in item) - num_raters) / (num_raters * (num_raters - 1)) for item in table) / len(
        table
    )
    shares = [sum(category) / (num_raters * len(table)) for category in zip(*table, strict=True)]
    if sum(share > 0 for share in shares) < 2:
        return None
    by_chance: float = sum(share * share for share in shares)
    return (agreed - by_chance) / (1 - by_chance)
