"""The examples of SearChain's prompts: demonstrations of the question's task family, as chains."""

from __future__ import annotations

import pytest
from support.bench import Bench, WithoutPrefill, calls, chain, told

from hopweave.answering.demonstrations import demonstrations, sample
from hopweave.answering.methods.searchain._chain import parse_chain
from hopweave.answering.methods.searchain._chain_examples import open_chain, whole_chain
from hopweave.core.types import Abilities, Question
from hopweave.text.final import final_answer

MILL = "In which town does the Glass Mill stand?"
SAYS = [chain((MILL, "Orlau")), "[Final Content]: It stands in Orlau [1]. So the final answer is Orlau."]
SHORT = Question("q", MILL)
LABEL = Question("q", "Does the Glass Mill grind glass?", "label", ("Yes", "No"))
CLAIM = Question("q", "The Glass Mill grinds glass.", "label", ("SUPPORTS", "REFUTES"))
LONG = Question("q", "Why does the Glass Mill grind no glass?", "long")
SLOT = Question("q", "Glass Mill [SEP] location", family="slot_filling")


async def prompts(question=SHORT, **options):
    """The first prompt for a chain, and that for tracing where there is one."""
    record = await Bench(SAYS).ask(question, "searchain", **options)
    return [calls(record, purpose)[0][0].text for purpose in ("chain", "tracing") if calls(record, purpose)]


def questions(prompt):
    return [line.removeprefix("[Question]: ") for line in prompt.split("\n") if line.startswith("[Question]: ")]


@pytest.mark.parametrize("stop_before_final", [True, False])
async def test_an_example_is_a_chain_that_ends_as_the_models_is_to_end_and_the_last_one_stops_at_an_open_query(
    stop_before_final,
):
    first, _, last = sample(3)
    prompt = (await prompts(stop_before_final=stop_before_final))[0]
    steps = first.steps
    final = (
        f" {steps[0].sentence[:-1]} [1]. {steps[1].sentence[:-1]} [2]. {steps[2].sentence[:-1]} [3]. "
        f"So the final answer is {first.answer}."
    )
    assert (
        f"\n\nExample:\n[Question]: {first.question}\n"
        f"[Query 1]: {steps[0].query}\n[Answer 1]: {steps[0].answer}\n"
        f"[Query 2]: {steps[1].query}\n[Answer 2]: {steps[1].answer}\n"
        f"[Query 3]: {steps[2].query}\n[Answer 3]: {steps[2].answer}\n"
        f"[Final Content]:{'' if stop_before_final else final}\n\nExample:\n"
    ) in prompt
    assert prompt.endswith(
        f"\n\nExample:\n[Question]: {last.question}\n[Query 1]: {last.steps[0].query}\n[Answer 1]: {last.steps[0].answer}\n"
        f"[Unsolved Query]: {last.steps[1].query}\n\n[Question]: {MILL}"
    )


@pytest.mark.parametrize(
    ("question", "family", "num"),
    [
        (SHORT, "multi_hop", 2),
        (LABEL, "yes_no", 2),
        (CLAIM, "fact_checking", 4),
        (SLOT, "slot_filling", 2),
        (LONG, "long_form", 2),
    ],
)
async def test_as_many_of_its_task_family_as_table_11_says_and_one_more_that_stops_and_tracing_shows_the_same(
    question, family, num
):
    expected = [one.question for one in sample(num + 1, family=family)]
    first, tracing = await prompts(question)
    assert questions(first) == [*expected, question.text]
    assert questions(tracing) == [*expected[:-1], question.text]
    assert tracing.count("\n[Final Content]: ") == num


@pytest.mark.parametrize(("question", "num"), [(SHORT, 2), (LABEL, 6), (CLAIM, 4)])
async def test_without_retrieval_the_table_has_numbers_of_its_own_and_no_example_stops(question, num):
    [prompt] = await prompts(question, use_retrieval=False)
    assert len(questions(prompt)) == num + 1
    assert "[Unsolved Query]" not in prompt


async def test_an_example_states_the_kind_of_answer_as_the_question_does():
    note = "\n(The final answer can only be one of: SUPPORTS, REFUTES)\n[Query 1]: "
    first, tracing = await prompts(CLAIM)
    assert first.count(note) == 5
    assert tracing.count(note) == 5
    first, _ = await prompts(LONG)
    assert first.count("\n(The final answer is an explanation of several sentences.)\n[Query 1]: ") == 3


async def test_with_n_demos_0_nothing_but_the_rules_stands_before_the_question():
    for prompt in await prompts(n_demos=0):
        assert "Example:" not in prompt
        assert questions(prompt) == [MILL]
        assert "\n\n\n" not in prompt


async def test_where_every_demonstration_is_shown_the_last_one_is_shown_again_as_one_that_stops():
    first, _ = await prompts(LONG, n_demos=9)
    shown = [one.question for one in sample(9, family="long_form")]
    assert questions(first) == [*shown, shown[-1], LONG.text]


class Small(WithoutPrefill):
    @property
    def abilities(self):
        return Abilities(context_tokens=900)


async def test_examples_that_do_not_fit_are_dropped_the_last_first_and_the_one_that_stops_stays():
    record = await Bench(llm=Small(SAYS)).ask(SHORT, "searchain", n_demos=6)
    first = questions(calls(record, "chain")[0][0].text)
    assert 2 < len(first) < 8
    assert first[:-2] == [one.question for one in sample(len(first) - 2)]
    assert first[-2] == sample(7)[-1].question
    assert told(record, "packed")[0] == f"{len(first) - 2} of 6 demonstrations fit"


@pytest.mark.parametrize("family", ["multi_hop", "yes_no", "slot_filling", "fact_checking", "long_form"])
def test_every_demonstration_reads_back_as_the_chain_that_it_is(family):
    form = {"yes_no": "label", "fact_checking": "label", "long_form": "long"}.get(family, "short")
    question = Question("q", "", form, ("Yes", "No") if family == "yes_no" else ("SUPPORTS", "REFUTES"))
    for one in demonstrations(family):
        whole, left_open = parse_chain(whole_chain(one, form)), parse_chain(open_chain(one, form))
        assert not whole.problems
        assert [(node.query, node.answer.removesuffix(".")) for node in whole.nodes] == [
            (step.query, step.answer) for step in one.steps
        ]
        assert all(f"[{number}]." in whole.final for number in range(1, len(one.steps) + 1))
        assert final_answer(whole.final, question)[0] == one.answer
        assert [node.is_unsolved for node in left_open.nodes] == [*([False] * (len(one.steps) - 1)), True]
        assert left_open.nodes[-1].query == one.steps[-1].query
