"""Parts in files of one's own in runs: what a run notes of them, and that no stranger's folder has one imported."""

import json
import shutil
from pathlib import Path

import pytest
from support.commands import ran
from support.part_files import DATASET, EVIL, METHOD, METRIC, SCRIPTED, hopweave_says, own_folder

from hopweave.core import part_files
from hopweave.evaluation.runs.folder import DatasetPlan, MethodPlan, Plan, RunFolder


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    return own_folder(tmp_path, monkeypatch)


# -- strangers ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        'method = "./evil.py:Picky"',
        'method = "evil.py"',
        'llm = "./evil.py:Picky"',
        'retriever = "hyde"\n[retrievers.hyde]\nengine = "./evil.py:Picky"',
        '[methods."./evil.py:Picky"]\ntheta = 1',
        'profile = "profile.toml"',
    ],
)
def test_a_strangers_settings_import_no_file(text):
    Path("evil.py").write_text(EVIL)
    Path("profile.toml").write_text('method = "./evil.py:Picky"')
    Path("hopweave.toml").write_text(text)
    for command in (["ask", "Which river?"], ["doctor"]):
        result = ran(*command)
        assert result.exit_code == 1
        assert "and you have not trusted it" in result.output
    assert not Path("was-imported").exists()


def test_a_folder_that_is_trusted_names_its_files():
    Path("hopweave.toml").write_text('method = "./mine.py:Picky"\n[methods.Picky]\ntheta = 3')
    assert 'sets:\n  method = "./mine.py:Picky"\n' in hopweave_says("trust").stdout
    assert "theta is 3.0" in hopweave_says("ask", "Which river?", *SCRIPTED).stdout


def evil_run():
    Path("evil.py").write_text(EVIL)
    Path("q.jsonl").write_text('{"id": "q", "question": "Which river?", "answer": "Nith"}\n')
    plan = Plan(
        {"jsonl": DatasetPlan("./evil.py:Picky", {"path": "q.jsonl"})},
        {"Picky": MethodPlan("./evil.py:Picky")},
        {"llm": "scripted"},
    )
    Path("run").mkdir()
    Path("run/plan.json").write_text(plan.to_json())


@pytest.mark.parametrize(
    "command",
    [
        ["evaluate", "--out", "run"],
        ["evaluate", "--out", "run", "--dry-run"],
        ["evaluate", "--out", "run", "--dataset", "jsonl", "--path", "q.jsonl", "--methods", "direct", *SCRIPTED],
        ["score", "run"],
        ["report", "run"],
        ["verify", "run"],
        ["compare", "run"],
    ],
)
def test_the_plan_of_a_strangers_run_imports_no_file(command):
    evil_run()
    assert ran(*command).exit_code != 0
    assert not Path("was-imported").exists()


@pytest.mark.slow
def test_the_records_of_a_strangers_run_import_no_file():
    Path("evil.py").write_text(EVIL)
    flags = ["--dataset", "starter", "--limit", "1", "--methods", "direct", *SCRIPTED]
    hopweave_says("evaluate", "--out", "run", *flags)
    hopweave_says("score", "run", "--metrics", "cover_em")
    for place in ("run/plan.json", "run/scores.json", "run/manifest.json"):
        data = Path(place).read_text().replace('"name": "direct"', '"name": "./evil.py:Picky"')
        Path(place).write_text(data.replace('"name": "starter"', '"name": "./evil.py:Picky"'))
    for command in ("score", "report", "compare", "verify"):
        ran(command, "run")
    assert not Path("was-imported").exists()


# -- runs --------------------------------------------------------------------------------------------------------------------

FLAGS = ["--dataset", "./data.py", "--methods", "./mine.py:Picky,direct", *SCRIPTED, "--set", "methods.Picky.theta=0.9"]


@pytest.fixture
def run():
    Path("data.py").write_text(DATASET)
    hopweave_says("evaluate", "--out", "run", *FLAGS)
    return RunFolder.open(Path("run"))


def test_a_run_names_files_by_path_and_notes_their_hashes(run):
    assert run.plan.methods["Picky"].name == "./mine.py:Picky"
    assert run.plan.datasets["Two"].name == "./data.py:Two"
    assert set(run.plan.files) == {"./data.py", "./mine.py"}
    assert {record.answer.short for record in run.records("Two", "Picky")} == {"theta is 0.9"}
    assert {record.setup.method for record in run.records("Two", "Picky")} == {"./mine.py:Picky"}


