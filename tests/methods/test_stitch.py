"""One bounded reading a hop, checked without a model."""

from __future__ import annotations

import json

import pytest
from support.bench import Bench, purposes, queries, unread, verdicts

from hopweave.errors import SettingsError
from hopweave.methods._stitch.checking import Reading, problems_of
from hopweave.methods._stitch.comparing import Side, compared, wanted_of
from hopweave.methods.stitch import Stitch
from hopweave.text.evidence import chosen_sentences
from hopweave.types import Hit, Passage, Question

ASKED = "In which town was the designer of Orla Bridge born?"
REST = "In which town was Mara Lind born?"
BRIDGE = Passage("bridge", "Orla Bridge is a bridge of 1902. It was designed by Mara Lind.", "Orla Bridge")
LIND = Passage("lind", "Mara Lind was an engineer. She was born in Vask.", "Mara Lind")
OTHER = Passage("other", "Greta Falk was born in Drum. She painted.", "Greta Falk")


def said(**values) -> str:
    return json.dumps(values)


def answered(answer: str, fact: int = 1) -> str:
    return said(fact=fact, answer=answer)


def bridged(ask: str = REST, fact: int = 2, through: str = "the designer, Mara Lind") -> str:
    return said(through=through, fact=fact, ask=ask)


async def ask(replies, found=None, question=ASKED, **options):
    text = question if isinstance(question, str) else question.text
    table = {text: [BRIDGE, LIND, OTHER], REST: [LIND]} if found is None else found
    return await Bench(replies, table).ask(question, "stitch", **options)


def evidence(passage, number):
    return chosen_sentences("", [Hit(passage, 1.0, 1)], 1000)[number - 1]


def reading(answer, fact, asked=ASKED, facts=None, probability=1.0):
    facts = facts or [evidence(BRIDGE, 2), evidence(LIND, 2), evidence(OTHER, 1)]
    return Reading(asked, answer, fact, probability, tuple(facts))


async def test_a_reading_that_holds_ends_the_question_after_one_call():
    record = await ask([answered("Vask", 4)])
    assert purposes(record) == ["answer"]
    assert queries(record) == [ASKED]
    assert record.answer.short == "Vask"
    assert verdicts(record)[-1] == (ASKED, "Vask", "supported")


async def test_facts_are_numbered_through_all_passages_under_their_titles_and_come_last():
    record = await ask([answered("Vask", 4)])
    shown = record.messages[-1].text
    assert "<passage>\nOrla Bridge\n1. Orla Bridge is a bridge of 1902.\n2. It was designed by Mara Lind.\n</passage>" in shown
    assert "4. She was born in Vask." in shown
    assert shown.endswith(f"Question: {ASKED}")


async def test_where_the_names_do_not_lead_to_the_fact_the_rest_is_searched_for_and_read_alone():
    record = await ask([answered("Drum", 5), bridged(), answered("Vask", 2)])
    assert purposes(record) == ["answer", "bridge", "answer"]
    assert queries(record) == [ASKED, REST]
    assert record.answer.short == "Vask"
    assert [(claim.text, claim.support) for claim in record.answer.claims[:2]] == [
        ("It was designed by Mara Lind.", "supported"),
        ("Vask", "supported"),
    ]


async def test_every_hop_cites_the_sentence_that_it_was_read_from():
    record = await ask([answered("Drum", 5), bridged(), answered("Vask", 2)])
    quotes = {citation.quote for citation in record.answer.citations}
    assert {"It was designed by Mara Lind.", "She was born in Vask."} <= quotes


async def test_without_bridges_the_first_reading_is_the_answer():
    record = await ask([answered("Drum", 5)], bridge="never")
    assert (purposes(record), record.answer.short) == (["answer"], "Drum")


async def test_always_bridging_asks_for_one_hop_where_the_first_reading_holds_too():
    record = await ask([answered("Vask", 4), bridged(), answered("Vask", 2)], bridge="always")
    assert purposes(record) == ["answer", "bridge", "answer"]


