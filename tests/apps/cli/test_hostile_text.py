"""Every command with text from outside that would take over a terminal: nothing of it reaches one."""

import csv
import json
import re
import shutil
import sys
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text
from support.commands import ran, ran_alone
from support.hostile import ESCAPES, FORMULAS, OBEYED
from typer.main import get_command

from hopweave.apps.cli import app
from hopweave.apps.cli._console import console
from hopweave.apps.cli._terminal import plain, say
from hopweave.evaluation.judging.annotation import Row, write_sheet
from hopweave.evaluation.reports.analysis_results import AnalysisResult, FigureColumn, MeasuredRow, written
from hopweave.record import Record
from hopweave.show.csv_text import csv_text, table_csv
from hopweave.show.plain import flat, plain_json, visible
from hopweave.show.table import Number, Table, columns, rows

HOSTILE = f"{ESCAPES}\rhopweave: verified, no differences\nhopweave: verified, no differences"
NAME = f"a{ESCAPES}".replace("/", "")
RULES = f"""
[[rules]]
find = "town 1"
error = {json.dumps(HOSTILE)}

[[rules]]
match = "(?s)."
say = {json.dumps(f"So the answer is: the {HOSTILE} Nith.")}
"""


@pytest.fixture(autouse=True)
def scene(tmp_path, monkeypatch):
    """Questions, passages, a model and a folder, all of them hostile."""
    go_into(tmp_path, monkeypatch)
    put_files()


