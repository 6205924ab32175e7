"""A report as one HTML page: nothing is loaded and no script runs; drawings are inline, in the colours of the page."""

from __future__ import annotations

from pathlib import Path

from hopweave.evaluation.reports import blocks
from hopweave.evaluation.reports.setup import gold_text, heading_of
from hopweave.show.markup import Markup, joined, tag
from hopweave.show.plain import one_line
from hopweave.show.record_html import draw_answer, page
from hopweave.show.table import Table
from hopweave.show.table_html import table_html, words_html

_MAX_AROUND_A_QUOTE = 240


def draw_report(document: blocks.Document) -> str:
    """The report as a page."""
    links = (tag("a", section.title, href=f"#{section.name}") for section in document.sections)
    header = tag(
        "header",
        tag("p", "hopweave evaluation", class_="kicker"),
        tag("h1", document.title),
        *(tag("p", words_html(words), class_="lead") for words in document.conclusions),
        tag("p", words_html(document.lead)),
        tag("nav", joined(links, " "), class_="contents", aria_label="Sections"),
    )
    css = Path(__file__).with_name("html.css").read_text(encoding="utf-8")
    return page(document.title, [header, *map(_section, document.sections)], css)


def _section(section: blocks.Section) -> Markup:
    return tag("section", tag("h2", section.title), *map(_block, section.blocks), id=section.name)


def _block(block: blocks.Block) -> Markup:
    match block:
        case Table():
            return table_html(block)
        case blocks.Figure():
            return tag("figure", _drawing(block), tag("figcaption", block.caption))
        case blocks.Figures():
            inner = (tag("div", _drawing(figure), class_="panel") for figure in block.figures)
            return tag("figure", tag("div", *inner, class_="panels"), tag("figcaption", block.caption))
        case blocks.Paragraph():
            return tag("p", words_html(block.words), class_="warning" if block.is_warning else "")
        case blocks.Subtitle():
            return tag("h3", block.text, dir="auto")
        case blocks.Bullets():
            return tag("ul", *(tag("li", words_html(item)) for item in block.items), class_="bullets")
        case blocks.Facts():
            rows = (tag("div", tag("dt", name), tag("dd", text, dir="auto")) for name, text in block.rows)
            return tag("dl", *rows, class_="facts")
        case blocks.Commands():
            return tag("pre", "\n".join(block.lines), class_="commands")
        case blocks.ShownAnswer():
            return _shown_answer(block)


def _drawing(figure: blocks.Figure) -> Markup:
    return tag("div", Markup(figure.drawing), class_="wide")


def _shown_answer(block: blocks.ShownAnswer) -> Markup:
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
