"""Slides, sheets and OpenDocument files: their text, the places that citations name, and files made to harm."""

import pytest
from support.corpora import read, refused, written
from support.documents import zipped
from support.office import cell, odf, pptx, shape, text_row, xlsx

from hopweave.core.types import Passage


def found(folder, name, content, **options):
    written(folder, name, content)
    return read(folder, **options)


def test_slides_are_places_under_their_titles_with_notes_at_the_end(tmp_path):
    first = shape("The lamp is lit.", "Oil burns.") + shape("Lamp", kind="title") + shape("7", kind="sldNum")
    content = pptx(first, shape("No title."), "", notes=shape("Say this.", kind="body") + shape("1", kind="sldNum"))
    assert found(tmp_path, "a.pptx", content) == [
        Passage("a.pptx#1", "Lamp\n\nThe lamp is lit.\n\nOil burns.\n\nSay this.", "Lamp", "a.pptx#slide=1", 0, 45),
        Passage("a.pptx#2", "No title.", "Lamp", "a.pptx#slide=2", 0, 9),
    ]


def test_the_title_of_a_slide_is_its_section(tmp_path):
    content = pptx(shape("A talk", kind="ctrTitle"), shape("Oil", kind="title") + shape("It burns."))
    assert [p.sections for p in found(tmp_path, "a.pptx", content)] == [(), ("Oil",)]


def test_a_table_on_a_slide_has_the_names_of_its_columns_in_each_row(tmp_path):
    def row(*texts):
        cells = "".join(f"<a:tc{more}><a:txBody><a:p><a:r><a:t>{t}</a:t></a:r></a:p></a:txBody></a:tc>" for t, more in texts)
        return f"<a:tr>{cells}</a:tr>"

    rows = (
        row(("keeper", ""), ("light", "")) + row(("Finch", ' rowSpan="2"'), ("old", "")) + row(("", ' vMerge="1"'), ("new", ""))
    )
    content = pptx(f'<p:graphicFrame><a:tbl><a:tblPr firstRow="1"/>{rows}</a:tbl></p:graphicFrame>' + shape("After."))
    [passage] = found(tmp_path, "a.pptx", content)
    assert passage.text == "keeper: Finch; light: old.\n\nkeeper: Finch; light: new.\n\nAfter."


def test_sheets_are_places_and_rows_have_the_names_of_their_columns(tmp_path):
    rows = (
        text_row(1, "Lights of the north")
        + f'<row r="3">{cell("A3", "0", "s")}{cell("B3", "1", "s")}{cell("C3", "lit", "str")}</row>'
        + f'<row r="4">{cell("A4", "Carrow Head", "str")}{cell("B4", "41.5")}{cell("C4", "26665", style=1)}</row>'
        + f'<row r="5">{cell("A5", "Kerrow", "str")}{cell("C5", "1", "b")}</row>'
    )
    content = xlsx({"Lights": rows, "Sheet2": text_row(1, "alone")}, strings=["light", "metres"], formats=["d mmm yyyy"])
    first, second = found(tmp_path, "a.xlsx", content)
    assert first.text == (
        "Lights of the north\n\nlight: Carrow Head; metres: 41.5; lit: 1 Jan 1973.\n\nlight: Kerrow; lit: TRUE."
    )
    assert (first.source, first.title, first.sections) == ("a.xlsx#sheet=Lights", "a", ("Lights", "Lights of the north"))
    assert (second.source, second.text, second.sections) == ("a.xlsx#sheet=Sheet2", "alone", ())


@pytest.mark.parametrize(
    ("rows", "texts"),
    [
        (
            [(1, "name", "town", "post"), (2, "Ada", "Orlau", "keeper"), (4, "Ida", "Sula", "cook")],
            ["name: Ada; town: Orlau; post: keeper.", "name: Ida; town: Sula; post: cook."],
        ),
        ([(1, "Name", "Ada"), (2, "Born", "Orlau")], ["Name Ada", "Born Orlau"]),
        (
            [(1, "name", "town"), (2, "Ada", "7"), (4, "Boats"), (5, "boat", "length"), (6, "Tern", "9")],
            ["name: Ada; town: 7.", "Boats", "boat: Tern; length: 9."],
        ),
    ],
)
def test_empty_rows_separate_tables_and_names_go_on_over_them(tmp_path, rows, texts):
    content = xlsx({"Sheet1": "".join(text_row(*row) for row in rows)})
    [passage] = found(tmp_path, "a.xlsx", content)
    assert passage.text.split("\n\n") == texts


