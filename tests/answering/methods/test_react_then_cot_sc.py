"""ReAct, with a vote of chains of thought where it comes to no answer."""

from __future__ import annotations

import pytest
from support.bench import Bench, calls, looks, purposes, scene, told

from hopweave.answering.demonstrations import sample
from hopweave.core.types import Passage, Question

ASKED = "Where was Ida Renn born?"
FOUND = {"Ida Renn": Passage("renn", "Ida Renn was born in Tromvik.", "Ida Renn")}
SEARCH = "Next to find out: Where was she born?\nAction 1: Search[Ida Renn]"
FINISH = "Ida Renn was born in Tromvik. That is enough.\nAction 2: Finish[Tromvik]"
GUESSES = [f"She is from there. So the final answer is {town}." for town in ("Oslo", "Tromvik", "Tromvik")]


async def ask(*replies, question=ASKED, budget=None, **options):
    bench = Bench(replies, FOUND)
    return await bench.ask(question, "react_then_cot_sc", budget, **{"n_demos": 1, "n_samples": 3} | options)


@pytest.mark.parametrize(
    ("turns", "reason"),
    [
        ([SEARCH, SEARCH], "repeated_action"),
        (["Hm.\nAction 1: Delete[x]"] * 3, "invalid_actions"),
        ([SEARCH, "Hm.\nAction 2: Finish[]"], "finished"),
        ([SEARCH, "Hm.\nAction 2: Search[Oslo]"], "max_steps"),
    ],
)
async def test_where_react_comes_to_no_answer_chains_of_thought_vote(turns, reason):
    record = await ask(*turns, *GUESSES, max_steps=2 if reason == "max_steps" else 7)
    assert purposes(record) == ["turn"] * len(turns) + ["reasoning"] * 3
    assert told(record, "fallback") == [f"ReAct came to no answer: {reason}"]
    assert (record.answer.short, record.answer.how, record.answer.stopped_because) == ("Tromvik", "vote", "finished")


async def test_the_samples_see_the_same_demonstrations_and_nothing_that_was_observed():
    record = await ask(SEARCH, SEARCH, *GUESSES)
    react, reasoning = calls(record, "turn")[0][0].text, calls(record, "reasoning")[0][0].text
    [shown] = sample(1, asked=ASKED)
    assert f"\nQuestion: {shown.question}" in react
    assert f"\nQ: {shown.question}" in reasoning
    assert "<passage>" not in reasoning
    assert reasoning.endswith(f"Q: {ASKED}\nA:")


async def test_the_samples_are_drawn_as_the_options_say():
    bench = Bench([SEARCH, SEARCH, *GUESSES], FOUND)
    await bench.ask(ASKED, "react_then_cot_sc", n_demos=0, n_samples=2, temperature=0.5, max_tokens_reasoning=99)
    drawn = [sampling for _, sampling in bench.llm.calls[2:]]
    assert [(one.temperature, one.max_tokens) for one in drawn] == [(0.5, 99)] * 2


async def test_21_chains_vote_by_default():
    bench = Bench([("Thought 1:", SEARCH), ("A:", GUESSES[1])], FOUND)
    record = await bench.ask(ASKED, "react_then_cot_sc", n_demos=0)
    assert purposes(record).count("reasoning") == 21


@pytest.mark.parametrize(("dialogue", "seen"), [
    scene("an answer of react stands and nobody votes",
        lambda: ask(SEARCH, FINISH), purposes=["turn", "turn"], answer=("Tromvik", "marker")),
    scene("the voted answer is cited where it stands in what react was shown",
        lambda: ask(SEARCH, SEARCH, *GUESSES), verdicts=[(ASKED, "Tromvik", "supported")],
        text="She is from there. So the final answer is Tromvik [1].", passages=("renn",)),
    scene("only searches are rounds", lambda: ask(SEARCH, SEARCH, *GUESSES), rounds=1),
    scene("a budget spent on acting leaves what was learnt",
        lambda: ask(SEARCH, FINISH, budget={"max_llm_calls": 1}), short="", stopped="max_llm_calls", purposes=["turn"]),
    scene("a budget that allows fewer samples ends in the vote of those",
        lambda: ask(SEARCH, SEARCH, *GUESSES, budget={"max_llm_calls": 3}), short="Oslo", stopped="max_llm_calls"),
    scene("a budget that allows no sample ends in what react found",
        lambda: ask(SEARCH, SEARCH, *GUESSES, budget={"max_llm_calls": 2}), short="", stopped="max_llm_calls",
        queries=["Ida Renn"]),
    scene("labels are voted on",
        lambda: ask("Hm.\nAction 1: Finish[]", *["So the final answer is yes."] * 3,
            question=Question("q", "Is Orlau a town?", "label", ("Yes", "No"))),
        answer=("Yes", "vote")),
])  # fmt: skip
async def test_what_comes_of_a_dialogue(dialogue, seen):
    assert looks(await dialogue(), seen) == seen


async def test_of_long_answers_the_one_most_like_the_others_counts():
    long = Question("q", "Why is Orlau a town?", "long")
    said = ["It has a wall and a market.", "It has a wall and a mill.", "Nobody knows."]
    record = await ask("Hm.\nAction 1: Finish[]", *said, question=long)
    assert record.answer.short == said[0]
