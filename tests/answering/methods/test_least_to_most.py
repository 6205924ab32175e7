"""Least-to-most: names simple sub-questions, then answers them one after another. The facts are made up."""

from __future__ import annotations

import re

import pytest
from support.bench import Bench, calls, looks, purposes, queries, scene, told, unread, verdicts

from hopweave.answering.demonstrations import demonstrations
from hopweave.core.types import Message, Question

ASKED = "In which town was the mayor of Orlau born?"
WHO, WHERE = "Who is the mayor of Orlau?", "Where was the answer to 1 born?"
LISTED = f'"{WHO}", "{WHERE}".'
FINAL = "She was born in Tromvik. So the final answer is Tromvik."
LABEL = Question("q", "Is Orlau a town?", "label", ("Yes", "No"))
LONG = Question("q", "Why is Orlau a town?", "long")


async def ask(*replies, question=ASKED, budget=None, prefill=False, **options):
    return await Bench(replies, prefill=prefill).ask(question, "least_to_most", budget, **options)


# -- the two stages ----------------------------------------------------------------------------------------------------


async def test_it_decomposes_once_then_answers_each_sub_question_and_last_the_question_itself():
    record = await ask(LISTED, "Ida Renn", "Tromvik", FINAL)
    assert purposes(record) == ["decompose", "sub-answer", "sub-answer", "answer"]
    assert queries(record) == []
    assert told(record, "plan") == [f"{WHO} / {WHERE} / {ASKED}"]
    assert verdicts(record) == [(WHO, "Ida Renn", "unsupported"), (WHERE, "Tromvik", "unsupported")]
    assert (record.answer.short, record.answer.how, record.answer.stopped_because) == ("Tromvik", "marker", "finished")
    assert unread(record) == []


async def test_the_decomposition_ends_where_the_model_is_to_name_the_sub_questions():
    [prompt] = calls(await ask(LISTED, "Ida Renn", "Tromvik", FINAL), "decompose")[0]
    assert prompt.text.endswith(f'\n\nQ: {ASKED}\nA: To answer the question "{ASKED}", we need to know:')


async def test_every_answer_reaches_the_next_question_through_the_text_above_it():
    record = await ask(LISTED, "Ida\nRenn ", "Tromvik", FINAL)
    first, second, last = (call[-1].text for call in calls(record)[1:])
    assert first.endswith(f"\n\nQ: {WHO}\nA:")
    assert second == f"{first} Ida Renn\nQ: {WHERE}\nA:"
    assert last == f"{second} Tromvik\nQ: {ASKED}\nA:"


async def test_where_the_endpoint_goes_on_from_it_the_text_so_far_is_the_last_turn():
    record = await ask(LISTED, "Ida Renn", "Tromvik", FINAL, prefill=True)
    first, second, last = calls(record)[1:]
    assert [message.role for message in first] == ["user"]
    assert second == [*first, Message("assistant", f"Ida Renn\nQ: {WHERE}\nA:")]
    assert last == [*first, Message("assistant", f"Ida Renn\nQ: {WHERE}\nA: Tromvik\nQ: {ASKED}\nA:")]


async def test_calls_are_greedy_and_end_before_a_question_that_the_model_makes_up():
    bench = Bench([f"{LISTED}\nQ: More?", "Ida Renn\nQ: And now?\nA: x", "Tromvik", FINAL])
    record = await bench.ask(ASKED, "least_to_most")
    assert [(sampling.temperature, sampling.max_tokens) for _, sampling in bench.llm.calls] == [(0, 128), *([(0, 100)] * 3)]
    assert verdicts(record)[0] == (WHO, "Ida Renn", "unsupported")


# -- demonstrations ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("question", "num"), [(ASKED, 4), (LABEL, None), (LONG, None)])
async def test_both_stages_show_the_same_demonstrations_as_many_as_table_11_says(question, num):
    record = await ask(LISTED, "x", "y", "So the final answer is Yes.", question=question)
    decompose, solve = (calls(record)[number][0].text for number in (0, 1))
    shown = re.findall(r'^A: To answer the question "(.*)", we need to know: "', decompose, re.MULTILINE)
    assert shown
    assert num is None or len(shown) == num
    note = {"label": " (The answer can only be one of: Yes, No)", "long": " (Explain in several sentences.)"}
    form = "short" if isinstance(question, str) else question.form
    assert all(f"\nQ: {text}{note.get(form, '')}\nA: " in solve for text in shown)


