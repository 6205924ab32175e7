"""Files of many formats, made from the text of a real document in Markdown.

The libraries that write them are not among the extras of hopweave: python-docx, python-pptx, openpyxl, odfpy and reportlab. The
old office formats are made by LibreOffice (`soffice`), and markup by pandoc.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import mailbox
import re
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from email.message import EmailMessage
from html import escape
from pathlib import Path
from typing import Any

_INLINE = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])|[`*]+")


@dataclass(frozen=True, slots=True)
class Block:
    """A heading (level from 1), a paragraph (level 0), or a table."""

    text: str
    level: int = 0
    rows: tuple[tuple[str, ...], ...] = ()


def blocks(markdown: str) -> Iterator[Block]:
    """The blocks of a document in Markdown; what is neither a heading nor a table is a paragraph."""
    for piece in re.split(r"\n\s*\n", markdown):
        lines = piece.strip().splitlines()
        if not lines:
            continue
        heading = re.match(r"(#+)\s+(.*)", lines[0])
        if heading:
            yield Block(_plain(heading[2]), len(heading[1]))
        elif lines[0].startswith("|"):
            cells = [tuple(_plain(cell.strip()) for cell in line.strip("| ").split("|")) for line in lines]
            yield Block("", rows=tuple(row for row in cells if not re.fullmatch(r"[-: ]*", "".join(row))))
        else:
            yield Block(_plain(" ".join(map(str.strip, lines))))


def _plain(text: str) -> str:
    return _INLINE.sub(lambda found: found[1] or "", text)


def _sections(source: bytes) -> Iterator[tuple[str, list[Block]]]:
    """Each heading with the blocks below it."""
    found: list[tuple[str, list[Block]]] = []
    for block in blocks(source.decode()):
        if block.level:
            found.append((block.text, []))
        elif found:
            found[-1][1].append(block)
    yield from found


def _records(source: bytes) -> list[list[str]]:
    if source.startswith(b"{"):  # a list of objects under the name of a standard
        objects = next(iter(json.loads(source).values()))
        names = sorted({name for one in objects for name in one}, reverse=True)
        return [names, *([one.get(name, "") for name in names] for one in objects)]
    text = "\n".join(line for line in source.decode().splitlines() if not line.startswith("#"))
    return list(csv.reader(io.StringIO(text), delimiter="\t" if "\t" in text else ","))


def docx(source: bytes) -> bytes:
    """A Word document with headings and tables."""
    import docx as library

    document = library.Document()
    for block in blocks(source.decode()):
        if block.rows:
            table = document.add_table(rows=0, cols=len(block.rows[0]))
            for row in block.rows:
                for cell, text in zip(table.add_row().cells, row, strict=False):
                    cell.text = text
        elif block.level:
            document.add_heading(block.text, block.level - 1)
        else:
            document.add_paragraph(block.text)
    return _saved(document.save)


def german_docx(source: bytes) -> bytes:
    """The same with the identifiers that a German Word gives to the styles of headings."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(docx(source))) as given, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name in given.namelist():
            made.writestr(name, re.sub(rb'"Heading(\d)"', rb'"berschrift\1"', given.read(name)))
    return out.getvalue()


def pptx(source: bytes) -> bytes:
    """Slides, one for each section."""
    import pptx as library

    slides = library.Presentation()
    for heading, below in _sections(source):
        slide = slides.slides.add_slide(slides.slide_layouts[1])
        slide.shapes.title.text = heading
        slide.placeholders[1].text = "\n".join(block.text for block in below if block.text)
    return _saved(slides.save)


def xlsx(source: bytes) -> bytes:
    """A workbook of two sheets: the records below a title of merged cells, and their number."""
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Releases"
    rows = _records(source)
    sheet.append(["All releases"])
    sheet.merge_cells(start_row=1, start_column=1, end_row=1, end_column=len(rows[0]))
    for row in rows:
        sheet.append(row)
    book.create_sheet("Count").append(["Number of releases", len(rows) - 1])
    return _saved(book.save)


def odt(source: bytes) -> bytes:
    """A text of LibreOffice, with headings and tables."""
    from odf import opendocument, text

    document = opendocument.OpenDocumentText()
    for block in blocks(source.decode()):
        if block.rows:
            document.text.addElement(_odf_table("Table", block.rows))
        elif block.level:
            document.text.addElement(text.H(outlinelevel=block.level, text=block.text))
        else:
            document.text.addElement(text.P(text=block.text))
    return _saved(document.save)


