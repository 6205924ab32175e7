"""An answer is cut at its marks and a passage at its quote without losing or inventing a character."""

from __future__ import annotations

from dataclasses import replace

from support.sample_records import LIGHTHOUSE, cite, failed, hostile, searchain, searchain_answer

from hopweave.core.types import Answer, Claim, Passage, Span
from hopweave.show.quoting import Piece, Source, pieces_of, sources_of, split_at_marks


def source(quote: str, focus: str = "") -> Source:
    return Source(cite(1, LIGHTHOUSE, quote, focus), LIGHTHOUSE, "cite-1")


def test_the_pieces_of_a_passage_join_to_the_passage():
    pieces = list(pieces_of(source("It was designed by the engineer Ines Halloran", "Ines")))
    assert "".join(piece.text for piece in pieces) == LIGHTHOUSE.text
    assert [piece.role for piece in pieces] == ["passage", "quote", "focus", "quote", "passage"]
    assert pieces[2] == Piece("Ines", "focus")


def test_a_quote_without_a_focus_is_one_piece():
    assert [piece.role for piece in pieces_of(source("Carrow Head Light"))] == ["quote", "passage"]


def test_a_long_passage_is_cut_around_the_quote_at_spaces():
    around = list(pieces_of(source("first lit in 1874"), max_around=20))
    assert around[0] == Piece("\u2026 Ines Halloran and ", "passage")
    assert around[1].text == "first lit in 1874"
    assert around[2] == Piece(". Its lamp was \u2026", "passage")


def test_a_focus_outside_the_quote_is_kept_inside_it():
    citation = replace(cite(1, LIGHTHOUSE, "Tarn Island"), focus=Span(0, 10_000))
    pieces = list(pieces_of(Source(citation, LIGHTHOUSE, "a")))
    assert "".join(piece.text for piece in pieces) == LIGHTHOUSE.text
    assert Piece("Tarn Island", "focus") in pieces


def test_offsets_beyond_the_passage_do_not_break_the_drawing():
    citation = replace(cite(1, LIGHTHOUSE, "Tarn"), start=5000, end=6000)
    assert [piece.role for piece in pieces_of(Source(citation, LIGHTHOUSE, "a"))] == ["passage"]


def test_a_passage_that_the_record_lacks_leaves_its_quote():
    assert list(pieces_of(replace(source("Tarn Island"), passage=None))) == [Piece("Tarn Island", "quote")]


def test_a_citation_that_several_claims_share_is_listed_once():
    assert [found.citation.mark for found in sources_of(searchain())] == [1, 2, 3]


def test_two_citations_with_one_mark_have_anchors_of_their_own():
    twice = (cite(1, LIGHTHOUSE, "Tarn"), cite(1, LIGHTHOUSE, "Island"))
    record = replace(searchain(), answer=Answer("a [1]", "a", (Claim("q", "a", "verified", "supported", twice),)))
    anchors = [found.anchor for found in sources_of(record)]
    assert len(set(anchors)) == 2


def test_no_answer_has_no_sources():
    assert sources_of(failed()) == ()


def test_a_passage_without_a_title_goes_by_its_id():
    assert Source(cite(1, LIGHTHOUSE, "Tarn"), Passage("lamp-1", LIGHTHOUSE.text), "a").title == "lamp-1"


def test_only_marks_that_a_citation_bears_are_marks():
    pieces = list(split_at_marks("x [1] y [9] [2][3].", searchain_answer()))
    assert pieces == [("x ", None), ("[1]", 1), (" y [9] ", None), ("[2]", 2), ("[3]", 3), (".", None)]


def test_a_number_of_a_thousand_digits_is_no_mark():
    text = f"[{'1' * 5000}] [b]"
    assert list(split_at_marks(text, hostile().answer)) == [(text, None)]


def test_an_empty_text_has_no_pieces():
    assert list(split_at_marks("", searchain_answer())) == []
