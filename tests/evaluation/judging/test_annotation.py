"""Sheets for people: nothing gives the method away, and what they say comes back to the right answer."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from support.worked import claimed, quoted, worked
from typer.testing import CliRunner

from hopweave.apps.cli import app
from hopweave.core.errors import DataError
from hopweave.core.types import Passage
from hopweave.evaluation.judging.annotation import Row, agreement, fleiss_kappa, read_sheet, rows_of, write_sheet
from hopweave.evaluation.runs.folder import DatasetPlan, MethodPlan, Plan, RunFolder

ULM = Passage("ulm", "=Ulm lies on the Danube.", "Ulm")
TEXT = "Ulm is there [1], on the Danube [2]."
CLAIMS = [claimed("Where?", "Ulm", quoted(1, ULM)), claimed("Which river?", "the Danube", quoted(2, ULM))]
RECORD = worked("the Danube", text=TEXT, claims=CLAIMS, passages=[ULM], calls=[("Write.", TEXT)])[0]
CELL = ("own questions", "searchain")


def rows():
    return rows_of(CELL, RECORD)


def filled(path, verdicts):
    """Fills a sheet: a verdict for each fragment."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        table = list(csv.DictReader(file))
    for row in table:
        row["is_correct"] = verdicts.get(row["fragment"], "")
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, table[0].keys())
        writer.writeheader()
        writer.writerows(table)
    return path


def test_a_sheet_has_a_row_a_mark_and_shows_no_method(tmp_path):
    path = tmp_path / "sheet.csv"
    assert write_sheet(rows(), path) == 2
    text = path.read_text(encoding="utf-8-sig")
    assert text.splitlines()[0] == "id,question,fragment,k,title,passage,answer,is_correct"
    assert all(word not in text for word in CELL)
    assert read_sheet(path) == {row.id: None for row in rows()}


def written(said, text, **more):
    """The rows of an answer that was left with other marks than those that the model said."""
    record, _ = worked("the Danube", text=text, claims=CLAIMS, passages=[ULM], calls=[("Write.", said)])
    return rows_of(CELL, replace(record, answer=replace(record.answer, **more)))


def test_people_see_the_marks_as_the_model_wrote_them_and_none_that_was_added(tmp_path):
    said = "Ulm is there [2], on the Danube. It is old [9] [2]."
    found = written(said, "Ulm is there, on the Danube [2]. It is old.", num_marks_misplaced=2, num_marks_removed=1)
    assert [(row.fragment, row.k, row.passage) for row in found] == [
        ("Ulm is there", 2, ULM.text),
        ("It is old", 9, ""),
        ("It is old", 2, ULM.text),
    ]
    assert {row.answer for row in found} == {said}
    write_sheet(found, tmp_path / "sheet.csv")
    with (tmp_path / "sheet.csv").open(encoding="utf-8-sig", newline="") as file:
        sheet = {(row["fragment"], row["k"]): (row["answer"], row["is_correct"]) for row in csv.DictReader(file)}
    assert sheet[("Ulm is there", "2")] == (said, "")
    assert sheet[("It is old", "9")] == (said, "no")  # there is nothing to judge it by


def test_a_mark_that_leads_to_no_passage_is_wrong_and_is_no_matter_of_agreement():
    [right, invented] = written("Ulm is there [1] [9].", "Ulm is there [1].", num_marks_removed=1)
    found = agreement([right, invented], [{right.id: True, invented.id: False}] * 2)
    assert (found.amp, found.num_rows, found.kappa) == ({CELL: 0.5}, 2, None)


def test_a_row_keeps_its_id_whatever_else_the_model_marked():
    [alone] = written("Ulm is there [1].", "Ulm is there [1].")
    first, _ = written("Ulm is there [1]. It is old [2].", "Ulm is there [1]. It is old.", num_marks_misplaced=1)
    assert alone.id == first.id


def test_no_cell_of_a_sheet_is_taken_for_a_formula(tmp_path):
    path = tmp_path / "sheet.csv"
    write_sheet(rows(), path)
    with path.open(encoding="utf-8-sig", newline="") as file:
        assert all(row["passage"] == "'=Ulm lies on the Danube." for row in csv.DictReader(file))


