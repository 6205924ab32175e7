"""A report as Markdown, in the dialect of GitHub; its drawings are the files next to it."""

from __future__ import annotations

from collections.abc import Iterator

from hopweave.evaluation.reports import blocks
from hopweave.evaluation.reports.setup import gold_text, heading_of
from hopweave.show.plain import one_line
from hopweave.show.quoting import sources_of
from hopweave.show.table import Table, columns, rows
from hopweave.show.table_markdown import escape, escape_words, table_markdown


def write_markdown(document: blocks.Document) -> str:
    """The report as Markdown."""
    lines = [f"# {escape(document.title)}"]
    for words in (*document.conclusions, document.lead):
        lines += ["", escape_words(words)]
    for section in document.sections:
        lines += ["", f"## {section.title}"]
        for block in section.blocks:
            lines += ["", *_block(block)]
    return "\n".join(lines) + "\n"


def _block(block: blocks.Block) -> Iterator[str]:
    match block:
        case Table():
            yield from table_markdown(block)
        case blocks.Figure():
            yield from (f"![{escape(block.caption)}]({block.name})", "", escape(block.caption))
        case blocks.Figures():
            yield from (f"![{escape(figure.caption)}]({figure.name})" for figure in block.figures)
            yield from ("", escape(block.caption))
        case blocks.Paragraph():
            yield f"**{escape_words(block.words)}**" if block.is_warning else escape_words(block.words)
        case blocks.Subtitle():
            yield f"### {escape(block.text)}"
        case blocks.Bullets():
            yield from (f"- {escape_words(item)}" for item in block.items)
        case blocks.Facts():
            yield from table_markdown(Table(columns(("Setting", "Value")), rows(block.rows)))
        case blocks.Commands():
            yield from ("```sh", *block.lines, "```")
        case blocks.ShownAnswer():
            yield from _shown_answer(block)


def _shown_answer(block: blocks.ShownAnswer) -> Iterator[str]:
    example = block.example
    record = example.record
    yield from (f"### {escape(heading_of(example))}", "", escape(record.question.text), "")
    if record.error is not None:
        yield f"**No answer**: {escape(record.error.in_words)}"
    if record.answer is not None:
        yield f"**{escape(record.answer.short) or '(empty)'}**"
        if one_line(record.answer.text) != one_line(record.answer.short):
            yield from ("", escape(record.answer.text))
    for source in sources_of(record):
        yield from ("", f"> \\[{source.citation.mark}\\] {escape(source.title)}: {escape(source.citation.quote)}")
    yield from ("", f"Gold: {escape(gold_text(example.gold))}")
    if block.scores:
        yield from ("", f"Scores: {', '.join(f'{escape(name)} {number.text}' for name, number in block.scores)}")