def go_into(folder, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    monkeypatch.setenv("HOPWEAVE_MODELS", str(folder / NAME))
    (folder / NAME).mkdir()
    monkeypatch.chdir(folder / NAME)


def put_files():
    Path("rules.toml").write_text(RULES)
    Path("hopweave.toml").write_text(SETTINGS)
    asked = {f"q{n}{HOSTILE}": f"Which {HOSTILE} river runs through town {n}?" for n in range(3)}
    rows = [{"id": name, "question": question, "answer": HOSTILE} for name, question in asked.items()]
    Path(f"{NAME}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    passages = [{"id": f"p{n}{HOSTILE}", "title": HOSTILE, "text": f"The {HOSTILE} river {n}."} for n in range(3)]
    Path("passages.jsonl").write_text("".join(json.dumps(row) + "\n" for row in passages))


SETTINGS = 'llm = "scripted"\n[llms.scripted]\nrules_file = "rules.toml"\n'
THEIRS = f"[llms.openai_compatible]\nbase_url = {json.dumps(HOSTILE)}\n"


def shown(*arguments, stdin=None):
    """What a command prints on both streams, after nothing in it was found that a terminal obeys."""
    result = ran(*arguments, stdin=stdin)
    for text in (result.stdout, result.stderr):
        found = OBEYED.search(text)
        assert found is None, (arguments, text[max(0, found.start() - 60) : found.end() + 60])
    if arguments[0] not in ("ask", "chat", "show"):  # which draw an answer of several lines as such
        assert "\nhopweave: verified, no differences" not in result.output
    return result.output


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """The folder after a run was made in it."""
    place = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        go_into(place, patch)
        put_files()
        make_run()
    return place / NAME


@pytest.fixture
def made(template, scene):
    """A copy of it, where the test is."""
    shutil.copytree(template, ".", dirs_exist_ok=True)


def make_run():
    flags = ["--dataset", "jsonl", "--path", f"{NAME}.jsonl", "--methods", "direct,cot,direct_retrieval"]
    ran("index", "passages.jsonl", "--to", "index", exit_code=0)
    shown("evaluate", "--out", NAME, *flags, "--corpus", "index", "--set", "retries.max_attempts=1")


RECORDS = f"{NAME}/records/jsonl/direct_retrieval.jsonl"
COMMANDS = {
    "again": [
        *([RECORDS, *more] for more in ([], ["--reply", f"1={HOSTILE}"], ["--forbid", f"0={HOSTILE}"])),
        *([RECORDS, flag, HOSTILE] for flag in ("--pin", "--changes")),
        [HOSTILE],
    ],
    "analyse": [[NAME], [NAME, "tokens", "--as", "csv"], [NAME, HOSTILE], [HOSTILE]],
    "annotate": [[NAME, "--out", f"{NAME}.csv"], [NAME, "--read", f"{NAME}.jsonl"], [HOSTILE, "--out", HOSTILE]],
    "ask": [
        [HOSTILE, "--method", "direct"],
        [HOSTILE, "--method", "direct_retrieval", "--corpus", "index", "--calls"],
        [HOSTILE, "--method", "direct", "--json"],
        ["-", "--method", "direct"],
        ["town 1", "--method", "direct"],
        *(["x", flag, HOSTILE] for flag in ("--method", "--corpus", "--profile", "--config")),
        ["x", "--set", f"{HOSTILE}=1"],
        ["x", f"--{HOSTILE}"],
    ],
    "calibrate": [[f"{NAME}.jsonl"], [HOSTILE], ["passages.jsonl", "--reader", HOSTILE]],
    "chat": [["--method", "direct"], ["--corpus", HOSTILE], ["--method", HOSTILE]],
    "compare": [[NAME], [NAME, "--metrics", HOSTILE], [NAME, "--baseline", HOSTILE]],
    "corpus": [["jsonl", f"{NAME}.jsonl"], ["hotpotqa", HOSTILE], [HOSTILE], ["musique", f"{NAME}.jsonl"]],
    "doctor": [[]],
    "evaluate": [
        ["--out", NAME, "--dry-run"],
        ["--out", NAME, "--retry-failed"],
        [f"{NAME}.jsonl", "--out", "new"],
        ["--out", HOSTILE, "--dataset", HOSTILE, "--methods", HOSTILE],
    ],
    "index": [
        ["passages.jsonl", "--to", NAME],
        [HOSTILE, "--to", "index"],
        ["--to", "index", "--delete", HOSTILE],
        ["--to", HOSTILE],
    ],
    "judge": [[NAME], [HOSTILE]],
    "mcp": [[HOSTILE], [f"{HOSTILE}={HOSTILE}"], ["index", "--retriever", HOSTILE], ["index", NAME + "=x", NAME + "=y"]],
    "merge": [[NAME, "--out", "new"], [HOSTILE, "--out", HOSTILE]],
    "models": [["list"], ["remove", HOSTILE], ["fetch", HOSTILE], ["fetch", "x", "--from", HOSTILE], [HOSTILE]],
    "list": [[], [HOSTILE], ["methods", HOSTILE], ["methods", "direct"]],
    "report": [[NAME], [HOSTILE], [NAME, "--out", f"{NAME}.jsonl"]],
    "score": [[NAME], [NAME, "--metrics", HOSTILE], [NAME, "--by", HOSTILE], [HOSTILE]],
    "search": [
        [HOSTILE, "--corpus", "index"],
        ["town", "--corpus", "index", "--json"],
        ["town", "--corpus", "index", "--retriever", "weave"],
        ["town", "--corpus", HOSTILE],
        ["town", "--corpus", "index", "--retriever", HOSTILE],
    ],
    "serve": [
        [HOSTILE],
        [f"light={HOSTILE}"],
        *([flag, HOSTILE] for flag in ("--server", "--host", "--new-key")),
        ["--answers", f"postgres://{HOSTILE}"],
    ],
    "show": [
        [RECORDS],
        [f"{NAME}/records/jsonl/direct.jsonl", "--line", "2", "--calls"],
        *([f"{NAME}/records/jsonl/cot.jsonl", "--as", view] for view in ("tree", "answer", "mermaid", "html", "json")),
        [f"{NAME}/records/jsonl/cot.jsonl", "--list"],
        [f"{NAME}/records/jsonl/cot.jsonl", "--question", HOSTILE],
        [HOSTILE],
    ],
    "stale": [[f"{NAME}/records"], [NAME, "--corpus", HOSTILE], [NAME, "--json"], [f"{NAME}.jsonl"], [HOSTILE]],
    "trust": [[], [HOSTILE], ["--list"], ["--remove"]],
    "verify": [[NAME], [HOSTILE]],
    "watch": [[HOSTILE, "--to", "index"], [NAME, "--to", HOSTILE, "--language", HOSTILE]],
}


SCORING = ("compare", "report", "score")
"""These take long; `verify` is tried over scores and comparisons, too."""


def test_every_command_is_tried():
    assert set(COMMANDS) == set(get_command(app).list_commands(None))


@pytest.mark.usefixtures("made")
@pytest.mark.parametrize(
    "command",
    [pytest.param(one, marks=pytest.mark.slow if one in SCORING or place % 2 else ()) for place, one in enumerate(COMMANDS)],
)
def test_no_escape_of_another_reaches_the_terminal(command):
    if command in ("compare", "report", "verify", "score"):
        shown("score", NAME)
        shown("compare", NAME)
    if command == "doctor":
        Path("hopweave.toml").write_text(f"corpus = {json.dumps(HOSTILE)}\n{SETTINGS}")
    if command == "trust":
        Path("hopweave.toml").write_text(THEIRS)
    said = "".join(shown(command, *arguments, stdin=f"{HOSTILE} ?") for arguments in COMMANDS[command])
    assert command == "list" or "\u241b" in said  # what was hostile was there, and can be seen


def test_a_mistyped_command_and_flag_are_plain():
    assert "red" in shown(HOSTILE)
    assert "red" in shown(f"--{HOSTILE}")


@pytest.mark.usefixtures("made")
def test_verify_says_what_was_altered_and_stays_on_its_line():
    place = Path(NAME, "records", "jsonl", "cot.jsonl")
    lines = [Record.from_json(line) for line in place.read_text().strip().split("\n")]
    done = next(number for number, record in enumerate(lines) if record.answer is not None)
    lines[done] = replace(lines[done], answer=replace(lines[done].answer, short=f"{HOSTILE} altered"))
    place.write_text("".join(record.to_json() + "\n" for record in lines))
    assert "differs" in shown("verify", NAME)


def test_the_door_of_the_command_is_plain_without_a_test_around_it():
    done = ran_alone("show", HOSTILE)
    assert "\u241b[31mred" in done.stderr
    assert OBEYED.search(done.stdout + done.stderr) is None


# -- the doors themselves ------------------------------------------------------------------------------------------------------


def test_colours_are_ours_and_words_are_not_obeyed():
    def printed(make):
        out = StringIO()
        make(file=out, force_terminal=True, color_system="standard", width=80).print(Text(ESCAPES, "red"))
        return out.getvalue()

    assert printed(console).startswith("\x1b[31m\u241b[31mred")
    assert OBEYED.search(re.sub("\x1b\\[[0-9;]*m", "", printed(console))) is None
    assert OBEYED.search(re.sub("\x1b\\[[0-9;]*m", "", printed(Console)))  # which rich leaves to us


def test_whatever_is_printed_by_whomever_is_plain(capsys):
    with plain():
        print(HOSTILE)
        print(HOSTILE, file=sys.stderr)
        sys.stdout.writelines([HOSTILE])
        say(HOSTILE)
    out, err = capsys.readouterr()
    assert OBEYED.search(out + err) is None
    assert out.endswith(f"{flat(HOSTILE)}\n")


def test_a_line_stays_a_line_and_json_says_the_same_without_a_character_that_a_terminal_obeys():
    assert flat("a\nb\tc\u2028d\r\ne") == "a\u240ab\u2409c\ufffdd\u240ae"
    assert OBEYED.search(visible(HOSTILE)) is None
    text = json.dumps({"a": HOSTILE}, ensure_ascii=False)
    assert OBEYED.search(text)
    assert OBEYED.search(plain_json(text)) is None
    assert json.loads(plain_json(text)) == {"a": HOSTILE}


# -- spreadsheets --------------------------------------------------------------------------------------------------------------


def cells(text):
    return [cell for row in csv.reader(StringIO(text, newline="")) for cell in row]


@pytest.mark.parametrize("formula", FORMULAS)
def test_no_cell_of_any_csv_is_taken_for_a_formula(formula, tmp_path):
    result = AnalysisResult("t", ("label",), (FigureColumn("x", "x"),), (MeasuredRow((formula,), {"x": -0.5}, 1),))
    write_sheet([Row(("d", "m"), "q", formula, formula, 1, formula, formula)], tmp_path / "sheet.csv")
    texts = [
        csv_text([[formula]]),
        table_csv(Table(columns(("a", "b")), rows([[formula, Number("k", -0.25, "-0.25")]]))),
        written(result, "csv"),
        (tmp_path / "sheet.csv").read_bytes().decode("utf-8-sig"),
    ]
    for text in texts:
        assert formula not in cells(text)
        assert f"'{formula}".replace("\r", "\n") in cells(text)
    assert "-0.25" in cells(texts[1])
    assert "-0.5" in cells(texts[2])


def test_a_carriage_return_ends_no_row():
    assert list(csv.reader(StringIO(csv_text([["a\r=1", "b"]]), newline=""))) == [["a\n=1", "b"]]


def test_only_one_place_writes_csv():
    sources = Path(sys.modules["hopweave"].__file__).parent.rglob("*.py")
    assert [path.name for path in sources if "csv.writer" in path.read_text(encoding="utf-8")] == ["csv_text.py"]
