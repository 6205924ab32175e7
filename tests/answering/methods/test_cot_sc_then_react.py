"""A vote of chains of thought, with ReAct where they do not agree."""

from __future__ import annotations

import pytest
from support.bench import Bench, looks, purposes, scene, verdicts

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


@pytest.mark.parametrize(("dialogue", "seen"), [
    scene("with fewer react is run and its answer counts",
        lambda: ask(*guesses("Oslo", "Oslo", "Ulm", "Kiel", "Bonn"), SEARCH, FINISH, num=5),
        purposes=["reasoning"] * 5 + ["turn"] * 2, fallback=["2 of 5 samples agree, which is not half"],
        answer=("Tromvik", "marker")),
    scene("where react fails too the plurality counts",
        lambda: ask(*guesses("Oslo", "Ulm", "Oslo", "Kiel", "Bonn"), SEARCH, SEARCH, num=5), answer=("Oslo", "vote"),
        stopped="finished"),
    scene("samples without an answer are no agreement", lambda: ask("", "", "", SEARCH, FINISH, num=3), short="Tromvik"),
    scene("long answers never agree",
        lambda: ask("It has a wall.", "It has a wall.", "It has a wall.", "Hm.\nAction 1: Finish[So it is.]", num=3,
            question=Question("q", "Why is Orlau a town?", "long")),
        short="So it is."),
    scene("labels are voted on",
        lambda: ask(*guesses("yes", "no", "yes"), num=3,
            question=Question("q", "Is Orlau a town?", "label", ("Yes", "No"))),
        short="Yes"),
    scene("a budget reached among the samples ends in their vote",
        lambda: ask(*guesses("Oslo", "Ulm", "Kiel"), num=3, budget={"max_llm_calls": 2}), short="Oslo",
        stopped="max_llm_calls"),
    scene("a budget reached in react ends in the vote",
        lambda: ask(*guesses("Oslo", "Ulm", "Kiel"), SEARCH, FINISH, num=3, budget={"max_llm_calls": 4}), short="Oslo",
        stopped="max_llm_calls"),
])  # fmt: skip
async def test_what_comes_of_a_dialogue(dialogue, seen):
    assert looks(await dialogue(), seen) == seen
