"""Defaults of programs."""

import pytest

from hopweave.core.types import Span
from hopweave.text.defaults import asks_for_default, is_no_default

LEVELS = "Valid levels are from -7 to 22 with 3 being the\n   default."
FORMATS = "Lists may be written as html (default), txt and dbf."
OTHERS = "The default is 10; the most is 4095."


@pytest.mark.parametrize(
    ("asking", "sentence", "number", "is_none"),
    [
        ("What is the default level?", LEVELS, "3", False),
        ("What is the default level?", LEVELS, "22", True),
        ("What is the default level?", LEVELS, "-7", True),
        ("Which level is used if I don't choose one?", LEVELS, "22", True),
        ("Which level is used unless told otherwise?", LEVELS, "22", True),
        ("What is the highest level?", LEVELS, "22", False),
        ("By default, tarn uses level 22.", LEVELS, "22", True),
        ("The default is 3, in a range from -7 to 22.", LEVELS, "22", False),
        ("What is the default?", OTHERS, "4095", True),
        ("What is the default?", OTHERS, "10", False),
        ("What is the default?", "With a default for each, it takes 5 or 6.", "6", False),
        ("What is the default?", LEVELS, "levels", False),
        ("What is the default format?", FORMATS, "txt", True),
        ("What is the default format?", FORMATS, "html", False),
        ("Which formats are there?", FORMATS, "txt", False),
        ("Whose default is html?", FORMATS, "Lists", False),
        ("What is the default?", "Lists have `txt` or `html` (the default).", "txt", True),
        ("What is the default colour?", "The lamp is red unless changed (default).", "red", False),
    ],
)
def test_of_a_sentence_that_gives_the_default_no_other_value_is_it(asking, sentence, number, is_none):
    start = sentence.index(number)
    assert is_no_default(asking, sentence, Span(start, start + len(number))) is is_none


@pytest.mark.parametrize(
    "question",
    [
        "How many lines does it show by default?",
        "How many connections does it take out of the box?",
        "How many threads are there unless I change that?",
        "Which keeps more lines unless configured otherwise?",
        "Which is stronger if I leave the level alone?",
        "How long may it take, left as it is?",
        "How many packets does it hold without a limit parameter?",
        "How many lines does it show if I don't give a number?",
        "Which comes with more classes, with no options?",
    ],
)
def test_a_question_asks_for_a_default_in_many_ways(question):
    assert asks_for_default(question)


@pytest.mark.parametrize("question", ["How many lines does it show?", "Who left the board?", "What is unlikely to change?"])
def test_other_questions_do_not(question):
    assert not asks_for_default(question)
