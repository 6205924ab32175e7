"""Chain of thought: reasons, then answers after a marker."""

from __future__ import annotations

import pytest
from support.bench import Bench, calls, looks, purposes, scene, unread

from hopweave.core.types import Question

ASKED = "Where was the mayor of Orlau born?"
LABEL = Question("q", "Is Orlau a town?", "label", ("Yes", "No"))
LONG = Question("q", "Why is Orlau a town?", "long")
REASONED = "The mayor of Orlau is Ida Renn. Ida Renn was born in Tromvik."
ANSWERED = f"{REASONED} So the final answer is Tromvik."


async def ask(*replies, question=ASKED, budget=None, **options):
    return await Bench(replies).ask(question, "cot", budget, **options)


async def test_the_labels_stand_behind_the_question_as_in_the_demonstrations():
    [[prompt]] = calls(await ask("So the final answer is Yes.", question=LABEL))
    assert prompt.text.endswith("Q: Is Orlau a town? (The answer can only be one of: Yes, No)\nA:")


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


@pytest.mark.parametrize("reply", ["Tromvik", "So the final answer is Tromvik."])
async def test_zero_shot_has_no_demonstrations_and_always_asks_for_the_answer(reply):
    bench = Bench([REASONED, reply])
    record = await bench.ask(ASKED, "cot", zero_shot=True)
    assert calls(record)[0][0].text == f"Q: {ASKED}\nA: Let us reason step by step."
    assert purposes(record) == ["reasoning", "answer"]
    assert [sampling.max_tokens for _, sampling in bench.llm.calls] == [256, 32]
    assert record.answer.text == ANSWERED
    assert record.answer.short == "Tromvik"


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


@pytest.mark.parametrize(("dialogue", "seen"), [
    scene("one call reasons and answers after the marker",
        lambda: ask(ANSWERED), purposes=["reasoning"], queries=[], text=ANSWERED, answer=("Tromvik", "marker"),
        verdicts=[(ASKED, "Tromvik", "unsupported")]),
    scene("another example that the model makes up is cut off",
        lambda: ask(f"{ANSWERED}\nQ: And now?\nA: So the final answer is nothing."), short="Tromvik"),
    scene("without a marker the whole reply is the answer and the failure is counted",
        lambda: ask("Ida Renn was born in Tromvik"), answer=("Ida Renn was born in Tromvik", "full"),
        unread=["no sentence says what the final answer is"]),
    scene("with a marker nothing is forced", lambda: ask(ANSWERED, force=True), purposes=["reasoning"]),
    scene("a label without a marker is still a label and no failure",
        lambda: ask("It has a market, so yes.", question=LABEL), answer=("Yes", "label-anywhere"), unread=[]),
    scene("a reply without any label is counted and is no answer",
        lambda: ask("It has a market.", question=LABEL), short="", num_unread=1),
    scene("a long answer needs no marker",
        lambda: ask("It has a wall. It has a market.", question=LONG), short="It has a wall. It has a market.", unread=[]),
    scene("marks that the model invents are removed and counted",
        lambda: ask("She is from Tromvik [1]. So the final answer is Tromvik [2]."), error=None,
        text="She is from Tromvik. So the final answer is Tromvik.", marks_removed=2),
    scene("a budget that forbids the second call leaves the answer of the first",
        lambda: ask(REASONED, zero_shot=True, budget={"max_llm_calls": 1}), text=REASONED, stopped="max_llm_calls"),
])  # fmt: skip
async def test_what_comes_of_a_dialogue(dialogue, seen):
    assert looks(await dialogue(), seen) == seen
