"""The sections of a report on what was done: what was run, what failed, examples, and how to do it again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from hopweave.evaluation.reports import blocks
from hopweave.evaluation.reports.numbers import Style, count, entry, key_of, style_for
from hopweave.evaluation.reports.run_summary import OF_ERRORS, WHERES
from hopweave.evaluation.scoring.results import DatasetFacts, ExampleAnswer, FailureKind, MethodFacts, ReportData
from hopweave.record import what_failed, what_to_do
from hopweave.show.plain import cut, one_line
from hopweave.show.table import Row, Table, TableCell, columns, row

_MAX_IDS = 5
_MAX_MESSAGE_CHARACTERS = 160
UNKNOWN = "not stated"


def what_was_run(data: ReportData) -> blocks.Section:
    """Datasets, methods, model, budget, and what must not be compared with published numbers."""
    made: list[blocks.Block] = list(_unfinished(data))
    datasets = tuple(
        row(
            _named(facts),
            count(f"dataset/{key_of(facts.label)}/questions", facts.num_questions),
            facts.draw,
            facts.corpus,
            entry(facts.licence or UNKNOWN, below=(facts.address,) if facts.address else ()),
        )
        for facts in data.datasets
    )
    made += [blocks.Subtitle("Datasets"), Table(columns(("Dataset", "Questions", "Drawn", "Corpus", "Licence")), datasets)]
    changed = tuple(row(_named(facts), _options(facts.changed)) for facts in data.methods)
    in_full = tuple(row(facts.label, _options(facts.options)) for facts in data.methods)
    made += [
        blocks.Subtitle("Methods"),
        Table(columns(("Method", "Options other than the defaults")), changed),
        Table(columns(("Method", "Options")), in_full, "Every option", is_folded=True),
    ]
    if data.facts:
        made += [blocks.Subtitle("Everything else"), blocks.Facts(data.facts)]
    if data.caveats:
        made += [
            blocks.Subtitle("Not comparable with published numbers"),
            blocks.Bullets(tuple((caveat,) for caveat in data.caveats)),
        ]
    return blocks.Section("what-was-run", "What was run", tuple(made))


def _unfinished(data: ReportData) -> Iterator[blocks.Paragraph]:
    for cell in data.cells:
        if cell.num_records < cell.num_questions:
            start = key_of(cell.dataset, cell.method)
            numbers = count(f"{start}/records", cell.num_records), count(f"{start}/questions", cell.num_questions)
            words = (f"Not done: {cell.method} on {cell.dataset} has ", numbers[0], " of ", numbers[1], " records.")
            yield blocks.Paragraph(words, is_warning=True)


def _named(facts: DatasetFacts | MethodFacts) -> TableCell:
    """What a part is called here, and what it is."""
    said = ": ".join(filter(None, (facts.name if facts.name != facts.label else "", facts.summary)))
    return entry(facts.label, below=(said,) if said else ())


def _options(options: Mapping[str, object]) -> TableCell:
    said = ", ".join(f"{key} = {json.dumps(value, ensure_ascii=False, default=str)}" for key, value in options.items())
    return TableCell((said or "\u2013",), is_code=bool(said))


def failures(data: ReportData) -> blocks.Section:
    """Failures by kind, with the ids of questions to look at."""
    if not data.failures:
        return blocks.Section("failures", "Failures", (blocks.Paragraph(("Nothing failed, and every answer could be read.",)),))
    made: list[blocks.Block] = []
    for dataset in dict.fromkeys(failure.dataset for failure in data.failures):
        mine = [failure for failure in data.failures if failure.dataset == dataset]
        table = []
        for where in sorted({failure.where for failure in mine}, key=_in_order):
            table.append(Row(heading=where))
            table += [_failure_row(failure) for failure in mine if failure.where == where]
        heads = columns(("Method", "Questions", "What failed", "Message of the first", "Such as"))
        made += [blocks.Subtitle(dataset), Table(heads, tuple(table))]
    return blocks.Section("failures", "Failures", tuple(made))


def _in_order(where: str) -> tuple[int, str]:
    return (WHERES.index(where) if where in WHERES else len(WHERES), where)


def _failure_row(failure: FailureKind) -> Row:
    start = f"failures/{key_of(failure.dataset, failure.method, failure.where, failure.kind)}"
    is_error = failure.where not in WHERES or failure.where in OF_ERRORS
    to_do = what_to_do(failure.kind) if is_error else ""
    shown = ", ".join(one_line(name) for name in failure.question_ids[:_MAX_IDS])
    more = ", \u2026" if len(failure.question_ids) > _MAX_IDS else ""
    return row(
        failure.method,
        count(f"{start}/questions", len(failure.question_ids)),
        entry(what_failed(failure.kind) if is_error else failure.kind, below=(to_do,) if to_do else ()),
        entry(cut(one_line(failure.message), _MAX_MESSAGE_CHARACTERS)),
        TableCell((shown + more,), is_code=True),
    )


def examples(data: ReportData) -> blocks.Section | None:
    """Answers with their citations."""
    if not data.examples:
        return None
    rule = (
        "Answers with citations, taken from methods and datasets in turn and in the order of the questions; then others, if "
        "there are not enough. They are not chosen by score."
    )
    shown = tuple(_shown(data, number, example) for number, example in enumerate(data.examples, start=1))
    return blocks.Section("examples", "Example answers", (blocks.Paragraph((rule,)), *shown))


def _shown(data: ReportData, number: int, example: ExampleAnswer) -> blocks.ShownAnswer:
    scores = []
    for name, value in example.scores.items():
        style = style_for(data.columns[name].column, [value]) if name in data.columns else Style()
        scores.append((name, style.number(f"example/{number}/{key_of(name)}", value)))
    return blocks.ShownAnswer(number, example, tuple(scores))


def how_to_reproduce(data: ReportData) -> blocks.Section:
    """The commands."""
    after = (
        "Every number above stands in numbers.json under a key, with its full value and the hash of each file of this report; "
        "hopweave verify computes them again from the records and says what differs."
    )
    return blocks.Section("reproduce", "How to reproduce", (blocks.Commands(data.commands), blocks.Paragraph((after,))))


def gold_text(answers: Sequence[str]) -> str:
    """The right answers on one line."""
    return " / ".join(one_line(answer) for answer in answers) or "none"


def heading_of(example: ExampleAnswer) -> str:
    """Where an example comes from."""
    return f"{example.method} on {example.dataset}, question {one_line(example.record.question.id)}"
