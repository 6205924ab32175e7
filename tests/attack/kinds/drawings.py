"""Records full of hostile text, as they are drawn and printed: pages, charts, terminals and spreadsheets."""

from __future__ import annotations

import csv
import io
import random
import re

from rich.console import Console
from support.drawings import assert_inert, assert_is_chart
from support.hostile import OBEYED, hostile_text
from support.report_tables import small_tables
from support.sample_records import hostile

from hopweave.apps.cli._console import console
from hopweave.evaluation.judging.annotation import Row, write_sheet
from hopweave.evaluation.reports.analysis_results import AnalysisResult, FigureColumn, MeasuredRow, written
from hopweave.evaluation.reports.report import make_report
from hopweave.evaluation.scoring.results import DatasetFacts, FailureKind, MethodFacts
from hopweave.show.csv_text import csv_text
from hopweave.show.mermaid import draw_mermaid
from hopweave.show.plain import flat, plain_json
from hopweave.show.record_html import draw_page
from hopweave.show.terminal import draw_record

from ..attack import Attack, Trial

MAX_CHARACTERS = 5_000
"""Of a text that stands in every place of a record, as much as a model says at the most."""

FORMULA_SIGNS = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"
OUR_COLOURS = re.compile("\x1b\\[[0-9;]*m")


def page(trial: Trial) -> None:
    """The page of a record; one in four is a report."""
    text = hostile_text(trial.random)[:MAX_CHARACTERS]
    trial.shows(text)
    if trial.random.random() < 0.25:
        assert_inert(make_report(hostile_tables(trial.random)).files["report.html"])
    else:
        assert_inert(draw_page(hostile(text)))


def hostile_tables(random: random.Random):
    """Tables of a report in which every label, note and name is hostile."""

    def text() -> str:
        return hostile_text(random, 6)

    return small_tables(
        name=text(),
        datasets=(DatasetFacts("wiki", text(), text(), text(), text(), 40, text(), text()),),
        methods=tuple(MethodFacts(name, name, text(), {"a": text()}, {text(): text()}) for name in ("direct", "searchain")),
        facts=((text(), text()),),
        caveats=(text(),),
        failures=(FailureKind("wiki", "direct", f"metric {text()}", text(), text(), (text(), text())),),
        notes=(text(),),
        commands=(text(),),
        plan=text(),
    )


def chart(trial: Trial) -> None:
    """The Mermaid chart of a record."""
    text = hostile_text(trial.random)[:MAX_CHARACTERS]
    trial.shows(text)
    assert_is_chart(draw_mermaid(hostile(text), calls=trial.random.random() < 0.5))


def terminal(trial: Trial) -> None:
    """What a terminal is sent of a record, and a line of it, and JSON."""
    text = hostile_text(trial.random)[:MAX_CHARACTERS]
    trial.shows(text)
    width = trial.random.choice([20, 60, 100, 200])
    for colours in (None, "truecolor"):
        stream = io.StringIO()
        make = console if trial.random.random() < 0.5 else Console
        make(file=stream, width=width, force_terminal=colours is not None, color_system=colours).print(
            draw_record(hostile(text), calls=True)
        )
        assert OBEYED.search(OUR_COLOURS.sub("", stream.getvalue()) if colours else stream.getvalue()) is None
    assert len(flat(text).splitlines()) <= 1
    assert OBEYED.search(flat(text) + plain_json(repr(text))) is None


def spreadsheet(trial: Trial) -> None:
    """The cells of every table that is written as CSV."""
    rows = [[hostile_text(trial.random, 4) for _ in range(3)] for _ in range(3)]
    trial.shows(rows)
    labels, path = [row[0] for row in rows], trial.folder / "sheet.csv"
    rows_measured = tuple(MeasuredRow((label,), {"x": -0.5}, 1) for label in labels)
    result = AnalysisResult("t", ("label",), (FigureColumn("x", "x"),), rows_measured)
    assert _cells(csv_text(rows), 3, 3)
    assert _cells(written(result, "csv"), 4)
    whole = [[_whole(text) for text in row] for row in rows]
    num = write_sheet([Row(("d", "m"), *row[:2], row[2], 1, row[0], row[1]) for row in whole], path)
    assert _cells(path.read_bytes().decode("utf-8-sig"), num + 1)
    for name, text in make_report(hostile_tables(trial.random)).files.items():
        if name.endswith(".csv"):
            assert _cells(text)


def _whole(text: str) -> str:
    """The text as records hold it: half of a surrogate pair cannot be written to a file."""
    return text.encode("utf-8", "replace").decode()


def _cells(text: str, num_rows: int | None = None, num_columns: int | None = None) -> list[list[str]]:
    """The cells, of which none may be a formula; figures are none."""
    csv.field_size_limit(1 << 24)
    rows = list(csv.reader(io.StringIO(text, newline="")))
    for cell in (cell for row in rows for cell in row if cell and not re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?", cell)):
        assert cell[0] not in FORMULA_SIGNS, cell
    assert num_rows in (None, len(rows))
    assert num_columns is None or {len(row) for row in rows} == {num_columns}
    return rows


ATTACKS = (
    Attack("pages", "a page nests, loads nothing and runs nothing", page, 1_500, 12),
    Attack("charts", "a chart is one that Mermaid can read", chart, 6_000, 40),
    Attack("terminal", "a terminal is sent nothing to obey, and a line stays a line", terminal, 1_500, 10),
    Attack("spreadsheets", "no cell is a formula, and no text makes a row", spreadsheet, 1_500, 8),
)
