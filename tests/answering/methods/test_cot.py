"""Chain of thought: reasons, then answers after a marker."""

from __future__ import annotations

import pytest
from support.bench import Bench, calls, purposes, queries, unread, verdicts

from hopweave.core.types import Question

ASKED = "Where was the mayor of Orlau born?"
LABEL = Question("q", "Is Orlau a town?", "label", ("Yes", "No"))
LONG = Question("q", "Why is Orlau a town?", "long")
REASONED = "The mayor of Orlau is Ida Renn. Ida Renn was born in Tromvik."
ANSWERED = f"{REASONED} So the final answer is Tromvik."


async def ask(*replies, question=ASKED, budget=None, **options):
    return await Bench(replies).ask(question, "cot", budget, **options)


async def test_one_call_reasons_and_answers_after_the_marker():
    record = await ask(ANSWERED)
    assert purposes(record) == ["reasoning"]
    assert queries(record) == []
    assert (record.answer.text, record.answer.short, record.answer.how) == (ANSWERED, "Tromvik", "marker")
    assert verdicts(record) == [(ASKED, "Tromvik", "unsupported")]


@pytest.mark.parametrize(("question", "num_examples"), [(ASKED, 4), (LABEL, 6), (LONG, 2)])
async def test_as_many_demonstrations_as_the_papers_table_11(question, num_examples):
    [[prompt]] = calls(await ask(ANSWERED, question=question))
    text = question if isinstance(question, str) else question.text
    assert prompt.text.count("\nQ: ") == num_examples + 1
    assert f"\nQ: {text}" in prompt.text
    assert prompt.text.endswith("\nA:")


async def test_the_labels_stand_behind_the_question_as_in_the_demonstrations():
    [[prompt]] = calls(await ask("So the final answer is Yes.", question=LABEL))
    assert prompt.text.endswith("Q: Is Orlau a town? (The answer can only be one of: Yes, No)\nA:")


async def test_another_example_that_the_model_makes_up_is_cut_off():
    record = await ask(f"{ANSWERED}\nQ: And now?\nA: So the final answer is nothing.")
    assert record.answer.short == "Tromvik"


async def test_without_a_marker_the_whole_reply_is_the_answer_and_the_failure_is_counted():
    record = await ask("Ida Renn was born in Tromvik")
    assert (record.answer.short, record.answer.how) == ("Ida Renn was born in Tromvik", "full")
    assert unread(record) == ["no sentence says what the final answer is"]


async def test_without_a_marker_a_second_call_is_made_if_forced():
    record = await ask(REASONED, "Tromvik", force=True)
    assert purposes(record) == ["reasoning", "answer"]
    first, second = calls(record)
    assert second[:1] == first
    assert [message.role for message in second] == ["user", "assistant", "user"]
    assert second[1].text == REASONED
    assert second[2].text == 'Now give the final answer. Write "So the final answer is X.", where X is as short as possible'
    assert record.answer.text == ANSWERED
    assert (record.answer.short, record.answer.how) == ("Tromvik", "forced")
    assert unread(record) == []


async def test_with_a_marker_nothing_is_forced():
    assert purposes(await ask(ANSWERED, force=True)) == ["reasoning"]


@pytest.mark.parametrize("reply", ["Tromvik", "So the final answer is Tromvik."])
async def test_zero_shot_has_no_demonstrations_and_always_asks_for_the_answer(reply):
    bench = Bench([REASONED, reply])
    record = await bench.ask(ASKED, "cot", zero_shot=True)
    assert calls(record)[0][0].text == f"Q: {ASKED}\nA: Let us reason step by step."
    assert purposes(record) == ["reasoning", "answer"]
    assert [sampling.max_tokens for _, sampling in bench.llm.calls] == [256, 32]
    assert record.answer.text == ANSWERED
    assert record.answer.short == "Tromvik"


async def test_a_label_without_a_marker_is_still_a_label_and_no_failure():
    record = await ask("It has a market, so yes.", question=LABEL)
    assert (record.answer.short, record.answer.how) == ("Yes", "label-anywhere")
    assert unread(record) == []


async def test_a_reply_without_any_label_is_counted_and_is_no_answer():
    record = await ask("It has a market.", question=LABEL)
    assert record.answer.short == ""
    assert len(unread(record)) == 1


async def test_a_long_answer_needs_no_marker():
    record = await ask("It has a wall. It has a market.", question=LONG)
    assert record.answer.short == "It has a wall. It has a market."
    assert unread(record) == []


async def test_the_second_call_of_a_long_answer_may_be_as_long_as_the_first():
    bench = Bench(["It has a wall.", "It has a wall and a market."])
    record = await bench.ask(LONG, "cot", zero_shot=True)
    assert [sampling.max_tokens for _, sampling in bench.llm.calls] == [256, 256]
    assert record.answer.short == "It has a wall and a market."


@pytest.mark.parametrize(("replies", "options", "num_failures"), [([""], {}, 1), (["", ""], {"force": True}, 2)])
async def test_empty_replies_are_counted_once_each_and_are_no_answer(replies, options, num_failures):
    record = await ask(*replies, **options)
    assert unread(record) == ["the reply is empty"] * num_failures
    assert (record.answer.text, record.answer.short, record.answer.how) == ("", "", "empty")


async def test_marks_that_the_model_invents_are_removed_and_counted():
    record = await ask("She is from Tromvik [1]. So the final answer is Tromvik [2].")
    assert record.error is None
    assert record.answer.text == "She is from Tromvik. So the final answer is Tromvik."
    assert record.answer.num_marks_removed == 2


async def test_a_budget_that_forbids_the_second_call_leaves_the_answer_of_the_first():
    record = await ask(REASONED, zero_shot=True, budget={"max_llm_calls": 1})
    assert record.answer.text == REASONED
    assert record.answer.stopped_because == "max_llm_calls"
