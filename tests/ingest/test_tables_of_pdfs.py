"""Tables of PDFs, told by the places of words and by rules: each row is read with the names of its columns."""

import pytest
from support.corpora import read, written
from support.drawn_tables import drawn, grid, rows_at, text_of, words_at

from hopweave.ingest.pdf_layout import Rule
from hopweave.ingest.pdf_rows import with_rows
from hopweave.ingest.pdf_tables import tables_on

LEFTS = (50, 150, 220, 290)
LIGHTS = (["Light", "2022", "2023", "Keepers"], ["Kerrow", "412", "455", "3"], ["Orlau Head", "1,118", "(97)", "2"])
PROSE = "It was lit at dusk by Ada Finch, who kept the light of the head for twelve years and more"


def rows_on(words, rules=(), before=None):
    """The rows of a page of which nothing but its words and rules is known."""
    return with_rows(text_of(words), words, rules, before)[0].split("\n\n")


def test_each_row_has_the_names_of_its_columns():
    assert [line.strip() for line in rows_on(rows_at(LEFTS, *LIGHTS))] == [
        "Light: Kerrow; 2022: 412; 2023: 455; Keepers: 3.",
        "Light: Orlau Head; 2022: 1,118; 2023: (97); Keepers: 2.",
    ]


def test_names_at_the_left_and_numbers_at_the_right_are_of_one_column():
    words = words_at(
        (100, [(50, "Light"), (150, "Height"), (250, "Reach")]),
        (115, [(50, "Kerrow"), (225, "31"), (325, "18")]),
        (130, [(50, "Orlau Head"), (220, "104"), (325, "22")]),
    )
    [table] = tables_on(words, [])
    assert (table.names, table.rows[1]) == (("Light", "Height", "Reach"), {0: "Orlau Head", 1: "104", 2: "22"})


def test_an_empty_cell_leaves_the_others_in_their_columns():
    words = rows_at(
        LEFTS, ("Part", "Min", "Typ", "Max"), ("Lamp", "9", "", "30"), ("Wick", "", "3.8", "5"), ("Oil", "1", "2", "")
    )
    [table] = tables_on(words, [])
    assert table.rows == ({0: "Lamp", 1: "9", 3: "30"}, {0: "Wick", 2: "3.8", 3: "5"}, {0: "Oil", 1: "1", 2: "2"})


@pytest.mark.parametrize("lefts", [(145, 285), (165, 305), (185, 325)], ids=["left", "middle", "right"])
def test_names_of_groups_stand_above_each_of_their_columns(lefts):
    names = ["Light", "Plan", "Real", "Plan", "Real"]
    words = words_at((50, [(50, "It was lit at dusk.")]), (100, list(zip(lefts, ("Q1 2024", "Q2 2024"), strict=True))))
    words += rows_at(
        (50, 145, 200, 285, 340), names, ["Kerrow", "31", "33", "40", "41"], ["Orlau", "12", "11", "14", "15"], top=115
    )
    [table] = tables_on(words, [])
    assert table.names == ("Light", "Q1 2024 Plan", "Q1 2024 Real", "Q2 2024 Plan", "Q2 2024 Real")


def test_lines_of_a_cell_are_one_cell():
    words = words_at(
        (100, [(50, "Light"), (120, "Work of the year"), (300, "Cost")]),
        (120, [(50, "Kerrow"), (120, "A new lamp and a north-"), (300, "412")]),
        (131, [(120, "ern wall")]),
        (151, [(50, "Orlau"), (120, "Paint"), (300, "97")]),
    )
    [table] = tables_on(words, [])
    assert [row[1] for row in table.rows] == ["A new lamp and a northern wall", "Paint"]


def test_a_number_halfway_down_a_cell_is_of_its_row():
    words = words_at(
        (100, [(50, "Light"), (120, "Work of the year"), (300, "Cost")]),
        (120, [(120, "A new lamp and a wall")]),
        (125.5, [(50, "Kerrow"), (300, "412")]),
        (131, [(120, "of stone")]),
        (151, [(50, "Orlau"), (120, "Paint"), (300, "97")]),
    )
    [table] = tables_on(words, [])
    assert table.rows[0] == {0: "Kerrow", 1: "A new lamp and a wall of stone", 2: "412"}


