"""SearChain appendix A.4.1: the threshold theta that best tells which passages answer a question.

Pairs are a question and its first passage, as `direct_retrieval` with `read_first = true` has a reader read them, pooled over
the datasets of the runs. A pair is positive if the passage holds a right answer, and predicted positive if the reader's
confidence is above theta. From `start` by `step`; the best F1 is kept, of equal ones the higher theta. A theta belongs to a
reader: rows are by reader. For pairs of your own: `hopweave calibrate PAIRS`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Annotated

from hopweave.evaluation.papers._missing import how_to_evaluate
from hopweave.evaluation.papers._published import ALL, published, variant
from hopweave.evaluation.papers._quality import percent
from hopweave.evaluation.reports.analysis_results import AnalysisResult, Draft, FigureColumn, MeasuredRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, LoadedRuns
from hopweave.evaluation.scoring.reader_thresholds import Scored, best_of, f1_interval, sweep, thresholds
from hopweave.record import Read
from hopweave.text.matching import is_contained

_HEADS = (
    FigureColumn("theta", "theta"),
    FigureColumn("f1", "F1 %"),
    FigureColumn("precision", "precision %"),
    FigureColumn("recall", "recall %"),
    FigureColumn("low", "F1 from %"),
    FigureColumn("high", "F1 to %"),
    FigureColumn("positive", "positive", 0),
)


@dataclass(frozen=True, slots=True)
class SearChainTheta:
    """The threshold of a reader with the best F1 on questions and their first passages."""

    start: Annotated[float, "first threshold; 1.0 is the paper's, lower for readers whose confidence is around 0"] = 1.0
    step: Annotated[float, "between two thresholds"] = 0.1

    def result(self, runs: LoadedRuns) -> AnalysisResult:
        """See `reports.analysis.Analysis`."""
        by_reader: dict[str, list[Scored]] = {}
        num_failed: dict[str, int] = {}
        cells: dict[str, AnsweredCell] = {}
        for cell in runs.cells:
            if cell.setup is None or not cell.setup.reader:
                continue
            scored, failed = _pairs(cell)
            reader = cell.setup.reader
            if scored or failed:
                by_reader.setdefault(reader, []).extend(scored)
                num_failed[reader] = num_failed.get(reader, 0) + failed
                cells.setdefault(reader, cell)
        draft = Draft()
        draft.rows += [self._row(reader, scored, num_failed[reader], cells[reader]) for reader, scored in by_reader.items()]
        draft.missing += [
            f"no theta from {self.start:g} up finds a positive pair of {row.labels[0]}; set --set searchain_theta.start=..."
            for row in draft.rows
            if row.num and row.values.get("theta") is None
        ]
        if not draft.rows:
            one = replace(variant("direct_retrieval"), options={"read_first": True})
            draft.rows.append(MeasuredRow(("-",), published=published("searchain_theta", "searchain", ALL, setup=None)))
            draft.missing += [how_to_evaluate(dataset, one, suffix="read") for dataset in runs.datasets]
        title = "SearChain appendix A.4.1: the threshold theta with the best F1"
        draft.notes.append(
            "pairs are questions with their first passage, of all datasets; the interval is 95%, by bootstrap of questions"
        )
        return draft.made(title, ("reader",), _HEADS, "pairs")

    def _row(self, reader: str, scored: list[Scored], num_failed: int, cell: AnsweredCell) -> MeasuredRow:
        highest = max((one.score for one in scored), default=self.start)
        num_steps = max(0, math.ceil((highest - self.start) / self.step - 1e-9)) if self.step > 0 else 0
        best = best_of(sweep(scored, thresholds(self.start, self.start + num_steps * self.step, self.step)))
        values: dict[str, float | None] = {"positive": float(sum(one.is_positive for one in scored)) if scored else None}
        if best is not None:
            low, high = f1_interval(scored, best.threshold) or (None, None)
            values |= {"theta": best.threshold, "f1": percent(best.f1), "precision": percent(best.precision)}
            values |= {"recall": percent(best.recall), "low": percent(low), "high": percent(high)}
        why = () if "dpr" in reader.lower() else (f"the reader is {reader}, there DPR's: their confidences have other scales",)
        printed = published("searchain_theta", "searchain", ALL, setup=cell.setup, more=[*why, "other pairs"])
        return MeasuredRow((reader,), values, len(scored), num_failed, published=printed)


def _pairs(cell: AnsweredCell) -> tuple[list[Scored], int]:
    """The readings of the questions themselves, and how many failed."""
    scored: list[Scored] = []
    num_failed = 0
    for record, example in cell.pairs():
        texts = {passage.id: passage.text for passage in record.passages}
        for step in record.steps:
            if not isinstance(step, Read) or step.query != record.question.text or not example.gold.answers:
                continue
            if step.reading is None:
                num_failed += 1
                continue
            is_positive = any(is_contained(answer, texts[step.passage_id]) for answer in example.gold.answers)
            scored.append(Scored(step.reading.confidence, is_positive, record.question.id))
    return scored, num_failed