def test_a_merged_cell_stands_in_each_of_its_rows(tmp_path):
    rows = text_row(1, "keeper", "light", "day") + text_row(2, "Finch", "old", "x") + text_row(3, "", "new", "y")
    content = xlsx({"Sheet1": rows}, more='<mergeCells><mergeCell ref="A2:A3"/><mergeCell ref="B1:C1"/></mergeCells>')
    [passage] = found(tmp_path, "a.xlsx", content)
    assert passage.text.endswith("keeper: Finch; light: new; day: y.")


PARAGRAPHS = (
    '<text:table-of-content><text:p>Lamp 3</text:p></text:table-of-content><text:h text:outline-level="1">Lamp</text:h>'
    '<text:p>It<text:s text:c="3"/>is<text:tab/>lit<text:span>.</text:span>'
    "<text:note><text:note-citation>1</text:note-citation>"
    "<text:note-body><text:p>By oil.</text:p></text:note-body></text:note> Always."
    "<office:annotation><text:p>Really?</text:p></office:annotation></text:p>"
    "<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>"
    '<text:h text:outline-level="2">Oil</text:h>'
)


def odf_row(*texts, more="", kind="table-cell"):
    cells = "".join(f"<table:{kind}><text:p>{text}</text:p></table:{kind}>" for text in texts)
    return f"<table:table-row{more}>{cells}</table:table-row>"


def test_an_odt_becomes_the_text_that_a_reader_sees_under_its_headings(tmp_path):
    header = f"<table:table-header-rows>{odf_row('keeper', 'light')}</table:table-header-rows>"
    table = f"<table:table>{header}{odf_row('Finch', 'old')}</table:table>"
    [passage] = found(tmp_path, "a.odt", odf("text", f"{PARAGRAPHS}{table}", title="A manual"))
    assert passage.text == "Lamp\n\nIt is lit. Always.\n\nBy oil.\n\nNote: Really?\n\nOil\n\nkeeper: Finch; light: old."
    assert (passage.title, passage.source, passage.sections) == ("A manual", "a.odt", ("Lamp",))


STYLE = "urn:oasis:names:tc:opendocument:xmlns:style:1.0"
LIST_STYLES = (
    f'<office:automatic-styles xmlns:style="{STYLE}"><text:list-style style:name="L">'
    '<text:list-level-style-number text:level="1" style:num-format="1"/>'
    '<text:list-level-style-number text:level="2" style:num-format="a" text:start-value="3"/>'
    '</text:list-style><text:list-style style:name="N"><text:list-level-style-number text:level="1" style:num-format="1"/>'
    '<text:list-level-style-number text:level="2" style:num-format="1" text:display-levels="2"/></text:list-style>'
    '<text:list-style style:name="B"><text:list-level-style-bullet text:level="1"/>'
    '<text:list-level-style-number text:level="2" style:num-format=""/></text:list-style></office:automatic-styles>'
)


def odf_list(*items, style="L", more=""):
    named = f' text:style-name="{style}"' if style else ""
    return f"<text:list{named}{more}>{''.join(items)}</text:list>"


def odf_item(text, inner="", more=""):
    said = f"<text:p>{text}</text:p>" if text is not None else ""
    return f"<text:list-item{more}>{said}{inner}</text:list-item>"


