"""Tables of contents and indexes of text in pages, and lists that only look like them."""

import pytest
from support.readers import without_contents_by_page

TITLES = ("Keeping the lamps", "Drying of oil", "Mooring a boat", "Ropes and knots", "Painting the tower", "Letters home")
FRONT = 2
"""Pages before the first one with a number."""


def document(contents, index=""):
    """A page of contents and an empty one, then pages from 1 on with a section each, then an index."""
    return [contents, "", *(f"{n}. {title}\nText about {title.casefold()}." for n, title in enumerate(TITLES, start=1)), index]


@pytest.mark.parametrize("between", [" ", " . . . . . . ", "......", " ········ "])
def test_a_table_of_contents_is_left_out(between):
    entries = [f"{n}. {title}{between}{n}" for n, title in enumerate(TITLES, start=1)]
    contents = "\n".join(["The light", "Contents", "Preface iv", *entries, "Ada Finch wrote it."])
    assert without_contents_by_page(document(contents))[0].split("\n") == ["The light", *[""] * 8, "Ada Finch wrote it."]


def test_what_stands_apart_above_a_table_of_contents_stays():
    entries = [f"{n}. {title} . . . . {n}" for n, title in enumerate(TITLES, start=1)]
    page = "\n".join(["Chapter 1", "Lights", *entries, "", "It was in May 1871"])
    assert without_contents_by_page(document(page))[0].split("\n") == [
        "Chapter 1",
        "Lights",
        *[""] * len(entries),
        "",
        "It was in May 1871",
    ]


def test_an_entry_of_two_lines_is_left_out_whole():
    entries = [f"{title} of a\nlight in the north . . . . {n}" for n, title in enumerate(TITLES, start=1)]
    pages = document("\n".join(entries))
    pages = [page.replace("Text", "Text of a light in the north") for page in pages]
    assert without_contents_by_page(pages)[0].strip().split("\n")[1:] == []


@pytest.mark.parametrize("between", [", ", " . . . . . "])
def test_an_index_is_left_out(between):
    words = sorted((word, n) for n, title in enumerate(TITLES, start=1) for word in title.split() if len(word) > 2)
    index = "\n".join(f"{word}{between}{n}" for word, n in words * 2)
    assert without_contents_by_page(document("Contents", index))[-1] == ""


@pytest.mark.parametrize(
    "page",
    [
        "Soup .... 5\nSalad .... 6\nPasta .... 9\nFish .... 14\nSteak .... 18\nCake .... 20",  # a list of prices
        "\n".join(f"{title} .... {n * 31}" for n, title in enumerate(TITLES, start=1)),  # amounts
        "\n".join(f"{title} .... 1" for title in TITLES),
        "\n".join(f"{title} .... {7 - n}" for n, title in enumerate(TITLES, start=1)),
        "Keeping the lamps 1\nDrying of oil 2\nMooring a boat 3",  # too few
    ],
)
def test_other_lists_stay(page):
    assert without_contents_by_page(document(page))[0] == page
    assert without_contents_by_page(document("Contents", page))[-1] == page


def test_lines_and_lists_of_any_length_take_no_time():
    pages = ["a " + "." * 100_000 + " b", "\n".join(f"Oil and lamps .... {n // 100}" for n in range(100_000)), "Oil and lamps"]
    assert without_contents_by_page(pages) == pages