async def test_no_demonstration_names_an_answer_before_it_is_found():
    record = await ask(LISTED, "x", "y", FINAL, n_demos=20)
    listed = re.findall(r"we need to know: (\".*)\.$", calls(record)[0][0].text, re.MULTILINE)
    assert len(listed) == 20
    text = "\n".join(listed)
    assert '"In which town was the answer to 1 born?"' in text
    for one in demonstrations():
        given = [step.answer for step in one.steps[:-1] if step.answer not in one.question]
        assert not [answer for answer in given if f" {answer} " in text and len(answer) > 4], one.id


# -- what the model may do instead -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("reply", "reason"), [("I cannot.", "no item of a list was found"), ("", "the reply is empty")])
async def test_without_sub_questions_only_the_question_is_answered(reply, reason):
    record = await ask(reply, FINAL)
    assert purposes(record) == ["decompose", "answer"]
    assert unread(record) == [reason]
    assert verdicts(record) == [(ASKED, "Tromvik", "unsupported")]


@pytest.mark.parametrize(("options", "num"), [({}, 6), ({"max_sub_questions": 2}, 2)])
async def test_no_more_sub_questions_are_answered_than_allowed(options, num):
    listed = ", ".join(f'"What is {number}?"' for number in range(9))
    record = await ask(listed, *["x"] * num, FINAL, **options)
    assert purposes(record).count("sub-answer") == num


@pytest.mark.parametrize("reply", ["", " \n", "..."])
async def test_an_empty_answer_to_a_sub_question_stands_as_unknown(reply):
    record = await ask(LISTED, reply, "Tromvik", FINAL)
    assert f"Q: {WHO}\nA: unknown\nQ: {WHERE}\nA:" in calls(record)[2][-1].text
    assert verdicts(record)[0] == (WHO, "", "unsupported")
    assert len(unread(record)) == 1


@pytest.mark.parametrize(("dialogue", "seen"), [
    scene("a list counts where nothing stands in quotation marks",
        lambda: ask(f"1. {WHO}\n2. {WHERE}", "Ida Renn", "Tromvik", FINAL), claimed=[WHO, WHERE]),
    scene("repeated sub questions and the question itself are asked once",
        lambda: ask(f'"{WHO}", "who is the mayor of orlau", "{ASKED}"', "Ida Renn", FINAL),
        purposes=["decompose", "sub-answer", "answer"]),
    scene("without a marker the first sentence is the answer and it is counted",
        lambda: ask(LISTED, "Ida Renn", "Tromvik", "In Tromvik. That is far away."),
        answer=("In Tromvik", "first-sentence"), unread=["no sentence says what the final answer is"]),
    scene("an empty last answer leaves that of the last sub question",
        lambda: ask(LISTED, "Ida Renn", "Tromvik", ""), answer=("Tromvik", "last-claim"), unread=["the reply is empty"]),
])  # fmt: skip
async def test_what_the_model_may_do_instead(dialogue, seen):
    assert looks(await dialogue(), seen) == seen


# -- forms and limits --------------------------------------------------------------------------------------------------


async def test_a_long_answer_is_the_whole_last_turn_and_may_be_longer():
    bench = Bench([LISTED, "x", "y", "It has a wall. It has a market."])
    record = await bench.ask(LONG, "least_to_most")
    assert bench.llm.calls[-1][1].max_tokens == 256
    assert record.answer.text == record.answer.short == "It has a wall. It has a market."


@pytest.mark.parametrize(
    ("max_llm_calls", "short", "how"), [(1, "", "empty"), (2, "Ida Renn", "last-claim"), (3, "Tromvik", "last-claim")]
)
async def test_a_limit_leaves_the_best_answer_so_far(max_llm_calls, short, how):
    record = await ask(LISTED, "Ida Renn", "Tromvik", FINAL, budget={"max_llm_calls": max_llm_calls})
    assert (record.answer.short, record.answer.how, record.answer.stopped_because) == (short, how, "max_llm_calls")


@pytest.mark.parametrize(("dialogue", "seen"), [
    scene("a label is read off the last turn",
        lambda: ask(LISTED, "x", "y", "So the final answer is no.", question=LABEL),
        ends={3: "Q: Is Orlau a town? (The answer can only be one of: Yes, No)\nA:"}, short="No"),
    scene("a limit leaves no answer to a sub question in place of a label",
        lambda: ask(LISTED, "Ida Renn", "Tromvik", FINAL, question=LABEL, budget={"max_llm_calls": 3}),
        answer=("", "empty")),
])  # fmt: skip
async def test_forms_and_limits(dialogue, seen):
    assert looks(await dialogue(), seen) == seen
