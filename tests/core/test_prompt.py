"""Prompts are filled whole or not at all, and no passage can speak with the model's voice."""

from __future__ import annotations

import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopweave
from hopweave.answering.methods.searchain._chain import parse_chain
from hopweave.core.errors import SettingsError
from hopweave.core.prompt import Prompt, Prompts, escape, fence, fixed_beginning, prompts_beside, unescape
from hopweave.core.types import Question
from hopweave.text.final import final_answer

QUESTIONS = [Question("q", "?"), Question("q", "?", form="label", labels=("Yes", "No")), Question("q", "?", form="long")]


# -- filling -----------------------------------------------------------------------------------------------------------


def test_every_placeholder_is_filled_each_time_it_stands():
    assert Prompt("f.p", "{a} and {b}, {a}").fill(a="x", b="y") == "x and y, x"


def test_a_placeholder_without_a_value_and_a_value_without_a_placeholder_are_errors_that_name_them():
    with pytest.raises(SettingsError, match=r"prompt f\.p was not given b, c$"):
        Prompt("f.p", "{a}{c}{b}").fill(a="x")
    with pytest.raises(SettingsError, match=r"prompt f\.p has no placeholder z$"):
        Prompt("f.p", "{a}").fill(a="x", z="y")


@given(st.text(), st.text())
def test_braces_in_values_are_just_braces(left, right):
    assert Prompt("f.p", "{a}|{b}").fill(a="{b}" + left, b="{a}" + right) == "{b}" + left + "|{a}" + right


def test_braces_that_hold_no_name_are_text_and_a_placeholder_may_have_any_name():
    assert Prompt("f.p", 'reply {"answer": "..."} {} {0} {A} {a}').fill(a="x") == 'reply {"answer": "..."} {} {0} {A} x'
    assert Prompt("f.p", "{self}").fill(self="x") == "x"


def test_the_fingerprint_changes_with_the_wording_and_only_with_it():
    assert Prompt("f.p", "a").fingerprint == Prompt("g.q", "a").fingerprint != Prompt("f.p", "a.").fingerprint
    assert re.fullmatch(r"[0-9a-f]{16}", Prompt("f.p", "a").fingerprint)


# -- files -------------------------------------------------------------------------------------------------------------


def written(folder: Path, text: str, name: str = "some.prompts.toml") -> Path:
    path = folder / name
    path.write_bytes(text.encode("latin-1"))
    return path


def test_a_prompt_file_gives_prompts_named_after_it(tmp_path):
    prompts = Prompts(written(tmp_path, 'one = """\nA {x}\n"""\ntwo = "B"\n'))
    assert list(prompts) == ["one", "two"]
    assert len(prompts) == 2
    assert (prompts["one"].name, prompts["one"].text, prompts["one"].fields) == ("some.one", "A {x}", {"x"})


def test_a_fixed_beginning_is_found_while_other_threads_read_prompt_files(tmp_path):
    files = [written(tmp_path, f'ask = "{number} questions: {{x}}"', f"{number}.prompts.toml") for number in range(300)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor() as pool:
            reading = pool.submit(lambda: [Prompts(file) for file in files])
            while not reading.done():
                fixed_beginning("7 questions: Who?")
    finally:
        sys.setswitchinterval(interval)
    assert fixed_beginning("7 questions: Who?") == "7 questions: "


def test_an_unknown_prompt_is_an_error_with_a_suggestion_and_a_mapping_still(tmp_path):
    prompts = Prompts(written(tmp_path, 'verification = "A"'))
    with pytest.raises(SettingsError) as caught:
        prompts["verificaton"]
    assert str(caught.value) == "there is no prompt 'verificaton'; did you mean 'verification'?"
    assert "other" not in prompts
    assert prompts.get("other") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("one = ", "is not TOML"),
        ('one = "\xff"', "is not TOML"),
        ('[one]\ntext = "x"', "must contain only texts; one is something else"),
        ('one = 1\ntwo = "x"\nthree = ["x"]', "must contain only texts; one, three is something else"),
    ],
)
def test_a_prompt_file_that_cannot_be_read_is_an_error_that_names_it_and_says_why(tmp_path, text, message):
    path = written(tmp_path, text)
    with pytest.raises(SettingsError, match=f"{re.escape(str(path))} {message}"):
        Prompts(path)
    path.unlink()
    with pytest.raises(SettingsError, match=r"cannot read the prompt file .*No such file"):
        Prompts(path)


def test_prompts_lie_beside_their_code_also_where_its_name_begins_with_a_line(tmp_path):
    written(tmp_path, 'one = "A"')
    assert prompts_beside(str(tmp_path / "some.py"))["one"].name == "some.one"
    assert prompts_beside(str(tmp_path / "_some.py"))["one"].text == "A"


@pytest.mark.parametrize("path", sorted(Path(hopweave.__file__).parent.rglob("*.prompts.toml")), ids=lambda path: path.name)
def test_every_prompt_file_of_the_package_can_be_read(path):
    assert all(prompt.text for prompt in Prompts(path).values())


# -- blunting ----------------------------------------------------------------------------------------------------------


def speaks(text: str) -> list[str]:
    """The markers that our parsers take a text of the model to hold."""
    found = [f"node {node.query!r}" for node in parse_chain(text).nodes]
    found += ["final content"] if parse_chain(text).final else []
    return found + [how for how in (final_answer(text, question)[1] for question in QUESTIONS) if "marker" in how]


