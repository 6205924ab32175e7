"""A report as Markdown, in the dialect of GitHub; its drawings are the files beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

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
    ShownAnswer,
    Subtitle,
    Table,
    plain_text,
)
from hopweave.evaluation.reports.setup import gold_text, heading_of
from hopweave.render.plain import one_line
from hopweave.render.quoting import sources_of

_SPECIAL = re.compile(r"([\\`*{}\[\]<>#|~&$]|(?<![^\W_])_|_(?![^\W_]))")
_LIST_MARK = re.compile(r"^(\d+)([.)])(?=\s|$)|^([-+=])")


def write_markdown(document: Document) -> str:
    """The report as Markdown."""
    lines = [f"# {escape(document.title)}", "", _words(document.lead)]
    for section in document.sections:
        lines += ["", f"## {section.title}"]
        for block in section.blocks:
            lines += ["", *_block(block)]
    return "\n".join(lines) + "\n"


def escape(text: str) -> str:
    """A text on one line in which nothing is taken for Markdown or HTML."""
    said = _SPECIAL.sub(r"\\\1", one_line(text))
    return _LIST_MARK.sub(lambda mark: rf"{mark[1]}\{mark[2]}" if mark[1] else rf"\{mark[3]}", said)


def _block(block: Block) -> Iterator[str]:
    match block:
        case Table():
            yield from _table(block)
        case Figure():
            yield from (f"![{escape(block.caption)}]({block.name})", "", escape(block.caption))
        case Figures():
            yield from (f"![{escape(figure.caption)}]({figure.name})" for figure in block.figures)
            yield from ("", escape(block.caption))
        case Paragraph():
            yield f"**{_words(block.words)}**" if block.is_warning else _words(block.words)
        case Subtitle():
            yield f"### {escape(block.text)}"
        case Bullets():
            yield from (f"- {_words(item)}" for item in block.items)
        case Facts():
            yield from _rows(("Setting", "Value"), [(escape(name), escape(text)) for name, text in block.rows])
        case Commands():
            yield from ("```sh", *block.lines, "```")
        case ShownAnswer():
            yield from _shown_answer(block)


def _words(words: Sequence[str | Number]) -> str:
    return escape(plain_text(words))


def _table(table: Table) -> Iterator[str]:
    rows = [_row(row, len(table.heads)) for row in table.rows]
    if table.folded_under:
        yield from (f"{escape(table.folded_under)}:", "")
    at = range(table.numbers_from, table.numbers_to)
    yield from _rows([escape(head) for head in table.heads], rows, at)
    if table.caption:
        yield from ("", _words(table.caption))


def _rows(heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: range = range(0)) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'|'.join('---:' if number in numbers else '---' for number in range(len(heads)))}|"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _row(row: Row, num_columns: int) -> list[str]:
    if row.heading:
        return [f"**{escape(row.heading)}**", *[""] * (num_columns - 1)]
    return [_entry(entry) for entry in row.entries]


def _entry(entry: Entry) -> str:
    said = _code(plain_text(entry.words)) if entry.is_code else _words(entry.words)
    return "<br>".join([said, *(_words(line) for line in entry.below if line)])


def _code(text: str) -> str:
    """Code within a table: a bar would end the field wherever it stands, and a grave accent the code."""
    return f"`{one_line(text)}`" if not set("`|") & set(text) and text.strip() else escape(text)


def _shown_answer(block: ShownAnswer) -> Iterator[str]:
    example = block.example
    record = example.record
    yield from (f"### {escape(heading_of(example))}", "", escape(record.question.text), "")
    if record.error is not None:
        yield f"**No answer.** {escape(record.error.kind)}: {escape(record.error.message)}"
    if record.answer is not None:
        yield f"**{escape(record.answer.short) or '(empty)'}**"
        if one_line(record.answer.text) != one_line(record.answer.short):
            yield from ("", escape(record.answer.text))
    for source in sources_of(record):
        yield from ("", f"> \\[{source.citation.mark}\\] {escape(source.title)}: {escape(source.citation.quote)}")
    yield from ("", f"Gold: {escape(gold_text(example.gold))}")
    if block.scores:
        yield from ("", f"Scores: {', '.join(f'{escape(name)} {number.text}' for name, number in block.scores)}")