FILL, LIGHT = odf_item("Fill"), odf_item("Light")
ODT_LISTS = {
    "a list, with a second paragraph": (
        odf_list(odf_item("Fill", "<text:p>at dusk</text:p>"), LIGHT) + "<text:p>At night</text:p>",
        "1. Fill|at dusk|2. Light|At night",
    ),
    "two lists of a style": (odf_list(FILL) + odf_list(LIGHT), "1. Fill|1. Light"),
    "a list that goes on": (
        odf_list(FILL) + "<text:p>x</text:p>" + odf_list(LIGHT, more=' text:continue-numbering="true"'),
        "1. Fill|x|2. Light",
    ),
    "a list that goes on with a certain one": (
        odf_list(FILL, FILL, more=' xml:id="one"') + odf_list(FILL) + odf_list(LIGHT, more=' text:continue-list="one"'),
        "1. Fill|2. Fill|1. Fill|3. Light",
    ),
    "a list within an item has its style": (
        odf_list(odf_item("Fill", odf_list(odf_item("oil"), odf_item("water"), style="")), LIGHT),
        "1. Fill|c. oil|d. water|2. Light",
    ),
    "a number shows those above it": (
        odf_list(FILL, odf_item("Light", odf_list(odf_item("oil"), style="")), style="N"),
        "1. Fill|2. Light|2.1. oil",
    ),
    "an item in which a list comes first": (odf_list(odf_item(None, odf_list(odf_item("oil"), style=""))), "c. oil"),
    "an item with another number": (
        odf_list(FILL, odf_item("Light", more=' text:start-value="7"'), FILL),
        "1. Fill|7. Light|8. Fill",
    ),
    "bullets, no numbers and unknown styles": (
        odf_list(odf_item("Fill", odf_list(LIGHT, style="")), style="B") + odf_list(FILL, style="X") + odf_list(FILL, style=""),
        "Fill|Light|Fill|Fill",
    ),
    "a header of a list, and an empty item": (
        odf_list("<text:list-header><text:p>Steps</text:p></text:list-header>", odf_item(""), FILL),
        "Steps|2. Fill",
    ),
    "a heading": (odf_list('<text:list-item><text:h text:outline-level="1">Fill</text:h></text:list-item>'), "1. Fill"),
    "a note with a list": (
        odf_list(odf_item(f"Fill<text:note><text:note-body>{odf_list(LIGHT)}</text:note-body></text:note>"), FILL),
        "1. Fill|Light|2. Fill",
    ),
    "a cell": (
        "<table:table><table:table-row><table:table-cell>"
        f"{odf_list(FILL, LIGHT)}</table:table-cell></table:table-row></table:table>",
        "1. Fill 2. Light",
    ),
    "what was deleted": (f"<text:tracked-changes>{odf_list(FILL)}</text:tracked-changes>{odf_list(LIGHT)}", "1. Light"),
}


@pytest.mark.parametrize("which", ODT_LISTS)
def test_items_of_an_odt_keep_their_numbers(tmp_path, which):
    inner, text = ODT_LISTS[which]
    [passage] = found(tmp_path, "a.odt", odf("text", inner, styles=LIST_STYLES))
    assert passage.text.split("\n\n") == text.split("|")


OUTLINE_STYLE = (
    f'<office:styles xmlns:style="{STYLE}"><text:outline-style style:name="Outline">'
    '<text:outline-level-style text:level="1" style:num-format="I" style:num-prefix="Part " style:num-suffix=":"/>'
    '<text:outline-level-style text:level="2" style:num-format="1" text:start-value="4"/>'
    '<text:outline-level-style text:level="3" style:num-format="a" text:display-levels="2"/>'
    '<text:outline-level-style text:level="4" style:num-format=""/></text:outline-style></office:styles>'
)


def odf_heading(text, level, more=""):
    return f'<text:h text:outline-level="{level}"{more}>{text}</text:h>'


LIGHT_PART, OIL = odf_heading("Light", 1), odf_heading("Oil", 2)
ODT_HEADINGS = {
    "each level has its numbers and its style": (
        LIGHT_PART + OIL + OIL + odf_heading("Lamp", 3),
        "Part I: Light|4 Oil|5 Oil|5.a Lamp",
    ),
    "a level begins anew below the next higher one": (
        LIGHT_PART + OIL + LIGHT_PART + OIL,
        "Part I: Light|4 Oil|Part II: Light|4 Oil",
    ),
    "a level without a number": (LIGHT_PART + odf_heading("Lamp", 4), "Part I: Light|Lamp"),
    "a level above that the document does not have": (odf_heading("Lamp", 3), "4.a Lamp"),
    "a heading that is to have none": (
        odf_heading("Light", 1, ' text:is-list-header="true"') + LIGHT_PART,
        "Light|Part I: Light",
    ),
    "a heading that begins anew": (
        LIGHT_PART + odf_heading("Light", 1, ' text:restart-numbering="true" text:start-value="9"') + LIGHT_PART,
        "Part I: Light|Part IX: Light|Part X: Light",
    ),
    "an empty heading": (LIGHT_PART + odf_heading("", 1) + LIGHT_PART, "Part I: Light|Part III: Light"),
    "a heading in a list": (odf_list(f"<text:list-item>{OIL}</text:list-item>"), "1. Oil"),
}


