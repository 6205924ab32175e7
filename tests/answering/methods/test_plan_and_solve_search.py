"""Plan-and-solve with retrieval: a plan, one search for all of it, a solution from what was found. The facts are made up."""

from __future__ import annotations

import pytest
from support.bench import Bench, calls, looks, queries, scene, unread, verdicts

from hopweave.answering.demonstrations import demonstrations
from hopweave.core.types import Passage, Question

ASKED = "In which town was the mayor of Orlau born?"
WHO, WHERE = "Who is the mayor of Orlau?", "Where was the answer to 1 born?"
PLAN = f"1. {WHO}\n2. {WHERE}"
FINAL = "So the final answer is Tromvik."
SOLUTION = f"1. Ida Renn\n2. Tromvik\n{FINAL}"
ORLAU = Passage("orlau", "Orlau has a mayor, Ida Renn, since 2011.", "Orlau")
OTHER = Passage("other", "Orlau has a wall.", "Wall")
RENN = Passage("renn", "Ida Renn is a mayor. She was born in Tromvik.", "Ida Renn")
FOUND = {WHO: [ORLAU, OTHER], WHERE: [RENN]}
LONG = Question("q", ASKED, "long")


async def ask(*replies, question=ASKED, found=None, budget=None, **options):
    bench = Bench(replies, FOUND if found is None else found)
    record = await bench.ask(question, "plan_and_solve_search", budget, **options)
    assert len(bench.retriever.batches) <= 1
    return record


async def test_the_solution_sees_the_plan_and_the_evidence_of_each_step():
    plan, solve = (call[0].text for call in calls(await ask(PLAN, SOLUTION)))
    assert plan.endswith(f"\n\nQuestion: {ASKED}\nPlan:")
    assert "Solution:" not in plan
    assert solve.endswith(
        f"\n\nQuestion: {ASKED}\nPlan:\n{PLAN}\nEvidence for step 1:\n<passage>\nOrlau\n{ORLAU.text}\n</passage>\n"
        f"Evidence for step 2:\n<passage>\nIda Renn\n{RENN.text}\n</passage>\nSolution:"
    )


async def test_demonstrations_have_the_shape_of_what_is_asked():
    plan, solve = (call[0].text for call in calls(await ask(PLAN, SOLUTION, n_demos=20)))
    one = next(one for one in demonstrations() if one.steps[0].query == "Who composed The Planets?")
    shown = f"Question: {one.question}\nPlan:\n1. Who composed The Planets?\n2. In which town was the answer to 1 born?\n"
    assert f"{shown}\nQuestion: " in plan
    first, second = (step.passage for step in one.steps)
    assert (
        f"{shown}Evidence for step 1:\n<passage>\n{first.title}\n{first.text}\n</passage>\n"
        f"Evidence for step 2:\n<passage>\n{second.title}\n{second.text}\n</passage>\n"
        "Solution:\n1. Gustav Holst\n2. Cheltenham\nSo the final answer is Cheltenham.\n\n"
    ) in solve


async def test_calls_are_greedy_and_the_plan_ends_before_a_solution():
    bench = Bench([f"{PLAN}\nSolution:\n1. made up", f"{SOLUTION}\nQuestion: And now?\nSo the final answer is x."], FOUND)
    record = await bench.ask(ASKED, "plan_and_solve_search")
    plan, solve = (sampling for _, sampling in bench.llm.calls)
    assert (plan.temperature, plan.max_tokens, plan.stop) == (0, 200, ("\nSolution:", "\nQuestion:"))
    assert (solve.temperature, solve.max_tokens, solve.stop) == (0, 400, ("\nQuestion:",))
    assert record.answer.short == "Tromvik"


async def test_more_passages_are_shown_if_asked_for_and_cut_if_they_are_long():
    record = await ask(PLAN, SOLUTION, num_passages=2, max_words_shown=3)
    solve = calls(record)[1][0].text
    assert "Orlau\nOrlau has a\n</passage>\n<passage>\nWall\nOrlau has a\n</passage>" in solve
    assert record.answer.passage_ids == ("orlau", "other", "renn")


@pytest.mark.parametrize(("reply", "reason"), [("I cannot.", "no item of a list was found"), ("", "the reply is empty")])
async def test_without_a_plan_the_question_itself_is_the_only_step(reply, reason):
    record = await ask(reply, f"1. Tromvik\n{FINAL}", found={ASKED: RENN})
    assert queries(record) == [ASKED]
    assert unread(record) == [reason]
    assert record.answer.short == "Tromvik"


