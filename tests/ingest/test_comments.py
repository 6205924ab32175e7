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


_DC = 'xmlns:dc="http://purl.org/dc/elements/1.1/"'
SAID = (
    f"<office:annotation><dc:creator {_DC}>Ada</dc:creator><dc:date {_DC}>2024</dc:date>"
    "<text:p>Raise <text:span>it</text:span>?</text:p></office:annotation>"
)


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
