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
MEETING = "The committee of Orlau meets in the Old Library in May, because the Board Room is being painted."
UPTIME = "The uptime of Orlau was 99.86%; the target of 99.9% was missed."
RAIN = "The storytelling of Orlau is in the Mill Yard. If it rains it goes to the School Gym."
PORT = "The bridge of Orlau uses a port. If none is given, it is 9418."
TRAINING = "For training in 2025 Orlau approved £15,000, of which £4,000 is for certificates."
WEIGHT = "The weight of the price in the tender of Orlau was reduced from 55% in favour of service."
NURSES = "The council of Orlau wishes to fit sensors to its nurses for 21 days."
TOWNS = "For the new data centre the council of Orlau looked at three towns: Lindle, Sutterby and Norrick."
TERMINALS = "Model: Terminal One; Charge: 1.5%.\n\nModel: Terminal One Pro; Charge: 1.3%."
WARRANTY = "Model: X9; not registered: 3 years; registered in time: 5 years."
ALARM = (
    "The orange alarm of Orlau sounds after 20 minutes. Version 6 of this runbook had 30 minutes for the orange alarm of Orlau."
)
PRECEPT = "First amendment: to freeze the precept of Orlau at £581,900 by drawing on reserves."
CLUB = "Session; now: £10; from May: £11.\n\nSecond child; now: £8; from May: £9."
COMMITTEE = "The committee of Orlau consists of up to 8 councillors, and should usually have at least 4 members."
MEETING_OF_DIVERS = "The eleventh meeting of the divers, Divemeet 10, was held in Brno from August 1st to 7th."
FIRST_MEETING = "The first meeting of the divers was held in Sula, and the second meeting in Brno."
CENTURY = "In the 19th century the first meeting of the divers was held in Sula."


@pytest.mark.parametrize(
    ("asked", "answer", "text", "has_tick"),
    [
        ("How many members can the committee of Orlau have at most?", "8", COMMITTEE, True),
        ("How many members should the committee of Orlau have at least?", "4", COMMITTEE, True),
        ("How many members should the committee of Orlau have at least?", "8", COMMITTEE, False),
        ("In which city was the first meeting of the divers held?", "Brno", MEETING_OF_DIVERS, False),
        ("In which city was the eleventh meeting of the divers held?", "Brno", MEETING_OF_DIVERS, True),
        ("In which city was the 11th meeting of the divers held?", "Brno", MEETING_OF_DIVERS, True),
        ("In which city was the first meeting of the divers held?", "Sula", FIRST_MEETING, True),
        ("In which city was the first meeting of the divers held?", "Brno", FIRST_MEETING, False),
        ("In which city was the second meeting of the divers held?", "Brno", FIRST_MEETING, True),
        ("In which city was the first meeting of the divers held?", "Sula", CENTURY, True),
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
        ("Where does the committee of Orlau meet in May?", "Old Library", MEETING, True),
        ("Where does the committee of Orlau meet in May?", "Board Room", MEETING, False),
        ("What uptime did Orlau reach?", "99.86%", UPTIME, True),
        ("What uptime did Orlau reach?", "99.9%", UPTIME, False),
        ("Where is the storytelling of Orlau if it rains?", "School Gym", RAIN, True),
        ("Where is the storytelling of Orlau if it stays dry?", "School Gym", RAIN, False),
        ("Which port does the bridge of Orlau use?", "9418", PORT, True),
        ("How much did Orlau approve for training in all in 2025?", "£15,000", TRAINING, True),
        ("How much did Orlau approve for training in all in 2025?", "£4,000", TRAINING, False),
        ("What is the weight of the price in the tender of Orlau?", "55%", WEIGHT, False),
        ("How many requests did the council of Orlau reject?", "21", NURSES, False),
        ("In which town will the new data centre of Orlau be?", "Sutterby", TOWNS, False),
        ("What is the charge of the Terminal One of Orlau?", "1.5%", TERMINALS, True),
        ("What is the charge of the Terminal One of Orlau?", "1.3%", TERMINALS, False),
        ("How long is the warranty of an X9 that was never registered at Orlau?", "3 years", WARRANTY, True),
        ("How long is the warranty of an X9 that was never registered at Orlau?", "5 years", WARRANTY, False),
        ("After how long does the orange alarm of Orlau sound?", "20 minutes", ALARM, True),
        ("After how long does the orange alarm of Orlau sound?", "30 minutes", ALARM, False),
        ("What is the precept of Orlau after the first amendment?", "£581,900", PRECEPT, False),
        ("What does a session at Orlau cost from May?", "£11", CLUB, True),
        ("What does a session for a child at Orlau cost from May?", "£9", CLUB, False),
    ],
)
def test_a_value_among_several_of_its_kind_has_a_tick_only_if_the_question_chooses_it(asked, answer, text, has_tick):
    found = judge(asked, answer, [Passage("p", text, "Orlau", "orlau.txt")])
    assert (found.support == "supported") is has_tick
