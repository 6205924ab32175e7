"""Answers that only say where the answer stands, and sentences in what others refer to."""

from dataclasses import replace

import pytest

from hopweave.answering.reading.checking import Reading, problems_of
from hopweave.citations.support import judge
from hopweave.core.types import Hit, Passage, Via
from hopweave.text.evidence import chosen_sentences
from hopweave.text.referred import referring_to
from hopweave.text.referring import is_only_a_term, only_refers

LIABLE = "What is the most that the Supplier is liable for in a year?"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (LIABLE, "the amount stated in clause 13.1"),
        (LIABLE, "clause 13.1"),
        ("Auf welchen Betrag ist die Haftung beschränkt?", "den in § 12 genannten Betrag"),
        ("Welche Zinsen fallen bei Verzug an?", "Zinsen nach § 8 Abs. 3"),
        ("Which oil goes into the bearing?", "oil named in Section 5.1"),
        ("Quelle sanction entraîne un manquement ?", "la sanction prévue à l'article 12, alinéa 2"),
        ("What do I do after an emergency stop?", "follow the steps in Section 3.4"),
        ("In which cases may staff be replaced?", "one of the events in clause 9.3 has occurred"),
    ],
)
def test_an_answer_that_only_says_where_the_answer_stands_is_told(query, said):
    assert only_refers(query, said)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (LIABLE, "1.8 million crowns (clause 13.1)"),
        ("What interest is due?", "the Default Rate (see clause 1.3)"),
        ("What do I do when the seal leaks?", "replace the seal ring as described in Section 5.2"),
        ("Which clause is about liability?", "clause 6.2"),
        ("Where is the liability stated?", "in clause 6.2"),
        ("Which film won?", "The Godfather Part II"),
        ("Which rule allows the processing?", "Article 6 GDPR"),
        ("How long is the notice?", "30 days under clause 4"),
        ("What do I order for the seal?", "part 12-4471"),
    ],
)
def test_an_answer_that_says_something_beside_a_reference_is_one(query, said):
    assert not only_refers(query, said)


PAID = Passage("a", "4.1 Each invoice shall be paid within the period laid down in clause 12.4.", "Agreement", "a.md", 0, 75)


@pytest.mark.parametrize("said", ["12.4", "clause 12.4", "the period laid down in clause 12.4"])
def test_a_reference_has_no_tick_as_an_answer(said):
    judged = judge("Within how many days shall each invoice be paid?", said, [PAID])
    assert (judged.support, judged.shortfall) == ("unsupported", "kind")


def test_a_reading_that_only_refers_has_a_problem():
    assert "refers" in problems_of(Reading(LIABLE, "the amount in clause 13.1", None, 1.0, ()), 0.0)


PAYMENT = Passage("a#2", "12.3 Currency is the crown.\n\n12.4 The time is 45 days from receipt.", "Agreement", "a.md", 100, 170)
ASKED = "Within how many days shall each invoice be paid?"


def test_what_a_short_part_says_is_borne_out_by_it_and_the_sentence_that_refers_to_it():
    assert judge(ASKED, "45 days", [PAYMENT]).support == "unsupported"
    judged = judge(ASKED, "45 days", [PAYMENT, PAID])
    assert judged.support == "supported"
    assert [one.passage_id for one in judged.citations] == ["a#2", "a"]
    assert judge(ASKED, "45 days", [replace(PAYMENT, text=PAYMENT.text.replace("12.4", "12.5")), PAID]).support == "unsupported"


def test_a_long_part_is_not_borne_out_by_what_refers_to_it():
    items = " ".join(f"Thing {number} takes {number} days." for number in range(20, 30))
    long = Passage("a#3", f"12.4 {items} The time is 45 days from receipt.", "Agreement", "a.md", 100, 900)
    assert judge(ASKED, "45 days", [long, PAID]).support == "unsupported"


LATE = "What interest do overdue invoices bear?"
RULE = Passage(
    "c#2", "Invoices that are overdue bear interest at the rate laid down in clause 9.3.", "Contract", "c.md", 100, 180
)
MONEY = Passage(
    "c#3",
    "9.1 Each invoice names the boats.\n\n9.2 An invoice is sent to the office in Kerrow by the first of the month.\n\n"
    "9.3 The percentage is 7.1 a year.\n\n9.4 An invoice is written in crowns.",
    "Contract",
    "c.md",
    200,
    400,
    sections=("9. Money",),
)


def test_the_sentence_that_is_meant_comes_before_others_of_its_passage():
    hits = [Hit(RULE, 1.0, 1), Hit(MONEY, 0.9, 2)]
    said = " ".join(one.text for one in chosen_sentences(LATE, hits, 60))
    assert "7.1 a year" in said
    alone = " ".join(one.text for one in chosen_sentences(LATE, [Hit(MONEY, 0.9, 1)], 30))
    assert "7.1 a year" not in alone


def test_what_refers_to_a_passage_is_a_sentence_of_its_document_or_of_what_led_to_it():
    other = Passage("d#1", RULE.text, "Rules", "d.md", 0, 80)
    assert set(referring_to([Hit(RULE, 1.0, 1), Hit(MONEY, 0.9, 2)])) == {"c#3"}
    assert not referring_to([Hit(other, 1.0, 1), Hit(MONEY, 0.9, 2)])
    led = Hit(MONEY, 0.9, 2, Via("d#1", "Rules", "reference"))
    [referring] = referring_to([Hit(other, 1.0, 1), led])["c#3"]
    [meant] = referring.meant
    assert MONEY.text[meant.start : meant.end].startswith("9.3 The percentage")


USE = Passage(
    "c#4", "Invoices that are overdue bear interest at the Default Rate; the Customer pays it.", "Contract", "c.md", 0, 80
)
MEANING = Passage(
    "c#5", '"Default Rate" means 7.1 per cent. Orlau Ltd (the "Customer") buys lamps.', "Contract", "c.md", 90, 160
)


@pytest.mark.parametrize(
    ("query", "said", "found", "is_term"),
    [
        (LATE, "the Default Rate", [USE, MEANING], True),
        (LATE, "Default Rate", [USE, MEANING], True),
        (LATE, "Default Rate", [USE], False),
        (LATE, "7.1 per cent", [USE, MEANING], False),
        ("Who pays it?", "the Customer", [USE, MEANING], False),
        ("What is the percentage for late payment called?", "the Default Rate", [USE, MEANING], False),
        ("At which rate do overdue invoices bear interest?", "the Default Rate", [USE, MEANING], False),
    ],
)
def test_a_term_is_no_answer_where_what_it_means_is_asked_for(query, said, found, is_term):
    assert is_only_a_term(query, said, USE, found) is is_term


def test_a_term_that_is_defined_elsewhere_has_no_tick():
    assert judge(LATE, "the Default Rate", [USE]).support == "supported"
    assert judge(LATE, "the Default Rate", [USE, MEANING]).shortfall == "kind"
