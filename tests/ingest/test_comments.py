"""Comments of readers in documents, sheets and slides are paragraphs that say who wrote them."""

import pytest
from support.corpora import read
from support.documents import docx
from support.office import odf, pptx, relating, shape, text_row, with_parts, xlsx

_S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_P = (
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
)
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def paragraphs(tmp_path, name: str, content: bytes) -> list[str]:
    (tmp_path / name).write_bytes(content)
    return "\n\n".join(passage.text for passage in read(tmp_path / name)).split("\n\n")


def test_a_comment_on_a_document_follows_its_paragraph(tmp_path):
    marked = '<w:p><w:r><w:t>The rent is 900.</w:t></w:r><w:r><w:commentReference w:id="3"/></w:r></w:p>'
    comment = '<w:comment w:id="3" w:author="Ada Finch"><w:p><w:r><w:t>Raise it?</w:t></w:r></w:p></w:comment>'
    content = docx(marked, "<w:p><w:r><w:t>Notice is three months.</w:t></w:r></w:p>")
    content = with_parts(content, {"word/comments.xml": f"<w:comments {_W}>{comment}</w:comments>"})
    assert paragraphs(tmp_path, "a.docx", content) == [
        "The rent is 900.",
        "Note by Ada Finch: Raise it?",
        "Notice is three months.",
    ]


def test_what_is_within_the_paragraphs_of_a_comment_on_a_document_is_read(tmp_path):
    marked = '<w:p><w:r><w:t>The rent is 900.</w:t></w:r><w:r><w:commentReference w:id="3"/></w:r></w:p>'
    said = (
        "<w:p><w:r><w:t>See</w:t><w:tab/></w:r><w:hyperlink><w:r><w:t>the page</w:t></w:r></w:hyperlink><w:bookmarkStart/>"
        "<w:r><w:t>,</w:t><w:br/><w:t>please,</w:t></w:r><w:bookmarkEnd/></w:p><w:p><w:r><w:t>before May.</w:t></w:r></w:p>"
    )
    comments = f'<w:comments {_W}><w:comment w:id="3" w:author="Ada">{said}</w:comment></w:comments>'
    content = with_parts(docx(marked), {"word/comments.xml": comments})
    assert paragraphs(tmp_path, "a.docx", content)[-1] == "Note by Ada: See the page, please, before May."


STOCK = xlsx({"Stock": text_row(1, "item", "pieces") + text_row(2, "Oil", "12")})


def test_a_comment_on_a_sheet_says_on_which_cell_it_is(tmp_path):
    comment = '<comment ref="B2" authorId="1"><text><r><t>Ordered</t></r><r><t> twice.</t></r></text></comment>'
    people = "<authors><author>Ida</author><author>Ada</author></authors>"
    listed = f"<comments {_S}>{people}<commentList>{comment}</commentList></comments>"
    content = with_parts(
        STOCK,
        {"xl/worksheets/_rels/s1.xml.rels": relating(("comments", "../comments1.xml")), "xl/comments1.xml": listed},
    )
    assert paragraphs(tmp_path, "a.xlsx", content)[-1] == "Note by Ada on B2 (Oil, 12): Ordered twice."


def test_a_comment_of_newer_programs_is_shown_once(tmp_path):
    old = f"<comments {_S}><authors><author>tc={{1}}</author></authors><commentList>"
    old += '<comment ref="B2" authorId="0"><text><t>[Threaded comment] Your ...</t></text></comment></commentList></comments>'
    threads = "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"
    new = (
        f'<ThreadedComments xmlns="{threads}"><threadedComment ref="B2" personId="{{P}}"><text>Twice?</text></threadedComment>'
    )
    new += '<threadedComment ref="B2" personId="{Q}"><text>Yes.</text></threadedComment></ThreadedComments>'
    people = '<person displayName="Ada" id="{P}"/><person displayName="Ida" id="{Q}"/>'
    content = with_parts(
        STOCK,
        {
            "xl/worksheets/_rels/s1.xml.rels": relating(("comments", "../c1.xml"), ("threadedComment", "../t1.xml")),
            "xl/c1.xml": old,
            "xl/t1.xml": new,
            "xl/_rels/workbook.xml.rels": relating(("person", "persons/person.xml")),
            "xl/persons/person.xml": f'<personList xmlns="{threads}">{people}</personList>',
        },
    )
    assert paragraphs(tmp_path, "a.xlsx", content)[-2:] == [
        "Note by Ada on B2 (Oil, 12): Twice?",
        "Note by Ida on B2 (Oil, 12): Yes.",
    ]


