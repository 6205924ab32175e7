"""`hopweave show` finds the record that was asked for and draws it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result
from support.commands import assert_one_line, ran
from support.sample_records import failed, graph, searchain

from hopweave.record import Record


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "run.jsonl"
    records = [searchain(), graph(), searchain(from_store=True), failed()]
    path.write_text("\n".join(record.to_json() for record in records) + "\n\n", encoding="utf-8")
    return path


def run(*arguments: object, stdin: str | None = None) -> Result:
    return ran("show", *arguments, stdin=stdin, COLUMNS="100")


def test_the_last_record_is_shown_as_tree_and_answer(file: Path):
    text = run(file).stdout
    assert text.startswith("Who knows?\n")
    assert "parse failure  chain: no query was found" in text
    assert "No answer: the language model failed: the" in text


def test_a_record_is_chosen_by_the_id_of_its_question_or_by_its_line_counted_from_one(file: Path):
    text = run(file, "--question", "harbour-12").stdout
    assert "Answer  Port Merrow" in text
    assert "from the store" in text  # the last of its records
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
    assert "the endpoint said" in lines[4]


def test_a_listing_leaves_out_ids_that_are_all_the_same(tmp_path: Path):
    file = tmp_path / "asked.jsonl"
    file.write_text(f"{searchain().to_json()}\n{searchain().to_json()}\n", "utf-8")
    lines = run(file, "--list").stdout.splitlines()
    assert lines[0].split()[:2] == ["line", "question"]
    assert lines[1].split()[0] == "1"


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


@pytest.mark.parametrize("name", ["a.pdf", "a.svg", "a.2024"])
def test_an_ending_that_says_nothing_is_refused_and_nothing_is_written(file: Path, tmp_path: Path, name: str):
    result = run(file, "--out", tmp_path / name)
    suffix = Path(name).suffix
    assert_one_line(result, f"cannot tell what to draw from '{suffix}'; use .html, .mmd, .json or .txt, or say --as\n")
    assert not (tmp_path / name).exists()
    run(file, "--as", "tree", "--out", tmp_path / name)
    assert (tmp_path / name).exists()


def test_a_file_without_an_ending_has_the_text(file: Path, tmp_path: Path):
    run(file, "--line", 2, "--out", tmp_path / "answer")
    assert (tmp_path / "answer").read_text(encoding="utf-8").startswith("Which was")


def test_as_wins_over_the_ending_and_a_file_has_no_colour(file: Path, tmp_path: Path):
    run(file, "--as", "mermaid", "--out", tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text().startswith("flowchart TD")
    run(file, "--line", 1, "--out", tmp_path / "a.txt")
    assert "\x1b" not in (tmp_path / "a.txt").read_text(encoding="utf-8")


ALTERED = {**json.loads(searchain().to_json()), "passages": []}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, r"cannot read .*run\.jsonl: No such file"),
        (b"\xff\xfe\x00", r"run\.jsonl is not UTF-8"),
        (b"\n\n", r"run\.jsonl contains no record"),
        (graph().to_json().replace('"schema"', '"scheme"', 1).encode(), r"run\.jsonl, line 1: this record has schema None"),
        (json.dumps(ALTERED).encode(), "was altered"),
    ],
    ids=["missing", "no-text", "empty", "damaged-line", "altered"],
)
def test_a_file_that_cannot_be_shown_is_named(file: Path, content: bytes | None, said: str):
    file.unlink() if content is None else file.write_bytes(content)
    assert_one_line(run(file), said)


def test_a_torn_last_line_is_left_out_and_said(file: Path):
    file.write_text(graph().to_json() + "\n" + searchain().to_json()[:300])
    result = run(file)
    assert result.stdout.startswith("Which was founded first")
    assert "line 2 is incomplete" in result.stderr


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--line", 9], "no record on line 9; its last is on line 4"),
        (["--question", "harbor-12"], "did you mean 'harbour-12'? (--line N chooses by line)"),
        (["--question", "g-1", "--line", 2], "give one of them"),
        (["--out", "none/a.txt"], "cannot write"),
    ],
)
def test_flags_that_cannot_be_followed_are_refused(file: Path, flags: list, said: str):
    assert_one_line(run(file, *flags), said)
