"""The headers and footers of pages: the same on most pages, or with the chapter, the section and the number of the page."""

import pytest
from support.readers import without_running_lines

from hopweave.ingest.running_lines import Bookmark

FILLER = (
    "Oil is kept dry.",
    "Boats are moored.",
    "Ropes hang there.",
    "Lamps are lit.",
    "Ada Finch keeps it.",
    "It is cold.",
    "Go.",
    "Stay.",
)


def pages_with(top, bottom, num=6):
    return [f"{top(n)}\n{FILLER[n]}\n{FILLER[n - 1]}\n{bottom(n)}" for n in range(num)]


@pytest.mark.parametrize(
    ("top", "bottom"),
    [
        (lambda n: "The light of Carrow", lambda n: f"{n + 7}"),
        (lambda n: f"Manual 1871 | page {n + 1} of 6", lambda n: "Company confidential"),
        (lambda n: "A manual", lambda n: f"Page no. {n + 1}"),
        (lambda n: "The light" if n % 2 else "A manual", lambda n: f"{n + 1}\n\n(c) 1871"),
    ],
)
def test_headers_and_footers_are_left_out(top, bottom):
    num = 8
    for number, page in enumerate(without_running_lines(pages_with(top, bottom, num))):
        kept = [line for line in page.split("\n") if line]
        own = [FILLER[number], FILLER[number - 1]]
        assert kept == own if number > 1 else set(own) <= set(kept)


def test_the_first_occurrence_of_words_is_kept_but_not_that_of_a_number():
    first, *others = without_running_lines(pages_with(lambda n: "A manual", lambda n: f"- {n + 1} -"))
    assert first == f"A manual\n{FILLER[0]}\n{FILLER[-1]}\n"
    assert not any("manual" in page or "-" in page for page in others)


@pytest.mark.parametrize(
    "pages",
    [
        pages_with(lambda n: "A manual", lambda n: "", num=3),  # too few
        pages_with(lambda n: f"Room {n * n}", lambda n: ""),  # numbers that do not count pages
        [f"A manual\n{line}" if n % 3 == 0 else line for n, line in enumerate(FILLER[:6])],  # a third of the pages
        ["The same."] * 6,  # no other lines
        [f"{'word ' * 40}{n}" + "\n" + FILLER[n] for n in range(6)],
        ["", " ", "", "x", "", ""],
    ],
)
def test_other_lines_stay(pages):
    assert without_running_lines(pages) == pages


BOOKMARKS = [Bookmark(1, "Lamps", 1), Bookmark(2, "Drying", 3), Bookmark(1, "Boats", 5), Bookmark(2, "Ropes", 7)]
CHAPTERS = ["Lamps", "Lamps", "Lamps", "Lamps", "Boats", "Boats", "Boats", "Boats"]
SECTIONS = ["Lamps", "Lamps", "Drying", "Drying", "Boats", "Boats", "Ropes", "Ropes"]


def full_pages(top, bottom=lambda n: "", num_lines=14):
    """Pages with headers, and the headings in their text, below the first line of it."""
    headings = {bookmark.page - 1: f"{n}. {bookmark.title}" for n, bookmark in enumerate(BOOKMARKS, start=1)}
    rest = [
        [
            f"Lamp {n * 97 + k * k} is one of those that stand in the north of the country, and it is not the last one."
            for k in range(num_lines)
        ]
        for n in range(8)
    ]
    return ["\n".join(filter(None, [top(n), FILLER[n], headings.get(n), FILLER[n - 1], *rest[n], bottom(n)])) for n in range(8)]


@pytest.mark.parametrize(
    ("top", "bottom"),
    [
        (lambda n: f"Chapter {n // 4 + 1}: {CHAPTERS[n]} {n + 11}", lambda n: ""),
        (lambda n: f"CHAPTER {n // 4 + 1}. {CHAPTERS[n].upper()} {SECTIONS[n].upper()}", lambda n: ""),
        (lambda n: f"{n + 3} Chapter {n // 4 + 1}. {CHAPTERS[n]}" if n % 2 else f"{SECTIONS[n]} {n + 3}", lambda n: ""),
        (lambda n: CHAPTERS[n], lambda n: f"Version 1.2.3 of May 1, 2002, page {n + 1}"),
    ],
)
def test_headers_that_name_the_chapter_are_left_out(top, bottom):
    first, *others = without_running_lines(full_pages(top, bottom), BOOKMARKS)
    _, *alone = full_pages(lambda n: "")
    assert others == [f"\n{page}\n" if bottom(0) else f"\n{page}" for page in alone]
    assert bottom(0) == "" or first.endswith(bottom(0))


def test_a_header_that_varies_is_left_out_without_bookmarks_but_for_its_first_occurrence():
    pages = without_running_lines(full_pages(lambda n: f"Guide to {CHAPTERS[n]}"))
    assert [page.startswith("Guide") for page in pages] == [True, False, False, False, True, False, False, False]


def test_the_numbers_of_pages_in_roman_and_of_empty_pages_are_left_out():
    pages = [f"{number}\n{page}" for number, page in zip(["i", "ii", *map(str, range(1, 7))], FILLER, strict=True)]
    pages[4] = "3"
    assert without_running_lines(pages) == [f"\n{page}" if n != 4 else "" for n, page in enumerate(FILLER)]


def test_a_heading_at_the_beginning_of_its_page_stays():
    pages = full_pages(lambda n: f"{CHAPTERS[n]} {n + 1}")
    pages[4] = f"2 Boats\n{FILLER[0]}\n{FILLER[1]}"
    assert without_running_lines(pages, BOOKMARKS)[4] == pages[4]


@pytest.mark.parametrize(
    "pages",
    [
        full_pages(lambda n: SECTIONS[n], num_lines=1),  # slides, of which several have the same title
        full_pages(lambda n: f"Invoice no. {n + 101}", lambda n: f"Total: {n + 20}"),
        full_pages(lambda n: f"Of {FILLER[n]}", lambda n: f"{n * n} is a number {n * 7}"),
    ],
)
def test_what_only_looks_like_a_header_stays(pages):
    assert without_running_lines(pages) == pages


def test_what_is_kept_where_it_first_occurs_does_not_keep_what_counts_the_pages():
    pages = pages_with(lambda n: f"A manual\nconfidential\nPage {n + 1} of 6", lambda n: f"Kerrow Ltd\nPage {n + 1} of 6")
    first, *rest = without_running_lines(pages, keep_first=True)
    assert first.split("\n") == ["A manual", "confidential", "", FILLER[0], FILLER[-1], "Kerrow Ltd", ""]
    assert [page.strip() for page in rest] == [f"{FILLER[n]}\n{FILLER[n - 1]}" for n in range(1, 6)]


def test_a_line_that_only_counts_the_pages_is_nowhere_kept():
    pages = pages_with(lambda n: f"Page {n + 1} of 6", lambda n: f"Seite {n + 1}")
    assert [page.strip() for page in without_running_lines(pages, keep_first=True)] == [
        f"{FILLER[n]}\n{FILLER[n - 1]}" for n in range(6)
    ]
