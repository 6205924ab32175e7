"""Titles, units, and names of columns in one row or two, above the rows of a table."""

import pytest
from support.corpora import read, written
from support.documents import docx
from support.office import odf, text_row, xlsx

from hopweave.core.errors import DataError
from hopweave.ingest.read import read_corpus
from hopweave.ingest.table_heads import Head, TableRow, head_of

SALES = [
    ("Item", "Budget", "Actual", "Budget", "Actual"),
    ("Sales", "40", "41", "44", "43"),
    ("Cost", "-30", "-31", "-32", "-33"),
]
SAID = [
    "Item: Sales; Q1 Budget: 40; Q1 Actual: 41; Q2 Budget: 44; Q2 Actual: 43.",
    "Item: Cost; Q1 Budget: -30; Q1 Actual: -31; Q2 Budget: -32; Q2 Actual: -33.",
]
MERGED = '<mergeCells><mergeCell ref="B4:C4"/><mergeCell ref="D4:E4"/></mergeCells>'


def of_sheet(tmp_path, rows, more=""):
    content = xlsx({"Profit": "".join(text_row(*row) for row in rows)}, more=more)
    return read(written(tmp_path, "a.xlsx", content))


def with_head(*rows):
    return [*((number, *row) for number, row in enumerate([*rows, ("", "Q1", "", "Q2"), *SALES], start=1))]


@pytest.mark.parametrize("more", [MERGED, ""], ids=["merged", "not merged"])
def test_names_in_two_rows_are_joined_and_the_lines_above_them_are_the_title(tmp_path, more):
    rows = with_head(("Orlau Pumps",), ("First half", "2024"), ("EUR thousand",))
    [passage] = of_sheet(tmp_path, rows, more)
    assert passage.sections == ("Profit", "Orlau Pumps, First half 2024, EUR thousand")
    assert passage.text.split("\n\n") == [passage.sections[-1], *SAID]


def test_every_passage_of_a_long_table_is_below_its_title(tmp_path):
    rows = [(1, "Stock of May"), (3, "Part", "Pieces", "Value"), *((at, f"P{at}", "7", "9") for at in range(4, 150))]
    passages = of_sheet(tmp_path, rows)
    assert len(passages) > 1
    assert all(one.sections == ("Profit", "Stock of May") for one in passages)
    assert passages[-1].text.endswith("Part: P149; Pieces: 7; Value: 9.")


def test_a_title_counts_until_the_next_one_and_the_title_of_a_sheet_for_all_of_it(tmp_path):
    table = [("Town", "May", "June"), *((f"Town {at}", "1", "2") for at in range(20))]
    first = [(at, *row) for at, row in enumerate([("Orlau Pumps",), (), ("Orders",), *table], start=1) if row]
    second = [(at, *row) for at, row in enumerate([("Backlog",), *table], start=30)]
    passages = of_sheet(tmp_path, [*first, *second])
    assert [one.sections for one in passages] == [("Profit", "Orlau Pumps", "Orders"), ("Profit", "Orlau Pumps", "Backlog")]


def test_a_row_with_its_first_cell_alone_stands_above_the_rows_that_follow(tmp_path):
    rows = [("Item", "2023", "2024"), ("Assets",), ("Cash", "5", "6"), ("Debts",), ("Loans", "7", "8"), ("* audited",)]
    [passage] = of_sheet(tmp_path, [(at, *row) for at, row in enumerate(rows, start=1)])
    said = ["Assets", "Item: Cash; 2023: 5; 2024: 6.", "Debts", "Item: Loans; 2023: 7; 2024: 8.", "* audited"]
    assert passage.text.split("\n\n") == said


def test_columns_that_a_merged_cell_covers_are_known_in_an_ods(tmp_path):
    def row(*cells):
        texts = (f'<table:table-cell table:number-columns-spanned="{wide}"><text:p>{text}</text:p></table:table-cell>'
                 + "<table:covered-table-cell/>" * (wide - 1) for text, wide in cells)  # fmt: skip
        return f"<table:table-row>{''.join(texts)}</table:table-row>"

    rows = [row(("", 1), ("Q1", 2), ("Q2", 2)), *(row(*((cell, 1) for cell in one)) for one in SALES)]
    sheet = f'<table:table table:name="Profit">{"".join(rows)}</table:table>'
    [passage] = read(written(tmp_path, "a.ods", odf("spreadsheet", sheet)))
    assert passage.text.split("\n\n") == SAID


def test_columns_that_a_cell_of_a_head_covers_are_known_in_a_docx(tmp_path):
    def row(*cells, more=""):
        texts = (f"<w:tc><w:tcPr>{wide}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>" for text, wide in cells)
        return f"<w:tr>{more}{''.join(texts)}</w:tr>"

    two, start, on = '<w:gridSpan w:val="2"/>', '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    first = row(("Item", start), ("Q1", two), ("Q2", two), more="<w:trPr><w:tblHeader/></w:trPr>")
    second = row(("", on), *((name, "") for name in SALES[0][1:]))
    rows = [first, second, *(row(*((cell, "") for cell in one)) for one in SALES[1:])]
    [passage] = read(written(tmp_path, "a.docx", docx(f"<w:tbl>{''.join(rows)}</w:tbl>")))
    assert passage.text.split("\n\n") == SAID


