import json
import re
import shutil
from dataclasses import replace

import pytest
from support.small_run import LIGHT, example, make_run, record, with_manifest
from support.tiers import first_of
from typer.testing import CliRunner

from hopweave.apps.cli import app
from hopweave.citations.marking import verdict_of
from hopweave.core.catalog import load
from hopweave.core.errors import DataError
from hopweave.evaluation.integrity import checksums
from hopweave.evaluation.integrity.verify import verify
from hopweave.evaluation.reports.input import read_report_data
from hopweave.evaluation.reports.report import make_report, write_report
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.scoring.compare import compare
from hopweave.evaluation.scoring.comparisons import keep_comparisons
from hopweave.evaluation.scoring.score import open_metrics, score_run, write_scores
from hopweave.evaluation.scoring.summary import summarize
from hopweave.record import Record

RECORDS = "records/lights/a.jsonl"


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """A folder with data, an index and a run that was scored and compared."""
    place = tmp_path_factory.mktemp("made")
    data, index = place / "lights.jsonl", place / "index"
    data.write_text('{"question": "When was light 0 lit?"}\n')
    load("retrievers", "bm25").build(index, [LIGHT])
    run = make_run(place / "run", {"a": ["1874", "1875", None, "1874"], "b": ["1874", "1874", "1875", "1875"]})
    metrics, left_out = open_metrics()
    scores = score_run(run, metrics)
    write_scores(run, scores)
    summarize(run, scores, metrics, left_out=left_out, by=["hops"]).write(run)
    keep_comparisons(run, compare(run, ["cover_em", "f1.f1"]))
    return place


@pytest.fixture
def run(template, tmp_path):
    """A run with everything that is verified, as if it had been made here."""
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    run = RunFolder.open(tmp_path / "run")
    with_manifest(run, data=tmp_path / "lights.jsonl", index=tmp_path / "index")
    return run


def lines(run):
    return [str(difference) for difference in verify(run.path).differences]


def change(place, old, new, line=None):
    """Changes one place of a file by hand."""
    rows = place.read_text(encoding="utf-8").split("\n")
    number = line - 1 if line is not None else next(n for n, row in enumerate(rows) if old in row)
    assert old in rows[number]
    rows[number] = rows[number].replace(old, new, 1)
    place.write_text("\n".join(rows), encoding="utf-8")
    return number + 1


def test_a_run_that_nobody_touched_holds(run):
    found = verify(run.path)
    assert found.differences == []
    assert found.notes == []
    assert found.counts["records"] == 8
    assert found.counts["citations"] == 7
    assert found.counts["numbers"] > 100


def test_one_digit_of_a_record_is_found_with_its_line_and_value(run):
    change(run.path / RECORDS, '"short":"1875"', '"short":"1874"', line=2)
    (altered,) = lines(run)
    assert altered.startswith(f"{RECORDS}, line 2: it was altered")
    assert 'answer.short is now "1874"' in altered
    assert "its verdict does not follow from its claims" in altered


def test_an_answer_that_was_forged_with_its_verdict_disagrees_with_the_scores(run):
    place = run.path / RECORDS
    rows = place.read_text(encoding="utf-8").split("\n")
    answer = replace(Record.from_json(rows[1]).answer, short="1874")
    record = replace(Record.from_json(rows[1]), answer=replace(answer, verdict=verdict_of(answer)))
    rows[1] = record.to_json()
    place.write_text("\n".join(rows), encoding="utf-8")
    (altered,) = lines(run)
    assert altered.startswith(f"{RECORDS}, line 2: it was altered")
    assert 'answer.short is now "1874"' in altered
    follows = verify(run.path).follows
    assert set(follows) == {"scores.jsonl", "scores.json", "compare.json"}
    assert min(follows.values()) > 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"seconds":1.0', '"seconds":2.0'),
        ("T00:00", "T01:00"),
        ("lit in 1874", "lit in 1873"),
        ('"max_hits":5', '"max_hits":6'),
    ],
)
def test_a_digit_that_no_metric_looks_at_is_found_too(run, old, new):
    change(run.path / RECORDS, old, new, line=4)
    assert any(line.startswith(f"{RECORDS}, line 4: it was altered") for line in lines(run))


def test_a_digit_within_a_quote_is_found_as_a_citation_that_does_not_hold(run):
    change(run.path / RECORDS, '"quote":"It is painted', '"quote":"It is pointed', line=1)
    found = lines(run)
    assert any(line.startswith(f"{RECORDS}, line 1:") and "citation [1] does not quote" in line for line in found)
    assert "cannot be read" in " ".join(verify(run.path).unchecked)


@pytest.mark.slow
def test_a_record_that_was_taken_out_added_or_moved_is_found(run):
    place = run.path / RECORDS
    whole = place.read_text().split("\n")
    missing, added = "the record of question 'q{}' that was written here is missing", "it has no proof in a.proof: it was added"
    for changed, number, what in [
        (whole[:1] + whole[2:], 2, missing.format(1)),
        ([*whole[:3], ""], 4, missing.format(3)),
        ([*whole[:4], whole[0], ""], 5, added),
        ([*whole[:2], whole[0], *whole[2:]], 3, added),
        ([whole[1], whole[0], *whole[2:]], 1, ""),
    ]:
        place.write_text("\n".join(changed))
        found = lines(run)
        assert any(line.startswith(f"{RECORDS}, line {number}: {what}") for line in found), (number, found)
        assert len(found) <= 5


