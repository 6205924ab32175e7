"""What SearChain's check of an answer is not fooled by. The facts are made up, so that no model could know them."""

from __future__ import annotations

import logging

import pytest
from support.bench import Bench, calls, chain, decisions, looks, origins, purposes, scene, told

from hopweave.answering.methods.searchain._consistency import is_bare
from hopweave.answering.methods.searchain.searchain import SearChain
from hopweave.core.types import Passage, Question, Reading
from hopweave.models.duplicate_detectors.keywords import KeyWords
from hopweave.models.llms.scripted import Scripted
from hopweave.models.readers.dpr import DPR
from hopweave.models.readers.llm_reader import LLMReader
from hopweave.record import Trace
from hopweave.run.components import Components
from hopweave.run.settings import read_settings
from hopweave.run.weaver import Weaver
from hopweave.run.workbench import Workbench

VILLA = "Which building in Brno has an onyx wall?"
HOUSE = Passage("villa", "It was built for a family of mill owners and has a wall of onyx.", "Villa Tugendhat")
FINAL = "[Final Content]: It is so. So the final answer is so."


async def checked(query, answer, passage, reader_says, *, question="What is it?", **options):
    """The record of a chain of one node that the model as reader reads; a correction is taken over in a second chain."""
    says = [
        ("Does the passage state", reader_says),
        ("already settled", FINAL),
        ("You can change your answer", chain((query, "taken over"))),
        ("", chain((query, answer))),
    ]
    return await Bench(says, {query: passage}, reader=LLMReader()).ask(question, **options)


# -- words of the title, and words put otherwise -----------------------------------------------------------------------


@pytest.mark.parametrize(("dialogue", "seen"), [
    scene("an answer that the title contradicts is corrected",
        lambda: checked(VILLA, "House of Brno", HOUSE, "yes: Villa Tugendhat"),
        origins=[(VILLA, "Villa Tugendhat", "corrected")]),
    scene("an answer that the title holds is verified",
        lambda: checked(VILLA, "the Villa Tugendhat", HOUSE, "yes: Villa Tugendhat"),
        origins=[(VILLA, "the Villa Tugendhat", "verified")]),
    scene("an open query is completed from the title",
        lambda: Bench([("Does the passage state", "yes: Villa Tugendhat"), ("already settled", FINAL),
            ("You can give this answer", chain((VILLA, "Villa Tugendhat"))), ("", chain((VILLA, None)))], {VILLA: HOUSE},
            reader=LLMReader()).ask("What is it?"),
        origins=[(VILLA, "Villa Tugendhat", "completed")]),
])  # fmt: skip
async def test_words_of_the_title_and_words_put_otherwise(dialogue, seen):
    assert looks(await dialogue(), seen) == seen


async def test_a_paraphrase_of_a_sure_reader_corrects_by_the_words_that_stand_in_the_passage():
    query, passage = (
        "Who designed the Glass Mill?",
        Passage("mill", "The plans for the mill are by Ida Renn of Orlau.", "Glass Mill"),
    )
    record = await checked(query, "Jonas Hale", passage, "yes: The Glass Mill was designed by Ida Renn, an architect")
    assert origins(record) == [(query, "Ida Renn", "corrected")]


# -- words that only repeat the query ----------------------------------------------------------------------------------

WHERE = "In which city is Brno Zoo?"
ZOO = Passage("zoo", "The city of Brno has had a zoo since 1953. Brno Zoo stands on a hill.", "Brno Zoo")


@pytest.mark.parametrize("echo", ["Brno Zoo", "the city", "Brno", "city of Brno"])
async def test_words_that_only_repeat_the_query_correct_nothing(echo):
    record = await checked(WHERE, "Vienna", ZOO, f"yes: {echo}")
    assert origins(record) == [(WHERE, "Vienna", "model")]
    assert purposes(record).count("chain") == 1


async def test_words_that_only_repeat_the_query_verify_no_sentence_that_repeats_it():
    answer = "Brno Zoo is in the city of Vienna."
    record = await checked(WHERE, answer, ZOO, "yes: Brno Zoo")
    assert origins(record) == [(WHERE, answer, "model")]
    assert [claim.support for claim in record.answer.claims] == ["unsupported"]


async def test_words_that_only_repeat_the_query_complete_nothing_and_the_passage_is_shown():
    says = [("Does the passage state", "yes: Brno Zoo"), ("already settled", FINAL), ("", chain((WHERE, None)))]
    record = await Bench(says, {WHERE: ZOO}, reader=LLMReader()).ask("What is it?")
    assert origins(record) == [(WHERE, "", "model")]
    assert "If the passage holds the answer, give it" in calls(record, "chain")[1][-1].text


