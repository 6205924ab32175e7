"""Arrows are read however they come, and what is no graph is repaired by rule."""

from __future__ import annotations

import json
from graphlib import TopologicalSorter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.texts import messes

from hopweave.answering.methods.toqd._arrows import chain_of, edges_text, parse_arrows

NAMES = [
    "Who is the director of the film Cold Harbour?",
    "Where was the director born?",
    "In which country is that town?",
    "When was the 1936 Olympics team chosen?",
    "What is the capital of Norway?",
]
MAIN = "In which country was the director of Cold Harbour born?"


def edges(text: str, num: int) -> str:
    names = [*NAMES, *(f"Question number {n}, what is it?" for n in range(len(NAMES) + 1, 20))][:num]
    return edges_text(parse_arrows(text, names, MAIN).edges)


@pytest.mark.parametrize(
    ("text", "num", "expected"),
    [
        # The rows of the released parser, which loses the second of two on the left, reads one digit, and knows one arrow.
        ("1 -> 2 -> Q", 2, "1 -> 2, 2 -> Q"),
        ("1, 2 -> 3 -> Q", 3, "1 -> 3, 2 -> 3, 3 -> Q"),
        ("1 and 2 -> 3", 3, "1 -> 3, 2 -> 3, 3 -> Q"),
        ("1 -> 2, 3 -> Q", 3, "1 -> 2, 1 -> 3, 2 -> Q, 3 -> Q"),
        ("10 -> Q", 10, ", ".join(f"{n} -> Q" for n in range(1, 11))),
        ("1 -> 12\n12 -> Q", 12, ", ".join(f"{n} -> {'12' if n == 1 else 'Q'}" for n in range(1, 13))),
        ("Q1 -> Q2\nQ2 -> Q", 2, "1 -> 2, 2 -> Q"),
        ("1 -> Main question", 1, "1 -> Q"),
        ("1 → 2 → Q", 2, "1 -> 2, 2 -> Q"),
        ("First answer 1, then use it for 2.", 2, "1 -> 2, 2 -> Q"),
        # Every other way.
        ("1 -> Q\n2 -> Q", 2, "1 -> Q, 2 -> Q"),
        ("1 -> Q, 2 -> Q", 2, "1 -> Q, 2 -> Q"),
        ("1 -> Q; 2 -> Q", 2, "1 -> Q, 2 -> Q"),
        ("1 -> 3, 2 -> 3, 3 -> Q", 3, "1 -> 3, 2 -> 3, 3 -> Q"),
        ("1 -> 3 and 2 -> 3", 3, "1 -> 3, 2 -> 3, 3 -> Q"),
        ("1 -> 2, 2 -> Q", 2, "1 -> 2, 2 -> Q"),
        ("1 & 2 -> 3", 3, "1 -> 3, 2 -> 3, 3 -> Q"),
        ("1 + 2 -> 3", 3, "1 -> 3, 2 -> 3, 3 -> Q"),
        ("(1, 2) -> 3", 3, "1 -> 3, 2 -> 3, 3 -> Q"),
        ("{1, 2} -> 3", 3, "1 -> 3, 2 -> 3, 3 -> Q"),
        ("[1, 2, and 3] -> Q", 3, "1 -> Q, 2 -> Q, 3 -> Q"),
        ("1-3 -> Q", 3, "1 -> Q, 2 -> Q, 3 -> Q"),
        ("1 -> Q and 2", 2, "1 -> Q, 1 -> 2, 2 -> Q"),
        ("1 --> 2 ==> Q", 2, "1 -> 2, 2 -> Q"),
        ("1 ⇒ 2 ➜ Q", 2, "1 -> 2, 2 -> Q"),
        ("1 -&gt; 2 -&gt; Q", 2, "1 -> 2, 2 -> Q"),
        (r"$1 \rightarrow 2 \rightarrow Q$", 2, "1 -> 2, 2 -> Q"),
        ("2 <- 1", 2, "1 -> 2, 2 -> Q"),
        ("Q ← 2 ← 1", 2, "1 -> 2, 2 -> Q"),
        ("1\n->\n2\n-> Q", 2, "1 -> 2, 2 -> Q"),
        ("1 ->\n2 ->\nQ", 2, "1 -> 2, 2 -> Q"),
        ("1\n↓\n2\n↓\nQ", 2, "1 -> 2, 2 -> Q"),
        ("- 1 -> 2\n- 2 -> Q", 2, "1 -> 2, 2 -> Q"),
        ("1. 1 -> 3\n2. 2 -> 3\n3. 3 -> Q", 3, "1 -> 3, 2 -> 3, 3 -> Q"),
        ("**1** -> **2**\n**2** -> **Q**", 2, "1 -> 2, 2 -> Q"),
        ("`1 -> 2`\n`2 -> Q`", 2, "1 -> 2, 2 -> Q"),
        ("```\n1 -> 2\n2 -> Q\n```", 2, "1 -> 2, 2 -> Q"),
        ('```mermaid\ngraph TD\n1["Who is it?"] --> 2["Where?"]\n2 --> Q\n```', 2, "1 -> 2, 2 -> Q"),
        ("1 -->|gives the name| 2\n2 --> Q", 2, "1 -> 2, 2 -> Q"),
        ("digraph {\n1 -> 2;\n2 -> Q;\n}", 2, "1 -> 2, 2 -> Q"),
        ("Sub-question 1 -> Sub-question 2\nSub-question 2 -> Main Question", 2, "1 -> 2, 2 -> Q"),
        ("q_1 -> q_2 -> Q", 2, "1 -> 2, 2 -> Q"),
        ("Question 1 -> Question 2 -> Original question", 2, "1 -> 2, 2 -> Q"),
        ("Node 1 -> Node 2 -> Final answer", 2, "1 -> 2, 2 -> Q"),
        ("Questions 1 and 2 -> question 3", 3, "1 -> 3, 2 -> 3, 3 -> Q"),
        ("The answer to question 1 -> question 2", 2, "1 -> 2, 2 -> Q"),
        ("1 (the director) -> 2 (the birthplace) -> Q (main question)", 2, "1 -> 2, 2 -> Q"),
        ("1. Who is the director of the film Cold Harbour? -> 2. Where was the director born?", 2, "1 -> 2, 2 -> Q"),
        ("1 -> 2 because 1 names the director", 2, "1 -> 2, 2 -> Q"),
        ("1 -> 2: the name is needed", 2, "1 -> 2, 2 -> Q"),
        (f"{NAMES[0]} -> {NAMES[1]}\n{NAMES[1]} -> {MAIN}", 2, "1 -> 2, 2 -> Q"),
        (f"who is the director of the film cold harbour -> {NAMES[2]}", 3, "1 -> 3, 2 -> Q, 3 -> Q"),
        (f'"{NAMES[3]}" -> Q', 4, "1 -> Q, 2 -> Q, 3 -> Q, 4 -> Q"),
        ("Reasoning graph: 1 -> 2 -> Q", 2, "1 -> 2, 2 -> Q"),
        ("Here it is:\n\n1 -> 2\n\nAnd at last 2 -> Q.", 2, "1 -> 2, 2 -> Q"),
        ("1 -> 2\r\n2 -> Q\r\n", 2, "1 -> 2, 2 -> Q"),
        ("10 -> 11 -> Q", 11, ", ".join(f"{n} -> {'11' if n == 10 else 'Q'}" for n in range(1, 12))),
    ],
)
def test_arrows_are_read_however_they_come(text, num, expected):
    assert edges(text, num) == expected


