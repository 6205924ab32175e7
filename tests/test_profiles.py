"""The profiles of the papers: methods that are compared are given the same."""

from __future__ import annotations

import dataclasses
from itertools import combinations
from pathlib import Path

import pytest
from support.commands import ran
from support.part_files import SCRIPTED, own_folder

from hopweave.evaluation.runs.folder import RunFolder
from hopweave.methods.ircot import IRCoT
from hopweave.settings import read_settings

PROFILES = Path(__file__).parents[1] / "src" / "hopweave" / "profiles"
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
    assert ran("evaluate", *flags, *SCRIPTED, "--out", "run").exit_code == 0
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