async def test_the_papers_check_takes_words_of_the_query():
    record = await checked(WHERE, "Vienna", ZOO, "yes: Brno Zoo", ignore_echoes=False)
    assert origins(record) == [(WHERE, "Brno Zoo", "corrected")]


# -- yes and no --------------------------------------------------------------------------------------------------------

BORN = "Was Ida Renn born in 1940?"
RENN = Passage("renn", "Ida Renn was born in 1960 in Orlau.", "Ida Renn")


@pytest.mark.parametrize("answer", ["Yes, Ida Renn was born in 1940", "Yes. She was born in 1940.", "No, in 1940"])
async def test_a_yes_or_no_that_states_more_is_compared(answer):
    record = await checked(BORN, answer, RENN, "yes: 1960")
    assert origins(record) == [(BORN, "1960", "corrected")]


@pytest.mark.parametrize("answer", ["Yes", "**No.**", "Yes, she was.", "No, it was not"])
async def test_a_bare_yes_or_no_is_not_compared(answer):
    record = await checked(BORN, answer, RENN, "yes: 1960")
    assert [origin for *_, origin in origins(record)] == ["model"]
    assert purposes(record).count("chain") == 1


FEVER = Question("q", "Ida Renn was born in 1940.", "label", ("SUPPORTS", "REFUTES"))


@pytest.mark.parametrize("answer", ["True", "It is false.", "SUPPORTS", "Refuted", "Yes"])
async def test_a_label_by_whatever_word_is_not_compared_with_words_of_a_passage(answer):
    record = await checked(BORN, answer, RENN, "yes: 1960", question=FEVER)
    assert [origin for *_, origin in origins(record)] == ["model"]


@pytest.mark.parametrize(("said", "label"), [("true", "SUPPORTS"), ("False", "REFUTES")])
async def test_true_and_false_are_labels_of_fever(said, label):
    says = [chain((BORN, "1960")), f"[Final Content]: She was born in 1960 [1]. So the final answer is {said}."]
    record = await Bench(says, {BORN: RENN}, {BORN: ("1960", 3.0)}).ask(FEVER)
    assert (record.answer.short, record.answer.how) == (label, "marker")


@pytest.mark.parametrize("answer", ["No Country for Old Men", "No. 5", "Yes (band)", "No one", "", "1940"])
def test_a_name_that_begins_with_yes_or_no_is_not_bare(answer):
    assert not is_bare(answer, Question("q", "?"))


# -- long answers ------------------------------------------------------------------------------------------------------


async def test_a_faithful_sentence_of_a_long_passage_is_no_cause_for_a_correction_by_default():
    query = "Why do ferries need a pier?"
    text = (
        "Ferries need a pier because the shore is shallow and the keel would touch the ground. The pier of Tromvik was built "
        "in 1931 of stone from the old harbour, paid for by the town, and has been lengthened twice since then, last in 1988."
    )
    answer = "Ferries need a pier, because the shore is shallow and their keel would touch the ground."
    question = Question("q", query, "long")
    by_default = await checked(query, answer, Passage("pier", text), "yes: the shore is shallow", question=question)
    assert origins(by_default) == [(query, answer, "verified")]
    by_f1 = await checked(
        query, answer, Passage("pier", text), "yes: the shore is shallow", question=question, rouge="f1", alpha=0.5
    )
    assert origins(by_f1)[0][2] == "corrected"


# -- dates, numbers, and the more precise of two answers ---------------------------------------------------------------

WHEN = "When did the Glass Mill open?"
PLACE = "Where does the Glass Mill stand?"
MILL = Passage(
    "mill", "The Glass Mill of Brno, Moravia, opened on 12 May 1940 with two hundred guests and 1,450 lamps.", "Mill"
)


@pytest.mark.parametrize(
    ("query", "answer", "read"),
    [
        (WHEN, "May 12, 1940", "12 May 1940"),
        (WHEN, "1940-05-12", "12 May 1940"),
        (WHEN, "1940", "12 May 1940"),
        (PLACE, "Brno", "Brno, Moravia"),
        ("How many guests came?", "200", "two hundred"),
        ("How many lamps were there?", "1450 lamps", "1,450"),
    ],
)
async def test_the_same_date_number_or_place_written_otherwise_spends_no_round(query, answer, read):
    record = await checked(query, answer, MILL, f"yes: {read}")
    assert origins(record) == [(query, answer, "verified")]
    assert purposes(record).count("chain") == 1
    paper = await checked(query, answer, MILL, f"yes: {read}", normalize_values=False)
    assert purposes(paper).count("chain") == (1 if read == "1,450" else 2)


