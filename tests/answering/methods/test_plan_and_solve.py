"""Plan-and-solve: a whole plan, then its solution, in one call; zero-shot the original. The facts are made up."""

from __future__ import annotations

import pytest
from support.bench import Bench, calls, decisions, purposes, queries, told, unread, verdicts

from hopweave.answering.demonstrations import demonstrations
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


async def test_one_call_plans_and_solves():
    record = await ask(SOLVED)
    assert purposes(record) == ["plan"]
    assert queries(record) == []
    assert told(record, "plan") == [f"{WHO} / {WHERE}"]
    assert verdicts(record) == [(WHO, "Ida Renn", "unsupported"), (WHERE, "Tromvik", "unsupported")]
    assert record.answer.text == f"{WHO} Ida Renn. {WHERE} Tromvik. {FINAL}"
    assert (record.answer.short, record.answer.how, record.answer.stopped_because) == ("Tromvik", "marker", "finished")
    assert unread(record) == []


async def test_a_demonstration_has_its_whole_plan_before_any_answer_and_names_none_in_it():
    record = await ask(SOLVED, n_demos=20)
    [[prompt]] = calls(record)
    assert prompt.text.endswith(f"\n\nQuestion: {ASKED}\nPlan:")
    assert (
        "Question: In which town was the composer of The Planets born?\nPlan:\n1. Who composed The Planets?\n"
        "2. In which town was the answer to 1 born?\nSolution:\n1. Gustav Holst\n2. Cheltenham\n"
        "So the final answer is Cheltenham.\n\n"
    ) in prompt.text


@pytest.mark.parametrize(("options", "num"), [({}, 4), ({"n_demos": 0}, 0), ({"n_demos": 2}, 2)])
async def test_as_many_demonstrations_as_table_11_or_the_option_says(options, num):
    [[prompt]] = calls(await ask(SOLVED, **options))
    assert prompt.text.count("\nQuestion: ") == num + 1


async def test_another_seed_shows_other_demonstrations_and_the_asked_one_is_never_shown():
    one, other = [calls(await ask(SOLVED, seed=seed))[0][0].text for seed in (0, 1)]
    assert one != other
    same = demonstrations()[0].question
    assert calls(await ask(SOLVED, question=same, n_demos=20))[0][0].text.count(same) == 1


async def test_the_call_is_greedy_and_ends_before_a_question_that_the_model_makes_up():
    bench = Bench([f"{SOLVED}\nQuestion: And now?\nSo the final answer is nothing."])
    record = await bench.ask(ASKED, "plan_and_solve")
    [(_, sampling)] = bench.llm.calls
    assert (sampling.temperature, sampling.max_tokens, sampling.stop) == (0, 400, ("\nQuestion:",))
    assert record.answer.short == "Tromvik"


async def test_without_a_plan_the_reply_is_read_as_a_chain_of_thought():
    record = await ask(f"Ida Renn was born there. {FINAL}")
    assert purposes(record) == ["plan"]
    assert unread(record) == ["no plan was written"]
    assert record.answer.text == f"Ida Renn was born there. {FINAL}"
    assert verdicts(record) == [(ASKED, "Tromvik", "unsupported")]


async def test_without_a_final_answer_one_is_asked_for_once():
    text = f"{PLAN}\nSolution:\n1. Ida Renn\n2. Tromvik"
    record = await ask(text, "Tromvik")
    assert purposes(record) == ["plan", "answer"]
    first, second = calls(record)
    assert second[:1] == first
    assert [message.text for message in second[1:]] == [text, FINISH]
    assert (record.answer.short, record.answer.how) == ("Tromvik", "forced")
    assert unread(record) == []


async def test_where_that_gives_none_either_the_last_step_is_the_answer():
    record = await ask(f"{PLAN}\nSolution:\n1. Ida Renn\n2. unknown", "")
    assert (record.answer.short, record.answer.how) == ("Ida Renn", "last-claim")
    assert verdicts(record)[1] == (WHERE, "", "unsupported")
    assert unread(record) == ["the reply is empty"]


