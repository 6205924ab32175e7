"""Passages know the sections that they are in, whatever the format, and end where long enough sections end."""

from __future__ import annotations

import json

import pytest

from hopweave.core.types import Passage
from hopweave.ingest.document import Blocks, Heading, Part
from hopweave.ingest.read import CorpusOptions, read_corpus
from hopweave.ingest.split import cut_part
from hopweave.retrieval.engines.bm25 import BM25
from hopweave.retrieval.index.passage_rows import passage_of_row, row_of_passage

LAMP = "The lamp is lit at dusk every day."
OIL = "Oil is kept in the lower store of the tower."

HTML = f"<title>Keeper's manual</title><h1>Lamp</h1><p>{LAMP}</p><h2>Oil</h2><p>{OIL}</p><h1>Boats</h1><p>Two boats.</p>"
MARKDOWN = f"---\ntitle: Manual\n---\n\nLamp\n====\n\n{LAMP}\n\n## Oil\n\n{OIL}\n\n# Boats\n\nTwo boats.\n"
RST = f"Manual\n######\n\nLamp\n====\n\n{LAMP}\n\nOil\n---\n\n{OIL}\n\nBoats\n=====\n\nTwo boats.\n"


def written(folder, name, content, **options):
    (folder / name).write_text(content)
    return list(read_corpus([folder / name], options=CorpusOptions(**options)))


@pytest.mark.parametrize(("name", "content"), [("a.html", HTML), ("a.md", MARKDOWN), ("a.rst", RST)])
def test_a_passage_of_a_section_has_its_headings(tmp_path, name, content):
    found = {passage.text: passage.sections for passage in written(tmp_path, name, content, max_words=10)}
    assert [sections for text, sections in found.items() if OIL in text] == [("Lamp", "Oil")]
    assert [sections for text, sections in found.items() if LAMP in text] == [("Lamp",)]


def test_the_title_is_not_repeated_as_a_heading(tmp_path):
    first, second, *_ = written(tmp_path, "a.md", MARKDOWN.replace("title: Manual", ""), max_words=10)
    assert (first.title, first.sections) == ("Lamp", ())
    assert second.heading == "Lamp > Oil"


@pytest.mark.parametrize(
    ("first", "second", "title"),
    [
        ("News of Orla 1.3 (3 May 2021)", "News of Orla 1.2 (1 Oct 2020)", "a"),
        ("12 March 2024, the keepers", "2 April 2024, the keepers", "a"),
        ("Keeping a light in 12 steps", "Oil", "Keeping a light in 12 steps"),
    ],
)
def test_a_heading_of_several_alike_is_a_section_and_no_title(tmp_path, first, second, title):
    passages = written(tmp_path, "a.md", f"# {first}\n\n{LAMP}\n\n# {second}\n\n{OIL}\n", max_words=10)
    [of_oil] = [passage for passage in passages if OIL in passage.text]
    assert (of_oil.title, of_oil.sections) == (title, (second,))


def part_of(*blocks):
    """A part of paragraphs, and headings as `(text, level)`."""
    found = Blocks()
    for block in blocks:
        found.add(block) if isinstance(block, str) else found.add_heading(*block)
    return found.part()


def sections_of(part, max_words):
    return [(part.text[cut.span.start : cut.span.end], cut.sections) for cut in cut_part(part, max_words)]


def test_a_section_that_is_long_enough_ends_its_passage():
    part = part_of(("One", 1), "a b c d.", ("Two", 1), "e f g h.")
    assert sections_of(part, 9) == [("One\n\na b c d.", ("One",)), ("Two\n\ne f g h.", ("Two",))]


def test_short_sections_share_a_passage_under_the_heading_that_they_share():
    part = part_of(
        ("One", 1), "a.", ("Deep", 2), "b.", ("Deeper", 3), "c c c c c.", ("Two", 1), *(["d e f g h i j k l m."] * 4)
    )
    (text, sections), *_ = sections_of(part, 40)
    assert sections == ("One",)
    assert text.endswith("c.")


def test_a_heading_without_text_of_its_own_is_above_what_follows():
    part = part_of(("One", 1), ("Deep", 2), "a b c d e f.")
    assert [sections for _, sections in sections_of(part, 4)][-1] == ("One", "Deep")
    assert sections_of(part, 0) == [(part.text, ("One", "Deep"))]


def test_what_is_above_a_page_is_above_its_passages():
    part = Part("a b.\n\nNext\n\nc d.", (Heading(6, 1, "Next"),), within=("Before",))
    assert [sections for _, sections in sections_of(part, 2)] == [("Before",), ("Before", "Next"), ("Before", "Next")]


def test_a_long_paragraph_in_a_heading_is_text():
    part = part_of(("word " * 100, 1), "a.")
    assert part.headings == ()
    assert part.text.startswith("word word")


def test_no_word_is_lost_or_told_twice_by_cutting():
    part = part_of("p q.", ("One", 1), *(f"a{n} b c d e f g." for n in range(30)), ("Two", 2), ("Three", 3), "z. " * 50)
    for max_words in (1, 3, 7, 20, 1000, 0):
        cut = " ".join(text for text, _ in sections_of(part, max_words))
        assert cut.split() == part.text.split()


def test_an_index_finds_words_of_a_section_and_gives_the_section_back(tmp_path):
    passages = [
        Passage("a#2", "It is kept dry.", "Manual", "a.html", 3, 18, sections=("Lamp", "Oil store")),
        Passage("b", "It is kept dry.", "Other", sections=()),
    ]
    BM25.build(tmp_path / "index", passages)
    retriever = BM25(tmp_path / "index")
    [[hit, *_]] = retriever.search(["where is the oil store"], 2)
    assert hit.passage == passages[0]
    assert hit.passage.heading == "Manual > Lamp > Oil store"


@pytest.mark.parametrize(
    "passage",
    [
        Passage("a", "t"),
        Passage("a", "t", metadata={"k": "v"}),
        Passage("a", "t", sections=("One", "Two")),
        Passage("a", "t", access=("team",), sections=("One",)),
    ],
)
def test_a_stored_passage_is_the_same_again(passage):
    assert passage_of_row(json.loads(json.dumps(row_of_passage(passage)))) == passage
