"""What is common to all analyses: the catalog, comparability, how results are written, and the command."""

import ast
import csv
import io
import re
import shlex
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from support.runs import answered, asked, made, result_of, row_of
from typer.testing import CliRunner

import hopweave.evaluation.papers
from hopweave.apps.cli import app
from hopweave.core.catalog import entries
from hopweave.core.errors import DataError, SettingsError
from hopweave.evaluation.papers import _published
from hopweave.evaluation.reports.analysis import Analysis, analyse, opened
from hopweave.evaluation.reports.analysis_results import AnalysisResult, FigureColumn, MeasuredRow, PublishedRow, written
from hopweave.evaluation.runs.folder import DatasetPlan, MethodPlan, RunFolder
from hopweave.evaluation.scoring.loaded_runs import LoadedRuns
from hopweave.record import Setup
from hopweave.run.settings_files import read_profile

FOLDER = Path(hopweave.evaluation.papers.__file__).parent
NAMES = list(entries("analyses"))
A, B = asked("a"), asked("b")


def run(*arguments):
    return CliRunner().invoke(app, ["analyse", *map(str, arguments)])


def two(tmp_path, name="run", **more):
    records = [answered(A, "Ulm"), answered(B, "Bonn")]
    return made(tmp_path / name, {"hotpotqa": ("hotpotqa", (A, B))}, {("hotpotqa", "searchain"): records}, **more)


# -- the folder ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_every_analysis_names_its_paper_and_runs_on_a_run_without_records(tmp_path, name):
    assert re.match(r"(SearChain|ToQD|IRCoT) (tables?|figure|appendix) [\w.]+.*: ", entries("analyses")[name].summary)
    analysis = opened(name, {})
    assert isinstance(analysis, Analysis)
    empty = made(tmp_path / "run", {"hotpotqa": ("hotpotqa", (A,))}, {("hotpotqa", "searchain"): []})
    result = analysis.result(LoadedRuns([empty]))
    assert not result.has_data
    assert result.missing
    assert all("hopweave evaluate" in line or "evaluate" in line for line in result.missing)
    assert "0.00" not in written(replace(result, rows=tuple(replace(row, published=()) for row in result.rows)), "text")


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_an_analysis_knows_no_other(path):
    targets = {
        node.module for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom) and node.module
    }
    inside = {name.rpartition(".")[2] for name in targets if name.startswith("hopweave.evaluation.papers.")}
    assert all(name.startswith("_") for name in inside)


# -- published figures -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("efficiency", "accuracy", "tolerance"),
    [("searchain_table6", ("searchain_table1",), 0.011), ("toqd_table2b", ("searchain_table1", "toqd_table1"), 0.006)],
)
def test_the_published_performance_is_the_mean_of_the_published_accuracies(efficiency, accuracy, tolerance):
    """A figure that was carried over wrongly would not add up. SearChain prints 50.47 where its table gives 50.48."""
    wanted = _published.datasets_of(accuracy[-1])
    for one in _published.variants(efficiency):
        of_all = _published._rows(efficiency)[one.key]["all"]
        by_dataset = next(rows[one.key] for table in reversed(accuracy) if one.key in (rows := _published._rows(table)))
        assert of_all[-1] == pytest.approx(sum(by_dataset[name][0] for name in wanted) / len(wanted), abs=tolerance), one.key


def test_published_shares_add_up_and_gains_are_differences():
    for figures in _published._rows("searchain_table2")["searchain"].values():
        assert sum(figures) == pytest.approx(100)
    for model, (first, second, gain) in _published._data()["tables"]["toqd_table5"]["models"].items():
        # The paper prints 2.19 for chatglm, where its own figures differ by 2.22.
        assert second - first == pytest.approx(gain, abs=0.04), model


def test_every_published_row_is_a_method_that_there_is():
    from hopweave.core.catalog import load

    methods = entries("methods")
    for key in _published._data()["methods"]:
        one = _published.variant(key)
        assert one.method in methods
        assert set(one.options) <= set(load("methods", one.method).__dataclass_fields__), key
        assert not one.without or _published.variant(one.without)


def test_a_table_of_another_model_says_so(tmp_path):
    (paper,) = row_of(result_of("searchain_table9", two(tmp_path)), "hotpotqa", "SearChain").published
    assert paper.values == {"accuracy": 29.77}
    assert paper.why_not[0] == "the model is openai:https://models.example/v1:small, there Vicuna-13B"


