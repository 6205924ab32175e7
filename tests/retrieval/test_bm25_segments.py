from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopweave.core.types import Passage
from hopweave.ingest.intake import Intake
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.retrieval.index import bm25_segments as _bm25_segments
from hopweave.retrieval.index.bm25_segments import AT_ONCE, Segments, num_segments

MERGED = 8


def ends(segments, lengths):
    """After how many passages a segment ends."""
    return [number for number, length in enumerate(lengths, start=1) if segments.is_full(number, length)]


@given(st.integers(1, 700 * AT_ONCE))
def test_all_segments_fit_the_memory_and_find_their_eight_with_at_most_seven_left(num_characters):
    num = num_segments(num_characters)
    assert num_characters <= num * AT_ONCE
    merged = num
    while merged >= MERGED:
        assert merged % MERGED == 0
        merged //= MERGED
    assert merged < MERGED


@given(st.integers(3, 60), st.integers(1000, 3000))
def test_segments_are_of_about_the_same_size_where_it_is_known_how_much_there_will_be(num_at_once, num_passages):
    length = num_at_once * AT_ONCE // num_passages
    segments = Segments(lambda num_added: num_added / num_passages)
    found = ends(segments, [length] * num_passages)
    sizes = [end - begin for begin, end in zip([0, *found], [*found, num_passages], strict=True)]
    assert len(sizes) % MERGED == 0
    assert max(sizes) - min(sizes) <= 2
    assert max(sizes) * length <= AT_ONCE + 2 * length


def test_nothing_is_cut_where_it_is_not_known_how_much_there_will_be():
    assert not ends(Segments(None), [AT_ONCE // 100] * 2000)


def test_what_fits_the_memory_is_one_segment():
    assert not ends(Segments(lambda num_added: num_added / 90), [AT_ONCE // 100] * 90)


def test_a_share_that_leaps_leaves_no_segment_of_a_single_passage():
    shares = iter([0.1] * 100 + [0.9] * 100)
    found = ends(Segments(lambda _: next(shares)), [AT_ONCE // 50] * 200)
    assert all(later - earlier > 50 for earlier, later in pairwise(found))


def test_a_share_that_was_wrong_costs_segments_and_no_passage(tmp_path, monkeypatch):
    monkeypatch.setattr(_bm25_segments, "AT_ONCE", 500)
    monkeypatch.setattr(_bm25_segments, "_KNOWN_AFTER", 50)
    passages = [Passage(f"p{number}", f"word{number} stands here") for number in range(300)]
    for num_passages in (30, 3000):
        summary = BM25.build(tmp_path / "index", iter(passages), num_passages=num_passages)
        assert summary.num_passages == 300
        [[hit]] = BM25(index=tmp_path / "index").search(["word299"], 5)
        assert hit.passage == passages[299]


@pytest.mark.parametrize("is_known", [False, True])
def test_an_index_in_segments_finds_what_one_in_a_single_segment_finds(tmp_path, monkeypatch, is_known):
    passages = [Passage(f"p{number}", f"word{number % 7} and word{number % 11}", f"Title {number}") for number in range(200)]
    BM25.build(tmp_path / "whole", passages)
    monkeypatch.setattr(_bm25_segments, "AT_ONCE", 500)
    monkeypatch.setattr(_bm25_segments, "_KNOWN_AFTER", 50)
    seen = []
    monkeypatch.setattr(Segments, "is_full", _watched(Segments.is_full, seen))
    BM25.build(tmp_path / "cut", passages if is_known else iter(passages))
    assert any(seen) == is_known
    asked = ["word3 word4", "title 17", "word5"]
    whole, cut = (BM25(index=tmp_path / name).search(asked, 20) for name in ("whole", "cut"))
    assert whole == cut


def test_files_are_cut_by_the_share_of_their_bytes_that_was_read(tmp_path, monkeypatch):
    monkeypatch.setattr(_bm25_segments, "AT_ONCE", 500)
    monkeypatch.setattr(_bm25_segments, "_KNOWN_AFTER", 50)
    files = tmp_path / "files"
    files.mkdir()
    for number in range(40):
        Path(files, f"{number}.txt").write_text(f"A text of its own, number {number}, stands in this file.\n" * 3)
    seen = []
    monkeypatch.setattr(Segments, "is_full", _watched(Segments.is_full, seen))
    intake = Intake([files])
    summary = BM25.take_in(tmp_path / "index", intake, update=False, language="english")
    assert summary.num_passages == 40
    assert intake.share_read() == 1
    assert sum(seen) % MERGED == MERGED - 1
    seen.clear()
    Path(files, "41.txt").write_text("One more text. " * 100)
    BM25.take_in(tmp_path / "index", Intake([files], sync=True), update=True)
    assert seen == [False] * len(seen)


def _watched(is_full, seen):
    def watched(self, num_added, num_characters):
        seen.append(is_full(self, num_added, num_characters))
        return seen[-1]

    return watched
