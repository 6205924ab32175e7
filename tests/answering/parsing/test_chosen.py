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
        ("Text 1 is better than text 2.", None), ("12", None), ("Text 12", None), ("2 of them are equal", None),
        ("Both tell it in 1", "1"), ("The answer is text 1.", "1"),
    ],
)  # fmt: skip
def test_numbers_are_read(text, choice):
    assert parse_chosen(text, TEXTS, "text") == choice


@given(st.text(), st.sampled_from([(ROUTES, "route"), (ANSWERS, "valid"), (TEXTS, "text")]))
def test_any_text_is_accepted_and_only_a_choice_is_made(text, of):
    choices, name = of
    assert parse_chosen(text, choices, name) in {None, *choices}


@given(st.sampled_from(ROUTES), st.text(alphabet=" \n*_`'\".", max_size=6))
def test_a_bare_choice_is_read_within_any_decoration(choice, around):
    assert parse_chosen(f"{around}{choice}{around}", ROUTES, "route") == choice
