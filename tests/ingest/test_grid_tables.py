"""Tables of plain text that are drawn with lines are read row by row; drawings are not."""

import pytest
from support.readers import read_document

from hopweave.ingest.aligned_tables import with_rows

ROWS = ["Code: 200; Meaning: OK; Since: 1871.", "Code: 404; Meaning: not there; Since: 1872."]
DATABASE = """
+------+-----------+-------+
| Code | Meaning   | Since |
+------+-----------+-------+
| 200  | OK        | 1871  |
| 404  | not there | 1872  |
+------+-----------+-------+
"""
EACH_APART = """
      +======+=========+=======+
      | Code | Meaning | Since |
      +======+=========+=======+
      | 200  | OK      | 1871  |
      +------+---------+-------+
      | 404  | not     | 1872  |
      |      | there   |       |
      +------+---------+-------+
"""
SET_APART = """
   +------+---------+-------+
   | Code | Meaning | Since |
   +------+---------+-------+
   | 200  | OK      | 1871  |
   |      |         |       |
   | 404  | not     | 1872  |
   |      | there   |       |
   +------+---------+-------+
"""
OF_BOXES = """
┏━━━━━━┳━━━━━━━━━━━┳━━━━━━━┓
┃ Code ┃ Meaning   ┃ Since ┃
┡━━━━━━╇━━━━━━━━━━━╇━━━━━━━┩
│ 200  │ OK        │ 1871  │
│ 404  │ not there │ 1872  │
└──────┴───────────┴───────┘
"""


@pytest.mark.parametrize(
    "table", [DATABASE, EACH_APART, SET_APART, OF_BOXES], ids=["database", "each apart", "set apart", "boxes"]
)
def test_each_row_names_the_columns_of_its_cells(table):
    assert [one for one in with_rows(table).split("\n\n") if one] == ["\n" + ROWS[0], ROWS[1] + "\n"]


def test_lines_around_a_table_stay():
    [part] = read_document(f"What the light says:{DATABASE}2 rows in set", ".txt").parts
    assert part.text.split("\n\n") == ["What the light says:", *ROWS, "2 rows in set"]


def test_a_row_goes_on_below_an_empty_first_cell_and_a_word_behind_its_hyphen():
    table = "+---+------+\n| a | b    |\n+---+------+\n| 1 | sig- |\n|   | nal  |\n| 2 | lamp |\n+---+------+"
    assert with_rows(table) == "a: 1; b: sig-nal.\n\na: 2; b: lamp."


@pytest.mark.parametrize(
    "drawing",
    [
        "+--------+--------+\n| Kind=5 | Length |\n+--------+--------+",
        "+----+----+\n| Kind | 5 |\n+----+----+\n|  Left edge of all |\n+----+----+\n| a  | b  |\n+----+----+",
        "+--------+        +--------+\n| client |------->| server |\n+--------+        +--------+",
        "+----+----+\n| a  | b  |\n+----+----+\n|    |    |\n+----+----+",
        "+----+----+\n|    |    |\n+----+----+\n| 1  | 2  |\n+----+----+",
        "+---------+\n| a       |\n+---------+\n| 1       |\n+---------+",
    ],
)
def test_a_drawing_stays_as_it_is(drawing):
    assert with_rows(drawing) == drawing
