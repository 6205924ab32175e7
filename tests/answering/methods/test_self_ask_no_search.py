"""Self-Ask without retrieval: follow-ups and their answers in one call."""

from __future__ import annotations

import pytest
from support.bench import Bench, calls, looks, purposes, scene, unread

from hopweave.answering.demonstrations import demonstrations
from hopweave.core.types import Question

ASKED = "Where was the mayor of Orlau born?"
LABEL = Question("q", "Is the mayor of Orlau from Tromvik?", "label", ("Yes", "No"))
LONG = Question("q", "Why is Orlau a town?", "long")
FIRST = "Follow up: Who is the mayor of Orlau?\nIntermediate answer: Ida Renn."
SECOND = "Follow up: Where was Ida Renn born?\nIntermediate answer: Tromvik."
CHAIN = f" Yes.\n{FIRST}\n{SECOND}\nSo the final answer is: Tromvik."
STEPS = [("Who is the mayor of Orlau?", "Ida Renn", "unsupported"), ("Where was Ida Renn born?", "Tromvik", "unsupported")]


async def ask(*replies, question=ASKED, budget=None, prefill=False, **options):
    return await Bench(replies, prefill=prefill).ask(question, "self_ask_no_search", budget, **options)


async def test_the_prompt_has_the_form_of_self_ask():
    [[prompt]] = calls(await ask(CHAIN, n_demos=1, seed=3))
    instruction, example, asked = prompt.text.split("\n\n")
    assert 'End with "So the final answer is: X", where X is as short as possible.' in instruction
    one = next(one for one in demonstrations() if example.startswith(f"Question: {one.question}\n"))
    steps = [line for step in one.steps for line in (f"Follow up: {step.query}", f"Intermediate answer: {step.answer}.")]
    assert example.split("\n") == [
        f"Question: {one.question}",
        "Are follow up questions needed here: Yes.",
        *steps,
        f"So the final answer is: {one.answer}.",
    ]
    assert asked == f"Question: {ASKED}\nAre follow up questions needed here:"


@pytest.mark.parametrize("prefill", [False, True])
async def test_without_a_final_answer_the_marker_is_appended_and_the_model_goes_on(prefill):
    bench = Bench([f" Yes.\n{FIRST}\n{SECOND}", " Tromvik.\nFollow up: more?"], prefill=prefill)
    record = await bench.ask(ASKED, "self_ask_no_search")
    assert purposes(record) == ["follow_ups", "answer"]
    first, second = calls(record)
    assert second[-1].text.endswith(f"Yes.\n{FIRST}\n{SECOND}\nSo the final answer is:")
    assert second[-1].role == ("assistant" if prefill else "user")
    assert second[0].text.startswith(first[0].text)
    assert bench.llm.calls[1][1].stop == ("\n",)
    assert bench.llm.calls[1][1].max_tokens == 32
    assert (record.answer.short, record.answer.how) == ("Tromvik", "forced")
    assert unread(record) == ["no final answer is in the reply"]


MALFORMED = {
    "": "the reply is empty",
    "It is in the north.": "no final answer is in the reply",
    "Intermediate answer: Ida Renn.\nSo the final answer is: Tromvik.": "an intermediate answer follows no follow-up",
    "Follow up: Who?\nSo the final answer is: Tromvik.": "follow-up 1 has no answer",
    "Follow up:\nSo the final answer is: Tromvik.": "a follow-up holds no question",
}


@pytest.mark.parametrize(("reply", "reason"), MALFORMED.items())
async def test_what_cannot_be_read_is_counted_and_an_answer_is_found_all_the_same(reply, reason):
    record = await ask(reply, "Tromvik")
    assert unread(record) == [reason]
    assert record.answer.short == "Tromvik"


async def test_a_label_is_asked_for_and_read_as_one():
    record = await ask(f"{FIRST}\nSo the final answer is: yes.", question=LABEL)
    [[prompt]] = calls(record)
    assert "where X is one of: Yes, No." in prompt.text
    assert prompt.text.endswith(
        f"Question: {LABEL.text} (The answer can only be one of: Yes, No)\nAre follow up questions needed here:"
    )
    assert record.answer.short == "Yes"


async def test_a_forced_long_answer_may_be_as_long_as_the_reasoning():
    bench = Bench([FIRST, "It has a wall.\nIt has a market."])
    record = await bench.ask(LONG, "self_ask_no_search", max_tokens=99)
    assert [sampling.max_tokens for _, sampling in bench.llm.calls] == [99, 99]
    assert record.answer.short == "It has a wall.\nIt has a market."


async def test_marks_that_the_model_invents_are_removed():
    record = await ask(" Yes.\nFollow up: Who?\nIntermediate answer: Ida Renn [1].\nSo the final answer is: Ida Renn [2].")
    assert record.error is None
    assert "[" not in record.answer.text + record.answer.short


@pytest.mark.parametrize(("dialogue", "seen"), [
    scene("one call asks and answers all follow ups",
        lambda: ask(CHAIN), purposes=["follow_ups"], queries=[], verdicts=STEPS, answer=("Tromvik", "marker"),
        text="Who is the mayor of Orlau? Ida Renn. Where was Ida Renn born? Tromvik. So the final answer is Tromvik.",
        unread=[]),
    scene("an example that the model makes up is cut off",
        lambda: ask(f"{CHAIN}\n\nQuestion: And now?\nFollow up: What?\nSo the final answer is: nothing."), short="Tromvik",
        verdicts=STEPS),
    scene("a forced answer may repeat the marker",
        lambda: ask(f" Yes.\n{FIRST}", "So the final answer is: Ida Renn."), short="Ida Renn"),
    scene("where a forced answer is empty the last intermediate answer is taken",
        lambda: ask(f" Yes.\n{FIRST}\n{SECOND}", ""), answer=("Tromvik", "last-claim"),
        unread=["no final answer is in the reply", "the reply is empty"]),
    scene("another marker of the final answer is understood",
        lambda: ask(" No.\nThe answer is Tromvik."), answer=("Tromvik", "alt-marker"), purposes=["follow_ups"], unread=[]),
    scene("an intermediate answer is not taken for the final one",
        lambda: ask(f" Yes.\n{FIRST}", "Ida Renn"), purposes=["follow_ups", "answer"]),
    scene("a model that says nothing at all has no answer",
        lambda: ask("", ""), answer=("", "empty"), unread=["the reply is empty", "the reply is empty"]),
    scene("that no follow ups are needed is no label",
        lambda: ask(" No.", "Yes.", question=LABEL), answer=("Yes", "forced")),
    scene("a budget that forbids the second call leaves the last intermediate answer",
        lambda: ask(f" Yes.\n{FIRST}", budget={"max_llm_calls": 1}), answer=("Ida Renn", "last-claim"),
        stopped="max_llm_calls"),
    scene("a long answer is all that stands behind the marker",
        lambda: ask(f"{FIRST}\nSo the final answer is: It has a wall.\nIt has a market.", question=LONG),
        sent={0: "where X is a full explanation"}, short="It has a wall.\nIt has a market.",
        text="It has a wall.\nIt has a market."),
])  # fmt: skip
async def test_what_comes_of_a_dialogue(dialogue, seen):
    assert looks(await dialogue(), seen) == seen
