"""Sentences with several numbers."""

import pytest

from hopweave.core.types import Span
from hopweave.text.parallels import is_no_default, is_of_another

BYTES = "key: for keyed hashing (up to 64 bytes for TARN2b, up to 32 bytes for TARN2s)."
SHARES = "It took 21 percent at Sula, 25 percent at Brno, and 46 percent at Orlau."
FILMS = "The films are Tides (2001), Low Water (2004) and High Water (2007)."
LIFE = "Ida Renn was born in Sula in 1887 and died in Graz in 1958."
PORTS = "HTTP uses port 80, HTTPS uses port 443."


@pytest.mark.parametrize(
    ("names", "sentence", "number", "is_anothers"),
    [
        (["TARN2s"], BYTES, "64 bytes", True),
        (["TARN2s"], BYTES, "64", True),
        (["TARN2s"], BYTES, "32 bytes", False),
        (["TARN2b"], BYTES, "32 bytes", True),
        (["TARN3"], BYTES, "32 bytes", False),  # it does not name that
        (["Orlau"], SHARES, "25 percent", True),
        (["Orlau"], SHARES, "46 percent", False),
        (["Low Water"], FILMS, "2001", True),
        (["Low Water"], FILMS, "2004", False),
        (["Ida Renn"], LIFE, "1958", False),  # not in the same words
        (["Ida Renn", "Sula"], LIFE, "1958", True),
        (["HTTPS"], PORTS, "80", True),
        (["HTTPS"], PORTS, "443", False),
        (["HTTP", "HTTPS"], PORTS, "80", False),
        (["Sula"], SHARES, "Brno", False),  # no number
    ],
)
def test_a_number_beside_another_name_is_not_that_of_one_with_a_number_in_the_same_words(names, sentence, number, is_anothers):
    start = sentence.index(number)
    assert is_of_another(names, sentence, Span(start, start + len(number))) is is_anothers


LEVELS = "Valid levels are from -7 to 22 with 3 being the default."
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
    ],
)
def test_of_a_sentence_that_gives_the_default_no_other_number_is_it(asking, sentence, number, is_none):
    start = sentence.index(number)
    assert is_no_default(asking, sentence, Span(start, start + len(number))) is is_none
