"""SearChain table 4: reasoning steps without retrieval, by the hops of the question.

The mean over questions of each number of hops (the trait `hops`; MuSiQue has it in its ids). A step is: for CoT a sentence of
the reasoning except the one that gives the answer, for Self-Ask a follow-up question, for Least-to-Most a sub-question, for
SearChain a query of the chain. The paper does not say how it counted. (Its arXiv version has this as table 5.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from hopweave.answering.parsing.follow_ups import parse_follow_ups
from hopweave.evaluation.papers._published import Variant, answered_cells, datasets_of, variant, variants
from hopweave.evaluation.papers._scores import mean
from hopweave.evaluation.papers._table import Draft, MethodTable, hop_columns, name_of
from hopweave.evaluation.reports.analysis_results import FigureColumn, MeasuredRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells
from hopweave.record import Decision, ModelCall, Record
from hopweave.text.final import SAYS_ANSWER
from hopweave.text.sentences import sentence_spans

_OWN = "toqd_no_retrieval"
"""A row that is not in the paper."""


class SearChainTable4(MethodTable):
    """Reasoning steps without retrieval, by the hops of the question."""

    title = "SearChain table 4: reasoning steps without retrieval, by the hops of the question"
    tables = ("searchain_table4",)
    to_evaluate = "no dataset of the runs has the trait 'hops'; evaluate musique, which has it"

    def columns(self, draft: Draft) -> tuple[FigureColumn, ...]:
        return hop_columns(draft.rows)

    def variants(self) -> list[Variant]:
        return [*variants(*self.tables), variant(_OWN)]

    def cells(self, one: Variant, dataset: DatasetCells) -> list[AnsweredCell]:
        has_hops = any("hops" in example.traits for cell in dataset.cells for example in cell.examples.values())
        return answered_cells(one, dataset) if has_hops else []

    def is_needed(self, one: Variant, dataset: DatasetCells) -> bool:
        return dataset.plan.name in datasets_of(*self.tables) and one.key != _OWN

    def row(self, draft: Draft, dataset: DatasetCells, one: Variant, cell: AnsweredCell) -> MeasuredRow:
        by_hops: dict[str, list[float]] = {}
        num_failed = num_no_data = 0
        for record, example in cell.pairs():
            steps = num_steps(record)
            if record.error is not None:
                num_failed += 1
            elif steps is None or "hops" not in example.traits:
                num_no_data += 1
            else:
                by_hops.setdefault(f"hops_{example.traits['hops']}", []).append(float(steps))
        num = sum(map(len, by_hops.values()))
        printed = self.published(one.key, dataset.plan.name, cell, num=num)
        values = {key: mean(steps) for key, steps in by_hops.items()}
        return MeasuredRow((dataset.label, name_of(one, cell)), values, num, num_failed, num_no_data, published=printed)


def num_steps(record: Record) -> int | None:
    """The steps of a record; `None` for a method without a defined step, or a failed record."""
    count = _COUNTS.get(record.setup.method)
    return None if count is None or record.answer is None else count(record)


def _sentences(record: Record) -> int:
    """Sentences of the chain of thought except the one that gives the answer."""
    text = next(_said(record, "reasoning"), "")
    sentences = (text[span.start : span.end] for span in sentence_spans(text))
    return sum(SAYS_ANSWER.search(sentence) is None for sentence in sentences)


def _follow_ups(record: Record) -> int:
    return len(parse_follow_ups(next(_said(record, "follow_ups"), "")).pairs)


def _sub_questions(record: Record) -> int:
    """Sub-questions of the plan, without the question itself."""
    plan = next((step for step in record.steps if isinstance(step, Decision) and step.label == "plan"), None)
    return 0 if plan is None else len(plan.data.get("sub_questions", ()))


def _nodes(record: Record) -> int:
    return sum(isinstance(step, Decision) and step.label == "node" for step in record.steps)


def _said(record: Record, purpose: str) -> Iterator[str]:
    return (step.text or "" for step in record.steps if isinstance(step, ModelCall) and step.purpose == purpose)


_COUNTS: Mapping[str, Callable[[Record], int]] = {
    "cot": _sentences,
    "self_ask_no_search": _follow_ups,
    "least_to_most": _sub_questions,
    "searchain": _nodes,
    "toqd": _nodes,
}
