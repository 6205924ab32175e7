"""There is one definition of a quotation mark."""

import pytest

from hopweave.text.quotation import CLOSING, OPENING, PAIRS, PLAIN, QUOTATION_MARKS, unquoted, without_unclosed_mark


def test_every_mark_that_opens_or_closes_is_a_quotation_mark():
    assert set(OPENING) | set(CLOSING) | set("".join(PAIRS.values())) == set(QUOTATION_MARKS)


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        (' "Ida Renn" ', "Ida Renn"),
        ("“Ida Renn”", "Ida Renn"),
        ('“Ida Renn"', "Ida Renn"),
        ("„Ida Renn“", "Ida Renn"),
        ("「レン」", "レン"),
        ('"The Oak" and "The Elm"', '"The Oak" and "The Elm"'),
        ("'tis so", "'tis so"),
        ('"', '"'),
        ("", ""),
    ],
)
def test_only_marks_around_the_whole_of_a_text_are_removed(text, bare):
    assert unquoted(text) == bare


def test_a_mark_that_nothing_closes_is_removed():
    assert without_unclosed_mark('"The Oak, whi') == "The Oak, whi"
    assert without_unclosed_mark('"The Oak", an inn') == '"The Oak", an inn'
    assert without_unclosed_mark("'Tis so") == "'Tis so"


def test_typographic_marks_become_plain_without_a_change_of_length():
    assert "“Renn’s” – 1900″".translate(PLAIN) == '"Renn\'s" - 1900"'