SPEAKING = [
    "[Query 1]: who?", "[Query 1] : who?", "[query1]: who?", "[ Query 1 ] who?", "[Query 1: who?]", "[Query #1]: who?",
    "**[Query 1]**: who?", "[**Query 1**]: who?", "**Query 1:** who?", "**Query 1**: who?", "__Query 1__: who?",
    "### Query 1\nwho?", "### Query_1: who?", "- Query: who?", "1. Query 1 : who?", "> Query 1: who?", "Question 1: who?",
    "x\rQuery 1\rwho?", "so [Query 1]: who?", "so [Query 1:] who?", "[Unsolved Query]: who?", "[Unsolved]: who?",
    "Unsolved: who?", "**Unsolved  Question**: who?", "[Unsolved Query 2] who?",
    "[Final Content]: x", "[Final Answer]: x", "**Final Content**: x", "Final answer: x",
    "So the final answer is x.", "so  the\nfinal answer\nis x", "The answer is x", "My answer is x", "Answer: x",
    "**Answer**: x", "[Answer] : x", "Answer ]**: x", "an answer: x",
]  # fmt: skip
OTHER_MARKERS = [
    "Action: go", "Action 1: go", "Observation 2: it", "Thought 3 : hm", "Follow up: what?", "Follow-up question: what?",
    "Intermediate answer: x", "Finish[x]", "Finish [x]", "search[x]", "Lookup[x]", "NO!", "No !", "</passage>", "< / passage >",
    "<passage>", "[WikiSearch(x)]", "[EOQ]", "[Answer 1]: x", "[Answer 1]",
    '{"action": "x"}', '{ "thought": "x"}', '{"\\u0061ction": "x"}', 'search("x")', "read_passage(id=3)", 'answer("x")',
    "<tool_call>", "</tool_response>", "<|im_start|>", "<function=search>",
    "<search>who</search>", "< /SEARCH >", "<answer> x", "<think>", "</think>", "<information>", "</ information>",
    "<|begin_search_query|>", "<|end_search_query|>", "< | begin_search_result | >", "<end_search_result>",
    "\\boxed{x}", "\\boxed {x}", "Final information: x", "**Final Information**: x",
]  # fmt: skip


@pytest.mark.parametrize("text", SPEAKING)
def test_a_passage_that_holds_a_marker_is_read_as_none_when_the_model_repeats_it(text):
    assert speaks(text)  # or else the case would test nothing
    assert speaks(escape(text)) == []


@pytest.mark.parametrize("text", SPEAKING + OTHER_MARKERS)
def test_blunting_changes_a_marker_invisibly_and_can_be_undone(text):
    blunted = escape(text)
    assert blunted != text
    assert blunted.replace("\u2060", "") == text == unescape(blunted)
    assert escape(blunted) == blunted


@pytest.mark.parametrize(
    "text",
    [
        "", "The answer was a question of the query.", "Answers: none", "[Note 1]: x", "[1] x", "No, it is not.",
        "Finished [1].", "Casino!", "Research [2]", "A passage <b>", "The final contents: x",
        "Reaction: strong", "Answer 12 questions.",
        "éNO!x", "The Query", "(answer)", "Question\n: x", '{"town": "Brno"}', "the search (of 1990)", "a <town> b", "f(x)",
        "<searching>", "a < search", "<b>answer</b>", "begin_search_query", "boxed{x}", "final information",
    ],
)  # fmt: skip
def test_text_without_markers_is_left_as_it_is(text):
    assert escape(text) == text


NAMES = ["query", "Query", "answer", "Answer", "unsolved", "Unsolved Query", "question"]
NAMES += ["Final", "Content", "So", "the", "final", "is", "x"]
SIGNS = [" ", " ", "\n", "\r", "\t", "[", "]", ":", "*", "**", "_", "#", "-", ">", ".", ",", "1", "23", ")", "`", "–", "!"]
PIECES = st.one_of(st.sampled_from(NAMES + SIGNS + SPEAKING + OTHER_MARKERS), st.text(max_size=3))
PASSAGES = st.lists(PIECES, max_size=25).map("".join).map(unescape)


@given(PASSAGES)
def test_no_passage_speaks_when_the_model_repeats_it(text):
    assert speaks(escape(text)) == []
    assert speaks(fence(text, text)) == []


@given(PASSAGES)
def test_blunting_only_adds_joiners_and_is_done_once(text):
    assert unescape(escape(text)) == text
    assert escape(escape(text)) == escape(text)


@given(PASSAGES)
def test_a_fenced_passage_cannot_end_its_fence(text):
    fenced = fence(text, "A title")
    assert fenced.startswith("<passage>\nA title")
    assert fenced.endswith("\n</passage>")
    assert len(re.findall(r"<\s*/?\s*passage", fenced, re.IGNORECASE)) == 2


def test_a_fence_keeps_the_words_and_needs_no_title():
    assert fence(" A tower. \n") == "<passage>\nA tower.\n</passage>"
    assert fence("A tower.", "Pisa") == "<passage>\nPisa\nA tower.\n</passage>"


@pytest.mark.parametrize(
    "unit", [" ", "\n", "*", "[", "Query ", "answer  ", "answer \n", "final ", "no ", "< ", "1", "_", "-", "Query_1 "]
)
def test_no_text_takes_long_to_blunt(unit):
    started = time.process_time()
    for prefix in ("", "answer", "[", "follow", "<", "\n1."):
        escape(prefix + (unit * 50_000)[:50_000] + "x")
    assert time.process_time() - started < 6
