"""The question in a text asks for an explanation if it begins so, unless it is said what is wanted."""

from __future__ import annotations

import pytest

from hopweave.core.errors import DataError
from hopweave.models.llms.scripted import Scripted
from hopweave.run.asked import question_asked
from hopweave.run.weaver import Weaver


@pytest.mark.parametrize(
    ("text", "more", "form"),
    [
        (" How do I open the lid?\n", {}, "long"),
        ("Who opened the lid?", {}, "short"),
        ("How do I open the lid?", {"long": False}, "short"),
        ("Who opened the lid?", {"long": True}, "long"),
        ("Why is the lid open?", {"labels": ["wind", "rain"]}, "label"),
    ],
)
def test_what_is_wanted_is_said_or_follows_from_how_the_question_begins(text, more, form):
    question = question_asked(text, **more)
    assert (question.text, question.form) == (text.strip(), form)
    assert list(question.labels) == more.get("labels", [])


def test_labels_and_an_explanation_are_not_asked_for_at_once():
    with pytest.raises(DataError, match="labels and long ask for different answers"):
        question_asked("Why is the lid open?", long=True, labels=["wind"])


async def test_a_weaver_that_is_given_a_text_decides_by_it():
    llm = Scripted([("", "It is open. So the answer is: wind.")])
    async with Weaver({"method": "direct", "store": {"mode": "off"}}, llm=llm) as weaver:
        forms = [(await weaver.answer(text)).question.form for text in ("Why is the lid open?", "What opened the lid?")]
    assert forms == ["long", "short"]


def test_a_text_too_long_for_a_question_is_refused_before_it_is_looked_at(monkeypatch):
    monkeypatch.setattr("hopweave.run.asked.asks_to_explain", lambda _: pytest.fail("it was looked at"))
    with pytest.raises(DataError, match="the question has 8,001 characters, more than 8,000; put long texts into the corpus"):
        question_asked(f" {'?' * 8001} ")
