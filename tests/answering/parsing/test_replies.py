"""A sub-question and its answer are read in any dress."""

from __future__ import annotations

import pytest
from hypothesis import given
from support.texts import messes

from hopweave.answering.methods.corag._replies import read_sub_answer, read_sub_question, says_enough

QUESTIONS = {
    "Who wrote it?": "Who wrote it?",
    '"Who wrote it?"': "Who wrote it?",
    "Follow-up question: Who wrote it?": "Who wrote it?",
    "**Follow up question 2:** Who wrote it?": "Who wrote it?",
    "Intermediate query 3: “Who wrote it?”": "Who wrote it?",
    "- Next simple question: Who wrote it?": "Who wrote it?",
    "1. Who wrote it?\n2. When?": "Who wrote it?",
    "Sure, here it is:\n\nWho wrote it?\n\nThis helps.": "Who wrote it?",
    "This helps.\nWho wrote it?": "Who wrote it?",
    "author of the book": "author of the book",
    "Search query: author of the book": "author of the book",
    "Here:\nauthor of the book": "author of the book",
    "Sure! Who wrote it?": "Who wrote it?",
    "Sure!\nauthor of the book": "author of the book",
    "OK! Magazine": "OK! Magazine",
    "When was 1. FC Orlau founded?": "When was 1. FC Orlau founded?",
    "...": "",
    "Here it is:": "",
    "": "",
    f"{'word ' * 90}?": "",
}
ANSWERS = {
    "Ida Renn.": "Ida Renn",
    "**Answer:** Ida Renn": "Ida Renn",
    "Intermediate answer 2: Ida Renn": "Ida Renn",
    "Ida Renn\nwrote it.": "Ida Renn wrote it",
    "1. FC Orlau": "1. FC Orlau",
    "Ida Renn\n\nThe first passage says that Ida Renn wrote it.": "Ida Renn",
    "**Ida Renn.**\nThis is stated in passage 1.": "Ida Renn",
    "Ida Renn\n\nThe passages do not say more about her.": "Ida Renn",
    "Ida Renn\nMax Orr\nOtto Falk": "Ida Renn Max Orr Otto Falk",
    "They are:\nIda Renn wrote one of them.\nMax Orr did, too.": "They are: Ida Renn wrote one of them. Max Orr did, too",
    "The passages name two.\nBoth of them are by Ida Renn.": "The passages name two. Both of them are by Ida Renn",
    "The answer is Ida Renn.": "Ida Renn",
    "Answer: The answer is: **Ida Renn**": "Ida Renn",
    "The Answer Is No": "The Answer Is No",
    "The answer is unknown.": "",
    "No": "No",
    "No relevant information found": "",
    "No relevant information found.": "",
    "**No useful information** is in the passages.": "",
    "Answer: unknown": "",
    "The passages do not say who wrote it.": "",
    "": "",
}


@pytest.mark.parametrize(("text", "question"), QUESTIONS.items(), ids=[text[:40] for text in QUESTIONS])
def test_a_sub_question_is_read_in_any_dress(text, question):
    assert read_sub_question(text) == question


@pytest.mark.parametrize(("text", "answer"), ANSWERS.items(), ids=ANSWERS)
def test_a_sub_answer_is_read_in_any_dress_and_is_empty_if_the_documents_do_not_tell(text, answer):
    assert read_sub_answer(text) == answer


@pytest.mark.parametrize(
    ("text", "does"),
    [("Nothing more", True), ("**Nothing more.**", True), ("Nothing else is needed.", True), ("Enough.", True),
     ("Nothing More Than Feelings was sung by whom?", False), ("Who sang Enough?", False), ("", False)],
)  # fmt: skip
def test_a_reply_says_that_nothing_more_is_needed_if_it_begins_so_and_does_not_ask(text, does):
    assert says_enough(text) is does


@given(messes([*QUESTIONS, *ANSWERS, *'?:*"\n ', "Question", "Answer:"], max_pieces=20))
def test_any_text_can_be_read(text):
    for read in (read_sub_question(text), read_sub_answer(text)):
        assert "\n" not in read
        assert read == read.strip()
