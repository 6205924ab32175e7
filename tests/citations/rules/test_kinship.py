"""Who is whose relative."""

import pytest

from hopweave.citations.rules.kinship import is_kin_asked, relative_asked
from hopweave.core.types import Span

SON = "Otto Renn was the son of Karl Renn and his second wife, Ida Finch."
FATHER = "He was the father of the English painter Ada Renn."
FAMILY = "Karl Renn (1850-1901), husband of Ida Finch, was a brother of Curt Renn."
OWN = "It was written by his father, Karl Renn, and by Otto's sister Ada Renn."


@pytest.mark.parametrize(
    ("question", "sentence", "answer", "fits"),
    [
        ("Who was the father of Otto Renn?", SON, "Karl Renn", True),
        ("Who was Otto Renn's father?", SON, "Karl Renn", True),
        ("What is the name of the father of Otto Renn?", SON, "Karl Renn", True),
        ("Who was the grandfather of Otto Renn?", SON, "Karl Renn", True),  # the sentence may be about his father
        ("Who was the son of Otto Renn?", SON, "Karl Renn", False),
        ("Who was the brother of Otto Renn?", SON, "Karl Renn", False),
        ("Who was the mother of Otto Renn?", SON, "Ida Finch", True),
        ("Who was the wife of Karl Renn?", SON, "Ida Finch", True),
        ("Who was the daughter of Otto Renn?", SON, "Ida Finch", False),
        ("Who was the son of Karl Renn?", SON, "Otto Renn", True),
        ("Who was the father of Karl Renn?", SON, "Otto Renn", False),
        ("Who was the daughter of Karl Renn?", SON, "Otto Renn", False),
        ("Who was the daughter of Karl Renn?", FATHER, "Ada Renn", True),
        ("Who was the father of Karl Renn?", FATHER, "Ada Renn", False),
        ("Who was the father of Ada Renn?", FATHER, None, True),
        ("Who was the daughter of Ada Renn?", FATHER, None, False),
        ("Who was the husband of Ida Finch?", FAMILY, "Karl Renn", True),
        ("Who was the wife of Karl Renn?", FAMILY, "Ida Finch", True),
        ("Who was the husband of Karl Renn?", FAMILY, "Ida Finch", False),
        ("Who was the brother of Karl Renn?", FAMILY, "Curt Renn", True),
        ("Who was the father of Karl Renn?", FAMILY, "Curt Renn", False),
        ("Who was the father of Otto Renn?", OWN, "Karl Renn", True),
        ("Who was the son of Otto Renn?", OWN, "Karl Renn", False),
        ("Who was the sister of Otto Renn?", OWN, "Ada Renn", True),
        ("Who was the son of Ada Renn?", OWN, "Otto", False),
        ("Who was the mother of Otto Renn?", "His mother is Ida Finch, a painter.", "Ida Finch", True),
        ("Who was the daughter of Otto Renn?", "His mother is Ida Finch, a painter.", "Ida Finch", False),
        ("Who was the daughter of Ida Finch?", 'She is in "Father of All" with her father Karl Finch.', "Karl Finch", False),
        ("Who was the uncle of Otto Renn?", SON, "Karl Renn", None),  # that would need two steps
        ("Who was the mother-in-law of Otto Renn?", SON, "Ida Finch", None),
        ("Where was the father of Otto Renn born?", SON, "Karl Renn", None),  # it asks for no relative
        ("Who was the father of Otto Renn?", "Karl Renn was a painter.", "Karl Renn", None),
        ("Who was the father of Otto Renn?", "Karl Renn taught the son of a sailor from Sula.", "Sula", None),
        ("Karl Renn was the father of Otto Renn.", SON, "Karl Renn", True),
        ("Otto Renn was the father of Karl Renn.", SON, "Otto Renn", False),
        ("Otto Renn was the eldest son of Ida Finch.", SON, "Otto Renn", True),
    ],
)
def test_a_sentence_tells_which_of_two_is_the_relative_that_is_asked_for(question, sentence, answer, fits):
    start = sentence.index(answer) if answer else 0
    focus = Span(start, start + len(answer)) if answer else None
    assert is_kin_asked(question, sentence, focus) is fits


def test_of_two_in_the_same_row_nothing_is_said_of_what_they_are_to_each_other():
    sentence = "He was born in Sula as the son of Karl Renn and Ida Finch."
    start = sentence.index("Ida")
    assert is_kin_asked("Who was the wife of Karl Renn?", sentence, Span(start, start + 9)) is None


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("Who was the father of Otto Renn?", "Otto Renn"),
        ("Who is Otto Renn's maternal grandmother?", "Otto Renn"),
        ("Where was the father of Otto Renn born?", ""),
        ("Otto Renn was the father of Ada Renn.", ""),
    ],
)
def test_whose_relative_a_question_asks_for(query, name):
    assert relative_asked(query) == name
