"""A vote of chains of thought, with ReAct where they do not agree."""

from __future__ import annotations

import pytest
from support.bench import Bench, purposes, told, verdicts

from hopweave.core.types import Passage, Question

ASKED = "Where was Ida Renn born?"
FOUND = {"Ida Renn": Passage("renn", "Ida Renn was born in Tromvik.", "Ida Renn")}
SEARCH = "Next to find out: Where was she born?\nAction 1: Search[Ida Renn]"
FINISH = "Ida Renn was born in Tromvik. That is enough.\nAction 2: Finish[Tromvik]"


def guesses(*towns):
    return [f"She is from there. So the final answer is {town}." for town in towns]


async def ask(*replies, num, question=ASKED, budget=None, **options):
    bench = Bench(replies, FOUND)
    return await bench.ask(question, "cot_sc_then_react", budget, **{"n_demos": 0, "n_samples": num} | options)


@pytest.mark.parametrize("towns", [("Oslo", "Oslo", "Tromvik"), ("Oslo", "Oslo", "Ulm", "Tromvik")])
async def test_half_of_the_votes_are_enough(towns):
    record = await ask(*guesses(*towns), num=len(towns))
    assert purposes(record) == ["reasoning"] * len(towns)
    assert (record.answer.short, record.answer.how) == ("Oslo", "vote")
    assert verdicts(record) == [(ASKED, "Oslo", "unsupported")]


async def test_with_fewer_react_is_run_and_its_answer_counts():
    record = await ask(*guesses("Oslo", "Oslo", "Ulm", "Kiel", "Bonn"), SEARCH, FINISH, num=5)
    assert purposes(record) == ["reasoning"] * 5 + ["turn"] * 2
    assert told(record, "fallback") == ["2 of 5 samples agree, which is not half"]
    assert (record.answer.short, record.answer.how) == ("Tromvik", "marker")


async def test_where_react_fails_too_the_plurality_counts():
    record = await ask(*guesses("Oslo", "Ulm", "Oslo", "Kiel", "Bonn"), SEARCH, SEARCH, num=5)
    assert (record.answer.short, record.answer.how, record.answer.stopped_because) == ("Oslo", "vote", "finished")


async def test_samples_without_an_answer_are_no_agreement():
    record = await ask("", "", "", SEARCH, FINISH, num=3)
    assert record.answer.short == "Tromvik"


async def test_long_answers_never_agree():
    long = Question("q", "Why is Orlau a town?", "long")
    record = await ask(
        "It has a wall.", "It has a wall.", "It has a wall.", "Hm.\nAction 1: Finish[So it is.]", num=3, question=long
    )
    assert record.answer.short == "So it is."


async def test_labels_are_voted_on():
    label = Question("q", "Is Orlau a town?", "label", ("Yes", "No"))
    record = await ask(*guesses("yes", "no", "yes"), num=3, question=label)
    assert record.answer.short == "Yes"


async def test_a_budget_reached_among_the_samples_ends_in_their_vote():
    record = await ask(*guesses("Oslo", "Ulm", "Kiel"), num=3, budget={"max_llm_calls": 2})
    assert (record.answer.short, record.answer.stopped_because) == ("Oslo", "max_llm_calls")


async def test_a_budget_reached_in_react_ends_in_the_vote():
    record = await ask(*guesses("Oslo", "Ulm", "Kiel"), SEARCH, FINISH, num=3, budget={"max_llm_calls": 4})
    assert (record.answer.short, record.answer.stopped_because) == ("Oslo", "max_llm_calls")
