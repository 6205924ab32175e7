"""IRCoT table 2: exact match and F1 next to other systems on large language models.

The systems are internet-augmented answering, ReAct, Self-Ask and DecomP, each as run in its own paper: other models, other
sources of knowledge and other questions, as the authors say of their table. The columns are all of HotpotQA and its bridge
questions, 2WikiMultihopQA, and the questions of MuSiQue with two hops. Both figures are in percent, by the rule of DROP, which
the authors' code computes.
"""

from __future__ import annotations

from collections.abc import Mapping

from hopweave.evaluation.papers._published import Variant, answered_cells, published, variant
from hopweave.evaluation.papers._scores import answered, percent
from hopweave.evaluation.papers._table import Draft, Table, name_of
from hopweave.evaluation.reports.analysis_results import FigureColumn, MeasuredRow, PublishedRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells

_OTHERS = {"internet_augmented": "Internet-augmented", "react": "ReAct", "self_ask": "Self-Ask", "decomp": "DecomP"}
_SYSTEMS = [*(Variant(key, title, key) for key, title in _OTHERS.items()), variant("ircot_direct"), variant("ircot_cot")]
_PARTS: Mapping[str, tuple[tuple[str, str, str, str | int], ...]] = {
    "hotpotqa": (("hotpotqa_bridge", "bridge", "type", "bridge"), ("hotpotqa", "all", "", "")),
    "two_wikimultihopqa": (("two_wikimultihopqa", "all", "", ""),),
    "musique": (("musique_2hop", "2 hops", "hops", 2),),
}
"""Key, name, trait and its value of each part of a dataset that the table has."""


class IRCoTTable2(Table):
    """Exact match and F1 next to other systems on large language models."""

    title = "IRCoT table 2: exact match and F1 next to other systems"
    notes = ("the paper says that its rows are not a head-to-head comparison: models, sources and questions differ",)
    labels = ("dataset", "questions", "method")
    heads = (FigureColumn("exact_match", "EM %", 1), FigureColumn("f1", "F1 %", 1))

    def fill(self, draft: Draft) -> None:
        for dataset in draft.runs.datasets:
            for part in _PARTS.get(dataset.plan.name, ()):
                for one in _SYSTEMS:
                    cells = answered_cells(one, dataset)
                    draft.rows += [_row(draft, dataset, part, one, cell) for cell in cells]
                    printed = _printed(one, part[0])
                    if not cells and printed:
                        draft.rows.append(MeasuredRow((dataset.label, part[1], one.title), published=printed))
                        draft.lacks(dataset, one)


def _row(
    draft: Draft, dataset: DatasetCells, part: tuple[str, str, str, str | int], one: Variant, cell: AnsweredCell
) -> MeasuredRow:
    key, name, trait, value = part
    ids = {asked for asked, example in cell.examples.items() if not trait or example.traits.get(trait) == value}
    scores = {key: draft.runs.scores(cell, key, key, variant="drop").among(ids) for key in ("exact_match", "f1")}
    draft.scored(*scores.values())
    f1 = scores["f1"]
    return MeasuredRow(
        (dataset.label, name, name_of(one, cell)),
        {column: percent(each.mean) for column, each in scores.items()},
        len(f1.values),
        len(f1.failed),
        len(f1.no_data) + len(f1.unscored),
        answered=answered(scores),
        published=_printed(one, key, cell, num=len(f1.values)),
    )


def _printed(one: Variant, part: str, *cells: AnsweredCell, num: int | None = None) -> tuple[PublishedRow, ...]:
    why = {"ircot_cot": [], "ircot_direct": ["the reader answers directly, there with a chain of thought"]}
    others = ["the questions are others, drawn from the same dataset"]
    setups = [cell.setup for cell in cells]
    return published(f"ircot_table2_{one.method}", "system", part, setups, num=num, more=why.get(one.key, others))
