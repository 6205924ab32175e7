"""Sheets, slides and OpenDocument files, written by hand: small, and damaged where a test wants it."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from io import BytesIO
from xml.sax.saxutils import escape

from support.documents import zipped

RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_P = (
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
)
ODF = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{prefix}:1.0"'
    for prefix in ("office", "text", "table", "presentation")
)
_DRAW = 'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"'


def _relations(*found: tuple[str, str]) -> str:
    inner = "".join(
        f'<Relationship Id="r{number}" Type="{RELATION}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(found, start=1)
    )
    return f'<Relationships xmlns="{_PACKAGE}">{inner}</Relationships>'


def cell(place: str, value: str, kind: str = "", style: int = 0) -> str:
    """A cell of a sheet."""
    return f'<c r="{place}" t="{kind or "n"}" s="{style}"><v>{escape(value)}</v></c>'


def text_row(number: int, *texts: str) -> str:
    """A row of texts, from the first column on; empty ones have no cell."""
    cells = (cell(f"{chr(65 + at)}{number}", text, "str") for at, text in enumerate(texts) if text)
    return f'<row r="{number}">{"".join(cells)}</row>'


def xlsx(sheets: dict[str, str], strings: Sequence[str] = (), formats: Sequence[str] = (), more: str = "") -> bytes:
    """A workbook.

    Args:
        sheets: the rows of each, as XML, by their names.
        strings: texts that cells share.
        formats: of numbers; the first has the style 1.
        more: what follows the rows of each sheet.
    """
    numbered = list(enumerate(sheets.items(), start=1))
    names = "".join(
        f'<sheet name="{escape(name)}" sheetId="{number}" xmlns:r="{RELATION}" r:id="r{number}"/>'
        for number, (name, _) in numbered
    )
    codes = "".join(
        f'<numFmt numFmtId="{at}" formatCode="{escape(code, {chr(34): "&quot;"})}"/>' for at, code in enumerate(formats, 164)
    )
    used = "".join(f'<xf numFmtId="{number}"/>' for number in [0, *range(164, 164 + len(formats))])
    return zipped(
        {
            "_rels/.rels": _relations(("officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": f"<workbook {_S}><sheets>{names}</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": _relations(
                *(("worksheet", f"worksheets/s{number}.xml") for number, _ in numbered),
                ("sharedStrings", "/xl/shared.xml"),
                ("styles", "styles.xml"),
            ),
            "xl/shared.xml": f"<sst {_S}>{''.join(f'<si><r><t>{escape(text)}</t></r></si>' for text in strings)}</sst>",
            "xl/styles.xml": f"<styleSheet {_S}><numFmts>{codes}</numFmts><cellXfs>{used}</cellXfs></styleSheet>",
            **{
                f"xl/worksheets/s{number}.xml": f"<worksheet {_S}><sheetData>{rows}</sheetData>{more}</worksheet>"
                for number, (_, rows) in numbered
            },
        }
    )


def shape(*paragraphs: str, kind: str = "") -> str:
    """A shape of a slide."""
    place = f'<p:nvSpPr><p:nvPr><p:ph type="{kind}"/></p:nvPr></p:nvSpPr>' if kind else ""
    inner = "".join(f"<a:p><a:r><a:t>{escape(text)}</a:t></a:r></a:p>" for text in paragraphs)
    return f"<p:sp>{place}<p:txBody>{inner}</p:txBody></p:sp>"


def pptx(*slides: str, notes: str = "") -> bytes:
    """A presentation.

    Args:
        slides: their shapes, as XML.
        notes: the shapes of the notes to the first slide.
    """
    numbers = range(1, len(slides) + 1)
    order = "".join(f'<p:sldId id="{number}" xmlns:r="{RELATION}" r:id="r{number}"/>' for number in numbers)
    return zipped(
        {
            "_rels/.rels": _relations(("officeDocument", "ppt/presentation.xml")),
            "ppt/presentation.xml": f"<p:presentation {_P}><p:sldIdLst>{order}</p:sldIdLst></p:presentation>",
            "ppt/_rels/presentation.xml.rels": _relations(*(("slide", f"slides/s{number}.xml") for number in numbers)),
            **{f"ppt/slides/s{number}.xml": f"<p:sld {_P}>{slide}</p:sld>" for number, slide in enumerate(slides, start=1)},
            "ppt/slides/_rels/s1.xml.rels": _relations(("notesSlide", "../notes/n1.xml")),
            "ppt/notes/n1.xml": f"<p:notes {_P}>{notes}</p:notes>",
        }
    )


def odf(kind: str, inner: str, title: str = "", manifest: str = "", styles: str = "", named_styles: str = "") -> bytes:
    """An OpenDocument file.

    Args:
        kind: `text`, `spreadsheet` or `presentation`.
        inner: its content, as XML.
        title: in its properties.
        manifest: entries of the list of its parts.
        styles: those of its content, as XML.
        named_styles: those in a part of their own, as XML.
    """
    meta = f'<m {ODF} xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{escape(title)}</dc:title></m>'
    listed = f'<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">{manifest}</m:manifest>'
    body = f"<office:body><office:{kind}>{inner}</office:{kind}></office:body>"
    return zipped(
        {
            "META-INF/manifest.xml": listed,
            "content.xml": f"<office:document-content {ODF} {_DRAW}>{styles}{body}</office:document-content>",
            "styles.xml": f"<office:document-styles {ODF}>{named_styles}</office:document-styles>",
            "meta.xml": meta,
        }
    )


def relating(*found: tuple[str, str]) -> str:
    """Relations to parts, by their kinds."""
    listed = (f'<Relationship Id="c{at}" Type="{RELATION}/{kind}" Target="{to}"/>' for at, (kind, to) in enumerate(found))
    return (
        f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{"".join(listed)}</Relationships>'
    )


def with_parts(content: bytes, parts: dict[str, str]) -> bytes:
    """A zip file with other parts; relations of a name that is there are added to it."""
    with zipfile.ZipFile(BytesIO(content)) as archive:
        held = {name: archive.read(name).decode() for name in archive.namelist()}
    for name, part in parts.items():
        there = held.get(name, "")
        held[name] = (
            there.replace("</Relationships>", part[part.index("<Relationship ") :])
            if name.endswith(".rels") and there
            else part
        )
    return zipped(held)