@pytest.mark.parametrize("which", ODT_HEADINGS)
def test_headings_of_an_odt_keep_their_numbers(tmp_path, which):
    inner, text = ODT_HEADINGS[which]
    styles = LIST_STYLES
    passages = found(tmp_path, "a.odt", odf("text", inner, styles=styles, named_styles=OUTLINE_STYLE))
    assert [line for passage in passages for line in passage.text.split("\n\n")] == text.split("|")


def test_sections_have_the_numbers_of_headings_and_titles_do_not(tmp_path):
    inner = LIGHT_PART + OIL + "<text:p>It burns.</text:p>"
    [passage] = found(tmp_path, "a.odt", odf("text", inner, named_styles=OUTLINE_STYLE))
    assert (passage.title, passage.sections) == ("Light", ("Part I: Light", "4 Oil"))


def test_numbered_lists_on_slides_keep_their_numbers(tmp_path):
    steps = odf_list(FILL, odf_item("Light", odf_list(odf_item("oil"), style="")))
    frame = f'<draw:frame presentation:class="outline"><draw:text-box>{steps}</draw:text-box></draw:frame>'
    page = f'<draw:page draw:name="one">{frame}{frame}</draw:page>'
    [slide] = found(tmp_path, "a.odp", odf("presentation", page, styles=LIST_STYLES))
    assert slide.text.split("\n\n") == ["1. Fill", "2. Light", "c. oil"] * 2


def test_a_style_with_a_name_stands_in_a_part_of_its_own(tmp_path):
    [passage] = found(tmp_path, "a.odt", odf("text", odf_list(FILL), named_styles=LIST_STYLES))
    assert passage.text == "1. Fill"


def test_sheets_of_an_ods_are_places_and_empty_rows_without_number_take_no_time(tmp_path):
    empty = '<table:table-row table:number-rows-repeated="16777216"><table:table-cell table:number-columns-repeated="16384"/>'
    spanned = (
        '<table:table-row><table:table-cell table:number-rows-spanned="2"><text:p>Finch</text:p></table:table-cell>'
        "<table:table-cell><text:p>3</text:p></table:table-cell></table:table-row>"
        "<table:table-row><table:covered-table-cell/><table:table-cell><text:p>4</text:p></table:table-cell></table:table-row>"
    )
    rows = odf_row("keeper", "lights") + spanned + odf_row("Renn", "5", more=' table:number-rows-repeated="2"')
    sheet = f'<table:table table:name="Lights">{rows}{empty}</table:table-row></table:table>'
    [passage] = found(tmp_path, "a.ods", odf("spreadsheet", sheet))
    expected = [("Finch", 3), ("Finch", 4), ("Renn", 5), ("Renn", 5)]
    assert passage.text.split("\n\n") == [f"keeper: {keeper}; lights: {number}." for keeper, number in expected]
    assert passage.source == "a.ods#sheet=Lights"


PRESSURES = odf_row("Pump", "Oil", "Pressure") + odf_row("P8", "12 l", "40 bar")
WITH_PRESSURES = ["Pump: P8; Oil: 12 l; Pressure: 40 bar.", "Pump: P9; Oil: 15 l; Pressure: 60 bar."]


def ods_with(more, in_cell):
    """Two sheets, with something before the rows of the first, and before the text of its last cell."""
    last = odf_row("P9", "15 l", "60 bar").replace("<text:p>60", f"{in_cell}<text:p>60")
    sheet = f'<table:table table:name="Pumps">{more}{PRESSURES}{last}</table:table>'
    return odf("spreadsheet", sheet + f'<table:table table:name="Lamps">{odf_row("1", "2")}</table:table>')


@pytest.mark.parametrize("shape", ["frame", "custom-shape", "rect", "ellipse", "line", "connector", "caption", "path"])
def test_what_is_drawn_on_a_sheet_of_an_ods_stands_at_its_end_and_in_no_cell(tmp_path, shape):
    box = f"<draw:{shape}>{{}}</draw:{shape}>"
    on_sheet = box.format("<draw:text-box><text:p>Draft,</text:p><text:p>May<text:line-break/>2024</text:p></draw:text-box>")
    in_cell = box.format("<text:p>not in winter</text:p>") + "<office:annotation><text:p>Really?</text:p></office:annotation>"
    content = ods_with(f"<table:shapes><draw:g>{on_sheet}{box.format('<text:p/>')}</draw:g></table:shapes>", in_cell)
    [first, second] = found(tmp_path, "a.ods", content)
    assert first.text.split("\n\n") == [*WITH_PRESSURES, "Draft, May 2024", "not in winter", "Note on P9: Really?"]
    assert (second.source, second.text) == ("a.ods#sheet=Lamps", "1 2")


