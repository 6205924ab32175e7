"""What charts and diagrams on slides and in documents show: figures as rows, and the words of boxes."""

import pytest
from support.corpora import read, written
from support.documents import docx, paragraph
from support.office import ODF, RELATION, odf, pptx, relating, shape, text_row, with_parts, xlsx


def found(folder, name, content):
    written(folder, name, content)
    return read(folder)


CHART = """<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"
 xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:chart><c:title><a:p><a:r><a:t>Results</a:t></a:r></a:p></c:title>
<c:plotArea>{}<c:catAx><c:title><a:p><a:r><a:t>year</a:t></a:r></a:p></c:title></c:catAx>
<c:valAx><c:title><a:p><a:r><a:t>EUR million</a:t></a:r></a:p></c:title></c:valAx></c:plotArea></c:chart></c:chartSpace>"""


def points(*values):
    return "".join(f'<c:pt idx="{at}"><c:v>{value}</c:v></c:pt>' for at, value in enumerate(values) if value)


def series(name, **parts):
    told = "".join(f"<c:{part}><c:formatCode>0.0</c:formatCode>{points(*values)}</c:{part}>" for part, values in parts.items())
    return f"<c:ser><c:tx>{points(name)}</c:tx>{told}</c:ser>"


BARS = CHART.format(series("Revenue", cat=("2022", "2023"), val=("5.1", "6.35")) + series("Cost", val=("", "4")))
POINTS = CHART.format(series("Wear", xVal=("100", "500"), yVal=("0.2", "0.9")))
ROWS = [
    "Results",
    "year: 2022.0; Revenue (EUR million): 5.1.",
    "year: 2023.0; Revenue (EUR million): 6.4; Cost (EUR million): 4.0.",
]
DIAGRAM = (
    '<d:dataModel xmlns:d="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><d:ptLst>'
    "<d:pt><d:t><a:p><a:r><a:t>Order</a:t></a:r></a:p></d:t></d:pt><d:pt/>"
    "<d:pt><d:t><a:p><a:r><a:t>Pay</a:t></a:r></a:p><a:p><a:r><a:t>at once</a:t></a:r></a:p></d:t></d:pt></d:ptLst>"
    "</d:dataModel>"
)


@pytest.mark.parametrize(
    ("kind", "part", "shown"),
    [
        ("chart", BARS, ROWS),
        ("chart", POINTS, ["Results", "year: 100.0; Wear (EUR million): 0.2.", "year: 500.0; Wear (EUR million): 0.9."]),
        ("diagramData", DIAGRAM, ["Order", "Pay at once"]),
    ],
)
def test_what_a_chart_or_a_diagram_shows_is_on_its_slide(tmp_path, kind, part, shown):
    content = with_parts(
        pptx(shape("The year", kind="title")),
        {"ppt/slides/_rels/s1.xml.rels": relating((kind, "../drawn.xml")), "ppt/drawn.xml": part},
    )
    [passage] = found(tmp_path, "a.pptx", content)
    assert passage.text.split("\n\n") == ["The year", *shown]


def test_what_a_chart_shows_follows_its_paragraph_in_a_document(tmp_path):
    drawing = '<w:p><w:r><w:drawing><c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    drawing += f'xmlns:r="{RELATION}" r:id="c0"/></w:drawing></w:r></w:p>'
    content = with_parts(
        docx(paragraph("Before."), drawing, paragraph("After.")),
        {"word/_rels/document.xml.rels": relating(("chart", "chart1.xml")), "word/chart1.xml": BARS},
    )
    [passage] = found(tmp_path, "a.docx", content)
    assert passage.text.split("\n\n") == ["Before.", *ROWS, "After."]


def test_boxes_with_text_on_a_sheet_stand_at_its_end(tmp_path):
    words = "<a:p><a:r><a:t>Prices</a:t></a:r></a:p><a:p><a:r><a:t>without tax</a:t></a:r></a:p>"
    drawing = '<x:wsDr xmlns:x="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" '
    drawing += f'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><x:sp>{words}</x:sp><x:sp/><x:pic/></x:wsDr>'
    content = with_parts(
        xlsx({"Stock": text_row(1, "item", "price") + text_row(2, "Oil", "12")}),
        {"xl/worksheets/_rels/s1.xml.rels": relating(("drawing", "../drawings/d1.xml")), "xl/drawings/d1.xml": drawing},
    )
    [passage] = found(tmp_path, "a.xlsx", content)
    assert passage.text.split("\n\n")[-1] == "Prices without tax"


def test_the_lines_and_paragraphs_of_a_title_or_a_box_stay_apart(tmp_path):
    lines = "<a:p><a:r><a:t>Results</a:t></a:r></a:p><a:p><a:r><a:t>of</a:t></a:r><a:br/><a:r><a:t>all years</a:t></a:r></a:p>"
    chart = BARS.replace("<a:p><a:r><a:t>Results</a:t></a:r></a:p>", lines)
    content = with_parts(
        pptx(shape("The year", kind="title")),
        {"ppt/slides/_rels/s1.xml.rels": relating(("chart", "../c1.xml")), "ppt/c1.xml": chart},
    )
    [passage] = found(tmp_path, "a.pptx", content)
    assert passage.text.split("\n\n")[1] == "Results of all years"
    content = with_drawing(f"<x:sp>{lines}</x:sp>")
    assert found(tmp_path, "b.xlsx", content)[-1].text.endswith("\n\nResults of all years")


