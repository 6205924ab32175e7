"""Plan-and-solve: a whole plan, then its solution, in one call; zero-shot the original. The facts are made up."""

from __future__ import annotations

import pytest
from support.bench import Bench, calls, decisions, looks, purposes, scene, unread

from hopweave.core.types import Question

ASKED = "In which town was the mayor of Orlau born?"
WHO, WHERE = "Who is the mayor of Orlau?", "Where was the answer to 1 born?"
PLAN = f"1. {WHO}\n2. {WHERE}"
FINAL = "So the final answer is Tromvik."
SOLVED = f"{PLAN}\nSolution:\n1. Ida Renn\n2. Tromvik\n{FINAL}"
LABEL = Question("q", "Is Orlau a town?", "label", ("Yes", "No"))
LONG = Question("q", "Why is Orlau a town?", "long")
FINISH = 'Now give the final answer. Write "So the final answer is X.", where X is as short as possible'


async def ask(*replies, question=ASKED, budget=None, prefill=False, **options):
    return await Bench(replies, prefill=prefill).ask(question, "plan_and_solve", budget, **options)


# -- few-shot ----------------------------------------------------------------------------------------------------------


async def test_a_demonstration_has_its_whole_plan_before_any_answer_and_names_none_in_it():
    record = await ask(SOLVED, n_demos=20)
    [[prompt]] = calls(record)
    assert prompt.text.endswith(f"\n\nQuestion: {ASKED}\nPlan:")
    assert (
        "Question: In which town was the composer of The Planets born?\nPlan:\n1. Who composed The Planets?\n"
        "2. In which town was the answer to 1 born?\nSolution:\n1. Gustav Holst\n2. Cheltenham\n"
        "So the final answer is Cheltenham.\n\n"
    ) in prompt.text


async def test_the_call_is_greedy_and_ends_before_a_question_that_the_model_makes_up():
    bench = Bench([f"{SOLVED}\nQuestion: And now?\nSo the final answer is nothing."])
    record = await bench.ask(ASKED, "plan_and_solve")
    [(_, sampling)] = bench.llm.calls
    assert (sampling.temperature, sampling.max_tokens, sampling.stop) == (0, 400, ("\nQuestion:",))
    assert record.answer.short == "Tromvik"


async def test_without_a_final_answer_one_is_asked_for_once():
    text = f"{PLAN}\nSolution:\n1. Ida Renn\n2. Tromvik"
    record = await ask(text, "Tromvik")
    assert purposes(record) == ["plan", "answer"]
    first, second = calls(record)
    assert second[:1] == first
    assert [message.text for message in second[1:]] == [text, FINISH]
    assert (record.answer.short, record.answer.how) == ("Tromvik", "forced")
    assert unread(record) == []


async def test_an_empty_reply_is_no_turn_of_the_conversation():
    record = await ask("", "Tromvik")
    [message] = calls(record)[1]
    assert message.text.endswith(f"\nPlan:\n\n{FINISH}")
    assert (record.answer.short, record.answer.how) == ("Tromvik", "forced")


async def test_a_label_is_read_only_behind_the_marker_and_else_asked_for():
    question = Question("q", ASKED, "label", ("Yes", "No"))
    text = f"{PLAN}\nSolution:\n1. Ida Renn\n2. no"
    assert (await ask(f"{text}\nSo the final answer is Yes.", question=question)).answer.short == "Yes"
    record = await ask(text, "Yes", question=question)
    assert (record.answer.short, record.answer.how) == ("Yes", "forced")


async def test_a_long_answer_that_is_missing_is_asked_for_and_may_be_long():
    bench = Bench([f"{PLAN}\nSolution:\n1. Ida Renn\n2. Tromvik", "It has a wall."])
    record = await bench.ask(LONG, "plan_and_solve")
    assert bench.llm.calls[1][1].max_tokens == 256
    assert record.answer.text == "It has a wall."


