"""What of a web page is text: no navigation, the names of columns in every row, terms with what explains them."""

from __future__ import annotations

import time

import pytest
from support.readers import read_document

from hopweave.core.errors import DataError
from hopweave.ingest.read import CorpusOptions, read_corpus

TEXT = "<p>The lamp is lit at dusk, and put out at dawn, by the keeper on watch. Oil is kept below.</p>"
LINKS = "<a href='a.html'>First</a> <a href='b.html'>Second</a>"
INSIDE = "<a href='#a'>One</a><li><a href='#b'>Two</a><li><a href='#c'>Three</a>"


def text_of(page, suffix=".html"):
    return read_document(page, suffix).parts[0].text


ALONE = text_of(TEXT)


@pytest.mark.parametrize(
    "navigation",
    [
        f"<nav>{LINKS}</nav>",
        f"<div role=navigation>{LINKS}</div>",
        "<form role=search>Find a page</form>",
        f"<header>Kerrow Light {LINKS}</header>",
        "<footer>© The keepers</footer>",
        f"<aside>{LINKS}</aside>",
        f"<aside><h3>See</h3><ul><li>{LINKS}</ul></aside>",
        "<div role=contentinfo>© The keepers</div>",
        "<p hidden>Loading</p>",
        "<div aria-hidden=true>×</div>",
        f"<div class='site-nav wide'>{LINKS}</div>",
        f"<ul id=mainMenu><li>{LINKS}</ul>",
        f"<div class=breadcrumbs>You are here: {LINKS}</div>",
        "<div class=navheader><table><tr><td><a href=x>Prev</a><td>Lamps<td><a href=y>Next</a></table></div>",
        "<div class=navfooter><a href=x><img alt=Prev></a><table><tr><td>9. Lamps<td>11. Oil</table><a href=y><img></a></div>",
        "<ul class='docnav top'><li class=previous><a href=x><strong>Zurück</strong></a><li class=next><a href=y>次へ</a></ul>",
        "<div id=footer>Last updated at noon</div>",
        "<div class=cookie-banner>We bake cookies. <button>Fine</button></div>",
        f"<ul><li>{INSIDE}</ul>",
        f"<h2>Contents</h2><ul><li>{INSIDE}</ul>",
        f"<div class=toc><p>Contents</p><ul><li>{INSIDE}</ul></div>",
        "<table><tr><td><a href=x>Previous</a><td><a href=u>Manual</a><td><a href=y>Next page</a></table>",
        "<p><a href=x>Manual</a> &gt; <a href=y>Lamps</a> &gt; <a href=z>Oil</a></p>",
        "<p>Next: <a href=x>Oil</a>, Up: <a href=y>Manual</a> [<a href=z>Index</a>]</p>",
    ],
)
@pytest.mark.parametrize("is_before", [True, False])
def test_navigation_is_left_out(navigation, is_before):
    assert text_of(navigation + TEXT if is_before else TEXT + navigation) == ALONE


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("<header><h1>Kerrow Light</h1></header>", "Kerrow Light"),
        ("<div id=header><h2>NAME</h2><p>lamp</p></div>", "NAME\n\nlamp"),
        ("<article><header>By Ada Finch</header><footer>Written at sea</footer></article>", "By Ada Finch\n\nWritten at sea"),
        ("<section><aside>Mind the step.</aside></section>", "Mind the step."),
        ('<p>Oil.</p><aside epub:type="footnote"><p>Of whales.</p></aside>', "Oil.\n\nOf whales."),
        ('<p>Oil.</p><aside role="doc-footnote">Of whales. <a href="#a">↩\ufe0e</a></aside>', "Oil.\n\nOf whales."),
        ('<p>Oil.</p><footer class="footnotes"><p><a href="#b">^</a> Of whales.</p></footer>', "Oil.\n\nOf whales."),
        ("<aside><h3>Oil</h3><p>Keep it dry.</p></aside>", "Oil\n\nKeep it dry."),
        ("<div class=sidebar>Mind the step, see <a href=x>here</a>.</div>", "Mind the step, see here."),
        ("<div class=table-contents><table><tr><td>a<td>b</table></div>", "a b"),
        ("<section id=navigation><p>Steer by the light.</p></section>", "Steer by the light."),
        ("<p>Use <span class=menuselection>File</span></p>", "Use File"),
        ("<ul><li><a href=x>Ada Finch</a><li><a href=y>Sula</a><li><a href=z>Orlau</a></ul>", "Ada Finch\n\nSula\n\nOrlau"),
        (
            "<ul><li><a href='#x'>Oil</a> burns for a night<li><a href='#y'>Gas</a> for two</ul>",
            "Oil burns for a night\n\nGas for two",
        ),
        ("<p><a href=x>lamp(1)</a>, <a href=y>oil(1)</a>, <a href=z>boat(1)</a></p>", "lamp(1), oil(1), boat(1)"),
        ("<p>The next: <a href=x>boat(1)</a></p>", "The next: boat(1)"),
        ("<div role=tabpanel hidden>For gas lamps</div>", "For gas lamps"),
        (f"<div class=with-toc><main>{LINKS}</main></div>", "First Second"),
        (f"<nav>{LINKS}", "First Second"),
    ],
)
def test_what_only_looks_like_navigation_is_kept(content, text):
    assert text_of(TEXT + content) == f"{ALONE}\n\n{text}"