def ods(source: bytes) -> bytes:
    """A sheet of LibreOffice."""
    from odf import opendocument

    document = opendocument.OpenDocumentSpreadsheet()
    document.spreadsheet.addElement(_odf_table("Records", _records(source)))
    return _saved(document.save)


def odp(source: bytes) -> bytes:
    """Slides of LibreOffice, one for each section."""
    from odf import draw, opendocument, style, text

    document = opendocument.OpenDocumentPresentation()
    layout = style.PageLayout(name="page")
    document.automaticstyles.addElement(layout)
    master = style.MasterPage(name="master", pagelayoutname=layout)
    document.masterstyles.addElement(master)
    for heading, below in _sections(source):
        page = draw.Page(masterpagename=master)
        for kind, texts in (("title", [heading]), ("outline", [block.text for block in below])):
            box = draw.TextBox()
            for one in texts:
                box.addElement(text.P(text=one))
            frame = draw.Frame(width="20cm", height="5cm", x="1cm", y="1cm")
            frame.setAttrNS("urn:oasis:names:tc:opendocument:xmlns:presentation:1.0", "class", kind)
            frame.addElement(box)
            page.addElement(frame)
        document.presentation.addElement(page)
    return _saved(document.save)


def _odf_table(name: str, rows: Any) -> Any:
    from odf import table, text

    made = table.Table(name=name)
    for row in rows:
        line = table.TableRow()
        for value in row:
            cell = table.TableCell(valuetype="string")
            cell.addElement(text.P(text=value))
            line.addElement(cell)
        made.addElement(line)
    return made


def epub(source: bytes) -> bytes:
    """A book without a table of contents, with a chapter for each section."""
    chapters = [
        f"<html xmlns='http://www.w3.org/1999/xhtml'><head><title>{escape(heading)}</title></head><body>"
        f"<h1>{escape(heading)}</h1>{''.join(f'<p>{escape(block.text)}</p>' for block in below)}</body></html>"
        for heading, below in _sections(source)
    ]
    items = "".join(f'<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>' for n in range(len(chapters)))
    title = next(_sections(source))[0]
    order = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        made.writestr("mimetype", "application/epub+zip")
        made.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles><rootfile '
            'full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        )
        made.writestr(
            "book.opf",
            '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata '
            f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{escape(title)}</dc:title></metadata><manifest>{items}'
            f"</manifest><spine>{order}</spine></package>",
        )
        for number, chapter in enumerate(chapters):
            made.writestr(f"c{number}.xhtml", chapter)
    return out.getvalue()


def pdf(source: bytes, num_columns: int = 1) -> bytes:
    """A PDF with an outline."""
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph

    class Outlined(BaseDocTemplate):  # type: ignore[misc]
        def afterFlowable(self, flowable: Any) -> None:  # noqa: N802 - the library's name
            level = getattr(flowable, "level", 0)
            if level:
                key = str(id(flowable))
                self.canv.bookmarkPage(key)
                self.canv.addOutlineEntry(flowable.getPlainText(), key, level - 1)

    out = io.BytesIO()
    width = 500 / num_columns
    frames = [Frame(45 + number * width, 60, width - 10, 720) for number in range(num_columns)]
    document = Outlined(out, pagesize=A4, title=next(_sections(source))[0], pageTemplates=[PageTemplate(frames=frames)])
    styles = getSampleStyleSheet()
    story = []
    for block in blocks(source.decode()):
        paragraph = Paragraph(
            escape(block.text or "; ".join(": ".join(row) for row in block.rows)),
            styles[f"Heading{min(block.level, 3)}" if block.level else "BodyText"],
        )
        paragraph.level = block.level
        story.append(paragraph)
    document.build(story)
    return out.getvalue()


def two_columns(source: bytes) -> bytes:
    """A PDF of two columns a page."""
    return pdf(source, 2)


def scan(source: bytes) -> bytes:
    """A PDF of which each page is a picture."""
    import pypdfium2

    pages = [page.render(scale=2).to_pil() for page in pypdfium2.PdfDocument(pdf(source))]
    out = io.BytesIO()
    pages[0].save(out, "PDF", save_all=True, append_images=pages[1:])
    return out.getvalue()


