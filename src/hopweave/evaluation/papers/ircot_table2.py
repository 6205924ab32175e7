"""IRCoT table 2: exact match and F1 beside other systems on large language models.

The systems are internet-augmented answering, ReAct, Self-Ask and DecomP, each as its own paper ran it: other models, other
sources of knowledge and other questions, as the authors say of their table. The columns are all of HotpotQA and its bridge
questions, 2WikiMultihopQA, and the questions of MuSiQue with two hops. Both figures are in percent, by the rule of DROP, which
the authors' code computes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hopweave.evaluation.papers._accuracy import name_of
from hopweave.evaluation.papers._missing import how_to_evaluate
from hopweave.evaluation.papers._published import Variant, answered_cells, published, variant
from hopweave.evaluation.papers._quality import answered, percent, problems
from hopweave.evaluation.reports.analysis_results import AnalysisResult, Draft, FigureColumn, MeasuredRow, PublishedRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells, LoadedRuns

_SYSTEMS: Mapping[str, tuple[Variant, str]] = {
    "internet_augmented": (Variant("internet_augmented", "Internet-augmented", "internet_augmented"), "InterAug"),
    "react": (Variant("react", "ReAct", "react"), "ReAct"),
    "self_ask": (Variant("self_ask", "Self-Ask", "self_ask"), "SelfAsk"),
    "decomp": (Variant("decomp", "DecomP", "decomp"), "Decomp"),
    "ircot_direct": (variant("ircot_direct"), "IRCoT QA"),
    "ircot_cot": (variant("ircot_cot"), "IRCoT QA"),
}
_PARTS: Mapping[str, tuple[tuple[str, str, str, str | int], ...]] = {
    "hotpotqa": (("hotpotqa_bridge", "bridge", "type", "bridge"), ("hotpotqa", "all", "", "")),
    "two_wikimultihopqa": (("two_wikimultihopqa", "all", "", ""),),
    "musique": (("musique_2hop", "2 hops", "hops", 2),),
}
"""Key, name, trait and its value of each part of a dataset that the table has."""

_HEADS = (FigureColumn("exact_match", "EM %", 1), FigureColumn("f1", "F1 %", 1))
_OTHERS = "the questions are others, drawn from the same dataset"
_DIRECT = "the reader answers directly, there with a chain of thought"


@dataclass(frozen=True, slots=True)
class IRCoTTable2:
    """Exact match and F1 beside other systems on large language models."""

    def result(self, runs: LoadedRuns) -> AnalysisResult:
        """See `reports.analysis.Analysis`."""
        draft = Draft()
        draft.notes.append("the paper says that its rows are no comparison head to head: models, sources and questions differ")
        for dataset in runs.datasets:
            for part in _PARTS.get(dataset.plan.name, ()):
                for key, (one, _) in _SYSTEMS.items():
                    cells = answered_cells(one, dataset)
                    draft.rows += [_row(runs, dataset, part, one, cell, draft.notes) for cell in cells]
                    printed = tuple(_printed(key, part[0], None, None))
                    if not cells and printed:
                        draft.rows.append(MeasuredRow((dataset.label, part[1], one.title), published=printed))
                        draft.missing.append(how_to_evaluate(dataset, one))
        title = "IRCoT table 2: exact match and F1 beside other systems"
        labels = ("dataset", "questions", "method")
        return draft.made(title, labels, _HEADS)


def _row(
    runs: LoadedRuns,
    dataset: DatasetCells,
    part: tuple[str, str, str, str | int],
    one: Variant,
    cell: AnsweredCell,
    notes: list[str],
) -> MeasuredRow:
    key, name, trait, value = part
    ids = {asked for asked, example in cell.examples.items() if not trait or example.traits.get(trait) == value}
    exact = runs.scores(cell, "exact_match", "exact_match", variant="drop").among(ids)
    f1 = runs.scores(cell, "f1", "f1", variant="drop").among(ids)
    notes += problems(exact, f1)
    return MeasuredRow(
        (dataset.label, name, name_of(one, cell)),
        {"exact_match": percent(exact.mean), "f1": percent(f1.mean)},
        len(f1.values),
        len(f1.failed),
        len(f1.no_data) + len(f1.unscored),
        answered=answered({"exact_match": exact, "f1": f1}),
        published=tuple(_printed(one.key, key, cell, len(f1.values))),
    )


def _printed(system: str, part: str, cell: AnsweredCell | None, num: int | None) -> Iterator[PublishedRow]:
    table = f"ircot_table2_{'ircot' if system.startswith('ircot') else system}"
    setup = None if cell is None else cell.setup
    why = {"ircot_cot": [], "ircot_direct": [_DIRECT]}.get(system, [_OTHERS])
    yield from published(table, "system", part, setup=setup, num=num, more=why)
