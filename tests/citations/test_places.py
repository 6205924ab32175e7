"""What a sentence is read with: entries of schedules and logs stand beside each other."""

import pytest

from hopweave.citations.places import place_of, sentences_of
from hopweave.citations.support import judge
from hopweave.core.types import Passage, Reading, Span

COURSES = "\n\n".join(
    [
        "4 June 2024 forklift course for apprentices",
        "9 July 2024 first aid course in room 2.14",
        "3 September 2024 crane licence exam",
    ]
)
LOG = "\n\n".join(
    [
        "2024-04-09 03:15:09 INFO backup finished in 412 s",
        "2024-04-09 06:15:09 INFO gate 3 forced open, alarm raised, guard called",
        "2024-04-10 06:15:09 INFO gate 3 opened by badge 2071",
    ]
)


def headings(text):
    return [sentence.heading for sentence in sentences_of(text)]


@pytest.mark.parametrize(
    ("asked", "right", "wrong"),
    [
        ("When is the first aid course?", "9 July 2024", ("4 June 2024", "3 September 2024")),
        ("When is the forklift course?", "4 June 2024", ("9 July 2024", "3 September 2024")),
        ("When is the crane licence exam?", "3 September 2024", ("4 June 2024", "9 July 2024")),
    ],
)
def test_each_entry_of_a_schedule_answers_for_itself(asked, right, wrong):
    found = [judge(asked, one, [Passage("courses", COURSES)]).support for one in (right, *wrong)]
    assert found == ["supported", "unsupported", "unsupported"]


@pytest.mark.parametrize(
    ("asked", "right", "wrong"),
    [
        ("When was gate 3 forced open?", "9 April 2024", "10 April 2024"),
        ("When was gate 3 forced open?", "06:15:09", "03:15:09"),
        ("When did the backup finish on 9 April 2024?", "03:15:09", "06:15:09"),
        ("When was gate 3 opened by badge 2071?", "10 April 2024", "9 April 2024"),
    ],
)
def test_each_entry_of_a_log_answers_for_itself(asked, right, wrong):
    found, other = (judge(asked, one, [Passage("log", LOG)]) for one in (right, wrong))
    assert (found.support, other.support) == ("supported", "unsupported")


@pytest.mark.parametrize(
    "entries",
    [
        ("4 June 2024 forklift course", "9 July 2024 first aid"),
        ("2024-06-04 forklift course", "2024-07-09 first aid"),
        ("[09:15] forklift course", "[10:30] first aid"),
        ("09:15 forklift course", "10:30-11:00 first aid"),
        ("Mon 4 June: forklift course", "Tue 9 July: first aid"),
        ("Apr  9 03:15:09 gate opened", "Apr 10 04:15:09 gate closed"),
        ("4. Juni 2024 Kurs der Lehrlinge", "9. Juli 2024 Erste Hilfe in der Werkstatt"),
    ],
)
def test_an_entry_is_no_heading_of_the_next_and_both_keep_theirs(entries):
    assert headings("\n\n".join(["Courses", *entries])) == ["", "Courses", "Courses"]


@pytest.mark.parametrize(
    ("above", "below"),
    [
        ("12 May 2024 Board meeting", "Ida Renn was elected chair."),
        ("12 May 2024 Board meeting", "09:15 Opening by the chair"),
        ("June 2024", "4 June forklift course"),
        ("2024", "4 June 2024 forklift course"),
        ("Table 2", "9 July 2024 first aid"),
        ("10:15 Ida: When is the exam?", "10:16 Otto: on 3 May"),
    ],
)
def test_a_date_above_something_else_and_a_question_are_headings(above, below):
    assert headings(f"{above}\n\n{below}") == ["", above]


def test_an_entry_is_read_with_the_one_above_it_only_if_it_refers_back_or_answers():
    for above, below, is_read in (
        ("09:15 the pump stopped", "10:30 the gate opened", False),
        ("09:15 the pump stopped", "10:30 it ran again", True),
        ("09:15 Ida: When is the exam?", "09:16 Otto: on 3 May", True),
    ):
        text = f"{above}\n\n{below}"
        assert (above in place_of(Passage("log", text), Span(len(text) - 3, len(text))).text) is is_read


def test_of_places_that_do_not_support_a_date_the_one_that_was_read_is_cited():
    start = LOG.index("2024-04-09 06")
    line = LOG[start : LOG.index("\n", start)]
    readings = {"log": Reading(line, Span(start, start + len(line)), 0.0)}
    found = judge("When was the cellar of Orlau flooded?", "9 April 2024", [Passage("log", LOG)], readings)
    assert found.support == "unsupported"
    assert [citation.quote for citation in found.citations] == [line]
