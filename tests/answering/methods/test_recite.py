"""Recite-and-answer: passages from memory, an answer from each recitation, one vote."""

from dataclasses import replace

import pytest
from support.bench import Bench, calls, decisions, looks, purposes, queries, scene, told, unread, verdicts

from hopweave.answering.demonstrations import sample
from hopweave.core.types import Question, Reply
from hopweave.models.llms.scripted import Line, Scripted

ASKED = "Where was the mayor of Orlau born?"
LABEL = Question("q", "Is Orlau a town?", "label", ("Yes", "No"))
LONG = Question("q", "Why is Orlau a town?", "long")
RECITED = " 1: Ida Renn is the mayor of Orlau.\nAnswer 2: Ida Renn was born in Tromvik."


def model(recitations, answers):
    """What it recites in turn, and what it answers in turn."""
    return [("write out from memory", recitations), ("from the paragraphs above", answers)]


async def ask(*answers, recitations=(RECITED,), question=ASKED, budget=None, **options):
    rules = model(list(recitations), list(answers))
    return await Bench(rules).ask(question, "recite", budget, **{"n_recitations": len(answers), **options})


async def test_it_recites_then_answers_from_each_recitation_and_takes_the_vote():
    record = await ask(
        "The answer is Ulm.",
        "The answer is Tromvik.",
        "The answer is Tromvik.",
        recitations=[" 1: Ulm.", " 1: A.\nAnswer 2: B.", " 1: C."],
    )
    assert purposes(record) == ["recite"] * 3 + ["answer"] * 3
    assert queries(record) == []
    assert (record.answer.short, record.answer.how, record.answer.stopped_because) == ("Tromvik", "marker", "finished")
    assert record.answer.text == "A.\nB.\nThe answer is Tromvik."
    assert verdicts(record) == [(ASKED, "Tromvik", "unsupported")]
    [vote] = decisions(record, "vote")
    assert vote.data["answers"] == ["Ulm", "Tromvik", "Tromvik"]
    assert vote.data["consistency"] == pytest.approx(2 / 3)
    assert told(record, "recitation") == ["Ulm.", "A. / B.", "C."]


async def test_the_prompt_to_recite_ends_where_the_first_passage_begins():
    [[prompt], _] = calls(await ask("The answer is Tromvik.", n_demos=1, seed=2))
    [shown] = sample(1, seed=2)
    _, _, rest = prompt.text.partition("\n\n")
    example, _, own = rest.partition("\n\n\n")
    question, bridge, first, second = example.splitlines()
    assert question == f"Question: {shown.question}"
    assert first.startswith("Answer 1: ")
    assert second.startswith("Answer 2: ")
    for line, step in zip((first, second), shown.steps[-2:], strict=True):
        assert step.answer in line
        assert all(part in step.passage.text for part in line[len("Answer 1: ") :].split(". "))
    assert own == f"Question: {ASKED}\n{bridge}\nAnswer"


async def test_the_prompt_to_answer_shows_the_recitation_then_questions_with_bare_answers():
    [_, [prompt]] = calls(await ask("The answer is Tromvik.", n_demos=2))
    first, second = sample(2)
    passages, request, *rest = prompt.text.split("\n\n")
    assert passages == "Ida Renn is the mayor of Orlau.\nIda Renn was born in Tromvik."
    assert request.endswith('Write only "The answer is X.", where X is as short as possible')
    assert rest == [
        f"Q: {first.question}\nA: The answer is {first.answer}.",
        f"Q: {second.question}\nA: The answer is {second.answer}.",
        f"Q: {ASKED}\nA:",
    ]


async def test_recitations_are_sampled_and_answers_are_greedy_and_short():
    bench = Bench(model(RECITED, "The answer is Tromvik."))
    record = await bench.ask(ASKED, "recite")
    samplings = [sampling for _, sampling in bench.llm.calls]
    assert record.totals().completions == 40
    assert {(one.temperature, one.max_tokens, one.stop) for one in samplings[:20]} == {(0.7, 128, ("\n\n\n", "\nQuestion:"))}
    assert {(one.temperature, one.max_tokens) for one in samplings[20:]} == {(0.0, 16)}
    assert calls(record, "recite")[0][0].text.count("\nQuestion: ") == 4 + 1
    assert calls(record, "answer")[0][0].text.count("\nQ: ") == 4 + 1