@pytest.mark.parametrize(
    ("content", "sections", "texts"),
    [
        ("Tariffs;;\nin ct;;\nName;Day;Night\nDuo;36,2;27,4\n", ("Tariffs, in ct",), ["Name: Duo; Day: 36,2; Night: 27,4."]),
        ("Tariffs\n\nName;Day;Night\nDuo;36,2;27,4\n", ("Tariffs",), ["Name: Duo; Day: 36,2; Night: 27,4."]),
        (";Q1;;Q2;\nItem;Budget;Actual;Budget;Actual\nSales;40;41;44;43\n", (), SAID[:1]),
        (
            "Region;2022;2023\nNord;1,5;-\nSud;2,5;3\n",
            (),
            ["Region: Nord; 2022: 1,5; 2023: -.", "Region: Sud; 2022: 2,5; 2023: 3."],
        ),
        (",a,b\n0,x,1\n1,y,2\n", (), ["0; a: x; b: 1.", "1; a: y; b: 2."]),
    ],
)
def test_a_csv_file_may_have_a_title_years_and_two_rows_of_names(tmp_path, content, sections, texts):
    passages = read(written(tmp_path, "a.csv", content.encode()))
    assert [one.text for one in passages] == texts
    assert {one.sections for one in passages} == {sections}


def test_rows_before_a_broken_one_are_read_although_more_lines_were_looked_at(tmp_path):
    (tmp_path / "a.csv").write_text('Town;2022;2023\nUlm;1;2\n"Brno;3;4\n')
    rows = read_corpus([tmp_path])
    assert next(rows).text == "Town: Ulm; 2022: 1; 2023: 2."
    with pytest.raises(DataError, match="line 3 cannot be split"):
        next(rows)


def test_text_in_a_column_without_a_name_is_kept(tmp_path):
    content = "Region;2022;2023;\n" + "Nord;1;2;\n" + "".join(f"Sud {at};3;4;\n" for at in range(40)) + "West;5;6;late\n"
    assert read(written(tmp_path, "a.csv", content.encode()))[-1].text == "Region: West; 2022: 5; 2023: 6; column 4: late."


@pytest.mark.parametrize(
    "rows",
    [
        [["Name", "Ada"], ["Born", "Orlau"]],
        [["Ulm", "161"], ["Brno", "84"]],
        [["Ada", "Finch", "keeper"]],
        [["Budget", "Actual", "Budget", "Actual"], ["40", "41", "44", "43"]],  # which is which is not said
    ],
)
def test_rows_that_name_no_columns_have_no_head(rows):
    assert head_of([TableRow(dict(enumerate(row))) for row in rows]) == Head()


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (["Grade|Low|High", "G4|243|250", "G5|271|280"], "Grade: G4; Low: 243; High: 250.|Grade: G5; Low: 271; High: 280."),
        (["Pay", "Grade|2024|2025", "G4|243|250"], "Pay|Grade: G4; 2024: 243; 2025: 250."),
        (["Home|News|Contact", "one|two|three"], "Home News Contact|one two three"),  # no numbers
        (["Grade|Pay", "G4|243"], "Grade Pay|G4 243"),  # two columns
    ],
)  # fmt: skip
def test_cells_of_a_web_page_that_are_not_marked_name_columns_above_numbers(tmp_path, rows, text):
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row.split('|'))}</tr>" for row in rows)
    [passage] = read(written(tmp_path, "a.html", f"<p>x</p><table>{cells}</table>".encode()))
    assert passage.text.split("\n\n") == ["x", *text.split("|")]


def test_a_row_with_its_first_cell_alone_has_no_name_of_a_column_in_markdown(tmp_path):
    table = "| Item | 2023 | 2024 |\n|---|---|---|\n| **Assets** | | |\n| Cash | 5 | 6 |\n"
    [passage] = read(written(tmp_path, "a.md", table.encode()))
    assert passage.text.split("\n\n") == ["Assets", "Item: Cash; 2023: 5; 2024: 6."]


def test_groups_of_rows_are_told_in_a_table_whose_first_column_has_no_name(tmp_path):
    rows = [("", "Note", "2023"), ("Assets",), ("Cash", "4", "6.5"), ("Debts",), ("Loans", "5", "8.5")]
    [passage] = of_sheet(tmp_path, [(at, *row) for at, row in enumerate(rows, start=1)])
    assert passage.text.split("\n\n") == ["Assets", "Cash; Note: 4; 2023: 6.5.", "Debts", "Loans; Note: 5; 2023: 8.5."]


def test_names_beside_an_empty_corner_name_columns_of_values_with_units(tmp_path):
    rows = [(1, "", "M1", "M2"), (2, "Power", "1,450 W", "1,600 W"), (3, "Tank", "1.8 l", "2.4 l")]
    [passage] = of_sheet(tmp_path, rows)
    assert passage.text.split("\n\n") == ["Power; M1: 1,450 W; M2: 1,600 W.", "Tank; M1: 1.8 l; M2: 2.4 l."]