def test_what_a_sheet_shows_in_older_programs_only_is_left_out(tmp_path):
    older = "<x:sp><a:p><a:r><a:t>This shape is a slicer.</a:t></a:r></a:p></x:sp>"
    newer = "<x:sp><a:p><a:r><a:t>Without tax</a:t></a:r></a:p></x:sp>"
    compatible = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    both = f"<mc:Choice>{newer}</mc:Choice><mc:Fallback>{older}</mc:Fallback>"
    both = f"<mc:AlternateContent {compatible}>{both}</mc:AlternateContent>"
    [passage] = found(tmp_path, "a.xlsx", with_drawing(f"{both}{newer.replace('Without', 'Before')}"))
    assert passage.text.split("\n\n")[-2:] == ["Without tax", "Before tax"]


def with_drawing(inner):
    drawing = (
        '<x:wsDr xmlns:x="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" '
        f'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">{inner}</x:wsDr>'
    )
    return with_parts(
        xlsx({"Stock": text_row(1, "item", "price") + text_row(2, "Oil", "12")}),
        {"xl/worksheets/_rels/s1.xml.rels": relating(("drawing", "../drawings/d1.xml")), "xl/drawings/d1.xml": drawing},
    )


def test_a_chart_that_is_missing_leaves_the_slide_readable(tmp_path):
    content = with_parts(
        pptx(shape("The year", kind="title")), {"ppt/slides/_rels/s1.xml.rels": relating(("chart", "../gone.xml"))}
    )
    assert [passage.text for passage in found(tmp_path, "a.pptx", content)] == ["The year"]


def odf_row(*texts):
    cells = "".join(f"<table:table-cell><text:p>{one}</text:p></table:table-cell>" for one in texts)
    return f"<table:table-row>{cells}</table:table-row>"


ODF_CHART = (
    f'<office:document-content {ODF} xmlns:chart="urn:oasis:names:tc:opendocument:xmlns:chart:1.0"><office:body><office:chart>'
    "<chart:chart><chart:title><text:p>Results</text:p></chart:title><chart:plot-area>"
    '<chart:axis chart:dimension="x"><chart:title><text:p>year</text:p></chart:title></chart:axis>'
    '<chart:axis chart:dimension="y"><chart:title><text:p>EUR million</text:p></chart:title></chart:axis></chart:plot-area>'
    f"<table:table>{odf_row('', 'Revenue', 'Cost')}{odf_row(2022, 5.1, '')}{odf_row(2023, 6.4, 4)}</table:table>"
    "</chart:chart></office:chart></office:body></office:document-content>"
)
ODF_ROWS = [
    "Results",
    "year: 2022; Revenue (EUR million): 5.1.",
    "year: 2023; Revenue (EUR million): 6.4; Cost (EUR million): 4.",
]
OBJECT = '<draw:frame><draw:object xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="./Object 1"/></draw:frame>'


@pytest.mark.parametrize(
    ("name", "kind", "inner", "before", "after"),
    [
        ("a.odt", "text", f"<text:p>Before.{OBJECT}</text:p><text:p>After.</text:p>", ["Before."], ["After."]),
        ("a.odp", "presentation", f"<draw:page>{OBJECT}</draw:page>", [], []),
    ],
)
def test_what_a_chart_of_opendocument_shows_is_read(tmp_path, name, kind, inner, before, after):
    content = with_parts(odf(kind, inner), {"Object 1/content.xml": ODF_CHART})
    [passage] = found(tmp_path, name, content)
    assert passage.text.split("\n\n") == [*before, *ODF_ROWS, *after]


def test_an_object_that_is_no_chart_or_is_missing_is_left_out(tmp_path):
    for parts in ({}, {"Object 1/content.xml": f"<office:document-content {ODF}><table:table/></office:document-content>"}):
        [passage] = found(tmp_path, "a.odt", with_parts(odf("text", f"<text:p>Before.{OBJECT}</text:p>"), parts))
        assert passage.text == "Before."


def test_the_words_of_a_chart_of_opendocument_stay_apart_and_where_it_has_its_figures_from_is_not_shown(tmp_path):
    source = "<text:p>Revenue<text:s/>net<text:line-break/>of tax</text:p><draw:g><svg:desc>Sheet1.B2</svg:desc></draw:g>"
    chart = (
        ODF_CHART.replace("<text:p>Results</text:p>", "<text:p>Results</text:p><text:p>of\nall<text:tab/>years</text:p>")
        .replace("<text:p>Revenue</text:p>", source)
        .replace("<office:document-content ", '<office:document-content xmlns:svg="urn:svg" xmlns:draw="urn:draw" ')
    )
    content = with_parts(odf("text", f"<text:p>{OBJECT}</text:p>"), {"Object 1/content.xml": chart})
    [passage] = found(tmp_path, "a.odt", content)
    assert passage.text.split("\n\n")[:2] == [
        "Results of all years",
        "year: 2022; Revenue net of tax (EUR million): 5.1.",
    ]
