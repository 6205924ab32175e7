"""Defaults of programs."""

import pytest

from hopweave.core.types import Span
from hopweave.text.defaults import is_no_default

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
