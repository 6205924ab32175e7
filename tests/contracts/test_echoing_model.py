"""What a model copies from a passage is blunted again before the model is shown it again, in every method of the catalog."""

from __future__ import annotations

from contextlib import suppress
from typing import get_type_hints

import pytest
from support.echo import LIVE, QUESTIONS, REPLIES, live_markers, variants
from support.hostile import MARKERS
from support.parts import METHODS, asks_the_model

from hopweave.core.catalog import entries, load
from hopweave.core.errors import MissingExtra
from hopweave.core.prompt import escape, unescape


def in_turns(form):
    """The form under test again and again, and the others in between, which let a method get further."""
    return lambda turn: REPLIES[form] if turn % 2 else REPLIES[(turn // 2) % len(REPLIES)]


@pytest.mark.parametrize("method", METHODS)
async def test_nothing_that_a_model_copied_from_a_passage_is_a_marker_in_what_it_is_sent(method):
    """A sixth of the forms of reply, for each method others in turn, to questions of each kind, with prefill and without."""
    for form in range(METHODS.index(method) % 6, len(REPLIES), 6):
        for number, question in enumerate(QUESTIONS if form < 2 else [QUESTIONS[form % 3]]):
            prefill = (form // 3 + number) % 2 == 0
            assert await live_markers(method, question, in_turns(form), prefill=prefill) == [], REPLIES[form]


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("question", QUESTIONS, ids=[question.id for question in QUESTIONS])
async def test_so_it_is_with_each_form_for_each_question_with_prefill_and_without(method, question):
    for form in range(len(REPLIES)):
        for prefill in (False, True):
            assert await live_markers(method, question, in_turns(form), prefill=prefill) == [], REPLIES[form]


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
async def test_so_it_is_with_every_option(method):
    """Each option with a third of the forms, in turn."""
    for number, options in enumerate(variants(method)):
        for form in range(number % 3, len(REPLIES), 3):
            with suppress(MissingExtra):
                assert await live_markers(method, QUESTIONS[0], in_turns(form), prefill=True, **options) == [], (
                    options,
                    REPLIES[form],
                )


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
async def test_so_it_is_with_every_option_and_every_form(method):
    for options in variants(method):
        for form in range(len(REPLIES)):
            with suppress(MissingExtra):
                assert await live_markers(method, QUESTIONS[0], in_turns(form), prefill=True, **options) == [], (
                    options,
                    REPLIES[form],
                )


@pytest.mark.slow
@pytest.mark.parametrize("retriever", [name for name in entries("retrievers") if asks_the_model(name)])
@pytest.mark.parametrize("method", ["ircot", "react", "self_ask"])
async def test_so_it_is_where_the_model_writes_the_queries(retriever, method):
    for ranking in ("clean", "faithful") if "ranking" in get_type_hints(load("retrievers", retriever)) else (None,):
        part = load("retrievers", retriever)(**({"ranking": ranking} if ranking else {}))
        for form in range(len(REPLIES)):
            assert await live_markers(method, QUESTIONS[0], in_turns(form), prefill=True, rewrites=part) == [], REPLIES[form]


@pytest.mark.parametrize("method", ["searchain", "self_ask"])
async def test_so_it_is_where_the_model_reads_the_passages(method):
    for form in range(len(REPLIES)):
        reader = load("readers", "llm_reader")()
        assert await live_markers(method, QUESTIONS[0], in_turns(form), prefill=True, reads=reader) == [], REPLIES[form]


@pytest.mark.parametrize("marker", MARKERS)
def test_the_markers_are_some_that_are_blunted(marker):
    assert escape(marker) != marker
    assert unescape(escape(marker)) == marker
    assert not any(pattern.search(escape(marker)) for pattern in LIVE)
