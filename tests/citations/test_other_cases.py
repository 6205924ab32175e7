"""Values and names beside the one that is asked for: of another case, another thing, another time, or another person."""

import pytest

from hopweave.citations.support import judge
from hopweave.core.types import Passage

DISPLAY = Passage(
    "display#1",
    "The Orlau scale shows E4 if its battery is low. Charge the Orlau scale for four hours (K-series: six hours). The counter "
    "of the Orlau scale is open from 17:30 to 18:30 (not on Fridays). It carries at most 50 litres in the tank, five litres "
    "in the tray, and half a litre in the cup of the Orlau scale. The Orlau scale is 34 metres long, 3 metres wide. The pH of "
    "the Orlau scale is 1.1 (pure), 1.9 (at 5 %). A delivery of the Orlau scale is possible within 72 hours; for express "
    "parcels of the Orlau scale the window is 4 hours. The price of the Orlau scale was cut from £57 to £55. The lamp of the "
    "Orlau scale now defaults to green; it was blue. The cover of the Orlau scale costs £9 (£7 for schools). In tests, the "
    "Orlau scale beats its rivals in Sula by 8.0, in Tromvik by 14.4, and in Brno by 3.8 points.",
    "Orlau scale",
    "scale.txt",
)


@pytest.mark.parametrize(
    ("query", "right", "wrong"),
    [
        ("How long do I charge the K-series of the Orlau scale?", "six hours", "four hours"),
        ("How many litres may be in the tray of the Orlau scale?", "five litres", "50 litres"),
        ("How many litres may be in the cup of the Orlau scale?", "half a litre", "five litres"),
        ("How long is the Orlau scale?", "34 metres", "3 metres"),
        ("How wide is the Orlau scale?", "3 metres", "34 metres"),
        ("What is the pH of the Orlau scale at 5 %?", "1.9", "1.1"),
        ("Within what time is delivery of express parcels of the Orlau scale possible?", "4 hours", "72 hours"),
        ("What is the price of the Orlau scale?", "£55", "£57"),
        ("What is the default lamp of the Orlau scale?", "green", "blue"),
        ("What does the cover of the Orlau scale cost?", "£9", "£7"),
        ("By how many points does the Orlau scale beat its rivals in Tromvik?", "14.4", "8.0"),
        ("By how many points does the Orlau scale beat its rivals in Tromvik?", "14.4", "3.8"),
        ("By how many points does the Orlau scale beat its rivals in Brno?", "3.8", "14.4"),
    ],
)
def test_a_value_that_stands_for_another_case_supports_nothing(query, right, wrong):
    assert judge(query, right, [DISPLAY]).support == "supported"
    assert judge(query, wrong, [DISPLAY]).support == "unsupported"


def test_what_brackets_leave_out_is_denied():
    assert judge("When is the counter of the Orlau scale open?", "17:30 to 18:30", [DISPLAY]).support == "supported"
    found = judge("When is the counter of the Orlau scale open on Fridays?", "17:30 to 18:30", [DISPLAY])
    assert found.shortfall == "denial"


STAFF = Passage(
    "staff#1",
    "The caretaker of Carrow Head is Ada Finch (deputy: Ida Renn). The keeper of Carrow Head, Mara Lind, retires in May. "
    "Her successor is Una Marsh. The director of Carrow Head is Olga Hale (before her Tom Ward). Ada Vane uses smoked cod in "
    "Carrow, Ida Lunt uses trout in Carrow.",
    "Carrow Head",
    "staff.txt",
)


@pytest.mark.parametrize(
    ("query", "right", "wrong"),
    [
        ("Who is the caretaker of Carrow Head?", "Ada Finch", "Ida Renn"),
        ("Who is the deputy caretaker of Carrow Head?", "Ida Renn", None),
        ("Who takes over from the keeper of Carrow Head?", None, "Mara Lind"),
        ("Who was director of Carrow Head before the present director?", "Tom Ward", "Olga Hale"),
        ("Who uses trout in Carrow?", "Ida Lunt", "Ada Vane"),
    ],
)
def test_who_stands_beside_the_one_that_is_asked_for_supports_nothing(query, right, wrong):
    assert right is None or judge(query, right, [STAFF]).support == "supported"
    assert wrong is None or judge(query, wrong, [STAFF]).support == "unsupported"