def test_what_differs_from_the_paper_is_said(tmp_path):
    options = read_profile("paper_searchain").values["methods"]["searchain"]
    cells = {("hotpotqa", "searchain"): [answered(A, "Ulm"), answered(B, "Bonn")]}
    run = made(tmp_path / "run", {"hotpotqa": ("hotpotqa", (A, B))}, cells, {"searchain": MethodPlan("searchain", options)})
    (paper,) = row_of(result_of("searchain_table1", run), "hotpotqa", "SearChain").published
    assert paper.source == "SearChain, table 1"
    assert paper.why_not == (
        "the model is openai:https://models.example/v1:small, there gpt-3.5-turbo",
        "the retriever is bm25, there ColBERTv2",
        "the corpus is my-index, there Wikipedia (2017 for HotpotQA, DPR's passages for the others)",
        "2 questions, there 7,405",
    )


def test_a_method_without_retrieval_is_not_blamed_for_its_retriever_or_corpus(tmp_path):
    same = made(
        tmp_path / "run",
        {"hotpotqa": ("hotpotqa", (A, B))},
        {("hotpotqa", "direct"): [answered(A, "Ulm"), answered(B, "Ulm")]},
        llm="openai:https://api.openai.com/v1:gpt-3.5-turbo-0613",
    )
    (paper,) = row_of(result_of("searchain_table1", same), "hotpotqa", "Direct").published
    assert paper.why_not == ("2 questions, there 7,405",)


def test_a_sample_of_the_same_size_is_still_another_sample():
    cell = Setup("0", "direct", {}, "gpt-3.5-turbo")
    (paper,) = _published.published("searchain_table1", "direct", "zsre", [cell], num=1200)
    assert paper.why_not == ("other questions: which 1,200 were drawn there was not published",)
    assert _published.published("searchain_table1", "direct", "hotpotqa", [cell], num=7405)[0].why_not == ()
    assert _published.published("searchain_table1", "direct", "nothing", [cell], num=7405) == ()


# -- runs ------------------------------------------------------------------------------------------------------------------


def test_the_same_dataset_of_two_runs_is_one_whatever_its_label(tmp_path):
    first = two(tmp_path)
    second = made(tmp_path / "more", {"hp": ("hotpotqa", (A,))}, {("hp", "direct"): [answered(A, "Ulm")]})
    other = made(tmp_path / "other", {"hotpotqa": ("musique", (A,))}, {("hotpotqa", "direct"): [answered(A, "Ulm")]})
    assert [dataset.label for dataset in LoadedRuns([first, second]).datasets] == ["hotpotqa"]
    assert len(LoadedRuns([first, second, other]).datasets) == 2
    assert row_of(result_of("searchain_table1", first, second), "hotpotqa", "Direct (more)").num == 1


def test_questions_taken_apart_are_in_no_other_table(tmp_path):
    plan = DatasetPlan("gold_steps", {"path": "examples/hotpotqa.jsonl"})
    part = asked("a#1", whole="a", parts=2, part=1)
    parts = made(tmp_path / "parts", {"parts": (plan, [part])}, {("parts", "searchain"): [answered(part, "Ulm")]})
    run = two(tmp_path)
    for name in NAMES:
        result = opened(name, {}).result(LoadedRuns([run, parts]))
        assert not [row for row in result.rows if "parts" in row.labels]
    assert row_of(result_of("searchain_table6", run, parts), "SearChain").values["datasets"] == 1


def test_a_record_that_a_metric_breaks_on_is_left_out_counted_and_named(tmp_path, monkeypatch):
    from hopweave.evaluation.metrics.cover_em import CoverEM

    def breaks(self, record, example):
        if example.question.id == "b":
            raise ZeroDivisionError("by nothing")
        return {"cover_em": 1.0}

    monkeypatch.setattr(CoverEM, "score", breaks)
    result = result_of("searchain_table1", two(tmp_path))
    row = row_of(result, "hotpotqa", "SearChain")
    assert (row.values["accuracy"], row.num, row.num_failed, row.num_unscored) == (100.0, 1, 0, 1)
    assert "cover_em broke on hotpotqa x searchain, question b: by nothing" in result.notes


def test_options_of_an_analysis_that_is_not_asked_for_are_refused(tmp_path):
    folder = two(tmp_path).path
    with pytest.raises(SettingsError, match="'toqd_table3', which is not among the analyses asked for"):
        analyse([folder], ["searchain_table2"], {"toqd_table3": {"definition": "standard"}})
    with pytest.raises(SettingsError, match=r"analyses\.searchain_table6 has no option 'word'"):
        analyse([folder], ["searchain_table6"], {"searchain_table6": {"word": "billed"}})


# -- writing ---------------------------------------------------------------------------------------------------------------

PAPER = PublishedRow("Paper", {"x": 1.0}, ("no",))
RESULT = AnalysisResult(
    "A title",
    ("dataset",),
    (FigureColumn("x", "x %"), FigureColumn("y", "y", 0)),
    (
        MeasuredRow(("one",), {"x": 12.345, "y": None}, 1234, 2, 3, {"x": (10.0, 20.0)}, (PAPER,)),
        MeasuredRow(("two|2",), {"x": 0.0, "y": 7.0}, 5, published=(PublishedRow("Paper", {"x": 2.0}, ("no",)),)),
        MeasuredRow(("three",), {}, published=(PublishedRow("Paper", {"x": 3.0}),)),
    ),
    notes=("a note",),
    missing=("do this",),
)  # fmt: skip