@pytest.mark.parametrize(("dialogue", "seen"), [
    scene("one call plans and solves",
        lambda: ask(SOLVED), purposes=["plan"], queries=[], plan=[f"{WHO} / {WHERE}"],
        verdicts=[(WHO, "Ida Renn", "unsupported"), (WHERE, "Tromvik", "unsupported")],
        text=f"{WHO} Ida Renn. {WHERE} Tromvik. {FINAL}", answer=("Tromvik", "marker"), stopped="finished", unread=[]),
    scene("without a plan the reply is read as a chain of thought",
        lambda: ask(f"Ida Renn was born there. {FINAL}"), purposes=["plan"], unread=["no plan was written"],
        text=f"Ida Renn was born there. {FINAL}", verdicts=[(ASKED, "Tromvik", "unsupported")]),
    scene("where that gives none either the last step is the answer",
        lambda: ask(f"{PLAN}\nSolution:\n1. Ida Renn\n2. unknown", ""), answer=("Ida Renn", "last-claim"),
        second_verdict=(WHERE, "", "unsupported"), unread=["the reply is empty"]),
    scene("steps without an answer are counted and stay open",
        lambda: ask(f"{PLAN}\nSolution:\n2. Tromvik\n{FINAL}"), unread=["step 1 has no answer"],
        verdicts=[(WHO, "", "unsupported"), (WHERE, "Tromvik", "unsupported")]),
    scene("a long answer is what stands behind the steps",
        lambda: ask(f"{PLAN}\nSolution:\n1. Ida Renn\n2. Tromvik\nIt has a wall. It has a market.", question=LONG),
        text="It has a wall. It has a market.", short="It has a wall. It has a market.", purposes=["plan"]),
    scene("a limit before the second call leaves the answer of the last step",
        lambda: ask(f"{PLAN}\nSolution:\n1. Ida Renn\n2. Tromvik", budget={"max_llm_calls": 1}),
        answer=("Tromvik", "last-claim"), stopped="max_llm_calls"),
])  # fmt: skip
async def test_few_shot(dialogue, seen):
    assert looks(await dialogue(), seen) == seen


# -- the zero-shot original --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "words"), [(ASKED, "work out what is asked"), (LABEL, "common sense"), (LONG, "has to be explained")]
)
async def test_zero_shot_shows_no_demonstration_and_asks_for_a_plan_by_form(question, words):
    bench = Bench(["So it goes. The answer is Yes."])
    record = await bench.ask(question, "plan_and_solve", zero_shot=True)
    [[prompt]] = calls(record)
    assert prompt.text.startswith("Q: ")
    assert prompt.text.count("Q: ") == 1
    assert words in prompt.text
    assert bench.llm.calls[0][1].max_tokens == 256


@pytest.mark.parametrize("prefill", [False, True])
@pytest.mark.parametrize("reply", [" Tromvik.", "Therefore, the answer is Tromvik.", "Tromvik\n\nI am sure."])
async def test_zero_shot_has_the_model_go_on_from_therefore_where_it_names_no_answer(reply, prefill):
    bench = Bench(["First this. Then that.", reply], prefill=prefill)
    record = await bench.ask(ASKED, "plan_and_solve", zero_shot=True)
    assert purposes(record) == ["reasoning", "answer"]
    assert calls(record)[1][-1].text.endswith("First this. Then that.\nTherefore, the answer is")
    assert (bench.llm.calls[1][1].max_tokens, bench.llm.calls[1][1].stop) == (32, ("\n\n",))
    assert (record.answer.short, record.answer.how) == ("Tromvik", "forced")


async def test_several_samples_are_voted_on_and_each_without_an_answer_is_asked_for_it():
    replies = ["The answer is Ulm.", "Hm.", "The answer is Tromvik.", "Tromvik"]
    bench = Bench(replies)
    record = await bench.ask(ASKED, "plan_and_solve", zero_shot=True, num_samples=3)
    assert purposes(record) == ["reasoning"] * 3 + ["answer"]
    assert [sampling.temperature for _, sampling in bench.llm.calls] == [0.7, 0.7, 0.7, 0]
    [vote] = decisions(record, "vote")
    assert vote.text == "2 of 3 samples: Tromvik"
    assert list(vote.data["answers"]) == ["Ulm", "Tromvik", "Tromvik"]
    assert record.answer.short == "Tromvik"


async def test_samples_are_drawn_at_the_temperature_that_is_set():
    bench = Bench(["The answer is Ulm."] * 2)
    await bench.ask(ASKED, "plan_and_solve", zero_shot=True, num_samples=2, temperature=1.0)
    assert [sampling.temperature for _, sampling in bench.llm.calls] == [1.0, 1.0]


@pytest.mark.parametrize(("dialogue", "seen"), [
    scene("zero shot takes an answer that is there",
        lambda: ask("She is from there. Therefore, the answer is Tromvik.", zero_shot=True), purposes=["reasoning"],
        answer=("Tromvik", "alt-marker"), unread=[]),
    scene("zero shot without any answer is empty and counted",
        lambda: ask("First this.", "", zero_shot=True), answer=("", "empty"), unread=["the reply is empty"]),
    scene("a limit before therefore leaves the whole reply",
        lambda: ask("Tromvik it is", zero_shot=True, budget={"max_llm_calls": 1}), answer=("Tromvik it is", "full"),
        stopped="max_llm_calls"),
    scene("a limit among the samples is voted on with those that are there",
        lambda: ask("The answer is Ulm.", "Hm.", zero_shot=True, num_samples=3, budget={"max_llm_calls": 2}), short="Ulm",
        stopped="max_llm_calls"),
])  # fmt: skip
async def test_the_zero_shot_original(dialogue, seen):
    assert looks(await dialogue(), seen) == seen
