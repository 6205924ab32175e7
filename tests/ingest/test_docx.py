"""DOCX: which paragraphs are headings, and what becomes of tables."""

import pytest
from support.corpora import read, refused, written
from support.documents import docx, paragraph

from hopweave.ingest.office_tables import Table

STYLES = "".join(
    f'<w:style w:type="paragraph" w:styleId="{identity}"><w:name w:val="{name}"/>{more}</w:style>'
    for identity, name, more in [
        ("Titel", "Title", ""),
        ("berschrift1", "heading 1", '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>'),
        ("berschrift2", "heading 2", ""),
        ("Kapitel", "Kapitel", '<w:basedOn w:val="berschrift1"/>'),
        ("Fliess", "Fliess", '<w:basedOn w:val="berschrift1"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr>'),
        ("Eigen", "Eigen", '<w:pPr><w:outlineLvl w:val="1"/></w:pPr>'),
        ("Kreis", "Kreis", '<w:basedOn w:val="Kreis2"/>'),
        ("Kreis2", "Kreis2", '<w:basedOn w:val="Kreis"/>'),
        ("Alt", "Alt", '<w:pPr><w:pPrChange><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:pPrChange></w:pPr>'),
        ("Verzeichnis1", "toc 1", ""),
    ]
)


def levelled(text: str, properties: str) -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def sections_of_last(folder, *body, styles=STYLES):
    """The headings of the last paragraph, which is long enough for a passage of its own."""
    content = docx(paragraph("A book", "Title"), *body, paragraph("word " * 40), styles=styles)
    [*_, last] = read(written(folder, "a.docx", content), max_words=40)
    return last.sections


@pytest.mark.parametrize("style", ["berschrift1", "Kapitel", "Heading1", "Heading9", "heading 3"])
def test_a_heading_is_told_by_its_style_whatever_the_language(tmp_path, style):
    assert sections_of_last(tmp_path, paragraph("One", style)) == ("One",)


@pytest.mark.parametrize("style", ["Fliess", "Kreis", "Alt", "unknown", "", "Heading0"])
def test_other_styles_are_text(tmp_path, style):
    assert sections_of_last(tmp_path, paragraph("One", style)) == ()


def test_levels_come_from_styles_and_from_paragraphs(tmp_path):
    second = levelled("Second", '<w:pStyle w:val="berschrift1"/><w:outlineLvl w:val="1"/>')
    third = levelled("Third", '<w:outlineLvl w:val="2"/>')
    assert sections_of_last(tmp_path, paragraph("One", "berschrift1"), second, third) == ("One", "Second", "Third")
    assert sections_of_last(tmp_path, second, paragraph("Own", "Eigen")) == ("Own",)
    plain = levelled("Plain", '<w:pStyle w:val="berschrift1"/><w:outlineLvl w:val="9"/>')
    assert sections_of_last(tmp_path, plain, styles=STYLES) == ()


def test_a_style_before_a_tracked_change_does_not_count(tmp_path):
    changed = '<w:pPrChange><w:pPr><w:pStyle w:val="berschrift1"/><w:outlineLvl w:val="0"/></w:pPr></w:pPrChange>'
    assert sections_of_last(tmp_path, levelled("One", changed)) == ()


def test_the_title_has_a_style_of_that_name_and_a_table_of_contents_is_left_out(tmp_path):
    content = docx(
        paragraph("Mein Buch", "Titel"), paragraph("One 3", "Verzeichnis1"), paragraph("Text.", "Kreis"), styles=STYLES
    )
    [passage] = read(written(tmp_path, "a.docx", content))
    assert (passage.title, passage.text) == ("Mein Buch", "Mein Buch\n\nText.")


def test_a_heading_in_a_cell_is_its_text(tmp_path):
    assert sections_of_last(tmp_path, f"<w:tbl>{row(paragraph('One', 'Heading1'))}</w:tbl>") == ()


def row(*cells: str, properties: str = "") -> str:
    inner = "".join(f"<w:tc>{cell if cell.startswith('<') else paragraph(cell)}</w:tc>" for cell in cells)
    return f"<w:tr>{properties}{inner}</w:tr>"


def cell(text: str, properties: str) -> str:
    return f"<w:tcPr>{properties}</w:tcPr>{paragraph(text)}"