@pytest.mark.parametrize(
    ("answer", "read"), [("12 June 1940", "12 May 1940"), ("1960", "12 May 1940"), ("the mill", "Mill of Brno")]
)
async def test_another_date_or_a_word_of_the_query_does_not_agree(answer, read):
    record = await checked(WHEN, answer, MILL, f"yes: {read}")
    assert origins(record)[0][2] == "corrected"


# -- paraphrases of an open query --------------------------------------------------------------------------------------

PARAPHRASES = [
    "Who is the mayor of Orlau?",
    "Who was the mayor of Orlau?",
    "What is the name of the mayor of Orlau?",
    "Which person is the mayor of Orlau?",
    "Who is Orlau's mayor?",
]


async def test_paraphrases_of_an_open_query_do_not_use_up_the_rounds():
    says = [*(chain((query, None)) for query in PARAPHRASES[:2]), FINAL]
    record = await Bench(says, dict.fromkeys(PARAPHRASES, RENN)).ask("Who is it?")
    assert purposes(record) == ["chain", "chain", "tracing"]
    assert record.answer.stopped_because == "finished"
    assert [KeyWords().duplicate_of(query, PARAPHRASES[:1]) for query in PARAPHRASES] == [0] * 5


def test_the_default_duplicate_detector_goes_by_key_words():
    assert read_settings().duplicate_detector == "keywords"


# -- theta and the reader ----------------------------------------------------------------------------------------------


class SilentReader:
    identity = "silent(1)"

    def read(self, pairs):
        return [Reading("", None, 0.0) for _ in pairs]


@pytest.mark.parametrize(
    ("options", "reader", "note"),
    [
        ({}, LLMReader(), ""),
        ({}, DPR(), ""),
        ({"theta": 1.5}, DPR(), ""),
        ({"theta": 1.5}, LLMReader(theta=1.5), ""),
        ({"theta": 1.5}, LLMReader(), "theta = 1.5 is not the threshold of the reader llm_reader, which is 0.2"),
        ({"theta": 0.2}, DPR(), "theta = 0.2 is not the threshold of the reader dpr, which is 1.5"),
        ({}, SilentReader(), "the reader silent does not say which theta belongs to its f, so 0 is taken"),
        ({"theta": 0.2}, SilentReader(), ""),
        ({"theta": 1.5, "verify": False}, LLMReader(), ""),
        ({"theta": 1.5}, None, ""),
    ],
)
def test_a_theta_that_is_not_the_readers_is_said(options, reader, note):
    notes = SearChain(**options).notes_on(Workbench(Components(Scripted(), reader=reader), Trace()))
    assert bool(notes) == bool(note)
    assert not notes or notes[0].startswith(note)


async def test_a_theta_that_is_not_the_readers_is_logged_once_and_stands_in_the_record(caplog):
    settings = read_settings({"method": "searchain", "methods": {"searchain": {"theta": 1.25}}})
    bench = Bench([chain((VILLA, "x")), FINAL], {VILLA: HOUSE})
    parts = Components(bench.llm, retriever=bench.retriever, reader=LLMReader(), duplicate_detector=KeyWords())
    with caplog.at_level(logging.WARNING, "hopweave"):
        Weaver(settings, components=parts)
        async with Weaver(settings, components=parts) as weaver:
            record = await weaver.answer("What is it?")
    assert [text for text in caplog.messages if "1.25" in text] == told(record, "note")
    assert len(told(record, "note")) == 1


@pytest.mark.parametrize(("theta", "origin"), [(None, "corrected"), (3.5, "model")])
async def test_the_threshold_is_the_readers_unless_the_option_says_otherwise(theta, origin):
    bench = Bench(
        [("already settled", FINAL), ("", chain((VILLA, "House of Brno")))], {VILLA: HOUSE}, {VILLA: ("wall of onyx", 3.0)}
    )
    bench.reader.theta = 2.0
    record = await bench.ask("What is it?", ignore_echoes=False, theta=theta)
    assert [one for *_, one in origins(record)] == [origin]
    assert decisions(record, "verdict")[0].data["theta"] == (2.0 if theta is None else 3.5)