@pytest.mark.parametrize(("key", "value"), [("end", 0), ("parts", {}), ("more", 1)])
def test_a_line_of_the_proof_that_differs_from_what_its_record_gives_is_found(run, key, value):
    place = run.path / "records" / "lights" / "a.proof"
    first, *rest = place.read_text().splitlines()
    place.write_text("\n".join([json.dumps(json.loads(first) | {key: value}), *rest]) + "\n")
    assert list(checksums.problems(place.with_suffix(".jsonl"))) == [
        (1, "its proof in a.proof was altered, the record was not")
    ]


def test_a_digit_of_the_proof_itself_is_found(run):
    place = run.path / "records" / "lights" / "a.proof"
    row = json.loads(place.read_text().split("\n")[0])
    digit = row["sha256"][0]
    change(place, f'"sha256": "{digit}', f'"sha256": "{"1" if digit == "0" else "0"}', line=1)
    assert any(line.startswith(f"{RECORDS}, line 1: it was altered") for line in lines(run))


def test_a_digit_of_the_scores_is_found_with_its_line_and_value(run):
    number = change(run.path / "scores.jsonl", '"f1": 0.0', '"f1": 0.1')
    (found,) = lines(run)
    assert found.startswith(f"scores.jsonl, line {number}: lights a q1 f1: values/f1 is 0.1, and the records give 0.0")


@pytest.mark.slow
def test_a_digit_of_the_tables_is_found_with_its_line_and_value(run):
    place = run.path / "scores.json"
    number = change(place, '"value": 0.5', '"value": 0.6')
    (found,) = lines(run)
    assert re.match(rf"scores.json, line {number}: cells/\d/means/\w+/value is 0.6, and the records give 0.5$", found)


def test_a_digit_of_a_comparison_is_found_with_its_line_and_value(run):
    place = run.path / "compare.json"
    number = change(place, '"num_wins": 1', '"num_wins": 2')
    (found,) = lines(run)
    assert found == f"compare.json, line {number}: tables/0/rows/0/num_wins is 2, and the records give 1"


def test_comparisons_of_an_earlier_version_hold(run):
    place = run.path / "compare.json"
    data = json.loads(place.read_text())
    for table in data["tables"]:
        del table["records"], table["forms"]
    place.write_text(json.dumps(data, indent=1) + "\n")
    assert lines(run) == []


def test_a_digit_of_an_index_is_found_by_its_hash_and_by_its_own_checksum(run, tmp_path):
    (data,) = (tmp_path / "index").glob("data-*")
    place = max(data.iterdir(), key=lambda file: file.stat().st_size)
    held = bytearray(place.read_bytes())
    held[len(held) // 2] ^= 1
    place.write_bytes(held)
    found = lines(run)
    assert any(
        "the index lights: the file data-" in line and f"{place.name} changed, its SHA-256 was" in line for line in found
    )
    assert any("does not match its checksum" in line for line in found)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("../lights.jsonl", "0", "1"), ("plan.json", "null", "7"), ("examples/lights.jsonl", '"1874"', '"1875"')],
)
def test_a_digit_of_the_data_the_plan_or_the_examples_is_found(run, name, old, new):
    change(run.path / name, old, new)
    assert any(name.split("/")[-1] in line and "SHA-256 was" in line for line in lines(run))


def test_what_is_missing_is_said_and_not_a_crash(run, tmp_path):
    (tmp_path / "lights.jsonl").unlink()
    (run.path / "scores.jsonl").unlink()
    found = verify(run.path)
    assert any("lights.jsonl is not here" in what for what in found.unchecked)
    assert [str(one).partition(" [")[0] for one in found.differences] == ["scores.jsonl: it cannot be read:"]
    (run.path / "manifest.json").unlink()
    assert any(line.startswith("manifest.json: it is missing") for line in lines(run))
    with pytest.raises(DataError, match="there is no run"):
        verify(tmp_path / "none")


def test_files_that_cannot_be_read_are_differences(run):
    for name in ("scores.json", "compare.json", "manifest.json"):
        (run.path / name).write_text("{")
    found = lines(run)
    assert {line.split(":")[0] for line in found} >= {"scores.json", "compare.json", "manifest.json"}


def test_another_model_than_the_manifest_names_is_found(run):
    change(run.path / "manifest.json", "small", "large")
    assert any("the manifest names openai:https://models.example/v1:large" in line for line in lines(run))


def test_a_record_that_does_not_ask_what_was_drawn_is_found(run):
    asked = example(0)
    run.add("lights", "a", record(type(asked)(type(asked.question)("q0", "Why?"), asked.gold)))
    assert f"{RECORDS}, line 5: question 'q0' differs from the one in the examples" in lines(run)
    run.add("lights", "a", record(example(8)))
    assert f"{RECORDS}, line 6: question 'q8' is not among the examples of 'lights'" in lines(run)


