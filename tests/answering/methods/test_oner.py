"""OneR: one retrieval with the question, then a reader."""

from __future__ import annotations

import pytest
from support.bench import Bench, calls, looks, purposes, scene, told, unread

from hopweave.core.types import Passage, Question

ASKED = "Who is the mayor of Orlau?"
FIRST = Passage("orlau", "Orlau has 900 inhabitants. It lies on a hill.", "Orlau")
SECOND = Passage("renn", "Nobody is older. Ida Renn is the mayor of Orlau. She sings.", "Ida Renn")
ANSWERED = "The mayor of Orlau is Ida Renn. So the answer is: Ida Renn."


async def ask(*says, passages=(FIRST, SECOND), question=ASKED, budget=None, prefill=False, **options):
    options = {"remove_wh_words": False} | options
    text = question if isinstance(question, str) else question.text
    return await Bench(says, {text: passages}, prefill=prefill).ask(question, "oner", budget, **options)


async def test_k_bounds_the_passages():
    assert (await ask(ANSWERED, num_hits=1)).answer.passage_ids == ("orlau",)
    assert (await ask(ANSWERED, max_passages=1)).answer.passage_ids == ("orlau",)


@pytest.mark.parametrize(("options", "num"), [({}, 5), ({"num_hits": 11}, 11)])
async def test_the_record_notes_k_and_that_the_paper_leaves_it_open(options, num):
    [note] = told(await ask(ANSWERED, **options), "note")
    assert note == (
        f"K = {num} passages are fetched (num_hits); the paper chooses among 5, 7, 9, 11, 13 and 15 on development questions"
    )


@pytest.mark.parametrize("prefill", [True, False])
async def test_the_prompt_shows_demonstrations_with_passages_then_passages_and_question(prefill):
    [[prompt]] = calls(await ask(ANSWERED, prefill=prefill))
    assert prompt.text.count("\nQ: ") == 4
    assert prompt.text.endswith(f"</passage>\n<passage>\nIda Renn\n{SECOND.text}\n</passage>\nQ: {ASKED}\nA:")


@pytest.mark.parametrize(("dialogue", "seen"), [
    scene("one search with the question and one call",
        lambda: ask(ANSWERED), queries=[ASKED], purposes=["reader"], passages=("orlau", "renn"),
        text="The mayor of Orlau is Ida Renn [1]. So the answer is: Ida Renn [2].",
        verdicts=[(ASKED, "The mayor of Orlau is Ida Renn.", "supported"), (ASKED, "Ida Renn", "supported")],
        short="Ida Renn", stopped="finished"),
    scene("without a reader it is a retriever and makes no call",
        lambda: ask(reader="none"), purposes=[], passages=("orlau", "renn"), text="", how="empty"),
    scene("the direct reader gives the bare answer",
        lambda: ask("Ida Renn\nShe sings.", reader="direct"), text="Ida Renn [1]", short="Ida Renn",
        unsent={0: "So the answer is"}),
    scene("nothing found is said",
        lambda: ask("So the answer is: Otto.", passages=()), sent={0: f"(No passage was found.)\nQ: {ASKED}\nA:"},
        verdicts=[(ASKED, "Otto", "unsupported")]),
])  # fmt: skip
async def test_what_comes_of_a_dialogue(dialogue, seen):
    assert looks(await dialogue(), seen) == seen


@pytest.mark.parametrize(
    ("budget", "made", "short"),
    [({"max_llm_calls": 1}, ["titles"], ""), ({"max_searches": 1}, ["reader"], "Ida Renn")],
)
async def test_a_budget_ends_in_the_best_answer_so_far(budget, made, short):
    question = Question("q", ASKED, pinned=(FIRST,))
    says = ["Orlau\nIda Renn", ANSWERED][-len(made) if short else 0 :]
    record = await ask(*says, question=question, budget=budget)
    assert purposes(record) == made
    assert record.answer.short == short
    assert record.answer.stopped_because == ("max_llm_calls" if "max_llm_calls" in budget else "finished")
    assert record.totals().queries <= budget.get("max_searches", 9)


async def test_a_pinned_passage_is_shown_and_is_no_retrieval_result():
    record = await ask("Nowhere", ANSWERED, question=Question("q", ASKED, pinned=(FIRST,)))
    assert calls(record, "reader")[0][0].text.count(FIRST.text) == 1
    assert record.answer.passage_ids == ("renn",)


async def test_malformed_and_empty_replies_are_counted():
    assert unread(await ask("Ida Renn it is", force=False)) == ["no sentence says what the final answer is"]
    assert unread(await ask("")) == ["the reply is empty"]