@pytest.mark.parametrize(
    "value",
    [
        {"arrows": [{"from": "1", "to": "2"}, {"from": "2", "to": "Q"}]},
        {"edges": [{"source": 1, "target": 2}, {"source": 2, "target": "Q"}]},
        {"edges": [[1, 2], [2, "Q"]]},
        [["1", "2"], ["2", "Q"]],
        ["1 -> 2", "2 -> Q"],
        {"graph": "1 -> 2 -> Q"},
        {"1": ["2"], "2": ["Q"]},
        {"1": 2, "2": "Q"},
        {"Q1": ["Q2"], "Q2": ["main question"]},
        [{"from": ["1"], "to": ["2"]}, {"from": "2", "to": ["Q"]}],
    ],
)
def test_json_is_read_whatever_its_shape(value):
    assert edges(json.dumps(value), 2) == "1 -> 2, 2 -> Q"
    assert edges(f"```json\n{json.dumps(value, indent=2)}\n```", 2) == "1 -> 2, 2 -> Q"


@pytest.mark.parametrize(
    ("text", "num", "expected", "repairs", "problems"),
    [
        ("1 -> 2 -> Q", 2, "1 -> 2, 2 -> Q", [], []),
        ("", 2, "1 -> 2, 2 -> Q", ["no arrow is left; the sub-questions form a chain"], ["the reply is empty"]),
        ("Hm.", 2, "1 -> 2, 2 -> Q", ["no arrow is left; the sub-questions form a chain"], ["no arrow was found"]),
        ("Hm.", 1, "1 -> Q", [], ["no arrow was found"]),
        ("1 -> 2 -> 1", 2, "1 -> 2, 2 -> Q", ["2 -> 1 would close a cycle", "2 leads nowhere"], []),
        (
            "1 -> 2\n2 -> 3\n3 -> 1\n3 -> Q",
            3,
            "1 -> 2, 2 -> 3, 3 -> Q",
            ["3 -> 1 would close a cycle"],
            [],
        ),
        ("1 -> 1 -> Q", 1, "1 -> Q", ["1 -> 1 leads back to itself"], []),
        ("1 -> Q\nQ -> 2", 2, "1 -> Q, 2 -> Q", ["Q -> 2 leads out of the main question", "2 stands in no arrow"], []),
        ("1 -> 7\n1 -> Q", 1, "1 -> Q", ["there is no sub-question 7"], []),
        ("1 -> 2", 3, "1 -> 2, 2 -> Q, 3 -> Q", ["2 leads nowhere", "3 stands in no arrow"], []),
        ("1 -> Q\nit -> 2", 2, "1 -> Q, 2 -> Q", ["2 stands in no arrow"], ["'it' names no sub-question"]),
    ],
)
def test_what_is_no_graph_is_mended_by_rule_and_said(text, num, expected, repairs, problems):
    read = parse_arrows(text, NAMES[:num], MAIN)
    assert (edges_text(read.edges), list(read.repairs), list(read.problems)) == (expected, repairs, problems)


