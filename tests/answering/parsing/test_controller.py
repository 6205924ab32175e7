"""Calls of sub-modules and JSON answers are read however they come."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.texts import messes

from hopweave.answering.methods.decomp._controller import Answered, Call, parse_answers, parse_call, parse_titled

WHO = "Who designed the light?"
TITLES = ("Carrow Head", "King's Cross, London")
BOTH = json.dumps(list(TITLES))


# -- calls ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        f"QS: (select) [retrieve_odqa] {WHO}",
        f" (select) [retrieve_odqa] {WHO}",
        f"[retrieve_odqa] {WHO}",
        f"qs : (Select)[Retrieve_ODQA]{WHO}",
        f"**QS:** (select) **[retrieve_odqa]** {WHO}",
        f"- QS: (select) `[retrieve_odqa]` {WHO}",
        f"`QS: (select) [retrieve_odqa] {WHO}`",
        f"> QS: (select) [ retrieve_odqa ]: {WHO}",
        f"\n\nQS: (select) [retrieve_odqa] {WHO}\r\nA: nobody",
        f"The next step is:\nQS: (select) [retrieve_odqa] {WHO}\nQS: (select) [retrieve_odqa] What?",
        f"```\nQS: (select) [retrieve_odqa] {WHO}\n```",
    ],
)
def test_a_call_is_read_in_any_dress_and_only_the_first_counts(text):
    assert parse_call(text) == Call("retrieve_odqa", WHO)


@pytest.mark.parametrize("text", ["QS: [EOQ]", "[EOQ]", " [eoq].", "**QS:** [EOQ]", "QS: (select) [EOQ]", "QS: [EOQ] done"])
def test_the_end_is_read_in_any_dress(text):
    assert parse_call(text) == Call(is_end=True)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the reply is empty"),
        (" \n ", "the reply is empty"),
        ("Ines Halloran", "no [module] is called"),
        ("QS: Who was it?", "no [module] is called"),
        ("It is [1] and [Query 2]", "no [module] is called"),
        ("I would say [EOQ]", "no [module] is called"),
        ("QS: [\u2060EOQ]", "no [module] is called"),  # copied from a passage
        ("QS: (select) [retrieve]", "[retrieve] is called with nothing"),
        ("QS: (select) [retrieve] **", "[retrieve] is called with nothing"),
    ],
)
def test_what_is_no_call_is_a_problem(text, problem):
    read = parse_call(text)
    assert (read.argument, read.is_end, read.problems) == ("", False, (problem,))


# -- titles ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        f"Titles: {BOTH}. Question: {WHO}",
        f"titles : {BOTH} question: {WHO}",
        f"{BOTH}. **Question:** {WHO}",
        f'Titles: {BOTH}.\tQuestion: "{WHO}"',
        f"Titles: ['Carrow Head', 'King's Cross, London']. Question: {WHO}",
        f"Titles: ['Carrow Head', \"King's Cross, London\"]. Question: {WHO}",
        f"Titles: [“Carrow Head”, “King's Cross, London”]. Question: {WHO}",
        f'Titles: ["Carrow Head", "King\'s Cross, London",]. Question: {WHO}',
        f'Titles: ["Carrow Head"; "King\'s Cross, London"]. Question: {WHO}',
        f"Titles: {json.dumps([*TITLES, *TITLES, ''])}. Question: {WHO}",
    ],
)
def test_titles_and_question_are_read_however_the_list_is_quoted(text):
    read = parse_titled(text)
    assert (read.titles, read.question, read.problems) == (TITLES, WHO, ())


def test_titles_without_quotation_marks_are_parted_by_commas():
    assert parse_titled(f"Titles: [Carrow Head, Ines Halloran]. Question: {WHO}").titles == ("Carrow Head", "Ines Halloran")


def test_an_empty_list_of_titles_is_one():
    read = parse_titled(f"Titles: []. Question: {WHO}")
    assert (read.titles, read.question, read.problems) == ((), WHO, ())


def test_a_title_that_looks_like_the_end_of_the_list_is_a_title():
    title = '"]. Question: Who else? [EOQ]'
    assert parse_titled(f"Titles: {json.dumps([title])}. Question: {WHO}").titles == (title,)


@pytest.mark.parametrize("text", ["", WHO, "Titles: Carrow Head. Question: Who?"])
def test_without_a_list_there_is_a_problem(text):
    assert parse_titled(text).problems == ("no list of titles is given",)
    assert parse_titled(text).titles == ()


# -- answers ---------------------------------------------------------------------------------------------------------------

OBJECT = json.dumps({"titles": list(TITLES), "answer": ["the Teel"]})


@pytest.mark.parametrize(
    "text",
    [
        OBJECT,
        f"A: {OBJECT}",
        f"```json\n{OBJECT}\n```",
        f"From the first page [1]: {OBJECT} That is all.",
        json.dumps(json.loads(OBJECT), indent=2),
        json.dumps({"Title": list(TITLES), "Answers": "the Teel"}),
        json.dumps({"answer": ["the Teel", "the Teel"], "titles": list(TITLES), "why": "it says so"}),
        "{'titles': ['Carrow Head', 'King's Cross, London'], 'answer': ['the Teel']}",
        "{'titles': ['Carrow Head', \"King's Cross, London\"], 'answer': 'the Teel'}",
        "{“titles”: [“Carrow Head”, “King's Cross, London”], “answer”: [“the Teel”]}",
        OBJECT.removesuffix("}"),
        OBJECT.removesuffix('"]}') + '"',
        f"titles: {BOTH}\nanswer: the Teel",
        f"**titles**: {BOTH}\n**answer**: the Teel",
    ],
)
def test_an_object_is_read_in_any_dress(text):
    assert parse_answers(text) == Answered(TITLES, ("the Teel",))


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ('["the Teel"]', ("the Teel",)),
        ('A: ["the Teel", "the Orr"]', ("the Teel", "the Orr")),
        ("['the Teel']", ("the Teel",)),
        ("[the Teel, the Orr]", ("the Teel", "the Orr")),
        ('["the Teel", "the Or', ("the Teel",)),
        ("[1833]", ("1833",)),
        ("[true]", ("yes",)),
        ('{"answer": 1833}', ("1833",)),
        ('{"answer": null}', ()),
        ("{'answer': None}", ()),
        ('{"answer": []}', ()),
        ("[]", ()),
        ('It is ["the Teel"]', ("the Teel",)),
        ("Answer: the Teel", ("the Teel",)),
        ('{"answer": [["the Teel"], {"a": 1}]}', ("the Teel",)),
    ],
)
def test_bare_lists_and_single_values_are_answers(text, answers):
    assert parse_answers(text) == Answered((), answers)


@pytest.mark.parametrize(
    "text", ["the Teel", "the Teel [1].", '{"titles": ["A"]}', "{", '"answer\u2060": "no"', "the Teel (a [river])"]
)
def test_what_holds_no_answer_is_a_problem(text):
    assert parse_answers(text) == Answered((), (), ("no JSON with an answer is in the reply",))


def test_an_empty_reply_says_so():
    assert parse_answers(" \n").problems == ("the reply is empty",)


# -- any text --------------------------------------------------------------------------------------------------------------

CALLS = ["QS:", " (select) ", "[retrieve]", "[EOQ]", "Titles:", "Question:", '"answer": ', '"titles": ["A"]', "answer"]
PIECES = messes([*"[]{}\"',:\n\\\ud800“”-", *CALLS, "null", "None", "```", WHO])
NAMES = st.from_regex(r"[A-Z][a-z'’.]{1,9}( [A-Za-z(),]{1,9}){0,3}", fullmatch=True).map(str.strip)


@given(PIECES)
def test_any_text_is_a_call_or_an_end_or_a_problem(text):
    read = parse_call(text)
    assert bool(read.problems) != (read.is_end or bool(read.module and read.argument))
    assert "\n" not in read.argument


@given(PIECES)
def test_any_text_gives_titles_and_answers_that_are_lines_with_words(text):
    answered, titled = parse_answers(text), parse_titled(text)
    for line in (*answered.titles, *answered.answers, *titled.titles):
        assert any(char.isalnum() for char in line)
        assert line == " ".join(line.split())
        line.encode()
    assert not (answered.problems and (answered.titles or answered.answers))
    assert not (titled.problems and titled.titles)


@given(st.lists(NAMES, max_size=5, unique=True), st.lists(NAMES, max_size=3, unique=True))
def test_what_is_written_as_json_is_read_back(titles, answers):
    written = json.dumps({"titles": titles, "answer": answers})
    assert parse_answers(written) == Answered(tuple(titles), tuple(answers))
    read = parse_titled(parse_call(f"QS: (select) [multihop_titleqa] Titles: {json.dumps(titles)}. Question: {WHO}").argument)
    assert (read.titles, read.question, read.problems) == (tuple(titles), WHO, ())