def test_text_has_measured_and_published_lines_and_a_letter_for_each_reason():
    lines = [re.split(r"\s{2,}", line.strip()) for line in written(RESULT, "text").splitlines() if line.strip()]
    assert lines[1] == ["dataset", "source", "x %", "y", "questions", "failed", "no data"]
    assert lines[3] == ["one", "measured", "12.35 [10.00, 20.00]", "no data", "1,234", "2", "3"]
    assert lines[4] == ["Paper (a)", "1.00"]
    assert lines[5] == ["two|2", "measured", "0.00", "7", "5", "0", "0"]
    assert lines[6] == ["Paper (a)", "2.00"]
    assert lines[7][:4] == ["three", "measured", "no data", "no data"]
    assert lines[8] == ["Paper", "3.00"]
    assert lines[9:] == [["(a) not comparable: no"], ["a note"], ["no data: do this"]]


def test_markdown_is_one_table_whose_rows_have_equal_cells():
    rows = [line for line in written(RESULT, "markdown").splitlines() if line.startswith("|")]
    assert len(rows) == 8
    assert {row.count("|") for row in rows} == {8}
    assert "two&#124;2" in rows[4]


def test_csv_has_full_figures_and_empty_cells_where_there_is_no_data():
    rows = list(csv.DictReader(io.StringIO(written(RESULT, "csv"))))
    assert (rows[0]["x"], rows[0]["y"], rows[0]["questions"], rows[0]["failed"]) == ("12.345", "", "1234", "2")
    assert (rows[1]["source"], rows[1]["comparable"], rows[1]["x"]) == ("Paper", "no", "1.0")
    assert [row["comparable"] for row in rows] == ["", "no", "", "no", "", "yes"]


# -- the command -----------------------------------------------------------------------------------------------------------


def test_without_a_run_the_analyses_are_listed_by_file_name():
    lines = run().stdout.splitlines()
    assert [line.split()[0] for line in lines] == NAMES == sorted(path.stem for path in FOLDER.glob("[a-z]*.py"))


def test_named_analyses_are_written_and_others_are_told_of(tmp_path):
    folder = two(tmp_path).path
    result = run(folder, "searchain_table1")
    assert result.exit_code == 0, result.output
    assert "SearChain table 1: " in result.stdout
    assert re.search(r"SearChain +measured +50\.00 +2 +0 +0", result.stdout)
    assert "--with" in result.stdout
    every = run(folder)
    assert every.exit_code == 0, every.output
    assert "SearChain table 6" in every.stdout
    assert "ToQD figure 3" not in every.stdout
    assert "toqd_figure3" in every.stderr


def test_further_runs_options_and_the_form_are_taken_from_flags(tmp_path):
    first = two(tmp_path)
    bare = MethodPlan("searchain", {"use_retrieval": False})
    cells = {("hotpotqa", "bare"): [answered(A, "Ulm"), answered(B, "Ulm")]}
    second = made(tmp_path / "bare", {"hotpotqa": ("hotpotqa", (A, B))}, cells, {"bare": bare})
    out = tmp_path / "made" / "table.csv"
    flags = ["--with", second.path, "--set", "searchain_table3b.floor=false", "--out", out]
    result = run(first.path, "searchain_table3b", *flags)
    assert result.exit_code == 0, result.output
    (row,) = [row for row in csv.DictReader(io.StringIO(out.read_text())) if row["source"] == "measured"]
    assert (row["method"], row["misled"], row["right"]) == ("SearChain", "50.0", "2.0")
    assert run(first.path, "searchain_table3b", "--as", "markdown").stdout.startswith("## SearChain table 3b")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["searchain_table99"], "'searchain_table99' is not one of the analyses; did you mean"),
        (["searchain_table2", "--set", "floor=false"], "--set floor=... names no analysis; write it as NAME.OPTION=VALUE"),
    ],
)
def test_what_cannot_be_is_one_line_that_says_what_to_do(tmp_path, arguments, message):
    result = run(two(tmp_path).path, *arguments)
    assert result.exit_code == 1
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_folder_without_a_run_is_said_to_be_none(tmp_path):
    result = run(tmp_path / "nothing")
    assert result.exit_code == 1
    assert "there is no run in" in result.stderr


def test_no_model_is_called_and_the_run_is_left_as_it_was(tmp_path):
    folder = two(tmp_path).path
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert run(folder).exit_code == 0
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert RunFolder.open(folder).plan.methods.keys() == {"searchain"}


