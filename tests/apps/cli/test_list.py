"""`hopweave list`: what there is to choose from, from the files themselves."""

from dataclasses import fields
from functools import partial

from support.commands import assert_one_line, ran

from hopweave.core.catalog import ROLES, entries
from hopweave.run.budget import Budget
from hopweave.run.settings import Settings

names = partial(ran, "list")


def test_every_part_is_listed_under_its_role_with_its_line():
    said = names().stdout
    for role in ROLES:
        for name, entry in entries(role).items():
            assert f"{role}:\n" in said
            (line,) = [line for line in said.splitlines() if line.startswith(f"  {name} ") and entry.summary in line]
            assert (entry.extra is None) or line.endswith(f"(needs hopweave[{entry.extra}])")


def test_one_role_can_be_listed_alone():
    said = names("methods").stdout
    assert said.startswith("methods:\n")
    assert [line.split()[0] for line in said.splitlines()[1:]] == list(entries("methods"))


def test_the_settings_are_listed_with_their_defaults_and_meanings():
    said = names("settings").stdout
    listed = [line.split()[0] for line in said.splitlines()[1:]]
    tables = {key.partition(".")[0] for key in listed if "." in key}
    assert {key for key in listed if "." not in key} | tables == set(Settings.model_fields)
    assert {f"budget.{limit.name}" for limit in fields(Budget)} <= set(listed)
    assert '  corpus (default "starter"): an index folder built by `hopweave index`, or `starter`' in said
    assert "  budget.max_llm_calls (default none): calls of the model" in said
    assert all(line.partition("): ")[2] for line in said.splitlines()[1:])


def test_one_setting_or_one_table_of_them_can_be_listed_alone():
    assert [line.split()[0] for line in names("settings", "store").stdout.splitlines()[1:]] == ["store.path", "store.mode"]
    assert "  method (default " in names("settings", "method").stdout
    assert "methods" not in names("settings", "method").stdout
    assert_one_line(names("settings", "metod"), "hopweave: 'metod' is not a setting; did you mean 'method'?\n")


def test_the_name_of_a_component_in_the_place_of_its_role_is_answered_with_the_command():
    assert_one_line(names("searchain"), "hopweave: searchain is one of the methods: hopweave list methods searchain\n")
    assert_one_line(names("toqd"), "hopweave list retrievers toqd or hopweave list methods toqd\n")


def test_a_role_or_a_part_that_is_none_is_answered_with_the_nearest():
    assert_one_line(names("methds"), "hopweave: 'methds' is not a role; did you mean 'methods'?\n")
    assert_one_line(names("methods", "serchain"), "'serchain' is not one of the methods; did you mean 'searchain'?\n")


def test_the_options_of_a_part_are_shown_with_defaults_and_meaning():
    said = names("methods", "searchain").stdout
    assert said.startswith("searchain: SearChain as published: retrieval verifies")
    assert "options, set as methods.searchain.OPTION:" in said
    assert "  max_rounds (default 5): r_max: how many chains may be written" in said


def test_an_option_without_a_default_is_required_and_a_made_default_is_shown():
    assert "  index (required): folder of the index" in names("retrievers", "bm25").stdout
    said = names("llms", "openai_compatible").stdout
    assert "  model (required): " in said
    assert "  extra_body (default {}): " in said


def test_the_options_of_every_part_can_be_shown():
    for role in ROLES:
        for name in entries(role):
            result = names(role, name)
            assert result.exit_code == 0 or "is not installed; it comes with" in result.stderr
