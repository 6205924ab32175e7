"""The benchmark of methods at endpoints: every method gets its answer at every fake of a provider, or says what to set."""

import sys
from pathlib import Path

import pytest
from support.providers import PROVIDERS
from support.tiers import in_turn

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import endpoints


@pytest.mark.parametrize(("name", "method"), in_turn(list(PROVIDERS), endpoints.methods_there()))
async def test_a_method_gets_its_answer_at_an_endpoint_whatever_that_refuses_and_thinks(name, method, own_folders):
    outcome = await endpoints.ask(method, name)
    assert outcome.is_right, outcome


async def test_what_comes_of_it_is_told_in_one_cell(own_folders):
    messages = []
    cells = [endpoints.Outcome("the Teel", "", 5, is_right=True), endpoints.Outcome("", "", 5, is_right=False)]
    cells += [endpoints.Outcome("", "set this", 5, is_right=False), endpoints.Outcome("Atlantis", "", 5, is_right=False)]
    assert [endpoints._cell(one, messages) for one in cells] == ["5", "(none)", "[1]", "Atlantis"]
    assert messages == ["set this"]