HEADER = "<w:trPr><w:tblHeader/></w:trPr>"


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([row("city", "metres"), row("Ulm", "161"), row("Köln", "157")], "city: Ulm; metres: 161.\n\ncity: Köln; metres: 157."),
        ([row("city", "river", properties=HEADER), row("Ulm", "Danube")], "city: Ulm; river: Danube."),
        ([row("Name", "Ada Finch"), row("Born", "Orlau")], "Name Ada Finch\n\nBorn Orlau"),
        ([row("a", "b", properties=HEADER)], "a b"),
        (
            [row("town", "2023", "2024"), row("Ulm", "12", "13"), row("Orlau", "5", "6")],
            "town: Ulm; 2023: 12; 2024: 13.\n\ntown: Orlau; 2023: 5; 2024: 6.",
        ),
        (
            [row("keeper", "light"), row(cell("Finch", '<w:vMerge w:val="restart"/>'), "7"), row(cell("", "<w:vMerge/>"), "9")],
            "keeper: Finch; light: 7.\n\nkeeper: Finch; light: 9.",
        ),
        (
            [row("a", "b", "c"), row(cell("wide", '<w:gridSpan w:val="2"/>'), "last")],
            "a: wide; c: last.",
        ),
        ([row("a", f"<w:tbl>{row('in', 'ner')}</w:tbl>")], "a in ner"),
        ([row("", "")], ""),
    ],
)
def test_each_row_of_a_table_has_the_names_of_its_columns(tmp_path, rows, text):
    content = docx(paragraph("x"), f"<w:tbl>{''.join(rows)}</w:tbl>", paragraph("y"))
    [passage] = read(written(tmp_path, "a.docx", content))
    assert passage.text == "\n\n".join(filter(None, ["x", text, "y"]))


def test_names_repeated_in_too_many_rows_are_beyond_the_limit(tmp_path):
    names = [f"{number} " + "n" * 90 for number in range(20)]
    rows = row(*names, properties=HEADER) + row(*"abcdefghijklmnopqrst") * 1_000
    written(tmp_path, "a.docx", docx(f"<w:tbl>{rows}</w:tbl>"))
    assert "the text of a.docx is longer than 1 MiB" in refused(tmp_path, match="a.docx", max_row_mib=1)


def test_a_long_cell_is_neither_a_name_nor_repeated_below():
    table = Table()
    table.add({0: "long " * 100, 1: "b"}, is_header=True)
    assert table.above(0) == ""
    table.add({0: "x", 1: "y"})
    assert list(table.texts()) == ["long " * 100 + "b", "x y"]


def level(at: int, form: str, text: str, more: str = "") -> str:
    return f'<w:lvl w:ilvl="{at}">{more}<w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'


STEPS = level(0, "decimal", "%1.") + level(1, "lowerLetter", "(%2)") + level(2, "bullet", "-")
FIRST = '<w:start w:val="4"/><w:pStyle w:val="Heading1"/>'
ARTICLES = level(0, "upperRoman", "Art. %1", FIRST) + level(1, "decimal", "%1.%2")
ANEW = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
NUMBERING = (
    f'<w:abstractNum w:abstractNumId="7">{STEPS}</w:abstractNum><w:abstractNum w:abstractNumId="8">{ARTICLES}</w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>'
    f'<w:num w:numId="3"><w:abstractNumId w:val="7"/>{ANEW}</w:num><w:num w:numId="4"><w:abstractNumId w:val="99"/></w:num>'
)
NUMBERED = (
    '<w:style w:styleId="Heading1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr></w:style>'
    '<w:style w:styleId="Sub"><w:basedOn w:val="Heading1"/></w:style>'
)


def item(text: str, at: int | str, of: int, style: str = "") -> str:
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return levelled(text, f'{named}<w:numPr><w:ilvl w:val="{at}"/><w:numId w:val="{of}"/></w:numPr>')


STEP, OIL, WATER = item("Fill", 0, 1), item("oil", 1, 1), item("water", 1, 1)
LISTS = {
    "a list goes on after a paragraph": ([STEP, paragraph("At night"), STEP], "1. Fill|At night|2. Fill"),
    "a list within an item begins anew": ([STEP, OIL, WATER, STEP, OIL], "1. Fill|(a) oil|(b) water|2. Fill|(a) oil"),
    "a list may begin anew": ([STEP, item("Light", 0, 3), item("Write", 0, 3)], "1. Fill|1. Light|2. Write"),
    "bullets and unknown lists": ([item("oil", 2, 1), item("x", 0, 4), item("y", 0, 98), item("z", "x", 1)], "oil|x|y|1. z"),
    "an empty item": ([item("", 0, 1), STEP], "2. Fill"),
    "cells": (
        [f"<w:tbl><w:tr><w:tc>{STEP}{item('', 0, 1)}{STEP}</w:tc><w:tc>{OIL}</w:tc></w:tr></w:tbl>", STEP],
        "1. Fill 3. Fill (a) oil|4. Fill",
    ),
    "headings": (
        [paragraph("Scope", "Heading1"), item("What", 1, 2), paragraph("Terms", "Sub"), item("None", 0, 0, "Heading1")],
        "Art. IV Scope|IV.1 What|Art. V Terms|None",
    ),
}


@pytest.mark.parametrize("which", LISTS)
def test_numbered_paragraphs_begin_with_their_numbers(tmp_path, which):
    body, text = LISTS[which]
    content = docx(*body, numbering=NUMBERING, styles=NUMBERED)
    [passage] = read(written(tmp_path, "a.docx", content))
    assert passage.text.split("\n\n") == text.split("|")


