"""A row of a table as text of its own."""

import pytest

from hopweave.ingest.row_text import row_text
from hopweave.text.sentences import sentence_spans


@pytest.mark.parametrize(
    ("names", "cells", "text"),
    [
        (["city", "river"], ["Ulm", "Danube"], "city: Ulm; river: Danube."),
        (["city", "note"], ["Ulm", "Tall, is it?"], "city: Ulm; note: Tall, is it?"),
        (["city", "river", "lake"], ["Ulm", " ", "none"], "city: Ulm; lake: none."),
        (["city", ""], ["Ulm", "161"], "city: Ulm; 161."),
        (["city"], ["Ulm", "161"], "city: Ulm; 161."),
        (["city", "river"], ["Ulm"], "city: Ulm."),
        (["the\n city"], [" Ulm\nminster\n"], "the city: Ulm\nminster."),
        (["Art.-No.", "contact"], ["AQ-1", "Ö. Aydın"], "Art.-No.: AQ-1; contact: Ö. Aydın."),
        (["city"], [""], ""),
        ([], [], ""),
    ],
)
def test_each_cell_stands_with_the_name_of_its_column(names, cells, text):
    assert row_text(names, cells) == text


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        (["Svratka", "Brno"], "name: Svratka; place: Brno."),
        (["Who Is She?", "Ulm"], "name: Who Is She?; place: Ulm."),
        (["Tern Inc.", "Ulm"], "name: Tern Inc.; place: Ulm."),
        (["It is old. It is tall.", "Ulm"], "name: It is old; It is tall.; place: Ulm."),
        (["Why? Because.\n\nIt is.", "Ulm"], "name: Why?; Because; It is.; place: Ulm."),
        (["塔。高い。", "Ulm"], "name: 塔。; 高い。; place: Ulm."),
    ],
)
def test_a_row_is_one_sentence(cells, text):
    row = row_text(["name", "place"], cells)
    assert row == text
    assert len(sentence_spans(row)) == 1


def test_each_cell_of_a_long_row_is_sentences_of_its_own():
    row = row_text(["name", "story"], ["Ada", "She kept the light. " * 30])
    assert row.startswith("name: Ada. story: She kept the light. She kept")


def test_a_long_row_of_short_cells_is_sentences_that_each_say_what_it_is_about():
    names = ["item", *(f"actual figure of month {at}" for at in range(1, 31))]
    row = row_text(names, ["sales", *map(str, range(100, 130))])
    sentences = [row[one.start : one.end] for one in sentence_spans(row)]
    assert len(sentences) > 1
    assert all(one.startswith("item: sales; ") and len(one) < 550 for one in sentences)
    assert all(f"actual figure of month {at}: {99 + at}" in row for at in range(1, 31))
