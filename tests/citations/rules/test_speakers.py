"""Who says, signs, sends or attends something, and who does it."""

import pytest

from hopweave.citations.rules.speakers import is_of_who_speaks
from hopweave.core.types import Span

HEAD = "From: Ada Finch <ada@lamps.example>\nTo: Ida Renn <ida@lamps.example>\nDate: Mon, 4 Mar 2024 09:12:00 +0000"
SIGNED = "Kind regards\nAda Finch\nKeeper of the Lamp"
THERE = "Present: Ada Finch (chair), Otto Renn\nApologies: Ida Renn"


def speaks(asking, sentence, words, names=()):
    start = sentence.index(words)
    return is_of_who_speaks(asking, names, sentence, Span(start, start + len(words)))


@pytest.mark.parametrize(
    ("asking", "sentence", "wrong", "right"),
    [
        ("Who prefers oil?", "Ada Finch said that Ida Renn prefers oil.", "Ada Finch", "Ida Renn"),
        ("Who fixed the lamp?", "Reported by Ada Finch, fixed by Ida Renn.", "Ada Finch", "Ida Renn"),
        ("Who rejected the plan?", "Otto's plan was rejected by Ida Renn.", "Otto", "Ida Renn"),
        ("Who was absent?", THERE, "Otto Renn", "Ida Renn"),
        ("Who calls the keeper?", "[09:14] ada: Ida Renn calls the keeper.", "ada", "Ida Renn"),
    ],
)
def test_who_says_is_not_who_does(asking, sentence, wrong, right):
    assert speaks(asking, sentence, wrong)
    assert not speaks(asking, sentence, right)


@pytest.mark.parametrize("words", ["Ada Finch", "Ida Renn", "4 Mar 2024"])
def test_the_head_of_a_message_says_who_wrote_it_and_nothing_else(words):
    assert speaks("Who lights the lamp?", HEAD, words)
    assert not speaks("Who wrote the message about the lamp, and when?", HEAD, words) or words == "Ida Renn"
    assert not speaks("Who received the message?", HEAD, "Ida Renn")


@pytest.mark.parametrize("sentence", [SIGNED, "-- \nAda Finch | Lamps", "On Monday, Ada Finch wrote:", "Thanks, Ada Finch"])
def test_a_name_below_a_message_or_above_a_quote_says_nothing_of_what_it_is_about(sentence):
    assert speaks("Who cleans the stairs in Orlau?", sentence, "Ada Finch", ["Orlau"])


def test_what_stands_beside_a_name_below_a_message_can_be_asked_for():
    assert not speaks("Who is the keeper of the lamp?", SIGNED, "Ada Finch")


@pytest.mark.parametrize(
    ("asking", "is_other"), [("Who orders the lamps?", False), ("Who cleans the stairs?", True), ("Who said it?", True)]
)
def test_a_task_is_that_of_whoever_it_begins_with(asking, is_other):
    assert speaks(asking, "[ ] Ada Finch: order new lamps by May.", "Ada Finch") is is_other


def test_a_line_of_a_chat_is_about_its_writer_if_that_speaks_of_himself_or_herself():
    assert not speaks("Who calls the keeper?", "[09:14] ada: I call the keeper today.", "ada")
    assert speaks("Who calls the keeper?", "[09:14] ada: do I call the keeper?", "ada")
    assert not speaks("Who asked about the keeper?", "[09:14] ada: do I call the keeper?", "ada")


def test_a_reporter_is_who_has_an_office_that_stands_beside_the_name():
    assert not speaks("Who is the mayor?", "The mayor, Ida Renn, said that the harbour is closed.", "Ida Renn")


def test_those_on_a_list_have_the_office_in_brackets_behind_their_name():
    assert not speaks("Who was the chair?", THERE, "Ada Finch")
    assert speaks("Who was the chair?", THERE, "Otto Renn")
