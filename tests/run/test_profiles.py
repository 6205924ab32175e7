"""The profiles of the papers: methods that are compared are given the same."""

from __future__ import annotations

import dataclasses
import json
import re
from itertools import combinations
from pathlib import Path

import pytest
from support.part_files import SCRIPTED, hopweave_says, own_folder

from hopweave import starter
from hopweave.answering.methods.ircot.ircot import IRCoT
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.run.settings import read_settings

PROFILES = Path(__file__).parents[2] / "src" / "hopweave" / "profiles"
IRCOT_PROFILES = sorted(path.stem for path in PROFILES.glob("*_ircot*.toml"))
IRCOT_METHODS = ("ircot", "oner", "nor")
ON_PURPOSE = {"num_hits": "IRCoT's K passages come with every sentence, OneR's K are all that there are"}
"""Options that methods share and yet have different values of, each with the reason."""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    return own_folder(tmp_path, monkeypatch)


def options_by_method(profile, methods=IRCOT_METHODS):
    settings = read_settings({"profile": profile})
    return {method: dataclasses.asdict(settings.part("methods", method)) for method in methods}


def unequal(options):
    """The options that two methods share with different values."""
    return {
        name
        for one, other in combinations(options.values(), 2)
        for name in one.keys() & other.keys()
        if one[name] != other[name]
    }


def test_the_profile_for_untrusted_corpora_sets_a_retriever_and_leaves_the_method_alone():
    settings, default = read_settings({"profile": "untrusted"}), read_settings()
    assert settings.method == default.method
    assert (settings.retriever, settings.retrievers) == ("untrusted", {"untrusted": {"engine": default.retriever}})
    assert settings.methods == {"searchain": {"num_passages": 3}}
    assert read_settings({"profile": "untrusted", "method": "ircot"}).method == "ircot"


def test_the_profiles_of_ircot_are_those_that_are_looked_at():
    assert IRCOT_PROFILES == ["authors_ircot", "authors_ircot_flan_t5", "paper_ircot"]


@pytest.mark.parametrize("profile", IRCOT_PROFILES)
def test_ircot_and_its_baselines_share_all_options_but_those_with_a_reason(profile):
    assert unequal(options_by_method(profile)) == ON_PURPOSE.keys()


@pytest.mark.parametrize("profile", IRCOT_PROFILES)
def test_oners_k_is_one_that_the_paper_chooses_among_and_lets_it_hold_as_many_passages_as_ircot(profile):
    options = options_by_method(profile)
    assert options["oner"]["num_hits"] in {5, 7, 9, 11, 13, 15}
    assert options["oner"]["num_hits"] == options["oner"]["max_passages"] == options["ircot"]["max_passages"]


@pytest.mark.parametrize("profile", IRCOT_PROFILES)
def test_an_option_that_the_profile_sets_for_ircot_is_not_left_to_the_defaults_of_its_baselines(profile):
    given = read_settings({"profile": profile}).methods
    for method, options in options_by_method(profile, ("oner", "nor")).items():
        assert given["ircot"].keys() & options.keys() <= given[method].keys()
    assert given["ircot"].keys() <= {field.name for field in dataclasses.fields(IRCoT)}


def test_an_evaluation_under_the_papers_profile_puts_the_same_options_into_the_records_of_all_three(folder):
    flags = ["--profile", "paper_ircot", "--methods", "ircot,oner,nor", "--dataset", "starter", "--limit", "1"]
    hopweave_says("evaluate", *flags, *SCRIPTED, "--out", "run")
    run = RunFolder.open(folder / "run")
    records = {method: next(iter(run.records("starter", method))) for method in IRCOT_METHODS}
    options = {method: record.setup.options for method, record in records.items()}
    for name, values in {
        "n_demos": (15, 15, 15),
        "num_distractors": (2, 2, None),
        "max_words_shown": (0, 0, 0),
        "max_words_retrieved": (0, 0, None),
        "max_passages": (15, 15, None),
        "num_hits": (4, 15, None),
        "remove_wh_words": (False, False, None),
        "duplicates": ("exact", "exact", None),
        "force": (False, False, False),
        "marker": ("tolerant",) * 3,
        "reader": ("cot",) * 3,
        "instruction": ("top",) * 3,
        "max_tokens": (300, 300, 300),
    }.items():
        assert (name, tuple(options[method].get(name) for method in IRCOT_METHODS)) == (name, values)
    assert unequal(options) == ON_PURPOSE.keys()
    assert len({record.setup.retriever for method, record in records.items() if method != "nor"}) == 1


# -- DSP ---------------------------------------------------------------------------------------------------------------------


def starter_rules():
    """A model that takes the annotated steps of any question of the starter corpus, and answers rightly."""
    rows = (Path(starter.__file__).parent / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    rules = []
    for row in map(json.loads, rows):
        for lead, label, said in (
            ("To answer this, the first thing to find out is", "Search Query", row["steps"][0]["query"]),
            ("What the passages tell so far", "Search Query", row["steps"][-1]["query"]),
            ("Step by step", "Answer", row["answers"][0]),
        ):
            match = re.escape(f"Question: {row['question']}") + rf"\s+Rationale: {lead}:$"
            say = f"It is so.\n\n{label}: {said}"
            rules.append(f"[[rules]]\nwhere = 'all'\nmatch = {json.dumps(match)}\nsay = {json.dumps(say)}\n")
    return "\n".join(rules)


def test_dsps_profile_runs_demonstrate_on_the_starters_questions_without_a_file_of_training_questions(folder):
    (folder / "rules.toml").write_text(starter_rules(), encoding="utf-8")
    flags = ["--profile", "paper_dsp", "--methods", "dsp", "--dataset", "starter", "--limit", "2"]
    hopweave_says("evaluate", *flags, *SCRIPTED, "--out", "run")
    first, second = RunFolder.open(folder / "run").records("starter", "dsp")
    assert first.setup.options["demonstrate"] == "stage"
    for record in (first, second):
        [said] = [step for step in record.offline_steps if getattr(step, "label", "") == "demonstrations"]
        assert said.text == "7 training questions, from the starter corpus; 3 are shown with their fields"
        assert record.totals(offline=True).llm_calls >= 9
        rewrite, _, answer = dict.fromkeys(
            record.messages[step.messages[0]].text for step in record.own_steps if step.kind == "model_call"
        )
        assert (rewrite.count("It is so.\n\nSearch Query: "), answer.count("It is so.\n\nAnswer: ")) == (3, 3)
        assert record.answer.short


@pytest.mark.parametrize("profile", ["paper_dsp", "paper_searchain", "paper_toqd"])
def test_dsp_runs_demonstrate_under_the_profiles_of_the_papers_that_report_it(profile):
    assert read_settings({"profile": profile}).part("methods", "dsp").demonstrate == "stage"


@pytest.mark.parametrize(("method", "drawn"), [("direct", (0.1, 0.1)), ("toqd", (0.1, 0.1)), ("cot_sc", (0.7, 1.0))])
def test_toqds_profile_draws_replies_as_in_the_paper_but_for_samples_that_a_method_draws_in_its_own_way(folder, method, drawn):
    (folder / "rules.toml").write_text(starter_rules(), encoding="utf-8")
    flags = ["--profile", "paper_toqd", "--methods", method, "--dataset", "starter", "--limit", "1"]
    hopweave_says("evaluate", *flags, *SCRIPTED, "--out", "run")
    [record] = RunFolder.open(folder / "run").records("starter", method)
    calls = [step for step in record.own_steps if step.kind == "model_call"]
    assert {(step.sampling.temperature, step.sampling.top_p) for step in calls} == {drawn}
