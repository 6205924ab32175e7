"""Methods that sample under several seeds: a cell for each, and their mean and spread."""

from pathlib import Path

import pytest
from support.questions import put_model, put_questions
from support.runs import answered, asked, made
from support.scored import summary_of
from typer.testing import CliRunner

from hopweave.apps.cli import app
from hopweave.core.errors import SettingsError
from hopweave.evaluation.reports.reproduce import plan_toml
from hopweave.evaluation.runs.folder import MethodPlan, RunFolder
from hopweave.evaluation.runs.run_plan import Flags, read_plan
from hopweave.evaluation.scoring.compare import compare
from hopweave.run.settings import read_settings

QUESTIONS = [asked(name) for name in "abcd"]
PLAN = """
[datasets.jsonl]
path = "questions.jsonl"
[methods.direct]
[methods.cot_sc]
seeds = [0, 7]
n_samples = 3
"""


@pytest.fixture
def scene(own_folders):
    put_model()
    put_questions(2)
    Path("plan.toml").write_text(PLAN)


def run_of(tmp_path, **cells):
    """A run whose cells are right on so many questions; `sampled@0` and `sampled@1` are two seeds of one method."""
    methods = {label: MethodPlan("direct", seed=int(label[-1]), repeats="sampled") for label in cells if "@" in label}
    records = {
        ("hotpotqa", label): [answered(one, "Ulm" if number in right else "Bonn") for number, one in enumerate(QUESTIONS)]
        for label, right in cells.items()
    }
    return made(tmp_path / "run", {"hotpotqa": ("hotpotqa", QUESTIONS)}, records, {"direct": "direct", **methods})


def test_a_plan_states_seeds_and_each_is_a_cell_with_records_of_its_own(scene):
    done = CliRunner().invoke(app, ["evaluate", "plan.toml", "--out", "run"])
    assert done.exit_code == 0, done.output
    run = RunFolder.open(Path("run"))
    assert run.plan.cells_by_method == {"direct": ("direct",), "cot_sc": ("cot_sc@0", "cot_sc@7")}
    sent = {}
    for label in ("direct", "cot_sc@0", "cot_sc@7"):
        records = list(run.records("jsonl", label))
        assert len(records) == 2
        sent[label] = {step.sampling.seed for record in records for step in record.steps if step.kind == "model_call"}
        first = {record.setup.settings["sampling"].get("seed") for record in records}
        assert first == {min(sent[label], key=lambda seed: seed or 0)}
    assert sent == {"direct": {None}, "cot_sc@0": {0, 1, 2}, "cot_sc@7": {700_000, 700_001, 700_002}}


def test_no_sample_of_one_seed_is_a_sample_of_another():
    # The samples of a call are drawn under the seed, the seed plus 1, and so on.
    first, second = (MethodPlan("cot_sc", seed=seed).sampling_seed for seed in (0, 1))
    assert second - first > 10_000
    assert MethodPlan("cot_sc", seed=20_000).sampling_seed < 2**31
    assert MethodPlan("cot_sc").sampling_seed is None


@pytest.mark.slow
def test_the_command_says_mean_and_spread_and_the_report_has_them_and_the_plan_that_makes_them_again(scene):
    for words in (["evaluate", "plan.toml", "--out", "run"], ["score", "run"], ["compare", "run"], ["report", "run"]):
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, done.output
        if words[0] == "score":
            assert "jsonl: cot_sc under the seeds 0, 7" in done.output
        if words[0] == "compare":
            rows = [line for line in done.output.splitlines() if line.startswith("cot_sc  ")]  # not the sentence about it
            assert [row.split()[0] for row in rows] == ["cot_sc", "cot_sc"]
    said = Path("run/report/report.md").read_text()
    assert "### Over seeds" in said
    again = read_plan(Path("run/report/plan.toml"), Flags())
    assert again.methods == RunFolder.open(Path("run")).plan.methods
    assert CliRunner().invoke(app, ["verify", "run"]).exit_code == 0


def test_mean_and_standard_deviation_are_over_the_means_of_the_seeds(tmp_path):
    run = run_of(tmp_path, **{"direct": {0}, "sampled@0": {0, 1, 2}, "sampled@1": {0}})
    summary = summary_of(run, ["cover_em"])
    (one,) = summary.seeds
    assert (one.method, one.seeds) == ("sampled", (0, 1))
    spread = one.spreads["cover_em"]
    assert (spread.mean, spread.lowest, spread.highest, spread.num_seeds) == (0.5, 0.25, 0.75, 2)
    assert spread.standard_deviation == pytest.approx(0.5 / 2**0.5)
    assert [cell.method for cell in summary.cells] == ["direct", "sampled@0", "sampled@1"]


def test_a_comparison_takes_the_mean_over_seeds_question_by_question_and_one_seed_only_where_it_is_named(tmp_path):
    run = run_of(tmp_path, **{"direct": {0}, "sampled@0": {0, 1, 2}, "sampled@1": {0}})
    (table,) = compare(run, ["cover_em"])
    (row,) = table.rows
    assert (row.method, row.num_pairs, row.mean, row.difference) == ("sampled", 4, 0.5, 0.25)
    assert row.test == "permutation"
    (named,) = compare(run, ["cover_em"], methods=["sampled@0"])
    assert [(one.method, one.difference) for one in named.rows] == [("sampled@0", 0.5)]
    (against,) = compare(run, ["cover_em"], baseline="sampled")
    assert [one.method for one in against.rows] == ["direct"]


def test_a_frontier_has_one_point_for_a_method_under_several_seeds(tmp_path):
    run = run_of(tmp_path, **{"direct": {0}, "sampled@0": {0, 1, 2}, "sampled@1": {0}})
    (frontier,) = summary_of(run, ["cover_em", "calls"]).frontiers
    assert [(point.method, point.quality) for point in frontier.points] == [("direct", 0.25), ("sampled", 0.5)]


def test_a_choice_of_methods_takes_all_seeds_of_one_or_a_single_seed(scene):
    assert list(read_plan(Path("plan.toml"), Flags(methods=["cot_sc"])).methods) == ["cot_sc@0", "cot_sc@7"]
    assert list(read_plan(Path("plan.toml"), Flags(methods=["cot_sc@7"])).methods) == ["cot_sc@7"]


@pytest.mark.parametrize("seeds", ["[]", "[0, 0]", "3", "[-1]", "[true]", '["0"]', "[20001]", "[0.5]"])
def test_seeds_that_cannot_be_are_refused_with_how_to_write_them(scene, seeds):
    Path("plan.toml").write_text(PLAN.replace("[0, 7]", seeds))
    with pytest.raises(SettingsError, match=r"methods\.cot_sc\.seeds must be .* seeds = \[0, 1, 2\]"):
        read_plan(Path("plan.toml"), Flags())


def test_a_label_that_a_seed_has_taken_is_refused(scene):
    Path("plan.toml").write_text(PLAN + '[methods."cot_sc@7"]\nname = "cot"\n')
    with pytest.raises(SettingsError, match="'cot_sc@7' is used twice"):
        read_plan(Path("plan.toml"), Flags())


def test_a_plan_with_seeds_comes_back_from_the_toml_that_a_report_writes(scene):
    plan = read_plan(Path("plan.toml"), Flags())
    assert read_settings(plan.settings)
    Path("again.toml").write_text(plan_toml(plan))
    assert read_plan(Path("again.toml"), Flags()) == plan