async def test_a_single_recitation_is_greedy():
    bench = Bench(model(RECITED, "The answer is Tromvik."))
    record = await bench.ask(ASKED, "recite", n_recitations=1)
    assert [sampling.temperature for _, sampling in bench.llm.calls] == [0.0, 0.0]
    assert record.answer.short == "Tromvik"


async def test_the_answers_are_asked_for_side_by_side():
    bench = Bench(model(RECITED, Line("The answer is Tromvik.", delay_seconds=0.01)))
    await bench.ask(ASKED, "recite", n_recitations=5)
    assert bench.llm.max_concurrency == 5


async def test_where_the_endpoint_samples_at_once_the_recitations_are_one_request():
    class AtOnce(Scripted):
        abilities = replace(Scripted().abilities, samples=True)

        async def replies(self, messages, sampling, num):
            return [Reply(RECITED)] * num

    record = await Bench(llm=AtOnce([("", "The answer is Tromvik.")])).ask(ASKED, "recite", n_recitations=4)
    assert (record.totals().llm_calls, record.totals().completions) == (1 + 4, 8)


@pytest.mark.parametrize(
    ("recited", "passages"),
    [
        (" 1: A b.\nAnswer 2: C.", "A b. / C."),
        ("Answer 1: A b.\n\nAnswer 2: C.", "A b. / C."),
        ("1: A\nb.\n2: C.", "A b. / C."),
        ("**Answer 1:** A b.\n**Answer 2:** C.", "A b. / C."),
        (": A b.", "A b."),
        ("Answer: A b.", "A b."),
        ("A b. In 1843: C.", "A b. In 1843: C."),
        (" 1: A.\n\n\nQuestion: B?", "A."),
        (" 1: A.\nQuestion: B?", "A."),
        (" 1: A.\nQ: B?\nA: The answer is C.", "A. Q: B? A: The answer is C."),
    ],
)
async def test_however_passages_are_numbered_each_is_one_line(recited, passages):
    record = await ask("The answer is Tromvik.", recitations=[recited])
    assert told(record, "recitation") == [passages]
    assert unread(record) == []


async def test_where_nothing_is_recited_at_all_the_question_is_asked_once_without():
    record = await ask("The answer is Tromvik.", "no call", recitations=[""])
    assert calls(record, "answer")[0][0].text.startswith("(Nothing was recited.)\n\n")
    assert purposes(record) == ["recite"] * 2 + ["answer"]
    assert (record.answer.short, record.answer.text) == ("Tromvik", "The answer is Tromvik.")


@pytest.mark.parametrize("said", ["Ulm", "The answer is Ulm", "It is said that", ""])
async def test_an_answer_that_is_no_whole_sentence_gives_no_vote_and_is_counted(said):
    record = await ask(said, said, "The answer is Tromvik.")
    assert (record.answer.short, record.answer.how) == ("Tromvik", "marker")
    assert len(unread(record)) == 2
    assert decisions(record, "vote")[0].data["answers"] == ["", "", "Tromvik"]


@pytest.mark.parametrize(
    ("said", "short"),
    [
        ("The answer is J. R. R. Tolkien.", "J. R. R. Tolkien"),
        ('the answer is "Tromvik".\nThe answer is Ulm.', "Tromvik"),
        ("The answer is Tromvik.\n\nQ: Who?\nA: The answer is Ulm.", "Tromvik"),
    ],
)
async def test_the_first_line_of_the_answer_counts_up_to_its_last_full_stop(said, short):
    assert (await ask(said)).answer.short == short


async def test_ties_go_to_the_shorter_and_answers_vote_as_they_are_written():
    said = [f"The answer is {one}." for one in ("the Orr", "Orr", "an Orr", "Teel", "Teel")]
    assert (await ask(*said)).answer.short == "Teel"
    assert (await ask(*said, normalize=True)).answer.short == "the Orr"
    assert (await ask("The answer is the Orr.", "The answer is Teel.")).answer.short == "Teel"
    assert (await ask("The answer is the Orr.", "The answer is Teel.", tie="first")).answer.short == "the Orr"


