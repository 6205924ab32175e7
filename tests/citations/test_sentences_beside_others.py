"""A sentence stands for what it says itself: not for the one before it, nor for other units, opposites or amended values."""

from __future__ import annotations

import pytest

from hopweave.citations.support import judge
from hopweave.core.types import Passage

OPTIONS = Passage(
    "options",
    "The cache is off. max_age is the time after which an entry is dropped. retry_interval is 15 minutes by default.",
    "Options of the cache",
)
FOUNDED = Passage(
    "founded",
    "Orlau Instruments was founded in 1987 by Ada Finch. Her son Tom has been its director since 2011.",
    "Orlau Instruments",
)
SENT_OFF = Passage("match", "Dario Senn came on late. In the last minute Senn was sent off.", "The final")
CORD = Passage("cord", "The cord of the Orlau lamp is 1,400 mm long. It is tested for at least a week.", "Orlau lamp")


def support(query: str, answer: str, *passages: Passage) -> str:
    return judge(query, answer, passages).support


@pytest.mark.parametrize(
    ("query", "answer", "passage", "is_ticked"),
    [
        ("What is the default of max_age?", "15 minutes", OPTIONS, False),
        ("What is the default of retry_interval?", "15 minutes", OPTIONS, True),
        ("In which year was Orlau Instruments founded?", "2011", FOUNDED, False),
        ("In which year was Orlau Instruments founded?", "1987", FOUNDED, True),
        ("Who founded Orlau Instruments?", "Tom", FOUNDED, False),
        ("Since when has Tom been director of Orlau Instruments?", "2011", FOUNDED, True),
        ("Who was sent off in the final?", "Dario Senn", SENT_OFF, True),
    ],
)
def test_a_sentence_with_a_subject_of_its_own_does_not_go_on_about_the_one_before(query, answer, passage, is_ticked):
    assert (support(query, answer, passage) == "supported") is is_ticked


@pytest.mark.parametrize(
    ("statement", "is_ticked"),
    [
        ("The cord of the Orlau lamp is 1,400 mm long.", True),
        ("The cord of the Orlau lamp is 1,400 m long.", False),
        ("The cord of the Orlau lamp is tested for at least a week.", True),
        ("The cord of the Orlau lamp is tested for at least two weeks.", False),
    ],
)
def test_a_statement_has_the_values_of_its_passage_with_their_units(statement, is_ticked):
    assert (support("What is said of the cord of the Orlau lamp?", statement, CORD) == "supported") is is_ticked


@pytest.mark.parametrize(
    ("told", "statement", "is_ticked"),
    [
        ("The truck weighs more than 12 tonnes.", "The truck weighs less than 12 tonnes.", False),
        ("The truck weighs more than 12 tonnes.", "The truck weighs over 12 tonnes.", True),
        ("Brno lost to Graz by 3 goals.", "Brno beat Graz by 3 goals.", False),
        (
            "The committee of Sula adopted the budget of 5,000 euros.",
            "The committee of Sula rejected the budget of 5,000 euros.",
            False,
        ),
        (
            "The committee of Sula adopted the budget of 5,000 euros.",
            "The committee of Sula approved the budget of 5,000 euros.",
            True,
        ),
    ],
)
def test_a_statement_of_the_opposite_is_not_supported(told, statement, is_ticked):
    assert (support("What happened?", statement, Passage("told", told, "Notes")) == "supported") is is_ticked


@pytest.mark.parametrize(
    ("told", "answer", "is_ticked"),
    [
        ("The TG-40 is launched on 19 August. Please do not promise 15 July to anybody.", "15 July", False),
        ("The TG-40 is launched on 19 August. Please do not promise 15 July to anybody.", "19 August", True),
        ("The TG-40 is launched on 19 August. Never write 15 July on a form.", "15 July", False),
    ],
)
def test_what_readers_are_told_not_to_say_is_no_answer(told, answer, is_ticked):
    assert (support("When is the TG-40 launched?", answer, Passage("told", told, "Notes")) == "supported") is is_ticked


@pytest.mark.parametrize(("query", "is_ticked"), [("Who manages Orlau Works?", False), ("Who managed Orlau Works?", True)])
def test_who_was_in_a_post_until_some_year_is_not_in_it_now(query, is_ticked):
    told = Passage("told", "Orlau Works was managed by Harald Lie until May 2017.", "Orlau Works")
    assert (support(query, "Harald Lie", told) == "supported") is is_ticked


@pytest.mark.parametrize(
    ("query", "answer", "title", "clause", "named", "was"),
    [
        ("What is the fee a month?", "£250", "Supply Contract", "The fee is £250 a month", "the Supply Contract", '"£250"'),
        (
            "How long is the notice period of the lease of Kelso Road?",
            "nine months",
            "lease-kelso-road",
            "The notice period of the lease is nine months",
            "THE LEASE OF 17 KELSO ROAD",
            '"nine months\'"',
        ),
        ("What share is payable?", "62 %", "lease-kelso-road", "The share payable is 62 %", "the lease of Kelso Road", '"62%"'),
    ],
)
def test_an_amended_value_is_contradicted_however_the_amendment_names_the_contract(query, answer, title, clause, named, was):
    contract = Passage("contract", f"4. Terms\n\n4.1 {clause}.", title)
    amendment = Passage(
        "second", f'Amendment No. 2 to {named}\n\nIn clause 4, {was} is replaced by "seven".', "Amendment No. 2"
    )
    assert support(query, answer, contract) == "supported"
    assert support(query, answer, contract, amendment) == "contradicted"


def test_the_name_of_a_file_tells_what_its_text_is_about():
    told = Passage("lease", "The Term is ten years.", "lease-kelso-road")
    assert support("How long is the Term of the Kelso Road lease?", "ten years", told) == "supported"
    assert support("How long is the Term of the Sula Road lease?", "ten years", told) == "unsupported"


def test_how_a_question_asks_for_an_explanation_is_no_name():
    told = Passage("book", "During probation the notice period is one week on either side.", "Handbook")
    for query in ("Explain how the notice periods of the handbook work.", "How do the notice periods of the handbook work?"):
        assert support(query, told.text, told) == "supported"


def test_a_statement_about_one_side_of_a_comparison_is_judged_by_its_own_words():
    told = Passage("told", "The TG-40 has a weight of 480 g.", "Weights")
    assert support("Which is heavier, the TG-40 or the MB-1?", told.text, told) == "supported"
