"""The report of a run: Markdown, one HTML page, CSV tables and drawings, and every number in them under a key.

    RUN/report/report.md  report.html       the same words and numbers
    RUN/report/*.svg                        the drawings, as both show them
    RUN/report/*.csv                        the tables, in full precision
    RUN/report/plan.toml                    what `hopweave evaluate` reads to do it again
    RUN/report/numbers.json                 each number by key, as it is and as it is printed; the SHA-256 of each file and of
                                            those that it was made of, so that an outdated report can be recognised; the
                                            name that the run had, so that a run that was moved can still be verified; what
                                            drew the plots, since another version may draw other bytes

It is made from plain data only, and the same data give the same bytes: nothing in it depends on when or where it was made,
only the drawings on the version of matplotlib; without matplotlib there are none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from hopweave.core.errors import DataError
from hopweave.core.files import file_name, is_file_name, read_json, read_whole, write_whole
from hopweave.evaluation.reports import blocks
from hopweave.evaluation.reports import costs as report_costs
from hopweave.evaluation.reports import results_section as report_results
from hopweave.evaluation.reports import setup as report_setup
from hopweave.evaluation.reports import ticks_section as report_ticks
from hopweave.evaluation.reports.conclusions import conclusions
from hopweave.evaluation.reports.csv import csv_tables, numbers_of
from hopweave.evaluation.reports.input import made_of, read_report_data
from hopweave.evaluation.reports.markdown import write_markdown
from hopweave.evaluation.reports.numbers import book, count
from hopweave.evaluation.reports.report_html import draw_report
from hopweave.evaluation.reports.reproduce import PLAN_FILE
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.scoring.results import ReportData
from hopweave.show.csv_text import table_csv
from hopweave.show.svg import can_draw, drawn_by
from hopweave.show.table import Number, Words

__all__ = ["Report", "hash_of", "made_of", "make_document", "make_report", "report_again", "write_report"]

SCHEMA = "hopweave.report/1"
NUMBERS = "numbers.json"
NO_PLOTS = (
    "There are no plots, since matplotlib is not installed. To have them, run: pip install 'hopweave[eval]', then write the "
    "report again."
)


@dataclass(frozen=True, slots=True)
class Report:
    """The report of the run of that name: its files by name, its numbers by key, what it was made from and what drew it."""

    run: str
    files: Mapping[str, str]
    numbers: Mapping[str, Number]
    made_of: Mapping[str, str] = field(default_factory=dict)
    drawn_by: str = ""

    def to_json(self) -> str:
        """The contents of `numbers.json`."""
        hashes = {name: hash_of(text) for name, text in sorted(self.files.items())}
        numbers = {key: {"value": number.value, "printed": number.text} for key, number in self.numbers.items()}
        return (
            json.dumps(
                {
                    "schema": SCHEMA,
                    "run": self.run,
                    "made_of": dict(self.made_of),
                    "drawn_by": self.drawn_by,
                    "files": hashes,
                    "numbers": numbers,
                },
                indent=1,
                ensure_ascii=False,
            )
            + "\n"
        )


def make_report(data: ReportData) -> Report:
    """The report of a run, in memory.

    Raises:
        ValueError: if two numbers have one key.
    """
    document = make_document(data)
    in_full = csv_tables(data)
    files = {"report.md": write_markdown(document), "report.html": draw_report(document)}
    files |= {figure.name: figure.drawing for figure in document.figures()}
    files |= {name: table_csv(table) for name, table in in_full.items()}
    if data.plan:
        files[PLAN_FILE] = data.plan
    # Numbers printed in a text come first: a CSV file gives the same number with all its digits.
    numbers = [*document.numbers(), *(number for table in in_full.values() for number in numbers_of(table))]
    return Report(data.name, files, book(numbers), data.made_of, drawn_by())


def hash_of(text: str) -> str:
    """The SHA-256 of a text, as `numbers.json` gives it for each file."""
    return hashlib.sha256(text.encode()).hexdigest()


def report_again(run: RunFolder) -> Mapping[str, str]:
    """The files of a run's report, generated again, including `numbers.json`; see `verify`.

    Raises:
        DataError: as `read_report_data`.
        ValueError: as `make_report`.
    """
    report = make_report(read_report_data(run))
    return {**report.files, NUMBERS: report.to_json()}


def make_document(data: ReportData) -> blocks.Document:
    """The sections of a report."""
    sections = (
        report_setup.what_was_run(data),
        report_results.results(data),
        report_results.comparison(data),
        report_ticks.ticks(data),
        report_costs.groups(data),
        report_costs.costs(data),
        report_costs.frontiers(data),
        report_setup.failures(data),
        report_setup.examples(data),
        report_setup.how_to_reproduce(data),
    )
    drawn = tuple(
        replace(section, blocks=tuple(filter(_is_drawn, section.blocks))) for section in sections if section is not None
    )
    if not can_draw():
        hint = blocks.Paragraph((NO_PLOTS,), is_warning=True)
        drawn = (replace(drawn[0], blocks=(hint, *drawn[0].blocks)), *drawn[1:])
    return blocks.Document(data.name, tuple(conclusions(data)), _lead(data), drawn)


def _is_drawn(block: blocks.Block) -> bool:
    """Whether a block is something other than a figure that could not be drawn."""
    return all(figure.drawing for figure in blocks.figures_in(block))


def _lead(data: ReportData) -> Words:
    num_records = sum(cell.num_records for cell in data.cells)
    num_failed = sum(cell.num_failed for cell in data.cells)
    return (
        count("run/methods", len(data.methods)),
        " method on " if len(data.methods) == 1 else " methods on ",
        count("run/datasets", len(data.datasets)),
        " dataset: " if len(data.datasets) == 1 else " datasets: ",
        count("run/records", num_records),
        " records, of which ",
        count("run/failed", num_failed),
        " failed. A failed question counts as wrong in every mean of the answers; the mean over answered ones is beside it.",
    )


def write_report(report: Report, folder: Path) -> None:
    """Writes the files of a report; files of an older one that this one does not have are deleted.

    Raises:
        DataError: if the folder cannot be written, or contains files that are not a report's.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in _written_before(folder) - report.files.keys():
            (folder / name).unlink(missing_ok=True)
        for name, text in report.files.items():
            write_whole(folder / file_name(name, "the report"), text)
        write_whole(folder / NUMBERS, report.to_json())
    except OSError as error:
        raise DataError(f"cannot write the report to {folder}: {error.strerror}; choose another folder with --out") from None


def _written_before(folder: Path) -> set[str]:
    """The files that an older report lists as its own; only plain names are accepted."""
    place = folder / NUMBERS
    if not place.exists():
        return set()
    try:
        data = read_json(read_whole(place))
        names = data["files"].keys() if data["schema"] == SCHEMA else ()
        return {name for name in names if is_file_name(name)}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return set()
