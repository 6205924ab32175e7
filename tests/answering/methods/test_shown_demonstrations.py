"""All methods show demonstrations alike: how many, of which task family, drawn by which seed, and never the question asked."""

from __future__ import annotations

import dataclasses
import importlib

import pytest
from support.bench import Bench, calls
from support.parts import METHODS
from support.three_hops import QUESTION
from support.tiers import in_turn

from hopweave.answering.demonstrations import demonstrations, published_count, sample
from hopweave.core.catalog import load
from hopweave.core.types import Question

QUESTIONS = {
    "multi_hop": Question("q", QUESTION),
    "yes_no": Question("q", "Is Marlow Cross a town?", "label", ("Yes", "No")),
    "fact_checking": Question("q", "Marlow Cross is a town.", "label", ("SUPPORTS", "REFUTES")),
    "slot_filling": Question("q", "Marlow Cross [SEP] river", family="slot_filling"),
    "long_form": Question("q", "Why is Marlow Cross a town?", "long"),
}
OF_ITS_OWN = {"auto_cot", "dsp"}  # which write, or annotate and order, their demonstrations by themselves
STOPS = {"searchain", "searchain_facts"}  # which show one more in chains, that stops at an open query
SHOWING = [
    name
    for name in METHODS
    if name not in OF_ITS_OWN and "n_demos" in {field.name for field in dataclasses.fields(load("methods", name))}
]


async def prompts(method: str, question: Question, **options) -> list[str]:
    """What is sent to the model where a method is asked and the model says what it says to the question of three hops."""
    case = importlib.import_module(f"support.hops.{method}").CASE
    bench = Bench(case.says, case.found, case.read, prefill=case.prefill)
    record = await bench.ask(question, method, **{**case.options, **options})
    return ["\n".join(message.text for message in call) for call in calls(record)]


def shown(prompt: str, family: str) -> list[str]:
    """The questions of the demonstrations of a family in a prompt, in their order."""
    return sorted((one.question for one in demonstrations(family) if one.question in prompt), key=prompt.index)


def drawn(method: str, num: int, **which) -> list[str]:
    return [one.question for one in sample(num + (num > 0 and method in STOPS), **which)] if num else []


@pytest.mark.parametrize(("method", "family"), in_turn(SHOWING, list(QUESTIONS)))
async def test_the_option_says_how_many_demonstrations_of_the_task_family_are_shown(method, family):
    first, *others = await prompts(method, QUESTIONS[family], n_demos=2, seed=3)
    expected = drawn(method, 2, seed=3, family=family)
    assert shown(first, family) == expected
    assert all(shown(prompt, family) in ([], expected, expected[:2]) for prompt in others)
    assert all(shown(prompt, family) == [] for prompt in await prompts(method, QUESTIONS[family], n_demos=0))


OURS = {"decomp": 3, "flare": 8, "internet_augmented": 15, "ircot": 3, "iter_retgen": 3, "nor": 15, "oner": 3}
PUBLISHED_AS = {"searchain_facts": "searchain", "toqd_facts": "toqd"}


@pytest.mark.parametrize(("method", "family"), in_turn(SHOWING, list(QUESTIONS)))
async def test_by_default_there_are_as_many_demonstrations_as_table_11_says_or_as_the_method_says_itself(method, family):
    case = importlib.import_module(f"support.hops.{method}").CASE
    assert "n_demos" not in case.options
    num = OURS[method] if method in OURS else published_count(PUBLISHED_AS.get(method, method), family)
    [first, *_] = await prompts(method, QUESTIONS[family])
    assert shown(first, family) == drawn(method, num, family=family)


@pytest.mark.parametrize(("method", "family"), in_turn(SHOWING, list(QUESTIONS)))
async def test_a_demonstration_that_asks_the_question_itself_is_left_out_and_another_takes_its_place(method, family):
    own = sample(1, family=family)[0].question
    question = dataclasses.replace(QUESTIONS[family], text=own)
    [first, *_] = await prompts(method, question, n_demos=3)
    [without, *_] = await prompts(method, question, n_demos=0)
    assert [one for one in shown(first, family) if one != own] == drawn(method, 3, family=family, asked=own)
    assert first.count(own) == without.count(own)
