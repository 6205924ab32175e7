"""A choice of a few given words is read however a model words it, and never from a word that only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.answering.parsing.chosen import parse_chosen

ROUTES, ANSWERS, TEXTS = ("A", "B", "C"), ("yes", "no"), ("1", "2")


@pytest.mark.parametrize(
    "text",
    [
        '{"route": "B"}', '```json\n{"route": "B"}\n```', 'Sure! {"route": "B"} since one text is enough.', '{"route": "b"}',
        '{"route": "B: look it up once"}', '{"route": "B', "B", "b.", '{"way": "B"}', "**B**", "B.", "B)", "(B)",
        "B: one text tells it.",
        "B - one text", "B\n\nIt names one thing.", "Route: B", "The route is B.", "The answer is **B**", "Answer: (B)",
        "I would choose B.", "It names a lighthouse, so a lookup is needed: B", "A question about one thing. The route is B.",
        "The best option would be B, since one text is enough.",
    ],
)  # fmt: skip
def test_a_letter_is_read(text):
    assert parse_chosen(text, ROUTES, "route") == "B"


@pytest.mark.parametrize(
    "text",
    [
        "", " \n", "A question like this needs several steps.", "A or B", "The route is A. No, the route is B.", "Route",
        '{"route": "D"}', "I cannot say", "C++ programmers know this", "It is A or C", "The route is not C", "vitamin a",
    ],
)  # fmt: skip
def test_what_names_no_letter_or_several_is_no_choice(text):
    assert parse_chosen(text, ROUTES, "route") is None


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ('{"valid": "yes"}', "yes"), ('{"valid": true}', "yes"), ('{"valid": false}', "no"), ("Yes", "yes"), ("YES.", "yes"),
        ("No, it is about somebody else.", "no"), ("Yes it does", "yes"), ("Valid: no", "no"), ("**No**\n\nNobody", "no"),
        ("It names the town, so yes.", "yes"), ("The answer is no.", "no"), ("It says no such thing", None),
        ("Nothing supports it", None), ("yesterday", None), ("", None),
    ],
)  # fmt: skip
def test_yes_and_no_are_read(text, choice):
    assert parse_chosen(text, ANSWERS, "valid") == choice


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ('{"text": "2"}', "2"), ('{"text": 2}', "2"), ("2", "2"), ("Text 2", "2"), ("Text 2 is more informative.", "2"),
        ("Text 1 is better than text 2.", "1"), ("12", None), ("Text 12", None), ("2 of them are equal", None),
        ("Both tell it in 1", "1"), ("The answer is text 1.", "1"), ("1 is better than 2.", None),
    ],
)  # fmt: skip
def test_numbers_are_read(text, choice):
    assert parse_chosen(text, TEXTS, "text") == choice


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("Text 1 is more informative than text 2.", "1"), ("**Text 2** is more informative than **text 1**.", "2"),
        ("Text 2 provides more relevant information than text 1.", "2"),
        ("I think that text 2 would be more helpful for answering it than text 1.", "2"),
        ("Text 2 does not name it, so text 1 is more informative than text 2.", "1"),
        ("Text 1, because it names the town, while text 2 does not.", "1"),
        ("Text 1. It names the town, and text 2 does not.", "1"),
    ],
)  # fmt: skip
def test_of_several_choices_the_one_that_is_called_better_or_given_a_reason_is_read(text, choice):
    assert parse_chosen(text, TEXTS, "text") == choice


@pytest.mark.parametrize(
    "text",
    [
        "Text 2 is not more informative than text 1.", "Text 1 is no more informative than text 2.",
        "I do not think that text 1 is more informative than text 2.", "Neither text 1 nor text 2 is better than the other.",
        "It is hard to say whether text 1 is more informative than text 2.", "Text 1 and text 2 are better than text 3.",
        "Text 1 is better than text 2. Text 2 is better than text 1.", "Text 1 is less informative than text 2.",
        "Text 1, although shorter, is worse than text 2.", "Text 1 has more errors than text 2.", "Text 1 or text 2",
        "Text 1: it names the town.\nText 2: it does not.", "Text 1. No, text 2.", "Text 1, text 2",
    ],
)  # fmt: skip
def test_what_compares_choices_without_preferring_one_is_no_choice(text):
    assert parse_chosen(text, TEXTS, "text") is None


@given(st.text(), st.sampled_from([(ROUTES, "route"), (ANSWERS, "valid"), (TEXTS, "text")]))
def test_any_text_is_accepted_and_only_a_choice_is_made(text, of):
    choices, name = of
    assert parse_chosen(text, choices, name) in {None, *choices}


@given(st.sampled_from(ROUTES), st.text(alphabet=" \n*_`'\".", max_size=6))
def test_a_bare_choice_is_read_within_any_decoration(choice, around):
    assert parse_chosen(f"{around}{choice}{around}", ROUTES, "route") == choice