def test_rules_tell_rows_and_columns_of_words():
    words = rows_at(
        (55, 155, 255), ("Key", "Action", "Since"), ("Turn left", "Lamp off", "May"), ("Turn right", "Lamp on", "June")
    )
    assert tables_on(words, []) == []
    [table] = tables_on(words, grid((50, 150, 250, 350), (97, 112, 127, 142)))
    assert (table.names, table.rows[0]) == (("Key", "Action", "Since"), {0: "Turn left", 1: "Lamp off", 2: "May"})


def test_cells_that_no_rule_parts_are_merged():
    lefts, tops = (50, 150, 220, 290), (97, 112, 127, 142)
    rules = [rule for rule in grid(lefts, tops) if rule.left != 220 or rule.right != 220] + [Rule(220, 112, 220, 142)]
    words = rows_at((55, 155, 225), ("", "Price"), ("Article", "1 pack", "9 packs"), ("Bolt", "8.40", "7.90"))
    [table] = tables_on(words, rules)
    assert table.names == ("Article", "Price 1 pack", "Price 9 packs")


def test_a_column_that_is_open_at_the_side_belongs_to_the_grid():
    rules = [*(Rule(50, top, 350, top) for top in (97, 112, 127)), Rule(150, 97, 150, 127), Rule(250, 97, 250, 127)]
    [table] = tables_on(rows_at((55, 155, 255), ("Key", "Action", "Since"), ("Turn", "Lamp off", "May")), rules)
    assert table.rows == ({0: "Turn", 1: "Lamp off", 2: "May"},)


def test_a_table_of_two_columns_needs_a_rule_below_its_names():
    words = rows_at((50, 150), ("Boat", "Crew"), ("Ada", "12"), ("Ida", "9"))
    assert tables_on(words, []) == []
    [table] = tables_on(words, [Rule(50, 112, 170, 112)])
    assert table.names == ("Boat", "Crew")


def test_words_above_rows_are_a_group_and_the_text_around_stays():
    words = words_at((50, [(50, "It was lit at dusk.")]), (80, [(50, "Table 1: Lights, in metres")]))
    words += rows_at(LEFTS, LIGHTS[0], ["Coast"], *LIGHTS[1:])
    words += words_at((170, [(50, "It was dark at dawn.")]))
    assert [line.strip() for line in rows_on(words)] == [
        "It was lit at dusk.",
        "Table 1: Lights, in metres",
        "Coast",
        "Light: Kerrow; 2022: 412; 2023: 455; Keepers: 3.",
        "Light: Orlau Head; 2022: 1,118; 2023: (97); Keepers: 2.",
        "It was dark at dawn.",
    ]


def test_a_table_beside_running_text_is_read_and_the_text_stays():
    said = [
        "It was lit at dusk by Ada",
        "and kept for twelve years",
        "in all weathers, as it was",
        "then the custom of the sea",
        "and of all who sailed it.",
    ]
    prose = words_at(*((100 + 12 * number, [(50, line)]) for number, line in enumerate(said)))
    table = rows_at((250, 320, 370), *(row[:3] for row in LIGHTS), top=103)
    found = rows_on(prose + table)
    assert "Light: Kerrow; 2022: 412; 2023: 455." in found
    assert " ".join(" ".join(found).split()[: len(prose)]) == " ".join(said)


def test_a_table_that_goes_on_on_the_next_page_has_its_names_there():
    first = rows_at(LEFTS, *LIGHTS)
    _, last = with_rows(text_of(first), first, [], None)
    further = rows_at(LEFTS, ["Sund", "7", "8", "9"], ["Brixen", "5", "6", "1"], top=40)
    assert rows_on(further, before=last)[0].strip() == "Light: Sund; 2022: 7; 2023: 8; Keepers: 9."
    assert rows_on(further) == [text_of(further)]
    others = rows_at((50, 220, 290), ["Sund", "7", "8"], ["Brixen", "5", "6"], top=40)
    assert rows_on(others, before=last) == [text_of(others)]