OLD = f'<p:cmLst {_P}><p:cm authorId="7" dt="2024-01-01"><p:pos x="1" y="2"/><p:text>Add a map.</p:text></p:cm></p:cmLst>'
OLD_PEOPLE = f'<p:cmAuthorLst {_P}><p:cmAuthor id="7" name="Ada Finch" initials="AF"/></p:cmAuthorLst>'
_NEW = 'xmlns:n="http://schemas.microsoft.com/office/powerpoint/2018/8/main"'
_REPLY = '<n:reply id="{2}" authorId="{B}"><n:txBody><a:p><a:r><a:t>Which?</a:t></a:r></a:p></n:txBody></n:reply>'
_SAID = "<n:txBody><a:p><a:r><a:t>Add a map.</a:t></a:r></a:p></n:txBody>"
NEW = f'<n:cmLst {_NEW} {_P}><n:cm id="{{1}}" authorId="{{A}}"><n:replyLst>{_REPLY}</n:replyLst>{_SAID}</n:cm></n:cmLst>'
NEW_PEOPLE = f'<n:authorLst {_NEW}><n:author id="{{A}}" name="Ada Finch"/><n:author id="{{B}}" name="Ida"/></n:authorLst>'


@pytest.mark.parametrize(
    ("kind", "comments", "people", "shown"),
    [
        ("commentAuthors", OLD, OLD_PEOPLE, ["Note by Ada Finch: Add a map."]),
        ("authors", NEW, NEW_PEOPLE, ["Note by Ada Finch: Add a map.", "Note by Ida: Which?"]),
    ],
)
def test_comments_on_a_slide_stand_at_its_end(tmp_path, kind, comments, people, shown):
    content = with_parts(
        pptx(shape("The tower", kind="title")),
        {
            "ppt/slides/_rels/s1.xml.rels": relating(("comments", "../comments/c1.xml")),
            "ppt/comments/c1.xml": comments,
            "ppt/_rels/presentation.xml.rels": relating((kind, "people.xml")),
            "ppt/people.xml": people,
        },
    )
    assert paragraphs(tmp_path, "a.pptx", content)[-len(shown) :] == shown


def test_the_lines_and_paragraphs_of_a_comment_on_a_slide_stay_apart(tmp_path):
    first = "<a:p><a:r><a:t>Add a map.</a:t></a:r></a:p>"
    second = "<a:p><a:r><a:t>Also</a:t></a:r><a:br/><a:r><a:t>a </a:t></a:r><a:r><a:t>key.</a:t></a:r></a:p>"
    content = with_parts(
        pptx(shape("The tower", kind="title")),
        {
            "ppt/slides/_rels/s1.xml.rels": relating(("comments", "../comments/c1.xml")),
            "ppt/comments/c1.xml": NEW.replace(first, first + second),
        },
    )
    assert paragraphs(tmp_path, "a.pptx", content)[-2:] == ["Note: Add a map. Also a key.", "Note: Which?"]


_DC = 'xmlns:dc="http://purl.org/dc/elements/1.1/"'


def annotation(inner: str) -> str:
    """A comment of OpenDocument by Ada, with its paragraphs."""
    return f"<office:annotation><dc:creator {_DC}>Ada</dc:creator><dc:date {_DC}>2024</dc:date>{inner}</office:annotation>"


SAID = annotation("<text:p>Raise <text:span>it</text:span>?</text:p>")


