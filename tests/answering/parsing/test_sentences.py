"""Sentences are found as spans of the text as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.core.types import Span
from hopweave.text.sentences import first_sentence, sentence_around, sentence_spans

TEXTS = st.one_of(st.text(), st.text('aB. !?\n\r\t"”(é😀\u2028\x85'))


def sentences(text):
    return [text[span.start : span.end] for span in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two? Three!", ["One.", "Two?", "Three!"]),
        ("He lives in St. Kilda. It is far.", ["He lives in St. Kilda.", "It is far."]),
        ("J. R. R. Tolkien wrote. He did.", ["J. R. R. Tolkien wrote.", "He did."]),
        ("😀 One. 𝒳 two.", ["😀 One.", "𝒳 two."]),
        ("  A title\n\nA sentence.  ", ["A title", "A sentence."]),
        ("A title\r\n\r\nA sentence.", ["A title", "A sentence."]),
        ("A line\nbreak.", ["A line\nbreak."]),
        ("Half a \ud83d character. Next.", ["Half a \ud83d character.", "Next."]),
        ("In 1931\u00a0. Quoi\u202f? B\u3000.", ["In 1931\u00a0.", "Quoi\u202f?", "B\u3000."]),
        ("B\x85.é", ["B\x85.é"]),
        ("A. A. A.", ["A. A. A."]),
        ("It is approx. 5 km long. It is far.", ["It is approx. 5 km long.", "It is far."]),
        ("See Vol. 2. It is good.", ["See Vol. 2.", "It is good."]),
        ("It took approx. five years. He left.", ["It took approx. five years.", "He left."]),
        ("Is it? No. 5 came.", ["Is it?", "No. 5 came."]),
        ("The answer is no. It is far.", ["The answer is no.", "It is far."]),
        ("Same. Same. Same.", ["Same.", "Same.", "Same."]),
        ("", []),
        (" \n\n ", []),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text, expected):
    assert sentences(text) == expected


@given(TEXTS)
def test_spans_are_in_order_apart_and_hold_all_that_is_not_white_space(text):
    position, between = 0, ""
    for span in sentence_spans(text):
        assert position <= span.start < span.end
        sentence = text[span.start : span.end]
        assert sentence == sentence.strip()
        between += text[position : span.start]
        position = span.end
    assert not (between + text[position:]).strip()


@given(TEXTS, st.data())
def test_the_sentences_around_a_span_cover_it_and_are_whole(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    around = sentence_around(text, Span(start, end))
    assert around.start <= start
    assert end <= around.end <= len(text)
    spans = sentence_spans(text)
    assert around.start in {start, *(span.start for span in spans)}
    assert around.end in {end, *(span.end for span in spans)}


def test_the_sentences_around_a_span_over_a_boundary_are_both():
    text = "One is here. Two is there. Three."
    assert sentence_around(text, Span(text.index("here"), text.index("Two") + 3)) == Span(0, text.index(" Three"))


def test_a_span_of_white_space_stays_as_it_is():
    assert sentence_around("One.   Two.", Span(5, 6)) == Span(5, 6)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("One. Two.", "One."),
        ("  One without an end", "One without an end"),
        ("The film Dr. No was made in 1962. It was the first.", "The film Dr. No was made in 1962."),
        ("Hurricane No. 1 was formed in 1996. So it was.", "Hurricane No. 1 was formed in 1996."),
        ("So the answer is: J. R. R. Tolkien. He wrote.", "So the answer is: J. R. R. Tolkien."),
        ("Panic! at the Disco is a band. It sings.", "Panic! at the Disco is a band."),
        ("It is 3.5 miles long. That is far.", "It is 3.5 miles long."),
        ("", ""),
        (" \n", ""),
    ],
)
def test_the_first_sentence_is_not_ended_by_a_title_a_number_or_a_mark_in_a_name(text, first):
    assert first_sentence(text) == first
