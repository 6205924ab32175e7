"""Of names of the same make, such as models, each has what is said of it and nothing of the others."""

import pytest

from hopweave.core.types import Span
from hopweave.text.alike_names import are_of_alike_things, is_of_another_name, is_one_of_several, is_only_another_name


def is_other(query, sentence, words, *above):
    start = sentence.index(words)
    return is_of_another_name(query, sentence, Span(start, start + len(words)), lambda: above)


@pytest.mark.parametrize(
    ("query", "sentence", "words", "expected"),
    [
        ("Which cell does the X200 take?", "The X300 takes the BP-75.", "BP-75", True),
        ("Which cell does the X200 Pro take?", "The X200 takes the BP-40, the X200 Pro takes the BP-60.", "BP-40", True),
        ("Which cell does the X200 Pro take?", "The X200 takes the BP-40, the X200 Pro takes the BP-60.", "BP-60", False),
        ("Which cell does the X200 take?", "Dock: K7; Sold with: X200 Pro.", "K7", True),
        ("How much oil does the G20 hold?", "The crankcase of the G20 and the G20-E holds 0.6 litres.", "0.6", False),
        ("How much oil does the G35 hold?", "The crankcase of the G20 and the G20-E holds 0.6 litres.", "0.6", True),
        ("What is the limit of the R5?", "With the R5-E the limit is 250.", "250", True),
        ("What weighs as much as the X200?", "The X300 weighs as much.", "X300", False),
        ("How many cells has the X200?", "Models X100 to X300 have six cells.", "six", False),
        ("How long does the X300-E charge?", "It takes 5 hours (X300-E: 4 hours).", "5", True),
        ("How long does the X300-E charge?", "It takes 5 hours (X300-E: 4 hours).", "4", False),
        ("Which cell does it take?", "The X300 takes the BP-75.", "BP-75", False),
    ],
)
def test_words_are_said_of_the_name_in_their_part_of_the_sentence(query, sentence, words, expected):
    assert is_other(query, sentence, words) is expected


def test_a_sentence_without_such_a_name_is_about_that_of_the_nearest_heading():
    above = ("Care of the G35", "G20 and G35: manual")
    assert is_other("How often is oil changed on the G20?", "Change the oil every 150 h.", "150 h", *above)
    assert not is_other("How often is oil changed on the G35?", "Change the oil every 150 h.", "150 h", *above)
    assert not is_other("How often is oil changed on the G20?", "Change the oil every 150 h.", "150 h", *above[1:])


def test_a_title_with_several_names_says_of_none_that_all_below_is_about_it():
    assert is_one_of_several("G35", "G20, G20-E and G35: manual")
    assert not is_one_of_several("G35", "G35: manual for the K7 dock")
    assert not is_one_of_several("Ida", "Ida and Otto")


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("Operating Manual Tarn H4", "tarn_h6", True),
        ("Terminal", "Terminal Pro", True),
        ("Price list 2023", "Price list 2024", True),
        ("Minutes, March 2024", "Minutes, April 2024", True),
        ("Protokoll März", "Protokoll Mai", True),
        ("Orla 3.1 documentation", "Orla 3.12 documentation", True),
        ("Operating Manual Tarn H4", "OPERATING MANUAL TARN H4", False),
        ("Operating Manual Tarn H4", "H4", False),
        ("Price list 2023", "Annual report 2024", False),
        ("zlib1g", "libpng16", False),
        ("Manual", "Manual (1)", False),
        ("Manual", "Manual 3.5", False),
        ("", "2024", False),
    ],
)
def test_titles_are_of_alike_things_if_they_differ_in_names_numbers_or_months(one, other, expected):
    assert (are_of_alike_things(one, other), are_of_alike_things(other, one)) == (expected, expected)


@pytest.mark.parametrize(
    ("query", "said", "expected"),
    [
        ("hardest water you can run an H6 on?", "Tarn H4 Plus", True),
        ("hardest water you can run an H6 on?", "6 °dH", False),
        ("hardest water you can run an H6 on?", "Tarn H6", False),
        ("hardest water you can run an H6 on?", "6 °dH, as for the H4 of the same series", False),
        ("H4 or H6, whose springs wear sooner?", "H6", False),
        ("Which model came after the H4?", "H6", False),
    ],
)
def test_the_name_of_another_model_is_no_answer_about_one_unless_a_name_is_asked_for(query, said, expected):
    assert is_only_another_name(query, said) is expected
