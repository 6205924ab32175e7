"""A rewritten question is told from an answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.answering.parsing.rewritten import parse_rewritten

SHE = "Where was she born?"
BORN = "Where was Ida Renn born?"


@pytest.mark.parametrize(
    ("text", "question", "asked"),
    [
        (BORN, SHE, BORN),
        (f"**New question:** {BORN}", SHE, BORN),
        (f'Rewritten sub-question: "{BORN}"', SHE, BORN),
        (f"{BORN} She was born in Orlau.", SHE, BORN),
        (f"{BORN}\nAnswer: Orlau", SHE, BORN),
        (f"Here is the rewritten sub-question:\n{BORN}", SHE, BORN),
        (f"Sure! {BORN}", SHE, BORN),
        (f"Original: {SHE}\nRewritten: {BORN}", SHE, BORN),
        (f"**Original question:**\n{SHE}\n\n**Rewritten question:**\n{BORN}", SHE, BORN),
        (f"Sub-question: {SHE}\nRewritten sub-question: {BORN}", SHE, BORN),
        (f"I put the name of the mayor in.\n\nRewritten sub-question: {BORN}", SHE, BORN),
        (f"I put the name of the mayor in.\n\n{BORN}", SHE, BORN),
        (f"{SHE}\n{BORN}", SHE, BORN),
        (f"{BORN}\n\n(Original: {SHE})", SHE, BORN),
        (f"{BORN}\nWhere was Max Orr born?", SHE, BORN),
        (SHE, SHE, SHE),
        (f"{SHE}\nWhat else can I help with?", SHE, SHE),
        ("Here is the request:\nFind the mayor of Orlau.", "Find the mayor of that town.", "Find the mayor of Orlau."),
        (f"Here is the next question:\n{BORN}\nWhen?", "", BORN),
        ("New Orlau was founded when?", "When was it founded?", "New Orlau was founded when?"),
        ("In which town was Ida Renn born?", SHE, "In which town was Ida Renn born?"),
        ("Ida Renn's place of birth?", SHE, "Ida Renn's place of birth?"),
        ("Is Orlau older than Berlau?", "Is it older than Berlau?", "Is Orlau older than Berlau?"),
        ("Find the mayor of Orlau.", "Find the mayor of that town.", "Find the mayor of Orlau."),
        ("Who is the mayor of Orlau?", "Find the mayor of that town.", "Who is the mayor of Orlau?"),
        ("The town in which Ida Renn was born", "The town in which she was born", "The town in which Ida Renn was born"),
    ],
)
def test_a_rewritten_question_is_read_with_what_it_asks(text, question, asked):
    assert parse_rewritten(text, question) == asked


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Orlau.", SHE),
        ("Ida Renn was born in Orlau.", SHE),
        ("Ida Renn was born in Orlau, right?", SHE),
        ("Was Ida Renn born in Orlau?", SHE),
        ("Is the answer Orlau?", SHE),
        ("Ida Renn was born in Orlau.\nWhat else can I help with?", SHE),
        ("Orlau.\nIs that right?", SHE),
        ("Rewritten question: Ida Renn was born in Orlau.", SHE),
        (f"Original question: {SHE}", SHE),
        ("Here is the rewritten question:", SHE),
        ("Ida Renn.", "Find the mayor of that town."),
        ("Ida Renn is the mayor of Orlau.", "Find the mayor of that town."),
        ("NO", SHE),
        ("I do not know.", SHE),
        (f"{'x' * 400}?", SHE),
        ("", SHE),
    ],
)
def test_an_answer_in_place_of_a_rewritten_question_is_refused(text, question):
    assert parse_rewritten(text, question) == ""


@given(st.text(), st.text())
def test_any_text_is_read_without_an_error(text, question):
    assert "\n" not in parse_rewritten(text, question)
