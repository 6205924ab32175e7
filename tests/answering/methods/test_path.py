"""The correct path on its own: what a later answer changes, what is cited, how it is written out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.answering.methods.searchain._chain import parse_chain
from hopweave.answering.methods.searchain._path import PathNode, claims_on, pairs, pruned
from hopweave.answering.toolkit.claims import last_answer, marked_answer
from hopweave.citations.marking import text_of
from hopweave.core.types import Citation, Claim, Passage, Question, Reading, Span

PASSAGE = Passage("p", "Orlau has 900 inhabitants. No mayor is older than Ida Renn.")


def node(query="Who is the mayor?", answer="", origin="model", passage=PASSAGE, words="") -> PathNode:
    start = PASSAGE.text.find(words)
    reading = Reading(words, Span(start, start + len(words)), 3.0) if words else Reading("", None, -3.0)
    return PathNode(query, answer, origin, 0, passage, reading)


@pytest.mark.parametrize(
    ("origin", "before", "later", "after"),
    [
        ("model", "", "Ida Renn", ("Ida Renn", "completed")),
        ("model", "", "ida  renn.", ("ida  renn.", "completed")),
        ("model", "", "Otto Renn", ("Otto Renn", "model")),
        ("model", "", "No", ("No", "model")),  # the passage has the word, but a yes or no is not copied from one
        ("model", "", "", ("", "model")),
        ("model", "", " . ", ("", "model")),
        ("model", "Otto", "Ida Renn", ("Ida Renn", "model")),
        ("model", "the Otto", "Otto.", ("the Otto", "model")),
        ("verified", "Ida Renn", "Otto", ("Ida Renn", "verified")),
        ("corrected", "Ida Renn", "Otto", ("Ida Renn", "corrected")),
        ("completed", "Ida Renn", "Otto", ("Ida Renn", "completed")),
    ],
)
def test_a_later_answer_counts_only_where_no_passage_has_settled_the_query(origin, before, later, after):
    here = node(answer=before, origin=origin)
    changed = here.revise(later)
    assert (here.answer, here.origin) == after
    assert changed == (after[0] != before)


def test_a_completed_later_answer_cites_the_sentence_that_holds_it():
    here = node()
    here.revise("Ida Renn")
    [citation] = claims_on([node()] * 3 + [here], None, every_passage=False)[3].citations
    assert (citation.mark, citation.quote) == (4, "No mayor is older than Ida Renn.")
    assert citation.focus == Span(PASSAGE.text.index("Ida"), len(PASSAGE.text) - 1)


def test_what_no_passage_bears_out_is_cited_only_where_every_passage_is():
    here = node(answer="Otto", words="Ida Renn")
    assert claims_on([here], None, every_passage=False) == (Claim(here.query, "Otto", shortfall="words"),)
    whole = Citation(1, "p", 0, len(PASSAGE.text), PASSAGE.text)
    assert claims_on([here], None, every_passage=True) == (Claim(here.query, "Otto", citations=(whole,), shortfall="words"),)


def test_without_a_passage_or_with_an_empty_one_nothing_is_cited():
    for passage in (None, Passage("empty", "")):
        assert claims_on([node(passage=passage)], None, every_passage=True)[0].citations == ()


def test_two_nodes_with_the_same_words_are_two_nodes():
    first, second = node(), node()
    assert pruned([first, second], [second], None) == [first, second]
    assert pruned([second, first], [second], None) == [second]


def test_an_empty_path_stays_empty():
    assert pruned([], [], None) == []
    assert pairs([]) == text_of([]) == ""


pieces = [
    "[",
    "]",
    ":",
    " ",
    "\n",
    "1",
    "*",
    "[Query 7]:",
    "[Answer 1]:",
    "[Unsolved Query]:",
    "**[Final Content]**:",
    "Answer",
    "query",
]
hostile = st.lists(st.sampled_from(pieces), max_size=12).map("".join)


@given(st.lists(hostile, min_size=1, max_size=3))
def test_whatever_a_passage_says_the_pairs_read_back_as_the_same_queries(answers):
    path = [node(f"What is number {n}?", answer, "completed") for n, answer in enumerate(answers)]
    chain = parse_chain(pairs(path))
    assert [found.query for found in chain.nodes] == [here.query for here in path]
    assert chain.final == ""


def test_pairs_are_on_one_line_without_marks_and_what_is_open_is_unknown():
    path = [node("Who\nis it?", "Ida [2]\n\nRenn", "completed"), node("Where?")]
    assert pairs(path) == "[Query 1]: Who is it?\n[Answer 1]: Ida Renn\n[Query 2]: Where?\n[Answer 2]: unknown"


CITED = Claim("Who?", "Ida Renn", "verified", "supported", (Citation(1, "p", 0, 5, "Orlau"),))
KNOWN = Claim("Where?", "Orlau [1].", "model")
OPEN = Claim("When?", "", "model")


def test_claims_are_written_out_as_sentences_with_their_own_marks_only():
    assert text_of([CITED, KNOWN, OPEN]) == "Who? Ida Renn [1]. Where? Orlau. When? Unknown."


def test_the_last_answer_is_that_of_the_last_claim_that_has_one():
    asked = Question("q", "Who is the mayor?")
    assert last_answer([CITED, OPEN], asked) == ("Ida Renn", "last-claim")
    assert last_answer([OPEN], asked) == last_answer([], asked) == ("", "empty")


def test_claims_are_numbered_along_the_path():
    path = [node(answer="Otto"), node(answer="Ida Renn", origin="verified", words="Ida Renn")]
    assert [[citation.mark for citation in claim.citations] for claim in claims_on(path, None, every_passage=False)] == [
        [],
        [2],
    ]


@pytest.mark.parametrize(
    ("text", "expected", "num_removed"),
    [
        ("Ida Renn [1].", "Ida Renn [1].", 0),
        ("Ida Renn.", "Ida Renn [1].", 0),
        ("Ida Renn [1] of Orlau [2].", "Ida Renn [1] of Orlau.", 0),  # a claim without a citation
        ("Ida Renn [1] of Orlau [4].", "Ida Renn [1] of Orlau.", 1),  # no claim at all
        ("Nobody [9].", "Nobody.", 1),
        ("In [1999] it was so.", "In [1999] it was so.", 0),  # a year is no mark
    ],
)
def test_every_mark_that_stays_resolves_to_a_citation(text, expected, num_removed):
    answer = marked_answer(text, "Ida Renn", "marker", (), (CITED, KNOWN, OPEN), "finished", add_missing=True)
    assert (answer.text, answer.num_marks_removed) == (expected, num_removed)