# -- what to evaluate ------------------------------------------------------------------------------------------------------


def test_the_command_keeps_model_engine_and_sampling_and_quotes_what_a_shell_would_split(tmp_path):
    settings = {
        "llm": "openai_compatible",
        "llms": {"openai_compatible": {"model": "a b", "api_key_env": "KEY", "headers": "(left out)"}, "scripted": {"x": 1}},
        "methods": {"searchain": {"theta": 1.5, "use_retrieval": True}, "direct": {"n_demos": 2}},
        "sampling": {"seed": 3},
    }
    folder = tmp_path / "my run"
    run = made(folder, {"hotpotqa": ("hotpotqa", (A,))}, {("hotpotqa", "searchain"): [answered(A, "Ulm")]}, settings=settings)
    (line,) = result_of("searchain_table3a", run).missing
    command, _, rest = line.partition(": ")[2].partition(", then analyse again with: --with ")
    words = shlex.split(command)
    sets = {words[place + 1] for place, word in enumerate(words) if word == "--set"}
    assert sets == {
        "llm=openai_compatible",
        "retriever=bm25",
        "corpus=my-index",
        "llms.openai_compatible.model=a b",
        "llms.openai_compatible.api_key_env=KEY",
        "methods.searchain.theta=1.5",
        "methods.searchain.use_retrieval=false",
        "sampling.seed=3",
    }
    assert words[-2:] == ["--out", f"{folder}-searchain_no_retrieval"]
    assert shlex.split(rest) == [f"{folder}-searchain_no_retrieval"]


def test_a_dataset_with_options_is_written_into_a_plan_by_the_command(tmp_path):
    whole = asked("w", steps=[("x", "1"), ("y", "Ulm")])
    run = made(tmp_path / "my run", {"musique": ("musique", (whole,))}, {("musique", "direct"): [answered(whole, "Ulm")]})
    (line,) = result_of("searchain_table7", run).missing
    words = shlex.split(line.partition(": ")[2].partition(" > ")[0])
    plan = tomllib.loads("\n".join(words[2:]))
    assert plan["datasets"] == {
        "gold_steps_parts": {"name": "gold_steps", "path": str(run.path / "examples" / "musique.jsonl"), "form": "parts"}
    }
    assert plan["methods"] == {"direct": {}}


def test_long_answers_are_neither_right_nor_wrong(tmp_path):
    example = asked("a", ["a b. c d"], form="long")
    cells = {("eli5", "self_ask"): [answered(example, "a")], ("eli5", "self_ask_no_search"): [answered(example, "a")]}
    run = made(tmp_path / "run", {"eli5": ("eli5", [example])}, cells)
    for name in ("searchain_table3b", "searchain_table8"):
        result = result_of(name, run)
        assert not result.rows
        assert "long answers" in result.missing[0]


def test_accuracy_can_look_into_the_whole_text_and_says_which(tmp_path):
    records = [answered(A, "Bonn", text="It is Ulm, or Bonn."), answered(B, "Bonn")]
    run = made(tmp_path / "run", {"hotpotqa": ("hotpotqa", (A, B))}, {("hotpotqa", "searchain"): records})
    assert row_of(result_of("searchain_table1", run), "hotpotqa", "SearChain").values["accuracy"] == 0
    full = result_of("searchain_table1", run, scope="full")
    assert row_of(full, "hotpotqa", "SearChain").values["accuracy"] == 50
    assert "cover-EM of the whole text" in full.notes[0]


# -- datasets of several runs ------------------------------------------------------------------------------------------------


def with_gold(folder, answers, path="own.jsonl"):
    example = asked("a", answers)
    return made(
        folder, {"own": (DatasetPlan("jsonl", {"path": path}), (example,))}, {("own", "direct"): [answered(example, "Ulm")]}
    )


def test_runs_of_one_file_with_other_gold_answers_are_refused_with_the_question(tmp_path):
    first, second = with_gold(tmp_path / "first", ("Bonn",)), with_gold(tmp_path / "second", ("Bonn", "Ulm"))
    with pytest.raises(DataError, match="question 'a' of 'own' has other gold answers in the run second; compare runs on"):
        result_of("searchain_table1", first, second)
    assert result_of("searchain_table1", first, with_gold(tmp_path / "third", ("Bonn",))).has_data


def test_another_dataset_of_the_same_label_is_shown_with_the_name_of_its_run(tmp_path):
    first, second = with_gold(tmp_path / "first", ("Bonn",)), with_gold(tmp_path / "second", ("Bonn", "Ulm"), "more.jsonl")
    result = result_of("searchain_table1", first, second)
    assert row_of(result, "own", "Direct").values == {"accuracy": 0}
    assert row_of(result, "own (second)", "Direct (second)").values == {"accuracy": 100}