def test_a_shape_without_text_leaves_a_cell_of_several_paragraphs_of_an_ods_as_it_is(tmp_path):
    content = ods_with("<table:shapes><draw:rect/></table:shapes>", "<draw:line/><text:p>up to</text:p>")
    assert found(tmp_path, "a.ods", content)[0].text.split("\n\n") == [
        WITH_PRESSURES[0],
        "Pump: P9; Oil: 15 l; Pressure: up to 60 bar.",
    ]


FOOTNOTE = "<text:note><text:note-citation>1</text:note-citation><text:note-body>{}</text:note-body></text:note>"


def test_a_footnote_in_a_cell_of_an_odt_follows_the_table(tmp_path):
    note = FOOTNOTE.format("<text:p>Not in winter.</text:p><text:p>See May.</text:p>")
    table = f"<table:table>{PRESSURES}{odf_row('P9', '15 l', f'60 bar{note}')}</table:table>"
    [passage] = found(tmp_path, "a.odt", odf("text", f"{table}<text:p>End.</text:p>"))
    assert passage.text.split("\n\n") == [*WITH_PRESSURES, "Not in winter.", "See May.", "End."]


def test_a_text_box_in_a_cell_of_an_odt_is_in_the_cell_and_a_table_in_a_footnote_or_a_text_box_is_one(tmp_path):
    box = "<draw:frame><draw:text-box>{}</draw:text-box></draw:frame>"
    rows = [odf_row("light", "metres"), odf_row("Kerrow", "30")]
    [passage] = found(
        tmp_path, "a.odt", odf("text", f"<table:table>{odf_row(box.format('<text:p>in</text:p>'), 'b')}</table:table>")
    )
    assert passage.text == "in b"
    table = f"<table:table>{''.join(rows)}</table:table>"
    for around in (box, FOOTNOTE):
        [passage] = found(tmp_path, "a.odt", odf("text", f"<text:p>Lights{around.format(table)} of 1890.</text:p>"))
        assert passage.text == "light: Kerrow; metres: 30.\n\nLights of 1890."


def test_a_line_of_the_file_is_no_line_of_a_paragraph(tmp_path):
    [passage] = found(tmp_path, "a.odt", odf("text", "<text:p>The pump\nruns at\n  40<text:line-break/>\nbar.</text:p>"))
    assert passage.text == "The pump runs at 40\nbar."


def test_slides_of_an_odp_are_places_under_their_titles(tmp_path):
    def frame(text, kind=""):
        return f'<draw:frame presentation:class="{kind}"><draw:text-box><text:p>{text}</text:p></draw:text-box></draw:frame>'

    notes = f"<presentation:notes>{frame('Say this.', 'notes')}{frame('1', 'page-number')}</presentation:notes>"
    pages = (
        f"<draw:page>{frame('It is lit.')}{frame('Lamp', 'title')}{frame('x', 'footer')}{notes}</draw:page>"
        f"<draw:page>{frame('More.')}</draw:page>"
    )
    first, second = found(tmp_path, "a.odp", odf("presentation", pages))
    assert (first.text, first.source, first.title) == ("Lamp\n\nIt is lit.\n\nSay this.", "a.odp#slide=1", "Lamp")
    assert (second.text, second.source) == ("More.", "a.odp#slide=2")


