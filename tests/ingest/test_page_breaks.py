"""Sentences that go on over the end of a page."""

import pytest
from support.readers import with_whole_sentences

LINE = "The keeper of the light of Carrow was an engineer\nand a captain"


@pytest.mark.parametrize(
    ("before", "after", "moved"),
    [
        ("who had come from the town of", "Sula in May. He stayed.", "Sula in May."),
        ("who had come from the town", "of Sula. He stayed.", "of Sula."),
        ("who had come from Sula, a har-", "bour in the\nnorth. He stayed.", "bour in the\nnorth."),
        ("who had come from the north,", "Ada Finch wrote. He stayed.", "Ada Finch wrote."),
        ("der mit dem ersten Boot in der", "Stadt ankam. Er blieb.", "Stadt ankam."),
        ("who had come from “the great", "north.” He stayed.", "north.”"),
    ],
)
def test_a_sentence_stands_whole_on_the_page_that_it_begins_on(before, after, moved):
    pages = with_whole_sentences([f"{LINE} {before}", f"{after}\nThe end."])
    assert pages == [f"{LINE} {before}\n{moved}", f"{after[len(moved) :].lstrip()}\nThe end."]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("who had come from the town of Sula.", "then he stayed. He did."),  # it ended
        ("who had come from the town of Sula:", "oil and lamps. He did."),
        ("\nOil", "lamps are lit. He did."),  # a short line
        ("who had come from the town Sula", "Oil is kept dry. He did."),  # another paragraph
        ("who had come from the town of", "- a lamp. He did."),
        ("who had come from the town of", "sula\n\nIn May. He stayed."),  # nothing ends there
        ("who had come from the town of", "a\nb\nc\nd\ne. He stayed."),
        ("call the_light(of, the, town, of,", "sula);\nreturn;\nIt is. He stayed."),
        ("", "in May. He stayed."),
        ("who had come from the town of", ""),
    ],
)
def test_other_pages_stay(before, after):
    pages = [f"{LINE} {before}" if before else "", f"{after}\nThe end." if after else ""]
    assert with_whole_sentences(pages) == pages


def test_a_heading_is_not_the_rest_of_a_sentence():
    pages = [f"{LINE} who had come from the town of", "oil is dry. He stayed."]
    assert with_whole_sentences(pages, lambda number: number == 2) == pages
    assert with_whole_sentences(pages, lambda number: number == 1) != pages
