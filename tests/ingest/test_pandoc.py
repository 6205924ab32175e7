"""Markup is read through pandoc; without it as plain text, if it is that."""

import sys

import pytest
from support.corpora import read, refused, written

from hopweave.ingest import pandoc
from hopweave.ingest.formats import MARKUP_SUFFIXES
from hopweave.ingest.reasons import Reason
from hopweave.ingest.tally import Tally

needs_pandoc = pytest.mark.skipif(pandoc._converter() is None, reason="pandoc is not installed")

ASCIIDOC = """= Ferry handbook
:price: €4.80

== Fares

A single crossing costs {price}.

[cols="1,1",options="header"]
|===
|class |price
|adult |4.80
|child |2.10
|===
"""
ORG = """#+TITLE: Ferry handbook
* Fares
A single crossing costs /€4.80/.[fn:1]

* Sailings
At six.

[fn:1] Children pay half.
"""
LATEX = r"""\documentclass{article}
\usepackage{x}
\title{Ferry handbook}
\newcommand{\price}{€4.80}
\begin{document}
\maketitle
\section{Fares}
A single crossing costs \price{}.\footnote{Children pay half.} % a comment

\section{Sailings}
At six.
\end{document}
"""
TEXTILE = "h1. Fares\n\nA single crossing costs *€4.80*.\n"
DOCBOOK = (
    '<?xml version="1.0"?><article xmlns="http://docbook.org/ns/docbook"><title>Ferry handbook</title>'
    "<section><title>Fares</title><para>A single crossing costs <emphasis>€4.80</emphasis>.</para></section></article>"
)
COSTS = "A single crossing costs €4.80."


@pytest.fixture
def without_pandoc(monkeypatch):
    monkeypatch.setattr(pandoc, "_converter", lambda: None)


def test_every_format_of_markup_has_a_name_that_pandoc_knows():
    assert pandoc.INPUT.keys() == MARKUP_SUFFIXES


@needs_pandoc
@pytest.mark.parametrize(
    ("name", "content", "title"),
    [
        ("a.adoc", ASCIIDOC, "Ferry handbook"),
        ("a.asciidoc", ASCIIDOC, "Ferry handbook"),
        ("a.org", ORG, "Ferry handbook"),
        ("a.tex", LATEX, "Ferry handbook"),
        ("a.textile", TEXTILE, "Fares"),
        ("a.dbk", DOCBOOK, "Ferry handbook"),
    ],
)
def test_markup_has_a_title_sections_and_no_markup(tmp_path, name, content, title):
    written(tmp_path, name, content)
    passages = read(tmp_path, max_words=8)
    [fares] = [passage for passage in passages if COSTS in passage.text]
    assert fares.title == title
    assert fares.sections == (("Fares",) if title != "Fares" else ())
    assert not any(mark in "".join(passage.text for passage in passages) for mark in ("==", "*", "\\", "<", "{", "↩"))


@needs_pandoc
@pytest.mark.parametrize(("name", "content"), [("a.org", ORG), ("a.tex", LATEX)])
def test_a_footnote_of_markup_stands_in_the_section_that_refers_to_it(tmp_path, name, content):
    written(tmp_path, name, content)
    [note] = [passage for passage in read(tmp_path, max_words=8) if "Children pay half." in passage.text]
    assert note.sections == ("Fares",)


@needs_pandoc
def test_rows_of_a_table_of_markup_have_the_names_of_its_columns(tmp_path):
    written(tmp_path, "a.adoc", ASCIIDOC)
    assert "class: child; price: 2.10." in read(tmp_path)[0].text


@needs_pandoc
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tex", "\\input{secret}Text."),
        ("a.adoc", "include::secret.tex[]\n\nText."),
        ("a.org", '#+INCLUDE: "secret.tex"\nText.'),
    ],
)
def test_nothing_that_markup_names_is_opened(tmp_path, monkeypatch, name, content):
    (tmp_path / "b").mkdir()
    (tmp_path / "secret.tex").write_text("hidden words")
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "b", name, content)
    [passage] = read(tmp_path / "b")
    assert "Text." in passage.text
    assert "hidden words" not in passage.text


@needs_pandoc
def test_what_pandoc_cannot_read_is_plain_text_and_nothing_is_lost(tmp_path):
    written(tmp_path, "a.tex", "\\section{Fares} {\\begin{tabular} €4.80")
    assert "€4.80" in read(tmp_path)[0].text


def test_what_takes_pandoc_too_long_is_plain_text(tmp_path, monkeypatch):
    slow = tmp_path / "slow"
    slow.write_text(f"#!{sys.executable}\nimport time\ntime.sleep(60)\n")
    slow.chmod(0o755)
    monkeypatch.setattr(pandoc, "_converter", lambda: str(slow))
    written(tmp_path, "a.org", ORG)
    [passage] = read(tmp_path / "a.org", max_seconds=2)
    assert "/€4.80/" in passage.text


@pytest.mark.usefixtures("without_pandoc")
def test_without_pandoc_markup_is_plain_text_and_xml_says_what_to_install(tmp_path):
    assert "[fn:1] Children pay half." in read(written(tmp_path, "a.org", ORG))[0].text
    refused(
        written(tmp_path, "a.dbk", DOCBOOK),
        match=r"a\.dbk needs pandoc to be read; install it with: pip install 'hopweave\[pandoc\]'",
    )
    tally = Tally()
    read(tmp_path, tally=tally, lenient=True)
    assert [one.kind for one in tally.unread] == [Reason.NEEDS_LIBRARY]
