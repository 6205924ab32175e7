"""What every method costs on a question of three hops, by the formulas of the specification."""

import importlib
from pathlib import Path

import pytest
from support import hops
from support.bench import Bench
from support.parts import METHODS
from support.three_hops import ANSWER, NUM_HOPS, QUESTION

from hopweave.core.catalog import METHOD_GROUPS, entries
from hopweave.text.matching import is_contained


def case_of(name):
    return importlib.import_module(f"support.hops.{name}").CASE


def test_every_method_has_a_case_and_every_case_a_method():
    assert {path.stem for path in Path(next(iter(hops.__path__))).glob("*.py")} == set(METHODS)


@pytest.mark.parametrize("name", METHODS)
async def test_a_question_of_three_hops_takes_the_calls_and_rounds_of_the_formula(name):
    case = case_of(name)
    record = await Bench(case.says, case.found, case.read, prefill=case.prefill).ask(QUESTION, name, **case.options)
    assert record.error is None, record.error
    assert is_contained(ANSWER, record.answer.short), record.answer.short
    totals = record.totals()
    assert totals.parse_failures == 0
    assert totals.llm_calls == case.calls(NUM_HOPS)
    assert totals.completions == (case.completions or case.calls)(NUM_HOPS)
    assert record.totals(offline=True).llm_calls == case.offline_calls
    assert record.num_rounds() == case.rounds(NUM_HOPS)
    group = entries("methods")[name].group
    assert group in METHOD_GROUPS
    assert (group == "never searches") == (record.num_rounds() == 0)
    assert group != "searches once" or record.num_rounds() == 1
