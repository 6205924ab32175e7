"""A refusal is told from an answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.core.prompt import escape
from hopweave.text.refusal import does_not_know, is_refusal, without_yes


@pytest.mark.parametrize(
    "reply",
    [
        "NO!", "No!", "no!", "NO !", "NO!!", "**NO!**", "**NO**!", "*NO!*", "__NO!__", "`NO!`", '"NO!"', "'NO!'", "“NO!”",
        "NO！", " NO!", "\n\nNO!", "> NO!", "- NO!", "NO!\n", "NO! I cannot answer that.", "NO!\nI cannot answer that.",
        "**NO!** The passages do not say.", "NO!, I am not certain.", "NO", "NO.", "**NO**", "Answer: NO",
        "NO\nThe passages do not say.", "No! But it could be Paris.", "Answer: NO!", "**Answer:** NO!", "A: NO!",
        "Final answer: NO!", '"NO!" I cannot say.', "I do not know.", "I don't know", "Unknown",
        "I'm sorry, I cannot answer this.", "I am not sure.", "The passages do not mention it.",
        "The provided passages don't say who it was.", "Based on the passages, there is no information about it.",
        "There is not enough information to say.", "None of the passages mentions her.", "The passage does not state it.",
        "The facts do not say.", "The facts do not state who it was.", "The passages above do not answer the question.",
        "None of the passages answers the question.", "The passages do not tell.", "It cannot be determined from the passages.",
        "Cannot be determined.", "The question cannot be answered.", "No, I cannot answer that question.", "1. NO!",
        "I'm not able to answer this.", "I have no information about this.", "Not enough information.",
    ],
)  # fmt: skip
def test_no_in_any_dress_and_ignorance_in_words_are_refusals(reply):
    assert is_refusal(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "No", "No.", "NO COUNTRY FOR OLD MEN", "NO 5", "No, it is not.", "Norway!", "Nobody!", "Know!", "Casino!",
        "Paris. NO!", "The answer is NO!", "It is not NO!", '"No!" is an album.', '"No!" by They Might Be Giants',
        "NO! (2012)", "NO! was sung by Meghan Trainor", "N O!", "No Country!", "The passages state that it was Liv Aas.",
        "The policy document does not cover flood damage.", "It cannot be found in nature.", "It cannot be cut.", "1. Nope",
        "I have no children.", "The text message tells him.", "Not enough rain", "The passage says Paris.",
        "Unknown Pleasures", "No\u2060!", "Yes!", "Nono!",
    ],
)  # fmt: skip
def test_answers_are_not(reply):
    assert not is_refusal(reply)


def test_a_passage_cannot_refuse_by_being_repeated():
    assert not is_refusal(escape("NO!"))


@pytest.mark.parametrize(
    ("reply", "rest"),
    [
        ("YES! Paris", "Paris"),
        ("**Yes!** Paris", "Paris"),
        ("Yes!", "Yes!"),
        ("Yes, Paris", "Yes, Paris"),
        ("Paris", "Paris"),
        ("", ""),
    ],
)
def test_a_yes_before_the_answer_is_taken_off(reply, rest):
    assert without_yes(reply) == rest


@given(st.text())
def test_any_text_can_be_asked(text):
    assert isinstance(is_refusal(text), bool)
    assert isinstance(does_not_know(text), bool)
    assert without_yes(text)[-3:] == text[-3:]
