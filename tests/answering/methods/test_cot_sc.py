"""Self-consistency: many chains of thought, one vote."""

import math
from dataclasses import replace

import pytest
from support.bench import Bench, calls, decisions, looks, purposes, queries, scene, told, unread, verdicts

from hopweave.answering.demonstrations import sample
from hopweave.core.types import Question, Reply
from hopweave.models.llms.scripted import Line, Scripted

ASKED = "Where was the mayor of Orlau born?"
LABEL = Question("q", "Is Orlau a town?", "label", ("Yes", "No"))
LONG = Question("q", "Why is Orlau a town?", "long")


def chain(answer, reason="Ida Renn is the mayor."):
    return f"{reason} So the final answer is {answer}."


def sure(text, logprob):
    return Line(text, logprobs=({"x": logprob},))


async def ask(*replies, question=ASKED, budget=None, **options):
    return await Bench(replies).ask(question, "cot_sc", budget, n_samples=len(replies), **options)


def votes(record):
    [vote] = decisions(record, "vote")
    return vote.data["answers"], vote.data["consistency"]


async def test_the_answer_that_most_samples_give_wins_in_the_words_of_the_first_of_them():
    record = await ask(chain("Ulm"), chain("the Tromvik"), chain("Tromvik", "Renn is from there."), chain("Tromvik"))
    assert purposes(record) == ["reasoning"] * 4
    assert queries(record) == []
    assert (record.answer.short, record.answer.how, record.answer.stopped_because) == ("the Tromvik", "marker", "finished")
    assert votes(record) == (["Ulm", "the Tromvik", "Tromvik", "Tromvik"], 0.75)
    assert told(record, "vote") == ["3 of 4 samples: the Tromvik"]
    assert verdicts(record) == [(ASKED, "the Tromvik", "unsupported")]


async def test_all_samples_are_drawn_from_the_prompt_of_chain_of_thought():
    bench = Bench([chain("Tromvik")] * 3)
    record = await bench.ask(ASKED, "cot_sc", n_samples=3, temperature=0.5, top_p=0.9, max_tokens=99, n_demos=1, seed=3)
    prompts = {prompt.text for [prompt] in calls(record)}
    [prompt] = prompts
    [shown] = sample(1, seed=3)
    assert f"\n\nQ: {shown.question}\nA: {shown.reasoning} So the final answer is {shown.answer}.\n\nQ: {ASKED}\nA:" in prompt
    for _, sampling in bench.llm.calls:
        assert (sampling.temperature, sampling.top_p, sampling.max_tokens, sampling.stop) == (0.5, 0.9, 99, ("\nQ:",))


async def test_by_default_twenty_samples_are_drawn_at_temperature_seven_tenths():
    bench = Bench([("", chain("Tromvik"))])
    record = await bench.ask(ASKED, "cot_sc")
    assert {sampling.temperature for _, sampling in bench.llm.calls} == {0.7}
    assert record.totals().completions == 20
    assert calls(record)[0][0].text.count("\nQ: ") == 4 + 1


async def test_where_the_endpoint_draws_all_at_once_it_is_one_request():
    class AtOnce(Scripted):
        abilities = replace(Scripted().abilities, samples=True)

        async def replies(self, messages, sampling, num):
            return [Reply(chain("Tromvik"))] * num

    record = await Bench(llm=AtOnce()).ask(ASKED, "cot_sc", n_samples=5)
    assert (record.totals().llm_calls, record.totals().completions) == (1, 5)
    assert record.answer.short == "Tromvik"


@pytest.mark.parametrize(("tie", "answer"), [("logprob", "New Tromvik"), ("first", "Old Tromvik"), ("shorter", "Ulm")])
async def test_a_tie_is_broken_as_the_option_says(tie, answer):
    replies = [sure(chain("Old Tromvik"), -2.0), sure(chain("New Tromvik"), -1.0), sure(chain("Ulm"), -3.0)]
    assert (await ask(*replies, tie=tie)).answer.short == answer


async def test_a_sample_without_the_marker_gives_no_vote_and_is_counted():
    record = await ask("Tromvik", "Tromvik", chain("Ulm"), "")
    assert record.answer.short == "Ulm"
    assert votes(record) == (["", "", "Ulm", ""], 0.25)
    assert unread(record) == ["no sentence says what the final answer is"] * 2 + ["the reply is empty"]


async def test_where_every_sample_is_empty_there_is_no_answer():
    record = await ask("", "")
    assert (record.answer.short, record.answer.text, record.answer.how) == ("", "", "empty")
    assert votes(record) == (["", ""], 0.0)


async def test_labels_vote_however_they_are_worded():
    record = await ask(chain("No"), chain("yes, surely"), "It has a market, so it is true.", question=LABEL)
    assert (record.answer.short, record.answer.how) == ("Yes", "marker")
    assert votes(record)[0] == ["No", "Yes", "Yes"]
    assert unread(record) == []


async def test_of_explanations_the_one_most_like_the_others_is_the_answer():
    middle = "It has a wall and a market."
    record = await ask("It has a wall and a gate.", middle, "It has one market.", question=LONG)
    assert (record.answer.short, record.answer.text, record.answer.how) == (middle, middle, "full")
    assert unread(record) == []


@pytest.mark.parametrize(("dialogue", "seen"), [
    scene("the text is what the model was surest of among those that agree",
        lambda: ask(sure(chain("Tromvik", "A guess."), -2.0), sure(chain("Tromvik", "A fact."), -1.0),
            sure(chain("Ulm", "Sure."), -0.1)),
        text=chain("Tromvik", "A fact.")),
    scene("where no sample has the marker the whole texts vote",
        lambda: ask("Ulm", "Tromvik", "Tromvik."), answer=("Tromvik", "full"), num_unread=3),
    scene("the examples that a sample goes on with are cut off",
        lambda: ask(f"{chain('Tromvik')}\nQ: And now?\nA: {chain('Ulm')}"), short="Tromvik"),
])  # fmt: skip
async def test_what_comes_of_a_dialogue(dialogue, seen):
    assert looks(await dialogue(), seen) == seen


async def test_where_the_budget_allows_fewer_samples_those_vote():
    record = await ask(chain("Ulm"), chain("Tromvik"), chain("Ulm"), chain("Rom"), budget={"max_llm_calls": 3})
    assert (record.answer.short, record.answer.stopped_because) == ("Ulm", "max_llm_calls")
    assert math.isclose(votes(record)[1], 2 / 3)
