"""What one edition of a document says is not the answer about another one, and a later mail holds over what it quotes."""

import pytest

from hopweave.citations.support import judge
from hopweave.core.types import Passage

OLD = Passage(
    "old#2", "Loans run for three weeks. The fee for a late book is £0.20 a day.", "Library rules, version 2", "rules_v2.txt"
)
NEW = Passage(
    "new#2", "Loans run for four weeks. The fee for a late book is £0.30 a day.", "Library rules, version 3", "rules_v3.txt"
)
ONE = Passage("a#1", "Hire of the hall costs £40 a day.", "Orlau price list 2023", "prices-2023.html")
TWO = Passage("b#1", "Hire of the hall costs £45 a day (2022: £38).", "Orlau price list 2024", "prices-2024.html")
LETTER = Passage("c#1", "Hire of the hall cost Ada £40 in all.", "Letter of thanks", "letter.txt")


@pytest.mark.parametrize(
    ("asked", "answer", "passages", "has_tick"),
    [
        ("How long do loans run under version 2 of the library rules?", "three weeks", [OLD, NEW], True),
        ("How long do loans run under version 2 of the library rules?", "four weeks", [OLD, NEW], False),
        ("How long do loans run under version 3 of the library rules?", "three weeks", [NEW, OLD], False),
        ("What does hire of the hall cost by the Orlau price list of 2023?", "£40", [ONE, TWO], True),
        ("What does hire of the hall cost by the Orlau price list of 2023?", "£45", [ONE, TWO], False),
        ("What did hire of the hall of Orlau cost in 2022?", "£38", [ONE, TWO], True),  # the sentence has the year itself
    ],
)
def test_a_year_or_version_of_the_question_is_that_of_the_document_if_another_edition_has_it(asked, answer, passages, has_tick):
    assert (judge(asked, answer, passages).support == "supported") is has_tick


def test_a_document_that_is_no_edition_of_the_one_with_the_year_may_answer():
    asked = "What did hire of the hall cost Ada in 2023?"
    assert judge(asked, "£40", [LETTER]).support == judge(asked, "£40", [LETTER, ONE]).support


@pytest.mark.parametrize(
    ("source", "asked", "has_tick"),
    [
        ("rules_2021.txt", "What does hire of the hall of Orlau cost in 2025?", False),
        ("rules_2025.txt", "What does hire of the hall of Orlau cost in 2025?", True),
        ("rules_2024-25.txt", "What does hire of the hall of Orlau cost in 2025?", True),
        ("rules_2025.txt", "What did hire of the hall of Orlau cost in 2021?", False),
        ("rules.txt", "What does hire of the hall of Orlau cost in 2025?", True),
    ],
)
def test_what_a_document_of_another_year_says_is_not_how_it_is_in_a_later_one_nor_was_in_an_earlier_one(
    source, asked, has_tick
):
    told = Passage("p", "Hire of the hall costs £40 an evening.", "Rules of the hall of Orlau", source)
    assert (judge(asked, "£40", [told]).support == "supported") is has_tick


def test_a_later_document_may_tell_of_an_earlier_year():
    told = Passage("p", "In 2021, much was let. Hire of the hall cost £40.", "Report on the hall of Orlau", "report_2025.txt")
    assert judge("What did hire of the hall of Orlau cost in 2021?", "£40", [told]).support == "supported"


def mail(text, quote):
    return Passage(f"m#{quote}", text, "Re: Trip to Kerrow", f"trip.eml#quote={quote}" if quote else "trip.eml")


LATEST = mail("We now leave at 9:15 from the quay. The coach costs £12 a head.", 0)
QUOTED = mail("The coach leaves at 8:40 from the quay and costs £10 a head. Bring 2 litres of water.", 1)


@pytest.mark.parametrize(
    ("asked", "answer", "support"),
    [
        ("What does the coach to Kerrow cost a head?", "£12", "supported"),
        ("What does the coach to Kerrow cost a head?", "£10", "contradicted"),
        ("What did the coach to Kerrow cost a head at first?", "£10", "supported"),
        ("How many litres of water should everybody bring to Kerrow?", "2 litres", "supported"),  # nothing later is of litres
    ],
)
def test_a_value_that_a_mail_quotes_gives_way_to_a_later_one_of_its_kind(asked, answer, support):
    assert judge(asked, answer, [QUOTED, LATEST]).support == support