def test_the_order_of_a_sheet_is_shuffled_and_the_same_under_a_seed(tmp_path):
    many = [Row(CELL, f"q{number}", "?", f"fragment {number}", 1, "", "") for number in range(30)]
    texts = []
    for number, seed in enumerate((1, 1, 2)):
        write_sheet(many, tmp_path / f"{number}.csv", seed=seed)
        texts.append((tmp_path / f"{number}.csv").read_text())
    assert texts[0] == texts[1] != texts[2]


def test_amp_is_the_mean_over_answers_of_what_people_say_of_their_marks():
    one, two = rows()
    other = Row(CELL, "q2", "?", "x", 1, "", "")
    sheets = [{one.id: True, two.id: True, other.id: False}, {one.id: True, two.id: False, other.id: False}]
    found = agreement([one, two, other], sheets)
    assert (found.num_rows, found.num_raters, found.num_open) == (3, 2, 0)
    assert found.amp == {CELL: pytest.approx((0.75 + 0.0) / 2)}
    assert found.num_answers == {CELL: 2}


def test_a_row_that_somebody_left_open_counts_nowhere_and_is_told():
    one, two = rows()
    found = agreement([one, two], [{one.id: True, two.id: None}, {one.id: True, two.id: True}])
    assert (found.num_rows, found.num_open, found.amp) == (1, 1, {CELL: 1.0})
    assert found.kappa is None


def test_a_sheet_of_another_run_is_refused():
    with pytest.raises(DataError, match=r"row 'abc', which this run does not have; .* hopweave added are not judged"):
        agreement(rows(), [{"abc": True}])
    with pytest.raises(DataError, match="no filled sheet given"):
        agreement(rows(), [])


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("id,is_correct\nx,perhaps\n", "line 2 of .* says 'perhaps'; write yes or no"),
        ("id,correct\nx,yes\n", "has no column 'is_correct'"),
        ("", "has no column 'id'"),
    ],
)
def test_a_sheet_that_cannot_be_read_is_refused_with_what_to_do(tmp_path, content, says):
    (tmp_path / "sheet.csv").write_text(content)
    with pytest.raises(DataError, match=says):
        read_sheet(tmp_path / "sheet.csv")
    with pytest.raises(DataError, match="cannot read the sheet"):
        read_sheet(tmp_path / "none.csv")


def test_kappa_of_the_worked_example_of_fleiss():
    # Ten items, fourteen raters, five categories; the value is the one usually printed with this table.
    table = [
        [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
    ]  # fmt: skip
    assert fleiss_kappa(table) == pytest.approx(0.210, abs=0.0005)


@pytest.mark.parametrize(
    ("table", "value"),
    [([], None), ([[1, 0], [0, 1]], None), ([[3, 0], [3, 0]], None), ([[3, 0], [0, 3]], 1.0), ([[1, 1], [1, 1]], -1.0)],
)
def test_kappa_is_no_data_where_chance_agrees_always_or_nobody_can_disagree(table, value):
    assert fleiss_kappa(table) == value


def test_kappa_wants_as_many_raters_for_each_item():
    with pytest.raises(DataError, match="not every item was judged by the same number of raters"):
        fleiss_kappa([[3, 0], [1, 0]])


# -- the command -----------------------------------------------------------------------------------------------------------


def run(*arguments):
    result = CliRunner().invoke(app, ["annotate", *map(str, arguments)])
    assert "Traceback" not in result.output
    return result


@pytest.fixture
def folder(tmp_path) -> Path:
    made = RunFolder.create(tmp_path / "run", Plan({CELL[0]: DatasetPlan("jsonl")}, {"searchain": MethodPlan("searchain")}))
    made.add(CELL[0], "searchain", RECORD)
    failed, _ = worked(error="gone")
    made.add(CELL[0], "searchain", replace(failed, question=replace(failed.question, id="another")))
    return made.path


def test_a_sheet_goes_out_and_filled_sheets_come_back(folder, tmp_path):
    out = tmp_path / "sheet.csv"
    assert "2 marks to judge" in run(folder, "--out", out).stdout
    filled(out, {"Ulm is there": "yes", ", on the Danube": "No"})
    said = run(folder, "--read", out, "--read", out).stdout
    assert said == (
        "2 marks judged by all of 2; 0 left open; kappa 1.000\n  own questions  searchain  AMP 0.500  over 1 answers\n"
    )


def test_either_out_or_read_has_to_be_said(folder, tmp_path):
    assert "give --out FILE to write an empty sheet" in run(folder).stderr
    assert "there is no run in" in run(tmp_path / "nothing", "--out", tmp_path / "x.csv").stderr