@pytest.mark.parametrize(
    "page",
    ["<nav><p>Only this</p></nav>", f"<h1>Parts</h1><ul><li>{INSIDE}</ul>", "<div class=footer>Only this, and more</div>a"],
)
def test_a_page_that_would_lose_most_of_its_text_keeps_it(page):
    assert len(text_of(page).split()) == len(
        text_of(page.replace("nav>", "b>").replace("footer", "x").replace("#", "")).split()
    )


def test_headings_in_navigation_are_none_and_links_to_a_heading_are_not_of_it():
    page = f"<nav><h1>Site</h1></nav><h1>Lamps<a class=h href='#l'>¶</a></h1>{TEXT}<h2>3.2. C# <a href='#c'>#</a></h2>{TEXT}"
    page += f"<h2>Wicks<a class=headerlink href='#w'>&#xf0c1;</a></h2>{TEXT}"
    document = read_document(f"{page}<div role=heading aria-level=3>Deep</div>{TEXT}", ".html")
    assert document.title == "Lamps"
    assert [(heading.level, heading.text) for heading in document.parts[0].headings] == [
        (1, "Lamps"),
        (2, "3.2. C#"),
        (2, "Wicks"),
        (3, "Deep"),
    ]
    for heading in document.parts[0].headings:
        assert document.parts[0].text[heading.start :].startswith(heading.text)


# -- tables ------------------------------------------------------------------------------------------------------------

NAMED = "city: Ulm; river: Danube.\n\ncity: Bonn; river: Rhine."
SIMPLE = "==== ======\ncity river\n==== ======\nUlm  Danube\nBonn *Rhi*\n     ne\n==== ======\n"
GRID = """\
+----+-----+
|city|river|
+====+=====+
|Ulm |Dan  |
|    |ube  |
+----+-----+
|all of it |
+----+-----+"""
LISTED = """\
.. list-table:: Cities
   :header-rows: 1

   * - city
     - river
   * - Ulm
     - Da
       nube
"""


