"""What a reply says is told from the words that only announce it, and no sentence is taken for such words."""

from __future__ import annotations

import pytest
from hypothesis import given
from support.texts import messes

from hopweave.answering.parsing.announcing import lines_said

SAID = "Cold Harbour was directed by Ann Kay."
ANNOUNCING = [
    "Sure! Here is the next sentence:\n", "Here is the first sentence:\n\n", "**Next sentence:**\n", "Sure!\n", "Okay.\n",
    "OK!\n", "Of course, here it is:\n", "Sure thing!\n", "Certainly! ", "**Sure!** ", "Here is the next sentence: ",
    "The next sentence is: ", "Sure, I'd be happy to help with that!\n", "Of course. I would be glad to help. ", "次の文：\n",
]  # fmt: skip
SENTENCES = [
    "Sure! is a film.", "OK! Magazine was founded in 1993.", "Great! It is so.", "Certainly is a song.", "She was not so sure!",
    "He was not sure. But she was.", "Sure, it was directed by Ann Kay.", "Okay and Great are towns.", "Of course it is so.",
    "The first sentence of the book is: Call me Ishmael.", "It opens at 9:30.", "1. It is so.", "Absolutely Fabulous! It ran.",
]  # fmt: skip


@pytest.mark.parametrize("before", ANNOUNCING)
def test_words_that_announce_a_sentence_are_left_out(before):
    assert lines_said(f"{before}{SAID}\nIt is old.") == [SAID, "It is old."]


@pytest.mark.parametrize("before", [one for one in ANNOUNCING if one.endswith("\n")])
def test_words_that_announce_nothing_say_nothing(before):
    assert lines_said(before) == []


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_with_such_words_in_it_is_kept_whole(sentence):
    assert lines_said(sentence) == [sentence]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("So the answer is:\nRome.", ["So the answer is: Rome."]),
        ("It is so.\n\n**The final answer is:**\n\nRome", ["It is so.", "**The final answer is:** Rome"]),
        ("So the answer is:", ["So the answer is:"]),
        ("Here is what the answer is:\nRome", ["Rome"]),
    ],
)
def test_a_sentence_that_gives_the_answer_goes_on_in_the_next_line(text, lines):
    assert lines_said(text) == lines


@given(messes([*ANNOUNCING, *SENTENCES, *"?:*\n !", "So the answer is:"], max_pieces=20))
def test_any_text_can_be_read(text):
    for line in lines_said(text):
        assert any(map(str.isalnum, line))
        assert "\n" not in line