def test_a_run_goes_on_and_refuses_a_changed_file_before_it_is_imported(run):
    hopweave_says("evaluate", "--out", "run")
    hopweave_says("evaluate", "--out", "run", *FLAGS)
    Path("mine.py").write_text(EVIL)
    said = hopweave_says("evaluate", "--out", "run", exit_code=1).stderr
    assert "was made with other settings: files was" in said
    assert "mine.py with SHA-256" in said
    assert not Path("was-imported").exists()


@pytest.mark.slow
def test_a_changed_wording_beside_the_file_is_refused_too():
    Path("data.py").write_text(DATASET)
    Path("mine.prompts.toml").write_text('ask = "What?"')
    hopweave_says("evaluate", "--out", "run", *FLAGS)
    Path("mine.prompts.toml").write_text('ask = "Who?"')
    assert "mine.prompts.toml with SHA-256" in hopweave_says("evaluate", "--out", "run", *FLAGS, exit_code=1).stderr


@pytest.mark.slow
def test_the_verification_of_a_run_finds_a_changed_file(run):
    assert ran("verify", "run").exit_code == 0
    Path("mine.py").write_text(METHOD + "\n")
    result = ran("verify", "run")
    assert result.exit_code == 1
    assert "mine.py" in result.output


def test_two_classes_of_one_name_need_labels_of_their_own():
    Path("data.py").write_text(DATASET)
    Path("other.py").write_text(METHOD)
    flags = ["--dataset", "./data.py", "--methods", "mine.py,other.py", *SCRIPTED]
    assert "two of the methods are called Picky" in hopweave_says("evaluate", "--out", "run", *flags, exit_code=1).stderr


def test_a_plan_file_labels_them():
    Path("data.py").write_text(DATASET)
    Path("plan.toml").write_text(
        '[datasets.two]\nname = "./data.py"\nword = "Annan"\n[methods.mine]\nname = "./mine.py"\ntheta = 4\n'
        '[methods.mine-again]\nname = "./mine.py:Picky"\n'
    )
    hopweave_says("evaluate", "plan.toml", "--out", "run", *SCRIPTED)
    run = RunFolder.open(Path("run"))
    assert [record.setup.options for record in run.records("two", "mine")] == [{"theta": 4.0}] * 2
    assert run.examples("two")[0].gold.answers == ("Annan",)


def test_a_metric_in_a_file_scores_a_run(run):
    Path("length.py").write_text(METRIC)
    said = hopweave_says("score", "run", "--metrics", "./length.py,exact_match", "--set", "metrics.Length.factor=2").stdout
    assert "length" in said
    found = json.loads(Path("run/scores.json").read_text())
    assert {"./length.py:Length", "exact_match"} == {metric["name"] for metric in found["metrics"]}
    assert "length" in hopweave_says("compare", "run", "--metrics", "length", "--baseline", "direct").stdout
    hopweave_says("report", "run")
    hopweave_says("verify", "run")
    Path("length.py").write_text(METRIC + "\n")
    assert "is not what run was scored with" in hopweave_says("report", "run", exit_code=1).stderr


@pytest.fixture
def compared(run):
    """A run that was compared by a metric in a file, and then scored without it."""
    Path("length.py").write_text(METRIC)
    hopweave_says("score", "run", "--metrics", "./length.py,exact_match", "--set", "metrics.Length.factor=2")
    hopweave_says("compare", "run", "--metrics", "length", "--baseline", "direct")
    hopweave_says("score", "run")
    return run


def test_the_verification_of_a_run_trusts_nothing_for_good(compared):
    hopweave_says("report", "run")
    before = hopweave_says("trust", "--list").stdout
    hopweave_says("verify", "run")
    assert hopweave_says("trust", "--list").stdout == before != ""


def test_a_comparison_by_a_metric_in_a_file_holds_after_the_run_was_scored_without_it(compared):
    hopweave_says("report", "run")
    assert hopweave_says("verify", "run").stdout.startswith("verified, no differences: ")
    (command,) = [line for line in Path("run/report/report.md").read_text().splitlines() if line.startswith("hopweave compare")]
    options = "--baseline direct --set metrics.Length.factor=2"
    assert command == f"hopweave compare run --metrics ./length.py:Length.length {options}"
    before = Path("run/compare.json").read_text()
    hopweave_says(*command.split()[1:])
    assert Path("run/compare.json").read_text() == before
    hopweave_says("verify", "run")


@pytest.mark.parametrize("name", ["./length.py", "./length.py.length", "./length.py:Length", "./length.py:Length.length"])
def test_a_metric_in_a_file_is_compared_without_scores(run, name):
    Path("length.py").write_text(METRIC)
    assert "Two: length against Picky" in hopweave_says("compare", "run", "--metrics", name).stdout
    hopweave_says("verify", "run")