@pytest.mark.parametrize(
    ("name", "kind", "inner", "shown"),
    [
        (
            "a.odt",
            "text",
            f"<text:p>The rent{SAID} is 900.</text:p><text:p>More.</text:p>",
            ["The rent is 900.", "Note by Ada: Raise it?", "More."],
        ),
        (
            "a.ods",
            "spreadsheet",
            "<table:table table:name='Stock'><table:table-row><table:table-cell><text:p>Oil</text:p></table:table-cell>"
            f"<table:table-cell>{SAID}<text:p>12</text:p></table:table-cell></table:table-row></table:table>",
            ["Oil 12", "Note by Ada on Oil: Raise it?"],
        ),
        (
            "a.odp",
            "presentation",
            f"<draw:page><draw:frame><draw:text-box><text:p>The tower</text:p></draw:text-box></draw:frame>{SAID}</draw:page>",
            ["The tower", "Note by Ada: Raise it?"],
        ),
    ],
)
def test_comments_of_opendocument_are_read(tmp_path, name, kind, inner, shown):
    assert paragraphs(tmp_path, name, odf(kind, inner))[-len(shown) :] == shown


@pytest.mark.parametrize(
    ("inner", "shown"),
    [
        ("<text:p>See<text:s/> the manual, at most 60 bar.</text:p>", "See the manual, at most 60 bar."),
        ('<text:p>See<text:s text:c="2"/>the manual.</text:p>', "See the manual."),
        ("<text:p>Pump<text:tab/>60 bar</text:p>", "Pump 60 bar"),
        ("<text:p>Pump<text:line-break/>60 bar</text:p>", "Pump 60 bar"),
        ("<text:p>Pump\n  60 bar</text:p>", "Pump 60 bar"),
        ("<text:p>See <text:a>the page</text:a> for more.</text:p>", "See the page for more."),
        ('<text:p>See <text:bookmark text:name="a"/>the page<text:soft-page-break/>.</text:p>', "See the page."),
        ("<text:p><text:span>one <text:s/><text:span>two</text:span> three</text:span> four</text:p>", "one two three four"),
        ("<text:p>One.</text:p><text:h>Two.</text:h><text:p/><text:p>Three.</text:p>", "One. Two. Three."),
        (
            "<text:list><text:list-item><text:p>oil</text:p></text:list-item><text:list-item><text:p>water</text:p>"
            "</text:list-item></text:list>",
            "oil water",
        ),
        (
            "<text:p><text:ruby><text:ruby-base>Lamp</text:ruby-base><text:ruby-text>ran</text:ruby-text></text:ruby></text:p>",
            "Lamp",
        ),
        ('<text:p>At most 10<text:span text:style-name="Up">6</text:span><text:span> 2</text:span></text:p>', "At most 10⁶ 2"),
    ],
)
def test_all_that_is_in_the_paragraphs_of_a_comment_is_read(tmp_path, inner, shown):
    style = 'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"'
    raised = f'<style:style {style} style:name="Up"><style:text-properties style:text-position="super 58%"/></style:style>'
    content = odf("text", f"<text:p>The rent{annotation(inner)} is 900.</text:p>", styles=raised)
    assert paragraphs(tmp_path, "a.odt", content) == ["The rent is 900.", f"Note by Ada: {shown}"]


def test_a_superscript_in_which_a_comment_begins_does_not_raise_it(tmp_path):
    style = 'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"'
    raised = f'<style:style {style} style:name="Up"><style:text-properties style:text-position="super 58%"/></style:style>'
    inner = f'<text:p>about 10<text:span text:style-name="Up">{annotation("<text:p>2</text:p>")}6</text:span></text:p>'
    assert paragraphs(tmp_path, "a.odt", odf("text", inner, styles=raised)) == ["about 10⁶", "Note by Ada: 2"]


def test_a_comment_within_a_comment_leaves_the_file_readable(tmp_path):
    inner = annotation(f"<text:p>Raise {annotation('')}it?</text:p>")
    [first, _] = paragraphs(tmp_path, "a.odt", odf("text", f"<text:p>The rent{inner} is 900.</text:p>"))
    assert first == "The rent is 900."


def test_a_comment_on_deleted_text_is_left_out(tmp_path):
    deleted = f"<text:tracked-changes><text:p>deleted{SAID}</text:p></text:tracked-changes>"
    assert paragraphs(tmp_path, "a.odt", odf("text", f"{deleted}<text:p>The rent.</text:p>")) == ["The rent."]