@pytest.mark.parametrize(
    ("page", "suffix", "text"),
    [
        ("<table><tr><th>city<th>river<tr><td>Ulm<td>Danube<tr><td>Bonn<td>Rhine</table>", ".html", NAMED),
        (
            "<table><thead><tr><td>city<td>river<tbody><tr><td>Ulm<td><p>Dan-<p>ube</table>",
            ".html",
            "city: Ulm; river: Dan- ube.",
        ),
        (
            "<table><caption>Cities<tr><th>city<th>river<tr><td>Ulm<th>Danube</table>",
            ".html",
            "Cities\n\nriver: Danube; city: Ulm.",
        ),
        ("<table><tr><td>Ulm<td>Danube<tr><td>Bonn<td><p>Rhine<p>Sieg</table>", ".html", "Ulm Danube\n\nBonn\n\nRhine\n\nSieg"),
        ("<table><tr><th>One<tr><td>a<tr><td>b</table>", ".html", "One\n\na\n\nb"),
        (
            "<table><tr><th>a<th>b<tr><td>c<td><table><tr><th>A<th>B<tr><td>1<td>2</table></table>",
            ".html",
            "a b\n\nc\n\nA: 1; B: 2.",
        ),
        ("<table role=presentation><tr><th>a<th>b<tr><td>1<td>2</table>", ".html", "a b\n\n1 2"),
        ("<table><tr><th>a<th>b<tr><td><h2>H</h2><td>2</table>", ".html", "a b\n\nH\n\n2"),
        ("<table><tr><th colspan=2>All<tr><th>a<th>b<tr><td>1<td>2</table>", ".html", "All\n\na: 1; b: 2."),
        (
            "<table><tr><th rowspan=2>City<th colspan=2>Size<tr><th>x<th>y<tr><td rowspan=2>Ulm<td>1<td>2<tr><td>3<tr>"
            "<td colspan=3>South<tr><td>Rom<td colspan=2>big</table>",
            ".html",
            "City: Ulm; Size x: 1; Size y: 2.\n\nCity: Ulm; Size x: 3.\n\nSouth\n\nCity: Rom; Size x: big; Size y: big.",
        ),
        ("| city | river |\n|--|--|\n| Ulm | **Danube** |\n| Bonn | Rhine |\n\nx", ".md", f"{NAMED}\n\nx"),
        ("| | |\n|--|--|\n| Ulm | Danube |", ".md", "Ulm Danube"),
        (SIMPLE, ".rst", NAMED.replace("Rhine", "Rhi ne")),
        (GRID, ".rst", "city: Ulm; river: Dan ube.\n\nall of it"),
        (LISTED, ".rst", "Cities\n\ncity: Ulm; river: Da nube."),
    ],
)
def test_a_row_of_a_table_has_the_names_of_its_columns(page, suffix, text):
    assert text_of(page, suffix) == text


def test_a_table_is_not_made_many_times_longer_by_its_names():
    page = f"<table><tr><th>{'n' * 90}<th>{'b' * 90}" + "<tr><td>x<td>y" * 1_000 + "</table>"
    assert len(text_of(page)) < len(page)
    covering = "<table><tr><th>a<th>b" + f"<tr>{'<td rowspan=100>' + 'x' * 99}" * 500 + "</table>"
    assert len(text_of(covering)) < 20 * len(covering)


# -- terms -------------------------------------------------------------------------------------------------------------


def test_a_term_is_in_one_paragraph_with_what_explains_it():
    page = "<dl><dt>-m<dt>--mainline<dd><p>Says it.</p><p>More.</p><dt>Alone</dl><p>After.</p>"
    assert text_of(page) == "-m\n--mainline\nSays it.\n\nMore.\n\nAlone\n\nAfter."


def test_cutting_does_not_part_a_term_from_what_explains_it(tmp_path):
    options = "".join(f"<dt>--option-{number}</dt><dd><p>It is number {number} of them.</p></dd>" for number in range(30))
    (tmp_path / "a.html").write_text(f"<dl>{options}</dl>")
    passages = list(read_corpus([tmp_path], options=CorpusOptions(max_words=10)))
    assert len(passages) > 10
    for number in range(30):
        assert sum(f"--option-{number}\nIt is number {number} of" in passage.text for passage in passages) == 1


# -- Markdown, titles, time --------------------------------------------------------------------------------------------


def test_headings_of_html_in_markdown_are_headings():
    part = read_document("Before.\n\n<h2 align=center>Lamp</h2>\n\nAfter.", ".md").parts[0]
    assert [(heading.text, part.text[heading.start :]) for heading in part.headings] == [("Lamp", "Lamp\n\nAfter.")]


@pytest.mark.parametrize(
    ("title", "heading", "shown"),
    [
        ("lamp(1)", "lamp(1) Manual Page", "lamp(1) > OPTIONS"),
        ("mod_lamp - Beacon Server 2", "Beacon Module mod_lamp", "mod_lamp - Beacon Server 2 > OPTIONS"),
        ("Lamps — Beacon documentation", "Lamps", "Lamps — Beacon documentation > OPTIONS"),
        ("Kerrow Light", "How to light it", "Kerrow Light > How to light it > OPTIONS"),
        ("News of Lamp 3.2.7", "News of Lamp 3.2.3", "News of Lamp 3.2.7 > News of Lamp 3.2.3 > OPTIONS"),
        ("News of Lamp 3.2.7 - Lamp 3", "News of Lamp 3.2.7", "News of Lamp 3.2.7 - Lamp 3 > OPTIONS"),
        ("Lamps of Kerrow", "2. Lamps of Kerrow", "Lamps of Kerrow > OPTIONS"),
    ],
)
def test_a_heading_that_repeats_the_title_is_no_section(tmp_path, title, heading, shown):
    (tmp_path / "a.html").write_text(f"<title>{title}</title><h1>{heading}</h1><h2>OPTIONS</h2>{TEXT}")
    assert [passage.heading for passage in read_corpus([tmp_path])] == [shown]