def picture(source: bytes) -> bytes:
    """The first page as a PNG."""
    import pypdfium2

    return _saved(lambda out: pypdfium2.PdfDocument(pdf(source))[0].render(scale=2).to_pil().save(out, "PNG"))


def encrypted_pdf(source: bytes) -> bytes:
    """A PDF with a password."""
    import pypdf

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf(source)))
    writer.encrypt("a password")
    return _saved(writer.write)


def encrypted_docx(_source: bytes) -> bytes:
    """The beginning of a Word document with a password: the container, and the name of its encrypted part."""
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + "EncryptedPackage".encode("utf-16-le").ljust(3000, b"\0")


def ipynb(source: bytes) -> bytes:
    """A notebook: each section a cell, then one of code with its output."""
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "metadata": {}, "source": f"{'#' * (block.level or 0)} {block.text}".strip()}
        for block in blocks(source.decode())
        if block.text
    ]
    output = {"output_type": "stream", "name": "stdout", "text": [f"{len(cells)} cells\n"]}
    cells.append({"cell_type": "code", "metadata": {}, "source": "print(len(cells), 'cells')", "outputs": [output]})
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode()


def _by_office(source: bytes, suffix: str, wanted: str) -> bytes:
    """A document in an old format, as LibreOffice saves it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"a{suffix}")
        path.write_bytes(source)
        command = ["soffice", "--headless", f"-env:UserInstallation=file://{folder}/profile", "--convert-to", wanted]
        subprocess.run([*command, "--outdir", folder, str(path)], check=True, capture_output=True)
        return path.with_suffix(f".{wanted}").read_bytes()


def rtf(source: bytes) -> bytes:
    """A DOCX as RTF."""
    return _by_office(source, ".docx", "rtf")


def doc(source: bytes) -> bytes:
    """A DOCX as Word 97 saves it."""
    return _by_office(source, ".docx", "doc")


def ppt(source: bytes) -> bytes:
    """A PPTX as PowerPoint 97 saves it."""
    return _by_office(source, ".pptx", "ppt")


def xls(source: bytes) -> bytes:
    """An XLSX as Excel 97 saves it."""
    return _by_office(source, ".xlsx", "xls")


def _by_pandoc(source: bytes, wanted: str) -> bytes:
    command = ["pandoc", "--from=gfm", f"--to={wanted}", "--standalone", "--shift-heading-level-by=-1"]
    return subprocess.run(command, input=source, check=True, capture_output=True).stdout


def adoc(source: bytes) -> bytes:
    """AsciiDoc."""
    return _by_pandoc(source, "asciidoc")


def org(source: bytes) -> bytes:
    """Org."""
    return _by_pandoc(source, "org")


def tex(source: bytes) -> bytes:
    """LaTeX."""
    return _by_pandoc(source, "latex")


def _message(source: bytes) -> EmailMessage:
    heading, *_ = _sections(source)
    message = EmailMessage()
    message["From"], message["To"] = "Jürgen Müller <jm@example.org>", "all@example.org"
    message["Subject"], message["Date"] = f"Für alle: {heading[0]}", "Tue, 5 Mar 2024 10:00:00 +0000"
    message["Message-ID"] = "<1@example.org>"
    message.set_content(source.decode(), cte="quoted-printable")
    return message


def eml(source: bytes) -> bytes:
    """A mail of quoted-printable text with an attachment."""
    message = _message(source)
    message.add_attachment(b"\x89PNG\r\n\x1a\n" + bytes(200), maintype="image", subtype="png", filename="logo.png")
    return message.as_bytes()


def with_docx(source: bytes) -> bytes:
    """A short mail to which the document is attached, as DOCX."""
    message = _message(b"## The guide\n\nIt is attached.\n")
    kind = "vnd.openxmlformats-officedocument.wordprocessingml.document"
    message.add_attachment(docx(source), maintype="application", subtype=kind, filename="guide.docx")
    return message.as_bytes()


def mbox(source: bytes) -> bytes:
    """A mailbox with a message for each half of the document, and an answer."""
    at = source.find(b"\n## ", len(source) // 2)
    halves = (source[:at], source[at:].lstrip(), b"## Re: thanks\n\nThank you, that is clear.\n")
    with tempfile.TemporaryDirectory() as folder:
        box = mailbox.mbox(Path(folder) / "box")
        for half in halves:
            box.add(_message(half))
        box.close()
        return (Path(folder) / "box").read_bytes()


def srt(source: bytes, mark: str = ",") -> bytes:
    """Subtitles: each sentence for four seconds."""
    sentences = re.split(r"(?<=[.:])\s+", " ".join(block.text for block in blocks(source.decode())))
    cues = (
        f"{number + 1}\n00:{number * 4 // 60:02}:{number * 4 % 60:02}{mark}000 --> "
        f"00:{(number * 4 + 3) // 60:02}:{(number * 4 + 3) % 60:02}{mark}500\n{sentence}\n"
        for number, sentence in enumerate(sentences)
    )
    return "\n".join(cues).encode()


def vtt(source: bytes) -> bytes:
    """The same as WebVTT."""
    return b"WEBVTT\n\n" + srt(source, ".")


def comma_separated(source: bytes, delimiter: str = ",") -> bytes:
    """Records, with names of columns."""
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows(_records(source))
    return out.getvalue().encode()


def tsv(source: bytes) -> bytes:
    """The same, with tabs."""
    return comma_separated(source, "\t")


def jsonl(source: bytes) -> bytes:
    """Each section as a record."""
    lines = ({"title": heading, "text": " ".join(one.text for one in below)} for heading, below in _sections(source) if below)
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def json_list(source: bytes) -> bytes:
    """The same as one list."""
    return b"[" + b",".join(jsonl(source).splitlines()) + b"]"


def utf16(source: bytes) -> bytes:
    """UTF-16 with a byte-order mark."""
    return source.decode().encode("utf-16")


def latin1(source: bytes) -> bytes:
    """Latin-1, with a name that is not ASCII."""
    return ("Gesammelt von J\xfcrgen M\xfcller.\n\n" + source.decode()).encode("latin-1", "replace")


def html(source: bytes) -> bytes:
    """A web page with a navigation, a notice on cookies and a footer."""
    inner = ""
    for block in blocks(source.decode()):
        if block.rows:
            head, *rows = block.rows
            inner += "<table><tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in head) + "</tr>"
            inner += (
                "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows) + "</table>"
            )
        else:
            tag = f"h{block.level}" if block.level else "p"
            inner += f"<{tag}>{escape(block.text)}</{tag}>"
    return (
        "<!DOCTYPE html><html><head><meta charset='utf-8'></head><body><nav><a href='/'>Home</a> <a href='/docs'>Docs</a></nav>"
        f"<div class='cookie-notice'>We use cookies.</div><main>{inner}</main><footer>Imprint</footer></body></html>"
    ).encode()


def zst(source: bytes) -> bytes:
    """Compressed with zstd."""
    import zstandard

    return zstandard.ZstdCompressor().compress(source)


def zipped(source: bytes) -> bytes:
    """A zip archive with the document in a folder."""

    def save(out: io.BytesIO) -> None:
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
            made.writestr("notes/inner document.md", source)

    return _saved(save)


def tar_gz(source: bytes) -> bytes:
    """A compressed tar archive with the document in a folder."""

    def save(out: io.BytesIO) -> None:
        with tarfile.open(fileobj=out, mode="w:gz") as made:
            entry = tarfile.TarInfo("notes/inner document.md")
            entry.size = len(source)
            made.addfile(entry, io.BytesIO(source))

    return _saved(save)


def cut(source: bytes) -> bytes:
    """The first half of a file."""
    return source[: len(source) // 2]


def _saved(save: Callable[[io.BytesIO], Any]) -> bytes:
    out = io.BytesIO()
    save(out)
    return out.getvalue()


MAKERS: Mapping[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zip": zipped,
    "csv": comma_separated,
    "json": json_list,
    "empty": lambda _: b"",
    "binary": lambda _: bytes(range(256)) * 20,
    **{
        one.__name__: one
        for one in (
            *(docx, german_docx, pptx, xlsx, odt, ods, odp, epub, pdf, two_columns, scan, picture, encrypted_pdf),
            *(encrypted_docx, ipynb, eml, with_docx, mbox, srt, vtt, tsv, jsonl, utf16, latin1, html, zst, tar_gz, cut),
            *(rtf, doc, ppt, xls, adoc, org, tex),
        )
    },
}
"""What makes the bytes of a file from those of another, by name."""
