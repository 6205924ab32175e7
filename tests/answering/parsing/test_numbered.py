"""Numbered lists are read however they come, and a critique by what it says."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.texts import messes

from hopweave.answering.parsing.numbered import parse_dropped, parse_numbered

WHO, WHEN = "Who directed Cold Harbour?", "When was Liv Aas born?"


@pytest.mark.parametrize(
    "text",
    [
        f"1. {WHO}\n2. {WHEN}",
        f"1) {WHO}\n2) {WHEN}",
        f"(1) {WHO}\n(2) {WHEN}",
        f"[1] {WHO}\n[2] {WHEN}",
        f"1: {WHO}\n2: {WHEN}",
        f"1 - {WHO}\n2 - {WHEN}",
        f"- {WHO}\n- {WHEN}",
        f"* {WHO}\n* {WHEN}",
        f"• {WHO}\n• {WHEN}",
        f"a) {WHO}\nb) {WHEN}",
        f"Q1: {WHO}\nQ2: {WHEN}",
        f"q1. {WHO}\nq2. {WHEN}",
        f"Question 1: {WHO}\nQuestion 2: {WHEN}",
        f"Sub-question 1: {WHO}\nSub-question 2: {WHEN}",
        f"**Sub-question 1:** {WHO}\n**Sub-question 2:** {WHEN}",
        f"**Sub-question 1:**\n{WHO}\n\n**Sub-question 2:**\n{WHEN}",
        f"### 1. {WHO}\n### 2. {WHEN}",
        f"**1.** **{WHO}**\n**2.** **{WHEN}**",
        f"**1. {WHO}**\n\n**2. {WHEN}**",
        f"> 1. {WHO}\n> 2. {WHEN}",
        f"  1. {WHO}\n  2. {WHEN}",
        f'1. "{WHO}"\n2. "{WHEN}"',
        f"- 1. {WHO}\n- 2. {WHEN}",
        f"1. {WHO} 2. {WHEN}",
        f"Sub-questions: 1. {WHO} 2. {WHEN}",
        f"1. {WHO}\r\n2. {WHEN}\r\n",
        f"Here are the sub-questions:\n\n1. {WHO}\n2. {WHEN}\n\nThey lead to the answer.",
        f"1. {WHO} (This names the director.)\n2. {WHEN} This gives the date.",
        f"1. {WHO}\n   - It names the director.\n2. {WHEN}\n   - It gives the date.",
        f"1. Who directed\n   Cold Harbour?\n2. {WHEN}",
        f"{WHO}\n{WHEN}",
        f"I would ask:\n{WHO}\n{WHEN}\nThat is all.",
        json.dumps([WHO, WHEN]),
        json.dumps({"sub_questions": [WHO, WHEN]}),
        json.dumps({"1": WHO, "2": WHEN}),
        json.dumps([{"id": "1", "question": WHO}, {"id": "2", "question": WHEN}]),
        json.dumps({"questions": [{"question": WHO, "why": "for the name"}, {"question": WHEN, "why": ""}]}),
        f"```json\n{json.dumps([WHO, WHEN], indent=2)}\n```",
        f"Sure: {json.dumps([f'1. {WHO}', f'2. {WHEN}'])}",
        f"```\n1. {WHO}\n2. {WHEN}\n```",
    ],
)
def test_a_list_is_read_however_it_comes(text):
    assert parse_numbered(text).items == (WHO, WHEN)
    assert parse_numbered(text).problems == ()


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("1. Who wrote 1984?", ("Who wrote 1984?",)),
        ("1. 1984 was written by whom?", ("1984 was written by whom?",)),
        ('1. Who wrote "Who goes there?" first?', ('Who wrote "Who goes there?" first?',)),
        ("1. Find the director\n2. Find the birth date", ("Find the director", "Find the birth date")),
        ("10. Who?\n11. When?", ("Who?", "When?")),
        ("1. \n2. When?", ("When?",)),
        ("1. ???\n2. When?", ("When?",)),
        ("1. Was it in 3.5 or 4.5?", ("Was it in 3.5 or 4.5?",)),
    ],
)
def test_what_an_item_holds_stays_whole(text, items):
    assert parse_numbered(text).items == items


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the reply is empty"),
        (" \n", "the reply is empty"),
        ("I cannot do that.", "no item of a list was found"),
        ("[]", "no item of a list was found"),
        ('{"a": {}}', "no item of a list was found"),
        ("...", "no item of a list was found"),
    ],
)
def test_a_reply_without_a_list_says_so(text, problem):
    assert parse_numbered(text).items == ()
    assert parse_numbered(text).problems == (problem,)


ITEMS = [WHO, WHEN, "How can the two be compared?"]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Drop: 3", (3,)),
        ("Drop: 1, 3", (1, 3)),
        ("drop: 2 and 3.", (2, 3)),
        ("**Drop:** 3", (3,)),
        ("3", (3,)),
        ("3.", (3,)),
        ("1. 3.", (1, 3)),
        ("Drop: none", ()),
        ("None.", ()),
        ("none of them", ()),
        ("Nothing should be dropped.", ()),
        ("All sub-questions are relevant.", ()),
        ("All three are helpful and should be kept.", ()),
        ("No sub-question needs to be dropped.", ()),
        ("Keep: 1, 2", (3,)),
        ("Keep: 1, 2\nDrop: 3", (3,)),
        ("Drop: 3\nKeep: 1, 2", (3,)),
        ("Sub-question 3 is irrelevant.", (3,)),
        ("Drop: none. Sub-questions 1, 2 and 3 all help.", ()),
        ("Drop: 2, as it depends on 1.", (2,)),
        ("Drop: 2 (it repeats 1), 3", (2, 3)),
        ("Drop: 2 and 3, since 1 is enough", (2, 3)),
        ("Drop: [2, 3]", (2, 3)),
        ("Drop: 2-3", (2, 3)),
        ("Drop: Q2 and Q3", (2, 3)),
        ("Drop: sub-question 2, because sub-question 1 asks the same", (2,)),
        ("Drop 2 and 3.", (2, 3)),
        ("Sub-questions to drop: 3", (3,)),
        ("Sub-question 1 is clear. Sub-question 2 needs 1. Sub-question 3 adds nothing.\nDrop: 3", (3,)),
        ("Drop:\n1. It repeats 2.\n3. It asks for nothing.", (1, 3)),
        ("Drop:\n- 1: irrelevant\n\n- 3: irrelevant, as 2 says\nThis leaves 2.", (1, 3)),
        ("Drop: 2\n1. stays\n3. stays", (2,)),
        ("Drop: all", (1, 2, 3)),
        ("Drop: all but 2", (1, 3)),
        ("Drop: None of them. 1 to 3 are good.", ()),
        ("Drop: 1\nOn reflection, drop: 3", (3,)),
        (f"1. {WHO}\n2. {WHEN}", (3,)),  # a list that was filtered
        (f"1. {WHO}\n2. {WHEN}\n3. {ITEMS[2]}", ()),
        (f"{WHO}\n{WHEN}", (3,)),
        (f"Drop: 3. {ITEMS[2]}", (3,)),
        ('{"drop": [3]}', (3,)),
        ("Drop: 1, 2, 3", (1, 2, 3)),
    ],
)
def test_a_critique_is_read_by_what_it_says(text, numbers):
    assert parse_dropped(text, ITEMS).numbers == numbers
    assert parse_dropped(text, ITEMS).problems == ()


@pytest.mark.parametrize(
    ("text", "numbers", "problem"),
    [
        ("", (), "neither a number nor none was named"),
        ("They are fine, I think.", (), "neither a number nor none was named"),
        ("I would filter out sub-question 3, since 1 and 2 are relevant.", (), "neither a number nor none was named"),
        ("Sub-question 3 is not irrelevant.", (), "neither a number nor none was named"),
        ("Drop: the one about 3.5 miles", (), "neither a number nor none was named"),
        ("Drop: 3, 7", (3,), "there is no item 7"),
        ("Drop: 0", (), "there is no item 0"),
        ("Keep: 9", (), "there is no item 9"),
    ],
)
def test_what_a_critique_names_that_is_not_there_is_a_problem(text, numbers, problem):
    assert parse_dropped(text, ITEMS).numbers == numbers
    assert parse_dropped(text, ITEMS).problems == (problem,)


PIECES = messes([*'\n ?[]{}",:', *["1.", "2)", "(3)", "Q1:", "**", "Who", "drop", "keep", "none", "```"], "- ", "* ", "\r\n"])


@given(PIECES)
def test_any_text_gives_items_with_words_or_a_problem(text):
    read = parse_numbered(text)
    assert bool(read.items) != bool(read.problems)
    assert all(any(char.isalnum() for char in item) and "\n" not in item for item in read.items)


@given(PIECES, st.lists(st.text(max_size=10), max_size=9))
def test_any_critique_names_items_that_there_are(text, items):
    assert set(parse_dropped(text, items).numbers) <= set(range(1, len(items) + 1))


@given(st.lists(st.from_regex(r"[A-Z][a-z]{1,9}( [a-z]{1,9}){0,5}\?", fullmatch=True), min_size=1, max_size=9))
def test_what_is_written_as_a_list_is_read_back(items):
    assert parse_numbered("\n".join(f"{number}. {item}" for number, item in enumerate(items, start=1))).items == tuple(items)
    assert parse_numbered(json.dumps(items)).items == tuple(items)
