"""The turn of an acting model is read however it comes, and nothing that a passage says is an action."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.texts import messes

from hopweave.answering.methods.react._actions import Action, Turn, read_action, read_turn
from hopweave.core.prompt import escape, fence

WHO = "Who wrote it?"


@pytest.mark.parametrize(
    "text",
    [
        f"{WHO}\nAction 1: Search[The Trial]",
        f" {WHO}\nAction 1: Search[The Trial]\n",
        f"Thought 1: {WHO}\nAction 1: Search[The Trial]",
        f"**Thought 1:** {WHO}\n**Action 1:** Search[The Trial]",
        f"thought: {WHO}\naction: Search[The Trial]",
        f"{WHO}\n\nAction 7: Search[The Trial]",
        f"{WHO}\r\nAction 1: Search[The Trial]\r\n",
        f"{WHO} Action 1: Search[The Trial]",
        f"{WHO}\nSearch[The Trial]",
        f"{WHO}\n> Action #1: Search[The Trial]",
        f"{WHO}\nAction 1:\nSearch[The Trial]",
        f"{WHO}\nAction 1: Search[The Trial]\nObservation 1: Kafka wrote it.\nThought 2: So\nAction 2: Finish[Kafka]",
        f"{WHO}\nAction 1: Search[The Trial]\nThought 2: So\nAction 2: Finish[Kafka]",
        f"{WHO}\nAction 1: Search[The Trial]\nAction 2: Finish[Kafka]",
    ],
)
def test_a_turn_is_read_however_it_comes(text):
    assert read_turn(text) == Turn(WHO, "Search[The Trial]")


@pytest.mark.parametrize(
    ("text", "thought"),
    [
        ("", ""),
        ("Who wrote it?\nI do not know.", "Who wrote it?"),
        ("Thought 1: Who wrote it?", "Who wrote it?"),
        ("The next action is to search.", "The next action is to search."),
        ("I could Search[The Trial] or not.", "I could Search[The Trial] or not."),
    ],
)
def test_a_turn_without_an_action_is_its_first_line(text, thought):
    assert read_turn(text) == Turn(thought, None)


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("Search[The Trial]", Action("search", "The Trial")),
        ("search[The Trial]", Action("search", "The Trial")),
        ("SEARCH [The Trial]", Action("search", "The Trial")),
        ("`Search[The Trial]`", Action("search", "The Trial")),
        ("**Search[The Trial]**", Action("search", "The Trial")),
        ('Search["The Trial"]', Action("search", "The Trial")),
        ("Search[The Trial] to learn who wrote it [1]", Action("search", "The Trial")),
        ("Search[List of [lost] films]", Action("search", "List of [lost] films")),
        ("Search[The Trial", Action("search", "The Trial")),
        ("Search[The Trial\nand more", Action("search", "The Trial")),
        ("Lookup[born]", Action("lookup", "born")),
        ("Finish[]", Action("finish", "")),
        ("Finish[It is old.\nIt is large.]", Action("finish", "It is old.\nIt is large.")),
        ("Search[]", None),
        ("Lookup[ ]", None),
        ("Look up the page", None),
        ("Research[The Trial]", None),
        ("Search(The Trial)", None),
        ("Search: The Trial", None),
        ("Delete[The Trial]", None),
        ("", None),
    ],
)
def test_an_action_is_a_tool_with_its_argument_in_brackets(text, action):
    assert read_action(text) == action


WORDS = ["Action", "action 1", "Action 2:", "Thought", "Observation 1:", "Search", "Lookup[", "Finish[x]", "ſearch[", "1"]
SIGNS = list(":[]*_#>-`\n\r\t ")
PIECES = messes([*WORDS, *SIGNS], max_pieces=20)


@given(PIECES)
def test_nothing_that_a_passage_says_is_an_action(text):
    assert read_turn(escape(text)).action is None
    assert read_action(escape(text)) is None
    assert read_turn(fence(text, text)).action is None


@given(PIECES)
def test_any_text_is_a_thought_on_one_line_and_perhaps_an_action(text):
    turn = read_turn(text)
    assert turn.thought == " ".join(turn.thought.split())
    action = read_action(turn.action or "")
    assert action is None or action.argument or action.tool == "finish"


ARGUMENTS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9 ,.()]{0,20}[A-Za-z0-9)]", fullmatch=True).map(
    lambda text: " ".join(text.split())
)


@given(st.sampled_from(["search", "lookup", "finish"]), ARGUMENTS, st.integers(1, 20))
def test_what_is_written_as_a_turn_is_read_back(tool, argument, number):
    turn = read_turn(f"Thought {number}: {WHO}\nAction {number}: {tool.capitalize()}[{argument}]")
    assert turn.thought == WHO
    assert read_action(turn.action) == Action(tool, argument)
