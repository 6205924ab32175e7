"""Passages that begin within a table know what stands above it."""

import pytest

from hopweave.ingest.document import Heading, Part
from hopweave.ingest.split import cut_part


def rows(name, num=12):
    return [f"item: {name} {at}; 2023: {at}; 2024: {at + 7}." for at in range(num)]


def sections(*paragraphs, headings=()):
    text = "\n\n".join(paragraphs)
    told = tuple(Heading(text.index(one), 1, one) for one in headings)
    return [(cut.sections, text[cut.span.start : cut.span.end].split("\n\n")[0]) for cut in cut_part(Part(text, told), 40)]


@pytest.mark.parametrize(
    "caption", ["All figures in EUR thousand.", "Table 2: Sales by town", "(in millions, except per share)"]
)
def test_a_passage_that_begins_within_a_table_is_below_its_caption(caption):
    first, *others = sections("It was a good year for all of us.", caption, *rows("lamp"))
    assert first[0] == ()
    assert others
    assert all(above == (caption,) and begun.startswith("item: lamp") for above, begun in others)


def test_a_note_at_the_foot_of_a_page_is_no_caption_of_the_table_on_the_next_one():
    for note in ("² NQ, in the form of 2019", "¹¹We count in pairs, as is said in the log."):
        found = sections("It was a good year for all of us.", note, *rows("lamp"))
        assert {above for above, begun in found[1:] if begun.startswith("item: lamp")} == {()}


def test_a_line_between_rows_is_above_those_that_follow():
    found = sections("Table 1", *rows("lamp"), "Costs", *rows("oil"))
    assert {above for above, begun in found if begun.startswith("item: oil")} == {("Table 1", "Costs")}
    assert {above for above, begun in found[1:] if begun.startswith("item: lamp")} == {("Table 1",)}


def test_the_caption_of_a_table_ends_with_it():
    after = "Nothing else was counted in that year, as far as anybody knows, and nobody has asked since then. " * 3
    found = sections("Table 1", *rows("lamp"), after.strip(), *rows("oil"))
    assert {above for above, begun in found if not begun.startswith("item: lamp")} == {()}


def test_passages_of_rows_alone_know_the_caption_below_their_table():
    below = "Table 3: Lamps that were counted."
    first, *others = sections("It was a good year.", *rows("lamp"), f"{below} So it was.", "Then all was over for good.")
    assert first[0] == ()
    assert others
    assert [above for above, begun in others if begun.startswith("item: lamp")] == [(below,), ()]  # the last has it in its text


def test_what_stands_above_the_first_group_of_rows_is_not_above_the_second():
    found = sections("It was a good year for all of us.", "Assets", *rows("lamp"), "Liabilities", *rows("oil"))
    assert {above for above, begun in found if begun.startswith("item: oil")} == {("Liabilities",)}


def test_a_group_below_a_title_is_replaced_by_the_next_group():
    found = sections("Balance sheet", "Assets", *rows("lamp"), "Liabilities", *rows("oil"))
    assert {above for above, begun in found if begun.startswith("item: oil")} == {("Balance sheet", "Liabilities")}


def test_a_heading_is_no_caption_and_ends_one():
    found = sections("Table 1", *rows("lamp"), "Oil", *rows("oil"), headings=["Oil"])
    assert {above for above, begun in found if begun.startswith("item: oil")} == {("Oil",)}


def test_a_table_that_fits_has_its_caption_in_its_text():
    assert sections("Table 1", *rows("lamp", 2)) == [((), "Table 1")]


def test_the_caption_of_another_table_with_a_number_is_not_below_that_of_the_table_before():
    found = sections("Table 1. Lamps", *rows("lamp"), "Table 2. Oil", *rows("oil"))
    assert {above for above, begun in found if begun.startswith("item: oil")} == {("Table 2. Oil",)}
