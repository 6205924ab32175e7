"""Rows of tables as sentences."""

import pytest

from hopweave.citations.support import judge
from hopweave.core.types import Passage, Span
from hopweave.text.table_rows import is_other_column, is_other_row, is_row

RELEASE = "RELEASE DATE: 28 Sep 2013; VER.: 3.1.0; DATE OF COMMIT*: 31 Aug 2008; PROTOCOL: 31."
CODEC = "Codec: cp863; Aliases: 863, IBM863; Languages: Canadian."
SPEED = "format: tarnfile; size: 29.2 M; seek cold: 19.9 usec; seek hot: 5.4 usec."


@pytest.mark.parametrize(
    ("sentence", "is_one"),
    [
        (RELEASE, True),
        ("Operation: x in s; Result: True if an item of s is x; else False; Notes: (1).", True),
        ("key: for keyed hashing (up to 64 bytes).", False),  # one cell
        ("It has three ports: 80, 443 and 873; one of them: the last.", True),
        ("The city, an old one: Ulm, lies there.", False),
        ("", False),
    ],
)
def test_a_row_has_two_cells_with_the_names_of_their_columns(sentence, is_one):
    assert is_row(sentence) is is_one


@pytest.mark.parametrize(
    ("query", "row", "words", "is_other"),
    [
        ("When was tarn 3.1.0 released?", RELEASE, "28 Sep 2013", False),
        ("When was tarn 3.1.0 released?", RELEASE, "31 Aug 2008", True),
        ("When was the commit of tarn 3.1.0?", RELEASE, "31 Aug 2008", False),
        ("When was the commit of tarn 3.1.0?", RELEASE, "28 Sep 2013", True),
        ("Which version was released on 28 Sep 2013?", RELEASE, "3.1.0", False),
        ("Which version was released on 28 Sep 2013?", RELEASE, "31.", True),
        ("Since when can tarn 3.1.0 be had?", RELEASE, "31 Aug 2008", False),  # no column is named
        ("Which language is the codec cp863 for?", CODEC, "Canadian", False),
        ("Which language is the codec cp863 for?", CODEC, "IBM863", True),
        ("Which alias has the codec cp863?", CODEC, "IBM863", False),
        ("What is the seek hot time of tarnfile?", SPEED, "5.4 usec", False),
        ("What is the seek hot time of tarnfile?", SPEED, "19.9 usec", True),
        ("What is the size of tarnfile?", SPEED, "19.9 usec", True),
        ("What is the size of tarnfile?", "The size is 29.2 M, and not 5.4 M.", "5.4 M", False),  # no row
    ],
)
def test_words_of_a_row_stand_in_another_column_if_that_is_the_one_which_the_query_names(query, row, words, is_other):
    start = row.index(words)
    assert is_other_column(query, row, Span(start, start + len(words))) is is_other


RESULTS = Passage(
    "r",
    "Drug: cardivaril; Brand: Tensomil; Dose: 80 mg; Potassium (3.5-5.1 mmol/L): 4.2.\n"
    "Drug: heptarin; Brand: Clexadur; Dose: 2 mg; Potassium (3.5-5.1 mmol/L): 5.8.",
    "Formulary",
)


@pytest.mark.parametrize(
    ("query", "answer", "support"),
    [
        ("What is the brand of heptarin?", "Clexadur", "supported"),
        ("What is the brand of heptarin?", "Tensomil", "unsupported"),
        ("What is the brand of cardivaril?", "Tensomil", "supported"),
        ("Which potassium goes with heptarin?", "5.8", "supported"),
        ("Which potassium goes with heptarin?", "5.8 mmol/L", "supported"),
        ("Which potassium goes with heptarin?", "3.5-5.1 mmol/L", "unsupported"),  # of the name of the column
        ("Which reference range of potassium goes with heptarin?", "3.5-5.1 mmol/L", "supported"),
    ],
)
def test_a_value_of_a_row_is_that_of_the_thing_in_its_first_column(query, answer, support):
    assert judge(query, answer, [RESULTS]).support == support


def test_what_a_row_is_about_may_be_asked_for_by_another_row():
    rows = RESULTS.text.split("\n")
    assert not is_other_row("Which drug has the same brand as heptarin?", rows[0], Span(6, 16), rows)


TABLE = Passage(
    "t",
    "RELEASE DATE: 28 Sep 2013; VER.: 3.1.0; PROTOCOL: 31.\nRELEASE DATE: 23 Sep 2011; VER.: 3.0.9; PROTOCOL: 30.",
    "The releases of tarn",
)


@pytest.mark.parametrize(
    ("query", "answer", "support"),
    [
        ("When was tarn 3.1.0 released?", "28 Sep 2013", "supported"),
        ("When was tarn 3.1.0 released?", "23 Sep 2011", "unsupported"),  # of the next row
        ("When was tarn 3.0.9 released?", "23 Sep 2011", "supported"),
        ("When was tarn 3.1.0 released?", "tarn 3.1.0 was released on 23 Sep 2011.", "unsupported"),
        ("When was tarn 3.1.0 released?", "tarn 3.1.0 was released on 28 Sep 2013.", "supported"),
        ("Which protocol has tarn 3.1.0?", "31", "supported"),
        ("Which protocol has tarn 3.1.0?", "30", "unsupported"),
    ],
)
def test_a_row_supports_nothing_of_its_neighbours(query, answer, support):
    assert judge(query, answer, [TABLE]).support == support


LEADS = "Project lead: Ida Renn. Technical lead: Ada Finch.\nBudget: 64 EUR. The technical lead is new."


@pytest.mark.parametrize(
    ("asked", "answer", "support"),
    [
        ("Who is the project lead of Kranhaus?", "Ida Renn", "supported"),
        ("Who is the project lead of Kranhaus?", "Ada Finch", "unsupported"),
        ("Who is the technical lead of the Kranhaus project?", "Ada Finch", "supported"),
        ("Who is the technical lead of the Kranhaus project?", "Ida Renn", "unsupported"),
        ("Who leads Kranhaus?", "Ida Renn", "supported"),  # no label is asked for
    ],
)
def test_what_stands_behind_another_label_than_is_asked_for_is_no_answer(asked, answer, support):
    assert judge(asked, answer, [Passage("plan", LEADS, "Kranhaus")]).support == support


def test_a_remark_in_brackets_with_a_colon_is_no_cell():
    assert not is_row("Revision C (2024): the cable is 80 m; the weight is 1.4 kg (revision B: 1.7 kg).")
