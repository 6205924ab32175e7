"""Tables whose columns are set apart by blanks."""

import pytest

from hopweave.ingest.aligned_tables import with_rows
from hopweave.ingest.plain_text import read_plain

PIERS = "Pier      2021    2024\n----      ----    ----\nP1        0.12    0.15\nP2        0.26    0.31"
SAID = "Pier: P1; 2021: 0.12; 2024: 0.15.\n\nPier: P2; 2021: 0.26; 2024: 0.31."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"Before.\n\n{PIERS}\n\nAfter.", f"Before.\n\n{SAID}\n\nAfter."),
        (f"Crack widths (mm)\n{PIERS}", f"Crack widths (mm)\n\n{SAID}"),
        (PIERS.replace("Pier", "    "), SAID.replace("Pier: ", "")),
        ("| Pier | 2021 | 2024 |\n|---|---|---|\n| P1 | 0.12 | 0.15 |\n| P2 | 0.26 | 0.31 |", SAID),
    ],
)
def test_each_row_of_a_table_in_plain_text_has_the_names_of_its_columns(text, said):
    assert with_rows(text) == said


@pytest.mark.parametrize(
    "text",
    [
        "He waited.  She came.  It rained.\nThen it stopped.  They left.  All of them.\nNobody came back.  Ever.  At 7.",
        "Pier      2021    2024\nP1        0.12    0.15",
        "P1        0.12    0.15\nP2        0.26    0.31\nP3        0.08    0.09",
        "Pier      2021    2024\nP1        0.12\nP2        0.26    0.31",
        "name      town\nAda       7\nIda       8",
        "drwxr-xr-x  2 ada  users  4096 May  1 x\n-rw-r--r--  1 ada  users  17 May  1 y\n-rw-r--r--  1 ada  users  19 May  1 z",
    ],
)
def test_lines_that_are_no_table_stay_as_they_are(text):
    assert with_rows(text) == text


def test_headings_are_found_around_a_table():
    document = read_plain(f"1. Piers\n\n{PIERS}\n\n2. Cost\n\nIt costs more than was planned for it.")
    [part] = document.parts
    assert [part.text[one.start :].split("\n")[0] for one in part.headings] == ["1. Piers", "2. Cost"]
