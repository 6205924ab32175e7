"""The plan of a run, from a TOML file and from flags."""

from pathlib import Path

import pytest

from hopweave.core.errors import DataError, SettingsError
from hopweave.evaluation.runs.folder import DatasetPlan, MethodPlan, RunFolder
from hopweave.evaluation.runs.run_plan import Flags, in_full, read_plan
from hopweave.run.settings import read_settings

PLAN = """
[settings]
llm = "scripted"
[settings.budget]
max_llm_calls = 9

[datasets.bridges]
name = "jsonl"
path = "bridges.jsonl"
corpus = "indexes/bridges"
limit = 100
seed = 0

[datasets.jsonl]
path = "other.jsonl"

[methods.direct]
[methods.short]
name = "direct"
max_tokens = 8
"""


@pytest.fixture
def written(tmp_path):
    def write(text=PLAN):
        file = tmp_path / "plan.toml"
        file.write_text(text)
        return file

    return write


def test_labels_names_options_and_draws_are_read_apart(written):
    plan = read_plan(written(), Flags())
    assert plan.datasets == {
        "bridges": DatasetPlan("jsonl", {"path": "bridges.jsonl"}, "indexes/bridges", 100, 0),
        "jsonl": DatasetPlan("jsonl", {"path": "other.jsonl"}),
    }
    assert plan.methods == {"direct": MethodPlan("direct"), "short": MethodPlan("direct", {"max_tokens": 8})}
    assert plan.settings == {"llm": "scripted", "budget": {"max_llm_calls": 9}}


def test_flags_choose_among_the_labels_and_count_over_the_file(written):
    flags = Flags(["bridges"], ["short"], Path("mine.jsonl"), 5, 7, {"budget": {"max_llm_calls": 3}})
    plan = read_plan(written(), flags)
    assert plan.datasets == {"bridges": DatasetPlan("jsonl", {"path": "mine.jsonl"}, "indexes/bridges", 5, 7)}
    assert list(plan.methods) == ["short"]
    assert plan.settings["budget"] == {"max_llm_calls": 3}


def test_flags_alone_make_a_plan():
    plan = read_plan(None, Flags(["jsonl"], ["direct", "ircot"], Path("q.jsonl"), limit=8, seed=0))
    assert plan.datasets == {"jsonl": DatasetPlan("jsonl", {"path": "q.jsonl"}, limit=8, seed=0)}
    assert plan.methods == {"direct": MethodPlan("direct"), "ircot": MethodPlan("ircot")}


def test_methods_without_options_may_be_a_list(written):
    plan = read_plan(written('methods = ["direct", "ircot"]\n[datasets.jsonl]\npath = "q"'), Flags())
    assert list(plan.methods) == ["direct", "ircot"]


def test_an_option_whose_name_is_taken_stands_in_a_table_of_its_own(written):
    plan = read_plan(written('methods = ["direct"]\n[datasets.jsonl]\nlimit = 3\noptions = {limit = 9}'), Flags())
    assert plan.datasets["jsonl"] == DatasetPlan("jsonl", {"limit": 9}, limit=3)


def test_the_full_plan_holds_every_setting_and_no_secret(written):
    plan = read_plan(written(), Flags(settings={"llms": {"openai_compatible": {"base_url": "http://me:word@127.0.0.1/v1"}}}))
    full = in_full(plan, read_settings(plan.settings))
    assert full.settings["retriever"] == "weave"
    assert full.settings["llms"]["openai_compatible"]["base_url"] == "http://127.0.0.1/v1"
    assert "store" not in full.settings


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[dataset.x]\n", "'dataset' is not a table of a plan; did you mean 'datasets'?"),
        ('methods = ["direct"]', "there are no datasets"),
        ('methods = ["direct"]\n[datasets.x]\nname = "jsonll"', "did you mean 'jsonl'"),
        ("[datasets.jsonl]\n[methods.mine]\nlimit = 3", "'mine' is not one of the methods.*give .methods.mine. a name"),
        ('methods = ["direct"]\n[datasets.jsonl]\nlimit = 0', "limit must be at least 1, not 0"),
        ('methods = ["direct"]\n[datasets.jsonl]\nlimit = "many"', "datasets.jsonl.limit: .*not 'many'"),
        ('methods = ["direct"]\n[datasets."a/b"]\nname = "jsonl"', "'a/b' cannot be a label"),
        ('methods = ["direct"]\n[datasets."..x"]\nname = "jsonl"', "cannot be a label"),
        ('methods = ["direct"]\n[datasets.A]\nname = "jsonl"\n[datasets.a]\nname = "jsonl"', "differ in capitals only"),
        ("methods = 3\n", "methods must be tables|there are no datasets"),
        ('settings = 3\nmethods = ["direct"]\n[datasets.jsonl]', "settings must be a table"),
        ('methods = ["direct"]\n[datasets.jsonl]\noptions = 3', "options must be a table"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line_that_says_what_to_do(written, text, said):
    with pytest.raises(SettingsError, match=said):
        read_plan(written(text), Flags())


def test_a_label_that_the_plan_does_not_have_is_refused(written):
    with pytest.raises(SettingsError, match="no 'sort' among its methods; did you mean 'short'"):
        read_plan(written(), Flags(methods=["sort"]))
    with pytest.raises(SettingsError, match="--path needs a single dataset"):
        read_plan(written(), Flags(path=Path("q")))


def test_flags_that_say_too_little_are_refused():
    with pytest.raises(SettingsError, match="there is nothing to do"):
        read_plan(None, Flags(["jsonl"]))
    with pytest.raises(SettingsError, match="write a plan file for several"):
        read_plan(None, Flags(["jsonl", "musique"], ["direct"], Path("q")))


def test_a_file_that_cannot_be_read_is_named(tmp_path, written):
    with pytest.raises(DataError, match=r"cannot read the plan .*missing.toml"):
        read_plan(tmp_path / "missing.toml", Flags())
    with pytest.raises(DataError, match="is not TOML"):
        read_plan(written("[datasets"), Flags())


def test_a_plan_names_the_labels_and_filters_of_its_run_and_other_ones_are_another_run(written, tmp_path):
    plain = read_plan(written(), Flags(["jsonl"], ["direct"]))
    limited = read_plan(written(), Flags(["jsonl"], ["direct"], settings={"access": ["b", "a"], "where": {"year": 1999}}))
    without, full = (in_full(plan, read_settings(plan.settings)) for plan in (plain, limited))
    assert not {"access", "where"} & without.settings.keys()
    assert (full.settings["access"], full.settings["where"]) == (["a", "b"], {"year": ["1999"]})
    RunFolder.create(tmp_path / "run", full)
    RunFolder.create(tmp_path / "run", full)
    with pytest.raises(SettingsError, match=r"made with other settings: settings\.access"):
        RunFolder.create(tmp_path / "run", without)
