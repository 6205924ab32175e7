"""Runs on disk, made by hand: so that every figure of an analysis can be checked with a pencil."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hopweave.citations.marking import verdict_of
from hopweave.core.catalog import load
from hopweave.core.types import (
    Answer,
    AnswerForm,
    Claim,
    Example,
    Gold,
    GoldStep,
    Message,
    Passage,
    Question,
    Reading,
    Sampling,
    Span,
    Usage,
)
from hopweave.evaluation.reports.analysis import opened
from hopweave.evaluation.reports.analysis_results import AnalysisResult, MeasuredRow
from hopweave.evaluation.runs.folder import DatasetPlan, MethodPlan, Plan, RunFolder
from hopweave.evaluation.scoring.loaded_runs import LoadedRuns
from hopweave.record import SCHEMA, AnyStep, Decision, Failure, Found, ModelCall, Read, Record, Search, Setup, Timing

SMALL = "openai:https://models.example/v1:small"


def asked(
    name: str,
    answers: Sequence[str] = ("Ulm",),
    *,
    form: AnswerForm = "short",
    steps: Sequence[tuple[str, str]] = (),
    facts: Sequence[str] = (),
    passage_ids: Sequence[str] = (),
    **traits: str | int,
) -> Example:
    """An example; its question is `Which is NAME?`."""
    gold = Gold(tuple(answers), tuple(passage_ids), tuple(facts), tuple(GoldStep(*step) for step in steps))
    return Example(Question(name, f"Which is {name}?", form), gold, traits)


def decided(label: str, text: str = "", parent: int | None = None, after: Sequence[int] = (), **data: Any) -> Decision:
    """A decision; its id is given when the record is made."""
    return Decision(0, parent, label, text, data, tuple(after))


def said(prompt: str, reply: str, purpose: str = "answer") -> tuple[str, str, str]:
    """A call of the model, for `answered`."""
    return prompt, reply, purpose


def answered(
    example: Example,
    short: str = "",
    *,
    text: str | None = None,
    claims: Sequence[Claim] = (),
    steps: Sequence[AnyStep | tuple[str, str, str]] = (),
    found: Sequence[Passage] = (),
    reading: float | None = None,
    error: str = "",
    seconds: float = 2.0,
) -> Record:
    """A record of a question.

    Args:
        example: of the question.
        short: the bare answer; `text` the whole one, `claims` its claims.
        steps: what was done, in order: decisions, or calls as `said` gives them.
        found: what one search with the question found, best first; it comes before the steps.
        reading: how sure a reader is of the first passage, if one read it.
        error: why it failed, if it did.
        seconds: that it took.
    """
    every: list[AnyStep] = []
    messages: dict[Message, int] = {}
    if found:
        hits = (tuple(Found(passage.id, 1 / rank) for rank, passage in enumerate(found, start=1)),)
        every.append(Search(0, None, (example.question.text,), 10, hits, None, Timing(0.0, 0.5)))
    if reading is not None:
        every.append(
            Read(0, None, example.question.text, found[0].id, Reading("x", Span(0, 1), reading), None, Timing(0.5, 0.1))
        )
    for step in steps:
        if isinstance(step, tuple):
            place = messages.setdefault(Message("user", step[0]), len(messages))
            clock = Timing(float(len(every)), 0.5)
            call = ModelCall(0, None, step[2], (place,), Sampling(), 0, step[1], "stop", Usage(1, 1), None, clock)
            every.append(call)
        else:
            every.append(step)
    answer = Answer(short if text is None else text, short, tuple(claims), passage_ids=tuple(passage.id for passage in found))
    return Record(
        schema=SCHEMA,
        question=example.question,
        answer=None if error else replace(answer, verdict=verdict_of(answer)),
        error=Failure("ModelError", error) if error else None,
        setup=Setup("0", "?", {}, SMALL),
        messages=tuple(messages),
        passages=tuple({passage.id: passage for passage in found}.values()),
        steps=tuple(replace(step, id=place) for place, step in enumerate(every)),
        started_at="2026-01-01T00:00:00.000+00:00",
        seconds=seconds,
    )


def made(
    folder: Path,
    datasets: Mapping[str, tuple[DatasetPlan | str, Sequence[Example]]],
    cells: Mapping[tuple[str, str], Sequence[Record]],
    methods: Mapping[str, MethodPlan | str] | None = None,
    *,
    llm: str = SMALL,
    retriever: str = "bm25",
    reader: str = "",
    settings: Mapping[str, Any] | None = None,
) -> RunFolder:
    """A run on disk.

    Args:
        folder: where.
        datasets: plan (or name) and examples of each label.
        cells: records by the labels of dataset and method.
        methods: plan (or name) of each label; by default the label is the name.
        llm: identity of the model; `retriever` and `reader` likewise, empty for none.
        settings: of the run, beside the retriever.
    """
    plans = {label: plan if isinstance(plan, DatasetPlan) else DatasetPlan(plan, {"path": f"{plan}.jsonl"})
             for label, (plan, _) in datasets.items()}  # fmt: skip
    labels = dict.fromkeys(method for _, method in cells) | dict.fromkeys(methods or {})
    given = {label: (methods or {}).get(label, label) for label in labels}
    ways = {label: plan if isinstance(plan, MethodPlan) else MethodPlan(plan) for label, plan in given.items()}
    own = {"retriever": retriever, "corpus": "my-index", **(settings or {})}
    run = RunFolder.create(folder, Plan(plans, ways, own))
    for label, (_, examples) in datasets.items():
        run.keep_examples(label, examples)
    for (dataset, method), records in cells.items():
        way = ways[method]
        part = load("methods", way.name)(**way.options)
        options = {name: getattr(part, name) for name in part.__dataclass_fields__}
        setup = Setup("0", way.name, options, llm, f"{retriever}:my-index" if retriever else "", reader, settings=own)
        for record in records:
            run.add(dataset, method, replace(record, setup=setup))
    return run


def result_of(name: str, *runs: RunFolder, **options: Any) -> AnalysisResult:
    """What an analysis finds."""
    return opened(name, options).result(LoadedRuns([RunFolder.open(run.path) for run in runs]))


def row_of(result: AnalysisResult, *labels: str) -> MeasuredRow:
    """The one row that begins with these labels."""
    (row,) = [row for row in result.rows if row.labels[: len(labels)] == labels]
    return row


def figures(row: MeasuredRow, digits: int = 2) -> dict[str, float | None]:
    """The figures of a row, rounded."""
    return {key: None if value is None else round(value, digits) for key, value in row.values.items()}
