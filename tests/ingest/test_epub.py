"""EPUB: the headings that chapters stand under, their own and those of the table of contents."""

import pytest
from support.corpora import read, written
from support.documents import epub

NAV = (
    "<ol><li><span>Part <b>I</b></span><ol>"
    '<li><a href="../c%201.xhtml#top"><span>The lamp</span></a><ol><li><a href="../c%201.xhtml#oil">Oil</a></li></ol></li>'
    "</ol></li>"
    '<li><a href="../c%203.xhtml">Boats</a></li></ol>'
)


def point(label: str, href: str, inner: str = "") -> str:
    return f'<navPoint><navLabel><text>{label}</text></navLabel><content src="{href}"/>{inner}</navPoint>'


NCX = point("Part I", "", point("The lamp", "c%201.xhtml#top", point("Oil", "c%201.xhtml#oil"))) + point("Boats", "c%203.xhtml")
WORDS = "<p>a b c.</p>"


def sections(folder, *chapters, max_words=200, **contents):
    found = read(written(folder, "a.epub", epub("A book", *chapters, **contents)), max_words=max_words)
    return [passage.sections for passage in found]


@pytest.mark.parametrize("contents", [{"nav": NAV}, {"ncx": NCX}, {"nav": "<ol/>", "ncx": NCX}, {"nav": NAV, "ncx": "<x>"}])
def test_a_chapter_without_a_heading_has_its_name_in_the_table_of_contents(tmp_path, contents):
    assert sections(tmp_path, WORDS, WORDS, WORDS, **contents) == [("Part I", "The lamp")] * 2 + [("Boats",)]


def test_a_chapter_with_a_heading_keeps_it_below_the_parts_of_the_book(tmp_path):
    found = sections(tmp_path, f"<h1>The lamp!</h1>{WORDS}", WORDS, f"<h2>Boats!</h2>{WORDS}", nav=NAV)
    assert found == [("Part I", "The lamp!")] * 2 + [("Boats!",)]


def test_a_chapter_of_several_files_keeps_the_headings_above_it(tmp_path):
    found = sections(
        tmp_path,
        f"<h1>One</h1><h2>Deep</h2>{WORDS}",
        f"{WORDS}<h2>Deeper</h2>{WORDS}",
        f"<h1>Two</h1>{WORDS}",
        max_words=5,
    )
    assert found == [("One", "Deep"), ("One", "Deep"), ("One", "Deeper"), ("Two",)]


@pytest.mark.parametrize("nav", ["<ol><li>", '<ol><li><a href="../c%209.xhtml">x</a></li></ol>', "<ol>&nbsp;</ol>"])
def test_a_table_of_contents_that_is_damaged_or_leads_nowhere_does_not_hurt(tmp_path, nav):
    assert sections(tmp_path, f"<h1>One</h1>{WORDS}", nav=nav) == [("One",)]


def test_a_deep_table_of_contents_has_few_levels(tmp_path):
    nav = "".join(f"<ol><li><span>{number}</span>" for number in range(300)) + '<a href="../c%201.xhtml">x</a>'
    [found] = sections(tmp_path, WORDS, nav=nav + "</li></ol>" * 300)
    assert found == (*map(str, range(7)), "x")