def test_a_tracked_change_of_a_number_and_a_document_without_lists_number_nothing(tmp_path):
    before = levelled("Fill", '<w:pPrChange><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:pPrChange>')
    [passage] = read(written(tmp_path, "a.docx", docx(before, numbering=NUMBERING)))
    assert passage.text == "Fill"
    [passage] = read(written(tmp_path, "b.docx", docx(item("Light", 0, 1))))
    assert passage.text == "Light"


def test_hidden_text_is_left_out_and_a_hyphen_that_does_not_break_is_one(tmp_path):
    hidden = (
        '<w:r><w:rPr><w:vanish/></w:rPr><w:t>not shown</w:t></w:r><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t> is</w:t></w:r>'
    )
    (tmp_path / "a.docx").write_bytes(docx(f"<w:p><w:r><w:t>X</w:t><w:noBreakHyphen/><w:t>ray</w:t></w:r>{hidden}</w:p>"))
    assert [passage.text for passage in read(tmp_path)] == ["X-ray is"]


def box(*paragraphs: str) -> str:
    """A text box, as programs write it: once more for older ones."""
    content = f"<w:txbxContent>{''.join(paragraphs)}</w:txbxContent>"
    older = f"<mc:Fallback><w:pict>{content}</w:pict></mc:Fallback>"
    declared = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    return f"<w:r><mc:AlternateContent {declared}><mc:Choice>{content}</mc:Choice>{older}</mc:AlternateContent></w:r>"


def run(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def texts(folder, *body: str, **parts: str) -> list[str]:
    [passage] = read(written(folder, "a.docx", docx(*body, **parts)))
    return passage.text.split("\n\n")


def test_a_text_box_follows_its_paragraph_and_does_not_divide_it(tmp_path):
    around = f"<w:p>{run('The pump ')}{box(paragraph('Draft,'), paragraph('May'))}{run('runs at 40 bar.')}</w:p>"
    assert texts(tmp_path, around, paragraph("Next.")) == ["The pump runs at 40 bar.", "Draft,", "May", "Next."]
    alone = f"<w:p>{box(paragraph('Draft'))}</w:p>"
    assert texts(tmp_path, paragraph("First."), alone, paragraph("Next.")) == ["First.", "Draft", "Next."]


def test_a_heading_with_a_text_box_is_a_heading_and_the_box_has_headings_and_a_title_of_its_own(tmp_path):
    heading = f'<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr>{box(paragraph("Draft"))}{run("Pumps")}</w:p>'
    assert sections_of_last(tmp_path, heading) == ("Pumps",)
    assert sections_of_last(tmp_path, f"<w:p>{run('x')}{box(paragraph('Pumps', 'Heading1'), paragraph('y'))}</w:p>") == (
        "Pumps",
    )
    content = docx(f"<w:p>{box(paragraph('A manual', 'Title'))}</w:p>", paragraph("x"))
    assert [passage.title for passage in read(written(tmp_path, "b.docx", content))] == ["A manual"]


def test_a_text_box_in_a_cell_ends_its_text_and_a_table_in_a_text_box_is_one(tmp_path):
    with_box = f"<w:p>{run('60 bar')}{box(paragraph('in'), paragraph('winter'))}</w:p><w:p>{run('more')}</w:p>"
    rows = [row("pump", "bar", "oil"), row("P8", "40", "1"), row("P9", with_box, "2")]
    told = ["pump: P8; bar: 40; oil: 1.", "pump: P9; bar: 60 bar in winter more; oil: 2."]
    assert texts(tmp_path, f"<w:tbl>{''.join(rows)}</w:tbl>") == told
    rows[-1] = row("P9", "60 bar in winter more", "2")
    inner = f"<w:tbl>{''.join(rows)}</w:tbl>{paragraph('Below')}"
    assert texts(tmp_path, f"<w:p>{run('Pumps ')}{box(inner)}{run('of 1890.')}</w:p>") == ["Pumps of 1890.", *told, "Below"]


def test_a_text_box_within_one_is_part_of_it_and_one_in_deleted_text_is_left_out(tmp_path):
    nested = f"<w:p>{run('outer')}{box(paragraph('inner'))}</w:p>"
    first, *others = texts(tmp_path, f"<w:p>{run('Text.')}{box(nested, paragraph('last'))}</w:p>")
    assert (first, others[-1], sum("inner" in text for text in others)) == ("Text.", "last", 1)
    deleted = f"<w:p>{run('Text.')}<w:del>{box(paragraph('gone'))}</w:del></w:p>"
    assert texts(tmp_path, deleted) == ["Text."]


def test_numbers_in_a_text_box_count_once(tmp_path):
    around = f"<w:p>{run('Steps:')}{box(STEP, STEP)}</w:p>"
    assert texts(tmp_path, around, STEP, numbering=NUMBERING) == ["Steps:", "1. Fill", "2. Fill", "3. Fill"]
