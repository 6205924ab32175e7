"""NoR: a reader without retrieval."""

from __future__ import annotations

import pytest
from support.bench import Bench, calls, looks, purposes, queries, scene, unread, verdicts

from hopweave.core.types import Passage, Question

ASKED = "Where was the mayor of Orlau born?"
ANSWERED = "The mayor of Orlau is Ida Renn. Ida Renn was born in Tromvik. So the answer is: Tromvik."


async def ask(*says, question=ASKED, budget=None, **options):
    return await Bench(says).ask(question, "nor", budget, **options)


async def test_one_call_without_any_passage():
    record = await ask(ANSWERED)
    assert (queries(record), purposes(record)) == ([], ["reader"])
    [[prompt]] = calls(record)
    assert prompt.text.count("\nQ: ") == 15 + 1
    assert "passage" not in prompt.text.lower()
    assert prompt.text.endswith(f"\n\nQ: {ASKED}\nA:")


async def test_a_pinned_passage_is_shown_all_the_same_and_may_be_cited():
    pinned = Passage("renn", "Ida Renn was born in Tromvik.", "Ida Renn")
    record = await ask(ANSWERED, question=Question("q", ASKED, pinned=(pinned,)))
    assert calls(record)[0][0].text.count("</passage>") == 1
    # The step from Orlau to Ida Renn is from memory, so the answer rests on no passage.
    assert [verdict for _, _, verdict in verdicts(record)] == ["unsupported", "supported", "unsupported"]


async def test_the_authors_marker_misses_other_forms():
    assert (await ask("Answer is: Tromvik.", marker="authors", force=False)).answer.how == "full"
    assert (await ask("Answer is: Tromvik.")).answer.short == "Tromvik"


async def test_malformed_and_empty_replies_are_counted():
    assert unread(await ask("In Tromvik", force=False)) == ["no sentence says what the final answer is"]
    assert unread(await ask("")) == ["the reply is empty"]


@pytest.mark.parametrize(("dialogue", "seen"), [
    scene("every claim is the models own",
        lambda: ask(ANSWERED),
        verdicts=[(ASKED, "The mayor of Orlau is Ida Renn.", "unsupported"),
            (ASKED, "Ida Renn was born in Tromvik.", "unsupported"), (ASKED, "Tromvik", "unsupported")],
        text=ANSWERED, answer=("Tromvik", "marker"), passages=()),
    scene("without a call the answer is empty and says why",
        lambda: Bench([ANSWERED]).ask(ASKED, "nor", {"max_seconds": 1e-09}), short="", stopped="max_seconds"),
    scene("the direct reader sees bare answers",
        lambda: ask("Tromvik.", reader="direct"), unsent={0: "So the answer is"}, text="Tromvik.", short="Tromvik"),
])  # fmt: skip
async def test_what_comes_of_a_dialogue(dialogue, seen):
    assert looks(await dialogue(), seen) == seen
