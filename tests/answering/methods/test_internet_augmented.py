"""Internet-augmented: an answer from each of many paragraphs, and a choice among them. The facts are made up."""

from __future__ import annotations

import math

import pytest
from support.bench import Bench, WithoutPrefill, calls, decisions, looks, purposes, queries, scene, told, unread, verdicts

from hopweave.answering.demonstrations import sample
from hopweave.core.prompt import fence
from hopweave.core.types import Abilities, Passage, Question
from hopweave.models.llms.scripted import Line

ASKED = "Where was the mayor of Orlau born?"
LABEL = Question("q", "Is Orlau a town?", "label", ("Yes", "No"))
LONG = Question("q", "Why is Orlau a town?", "long")

MAYOR = Passage("mayor", "The mayor of Orlau was born in Tromvik.", "Ida Renn")
TOWN = Passage("town", "Orlau was built by the sea. Tromvik is a rival.", "Orlau")
PORT = Passage("port", "Ships call every day.", "Port")
FOUND = {question: [PORT, TOWN, MAYOR] for question in (ASKED, LABEL.text, LONG.text)}


class Silent(WithoutPrefill):
    """A model whose endpoint reports no log-probabilities."""

    @property
    def abilities(self) -> Abilities:
        return Abilities()


def say(text, logprob=0.0, num_tokens=1):
    """A reply of so many tokens of the same log-probability."""
    return Line(text, logprobs=tuple({text if number == 0 else "": logprob} for number in range(num_tokens)))


def by_paragraph(mayor, town, port):
    """What is said to each paragraph; several samples of it in turn."""
    said = {"was born in Tromvik": mayor, "built by the sea": town, "Ships call": port}
    return list(said.items())


async def ask(says, question=ASKED, found=None, budget=None, llm=None, **options):
    bench = Bench(says, FOUND if found is None else found, llm=llm)
    return await bench.ask(question, "internet_augmented", budget, **options)


def used(record):
    [scorer] = decisions(record, "scorer")
    return scorer.data["used"]


def answers(record):
    """The ranking of the record: answers, and their scores rounded."""
    [scorer] = decisions(record, "scorer")
    return [(one["answer"], round(one["score"], 3)) for one in scorer.data["ranking"]]


# -- the usual way -----------------------------------------------------------------------------------------------------


async def test_one_search_and_four_answers_from_each_paragraph():
    record = await ask([("", "Tromvik")])
    assert queries(record) == [ASKED]
    assert purposes(record) == ["answer"] * 4 * 3
    assert record.num_rounds() == 1
    assert (record.answer.short, record.answer.how, record.answer.stopped_because) == ("Tromvik", "full", "finished")
    assert unread(record) == []


async def test_a_prompt_shows_one_paragraph_as_evidence():
    record = await ask([("", "Tromvik")], n_demos=0, n_samples=1)
    assert calls(record)[0][0].text == (
        "Answer the last question with the help of the evidence before it. "
        "Give only the answer, as short as possible.\n\n"
        f"Evidence:\n{fence(MAYOR.text, 'Ida Renn')}\nQuestion: {ASKED}\nAnswer:"
    )


async def test_the_nearest_paragraph_comes_first_and_its_share_is_told():
    record = await ask([("", "Tromvik")])
    assert [text.split(",")[0] for text in told(record, "paragraph")] == ["1: Ida Renn", "2: Orlau", "3: Port"]
    shares = [float(text.rsplit(" ", 1)[1]) for text in told(record, "paragraph")]
    assert sum(shares) == pytest.approx(1, abs=0.002)
    assert shares[0] > shares[1] > shares[2]


async def test_every_call_is_filed_under_its_paragraph():
    record = await ask([("", "Tromvik")])
    for place in decisions(record, "paragraph"):
        assert [step.kind for step in record.steps if step.parent == place.id] == ["model_call"] * 4


async def test_paragraphs_are_answered_side_by_side():
    bench = Bench([("", Line("Tromvik", delay_seconds=0.01))], FOUND)
    await bench.ask(ASKED, "internet_augmented")
    assert bench.llm.max_concurrency == 12


async def test_the_answer_cites_the_passage_that_it_is_from_and_that_passage_counts_first():
    says = by_paragraph(say("Orlau", -3.0), say("Tromvik", -0.1), say("Ships", -3.0))
    record = await ask(says)
    assert verdicts(record) == [(ASKED, "Tromvik", "supported")]
    assert [(one.passage_id, one.quote) for one in record.answer.citations] == [
        ("mayor", "The mayor of Orlau was born in Tromvik.")
    ]
    assert record.answer.passage_ids == ("town", "mayor", "port")
    assert record.answer.text == "Tromvik [1]"


async def test_samples_are_drawn_from_the_nucleus():
    bench = Bench([("", "Tromvik")], FOUND)
    await bench.ask(ASKED, "internet_augmented")
    assert {(one.temperature, one.top_p, one.max_tokens, one.top_logprobs) for _, one in bench.llm.calls} == {(1.0, 0.8, 64, 1)}


