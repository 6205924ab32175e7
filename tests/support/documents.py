"""PDF, DOCX and EPUB files, written by hand: small, and damaged where a test wants it."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any
from xml.sax.saxutils import escape

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_MAIN = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
_RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    f'<Relationship Id="r1" Type="{_MAIN}" Target="word/document.xml"/></Relationships>'
)
_CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)


def pdf(
    *pages: str, title: str = "", endless: bool = False, layout: str = "/MediaBox [0 0 612 792]", drawing: bytes = b""
) -> bytes:
    """A PDF with a line of text a page; an empty one is the picture of a page.

    Args:
        pages: their texts, of ASCII.
        title: of the document.
        endless: the list of its pages begins again at its end.
        layout: the size of each page, and how it is turned.
        drawing: what is drawn on each page besides; the object `/I1` is a picture.
    """
    first = 5
    kids = " ".join(f"{first + 2 * number} 0 R" for number in range(len(pages))) + (" 2 0 R" if endless else "")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray /Length 1 >>"
        b"\nstream\n0\nendstream",
    ]
    for number, text in enumerate(pages):
        drawn = b"q 100 0 0 100 0 0 cm /I1 Do Q"
        if text:
            lines = " T* ".join("(" + line.replace("(", r"\(").replace(")", r"\)") + ") Tj" for line in text.split("\n"))
            drawn = f"BT /F1 12 Tf 14 TL 72 720 Td {lines} ET".encode()
        drawn += drawing
        objects += [
            f"<< /Type /Page /Parent 2 0 R {layout} /Contents {first + 2 * number + 1} 0 R "
            "/Resources << /Font << /F1 3 0 R >> /XObject << /I1 4 0 R >> >> >>".encode(),
            f"<< /Length {len(drawn)} >>\nstream\n".encode() + drawn + b"\nendstream",
        ]
    objects.append(f"<< /Title ({title}) >>".encode())
    return pdf_file(objects)


def with_outline(content: bytes, *entries: tuple[int, str, int], is_circle: bool = False) -> bytes:
    """A PDF with bookmarks: the level, title and page of each, from 1; in a circle, the last one is followed by itself."""
    import pypdf

    writer = pypdf.PdfWriter(clone_from=BytesIO(content))
    above: list[Any] = []
    for level, title, page in entries:
        del above[level - 1 :]
        above.append(writer.add_outline_item(title=title, page_number=page - 1, parent=above[-1] if above else None))
    if is_circle:
        above[-1].get_object()[pypdf.generic.NameObject("/Next")] = above[-1]
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


def pdf_file(objects: Sequence[bytes]) -> bytes:
    """A PDF of these objects; the second last is the last that matters, and the last its properties."""
    out = BytesIO()
    out.write(b"%PDF-1.4\n")
    places = []
    for number, content in enumerate(objects, start=1):
        places.append(out.tell())
        out.write(f"{number} 0 obj\n".encode() + content + b"\nendobj\n")
    start = out.tell()
    out.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode())
    out.write(b"".join(f"{place:010d} 00000 n \n".encode() for place in places))
    out.write(
        f"trailer << /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>\nstartxref\n{start}\n%%EOF".encode()
    )
    return out.getvalue()


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    """A zip file."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def paragraph(text: str, style: str = "") -> str:
    """A paragraph of a DOCX."""
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f'<w:p>{properties}<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r></w:p>'


def docx(*body: str, declared: str = "", **parts: str) -> bytes:
    """A DOCX.

    Args:
        body: paragraphs and tables, as XML.
        declared: what stands before the root element.
        parts: further ones in its folder, by their names without `.xml`.
    """
    further = {f"word/{name}.xml": f"<w:{name} {_W}>{content}</w:{name}>" for name, content in parts.items()}
    document = f"{declared}<w:document {_W}><w:body>{''.join(body)}</w:body></w:document>"
    return zipped({"_rels/.rels": _RELATIONS, "word/document.xml": document, **further})


def epub(title: str, *chapters: str | bytes, nav: str = "", ncx: str = "") -> bytes:
    """An EPUB of HTML chapters, `c 1.xhtml` and so on.

    Args:
        title: of the book.
        chapters: their HTML.
        nav: the list of a table of contents, as XHTML; its links are relative to the folder `toc`.
        ncx: the entries of one of EPUB 2.
    """
    numbers = range(1, len(chapters) + 1)
    items = "".join(f'<item id="i{n}" href="c%20{n}.xhtml" media-type="application/xhtml+xml"/>' for n in numbers)
    spine = "".join(f'<itemref idref="i{n}"/>' for n in numbers)
    pages: dict[str, str | bytes] = {f"OEBPS/c {n}.xhtml": chapter for n, chapter in zip(numbers, chapters, strict=True)}
    if nav:
        items += '<item id="nav" href="toc/nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        pages["OEBPS/toc/nav.xhtml"] = (
            '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body>'
            f'<nav epub:type="landmarks"><ol><li><a href="../c%201.xhtml">No</a></li></ol></nav>'
            f'<nav epub:type="toc"><h1>Contents</h1>{nav}</nav></body></html>'
        )
    if ncx:
        items += '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
        pages["OEBPS/toc.ncx"] = f'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{ncx}</navMap></ncx>'
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<metadata><dc:title>{escape(title)}</dc:title></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    return zipped({"META-INF/container.xml": _CONTAINER, "OEBPS/book.opf": package, **pages})


def with_boxes(content: bytes, *boxes: Mapping[str, Any]) -> bytes:
    """A PDF with boxes that lie on its first page: fields of a form, words that were typed, notes.

    Args:
        content: the PDF.
        boxes: the entries of each, as pypdf has them, with strings for texts and numbers; names begin with a slash, and bytes
            draw what a box looks like, with the font `/F1`.
    """
    import pypdf
    from pypdf import generic

    def made(value: Any) -> Any:
        if isinstance(value, bytes):
            font = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
            form = {"/Type": "/XObject", "/Subtype": "/Form", "/BBox": [0, 0, 200, 20], "/Resources": {"/Font": {"/F1": font}}}
            stream = generic.DecodedStreamObject()
            stream.update(made(form))
            stream.set_data(value)
            return writer._add_object(stream)
        if isinstance(value, Mapping):
            return generic.DictionaryObject({generic.NameObject(key): made(one) for key, one in value.items()})
        if isinstance(value, list):
            return generic.ArrayObject(map(made, value))
        if isinstance(value, str):
            return generic.NameObject(value) if value.startswith("/") else generic.TextStringObject(value)
        return generic.NumberObject(value) if isinstance(value, int) else generic.FloatObject(value)

    writer = pypdf.PdfWriter(clone_from=BytesIO(content))
    listed = generic.ArrayObject(writer._add_object(made({"/Type": "/Annot", **box})) for box in boxes)
    writer.pages[0][generic.NameObject("/Annots")] = listed
    out = BytesIO()
    writer.write(out)
    return out.getvalue()
