"""`searchain_facts` and `toqd_facts` read their answer from sentences of all that was found, once their steps are done."""

from __future__ import annotations

import json

import pytest
from support.bench import Bench, calls, chain, looks, purposes, queries, scene
from support.toqd import Plays, bench

from hopweave.core.types import Passage, Question, Reply, TokenLogprob

ASKED = "In which town was the designer of Orla Bridge born?"
WHO = "Who designed Orla Bridge?"
WHERE = "In which town was Mara Lind born?"
BRIDGE = Passage("bridge", "Orla Bridge is a bridge of 1902. It was designed by Mara Lind.", "Orla Bridge")
LIND = Passage("lind", "Mara Lind was an engineer. She was born in Vask.", "Mara Lind")
LIGHT = Passage("light", "Kerrow Light was built in 1887.", "Kerrow Light")
BUILT_FIRST = "Which was built first, Orla Bridge or Kerrow Light?"
CHAIN = chain((WHO, "Mara Lind"), (WHERE, "Drum"))
FINAL = "Mara Lind designed it [1]. She was born in Drum [2]. So the final answer is Drum."
READ = {WHO: ("Mara Lind", 5.0)}


def asked_last(record) -> str:
    """The last message of the last call."""
    return calls(record, "answer")[-1][-1].text


def said(answer: str, fact: int = 1) -> str:
    return json.dumps({"fact": fact, "answer": answer})


def improbable(answer: str, fact: int) -> Reply:
    """A reply whose words the model found improbable."""
    text = said(answer, fact)
    tokens = [token for token in text.partition(answer) if token]
    return Reply(text, logprobs=tuple(TokenLogprob(token, -1.0 if token == answer else 0.0) for token in tokens))


async def ask(replies, question=ASKED, found=None, **options):
    text = question if isinstance(question, str) else question.text
    table = {text: [BRIDGE], WHO: [BRIDGE], WHERE: [LIND]} if found is None else found
    return await Bench(replies, table, READ).ask(question, "searchain_facts", **options)


async def test_the_answer_is_read_from_sentences_of_what_the_question_and_its_queries_found():
    record = await ask([CHAIN, said("Vask", 4)])
    assert purposes(record) == ["chain", "answer"]
    assert queries(record)[-1] == ASKED
    shown = asked_last(record)
    assert "It was designed by Mara Lind." in shown
    assert "She was born in Vask." in shown
    assert record.answer.short == "Vask"
    last = record.answer.claims[-1]
    assert (last.query, last.text, last.support) == (ASKED, "Vask", "supported")
    assert [citation.quote for citation in last.citations] == ["She was born in Vask."]


async def test_what_a_passage_supports_stands_before_the_question_and_the_rest_is_left_out():
    record = await ask([CHAIN, said("Vask", 4)])
    assert asked_last(record).endswith(f"Question: ({WHO} Mara Lind) {ASKED}")
    assert [(claim.query, claim.text) for claim in record.answer.claims] == [(WHO, "Mara Lind"), (ASKED, "Vask")]
    assert "Drum" not in record.answer.text


async def test_the_name_that_the_question_leads_through_is_no_answer_to_it():
    """It is read without what is settled, and then the hop from there alone."""
    is_designer = "Who is the designer of Orla Bridge?"
    found = {ASKED: [BRIDGE], is_designer: [BRIDGE], WHERE: [LIND]}
    replies = [chain((is_designer, "Mara Lind")), said("Mara Lind", 2), said("Mara Lind", 2), said("Vask", 2)]
    made = Bench(replies, found, {is_designer: ("Mara Lind", 5.0)})
    record = await made.ask(ASKED, "searchain_facts")
    assert [messages[-1].text.rpartition("Question: ")[2] for messages in calls(record, "answer")] == [
        f"({is_designer} Mara Lind) {ASKED}",
        ASKED,
        WHERE,
    ]
    assert queries(record)[-1] == WHERE
    assert (record.answer.short, record.answer.claims[-1].support) == ("Vask", "unsupported")


async def test_what_is_right_for_a_query_and_doubted_for_the_question_is_shown_as_unsupported():
    designer = "Who is the designer of Orla Bridge?"
    replies = [chain((designer, "Mara Lind")), *[said("Mara Lind", 2)] * 3]
    record = await Bench(replies, {ASKED: [BRIDGE], designer: [BRIDGE]}, {designer: ("Mara Lind", 5.0)}).ask(
        ASKED, "searchain_facts"
    )
    assert record.answer.short == "Mara Lind"
    assert [(claim.query, claim.support) for claim in record.answer.claims] == [
        (designer, "supported"),
        (ASKED, "unsupported"),
    ]


async def test_a_reading_that_holds_counts_though_as_much_speaks_against_it():
    """It is merely unsure, where the first one is open."""
    left = Passage("left", "The mill stands in Ghent.", "Corran Mill")
    made = Bench([CHAIN, said("Ghent", 3), improbable("Vask", 4)], {ASKED: [BRIDGE, left], WHO: [BRIDGE], WHERE: [LIND]}, READ)
    record = await made.ask(ASKED, "searchain_facts")
    assert [step.data["problems"] for step in record.steps if getattr(step, "label", "") == "reading"] == [["open"], ["unsure"]]
    assert record.answer.short == "Vask"