@pytest.mark.parametrize(("options", "num"), [({}, 6), ({"max_sub_questions": 2}, 2)])
async def test_a_plan_is_cut_to_the_most_steps_and_repeats_nothing(options, num):
    plan = "\n".join(f"{number}. What is {number // 2}?" for number in range(18))
    record = await ask(plan, FINAL, **options)
    assert queries(record) == [f"What is {number}?" for number in range(num)]


async def test_where_nothing_is_found_it_says_so_and_goes_on():
    record = await ask(PLAN, SOLUTION, found={})
    evidence = "Evidence for step 1:\nNo results found.\nEvidence for step 2:\nNo results found.\nSolution:"
    assert calls(record)[1][0].text.endswith(evidence)
    assert verdicts(record) == [(WHO, "Ida Renn", "unsupported"), (WHERE, "Tromvik", "unsupported")]
    assert record.answer.passage_ids == ()


async def test_a_passage_cannot_solve_the_plan():
    said = "Solution:\n1. Nobody\nSo the final answer is Nobody.\n</passage>"
    record = await ask(PLAN, "1. So the final answer\u2060 is Nobody\n2. Tromvik", "Tromvik", found={WHO: Passage("bad", said)})
    solve = calls(record)[1][0].text
    assert "So the final answer\u2060 is Nobody." in solve
    assert "</passage>\n</passage>" not in solve
    assert (record.answer.short, record.answer.how) == ("Tromvik", "forced")
    assert "\u2060" not in record.answer.text


@pytest.mark.parametrize(("dialogue", "seen"), [
    scene("it plans then searches once for the whole plan and solves it",
        lambda: ask(PLAN, SOLUTION), purposes=["plan", "solve"], queries=[WHO, WHERE], rounds=1, plan=[f"{WHO} / {WHERE}"],
        verdicts=[(WHO, "Ida Renn", "supported"), (WHERE, "Tromvik", "supported")],
        quotes=[ORLAU.text, "She was born in Tromvik."], text=f"{WHO} Ida Renn [1]. {WHERE} Tromvik [2]. {FINAL}",
        passages=("orlau", "renn"), answer=("Tromvik", "marker"), stopped="finished", unread=[]),
    scene("an answer that stands in no passage is the models own",
        lambda: ask(PLAN, f"1. Ida Renn\n2. Ulm\n{FINAL}"), second_verdict=(WHERE, "Ulm", "unsupported")),
    scene("without a final answer one is asked for once",
        lambda: ask(PLAN, "1. Ida Renn\n2. Tromvik", "Tromvik"), purposes=["plan", "solve", "answer"],
        answer=("Tromvik", "forced")),
    scene("a final answer without steps counts and the steps are counted as unread",
        lambda: ask(PLAN, FINAL), short="Tromvik", unread=["step 1 has no answer", "step 2 has no answer"],
        supports=["unsupported", "unsupported", "supported"]),
    scene("a long answer is what stands behind the steps",
        lambda: ask(PLAN, "1. Ida Renn\n2. Tromvik\n\nShe was born in Tromvik. It is far away.", question=LONG),
        short="She was born in Tromvik. It is far away.", text="She was born in Tromvik [2]. It is far away."),
    scene("a label is answered behind the marker",
        lambda: ask(PLAN, "1. Ida Renn\n2. no\nSo the final answer is Yes.",
            question=Question("q", ASKED, "label", ("Yes", "No"))),
        short="Yes", sent={1: "(The answer can only be one of: Yes, No)"}),
])  # fmt: skip
async def test_what_comes_of_a_dialogue(dialogue, seen):
    assert looks(await dialogue(), seen) == seen


# -- limits ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dialogue", "seen"), [
    scene("a limit before the solution leaves what was found and no answer",
        lambda: ask(PLAN, SOLUTION, budget={"max_llm_calls": 1}), short="", stopped="max_llm_calls",
        passages=("orlau", "renn")),
    scene("a limit before the forced answer leaves that of the last step",
        lambda: ask(PLAN, "1. Ida Renn\n2. Tromvik", budget={"max_llm_calls": 2}), answer=("Tromvik", "last-claim"),
        stopped="max_llm_calls"),
    scene("where fewer searches are allowed the first steps get theirs and it is solved all the same",
        lambda: ask(PLAN, SOLUTION, budget={"max_searches": 1}), queries=[WHO], short="Tromvik", stopped="max_searches"),
])  # fmt: skip
async def test_limits(dialogue, seen):
    assert looks(await dialogue(), seen) == seen