async def test_nucleus_and_temperature_are_options():
    bench = Bench([("", "Tromvik")], FOUND)
    await bench.ask(ASKED, "internet_augmented", temperature=0.5, top_p=0.9)
    assert {(one.temperature, one.top_p) for _, one in bench.llm.calls} == {(0.5, 0.9)}


async def test_the_cheap_variant_is_one_greedy_call():
    bench = Bench(["Tromvik"], FOUND)
    record = await bench.ask(ASKED, "internet_augmented", num_paragraphs=1, n_samples=1)
    [(_, sampling)] = bench.llm.calls
    assert (sampling.temperature, sampling.top_p) == (0.0, 1.0)
    assert record.answer.passage_ids == ("mayor",)
    assert record.answer.short == "Tromvik"


# -- paragraphs --------------------------------------------------------------------------------------------------------


async def test_passages_are_cut_into_paragraphs_of_six_sentences():
    text = " ".join(
        f"The mayor said sentence {number}." for number in ("one", "two", "three", "four", "five", "six", "seven", "eight")
    )
    record = await ask([("", "Tromvik")], found={ASKED: [Passage("p", text, "T")]}, n_samples=1, n_demos=0)
    shown = {call[0].text.split("<passage>\nT\n")[1].split("\n</passage>")[0] for call in calls(record)}
    first, second = text.split(" The mayor said sentence seven.")
    assert shown == {first, f"The mayor said sentence seven.{second}"}
    assert record.answer.passage_ids == ("p",)


@pytest.mark.parametrize(("options", "num"), [({"num_sentences": 1}, 4), ({"num_paragraphs": 2}, 2), ({"num_hits": 1}, 1)])
async def test_how_much_is_read_is_an_option(options, num):
    assert len(told(await ask([("", "Tromvik")], n_samples=1, **options), "paragraph")) == num


async def test_where_nothing_is_found_it_answers_all_the_same():
    record = await ask([("No results found.\nQuestion:", "Tromvik")], found={})
    assert purposes(record) == ["answer"] * 4
    assert verdicts(record) == [(ASKED, "Tromvik", "unsupported")]
    assert record.answer.passage_ids == ()


# -- demonstrations ----------------------------------------------------------------------------------------------------


async def test_a_demonstration_shows_the_passages_of_its_steps_and_the_bare_answer():
    record = await ask([("", "Tromvik")], n_samples=1, n_demos=1)
    [one] = sample(1, asked=ASKED)
    evidence = "\n".join(fence(passage.text, passage.title) for passage in one.passages())
    assert (
        f"\n\nEvidence:\n{evidence}\nQuestion: {one.question}\nAnswer: {one.answer}\n\nEvidence:\n" in calls(record)[0][0].text
    )


async def test_all_prompts_begin_with_the_same_demonstrations():
    prompts = [call[0].text for call in calls(await ask([("", "Tromvik")], n_samples=1))]
    assert len({prompt[: prompt.rindex("Evidence:")] for prompt in prompts}) == 1


# -- the choice --------------------------------------------------------------------------------------------------------


async def test_the_product_of_experts_weighs_the_answer_and_its_paragraph():
    record = await ask(by_paragraph(say("Tromvik", -1.0), say("Orlau", -1.0), say("Ships", -0.5)))
    [scorer] = decisions(record, "scorer")
    assert (scorer.data["asked"], scorer.data["used"]) == ("poe", "poe_without_noisy_channel")
    assert scorer.text.startswith("poe_without_noisy_channel instead of poe: p(q|a,p) and p(a|p)")
    assert record.answer.short == "Tromvik"
    shares = [float(text.rsplit(" ", 1)[1]) for text in told(record, "paragraph")]
    assert answers(record)[0] == ("Tromvik", pytest.approx(-1.0 + math.log(shares[0]), abs=0.01))


async def test_direct_takes_the_answer_that_the_model_is_surest_of():
    record = await ask(by_paragraph(say("Tromvik", -1.0), say("Orlau", -1.0), say("Ships", -0.5)), scorer="direct")
    assert used(record) == "direct"
    assert answers(record) == [("Ships", -0.5), ("Tromvik", -1.0), ("Orlau", -1.0)]
    assert record.answer.short == "Ships"


async def test_rag_adds_up_what_paragraphs_agree_on():
    says = by_paragraph(say("Rome", -1.5), say("the Tromvik", -0.9), say("Tromvik.", -0.9))
    found = {ASKED: [MAYOR, TOWN, Passage("port", "Ships call Orlau every day. The mayor does.", "Port")]}
    alone = await ask(says, found=found)
    summed = await ask(says, found=found, scorer="rag")
    assert (alone.answer.short, summed.answer.short) == ("Rome", "Tromvik")
    assert used(summed) == "rag"
    shares = [float(text.rsplit(" ", 1)[1]) for text in told(summed, "paragraph")]
    assert answers(summed)[0][1] == pytest.approx(math.log((1 - shares[0]) * math.exp(-0.9)), abs=0.01)