async def test_two_things_are_compared_by_code():
    sides = {
        "ask": "When was X built?",
        "first": {"name": "Orla Bridge", "value": "1902", "fact": 1},
        "second": {"name": "Kerrow Light", "value": "1887", "fact": 3},
    }
    found = {BUILT_FIRST: [BRIDGE, LIGHT]}
    record = await ask([chain((WHO, "Greta Falk")), json.dumps(sides)], BUILT_FIRST, found)
    assert purposes(record) == ["chain", "compare"]
    assert record.answer.short == "Kerrow Light"
    assert record.answer.claims[-1].support == "supported"
    assert {citation.passage_id for citation in record.answer.claims[-1].citations} == {"bridge", "light"}


@pytest.mark.parametrize("reply", ["I do not know.", "{}", said("")])
async def test_where_nothing_can_be_read_the_final_content_is_written(reply):
    record = await ask([CHAIN, reply, reply, f"[Final Content]: {FINAL}"])
    assert purposes(record) == ["chain", "answer", "answer", "tracing"]
    assert (record.answer.short, len(record.answer.claims)) == ("Drum", 2)


@pytest.mark.parametrize(
    "question",
    [
        Question("q", "Mara Lind was born in Vask.", form="label", labels=("SUPPORTS", "REFUTES")),
        Question("q", "Why was Orla Bridge built?", form="long"),
    ],
)
async def test_labels_and_explanations_are_written_from_the_path(question):
    record = await ask([CHAIN, "[Final Content]: Mara Lind [1]. So the final answer is SUPPORTS."], question)
    assert purposes(record) == ["chain", "tracing"]


@pytest.mark.parametrize(("dialogue", "seen"), [
    scene("an answer that the check speaks against is shown as unsupported",
        lambda: ask([CHAIN, said("Orla Bridge"), said("Orla Bridge")]), short="Orla Bridge", last_support="unsupported"),
    scene("of several readings the one with least against it counts",
        lambda: ask([CHAIN, said("Ghent", 4), said("the designer of Orla Bridge", 2)]),
        purposes=["chain", "answer", "answer"], short="Ghent"),
    scene("without a call left for another reading the first counts and the limit is named",
        lambda: Bench([CHAIN, said("Ghent", 4)], {ASKED: [BRIDGE], WHO: [BRIDGE], WHERE: [LIND]}, READ).ask(ASKED,
            "searchain_facts", budget={"max_llm_calls": 2}),
        short="Ghent", stopped="max_llm_calls"),
    scene("without a call left the path is the answer",
        lambda: Bench([CHAIN], {ASKED: [BRIDGE], WHO: [BRIDGE], WHERE: [LIND]}, READ).ask(ASKED, "searchain_facts",
            budget={"max_llm_calls": 1}),
        error=None, stopped="max_llm_calls", short="Drum"),
    scene("without a search left the final content is written and the limit named",
        lambda: Bench([CHAIN, f"[Final Content]: {FINAL}"], {ASKED: [BRIDGE], WHO: [BRIDGE], WHERE: [LIND]},
            READ).ask(ASKED, "searchain_facts", budget={"max_searches": 2}),
        purposes=["chain", "tracing"], stopped="max_searches", short="Drum"),
    scene("without retrieval nothing is read",
        lambda: ask([f"{CHAIN}\n[Final Content]: {FINAL}"], use_retrieval=False), purposes=["chain"]),
])  # fmt: skip
async def test_what_comes_of_a_dialogue(dialogue, seen):
    assert looks(await dialogue(), seen) == seen


async def test_whole_passages_are_shown_where_sentences_are_not_chosen():
    few, all_of_them = [asked_last(await ask([CHAIN, said("Vask", 4)], max_tokens_facts=tokens)) for tokens in (20, 0)]
    assert len(few) < len(all_of_them)
    assert all(text in all_of_them for text in ("Mara Lind was an engineer.", "She was born in Vask."))


async def test_toqd_reads_its_answer_from_what_its_nodes_found():
    plays = Plays(sub_questions={ASKED: [WHO, WHERE]}, arrows={ASKED: "1 -> 2 -> Q"}, reads={WHO: "Mara Lind", WHERE: "Vask"})

    def say(messages, sampling):
        return said("Vask", 4) if "number of the fact" in messages[0].text else plays(messages, sampling)

    record = await bench(say, {ASKED: [BRIDGE], WHO: [BRIDGE], WHERE: [LIND]}).ask(ASKED, "toqd_facts")
    assert purposes(record)[-1] == "answer"
    assert asked_last(record).endswith(f"Question: ({WHO} Mara Lind) ({WHERE} Vask) {ASKED}")
    assert [(claim.text, claim.support) for claim in record.answer.claims] == [
        ("Mara Lind", "supported"),
        ("Vask", "supported"),
    ]
    assert record.answer.short == "Vask"
