"""Where several values could be meant, one gets a tick only if the question chooses it."""

import pytest

from hopweave.citations.support import judge
from hopweave.core.types import Passage

BONUS = "For a recommendation Orlau pays £750, or £1,000 where the vacancy is for a diver."
RESIT = "The fee for a resit is £55 per paper (£45 until summer 2024)."
REQUESTS = "Of its requests the council of Orlau granted 48 at once, 21 after changes, and 5 were rejected."
BOATS = "The price of the boats of Orlau lies between £190,000 and £205,000."
BATHS = "Entry to the baths of Orlau is £5 for residents and £3 for pupils."
PRESSURE = "The WM 40 Pro needs a pressure of 8 bar."
LIFTS = "Firm: Ascot Lifts; Price: £29,900; Warranty: 5 years.\n\nFirm: Quintor Lifts; Price: £27,800; Warranty: 2 years."
HALLS = "Service: Hall; Residents: £310; Others: £540.\n\nService: Barn; Residents: £110; Others: £140."
CLUB = "Session; now: £10; from May: £11.\n\nSecond child; now: £8; from May: £9."


@pytest.mark.parametrize(
    ("asked", "answer", "text", "has_tick"),
    [
        ("What is paid in Orlau for the recommendation of a diver?", "£1,000", BONUS, True),
        ("What is paid in Orlau for the recommendation of a diver?", "£750", BONUS, False),
        ("What is the present fee for a resit in Orlau?", "£55", RESIT, True),
        ("What is the present fee for a resit in Orlau?", "£45", RESIT, False),
        ("How many requests did the council of Orlau reject?", "5", REQUESTS, True),
        ("How many requests did the council of Orlau turn down?", "48", REQUESTS, False),
        ("What is the price of the boats of Orlau?", "£190,000", BOATS, False),
        ("What is the price of the boats of Orlau?", "£205,000", BOATS, False),
        ("How much is entry to the baths of Orlau for pupils?", "£3", BATHS, True),
        ("How much is entry to the baths of Orlau for a guest?", "£3", BATHS, False),
        ("What pressure does the WM 40 Pro of Orlau need?", "8 bar", PRESSURE, True),
        ("What pressure does the WM 40 of Orlau need?", "8 bar", PRESSURE, False),
        ("Which firm offers Orlau a warranty of 5 years?", "Ascot Lifts", LIFTS, True),
        ("Which firm did Orlau choose for the lift?", "Quintor Lifts", LIFTS, False),
        ("What does the Hall of Orlau cost residents?", "£310", HALLS, True),
        ("What does the Hall of Orlau cost?", "£310", HALLS, False),
        ("What does a session at Orlau cost from May?", "£11", CLUB, True),
        ("What does a session for a child at Orlau cost from May?", "£9", CLUB, False),
    ],
)
def test_a_value_among_several_of_its_kind_has_a_tick_only_if_the_question_chooses_it(asked, answer, text, has_tick):
    found = judge(asked, answer, [Passage("p", text, "Orlau", "orlau.txt")])
    assert (found.support == "supported") is has_tick
