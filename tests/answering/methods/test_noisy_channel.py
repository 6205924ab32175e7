"""Internet-augmented answering where given words can be scored: the noisy channel. The facts are made up."""

from __future__ import annotations

import math

import pytest
from support.bench import Bench, calls, decisions, purposes
from test_internet_augmented import ASKED, FOUND, MAYOR, by_paragraph, say

from hopweave.answering.methods.internet_augmented._rescoring import channel_logprob
from hopweave.core.prompt import fence
from hopweave.core.types import Reply, TokenLogprob
from hopweave.models.llms.scripted import Scripted

SAYS = by_paragraph(say("Tromvik", -3.0), say("Orlau", -0.1), say("Ships", -0.2))
# A word of the answer or question behind each paragraph is as likely as this.
SCORES = {"Evidence:\n" + fence(MAYOR.text, "Ida Renn"): -0.1, "Answer: Orlau": -2.0, "Ships": -4.0}


async def ask(scores=None, says=SAYS, budget=None, **options):
    bench = Bench((), FOUND, llm=Scripted(says, scores=SCORES if scores is None else scores))
    options = {"n_demos": 0, "n_samples": 1, **options}
    return await bench.ask(ASKED, "internet_augmented", budget, **options)


def scorer_of(record):
    [scorer] = decisions(record, "scorer")
    return scorer


async def test_the_noisy_channel_decides_where_given_words_can_be_scored():
    record = await ask(scorer="noisy_channel")
    assert sorted(purposes(record)) == ["answer"] * 3 + ["noisy channel"] * 3
    assert (scorer_of(record).data["used"], scorer_of(record).text) == ("noisy_channel", "noisy_channel")
    assert record.answer.short == "Tromvik"
    words = len(f"Tromvik {ASKED}".split())
    assert scorer_of(record).data["ranking"][0]["score"] == pytest.approx(-0.1 * words)


async def test_the_product_of_experts_is_whole_where_given_words_can_be_scored():
    record = await ask(scorer="poe")
    assert scorer_of(record).data["used"] == "poe"
    first = next(one for one in scorer_of(record).data["ranking"] if one["answer"] == "Tromvik")
    p_ret = float(decisions(record, "paragraph")[0].text.rsplit(" ", 1)[1])
    words = len(f"Tromvik {ASKED}".split())
    assert first["score"] == pytest.approx(-3.0 + math.log(p_ret) - 0.1 * words, abs=0.01)


async def test_answer_and_question_stand_behind_the_evidence_with_the_fields_in_another_order():
    record = await ask(n_demos=2)
    prompt, scored = calls(record, "noisy channel")[0]
    assert prompt.text.startswith("Each piece of evidence is followed by an answer that it gives")
    assert prompt.text.endswith(f"Evidence:\n{fence(MAYOR.text, 'Ida Renn')}\nAnswer:")
    assert prompt.text.count("\nAnswer: ") == prompt.text.count("\nQuestion: ") == 2
    assert prompt.text.index("\nAnswer: ") < prompt.text.index("\nQuestion: ")
    assert (scored.role, scored.text) == ("assistant", f" Tromvik\nQuestion: {ASKED}")


async def test_each_different_answer_of_a_paragraph_is_scored_once():
    record = await ask(says=[("", "Tromvik")], n_samples=4)
    assert purposes(record).count("noisy channel") == 3
    assert scorer_of(record).data["ranking"][0]["votes"] == 12


@pytest.mark.parametrize(("scorer", "num"), [("direct", 0), ("rag", 0), ("poe", 3), ("noisy_channel", 3)])
async def test_words_are_scored_only_where_the_scorer_needs_it(scorer, num):
    assert purposes(await ask(scorer=scorer)).count("noisy channel") == num


async def test_a_budget_that_ends_amid_the_scoring_leaves_what_can_be_had_without():
    record = await ask(budget={"max_llm_calls": 4}, scorer="poe")
    assert scorer_of(record).data["used"] == "poe_without_noisy_channel"
    assert "a limit was reached before all answers were scored" in scorer_of(record).text
    assert record.answer.stopped_because == "max_llm_calls"
    record = await ask(budget={"max_llm_calls": 4}, scorer="noisy_channel")
    assert scorer_of(record).data["used"] == "fallback"


def test_the_words_between_answer_and_question_count_for_nothing_and_each_part_may_be_normalised():
    tokens = [("e: Tr", -1.0), ("omvik", -2.0), ("\nQuest", -50.0), ("ion:", -50.0), (" Who", -3.0), (" is", -4.0), ("?", -5.0)]
    reply = Reply("", logprobs=tuple(TokenLogprob(*token) for token in tokens))
    parts = (" Tromvik", " Who is?", "\nQuestion:")
    assert channel_logprob(reply, *parts, is_mean=False) == pytest.approx(-15.0)
    assert channel_logprob(reply, *parts, is_mean=True) == pytest.approx(-1.5 - 4.0)