@pytest.mark.parametrize(
    "words",
    [
        words_at(*((100 + 12 * number, [(50, PROSE), (550, PROSE)]) for number in range(9))),
        rows_at((50, 80, 400), *([f"{number}", f"On lamp {number}", f"{7 * number}"] for number in range(1, 9))),
        rows_at((50, 80), *([f"{number}", f"On lamps {'. ' * 20} {7 * number}"] for number in range(1, 9))),
        rows_at((50, 150), *([f"term {number}", PROSE] for number in range(9))),
        rows_at((50, 200, 400), ["a = b + c", "x > 0", "(1)"], ["d = e", "y > 0", "(2)"], ["f = g", "z > 1", "(3)"]),
        rows_at(
            (50, 200, 400), ["Orlau Ltd", "Invoice 12", "Page 1"], ["Quay 4", "Date 3.4.2024", "of 2"], ["Sund", "No. 7", ""]
        ),
        [word._replace(is_fixed=True) for word in rows_at(LEFTS, *LIGHTS)],
        rows_at(LEFTS, LIGHTS[0], LIGHTS[1]),
        rows_at(LEFTS, ["Light", "2022", "2022", "Keepers"], *LIGHTS[1:]),
        [],
    ],
    ids=["columns", "contents", "leaders", "terms", "formulas", "letter", "listing", "single", "alike", "empty"],
)
def test_other_text_stays_as_it_is(words):
    assert with_rows(text_of(words), words, [], None) == (text_of(words), None)


def test_a_form_in_a_grid_stays_as_it_is():
    words = rows_at((55, 255), ("Name: Ada Finch", "Date: 12.3.2024"), ("Street: Quay 4", "Town: Orlau"))
    assert tables_on(words, grid((50, 250, 450), (97, 112, 127))) == []


def test_a_table_stays_where_the_text_has_other_letters():
    words = rows_at(LEFTS, *LIGHTS)
    other = text_of(words).replace("Orlau", "O lau")
    assert with_rows(other.replace("455", "466"), words, [], None)[0] == other.replace("455", "466")
    ligature = words_at((50, [(50, "The ﬁrst lights")])) + words
    assert "Keepers: 3." in with_rows(text_of(ligature).replace("ﬁ", "fi"), ligature, [], None)[0]


def test_the_letters_of_cells_may_be_in_another_order_in_the_text():
    words = rows_at(LEFTS, *LIGHTS)
    shuffled = text_of(words).replace("Orlau Head", "Head Orlau")
    assert "Light: Orlau Head;" in with_rows(shuffled, words, [], None)[0]


def test_a_pdf_has_its_rows_in_passages_that_name_their_page(tmp_path):
    cells = [*LIGHTS[:2], ["Orlau Head", "1,118", "-97", "2"]]
    rows = [(72 + 100 * at, 700 - 20 * number, cell) for number, row in enumerate(cells) for at, cell in enumerate(row)]
    further = [(72 + 100 * at, 740, cell) for at, cell in enumerate(("Sund", "7", "8", "9"))]
    further += [(72 + 100 * at, 720, cell) for at, cell in enumerate(("Brixen", "5", "6", "1"))]
    caption = (72, 730, "Table 1: Lights")
    found = read(written(tmp_path, "a.pdf", drawn([caption, *rows], further)))
    assert [(p.source.rpartition("/")[2], p.text.split("\n\n")) for p in found] == [
        (
            "a.pdf#page=1",
            [
                "Table 1: Lights",
                "Light: Kerrow; 2022: 412; 2023: 455; Keepers: 3.",
                "Light: Orlau Head; 2022: 1,118; 2023: -97; Keepers: 2.",
            ],
        ),
        ("a.pdf#page=2", ["Light: Sund; 2022: 7; 2023: 8; Keepers: 9.", "Light: Brixen; 2022: 5; 2023: 6; Keepers: 1."]),
    ]


def test_rules_that_a_pdf_draws_are_seen(tmp_path):
    cells = [["Key", "Action"], ["Turn left", "Lamp off"], ["Turn right", "Lamp on"]]
    texts = [(75 + 100 * at, 705 - 20 * number, cell) for number, row in enumerate(cells) for at, cell in enumerate(row)]
    rules = [(72, y, 272, y) for y in (720, 700, 680, 660)] + [(x, 720, x, 660) for x in (72, 172, 272)]
    [plain] = read(written(tmp_path, "a.pdf", drawn(texts)))
    assert "Key: " not in plain.text
    [ruled] = read(written(tmp_path, "b.pdf", drawn(texts, rules=rules)))
    assert ruled.text == "Key: Turn left; Action: Lamp off.\n\nKey: Turn right; Action: Lamp on."
