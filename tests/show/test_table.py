"""A table says the same as text, Markdown, HTML and CSV, and nothing in it means more than it says."""

from __future__ import annotations

import csv
import io
import re

import pytest
from markdown_it import MarkdownIt
from support.drawings import Page
from support.hostile import OBEYED

from hopweave.show.csv_text import table_csv
from hopweave.show.table import Column, Number, Row, Table, TableCell, columns, row, rows
from hopweave.show.table_html import table_html
from hopweave.show.table_markdown import escape, table_markdown
from hopweave.show.table_text import table_lines

HOSTILE = '=1+1<script>alert(1)</script>|*b*_`c`](x) & "d" \x1b[31m\nnext'
NUMBERS = Table(
    columns(("method",), ("f1",), ("says",)),
    (
        Row(heading="short answers"),
        row("searchain", Number("a", 1 / 3, "0.333"), "better"),
        row("direct", Number("b", None, "no data"), TableCell(("",), (("n ", Number("n", 12, "12")),))),
    ),
    "All methods",
    ("the mean",),
    ("a note",),
)


def as_markdown(table: Table) -> str:
    return "\n".join(table_markdown(table)) + "\n"


def as_html(table: Table) -> Page:
    return Page(f"<main>{table_html(table)}</main>")


def test_text_is_padded_by_the_sides_of_its_columns_and_ends_with_caption_and_notes():
    assert list(table_lines(NUMBERS, rule="head")) == [
        "All methods",
        "",
        "method          f1  says",
        "---------  -------  ------",
        "short answers",
        "searchain    0.333  better",
        "direct     no data  n 12",
        "",
        "  the mean",
        "  a note",
    ]


def test_a_title_may_be_underlined_instead_of_the_head():
    assert list(table_lines(NUMBERS))[:3] == ["All methods", "-----------", "method          f1  says"]


def test_a_wide_table_goes_on_below_with_the_columns_that_name_the_row():
    wide = Table(
        columns(("name",), [f"column {number}" for number in range(6)]), rows([["one", *"123456"], ["two", *"654321"]])
    )
    lines = list(table_lines(wide, max_width=40))

    assert max(map(len, lines)) <= 40
    assert [line.split()[0] for line in lines if line] == ["name", "one", "two"] * (lines.count("") + 1)
    assert [digit for line in lines if line.startswith("one") for digit in line.split()[1:]] == list("123456")
    assert "" not in list(table_lines(wide, max_width=None))


def test_a_table_without_heads_has_no_head_line():
    assert list(table_lines(Table((Column(), Column()), rows([["a", "first"], ["bcd", "second"]])), indent="  ")) == [
        "  a    first",
        "  bcd  second",
    ]


def test_every_form_holds_every_text_and_number():
    forms = [" ".join(table_lines(NUMBERS)), as_markdown(NUMBERS), as_html(NUMBERS).text]
    for said in ("All methods", "method", "f1", "short answers", "searchain", "0.333", "no data", "n 12", "the mean", "a note"):
        assert all(said in form for form in forms), said


def test_csv_has_numbers_with_all_their_digits_and_an_empty_field_for_no_data():
    assert list(csv.reader(io.StringIO(table_csv(NUMBERS)))) == [
        ["method", "f1", "says"],
        ["searchain", repr(1 / 3), "better"],
        ["direct", "", "n 12"],
    ]


def test_the_numbers_of_a_table_are_those_of_its_cells_and_of_what_stands_below_them():
    assert [number.key for number in NUMBERS.numbers()] == ["a", "b", "n"]


@pytest.mark.parametrize("is_folded", [False, True])
def test_hostile_words_stay_words_in_every_form(is_folded):
    hostile = Table(columns((HOSTILE,), (HOSTILE,)), rows([[HOSTILE] * 2] * 2), HOSTILE, (HOSTILE,), (HOSTILE,), is_folded)
    page, written = as_html(hostile), MarkdownIt("commonmark").enable("table").render(as_markdown(hostile))

    assert page.tags["script"] == 0
    assert page.tags["td"] == 2
    assert "<script" not in written
    assert len(re.findall(r"<td", written)) == 4
    lines = list(table_lines(hostile))
    assert not any(OBEYED.search(line) or "\n" in line for line in lines)
    assert len(lines) == 2 + 3 + 3
    assert all(field.startswith("'=") for line in csv.reader(io.StringIO(table_csv(hostile))) for field in line)


@pytest.mark.parametrize(
    "said", ["+1.7", "-5.0", "- one", "+ one", "-", "---", "- - -", "===", "=", "= 3", "-=", "1. one", "2)"]
)
def test_a_line_that_looks_like_a_mark_is_a_line_of_words(said):
    read = MarkdownIt("commonmark").render(f"Above.\n{escape(said)}\n")

    assert read == f"<p>Above.\n{said}</p>\n"
    assert MarkdownIt("commonmark").render(f"{escape(said)}\n") == f"<p>{said}</p>\n"


@pytest.mark.parametrize(
    "said",
    [
        *("pip install 'hopweave[eval]', then", "0.3 [0.200, 0.400]", "She was born in Port Merrow [1].", "x[0]"),
        *("a < b & c > d", "R&D", "2 * 3", "C# and F#", "about ~5", "from ~/notes", "C:\\path", "snake_case_name"),
    ],
)
def test_text_that_markdown_takes_for_text_is_written_as_it_is(said):
    assert escape(said) == said


@pytest.mark.parametrize(
    "said",
    [
        *("[a](b)", "![a](b)", "[a][b]", "[a]: b", "[[a]](b)", "[a", "a](b)", "[^1]", "[ ] a", "[x] a", "<b>", "&lt;", "a~b~c"),
        *("~~a~~", "*a*", "a*b*", "* a", "# a", "## a ##", "> a", "a\\", "\\*a*", "\\[a](b)", "_a_", "`a`", "<!-- a", "</b>"),
    ],
)
def test_text_that_would_be_taken_for_markdown_is_drawn_as_it_is(said):
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    for around in ("{}", "**{}**", "a {}", "{} b", "| {} |\n|---|", "- {}"):
        drawn = Page(parser.render(f"{around.format(escape(said))}\n"))
        assert set(drawn.tags) <= {"p", "strong", "table", "thead", "tr", "th", "ul", "li"}
        assert said in " ".join(drawn.words)


def test_a_sign_before_a_number_is_written_as_it_is():
    assert [escape(said) for said in ("+1.7", "-5.0")] == ["+1.7", "-5.0"]


def test_optional_columns_that_say_nothing_are_left_out():
    table = Table(columns(("method",), ("failed", "bounds", "n")), rows([["a", "0", "", "0"], ["b", "1", "", "0"]]))
    kept = table.without_empty(("failed", "bounds"))

    assert [column.head for column in kept.columns] == ["method", "failed", "n"]
    assert [[cell.text for cell in line.cells] for line in kept.rows] == [["a", "0", "0"], ["b", "1", "0"]]
