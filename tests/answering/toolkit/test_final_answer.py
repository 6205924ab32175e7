"""Words that follow the final marker are read, also where they begin with a marker of their own."""

from __future__ import annotations

import pytest

from hopweave.answering.methods.self_ask.self_ask import SelfAsk
from hopweave.answering.toolkit.final_answer import after_marker, longest_answer
from hopweave.core.types import Question

SHORT = Question("q", "?")


@pytest.mark.parametrize(
    "words",
    [
        "Rome", "Rome.", "The answer is Rome.", "The final answer is: **Rome**", "**The answer is Rome.**", "Antwort: Rome",
        "“The answer is Rome.”", "Final answer: Rome", "Answer: Rome", "So the final answer is Rome.", "The answer is:\n\nRome",
        "Based on the passages, the answer is Rome.", "**The Final Answer Is:** Rome", "The answer is Rome. It is a city.",
        "The answer is Rome. The answer is supported by passage 1.",
    ],
)  # fmt: skip
def test_a_marker_with_which_the_words_begin_is_no_part_of_the_answer(words):
    assert after_marker(words, SHORT) == ("Rome", "marker")


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("The Answer Is No", "The Answer Is No"),
        ("Rome. The answer is supported by passage 1.", "Rome"),
        ("Rome. So the final answer is Rome, Italy.", "Rome, Italy"),
        ("The answer is based on the passages.", "The answer is based on the passages"),
        ("The answer is not in the passages.", "The answer is not in the passages"),
        ("The answer is Dr. No. It is a film.", "Dr. No"),
        ("Answer: Panic! at the Disco", "Panic! at the Disco"),
        ("Ann Kay was born in Rome.", "Ann Kay was born in Rome"),
    ],
)
def test_words_that_are_no_marker_are_kept(words, answer):
    assert after_marker(words, SHORT) == (answer, "marker")


@pytest.mark.parametrize(
    ("question", "words", "answer"),
    [
        (Question("q", "?", "label", ("Yes", "No")), "The answer is yes", "Yes"),
        (Question("q", "?", "label", ("Yes", "No")), "No, it is not", "No"),
        (Question("q", "?", "long"), "The answer is hard to tell. It is old.", "The answer is hard to tell. It is old."),
    ],
)
def test_labels_and_explanations_are_read_whatever_they_begin_with(question, words, answer):
    assert after_marker(words, question) == (answer, "marker")


def test_no_words_are_no_answer():
    assert after_marker(" \n", SHORT) == ("", "empty")


@pytest.mark.parametrize(("form", "longest"), [("short", 32), ("label", 32), ("long", 256)])
def test_only_an_explanation_may_be_as_long_as_any_other_reply(form, longest):
    assert longest_answer(Question("q", "?", form, ("Yes", "No") if form == "label" else ()), SelfAsk()) == longest
