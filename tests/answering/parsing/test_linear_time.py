"""No reply of a model takes long to read, whatever it repeats: what reads replies takes time in proportion to their length."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import pytest

from hopweave.answering.methods.decomp._controller import parse_answers, parse_call, parse_titled
from hopweave.answering.methods.dsp._fields import parse_fields
from hopweave.answering.methods.planning._choice import parse_choice, parse_next, parse_suggestions
from hopweave.answering.methods.planning._numbered_plan import parse_plan, parse_solution, parse_sub_questions
from hopweave.answering.methods.react._actions import read_action, read_turn
from hopweave.answering.methods.searchain._chain import parse_chain
from hopweave.answering.methods.toolformer._tool_calls import first_call
from hopweave.answering.methods.toqd._arrows import parse_arrows
from hopweave.answering.parsing.follow_ups import parse_follow_ups
from hopweave.answering.parsing.numbered import parse_dropped, parse_numbered
from hopweave.answering.toolkit.adopted_phrase import adopted_phrase
from hopweave.core.types import Passage, Question
from hopweave.text.final import final_answer

LENGTH = 50_000
SECONDS = 1.5  # for each call
ITEMS = ("Who directed the film Cold Harbour?", "When was Liv Aas born?", "How can the two be compared?")
FORMS = [
    Question("q", "?"), Question("q", "?", "long"), Question("q", "?", "label", ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO"))
]  # fmt: skip

ANY = [*" \n*_[]{('\".:-1?,", "     \n", "****\n", ". ", "- ", "1. ", "1.\n"]
READERS: dict[str, tuple[Sequence[Callable[[str], object]], Sequence[str], Sequence[str]]] = {
    "turns of ReAct": (
        (read_turn, read_action), ("", "Finish["), ("Action 1: ", "Search[", "Thought 1:", "Action "),
    ),
    "arrows of ToQD": (
        (lambda text: parse_arrows(text, ITEMS, "Who was born first?"),), ("",),
        ("1 -> ", "->", "1, ", '{"1":', "Q", "1 and ", "<-", "=", "question ", "a (b"),
    ),
    "chains of SearChain": (
        (parse_chain,),
        ("", "[Query 1]: ", "[ query", "[Query 1]: a\n[Answer 1]: ", "[Final Content]: ", "unsolved",
         "[Query 1]: a\n[Answer 1]: I don't have the ", "1."),
        ("Query ", "[Query ", "Query\n", "[Unsolved Query]: a", "[Query]: a\n[Answer]: b\n", "[Query]: a\n", "[Answer]: a\n",
         "[Answer 1] ", "If you know\n"),
    ),
    "choices of Tree of Thought": (
        (lambda text: parse_choice(text, 3), parse_suggestions, parse_next), ("",), ("best choice is ", "9 ", "FINISH "),
    ),
    "plans": (
        (parse_sub_questions, lambda text: parse_solution(parse_plan(text).solution, ITEMS)), ("",),
        ('"a ', ': "', "so the final "),
    ),
    "calls of DecomP": (
        (parse_call, parse_titled, parse_answers), ("",),
        ("['", "'a' ", '["a", ', "QS: ", "(select)", "[a]", "answer:", "\\", "Question:", "[[1],"),
    ),
    "fields of DSP": (
        (lambda text: parse_fields(text, ("Rationale", "Search Query"), lead="First:", ends=("Question",)),),
        ("",), ("Search Query", "Search Query:", "---\n", "_ ", "Rationale: "),
    ),
    "calls of Toolformer": (
        (first_call,), ("", "[WikiSearch(", '[WikiSearch("', "["), ('")', "[wikisearch", "[WikiSearch('", "query="),
    ),
    "follow-ups of Self-Ask": (
        (parse_follow_ups,), ("", "Follow up", "Yes. ", "\n1."),
        ("Follow up", "Follow up:", "final answer ", "So the ", "question "),
    ),
    "numbered lists": (
        (parse_numbered, lambda text: parse_dropped(text, ITEMS)), ("",), ('{"a":', "? A", "Q1: ", "drop ", "1 ", "none "),
    ),
    "final answers": (
        [lambda text, form=form: final_answer(text, form) for form in FORMS], ("", "answer", "So the final answer is x"),
        ("answer ", "answer  \n", "so ", "final ", "[1", "[1] ", "a.", "So the final answer is "),
    ),
    "adopted phrases": (
        (lambda text: adopted_phrase("x", [text] * 3, [Passage("p", text)]),), ("",), ("Ida ",),
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("reader", "unit"), [(reader, unit) for reader, (*_, units) in READERS.items() for unit in (*ANY, *units)]
)
def test_a_long_reply_is_read_in_linear_time(reader, unit):
    reads, prefixes, _ = READERS[reader]
    started = time.process_time()
    for read in reads:
        for prefix in prefixes:
            read(prefix + (unit * LENGTH)[:LENGTH] + "x")
    assert time.process_time() - started < SECONDS * len(reads) * len(prefixes)