PIECES = [
    *(
        "<nav>",
        "<ul><li>",
        "<table>",
        "<table><tr><td>",
        "<tr>",
        "<th rowspan=9>a",
        "<td colspan=99>",
        "<dl><dt>a",
        "<dt>a<dd>",
        "<ol><li>",
        "<ol start=2><li>a</li>",
    ),
    *("<a href=#>a", "<a href='x'>next</a>", "<p><a href=x>a</a>|", "<div class=toc>", "<h1>a", "<div role=heading>a", "a=' "),
]


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("start", ["", "<table><tr><th>a<th>b<tr><td>"])
def test_the_time_for_a_page_grows_with_its_length_and_not_faster(piece, start):
    def seconds(number: int) -> float:
        began = time.process_time()
        text_of(start + piece * number + "</a></td></ul></table></dl></div>x")
        return time.process_time() - began

    # A bound that time that grows with the square, 64 times as much, would break by far.
    assert any(
        seconds(8_000) < 32 * max(seconds(1_000), 0.004) for _ in range(3)
    )  # garbage of other tests may be collected meanwhile


@pytest.mark.parametrize("piece", ["+-+\n", "=== ===\n", "=== ===\n\n", "+-+\n| |\n", ".. list-table::\n   * - a\n"])
def test_the_time_for_tables_of_restructured_text_does_so_too(piece):
    def seconds(number: int) -> float:
        began = time.process_time()
        text_of(piece * number + "+ x", ".rst")
        return time.process_time() - began

    assert any(
        seconds(16_000) < 32 * max(seconds(2_000), 0.004) for _ in range(3)
    )  # garbage of other tests may be collected meanwhile


ARCHIVE = """From: <Saved by a browser>
Subject: =?utf-8?Q?The_light_of_=C3=84rrow?=
MIME-Version: 1.0
Content-Type: multipart/related; type="text/html"; boundary="----x"

------x
Content-Type: text/html
Content-Transfer-Encoding: quoted-printable
Content-Location: https://example.org/light

<html><body><nav><a href=3D"/">Home</a></nav><h1>The light</h1><p>It was lit in 1843, at =C3=84rrow.</p></body></html>
------x
Content-Type: image/png
Content-Transfer-Encoding: base64

iVBORw0KGgo=
------x--
"""


@pytest.mark.parametrize("suffix", [".mht", ".mhtml"])
def test_a_page_that_was_saved_as_one_file_is_read_as_a_page(tmp_path, suffix):
    (tmp_path / f"a{suffix}").write_text(ARCHIVE)
    [passage] = read_corpus([tmp_path])
    assert passage.text == "The light\n\nIt was lit in 1843, at Ärrow."
    assert passage.title == "The light"


def test_such_a_page_without_a_title_has_that_of_the_file(tmp_path):
    (tmp_path / "a.mhtml").write_text(ARCHIVE.replace("<h1>The light</h1>", ""))
    assert [passage.title for passage in read_corpus([tmp_path])] == ["The light of Ärrow"]


def test_a_page_of_such_a_file_may_be_missing(tmp_path):
    (tmp_path / "a.mhtml").write_text(ARCHIVE.replace("text/html", "text/css"))
    with pytest.raises(DataError, match=r"a\.mhtml holds no text; leave it out"):
        list(read_corpus([tmp_path]))


def test_the_titles_of_drawings_are_none_of_the_page():
    document = read_document("<title>Order form</title><p>It is lit.</p><svg><title>Map</title></svg>", ".html")
    assert (document.title, document.parts[0].text) == ("Order form", "It is lit.")