NAMES = text_row(1, *("n" * 90 + str(number) for number in range(20)))
MANY = ' table:number-rows-repeated="999"'
COLE = b"\xd0\xcf\x11\xe0"
BAD = {
    "a workbook under a password": (
        "a.xlsx",
        COLE + bytes(600) + "EncryptedPackage".encode("utf-16-le"),
        "is encrypted; save it",
    ),
    "a document of an older format": ("a.docx", COLE + bytes(600), "is of an older format"),
    "an ODF under a password": (
        "a.odt",
        odf("text", "", manifest="<m:file-entry><m:encryption-data/></m:file-entry>"),
        "is encrypted; save it without a password",
    ),
    "a cut presentation": ("a.pptx", pptx(shape("x"))[:-40], "is damaged"),
    "a sheet that is missing": ("a.xlsx", xlsx({"A": ""}).replace(b"worksheets/s1.xml", b"worksheets/s2.xml"), "is damaged"),
    "another zip": ("a.odt", zipped({"a.txt": "x"}), "is damaged"),
    "a workbook without text": ("a.xlsx", xlsx({"A": '<row r="1"/>' * 50_000}), "holds no text"),
    "a shared text that swells": (
        "a.xlsx",
        xlsx({"A": "".join(f'<row r="{n}">{cell(f"A{n}", "0", "s")}</row>' for n in range(1, 200))}, strings=["x" * 9_000]),
        "is longer than 1 MiB",
    ),
    "names that swell": (
        "a.xlsx",
        xlsx({"A": NAMES + "".join(text_row(n, *"12345678901234567890") for n in range(2, 900))}),
        "is longer than 1 MiB",
    ),
    "repeated rows that swell": (
        "a.ods",
        odf("spreadsheet", f"<table:table>{odf_row('x' * 90_000, more=MANY)}</table:table>"),
        "is longer than 1 MiB",
    ),
    "entities": (
        "a.ods",
        zipped({"content.xml": '<!DOCTYPE w [<!ENTITY a "ha">]><w/>'}),
        "declares entities of XML",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_file_that_is_encrypted_or_damaged_or_means_harm_is_a_bad_file(tmp_path, case):
    name, content, message = BAD[case]
    assert message in refused(written(tmp_path, name, content), match=name, max_row_mib=1)


def test_numbered_paragraphs_of_slides_keep_their_numbers(tmp_path):
    def text(*paragraphs: tuple[str, str], styles: str = "") -> str:
        inner = "".join(f"<a:p><a:pPr {more}<a:r><a:t>{said}</a:t></a:r></a:p>" for said, more in paragraphs)
        return f"<p:sp><p:txBody><a:lstStyle>{styles}</a:lstStyle>{inner}</p:txBody></p:sp>"

    one, letter = '><a:buAutoNum type="arabicPeriod"/></a:pPr>', 'lvl="1"><a:buAutoNum type="alphaLcParenR"/></a:pPr>'
    four, plain = '><a:buAutoNum type="romanUcPeriod" startAt="4"/></a:pPr>', '><a:buChar char="*"/></a:pPr>'
    content = pptx(
        text(
            ("Open the valve.", one),
            ("Slowly.", letter),
            ("By hand.", letter),
            ("", one),
            ("Light the lamp.", one),
            ("Wait.", letter),
        )
        + text(("Oil.", four), ("Wick.", four), ("Mind the wind.", plain), ("Glass.", four))
        + text(
            ("A.", "/>"),
            ("B.", "/>"),
            ("C.", plain),
            ("D.", "/>"),
            styles='<a:lvl1pPr><a:buAutoNum type="arabicPlain"/></a:lvl1pPr>',
        )
    )
    [passage] = found(tmp_path, "a.pptx", content)
    assert passage.text.split("\n\n") == [
        *("1. Open the valve.", "a. Slowly.", "b. By hand.", "2. Light the lamp.", "a. Wait."),
        *("IV. Oil.", "V. Wick.", "Mind the wind.", "IV. Glass."),
        *("1. A.", "2. B.", "C.", "1. D."),
    ]


@pytest.mark.parametrize(
    "given", ['type=""', "", 'type="arabicPeriod" startAt="-1"', 'type="arabicPeriod" startAt="99999999999"']
)
def test_a_number_of_a_slide_that_says_nothing_of_itself_is_a_plain_one(tmp_path, given):
    shaped = (
        f"<p:sp><p:txBody><a:p><a:pPr lvl='x'><a:buAutoNum {given}/></a:pPr><a:r><a:t>Oil.</a:t></a:r></a:p></p:txBody></p:sp>"
    )
    [passage] = found(tmp_path, "a.pptx", pptx(shaped))
    assert passage.text == "1. Oil."


def test_numbers_within_a_cell_of_a_slide_count_in_it_alone(tmp_path):
    step = '<a:p><a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr><a:r><a:t>{}</a:t></a:r></a:p>'
    cells = "".join(
        f"<a:tc><a:txBody>{step.format(said)}{step.format('Wait.')}</a:txBody></a:tc>" for said in ("Oil.", "Wick.")
    )
    [passage] = found(tmp_path, "a.pptx", pptx(f"<p:graphicFrame><a:tbl><a:tr>{cells}</a:tr></a:tbl></p:graphicFrame>"))
    assert passage.text == "1. Oil. 2. Wait. 1. Wick. 2. Wait."