def test_a_metric_in_a_file_that_is_not_there_or_without_the_column_is_named(run):
    Path("length.py").write_text(METRIC)
    assert "cannot read width.py" in hopweave_says("compare", "run", "--metrics", "./width.py:Width.x", exit_code=1).stderr
    said = hopweave_says("compare", "run", "--metrics", "./length.py.lenght", exit_code=1).stderr
    assert "the metric ./length.py:Length has no column 'lenght'; did you mean 'length'" in said


def test_a_comparison_by_a_file_that_has_changed_differs_and_by_one_that_is_gone_could_not_be_checked(compared):
    Path("length.py").write_text(METRIC + "\n")
    said = hopweave_says("verify", "run", exit_code=1).stdout
    assert (
        "differs: compare.json: Two, length: it cannot be computed again: ./length.py:Length is not what compare.json" in said
    )
    Path("length.py").unlink()
    said = hopweave_says("verify", "run").stdout
    assert "could not be checked: compare.json, Two, length: not computed again since cannot read length.py" in said


def test_a_comparison_of_another_place_imports_nothing_until_its_user_compares_by_that_file(compared):
    shutil.copytree("run", "copy")
    part_files._allowed.clear()
    unchecked = (
        "could not be checked: compare.json, Two, length: not computed again since length.py contains code that you have"
    )
    assert unchecked in hopweave_says("verify", "copy").stdout
    hopweave_says("compare", "copy")  # of another column, and so says nothing of the file
    part_files._allowed.clear()
    said = hopweave_says("verify", "copy").stdout
    assert unchecked in said
    (again,) = [line.partition("run: hopweave ")[2] for line in said.splitlines() if line.startswith(unchecked)]
    hopweave_says(*again.split())
    part_files._allowed.clear()
    assert hopweave_says("verify", "copy").stdout.startswith("verified, no differences: ")


def test_trusting_a_run_of_another_place_trusts_its_comparisons(compared):
    shutil.copytree("run", "copy")
    part_files._allowed.clear()
    assert "copy/compare.json sets:" in hopweave_says("trust", "copy").stdout
    assert hopweave_says("verify", "copy").stdout.startswith("verified, no differences: ")
    hopweave_says("trust", "copy", "--remove")
    part_files._allowed.clear()
    assert "could not be checked: compare.json" in hopweave_says("verify", "copy").stdout


def test_the_comparison_of_a_strangers_run_imports_no_metric(run):
    Path("evil.py").write_text(f"from pathlib import Path\nPath('was-imported').touch()\n{METRIC}")
    hopweave_says("compare", "run", "--metrics", "exact_match")
    data = json.loads(Path("run/compare.json").read_text())
    files = part_files.hashes("./evil.py:Length")
    data["tables"][0] |= {"metric": "./evil.py:Length", "column": "length", "files": files}
    Path("run/compare.json").write_text(json.dumps(data))
    for command in (["verify"], ["compare"], ["verify"], ["score"], ["report"], ["verify"]):
        ran(*command, "run")
    assert not Path("was-imported").exists()


def test_scores_of_another_place_are_trusted_before_they_name_a_metric(run):
    Path("length.py").write_text(METRIC)
    hopweave_says("score", "run", "--metrics", "./length.py")
    shutil.copytree("run", "copy")
    assert "scores.json sets metrics../length.py:Length, which could" in hopweave_says("report", "copy", exit_code=1).stderr
    hopweave_says("trust", "copy")
    hopweave_says("report", "copy")


def test_the_scores_of_a_strangers_run_import_no_metric(run):
    Path("evil.py").write_text(f"from pathlib import Path\nPath('was-imported').touch()\n{METRIC}")
    hopweave_says("score", "run", "--metrics", "exact_match")
    text = Path("run/scores.json").read_text()
    Path("run/scores.json").write_text(text.replace('"name": "exact_match"', '"name": "./evil.py:Length"'))
    for command in ("report", "verify", "compare"):
        ran(command, "run")
    assert not Path("was-imported").exists()


@pytest.mark.slow
def test_a_run_goes_on_with_the_same_file_at_another_path(run):
    Path("elsewhere").mkdir()
    for name in ("mine.py", "data.py"):
        Path(name).rename(Path("elsewhere") / name)
    elsewhere = [word.replace("./", "elsewhere/") for word in FLAGS]
    assert "4 of 4 questions have a record" in hopweave_says("evaluate", "--out", "run", *elsewhere).stdout
