"""SearChain appendix A.4.1: the threshold theta that best separates passages that answer a question from others.

Pairs are a question and its first passage, as `direct_retrieval` with `read_first = true` has a reader read them, pooled over
the datasets of the runs. A pair is positive if the passage holds a right answer, and predicted positive if the reader's
confidence is above theta. From `start` by `step`; the best F1 is kept, with the higher theta if tied. A theta belongs to a
reader: rows are by reader. For pairs of your own: `hopweave calibrate PAIRS`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated

from hopweave.evaluation.papers._published import ALL, variant
from hopweave.evaluation.papers._scores import percent
from hopweave.evaluation.papers._table import Draft, Table
from hopweave.evaluation.reports.analysis_results import FigureColumn, MeasuredRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell
from hopweave.evaluation.scoring.reader_thresholds import Scored, best_of, f1_interval, sweep, thresholds
from hopweave.record import Read, Record, Search
from hopweave.text.matching import is_contained


@dataclass(frozen=True, slots=True)
class SearChainTheta(Table):
    """The threshold of a reader with the best F1 on questions and their first passages."""

    title = "SearChain appendix A.4.1: the threshold theta with the best F1"
    tables = ("searchain_theta",)
    labels = ("reader",)
    heads = (
        FigureColumn("theta", "theta"),
        FigureColumn("f1", "F1 %"),
        FigureColumn("precision", "precision %"),
        FigureColumn("recall", "recall %"),
        FigureColumn("low", "F1 from %"),
        FigureColumn("high", "F1 to %"),
        FigureColumn("positive", "positive", 0),
    )
    last_notes = (
        "pairs are questions with their first passage, of all datasets; the interval is 95%, by bootstrap of questions",
    )
    counted = "pairs"

    start: Annotated[float, "first threshold; 1.0 is the paper's, lower for readers whose confidence is around 0"] = 1.0
    step: Annotated[float, "between two thresholds"] = 0.1

    def fill(self, draft: Draft) -> None:
        by_reader: dict[str, list[tuple[AnsweredCell, list[Scored], int]]] = {}
        for cell in draft.runs.cells:
            if cell.name == "direct_retrieval" and cell.options.get("read_first") and cell.setup is not None:
                scored, num_failed = _pairs(cell)
                if scored or num_failed:
                    by_reader.setdefault(cell.setup.reader, []).append((cell, scored, num_failed))
        for reader, found in by_reader.items():
            row = self._row(reader, [one for _, scored, _ in found for one in scored], found[0][0])
            draft.rows.append(replace(row, num_failed=sum(num_failed for _, _, num_failed in found)))
            if row.num and row.values.get("theta") is None:
                what = f"no theta from {self.start:g} up finds a positive pair of {reader}"
                draft.missing.append(f"{what}; set --set searchain_theta.start=...")
        if not draft.rows:
            one = replace(variant("direct_retrieval"), options={"read_first": True})
            draft.rows.append(MeasuredRow(("-",), published=self.published("searchain", ALL)))
            for dataset in draft.runs.datasets:
                draft.lacks(dataset, one, suffix="read")

    def _row(self, reader: str, scored: list[Scored], cell: AnsweredCell) -> MeasuredRow:
        highest = max((one.score for one in scored), default=self.start)
        num_steps = max(0, math.ceil((highest - self.start) / self.step - 1e-9)) if self.step > 0 else 0
        best = best_of(sweep(scored, thresholds(self.start, self.start + num_steps * self.step, self.step)))
        values: dict[str, float | None] = {"positive": float(sum(one.is_positive for one in scored)) if scored else None}
        if best is not None:
            values |= {"theta": best.threshold, "f1": percent(best.f1), "precision": percent(best.precision)}
            values |= {"recall": percent(best.recall), "low": None, "high": None}
            if (interval := f1_interval(scored, best.threshold)) is not None:
                values |= {"low": percent(interval.low), "high": percent(interval.high)}
        why = () if "dpr" in reader.lower() else (f"the reader is {reader}, there DPR's: their confidences have other scales",)
        printed = self.published("searchain", ALL, cell, why=[*why, "other pairs"])
        return MeasuredRow((reader,), values, len(scored), published=printed)


def _pairs(cell: AnsweredCell) -> tuple[list[Scored], int]:
    """The readings of the questions with their first passages, and how many failed."""
    scored: list[Scored] = []
    num_failed = 0
    for record, example in cell.pairs():
        first = _first_passage(record)
        for step in record.steps:
            if not isinstance(step, Read) or step.passage_id != first or not example.gold.answers:
                continue
            if step.reading is None:
                num_failed += 1
                continue
            is_positive = any(is_contained(answer, record.passage(first).text) for answer in example.gold.answers)
            scored.append(Scored(step.reading.confidence, is_positive, record.question.id))
    return scored, num_failed


def _first_passage(record: Record) -> str:
    """The id of the passage that the first search with the question found first; empty without one."""
    asked = (step for step in record.steps if isinstance(step, Search) and step.queries[:1] == (record.question.text,))
    hits = next((step.hits[0] for step in asked if step.hits and step.hits[0]), ())
    return hits[0].passage_id if hits else ""