async def test_labels_vote_however_they_are_worded():
    record = await ask("The answer is No.", "yes", "The answer is Yes, it is.", question=LABEL)
    assert (record.answer.short, record.answer.how) == ("Yes", "marker")
    assert decisions(record, "vote")[0].data["answers"] == ["No", "Yes", "Yes"]
    assert calls(record, "recite")[0][0].text.splitlines()[-3].endswith("(The answer can only be one of: Yes, No)")
    assert calls(record, "answer")[0][0].text.endswith("(The answer can only be one of: Yes, No)\nA:")


async def test_of_explanations_the_one_most_like_the_others_is_the_answer():
    middle = "It has a wall and a market.\nIt is old."
    bench = Bench(model(RECITED, ["It has a wall and a gate. It is old.", middle, "It has one market."]))
    record = await bench.ask(LONG, "recite", n_recitations=3)
    assert (record.answer.text, record.answer.short) == (middle, middle)
    assert {sampling.max_tokens for _, sampling in bench.llm.calls} == {128, 256}
    assert unread(record) == []


async def test_where_a_step_answers_there_is_a_passage_and_no_more_than_asked_for():
    single = Question("q", "Which river runs through Orlau?", family="slot_filling")
    [[prompt], _] = calls(await ask("The answer is Orr.", question=single, n_demos=1))
    assert ("Answer 1: " in prompt.text, "Answer 2: " in prompt.text) == (True, False)
    [[prompt], _] = calls(await ask("The answer is Orr.", num_passages=1, n_demos=4))
    assert "Answer 2: " not in prompt.text


@pytest.mark.parametrize(("allowed", "num"), [(2, 1), (3, 1), (4, 2), (5, 2)])
async def test_of_limited_calls_half_are_kept_for_the_answers(allowed, num):
    record = await ask(*["The answer is Tromvik."] * 6, budget={"max_llm_calls": allowed})
    assert purposes(record) == ["recite"] * num + ["answer"] * num
    assert (record.answer.short, record.answer.stopped_because) == ("Tromvik", "max_llm_calls")


async def test_the_answers_that_the_tokens_allow_are_voted_on():
    whole = await ask(*["The answer is Tromvik."] * 3)
    usages = [step.usage for step in whole.steps if step.kind == "model_call"]
    until_first_answer = sum(usage.prompt_tokens + usage.completion_tokens for usage in usages[:3])
    record = await ask(*["The answer is Tromvik."] * 3, budget={"max_tokens": until_first_answer + 1})
    assert purposes(record) == ["recite"] * 3 + ["answer"]
    assert (record.answer.short, record.answer.stopped_because) == ("Tromvik", "max_tokens")


@pytest.mark.parametrize(("dialogue", "seen"), [
    scene("an empty recitation gives no vote and is counted",
        lambda: ask("The answer is Tromvik.", "no call", "no call", recitations=["", " 1:  ", RECITED]),
        purposes=["recite"] * 3 + ["answer"], unread=["nothing is recited"] * 2, short="Tromvik"),
    scene("where no answer is a whole sentence what they say counts",
        lambda: ask("Ulm", "Tromvik", "Tromvik"), answer=("Tromvik", "full"), num_unread=3),
    scene("where all answers are empty there is none", lambda: ask("", ""), answer=("", "empty"), error=None),
    scene("with a single call there is a recitation and no answer",
        lambda: ask("The answer is Tromvik.", budget={"max_llm_calls": 1}), answer=("", "empty"), stopped="max_llm_calls",
        text="Ida Renn is the mayor of Orlau.\nIda Renn was born in Tromvik."),
    scene("marks that the model invents are removed and counted",
        lambda: ask("The answer is Tromvik [2].", recitations=[" 1: She is from Tromvik [1]."]), error=None,
        text="She is from Tromvik.\nThe answer is Tromvik.", marks_removed=2, short="Tromvik"),
])  # fmt: skip
async def test_what_comes_of_a_dialogue(dialogue, seen):
    assert looks(await dialogue(), seen) == seen
