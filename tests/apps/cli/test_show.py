"""`hopweave show` finds the record that was asked for and draws it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.sample_records import failed, graph, searchain
from typer.testing import CliRunner, Result

from hopweave.apps.cli.show import app
from hopweave.core.errors import DataError, SettingsError
from hopweave.record import Record


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "run.jsonl"
    records = [searchain(), graph(), searchain(from_store=True), failed()]
    path.write_text("\n".join(record.to_json() for record in records) + "\n\n", encoding="utf-8")
    return path


def run(*arguments: object, stdin: str | None = None) -> Result:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin, env={"COLUMNS": "100"})
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_the_last_record_is_shown_as_tree_and_answer(file: Path):
    text = run(file).stdout
    assert text.startswith("Who knows?\n")
    assert "parse failure  chain: no query was found" in text
    assert "No answer. ModelError" in text


def test_a_question_is_found_by_its_id_and_the_last_record_of_it_counts(file: Path):
    text = run(file, "--question", "harbour-12").stdout
    assert "Answer  Port Merrow" in text
    assert "from the store" in text


def test_a_line_is_counted_from_one(file: Path):
    assert run(file, "--line", 2).stdout.startswith("Which was founded first")


def test_each_view_shows_its_part(file: Path):
    pick = (file, "--line", 1, "--as")
    assert "Citations" not in run(*pick, "tree").stdout
    assert "branch" not in run(*pick, "answer").stdout
    assert run(*pick, "mermaid").stdout.startswith("flowchart TD\n")
    assert run(*pick, "html").stdout.startswith("<!doctype html>\n")
    assert Record.from_json(run(*pick, "json").stdout).fingerprint == searchain().fingerprint


def test_calls_are_shown_when_asked_for(file: Path):
    assert "tokens: 21 in" not in run(file, "--line", 1).stdout
    assert "tokens: 21 in" in run(file, "--line", 1, "--calls").stdout


def test_a_listing_names_every_record(file: Path):
    lines = run(file, "--list").stdout.splitlines()
    assert len(lines) == 5
    assert lines[1].split()[:2] == ["1", "harbour-12"]
    assert "Who knows?" in lines[4]
    assert "ModelError: the" in lines[4]


def test_a_dash_reads_standard_input():
    assert run("-", "--as", "mermaid", stdin=graph().to_json()).stdout.startswith("flowchart TD\n")


def test_json_can_be_piped_into_show_again(file: Path):
    one = run(file, "--line", 2, "--as", "json").stdout
    assert one.count("\n") == 1
    assert run("-", stdin=one).stdout == run(file, "--line", 2).stdout


@pytest.mark.parametrize(
    ("name", "start"), [("a.html", "<!doctype html>"), ("a.mmd", "flowchart TD"), ("a.json", "{"), ("a.txt", "Which was")]
)
def test_the_ending_of_the_file_to_write_says_what_to_draw(file: Path, tmp_path: Path, name: str, start: str):
    result = run(file, "--line", 2, "--out", tmp_path / name)
    assert result.stdout == ""
    assert name in result.stderr
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)


def test_as_wins_over_the_ending(file: Path, tmp_path: Path):
    run(file, "--as", "mermaid", "--out", tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text().startswith("flowchart TD")


def test_text_written_to_a_file_has_no_colour(file: Path, tmp_path: Path):
    run(file, "--line", 1, "--out", tmp_path / "a.txt")
    assert "\x1b" not in (tmp_path / "a.txt").read_text(encoding="utf-8")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path):
    with pytest.raises(DataError, match=r"cannot read .*none\.jsonl: No such file"):
        run(tmp_path / "none.jsonl")


def test_a_file_that_is_not_text_is_named(tmp_path: Path):
    (tmp_path / "a.bin").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match=r"a\.bin is not UTF-8"):
        run(tmp_path / "a.bin")


def test_an_empty_file_is_named(tmp_path: Path):
    (tmp_path / "a.jsonl").write_text("\n\n")
    with pytest.raises(DataError, match=r"a\.jsonl contains no record"):
        run(tmp_path / "a.jsonl")


def test_a_damaged_line_is_named_by_file_and_number(file: Path):
    file.write_text(file.read_text().replace('"schema"', '"scheme"', 1))
    with pytest.raises(DataError, match=r"run\.jsonl, line 1: this record has schema None"):
        run(file, "--line", 1)


def test_an_altered_quote_is_refused(file: Path):
    row = json.loads(searchain().to_json())
    row["passages"][0]["text"] = "Something else."
    file.write_text(json.dumps(row))
    with pytest.raises(DataError, match="was altered"):
        run(file)


def test_a_torn_last_line_is_left_out_and_said(file: Path):
    file.write_text(graph().to_json() + "\n" + searchain().to_json()[:300])
    result = run(file)
    assert result.stdout.startswith("Which was founded first")
    assert "line 2 is incomplete" in result.stderr


def test_a_line_that_is_not_there_is_refused(file: Path):
    with pytest.raises(DataError, match="no record on line 9; its last is on line 4"):
        run(file, "--line", 9)


def test_an_unknown_question_gets_a_suggestion(file: Path):
    with pytest.raises(DataError, match="did you mean 'harbour-12'"):
        run(file, "--question", "harbor-12")


def test_a_question_and_a_line_exclude_each_other(file: Path):
    with pytest.raises(SettingsError, match="give one of them"):
        run(file, "--question", "g-1", "--line", 2)


def test_a_file_that_cannot_be_written_is_named(file: Path, tmp_path: Path):
    with pytest.raises(DataError, match="cannot write"):
        run(file, "--out", tmp_path / "none" / "a.txt")