async def test_an_empty_reply_is_no_turn_of_the_conversation():
    record = await ask("", "Tromvik")
    [message] = calls(record)[1]
    assert message.text.endswith(f"\nPlan:\n\n{FINISH}")
    assert (record.answer.short, record.answer.how) == ("Tromvik", "forced")


async def test_steps_without_an_answer_are_counted_and_stay_open():
    record = await ask(f"{PLAN}\nSolution:\n2. Tromvik\n{FINAL}")
    assert unread(record) == ["step 1 has no answer"]
    assert verdicts(record) == [(WHO, "", "unsupported"), (WHERE, "Tromvik", "unsupported")]


async def test_a_label_is_read_only_behind_the_marker_and_else_asked_for():
    question = Question("q", ASKED, "label", ("Yes", "No"))
    text = f"{PLAN}\nSolution:\n1. Ida Renn\n2. no"
    assert (await ask(f"{text}\nSo the final answer is Yes.", question=question)).answer.short == "Yes"
    record = await ask(text, "Yes", question=question)
    assert (record.answer.short, record.answer.how) == ("Yes", "forced")


async def test_a_long_answer_is_what_stands_behind_the_steps():
    record = await ask(f"{PLAN}\nSolution:\n1. Ida Renn\n2. Tromvik\nIt has a wall. It has a market.", question=LONG)
    assert record.answer.text == record.answer.short == "It has a wall. It has a market."
    assert purposes(record) == ["plan"]


async def test_a_long_answer_that_is_missing_is_asked_for_and_may_be_long():
    bench = Bench([f"{PLAN}\nSolution:\n1. Ida Renn\n2. Tromvik", "It has a wall."])
    record = await bench.ask(LONG, "plan_and_solve")
    assert bench.llm.calls[1][1].max_tokens == 256
    assert record.answer.text == "It has a wall."


async def test_a_limit_before_the_second_call_leaves_the_answer_of_the_last_step():
    record = await ask(f"{PLAN}\nSolution:\n1. Ida Renn\n2. Tromvik", budget={"max_llm_calls": 1})
    assert (record.answer.short, record.answer.how, record.answer.stopped_because) == ("Tromvik", "last-claim", "max_llm_calls")


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


async def test_zero_shot_takes_an_answer_that_is_there():
    record = await ask("She is from there. Therefore, the answer is Tromvik.", zero_shot=True)
    assert purposes(record) == ["reasoning"]
    assert (record.answer.short, record.answer.how) == ("Tromvik", "alt-marker")
    assert unread(record) == []


@pytest.mark.parametrize("prefill", [False, True])
@pytest.mark.parametrize("reply", [" Tromvik.", "Therefore, the answer is Tromvik.", "Tromvik\n\nI am sure."])
async def test_zero_shot_has_the_model_go_on_from_therefore_where_it_names_no_answer(reply, prefill):
    bench = Bench(["First this. Then that.", reply], prefill=prefill)
    record = await bench.ask(ASKED, "plan_and_solve", zero_shot=True)
    assert purposes(record) == ["reasoning", "answer"]
    assert calls(record)[1][-1].text.endswith("First this. Then that.\nTherefore, the answer is")
    assert (bench.llm.calls[1][1].max_tokens, bench.llm.calls[1][1].stop) == (32, ("\n\n",))
    assert (record.answer.short, record.answer.how) == ("Tromvik", "forced")


async def test_zero_shot_without_any_answer_is_empty_and_counted():
    record = await ask("First this.", "", zero_shot=True)
    assert (record.answer.short, record.answer.how) == ("", "empty")
    assert unread(record) == ["the reply is empty"]


async def test_a_limit_before_therefore_leaves_the_whole_reply():
    record = await ask("Tromvik it is", zero_shot=True, budget={"max_llm_calls": 1})
    assert (record.answer.short, record.answer.how, record.answer.stopped_because) == ("Tromvik it is", "full", "max_llm_calls")


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


async def test_a_limit_among_the_samples_is_voted_on_with_those_that_are_there():
    record = await ask("The answer is Ulm.", "Hm.", zero_shot=True, num_samples=3, budget={"max_llm_calls": 2})
    assert (record.answer.short, record.answer.stopped_because) == ("Ulm", "max_llm_calls")
