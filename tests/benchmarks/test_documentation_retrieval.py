"""The comparison of retrievers on the documentation ground: its made look-ups, and what counts as found."""

import random
import sys
from pathlib import Path

import pytest

from hopweave.core.types import Hit, Passage

sys.path.append(str(Path(__file__).parents[2] / "benchmarks" / "documentation"))

import compare_retrievers
import look_ups

NUM_PASSAGES = 80


def pages():
    """Passages of three sentences of 20 words, two to a section; a word is in three of them in the mean."""
    draw = random.Random(1)
    for number in range(NUM_PASSAGES):
        sentences = (" ".join(f"w{draw.randrange(1600):04d}x" for _ in range(20)) for _ in range(3))
        text = " ".join(f"{sentence.capitalize()}." for sentence in sentences)
        yield Passage(f"a.html#{number}", text, "Lamps", "a.html", number, number + 1, sections=(f"Lamp {number // 2}",))


def hit(text, source, rank):
    return Hit(Passage(f"{source}-{rank}", text, "", source), 1 / rank, rank)


def asked_of(row, copies=()):
    (asked,) = compare_retrievers.asked_of_ground([{"id": "q", "question": "?", "answers": ["7"], **row}], lambda _: copies)
    return asked


def test_made_look_ups_are_the_same_whatever_the_order_of_the_passages(monkeypatch):
    monkeypatch.setattr(look_ups, "NUM_OF_KIND", 12)
    by_id = {passage.id: passage for passage in pages()}
    made = look_ups.look_ups(by_id.values())
    assert made == look_ups.look_ups([*by_id.values()][::-1])
    of_words, of_headings = ([one for one in made if one.kind == kind] for kind in ("words", "heading"))
    assert len(of_words) == len(of_headings) == 12
    for one in of_words:
        (found,) = one.relevant
        places = [by_id[found].text.lower().index(word) for word in one.query.split()]
        assert len(places) == look_ups.NUM_WORDS
        assert places == sorted(places)
    assert len({one.query for one in of_headings}) == 12
    for one in of_headings:
        assert [f"{by_id[found].sections[-1]} Lamps" for found in one.relevant] == [one.query] * 2


def test_a_look_up_needs_one_of_its_files_and_two_files_both():
    files = {"files": "a.html b.html", "stated": "port 7 | 7 lines"}
    hits = [hit("port 7", "c.html", 1), hit("7 lines", "b.html#2", 2), hit("7 lines", "a.html", 3)]
    look_up, two = (asked_of({"type": type_, "traits": files}) for type_ in ("look_up", "two_files"))
    figures = (compare_retrievers.reciprocal_rank, compare_retrievers.recall, compare_retrievers.all_gold)
    assert [figure(look_up, hits) for figure in figures] == [0.5, 1, 1]
    assert [figure(two, hits) for figure in figures] == [0.5, 0.5, 0]
    late = [hit("", "c.html", rank) for rank in range(1, 6)] + [hit("port 7", "a.html", 6)]
    assert [figure(look_up, late) for figure in figures] == [1 / 6, 0, 0]


def test_a_passage_counts_for_every_file_that_has_its_text():
    row = {"type": "look_up", "traits": {"files": "a.html"}}
    hits = [hit("It is 7.", "b.html", 1)]
    assert compare_retrievers.recall(asked_of(row), hits) == 0
    assert compare_retrievers.recall(asked_of(row, copies=("a.html#4",)), hits) == 1


def test_what_cannot_be_answered_is_not_asked():
    row = {"id": "q", "question": "?", "answers": ["unknown"], "type": "unanswerable", "traits": {}}
    assert list(compare_retrievers.asked_of_ground([row], lambda _: ())) == []


def test_differences_are_from_the_first_retriever_question_by_question():
    asked = [
        compare_retrievers.Asked(str(number), "look-ups", "?", (lambda passage: passage.text == "gold",)) for number in range(4)
    ]
    gold, other = [hit("gold", "a", 1)], [hit("other", "a", 1)]
    found = {"one": [gold, gold, other, other], "two": [gold, gold, gold, other], "three": [other, gold, other, other]}
    rows = [row for row, num in compare_retrievers.compared(asked, found) if num == 4 and row.column == "recall at 5"]
    assert [(row.method, row.baseline) for row in rows] == [("two", "one"), ("three", "one")]
    assert [row.difference for row in rows] == [pytest.approx(0.25), pytest.approx(-0.25)]
    assert [(row.num_wins, row.num_losses) for row in rows] == [(1, 0), (0, 1)]
