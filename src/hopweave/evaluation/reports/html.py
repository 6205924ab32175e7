"""A report as one HTML page: nothing is loaded and no script runs; drawings stand in it, in the colours of the page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from hopweave.evaluation.reports.blocks import (
    Block,
    Bullets,
    Commands,
    Document,
    Entry,
    Facts,
    Figure,
    Figures,
    Number,
    Paragraph,
    Row,
    Section,
    ShownAnswer,
    Subtitle,
    Table,
    plain_text,
)
from hopweave.evaluation.reports.setup import gold_text, heading_of
from hopweave.render.html import draw_answer, page
from hopweave.render.markup import Markup, folded, joined, tag
from hopweave.render.plain import one_line

_MAX_AROUND_A_QUOTE = 240
_PARTS = re.compile(r"[^_/+]*[_/+]+|[^_/+]+")


def draw_report(document: Document) -> str:
    """The report as a page."""
    links = (tag("a", section.title, href=f"#{section.name}") for section in document.sections)
    header = tag(
        "header",
        tag("p", "hopweave evaluation", class_="kicker"),
        tag("h1", document.title),
        tag("p", _words(document.lead), class_="lead"),
        tag("nav", joined(links, " "), class_="contents", aria_label="Sections"),
    )
    css = Path(__file__).with_name("html.css").read_text(encoding="utf-8")
    return page(document.title, [header, *map(_section, document.sections)], css)


def _section(section: Section) -> Markup:
    return tag("section", tag("h2", section.title), *map(_block, section.blocks), id=section.name)


def _block(block: Block) -> Markup:
    match block:
        case Table():
            return _table(block)
        case Figure():
            return tag("figure", _drawing(block), tag("figcaption", block.caption))
        case Figures():
            inner = (tag("div", _drawing(figure), class_="panel") for figure in block.figures)
            return tag("figure", tag("div", *inner, class_="panels"), tag("figcaption", block.caption))
        case Paragraph():
            return tag("p", _words(block.words), class_="warning" if block.is_warning else "")
        case Subtitle():
            return tag("h3", block.text, dir="auto")
        case Bullets():
            return tag("ul", *(tag("li", _words(item)) for item in block.items), class_="bullets")
        case Facts():
            rows = (tag("div", tag("dt", name), tag("dd", text, dir="auto")) for name, text in block.rows)
            return tag("dl", *rows, class_="facts")
        case Commands():
            return tag("pre", "\n".join(block.lines), class_="commands")
        case ShownAnswer():
            return _shown_answer(block)


def _drawing(figure: Figure) -> Markup:
    return tag("div", Markup(figure.drawing), class_="wide")


def _words(words: Sequence[str | Number]) -> Markup:
    return joined(part if isinstance(part, str) else part.text for part in words)


def _table(table: Table) -> Markup:
    at = range(table.numbers_from, min(table.numbers_to, len(table.heads)))
    heads = [
        tag("th", _name(head), scope="col", class_="number" if number in at else "") for number, head in enumerate(table.heads)
    ]
    rows = [_heading(row, len(heads)) if row.heading else _row(row, at) for row in table.rows]
    inner = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows), class_="measured" if at else "")
    caption = tag("p", _words(table.caption), class_="caption") if table.caption else Markup()
    box = tag("div", inner, class_="wide table", tabindex="0", role="region", aria_label=table.folded_under or "table")
    return folded(table.folded_under, box, caption, class_="folded") if table.folded_under else joined([box, caption])


def _heading(row: Row, num_columns: int) -> Markup:
    return tag("tr", tag("th", tag("span", row.heading), colspan=str(num_columns), scope="colgroup"), class_="group")


def _row(row: Row, at: range) -> Markup:
    first, *others = row.entries
    entries = [tag("th", *_entry(first, is_name=True), scope="row", dir="auto")]
    for number, entry in enumerate(others, start=1):
        classes = ["number"] if number in at else []
        classes += ["absent"] if any(isinstance(part, Number) and part.value is None for part in entry.words) else []
        entries.append(tag("td", *_entry(entry), class_=" ".join(classes), dir="" if classes else "auto"))
    return tag("tr", *entries)


def _entry(entry: Entry, *, is_name: bool = False) -> list[Markup]:
    said = _name(plain_text(entry.words)) if is_name else _words(entry.words)
    said = tag("code", said) if entry.is_code else said
    return [said, *(tag("span", _words(line), class_="below") for line in entry.below if line)]


def _name(name: str) -> Markup:
    """A name that may be broken after the signs that part its words."""
    return joined(_PARTS.findall(name), Markup("<wbr>"))


def _shown_answer(block: ShownAnswer) -> Markup:
    example = block.example
    record = example.record
    scores = ", ".join(f"{name} {number.text}" for name, number in block.scores)
    against = [tag("p", tag("span", "Gold: ", class_="role"), gold_text(example.gold), class_="gold", dir="auto")]
    against += [tag("p", tag("span", "Scores: ", class_="role"), scores, class_="gold")] if scores else []
    return tag(
        "article",
        tag("p", heading_of(example), class_="kicker"),
        tag("p", one_line(record.question.text), class_="asked", dir="auto"),
        draw_answer(record, f"example-{block.number}-cite", _MAX_AROUND_A_QUOTE),
        *against,
        class_="example",
        id=f"example-{block.number}",
    )