@pytest.mark.parametrize(
    ("text", "second", "expected", "repairs"),
    [
        ("1 -> Q\n2 -> Q", "Where was the answer to 1 born?", "1 -> Q, 1 -> 2, 2 -> Q", ["2 refers to the answer of 1"]),
        ("1 -> Q\n2 -> Q", "Where was #1 born?", "1 -> Q, 1 -> 2, 2 -> Q", ["2 refers to the answer of 1"]),
        ("1 -> Q\n2 -> Q", "Where was [Answer 1] born?", "1 -> Q, 1 -> 2, 2 -> Q", ["2 refers to the answer of 1"]),
        ("1 -> Q\n2 -> Q", "Where did Formula 1 begin?", "1 -> Q, 2 -> Q", []),
        ("1 -> Q\n2 -> Q", "What was sold in Q1 2023?", "1 -> Q, 2 -> Q", []),
        ("1 -> 2 -> Q", "Where was the answer to 1 born?", "1 -> 2, 2 -> Q", []),
        (
            "2 -> 1 -> Q",  # what the words say counts
            "Where was the person from sub-question 1 born?",
            "1 -> Q, 1 -> 2, 2 -> Q",
            ["2 -> 1 would close a cycle", "2 refers to the answer of 1", "2 leads nowhere"],
        ),
        ("1 -> 3 -> 2 -> Q", "Where was the answer to 1 born?", "1 -> 3, 2 -> Q, 3 -> 2", []),
    ],
)
def test_a_reference_to_a_sub_question_implies_an_arrow_from_it(text, second, expected, repairs):
    read = parse_arrows(text, ["Who directed it?", second, "When was that?"][: 3 if "3" in text else 2])
    assert (edges_text(read.edges), list(read.repairs)) == (expected, repairs)


def test_without_a_drawn_arrow_a_reference_to_a_later_sub_question_is_no_chain():
    assert edges_text(parse_arrows("Hm.", ["Who is the mother of #2?", "Who directed it?"]).edges) == "1 -> Q, 2 -> 1"


SIGNS = [*'1234Q->→↓\n;()[]{}:"', "12", "Q1", "->", " -> ", "<-", "--", "- ", "1. ", ", ", " and ", "because"]
PIECES = messes([*SIGNS, "main question", "Question 2", NAMES[0], NAMES[3], MAIN])
VALUES = st.recursive(
    st.one_of(st.integers(-3, 12), st.sampled_from(["1", "Q", "2 -> 3", "x"]), st.none(), st.booleans(), st.floats()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(["from", "to", "1", "2", "edges", "x"]), inner, max_size=3)
    ),
    max_leaves=12,
).map(json.dumps)


@given(st.one_of(PIECES, VALUES, st.text()), st.integers(0, 9))
def test_whatever_is_said_the_graph_has_no_cycle_and_every_node_leads_to_the_question(text, num):
    read = parse_arrows(text, (NAMES * 2)[:num], MAIN)
    before: dict[int, set[int]] = {node: set() for node in range(num + 1)}
    for start, end in read.edges:
        assert 1 <= start <= num
        assert 0 <= end <= num
        before[end].add(start)
    order = list(TopologicalSorter(before).static_order())  # raises on a cycle
    assert len(order) == num + 1
    assert {start for start, _ in read.edges} == set(range(1, num + 1))
    assert read.edges == tuple(sorted(set(read.edges)))


@given(
    st.integers(1, 9).flatmap(lambda num: st.tuples(st.just(num), st.sets(st.tuples(st.integers(1, num), st.integers(0, num)))))
)
def test_a_graph_that_is_one_is_read_back_as_it_is(drawn):
    num, arrows = drawn
    forward = {(start, end) for start, end in arrows if end == 0 or start < end}
    forward |= {(node, 0) for node in range(1, num + 1) if not any(start == node for start, _ in forward)}
    text = "\n".join(f"{start} -> {end or 'Q'}" for start, end in sorted(forward))
    read = parse_arrows(text, [f"Name {n}?" for n in range(1, num + 1)])
    assert (set(read.edges), read.repairs, read.problems) == (forward, (), ())


def test_a_chain_is_a_chain():
    assert chain_of(3) == ((1, 2), (2, 3), (3, 0))
    assert chain_of(0) == ()
