"""The lists and tables that a model writes: which lines are one answer, and which only explain it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.text.written_lists import rows_in, short_lines, table_lines

ONE_CELL_EACH = {
    "bullets": ("- Sula\n- Orlau\n- Kerrow", ["Sula", "Orlau", "Kerrow"]),
    "one bullet": ("* Sula", ["Sula"]),
    "numbers": ("1. Sula\n2. Orlau", ["Sula", "Orlau"]),
    "numbers in bold": ("**1.** Sula\n**2.** Orlau", ["Sula", "Orlau"]),
    "numbers with brackets": ("1) Sula\n\n2) Orlau", ["Sula", "Orlau"]),
    "letters": ("a) Sula\nb) Orlau", ["Sula", "Orlau"]),
    "what announces it": ("The lamps are:\n\n- Sula\n- Orlau", ["Sula", "Orlau"]),
    "what announces one": ("The oldest lamp is:\n- Sula", ["Sula"]),
    "how many": ("2 lamps:\n- Sula\n- Orlau", ["Sula", "Orlau"]),
    "in bold": ("**Three lamps:**\n1. Sula\n2. Orlau\n3. Kerrow", ["Sula", "Orlau", "Kerrow"]),
    "words after it": ("- Sula\n- Orlau\n\nBoth burn oil.", ["Sula", "Orlau"]),
    "words below items": ("- Sula\n  built in 1887\n- Orlau\n  - built in 1902", ["Sula", "Orlau"]),
    "bullets below numbers": ("1. Sula\n- built in 1887\n2. Orlau\n- built in 1902", ["Sula", "Orlau"]),
    "lines between numbers": ("1. Sula\nIt was built in 1887.\n2. Orlau", ["Sula", "Orlau"]),
    "items that lead to others": ("- Lamps:\n  - Sula\n- Bridges:\n  - Orla", ["Lamps:", "Sula", "Bridges:", "Orla"]),
    "steps": ("1. Open the small lid.\n2. Wipe the glass dry.", ["Open the small lid.", "Wipe the glass dry."]),
    "an answer and its reasons": ("- Sula\n- It was built in 1887.", ["Sula"]),
}


@pytest.mark.parametrize(("text", "items"), ONE_CELL_EACH.values(), ids=ONE_CELL_EACH)
def test_the_items_of_a_list_are_read(text, items):
    assert rows_in(text) == tuple((item,) for item in items)


@pytest.mark.parametrize(
    "text",
    [
        "Sula\n- It was built in 1887.\n- It burns oil.",
        "Sula:\n- the oldest lamp\n- built in 1887",
        "Kerrow Light:\n1. the oldest\n2. built in 1887",
        "24 months:\n- from delivery\n- for all lamps",
        "Yes, both of them:\n- Sula burns oil\n- Orlau burns oil",
        "1. FC Köln",
        "1. FC Köln\n1. FC Nürnberg",
        "2. Bundesliga\n3. Liga",
        "- 5 °C",
        "The lamps are:\nSula and Orlau",
        "It burns oil | or gas",
        "",
    ],
)
def test_an_answer_with_reasons_and_a_name_that_looks_like_an_item_are_no_list(text):
    assert rows_in(text) == ()


TABLES = {
    "with a header": ("| lamp | year |\n|---|:--|\n| Sula | 1887 |\n| Orlau | 1902 |", [("Sula", "1887"), ("Orlau", "1902")]),
    "without outer bars": ("lamp | year\n--- | ---\nSula | 1887", [("Sula", "1887")]),
    "without a header": ("| Sula | 1887 |\n| Orlau | 1902 |", [("Sula", "1887"), ("Orlau", "1902")]),
    "announced": ("The lamps are:\n\n| lamp |\n|---|\n| Sula |\n\nThey burn oil.", [("Sula",)]),
    "empty cells": ("| lamp | year |\n|---|---|\n| Sula | |", [("Sula",)]),
    "a bar in a cell": ("| a |\n|---|\n| Sula \\| Orlau |", [("Sula \\| Orlau",)]),
    "nothing but a header": ("| lamp | year |\n|---|---|", [("lamp", "year")]),
}


@pytest.mark.parametrize(("text", "rows"), TABLES.values(), ids=TABLES)
def test_the_rows_of_a_table_are_read_without_its_header(text, rows):
    assert rows_in(text) == tuple(rows)


def test_lines_of_a_few_words_are_items_unless_one_of_them_is_a_sentence():
    assert short_lines("Sula\n\nOrlau") == ("Sula", "Orlau")
    assert short_lines("Sula") == short_lines("Sula\nIt burns oil.") == short_lines("Lamps:\nSula") == ()
    assert short_lines("Sula\nit is the oldest of all lamps on the island") == ()


def test_a_row_says_what_it_says_with_the_names_of_its_columns_and_ends_with_its_last_cell():
    text = "Lamps:\n\n| lamp | | lit |\n|---|---|---|\n| Sula | oil | 1887. |  \n| Orlau | |\n\nThat is all."
    lines = table_lines(text)
    assert [line.said for line in lines] == ["", "", "lamp: Sula; oil; lit: 1887.", "lamp: Orlau."]
    assert [text[line.span.start : line.end] for line in lines[2:]] == ["| Sula | oil | 1887.", "| Orlau"]
    assert [line.said for line in table_lines("| Sula | 1887 |\n| Orlau | 1902 |")] == ["Sula | 1887", "Orlau | 1902"]
    assert table_lines("It burns oil | or gas.\nOr | both.") == []


@given(st.text("ab1.-*|:) \n"))
def test_any_text_is_read_and_lines_of_tables_lie_within_it(text):
    assert all(cell.strip() for row in rows_in(text) for cell in row)
    for line in table_lines(text):
        assert line.span.start <= line.end <= line.span.end
        assert "|" in text[line.span.start : line.span.end]