async def test_rag_counts_an_answer_that_is_drawn_again_from_the_same_paragraph_once():
    once = await ask([("", say("Tromvik", -1.0))], n_samples=2, num_paragraphs=1, scorer="rag")
    assert answers(once) == [("Tromvik", -1.0)]


async def test_the_noisy_channel_falls_back_on_votes_weighted_by_paragraph_and_says_so():
    says = by_paragraph([say("Rome"), say("Tromvik"), say("Tromvik"), say("Tromvik")], say("Rome"), say("Rome"))
    record = await ask(says, scorer="noisy_channel")
    shares = [float(text.rsplit(" ", 1)[1]) for text in told(record, "paragraph")]
    assert used(record) == "fallback"
    assert dict(answers(record)) == {
        "Tromvik": pytest.approx(0.75 * shares[0], abs=0.002),
        "Rome": pytest.approx(0.25 * shares[0] + shares[1] + shares[2], abs=0.002),
    }


@pytest.mark.parametrize("scorer", ["poe", "direct", "rag", "noisy_channel"])
async def test_without_log_probabilities_every_scorer_falls_back_on_votes(scorer):
    llm = Silent(by_paragraph(["Rome", "Tromvik", "Tromvik", "Tromvik"], "Orlau", "Ships"))
    record = await ask((), llm=llm, scorer=scorer, num_paragraphs=1)
    assert used(record) == "fallback"
    assert answers(record) == [("Tromvik", 0.75), ("Rome", 0.25)]
    assert {sampling.top_logprobs for _, sampling in llm.calls} == {0}


@pytest.mark.parametrize(("length_normalized", "short"), [(False, "Tromvik"), (True, "Orlau")])
async def test_log_probabilities_may_be_normalised_by_length(length_normalized, short):
    says = by_paragraph(say("Tromvik", -1.0), say("Orlau", -0.5, num_tokens=3), say("Ships", -9.0))
    record = await ask(says, scorer="direct", length_normalized=length_normalized)
    assert record.answer.short == short


async def test_what_is_said_behind_the_first_line_does_not_weigh_the_answer():
    chatty = Line("Tromvik\nIt is", logprobs=({"Tromvik": -0.5}, {"\n": -9.0}, {"It": -9.0}))
    record = await ask(by_paragraph(chatty, say("Orlau", -1.0), say("Ships", -1.0)), scorer="direct")
    assert answers(record)[0] == ("Tromvik", -0.5)


async def test_between_equal_scores_the_nearest_paragraph_counts():
    assert (await ask(by_paragraph("Tromvik", "Orlau", "Ships"), scorer="direct")).answer.short == "Tromvik"


# -- forms and what cannot be read -------------------------------------------------------------------------------------


async def test_a_long_answer_is_the_whole_reply_and_may_be_longer():
    bench = Bench([("", "It has a mayor.\nIt has a port.")], FOUND)
    record = await bench.ask(LONG, "internet_augmented", n_samples=1)
    assert "Explain in several sentences." in calls(record)[0][0].text
    assert {sampling.max_tokens for _, sampling in bench.llm.calls} == {256}
    assert record.answer.short == "It has a mayor.\nIt has a port."


async def test_if_no_sample_has_an_answer_there_is_none():
    record = await ask([("", "")])
    assert (record.answer.short, record.answer.how) == ("", "empty")
    assert decisions(record, "scorer") == []


@pytest.mark.parametrize(("dialogue", "seen"), [
    scene("samples without an answer are counted and left out",
        lambda: ask(by_paragraph("", "", say("Ships", -9.0))), unread=["the reply is empty"] * 8, short="Ships"),
    scene("another example that the model makes up is cut off",
        lambda: ask([("", "Tromvik\nQuestion: And now?\nAnswer: Rome")]), short="Tromvik"),
    scene("a label is asked for and read",
        lambda: ask([("", "yes, it is")], question=LABEL, n_samples=1),
        ends={0: "Question: Is Orlau a town? (The answer can only be one of: Yes, No)\nAnswer:"}, short="Yes"),
])  # fmt: skip
async def test_forms_and_what_cannot_be_read(dialogue, seen):
    assert looks(await dialogue(), seen) == seen


# -- budgets and options -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("max_llm_calls", "votes"), [(1, [1]), (6, [6]), (4, [4])])
async def test_calls_that_run_out_leave_the_answers_of_the_nearest_paragraphs(max_llm_calls, votes):
    record = await ask([("", "Tromvik")], budget={"max_llm_calls": max_llm_calls})
    assert record.answer.short == "Tromvik"
    assert record.answer.stopped_because == "max_llm_calls"
    [scorer] = decisions(record, "scorer")
    assert [one["votes"] for one in scorer.data["ranking"]] == votes


async def test_time_that_runs_out_leaves_what_was_answered():
    says = by_paragraph(say("Tromvik"), Line("Orlau", stalls=True), Line("Ships", stalls=True))
    record = await ask(says, budget={"max_seconds": 0.5})
    assert (record.answer.short, record.answer.stopped_because) == ("Tromvik", "max_seconds")
