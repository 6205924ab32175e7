"""Evaluations in the explorer: from the mean of a cell to the questions behind it, by outcome, to one record.

Everything is computed from what `hopweave evaluate` and `hopweave score` wrote. Runs contain gold answers, and
passages regardless of their labels, so only a server without keys shows them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response

from hopweave.apps.server.callers import Caller
from hopweave.apps.server.refusals import Refused, refusing
from hopweave.apps.server.routes._given import BEARER, TheCaller, TheService
from hopweave.apps.server.schemas import REFUSALS
from hopweave.apps.server.service import Service
from hopweave.core.errors import DataError
from hopweave.core.json_text import mapping_adapter
from hopweave.core.types import Column, Example
from hopweave.evaluation.reports.conclusions import conclusions
from hopweave.evaluation.reports.input import read_report_data
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.scoring.cells import Scored
from hopweave.evaluation.scoring.score import became, read_scores
from hopweave.evaluation.scoring.summary import metrics_of, primary_columns, read_summary, scored_datasets
from hopweave.record import Record
from hopweave.show.browser import support_summary
from hopweave.show.legend import banner_of
from hopweave.show.table import plain_text

router = APIRouter(tags=["reports"], dependencies=[BEARER], responses=REFUSALS)

RIGHT = "right"
Label = Annotated[str, Query(description="Its name in the run.", max_length=200)]


@router.get("/v1/runs")
async def runs(service: TheService, caller: TheCaller) -> dict[str, Any]:
    """The evaluations that can be shown; none if the server has keys."""
    return {"runs": list(_offered(service, caller))}


@router.get("/v1/runs/{name}")
async def run(name: str, service: TheService, caller: TheCaller) -> dict[str, Any]:
    """Which method is better, in sentences; and the cells, a method on a dataset each, with the means of their columns."""
    folder = _folder(name, service, caller)
    return await asyncio.to_thread(_cells, folder)


@router.get("/v1/runs/{name}/questions")
async def questions(
    name: str,
    dataset: Label,
    method: Label,
    service: TheService,
    caller: TheCaller,
    column: Annotated[
        str, Query(description="The column to show; by default the one that methods are compared by.", max_length=200)
    ] = "",
) -> dict[str, Any]:
    """The questions of a cell, each with its value and its outcome."""
    folder = _folder(name, service, caller)
    return await asyncio.to_thread(_questions, folder, dataset, method, column)


@router.get("/v1/runs/{name}/record", response_class=Response)
async def record(
    name: str,
    dataset: Label,
    method: Label,
    question: Annotated[str, Query(description="The id of the question.", max_length=2000)],
    service: TheService,
    caller: TheCaller,
) -> Response:
    """One record of an evaluation, with a summary of its support in words."""
    folder = _folder(name, service, caller)
    return Response(await asyncio.to_thread(_record, folder, dataset, method, question), media_type="application/json")


def cause_of(made: Record, value: float | None, column: Column) -> str:
    """The outcome of a question as a short phrase: `right`, or why not."""
    state = became(made)
    if made.error is not None:
        return f"failed: {made.error.kind}"
    if state != "answered":
        return state
    if value is None:
        return "not scored"
    best, worst = (column.high, column.low) if column.better == "higher" else (column.low, column.high)
    if value == best:
        return RIGHT
    standing = made.answer.verdict.standing if made.answer is not None else "unsupported"
    rests = {
        "supported": "rests on a passage",
        "uncertain": "found in a passage, not certain",
        "contradicted": "contradicted by a passage",
        "unsupported": "rests on nothing",
    }
    return f"{'wrong' if value == worst else 'partly right'}, {rests[standing]}"


def _offered(service: Service, caller: Caller) -> Iterator[str]:
    yield from service.server.runs if caller.limits is None else ()


def _folder(name: str, service: Service, caller: Caller) -> RunFolder:
    """The folder of an evaluation.

    Raises:
        Refused: if there is none for the caller.
    """
    if name not in _offered(service, caller):
        raise Refused(404, "unknown_run", f"there is no evaluation {name[:100]!r}; GET /v1/runs lists them")
    with refusing(DataError):
        return RunFolder.open(Path(service.server.runs[name]))


def _cells(folder: RunFolder) -> dict[str, Any]:
    with refusing(DataError):
        found = read_report_data(folder)
    columns = {
        name: {"meaning": one.column.meaning, "better": one.column.better, "unit": one.column.unit}
        for name, one in found.columns.items()
    }
    means = [
        {
            "dataset": cell.dataset,
            "method": cell.method,
            "num_questions": cell.num_questions,
            "num_records": cell.num_records,
            "num_failed": cell.num_failed,
            "means": {name: asdict(mean) for name, mean in cell.means.items()},
        }
        for cell in found.cells
    ]
    said = [plain_text(words) for words in conclusions(found)]
    return {"name": found.name, "conclusions": said, "columns": columns, "primary": dict(found.primary), "cells": means}


def _scored(folder: RunFolder, dataset: str, method: str) -> tuple[Scored, str]:
    """The scores of a dataset, and the column that its methods are compared by.

    Raises:
        Refused: if the run has no such cell, or was not scored.
    """
    _check_cell(folder, dataset, method)
    with refusing(DataError):
        summary = read_summary(folder)
        if summary is None:
            raise DataError("the evaluation is not scored yet; run first: hopweave score")
        metrics = metrics_of(summary)
        of_dataset = {one.dataset: one for one in scored_datasets(folder, read_scores(folder), metrics)}
        found = of_dataset[dataset]
        return found, primary_columns(folder, found.columns).get(dataset, "")


def _check_cell(folder: RunFolder, dataset: str, method: str) -> None:
    if dataset not in folder.plan.datasets or method not in folder.plan.methods:
        raise Refused(404, "unknown_cell", "the evaluation has no such method on such a dataset; GET /v1/runs/NAME lists them")


def _questions(folder: RunFolder, dataset: str, method: str, column: str) -> dict[str, Any]:
    found, primary = _scored(folder, dataset, method)
    shown = column or primary
    if shown not in found.columns:
        raise Refused(422, "invalid_request", f"the column {shown[:100]!r} has no value for each question; name another")
    quality = found.columns[primary] if primary in found.columns else found.columns[shown]
    values, measured = found.values(shown, method), found.values(primary or shown, method)
    examples = {one.question.id: one for one in found.examples}
    kind = quality[method].column if method in quality else Column("")
    with refusing(DataError):
        rows = [
            _row(made, examples[made.question.id], values.get(made.question.id), measured.get(made.question.id), kind)
            for made in folder.records(dataset, method)
            if made.question.id in examples
        ]
    return {"column": shown, "questions": rows}


def _row(made: Record, example: Example, value: float | None, measured: float | None, column: Column) -> dict[str, Any]:
    answer = made.answer
    return {
        "id": made.question.id,
        "question": made.question.text,
        "short": answer.short if answer is not None else "",
        "gold": list(example.gold.answers),
        "value": value,
        "cause": cause_of(made, measured, column),
        "support": answer.verdict.support if answer is not None else None,
        "standing": banner_of(answer).standing if answer is not None else None,
        "confidence": answer.verdict.confidence if answer is not None else None,
        "seconds": made.seconds,
    }


def _record(folder: RunFolder, dataset: str, method: str, question: str) -> str:
    _check_cell(folder, dataset, method)
    with refusing(DataError):
        found = next((one for one in folder.records(dataset, method) if one.question.id == question), None)
    if found is None:
        raise Refused(404, "unknown_question", f"there is no record of question {question[:100]!r}")
    summary = mapping_adapter().dump_json(support_summary(found)).decode()
    return f'{{"summary":{summary},"record":{found.to_json()}}}'
