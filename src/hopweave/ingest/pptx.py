"""PPTX (Office Open XML, ISO/IEC 29500): the text of slides, and of the notes and comments on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hopweave.ingest.comments import comments_on
from hopweave.ingest.document import Document
from hopweave.ingest.office_tables import Table
from hopweave.ingest.ooxml import Relation, main_part, relations, short, title_of, value_of
from hopweave.ingest.ooxml_drawings import drawn_texts
from hopweave.ingest.pptx_numbers import PptxNumbers
from hopweave.ingest.slides import Slide
from hopweave.ingest.superscripts import raised
from hopweave.ingest.zipped import Archive

_TITLES = frozenset({"title", "ctrTitle"})
_LEFT_OUT = frozenset({"dt", "ftr", "hdr", "sldNum", "sldImg"})
"""Places for what is the same on every slide, and in notes for the picture of the slide."""
_ON = frozenset({"1", "true", "on"})


def read_pptx(archive: Archive) -> Document:
    """A part for each slide; its title is a heading, and a row of a table is a paragraph, see `tables`.
    Numbered paragraphs begin with their numbers. Charts and diagrams stand behind the other text of a slide.

    The title is that of the first slide, or that in the properties.

    Raises:
        DataError: if it is damaged, or beyond the limits.
    """
    main = main_part(archive, "ppt/presentation.xml")
    order: list[str] = []

    def start(name: str, attributes: Mapping[str, str]) -> None:
        if short(name) == "p:sldId":
            order.extend(value for key, value in attributes.items() if key.endswith("relationships id"))

    archive.parse(main, start)
    known = relations(archive, main)
    slides = [_slide(archive, known[name].target, known.values()) for name in order if name in known]
    title = (slides[0].title if slides else "") or title_of(archive)
    return Document(title, tuple(slide.part(number) for number, slide in enumerate(slides, start=1)))


def _slide(archive: Archive, name: str, known: Iterable[Relation]) -> Slide:
    slide = Slide()
    shapes = _Shapes(slide, slide.texts, archive)
    archive.parse(name, shapes.start, shapes.end, shapes.add)
    own = relations(archive, name).values()
    for relation in own:
        slide.texts += drawn_texts(archive, relation)
        if relation.kind == "notesSlide" and relation.target in archive:
            notes = _Shapes(Slide(), slide.notes, archive)
            archive.parse(relation.target, notes.start, notes.end, notes.add)
    slide.notes += (comment.shown() for comment in comments_on(archive, own, known))
    return slide


class _Shapes:
    """The text of the shapes of a slide, or of its notes."""

    def __init__(self, slide: Slide, texts: list[str], archive: Archive) -> None:
        self._slide = slide
        self._texts = texts
        self._archive = archive
        self._place = ""
        self._pieces: list[str] = []
        self._paragraphs: list[str] = []
        self._is_text = self._is_raised = False
        self._num_fallback = 0
        self._table: Table | None = None
        self._cells: dict[int, str] = {}
        self._column = 0
        self._is_continued = self._has_header = False
        self._numbers = PptxNumbers()

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        element = short(name)
        self._num_fallback += element == "mc:Fallback"
        self._numbers.start(element, attributes)
        match element:
            case "p:sp":
                self._place = ""
            case "p:ph":
                self._place = attributes.get("type", "body")
            case "a:r" | "a:fld":
                self._is_raised = False
            case "a:rPr":
                self._is_raised = not attributes.get("baseline", "-").startswith(("-", "0"))
            case "a:t":
                self._is_text = True
            case "a:br":
                self._pieces.append("\n")
            case "a:tab":
                self._pieces.append(" ")
            case "a:tbl":
                self._table, self._has_header = Table(), False
            case "a:tblPr":
                self._has_header = attributes.get("firstRow") in _ON
            case "a:tr":
                self._cells, self._column = {}, 0
            case "a:tc":
                self._is_continued = value_of(attributes, "vMerge") in _ON

    def end(self, name: str) -> None:
        element = short(name)
        self._num_fallback -= element == "mc:Fallback"
        match element:
            case "a:t":
                self._is_text = False
            case "a:p" if self._table is None:
                self._end_paragraph()
            case "a:p":
                self._end_paragraph_of_cell()
            case "a:tc" if self._table is not None:
                text = self._table.above(self._column) if self._is_continued else " ".join(self._paragraphs)
                self._cells[self._column] = text
                self._column += 1
                self._paragraphs.clear()
            case "a:tr" if self._table is not None:
                self._table.add(self._cells, is_header=self._has_header)
                self._has_header = False
            case "a:tbl" if self._table is not None:
                self._texts += self._archive.counted(self._table.texts())
                self._table = None

    def add(self, text: str) -> None:
        if self._is_text and not self._num_fallback:
            self._pieces.append(raised(text, self._pieces) if self._is_raised else text)

    def _end_paragraph_of_cell(self) -> None:
        self._paragraphs.append(self._numbers.numbered(" ".join("".join(self._pieces).split())))
        self._pieces.clear()

    def _end_paragraph(self) -> None:
        text = "\n".join(filter(None, (" ".join(line.split()) for line in "".join(self._pieces).split("\n"))))
        text = self._numbers.numbered(text)
        self._pieces.clear()
        if text and self._place not in _LEFT_OUT:
            (self._slide.titles if self._place in _TITLES else self._texts).append(text)
