"""Verifying a run from anywhere, and what was tampered with: one line for each cause."""

import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from support.small_run import LIGHT, example, make_run, record, with_manifest, with_replies
from support.tiers import first_of
from typer.testing import CliRunner

from hopweave.apps.cli import app
from hopweave.core.catalog import load
from hopweave.evaluation.runs.folder import RunFolder

NUM = 12
RECORDS = "records/lights/a.jsonl"
PRICES = '[[prices]]\nmodel = "*"\nprompt = 1.0\ncompletion = 4.0\n'


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A folder with data, an index, a price table and a run of two methods that was scored, compared and reported there."""
    place = tmp_path_factory.mktemp("made")
    rows = [json.dumps({"question": f"When was light {number} lit?", "answer": "1874"}) for number in range(NUM)]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        Path("lights.jsonl").write_text("\n".join(rows) + "\n")
        Path("prices.toml").write_text(PRICES)
        load("retrievers", "bm25").build(Path("index"), [LIGHT])
        answers = {"a": ["1874", "1875", None] * (NUM // 3), "b": ["1874", "1874", "1875"] * (NUM // 3)}
        run = make_run(Path("runs/lights"), answers, calls=True, traits=lambda number: {"hops": number % 3})
        with_replies(run)
        said("score", run.path, "--set", "metrics.cost.prices=prices.toml", "--by", "hops")
        said("compare", run.path, "--resamples", "200")
        said("report", run.path)
    return place


@pytest.fixture
def project(template, tmp_path, monkeypatch):
    """The folder as if all that had been done in it."""
    place = shutil.copytree(template, tmp_path / "project")
    monkeypatch.chdir(place)
    with_manifest(RunFolder.open(Path("runs/lights")), data=Path("lights.jsonl"), index=Path("index"), store="")
    return place


def said(*words):
    done = CliRunner().invoke(app, list(map(str, words)))
    assert done.exit_code == 0, done.output
    return done.output


def told(run=Path("runs/lights")):
    """What the command says of a run, line by line, and how it ends."""
    done = CliRunner().invoke(app, ["verify", str(run)])
    return done.output.splitlines(), done.exit_code


def edit(name, old, new, line=None):
    place = Path("runs/lights") / name
    lines = place.read_text(encoding="utf-8").split("\n")
    number = line - 1 if line is not None else next(number for number, text in enumerate(lines) if old in text)
    assert old in lines[number]
    lines[number] = lines[number].replace(old, new, 1)
    place.write_text("\n".join(lines), encoding="utf-8")


@pytest.mark.slow
def test_all_holds_where_the_run_was_made(project):
    lines, code = told()
    assert (len(lines), code) == (1, 0)
    assert lines[0].startswith("verified, no differences: ")
    assert "20 replies" in lines[0]


@pytest.mark.slow
@pytest.mark.parametrize("where", ["/", ".", "runs", "runs/lights/records"])
def test_all_holds_from_any_folder(project, monkeypatch, where):
    run = project / "runs" / "lights"
    monkeypatch.chdir(where)
    lines, code = told(os.path.relpath(run))
    assert (lines[0].partition(":")[0], len(lines), code) == ("verified, no differences", 1, 0)


@pytest.mark.slow
def test_all_holds_of_a_run_that_was_moved_away_from_its_data(project, tmp_path, monkeypatch):
    moved = shutil.move(project / "runs" / "lights", tmp_path / "archive")
    monkeypatch.chdir("/")
    lines, code = told(moved)
    assert (lines[0].partition(":")[0], len(lines), code) == ("verified, no differences", 1, 0)


@pytest.mark.slow
def test_all_holds_of_a_project_that_was_moved_as_a_whole(project, tmp_path, monkeypatch):
    monkeypatch.chdir("/")
    moved = shutil.move(project, tmp_path / "elsewhere")
    lines, code = told(Path(moved) / "runs" / "lights")
    assert (lines[0].partition(":")[0], len(lines), code) == ("verified, no differences", 1, 0)


@pytest.mark.slow
def test_a_copy_of_a_project_is_held_to_its_own_data_and_not_to_the_original(project, tmp_path):
    copied = shutil.copytree(project, tmp_path / "copy")
    (copied / "lights.jsonl").write_text("{}\n")
    lines, code = told(copied / "runs" / "lights")
    assert (len(lines), code) == (2, 1)
    assert lines[0].startswith("differs: lights.jsonl: the data of lights: SHA-256 was ")


@pytest.mark.slow
def test_what_is_not_here_could_not_be_checked_and_is_no_difference(project):
    shutil.rmtree("index")
    Path("lights.jsonl").unlink()
    lines, code = told()
    assert lines[:2] == [
        "could not be checked: the data of lights: lights.jsonl is not here; put it back, or verify where it is",
        "could not be checked: the index lights: index is not here; put it back, or verify where it is",
    ]
    assert lines[2].startswith("no differences in what could be checked: ")
    assert (len(lines), code) == (3, 0)


@pytest.mark.slow
def test_scores_that_need_a_file_that_is_not_here_could_not_be_checked(project):
    Path("prices.toml").unlink()
    lines, code = told()
    assert lines[0].startswith("could not be checked: scores, comparisons and report, since prices.toml is not here")
    assert code == 0
    edit("report/report.md", "0", "1")
    lines, code = told()
    assert any(line.startswith("differs: report/report.md: its SHA-256 was") for line in lines)
    assert code == 1


def a_digit_of_a_record():
    edit(RECORDS, '"short":"1875"', '"short":"1874"', line=2)
    return 'records/lights/a.jsonl, line 2: it was altered after it was written: answer.short is now "1874"'


def every_record():
    text = Path("runs/lights", RECORDS).read_text()
    Path("runs/lights", RECORDS).write_text(text.replace('"seconds":1.0', '"seconds":2.0'))
    return "records/lights/a.jsonl, line 1: it was altered after it was written: seconds is now 2.0"


def a_deleted_record():
    place = Path("runs/lights", RECORDS)
    lines = place.read_text().split("\n")
    place.write_text("\n".join([*lines[:4], *lines[5:]]))
    return "records/lights/a.jsonl, line 5: the record of question 'q4' that was written here is missing"


def records_and_their_proof():
    made = RunFolder.open(Path("runs/lights"))
    for name in (RECORDS, RECORDS.replace(".jsonl", ".proof")):
        Path("runs/lights", name).unlink()
    for number in range(NUM):
        made.add("lights", "a", record(example(number), calls=[(f"When was light {number} lit?", "1874")]))
    return "records/lights/a.jsonl: its SHA-256 was "


def a_deleted_cell():
    for name in (RECORDS, RECORDS.replace(".jsonl", ".proof")):
        Path("runs/lights", name).unlink()
    return "records/lights/a.jsonl: cannot read "


def a_file_of_the_report():
    Path("runs/lights/report/report.html").unlink()
    return "report/report.html: it cannot be read"


def a_number_of_the_report():
    edit("report/numbers.json", '"value": 0.', '"value": 9.')
    return "report/numbers.json, line "


def a_digit_of_the_scores():
    edit("scores.jsonl", '"f1": 0.0', '"f1": 0.1')
    return "scores.jsonl, line "


def a_deleted_score():
    place = Path("runs/lights/scores.jsonl")
    lines = place.read_text().split("\n")
    place.write_text("\n".join([*lines[:6], *lines[7:]]))
    return "scores.jsonl: the line of lights a "


def a_doubled_score():
    place = Path("runs/lights/scores.jsonl")
    lines = place.read_text().split("\n")
    place.write_text("\n".join([*lines[:6], lines[5], *lines[6:]]))
    return "scores.jsonl, line 6: it occurs twice: lights a "


def a_deleted_file_of_the_index():
    Path("index/manifest.json").unlink()
    return "index: the index lights: the file manifest.json was there ("


def the_store():
    Path("runs/lights/store.sqlite").unlink()
    return "store.sqlite: it is missing, and with it every reply of the model"


def a_reply_in_the_store():
    with closing(sqlite3.connect("runs/lights/store.sqlite")) as file:
        file.execute("UPDATE replies SET outcome = replace(outcome, '1875', '1874')")
        file.commit()
    return "store.sqlite: it holds an altered reply to the call 0 (answer) of records/lights/a.jsonl, line 2"


def a_reply_in_the_store_without_its_checksum():
    with closing(sqlite3.connect("runs/lights/store.sqlite")) as file:
        rows = file.execute("SELECT key, outcome FROM replies").fetchall()
        bare = [(json.dumps(json.loads(outcome.replace("1875", "1874"))[:2]), key) for key, outcome in rows]
        file.executemany("UPDATE replies SET outcome = ? WHERE key = ?", bare)
        file.commit()
    return "store.sqlite: it holds another reply to the call 0 (answer) of records/lights/a.jsonl, line 2"


def replies_taken_out_of_the_store():
    with closing(sqlite3.connect("runs/lights/store.sqlite")) as file:
        file.execute("DELETE FROM replies")
        file.commit()
    return "store.sqlite: it holds no reply to the call 0 (answer) of records/lights/a.jsonl, line 1"


def another_file_for_the_store():
    Path("runs/lights/store.sqlite").write_text("no database at all, but long enough to be read as one" * 99)
    return "store.sqlite: "


def a_row_of_the_dataset():
    text = Path("lights.jsonl").read_text()
    Path("lights.jsonl").write_text(text.replace("1874", "1875", 1))
    return "lights.jsonl: the data of lights: SHA-256 was "


def a_setting_of_the_manifest():
    edit("manifest.json", '"llm": "', '"llm": "not ')
    return 'manifest.json: it was altered after it was written: llm is now "not '


def a_hash_in_the_manifest():
    text = Path("runs/lights/manifest.json").read_text()
    kept = json.loads(text)["datasets"]["lights"]["sha256"]
    Path("runs/lights/manifest.json").write_text(text.replace(kept, "0" * 64))
    return "manifest.json: it was altered after it was written: datasets.lights is now "


TAMPERINGS = [
    a_digit_of_a_record,
    a_number_of_the_report,
    a_digit_of_the_scores,
    a_reply_in_the_store,
    a_row_of_the_dataset,
    every_record,
    a_deleted_record,
    records_and_their_proof,
    a_deleted_cell,
    a_file_of_the_report,
    a_deleted_score,
    a_doubled_score,
    a_deleted_file_of_the_index,
    the_store,
    a_reply_in_the_store_without_its_checksum,
    replies_taken_out_of_the_store,
    another_file_for_the_store,
    a_setting_of_the_manifest,
    a_hash_in_the_manifest,
]


@pytest.mark.parametrize("tamper", first_of(TAMPERINGS, 2), ids=lambda tamper: tamper.__name__)
def test_each_tampering_is_named_in_at_most_five_lines(project, tamper):
    expected = tamper()
    lines, code = told()
    assert code == 1
    assert len(lines) <= 5, lines
    assert any(line.startswith(f"differs: {expected}") for line in lines), lines


@pytest.mark.slow
def test_what_follows_from_an_altered_record_is_counted_and_another_slip_is_still_told(project):
    a_deleted_record()
    edit("scores.jsonl", '"method": "b", "question": "q3"', '"method": "b", "question": "q4"')
    lines, _ = told()
    assert sum(line.startswith("differs: ") for line in lines) == 2
    assert lines[1].startswith("differs: scores.jsonl, line ")
    (follows,) = [line for line in lines if line.startswith("follows from it: ")]
    assert "in scores.json" in follows
    assert "in report/numbers.json" in follows


@pytest.mark.slow
def test_a_report_that_is_older_than_its_scores_says_to_run_report_again(project):
    said("score", "runs/lights", "--metrics", "cover_em,f1", "--seed", "3")
    lines, code = told()
    said_first = "differs: report: it is older than the scores and comparisons of this run; "
    assert lines[0] == f"{said_first}run report again: hopweave report runs/lights"
    assert (len(lines), code) == (2, 1)
    said("report", "runs/lights")
    assert told()[1] == 0


@pytest.mark.slow
def test_scores_that_are_older_than_the_records_say_to_score_again(project):
    run = RunFolder.open(Path("runs/lights"))
    run.add("lights", "a", record(example(2), calls=[("Again: when was light 2 lit?", "1874")]))
    with_replies(run)
    with_manifest(run, data=Path("lights.jsonl"), index=Path("index"), store="")
    lines, code = told()
    assert lines[0] == (
        "differs: scores.json: it was made before the records of lights/a were; run score again: hopweave score runs/lights"
    )
    assert sum(line.startswith("differs: ") for line in lines) == 1
    assert (len(lines) <= 5, code) == (True, 1)


@pytest.mark.slow
def test_comparisons_that_are_older_than_the_records_say_to_compare_again(project):
    run = RunFolder.open(Path("runs/lights"))
    run.add("lights", "a", record(example(2), calls=[("Again: when was light 2 lit?", "1874")]))
    with_replies(run)
    with_manifest(run, data=Path("lights.jsonl"), index=Path("index"), store="")
    said("score", "runs/lights", "--set", "metrics.cost.prices=prices.toml", "--by", "hops")
    lines, code = told()
    again = "runs/lights --metrics cover_em.cover_em --baseline a --resamples 200"
    assert lines[0] == (
        "differs: compare.json: it was made before the records of lights/a were; run compare again: hopweave compare " + again
    )
    assert sum(line.startswith("differs: ") for line in lines) == 1
    assert (len(lines) <= 5, code) == (True, 1)
    refused = CliRunner().invoke(app, ["report", "runs/lights"])
    assert "the records of lights/a are not those that were compared; run again: hopweave compare " + again in refused.output
    said("compare", *again.split())
    said("report", "runs/lights")
    assert told()[1] == 0
