"""A raised number is never joined to the number or the name before it."""

import pytest
from support.documents import docx
from support.office import odf, pptx
from support.readers import read_html

from hopweave.ingest.read import read_corpus
from hopweave.ingest.superscripts import raised

RAISED = '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>'


@pytest.mark.parametrize(
    ("before", "text", "shown"),
    [
        ("10", "6", "10⁶"),
        ("10", "-6", "10⁻⁶"),
        ("costs €4.80", "2", "costs €4.80²"),
        ("Kerrow", "12", "Kerrow¹²"),
        ("Kerrow.", "1, 2", "Kerrow.¹, ²"),
        ("40 m", "2", "40 m2"),
        ("per cm", "3", "per cm3"),
        ("21", "st", "21st"),
        ("a", "b2", "ab2"),
    ],
)
def test_numbers_are_raised_but_exponents_of_units(before, text, shown):
    assert before + raised(text, [before]) == shown


def test_superscripts_of_a_page_are_raised():
    page = '<p>It costs 480<sup><a href="#n">2</a></sup>, <b>10<sup>6</sup></b> times, on the 3<sup>rd</sup>.</p>'
    assert read_html(page).parts[0].text == "It costs 480², 10⁶ times, on the 3rd."


def text_in(folder, name, content):
    (folder / name).write_bytes(content)
    [passage] = read_corpus([folder / name])
    return passage.text


def test_superscripts_of_a_docx_are_raised(tmp_path):
    run = "<w:p><w:r><w:t>10</w:t></w:r><w:r>" + RAISED + "<w:t>6</w:t></w:r><w:r><w:t> 7</w:t></w:r></w:p>"
    assert text_in(tmp_path, "a.docx", docx(run)) == "10⁶ 7"


def test_superscripts_of_an_odt_are_raised(tmp_path):
    styles = (
        '<office:automatic-styles xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0">'
        '<style:style style:name="T1"><style:text-properties style:text-position="super 58%"/></style:style>'
        '<style:style style:name="T2"><style:text-properties style:text-position="sub 58%"/></style:style>'
        "</office:automatic-styles>"
    )
    body = '<text:p>10<text:span text:style-name="T1">6</text:span> 7<text:span text:style-name="T2">8</text:span></text:p>'
    assert text_in(tmp_path, "a.odt", odf("text", body, styles=styles)) == "10⁶ 78"


def test_superscripts_of_slides_are_raised(tmp_path):
    runs = "".join(
        f'<a:r><a:rPr baseline="{place}"/><a:t>{text}</a:t></a:r>'
        for place, text in (("0", "10"), ("30000", "6"), ("-25000", "7"))
    )
    assert text_in(tmp_path, "a.pptx", pptx(f"<p:sp><p:txBody><a:p>{runs}</a:p></p:txBody></p:sp>")) == "10⁶7"
