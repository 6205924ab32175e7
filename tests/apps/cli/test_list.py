"""`hopweave list`: what there is to choose from, from the files themselves."""

from functools import partial

from support.commands import assert_one_line, ran

from hopweave.core.catalog import ROLES, entries

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