def test_the_most_of_a_list_is_told_only_by_a_sentence_that_says_so():
    listed = Passage("a", "In Orlau, Rape had 3.1 kg a plant, Flax had 2.7 kg a plant.", "Crops of Orlau")
    told = Passage("b", "In Orlau, Rape had the heaviest crop a plant, 3.1 kg.", "Crops of Orlau")
    asked = "Which had the heaviest crop a plant in Orlau?"
    assert judge(asked, "Rape", [listed]).support == judge(asked, "Flax", [listed]).support == "unsupported"
    assert judge(asked, "Rape", [told]).support == "supported"


def test_how_much_there_is_of_a_thing_needs_the_thing_where_another_sentence_has_it():
    manure = Passage("a", "On the cabbage bed of Orlau comes manure, 5 kg per square metre.", "The garden of Orlau")
    lime = Passage("b", "In autumn, 270 g lime per square metre is spread on the bed.", "The garden of Orlau")
    asked = "How much lime per square metre comes on the cabbage bed of Orlau?"
    assert judge(asked, "5 kg", [manure, lime]).support == "unsupported"
    assert judge("How much manure per square metre comes on the bed of Orlau?", "5 kg", [manure, lime]).support == "supported"


def test_another_sentence_with_clearly_more_of_the_question_is_what_it_asks_for():
    one = Passage("a", "Lost property of the Orlau bus is kept for 4 weeks.", "Orlau bus")
    two = Passage("b", "The lost property office of the town hall keeps property of the Orlau bus for 6 months.", "Orlau bus")
    asked = "How long does the lost property office of the town hall keep property of the Orlau bus?"
    assert judge(asked, "6 months", [one, two]).support == "supported"
    assert judge(asked, "4 weeks", [one, two]).shortfall == "relation"
    assert judge(asked, "4 weeks", [one]).support == "supported"


def test_the_number_of_a_section_is_no_answer():
    rows = Passage("a", "Pin: VCC; Use: supply of the Orlau board.", "Orlau board", sections=("7 Pins of the supply",))
    assert judge("Which pin of the Orlau board is the supply?", "7", [rows]).support == "unsupported"


def test_rows_of_a_table_about_two_things_are_no_rivals():
    rows = Passage(
        "a",
        "Completed service: less than two years; Days of leave: 25 days.\n\n"
        "Completed service: five years but less than ten; Days of leave: 28 days.",
        "Leave in Orlau",
    )
    found = judge("How many days of leave do people with five years of service get in Orlau?", "28 days", [rows])
    assert found.support == "supported"


def test_lines_with_labels_may_be_indented():
    lines = Passage(
        "a",
        "Contacts of Orlau\n  Head gardener, Forest Cemetery: Ada Finch\n  Caretaker, Old Cemetery: Ida Renn",
        "Orlau",
    )
    asked = "Who is caretaker of the Old Cemetery?"
    assert judge(asked, "Ida Renn", [lines]).support == "supported"
    assert judge(asked, "Ada Finch", [lines]).support == "unsupported"


@pytest.mark.parametrize(
    ("query", "answer", "support"),
    [
        ("I've moved to Orlau. When is the office of Orlau open on Saturdays?", "06:30 to 17:00", "supported"),
        ("I've moved to Orlau. When is the office of Orlau open on Saturdays?", "05:50 to 19:20", "unsupported"),
        ("When is the office of Orlau open on Sundays?", "06:30 to 17:00", "unsupported"),
        ("Up to what time is the office of Orlau open on Saturday?", "17:00", "supported"),
    ],
)
def test_days_may_be_abbreviated_and_contractions_are_no_names(query, answer, support):
    hours = Passage("a", "Office of Orlau: Mon-Fri 05:50 to 19:20, Sat 06:30 to 17:00.", "Orlau")
    assert judge(query, answer, [hours]).support == support


def test_names_that_a_preposition_follows_are_one_list():
    band = Passage("a", "The members of the Orlau band are Ada Finch on drums, Ida Renn on bass.", "Orlau band")
    assert judge("Who is a member of the Orlau band?", "Ida Renn", [band]).support == "supported"
