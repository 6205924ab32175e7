"""A citation mark is what one module says it is: everything that reads, drops or draws marks agrees."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopweave
from hopweave.text.citation_marks import (
    Mark,
    drop_marks,
    drop_marks_between_words,
    keep_marks,
    marks_in,
    settle_marks,
    single_marks,
    without_leading_mark,
    without_marks,
)

TEXTS = st.lists(st.sampled_from(["[1]", "[2, 3]", "[4-6]", "[2020]", "[", "]", "Ulm", " ", "\n", "7", ",", "-", "ü"])).map(
    "".join
)


def test_a_number_of_four_digits_is_a_year_for_all():
    text = "It opened [2020] in Ulm."
    assert marks_in(text) == list(single_marks(text, range(10_000))) == []
    assert drop_marks(text) == without_marks(text)[0] == settle_marks(text, ())[0] == text


def test_spans_of_single_marks_are_in_code_points_and_of_known_numbers_alone():
    text = "\U0001f3db Ulm [1], [7] and [2]."
    marks = list(single_marks(text, {1, 2}))
    assert marks == [Mark(1, 6, 9), Mark(2, 19, 22)]
    assert [text[mark.start : mark.end] for mark in marks] == ["[1]", "[2]"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[1] Where? -> Ulm", "Where? -> Ulm"),
        ("[1, 2] Where?", "[1, 2] Where?"),
        ("Where? [1] ", "Where? [1] "),
        ("[1]x", "[1]x"),
    ],
)
def test_the_mark_that_begins_a_line_is_left_out(text, expected):
    assert without_leading_mark(text) == expected


def test_a_mark_between_two_words_leaves_a_space():
    assert drop_marks_between_words("Brno[1]and Ulm [2].") == "Brno and Ulm."
    assert drop_marks("Brno[1]and Ulm [2].") == "Brnoand Ulm."


@given(TEXTS)
def test_settled_marks_are_single_and_each_is_found_by_all(text):
    settled, removed = keep_marks(text, lambda number, _: number < 5)
    singles = [mark.number for mark in single_marks(settled, range(1000))]
    assert singles == [number for number, _ in marks_in(settled)]
    assert sorted(singles + removed) == sorted(number for number, _ in marks_in(text))


def test_no_other_module_says_what_a_mark_is():
    source = Path(hopweave.__file__).parent
    pattern = re.compile(r"\\\[[^\n]{0,12}(\\d|0-9)")  # a bracket, then a number
    formats = {"ingest/rst.py", "ingest/notebook.py", "ingest/recognise.py"}  # footnotes, codes of terminals, and lists of data
    others = {*formats, "answering/parsing/numbered.py"}  # and numbers of a list
    found = {
        path.relative_to(source).as_posix()
        for suffix in ("*.py", "*.js")
        for path in source.rglob(suffix)
        if pattern.search(path.read_text(encoding="utf-8"))
    }
    assert found - others == set()
    assert found  # the pattern finds what it looks for
