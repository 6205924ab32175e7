"""ReportData for a report, small enough that a test can say every number of them."""

from __future__ import annotations

import math
from typing import Any

from support.small_run import LIGHT
from support.worked import claimed, quoted, worked

from hopweave.core.types import Column
from hopweave.evaluation.scoring.results import (
    Cell,
    Comparison,
    DatasetFacts,
    ExampleAnswer,
    FailureKind,
    Frontier,
    Group,
    Interval,
    Mean,
    MethodFacts,
    Point,
    ReportData,
    ReportedComparisons,
    ScoredColumn,
)

COLUMNS = {
    "f1": ScoredColumn(Column("words in common")),
    "map": ScoredColumn(Column("ranks of the evidence")),
    "tokens": ScoredColumn(Column("read and written", better="lower", high=math.inf, unit="tokens"), is_cost=True),
    "cost": ScoredColumn(Column("price", better="lower", high=math.inf, unit="EUR"), is_cost=True),
}


def cell(method: str, f1: float | None, tokens: float, dataset: str = "wiki", **more: Any) -> Cell:
    """A cell of 40 questions, of which two failed."""
    means = {
        "f1": Mean(f1, 40, 2, 0, Interval(f1 - 0.1, f1 + 0.1), Interval(f1, f1 + 0.05), answered=f1 * 40 / 38)
        if f1 is not None
        else Mean(None, 0, 0, 40),
        "map": Mean(None, 0, 0, 40),
        "tokens": Mean(tokens, 40, 0, 0, Interval(tokens * 0.9, tokens * 1.1)),
        "cost": Mean(None, 0, num_unscored=40),
    }
    return Cell(dataset, method, 40, more.pop("num_records", 40), 2, 3, 1, more.pop("means", means))


def example(dataset: str = "wiki", method: str = "searchain", **more: Any) -> ExampleAnswer:
    """An answer with a citation, or one that failed."""
    if "error" in more:
        record, made = worked(golds=["1874"], question="When was it lit?", **more)
    else:
        claims = (claimed("When was it lit?", "In 1874.", quoted(1, LIGHT, "It is painted white.")),)
        record, made = worked("1874", ["1874"], text="It was lit in 1874 [1].", claims=claims, passages=[LIGHT], **more)
    return ExampleAnswer(dataset, method, record, made.gold.answers, {"f1": 1.0} if "error" not in more else {})


def small_tables(**more: Any) -> ReportData:
    """Two methods on one dataset; `more` takes the place of fields."""
    cells = (cell("direct", 0.3, 120.0), cell("searchain", 0.55, 2400.0))
    points = tuple(
        Point(
            one.method, one.means["tokens"].value, one.means["f1"].value, one.means["f1"].interval, is_best=True, support=0.99
        )
        for one in cells
    )
    compared = Comparison("wiki", "f1", "searchain", "direct", 37, 3, 0.25, Interval(0.11, 0.39), "permutation", 0.0004, 0.0008)
    groups = tuple(Group("hops", hops, cell(method, f1, 100.0)) for hops, method, f1 in (
        (2, "direct", 0.4), (2, "searchain", 0.6), (3, "direct", 0.2), (3, "searchain", None)
    ))  # fmt: skip
    fields: dict[str, Any] = {
        "name": "trial",
        "datasets": (DatasetFacts("wiki", "hotpotqa", "HotpotQA", "CC BY-SA 4.0", "https://example.org", 40, "all", "pooled"),),
        "methods": (
            MethodFacts("direct", "direct", "one call", {"max_tokens": 64, "seed": 0}, {"max_tokens": 64}),
            MethodFacts("searchain", "searchain", "", {}, {}),
        ),
        "facts": (("version", "0.1.0"), ("model", "small@abc")),
        "caveats": ("Only 40 questions were drawn.",),
        "columns": COLUMNS,
        "primary": {"wiki": "f1"},
        "cells": cells,
        "comparisons": (ReportedComparisons("wiki", "f1", "direct", (compared,), "Under seed 0.", is_primary=True),),
        "groups": groups,
        "frontiers": (Frontier("wiki", "f1", "tokens", points),),
        "failures": (FailureKind("wiki", "direct", "questions without an answer", "ModelError", "503", ("q3", "q9")),),
        "examples": (example(),),
        "notes": ("Intervals are of a bootstrap.",),
        "commands": ("hopweave evaluate plan.toml --out trial",),
        "plan": "[settings]\n",
    }
    return ReportData(**(fields | more))