async def test_where_no_reading_holds_the_one_with_the_fewest_problems_counts():
    found = {ASKED: [OTHER], REST: [OTHER]}
    record = await ask([answered("Drum"), bridged(fact=1), answered("Nowhere"), bridged("?", 9)], found)
    assert record.answer.short == "Drum"


async def test_hops_end_at_their_limit():
    record = await ask([answered("", 1), *[bridged(f"{REST} {n}") for n in range(9)]], max_hops=1)
    assert purposes(record).count("bridge") <= 1


async def test_a_bridge_that_asks_the_same_again_ends_the_hops():
    record = await ask([answered("Drum", 5), bridged(ASKED)])
    assert (purposes(record), record.answer.short) == (["answer", "bridge"], "Drum")


async def test_code_decides_which_of_two_came_first():
    first, second = (
        {"name": "Orla Bridge", "through": "", "ask": "When was Orla Bridge built?", "value": "1902", "fact": 1},
        {"name": "Kerrow Light", "through": "", "ask": "When was Kerrow Light built?", "value": "1887", "fact": 3},
    )
    light = Passage("light", "Kerrow Light was built in 1887.", "Kerrow Light")
    question = "Which was built first, Orla Bridge or Kerrow Light?"
    record = await ask([said(first=first, second=second)], {question: [BRIDGE, light]}, question)
    assert (purposes(record), record.answer.short) == (["compare"], "Kerrow Light")
    assert {("When was Orla Bridge built?", "1902", "supported"), ("When was Kerrow Light built?", "1887", "supported")} <= set(
        verdicts(record)
    )


async def test_values_that_cannot_be_compared_leave_the_question_to_a_reading():
    side = {"name": "x", "through": "", "ask": "", "value": "unknown", "fact": 0}
    question = "Which was built first, Orla Bridge or Kerrow Light?"
    record = await ask([said(first=side, second=side), answered("Orla Bridge")], {question: [BRIDGE]}, question)
    assert purposes(record)[:2] == ["compare", "answer"]


async def test_comparing_by_code_can_be_turned_off():
    question = "Which was built first, Orla Bridge or Kerrow Light?"
    record = await ask([answered("Orla Bridge")], {question: [BRIDGE]}, question, compare=False, bridge="never")
    assert purposes(record) == ["answer"]


@pytest.mark.parametrize(
    "reply", ["", "Vask", "{", '{"fact": 4, "answer": "Vask', "[4, Vask]", '{"answer": ["Vask"], "fact": "four"}']
)
async def test_a_reply_that_is_no_object_is_counted_and_ends_nothing(reply):
    record = await ask([reply], bridge="never")
    assert record.error is None
    assert record.answer.short in ("Vask", "")
    assert unread(record) or record.answer.short == "Vask"


async def test_nothing_found_is_said_to_the_model_and_ends_nothing():
    record = await ask([answered("Vask"), bridged()], {})
    assert "(No fact was found.)" in record.messages[-1].text or record.answer is not None


@pytest.mark.parametrize(
    "question",
    [Question("q", "Is Orla Bridge old?", "label", ("Yes", "No")), Question("q", "Why is Orla Bridge old?", "long")],
)
async def test_labels_and_explanations_are_read_at_once(question):
    record = await ask(["Yes. It is of 1902."], {question.text: [BRIDGE]}, question)
    assert purposes(record) == ["answer"]
    assert record.answer.short


async def test_a_limit_of_calls_ends_in_the_best_reading_so_far():
    record = await ask([answered("Drum", 5), bridged(), answered("Vask", 2)], max_hops=3, budget={"max_llm_calls": 2})
    assert (record.answer.short, record.answer.stopped_because) == ("Drum", "max_llm_calls")


