"""What the text around a sentence, its document, or another one says against it: it no longer holds, or never did."""

import pytest

from hopweave.citations.support import judge
from hopweave.core.types import Passage


def found(*texts, title="Lamps of Orlau"):
    return [Passage(f"p{number}", text, title, f"{number}.md") for number, text in enumerate(texts)]


def test_a_value_that_another_document_says_was_replaced_is_contradicted_by_it():
    passages = found(
        "The inspection of the lamps is on 18 March.", "The inspection of the lamps moved from 18 March to 25 March."
    )
    query = "When is the inspection of the lamps of Orlau?"
    old = judge(query, "18 March", passages)
    assert old.support == "contradicted"
    assert old.contradicted_by is not None
    assert old.contradicted_by.passage_id == "p1"
    assert judge(query, "25 March", passages).support == "supported"


def test_a_value_beside_what_is_so_now_is_contradicted():
    passages = found("The inspection of the lamps is on 18 March.", "The inspection of the lamps is now on 25 March.")
    query = "When is the inspection of the lamps of Orlau?"
    assert judge(query, "18 March", passages).support == "contradicted"
    assert judge(query, "25 March", passages).support == "supported"


def test_a_default_that_changed_twice_is_the_last_one():
    passages = found(
        "3.4: the default of the delay is now 120 seconds (was 600).\n\n3.2: the default of the delay is now 600 seconds."
    )
    query = "What is the default of the delay of the lamps of Orlau?"
    assert judge(query, "120 seconds", passages).support == "supported"
    assert judge(query, "600 seconds", passages).support != "supported"


@pytest.mark.parametrize(
    "notice",
    [
        "Outdated. See the page of 2024.",
        "This page describes the old lamps.",
        "Version 1. Replaced by version 2.",
        "Status: withdrawn",
    ],
)
def test_what_an_outdated_document_says_was_replaced(notice):
    told = "The lamps of Orlau burn rape oil."
    query = "Which oil do the lamps of Orlau burn?"
    out = judge(query, "rape oil", found(f"{notice}\n\n{told}"))
    assert (out.support, out.shortfall) == ("unsupported", "replaced")
    assert judge(query, "rape oil", found(f"Checked in May.\n\n{told}")).support == "supported"


def test_an_outdated_document_speaks_against_nothing():
    passages = found(
        "Replaced by version 2.\n\nThe price of a night in the tower is 140 euros.",
        "The price of a night in the tower is 175 euros.",
    )
    query = "What is the price of a night in the tower of Orlau?"
    assert judge(query, "175 euros", passages).support == "supported"
    assert judge(query, "140 euros", passages).support != "supported"


@pytest.mark.parametrize(
    ("next_sentence", "is_ticked"),
    [
        ("The motion was lost.", False),
        ("The proposal was rejected by the council.", False),
        ("Ada Finch withdrew the motion.", False),
        ("The motion was carried.", True),
        ("The proposal was agreed.", True),
    ],
)
def test_what_was_moved_holds_if_it_was_carried(next_sentence, is_ticked):
    passages = found(f"Ada Finch moved that the lamps be cleaned at a cost of 900 euros. {next_sentence}")
    got = judge("What does it cost to clean the lamps of Orlau?", "900 euros", passages)
    assert (got.support == "supported") is is_ticked


def test_what_the_next_sentence_denies_was_only_said():
    passages = found("According to the paper, the lamps of Orlau cost 780 euros. The keeper denies this: they cost 642 euros.")
    query = "What do the lamps of Orlau cost?"
    assert judge(query, "780 euros", passages).shortfall == "replaced"


def test_what_stands_under_a_heading_of_rejected_alternatives_was_not_chosen():
    chosen, rejected = "The lamps of Orlau burn rape oil.", "The lamps of Orlau burn whale oil, which is dear."
    text = f"Decision\n\n{chosen}\n\nRejected alternatives\n\n{rejected}"
    query = "Which oil do the lamps of Orlau burn?"
    assert judge(query, "whale oil", found(text)).shortfall == "replaced"
    assert judge(query, "rape oil", found(text)).support == "supported"


def test_a_date_that_only_the_title_has_is_not_that_of_a_sentence_with_a_date():
    passages = found("The repair of the lamp starts on 2 September 2024.", title="Minutes of 9 April 2024")
    query = "When does the repair of the lamp start?"
    assert judge(query, "9 April 2024", passages).support != "supported"
    assert judge(query, "2 September 2024", passages).support == "supported"
    ranged = found("The repair of the lamp lasts from 12 to 14 June.", title="Minutes of 9 April 2024")
    assert judge("When is the repair of the lamp?", "9 April 2024", ranged).support != "supported"


def test_when_a_message_was_sent_is_not_when_what_it_tells_of_is():
    text = "The summer fair of Orlau is a great thing. Ada Finch sells lamps."
    sent = ("Ada Finch <ada@lamps.example>, Wed, 8 May 2024 10:00:00 +0200",)
    mail = Passage("1.eml", text, "Summer fair of Orlau", "1.eml", sections=sent)
    assert judge("When is the summer fair of Orlau?", "8 May 2024", [mail]).support != "supported"


def test_a_date_of_the_question_may_have_another_form_in_the_text():
    passages = found("2024-09-12 18:26  The lamps of Orlau were lit by Ada Finch.")
    assert judge("Who lit the lamps of Orlau on 12 September 2024?", "Ada Finch", passages).support == "supported"
    assert judge("Who lit the lamps of Orlau on 13 September 2024?", "Ada Finch", passages).support != "supported"


def test_a_number_after_a_not_denies_no_other_number_that_begins_like_it():
    passages = found("The price of the lamps is 1,480 euros and not 1,840 euros.")
    query = "What is the price of the lamps of Orlau?"
    assert judge(query, "1,480 euros", passages).support == "supported"
    assert judge(query, "1,840 euros", passages).support != "supported"


def test_what_an_option_does_instead_replaces_nothing():
    page = "Print the first 10 lines of each file. -n, --lines=NUM print the first NUM lines instead of the first 10."
    found = judge("How many lines does lamp print?", "10", [Passage("lamp", page, "lamp")])
    assert found.support == "supported"


PRICE = Passage(
    "c#2",
    "4 Price\n\nThe price per litre is that of the daily index, plus a margin of 6.2 pence.",
    "Contract for Lamp Oil",
    "c.md",
)


@pytest.mark.parametrize(("clause", "is_replaced"), [("Clause 4 (Price). ", True), ("", True), ("Clause 9 (Notice). ", False)])
def test_a_document_that_amends_another_one_by_name_replaces_what_its_clause_says(clause, is_replaced):
    text = f'Amendment No. 2 to the Contract for Lamp Oil\n\n{clause}The sum of "6.2 pence" is replaced by "5.4 pence".'
    judged = judge(
        "what margin do we pay on top of the index, per litre", "6.2 pence", [PRICE, Passage("a", text, "a2", "a2.txt")]
    )
    assert judged.support == ("contradicted" if is_replaced else "supported")


def test_what_is_left_out_is_an_answer_if_that_is_asked_for_and_not_replaced():
    told = Passage("p", "It is tested on Linux (all distributions that Orla supports except Alpine).", "Orla")
    asked = "On which Linux distribution that Orla supports is it not tested?"
    assert judge(asked, "Alpine", [told]).support == "supported"
