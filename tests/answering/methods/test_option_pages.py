"""The page of a method names every option, with the values of the profiles of its paper and with ours."""

import dataclasses
import re
from pathlib import Path

import pytest

from hopweave.core.catalog import load
from hopweave.run.settings import read_settings

PROFILES = {"searchain": ["paper_searchain"], "ircot": ["paper_ircot", "authors_ircot"], "toqd": ["paper_toqd"]}


@pytest.mark.parametrize("method", PROFILES)
def test_the_page_of_a_method_names_every_option_with_the_values_of_its_profiles_and_ours(method):
    page = (Path(__file__).parents[3] / "docs" / f"{method}.md").read_text(encoding="utf-8")
    parts = [read_settings({"profile": name}).part("methods", method) for name in PROFILES[method]] + [
        load("methods", method)()
    ]
    rows = filter(None, (re.findall(r"\| `([^`]*)` (?=\|)", line) for line in page.splitlines()))
    assert {name: values for name, *values in rows if len(values) == len(parts)} == {
        field.name: [shown(getattr(part, field.name)) for part in parts] for field in dataclasses.fields(parts[-1])
    }


def shown(value) -> str:
    return str(value).lower()