def test_what_speaks_against_a_reading():
    assert problems_of(reading("Vask", evidence(LIND, 2)), 0.0) == []
    assert problems_of(reading("", None), 0.0) == ["none"]
    assert problems_of(reading("I do not know", None), 0.0) == ["none"]
    assert problems_of(reading("Orla Bridge", evidence(BRIDGE, 1)), 0.0) == ["repeats"]
    assert problems_of(reading("Ghent", evidence(LIND, 2)), 0.0) == ["elsewhere"]
    assert problems_of(reading("Drum", evidence(OTHER, 1)), 0.0) == ["open"]
    assert problems_of(reading("Vask", evidence(LIND, 2), probability=0.2), 0.5) == ["unsure"]


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Which film came out first, A Day or Low Water?", "least"),
        ("Who was born later, Mara Lind or Greta Falk?", "most"),
        ("Who is older, Mara Lind or Greta Falk?", "least"),
        ("Which is longer, the Teel or the Vask?", "most"),
        ("Are Mara Lind and Greta Falk of the same nationality?", "same"),
        ("Do both films have directors from the same country?", "same"),
        ("Who was the first mayor of Orlau?", None),
        ("Is Orlau older than its bridge?", None),
        ("When was the older of the two bridges built?", "least"),
    ],
)
def test_what_a_question_wants_of_two_values(question, wanted):
    assert wanted_of(question) == wanted


@pytest.mark.parametrize(
    ("wanted", "left", "right", "answer"),
    [
        ("least", "12 May 1958", "1971", "L"),
        ("most", "12 May 1958", "1971", "R"),
        ("least", "May 12, 1958", "3 June 1958", "L"),
        ("most", "1958-05-12", "11 May 1958", "L"),
        ("least", "1958", "12 May 1958", ""),
        ("most", "1,450 m", "two thousand metres", "R"),
        ("least", "3.5 km", "30 km", "L"),
        ("same", "Dutch", "Dutch film director", "yes"),
        ("same", "Dutch", "Welsh", "no"),
        ("least", "", "1958", ""),
        ("most", "old", "new", ""),
    ],
)
def test_code_compares_values(wanted, left, right, answer):
    assert compared("Which?", wanted, Side("L", "", "", left, 1), Side("R", "", "", right, 2)) == answer


def test_who_died_first_is_told_by_the_last_date():
    sides = Side("L", "", "", "(1 May 1900 - 2 June 1990)", 1), Side("R", "", "", "(3 July 1910 - 4 August 1950)", 2)
    assert compared("Who died first, L or R?", "least", *sides) == "R"
    assert compared("Who was born first, L or R?", "least", *sides) == "L"


async def test_a_value_that_no_fact_about_its_side_states_is_asked_for_alone():
    question = "Which film has the director who died earlier, A Day or Low Water?"
    rest = "When did Piet Arens die?"
    day = Passage("day", "A Day is a film of 1951 by Mara Lind. Mara Lind died in 1990.", "A Day")
    water = Passage("water", "Low Water is a film of 1958 by Piet Arens.", "Low Water")
    arens = Passage("arens", "Piet Arens died in Ghent in 1970.", "Piet Arens")
    first = {"name": "A Day", "through": "Mara Lind", "ask": "When did Mara Lind die?", "value": "1990", "fact": 2}
    second = {"name": "Low Water", "through": "Piet Arens", "ask": rest, "value": "1999", "fact": 3}
    record = await ask([said(first=first, second=second), answered("1970")], {question: [day, water], rest: [arens]}, question)
    assert (purposes(record), record.answer.short) == (["compare", "answer"], "Low Water")
    assert (rest, "1970", "supported") in verdicts(record)


@pytest.mark.parametrize("options", [{"max_hops": -1}, {"num_passages": 0}, {"bridge": "sometimes"}, {"least_probability": 2}])
def test_an_option_that_cannot_be_is_refused(options):
    with pytest.raises(SettingsError):
        Stitch(**options)