@pytest.fixture
def reported(run):
    """The run with its report."""
    write_report(make_report(read_report_data(run)), run.path / "report")
    return run


@pytest.mark.slow
def test_a_report_that_nobody_touched_holds(reported):
    assert lines(reported) == []


@pytest.mark.parametrize("name", first_of(["report.md", "report.html", "cells.csv"]))
def test_a_digit_of_the_report_is_found_with_its_line(reported, name):
    folder = reported.path / "report"
    place = folder / name
    if not place.exists():
        place = next(folder.glob("*.csv"))
    number = change(place, "0.6", "0.7")
    (told,) = lines(reported)
    assert told.startswith(f"report/{place.name}, line {number}: ")
    is_now, must_be = told.split(", and the records give ")
    assert "0.7" in is_now  # however long the line, what differs is shown
    assert "0.6" in must_be
    assert len(told) < 400


@pytest.mark.slow
def test_a_digit_of_the_numbers_of_the_report_is_found_with_its_line_and_value(reported):
    place = reported.path / "report" / "numbers.json"
    number = change(place, '"printed": "0.667"', '"printed": "0.767"')
    (found,) = lines(reported)
    assert re.match(rf"report/numbers.json, line {number}: numbers/.*/printed is 0.767, and the records give 0.667$", found)


@pytest.mark.slow
def test_a_run_that_was_moved_to_another_name_still_holds(reported):
    moved = reported.path.rename(reported.path.with_name("elsewhere"))
    assert verify(moved).differences == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["other", "..", ""])
def test_another_name_of_the_run_in_its_report_is_found(reported, name):
    change(reported.path / "report" / "numbers.json", '"run": "run"', f'"run": "{name}"')
    assert lines(reported)


@pytest.mark.slow
def test_a_report_of_altered_scores_is_held_to_the_records_and_not_to_the_scores(run):
    (run.path / "scores.json").write_text((run.path / "scores.json").read_text().replace("0.666", "0.777"))
    write_report(make_report(read_report_data(run)), run.path / "report")
    assert any(line.startswith("report/numbers.json") and "0.777" in line for line in lines(run))


def test_a_run_that_is_not_done_says_what_is_lacking_and_holds(tmp_path):
    data = tmp_path / "lights.jsonl"
    data.write_text("{}\n")
    run = make_run(tmp_path / "run", {"a": ["1874", "-"]})
    with_manifest(run, data=data)
    found = verify(run.path)
    assert found.differences == []
    assert found.notes == ["records/lights/a.jsonl lacks 1 of 2 questions"]


def test_a_kill_between_proof_and_record_leaves_a_run_that_holds_once_it_is_mended(tmp_path):
    run = make_run(tmp_path / "run", {"a": ["1874", "1875"]})
    place = run.records_path("lights", "a")
    line = record(example(2)).to_json().encode() + b"\n"
    for torn in (b"", line[:40], line[:-1]):
        checksums.add(place, [line])
        with place.open("ab") as file:
            file.write(torn)
        assert [number for number, _ in checksums.problems(place)] == [3]
        run.repair("lights", "a")
        assert list(checksums.problems(place)) == []
    run.add("lights", "a", record(example(2)))
    assert list(checksums.problems(place)) == []


def test_a_kill_while_the_proof_is_written_is_mended_too(tmp_path):
    run = make_run(tmp_path / "run", {"a": ["1874"]})
    place = run.records_path("lights", "a")
    with checksums.path_of(place).open("ab") as file:
        file.write(b'{"end": 99')
    run.add("lights", "a", record(example(1)))
    assert list(checksums.problems(place)) == []
    assert len(list(run.records("lights", "a"))) == 2


def test_a_proof_of_long_lines_is_read_from_its_end(tmp_path):
    run = make_run(tmp_path / "run", {"a": ["1874"]})
    many = [("Which light?", f"Light {number}.") for number in range(400)]
    for number in (1, 2):
        run.add("lights", "a", record(example(number), calls=many))
    place = run.records_path("lights", "a")
    assert max(map(len, checksums.path_of(place).read_bytes().split(b"\n"))) > 1 << 12
    assert list(checksums.problems(place)) == []


def test_the_command_ends_with_1_where_something_differs_and_says_what(run):
    done = CliRunner().invoke(app, ["verify", str(run.path)])
    assert done.exit_code == 0
    assert done.output.startswith("verified, no differences: ")
    change(run.path / RECORDS, '"seconds":1.0', '"seconds":1.5', line=3)
    done = CliRunner().invoke(app, ["verify", str(run.path)])
    assert done.exit_code == 1
    assert f"differs: {RECORDS}, line 3: it was altered" in done.output
    assert "seconds is now 1.5" in done.output
    assert "\ndiffers in 1 place; fix what differs and verify again" in done.output


def test_verifying_changes_nothing_from_another_folder_either(run, monkeypatch):
    monkeypatch.chdir("/")

    def files():
        return {place: place.read_bytes() for place in run.path.rglob("*") if place.is_file()}

    before = files()
    verify(run.path)
    assert files() == before
    assert RunFolder.open(run.path).plan == run.plan
