import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.dataset_files import json_lines
from support.docstring_files import shown_files

from hopweave.core.errors import DataError
from hopweave.evaluation.datasets._patterns import TooManyTexts, texts_of
from hopweave.evaluation.datasets.trec import TREC


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        ("Carrow", ["Carrow"]),
        ("(Ines )?Halloran", ["Halloran", "Ines Halloran"]),
        ("Porto|Oporto", ["Porto", "Oporto"]),
        (r"1\,?450\s*miles?", ["1450mile", "1450miles", "1450 mile", "1450 miles", "1,450mile", "1,450miles", "1,450 mile",
                               "1,450 miles"]),
        ("[Cc]arrow", ["Carrow", "carrow"]),
        ("[a-c]x", ["ax", "bx", "cx"]),
        ("a.b", ["a b"]),
        ("Ines.*Halloran", ["InesHalloran", "Ines Halloran"]),
        ("(?:St\\.|Saint) Tam", ["St. Tam", "Saint Tam"]),
        ("^x{2}$", ["xx"]),
        ("ab+", ["ab"]),
        ("1[89]0{1,2}", ["180", "1800", "190", "1900"]),
        (r"\(x\)", ["(x)"]),
    ],
)  # fmt: skip
def test_a_pattern_is_written_out_into_what_it_matches(pattern, texts):
    assert sorted(texts_of(pattern)) == sorted(texts)


@pytest.mark.parametrize(
    "pattern",
    [r"\w+", r"\d\d\d", "[^a]", "(?i)x", "a)", "(a", "[a", "*a", "x{9}", "x{a}", "x{2,1}", "x{", "(?=a)", "[a-z][a-z]", "\\"],
)
def test_a_pattern_that_has_no_short_list_is_refused(pattern):
    with pytest.raises(TooManyTexts, match="cannot be expanded"):
        texts_of(pattern)


ATOMS = st.sampled_from(["a", "b", "(c|d)", "(ef)?", "[gh]", "i?", r"\.", "j{1,2}", "(?:k|lm)"])


@given(st.lists(ATOMS, min_size=1, max_size=5))
def test_every_text_that_is_written_out_is_one_that_the_pattern_matches(atoms):
    pattern = "".join(atoms)
    try:
        texts = texts_of(pattern)
    except TooManyTexts:
        return
    assert len(texts) == len(set(texts))
    assert all(re.fullmatch(pattern, text) for text in texts)


@given(st.text(max_size=30))
def test_any_text_is_written_out_or_refused_and_nothing_else_happens(pattern):
    try:
        texts = texts_of(pattern)
    except TooManyTexts:
        return
    assert len(texts) <= 64


def test_a_row_has_all_texts_of_its_patterns_as_answers(tmp_path):
    for shown in shown_files("trec", tmp_path):
        (example,) = TREC(shown.path).examples()
        assert example.gold.answers == ("Halloran", "Ines Halloran")


def test_a_row_whose_pattern_matches_too_much_is_refused_or_left_out_on_demand(tmp_path):
    rows = [{"question": "How many?", "answer": [r"\d+\d+\d+"]}, {"question": "Who?", "answer": ["Tam"]}]
    path = json_lines(tmp_path / "a.txt", *rows)
    with pytest.raises(DataError, match=r"a\.txt, line 1: answer: the pattern .* leave_out_open_patterns = true"):
        list(TREC(path).examples())
    assert [one.question.text for one in TREC(path, leave_out_open_patterns=True).examples()] == ["Who?"]
