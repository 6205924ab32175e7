"""The model alone, in one call."""

from __future__ import annotations

import pytest
from support.bench import Bench, calls, looks, scene, unread, verdicts

from hopweave.answering.demonstrations import sample
from hopweave.core.types import Question

ASKED = "Who is the mayor of Orlau?"
LABEL = Question("q", "Is Orlau a town?", "label", ("Yes", "No"))
LONG = Question("q", "Why is Orlau a town?", "long")


async def ask(reply, question=ASKED, **options):
    return await Bench([reply]).ask(question, "direct", **options)


@pytest.mark.parametrize(
    ("question", "demand"),
    [
        (ASKED, "Give only the answer, as short as possible."),
        (LABEL, "Give only the answer.\nIt can only be one of: Yes, No\n"),
        (LONG, "Explain in several sentences."),
    ],
)
async def test_the_prompt_asks_for_the_form_of_the_question(question, demand):
    [[prompt]] = calls(await ask("Yes", question))
    text = question if isinstance(question, str) else question.text
    assert prompt.text.startswith(f"Answer the question. {demand}")
    assert prompt.text.endswith(f"Question: {text}\nAnswer:")


@pytest.mark.parametrize(
    ("reply", "short"),
    [
        ("Ida Renn", "Ida Renn"),
        ("\n\nIda Renn.\n\nShe was born in 1960.", "Ida Renn"),
        ("I think she has been for long. The answer is Ida Renn.", "Ida Renn"),
        ("**Ida Renn**", "Ida Renn"),
    ],
)
async def test_the_answer_is_after_a_marker_or_else_the_first_line(reply, short):
    assert (await ask(reply)).answer.short == short


async def test_a_label_comes_in_its_own_spelling_and_a_long_answer_whole():
    assert (await ask("yes, it is", LABEL)).answer.short == "Yes"
    assert (await ask("It has a wall. It has a market.", LONG)).answer.short == "It has a wall. It has a market."


@pytest.mark.parametrize(
    ("reply", "question", "reason"),
    [
        ("", ASKED, "the reply is empty"),
        (" \n", LONG, "the reply is empty"),
        ("Perhaps.", LABEL, "no answer is in the reply"),
    ],
)
async def test_what_cannot_be_read_is_counted_and_is_no_answer(reply, question, reason):
    record = await ask(reply, question)
    assert unread(record) == [reason]
    assert (record.answer.short, record.answer.how) == ("", "empty")
    assert [verdict for _, _, verdict in verdicts(record)] == ["unsupported"]


@pytest.mark.parametrize(("dialogue", "seen"), [
    scene("one call without retrieval answers",
        lambda: ask("Ida Renn."), purposes=["answer"], queries=[], text="Ida Renn.", answer=("Ida Renn", "full"),
        verdicts=[(ASKED, "Ida Renn", "unsupported")], unread=[]),
    scene("a mark that the model invents is removed and counted",
        lambda: ask("Ida Renn [1]"), error=None, text="Ida Renn", short="Ida Renn", marks_removed=1),
])  # fmt: skip
async def test_what_comes_of_a_dialogue(dialogue, seen):
    assert looks(await dialogue(), seen) == seen


@pytest.mark.parametrize(("question", "longest"), [(ASKED, 11), (LABEL, 11), (LONG, 22)])
async def test_the_length_depends_on_the_form(question, longest):
    bench = Bench(["Yes"])
    await bench.ask(question, "direct", max_tokens=11, max_tokens_long=22)
    assert [sampling.max_tokens for _, sampling in bench.llm.calls] == [longest]


@pytest.mark.parametrize(("question", "family"), [(ASKED, "multi_hop"), (LABEL, "yes_no"), (LONG, "long_form")])
async def test_demonstrations_are_questions_with_their_bare_answers_before_the_question(question, family):
    [[prompt]] = calls(await ask("Yes", question, n_demos=2, seed=5))
    text = question if isinstance(question, str) else question.text
    first, second = sample(2, seed=5, family=family)
    assert prompt.text.endswith(
        f"\nQuestion: {first.question}\nAnswer: {first.answer}\n\nQuestion: {second.question}\nAnswer: {second.answer}\n\n"
        f"Question: {text}\nAnswer:"
    )


async def test_as_published_there_is_none():
    [[prompt]] = calls(await ask("Ida Renn"))
    assert prompt.text == f"Answer the question. Give only the answer, as short as possible.\n\nQuestion: {ASKED}\nAnswer:"
