"""SearChain figure 10: accuracy by how much of the knowledge is in the prompt.

Of a question with n parts the first n - i are in the prompt and the last i are left to the model. (a) with their answers,
on S_i: questions of which the model knows the last i parts. (b) control: without their answers, on S_all: questions of which
it knows all. The paper's curves fall as i grows, and (b) is below (a); it printed no numbers. Questions and prompts come from
the dataset `gold_steps` (forms `given` and `listed`), made from the examples of a run. Accuracy is that of the model alone,
in percent. (The arXiv version has this as figure 22.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from hopweave.evaluation.papers._parts import NO_HOPS, Known, closed_book, has_steps, known_parts, plan_of
from hopweave.evaluation.papers._published import variant
from hopweave.evaluation.papers._scores import PERCENT, mean, quality
from hopweave.evaluation.papers._table import Draft, Table
from hopweave.evaluation.reports.analysis_results import FigureColumn, MeasuredRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell

_CURVES = {"given": "(a) with answers, on S_i", "listed": "(b) without answers, on S_all"}


class SearChainFigure10(Table):
    """Accuracy by how much of the knowledge is in the prompt."""

    title = "SearChain figure 10: accuracy with the last i parts left to the model, the others in the prompt"
    labels = ("curve", "hops")
    notes = ("the paper drew these curves and printed no numbers",)
    counted = "answers"

    def fill(self, draft: Draft) -> None:
        is_asked = next(closed_book(draft.runs, "parts"), None) is not None
        lacking: list[tuple[str, AnsweredCell | None]] = [] if is_asked else [("parts", None)]
        for form, curve in _CURVES.items():
            cells = list(closed_book(draft.runs, form))
            are_several = len({cell.run.path for cell in cells}) > 1
            for cell in cells:
                known = known_parts(draft.runs, cell)
                named = f"{curve} ({cell.further})" if are_several and cell.further else curve
                draft.rows += _rows(draft, cell, known, named, form) if known else [MeasuredRow((named, "-"))]
                if not known:
                    lacking.append(("parts", cell))
            if not cells:
                lacking.append((form, None))
                draft.rows.append(MeasuredRow((curve, "-")))
        for dataset in filter(has_steps, draft.runs.datasets):
            for form, of in lacking:
                own = replace(dataset, run=of.run) if of is not None else dataset
                draft.lacks(own, variant("direct"), plan=plan_of(dataset, form), suffix=form)
        if lacking and not draft.missing:
            draft.missing.append(NO_HOPS)

    def columns(self, draft: Draft) -> tuple[FigureColumn, ...]:
        most = max([4, *(int(key.removeprefix("i_")) for row in draft.rows for key in row.values)])
        return tuple(FigureColumn(f"i_{number}", f"i = {number} %", 1) for number in range(1, most + 1))


def _rows(draft: Draft, cell: AnsweredCell, known: Mapping[str, Known], curve: str, form: str) -> Iterator[MeasuredRow]:
    scores = quality(draft.runs, cell)
    draft.scored(scores)
    found: dict[int, dict[str, list[float]]] = {}
    failed: Counter[int] = Counter()
    for name, example in cell.examples.items():
        of_question = known.get(str(example.traits["whole"]))
        if of_question is None:
            continue
        left, hops = int(example.traits["left"]), of_question.num_parts
        is_inside = of_question.knows_last(left if form == "given" else hops)
        if is_inside is None or (is_inside and name in scores.failed):
            failed[hops] += 1
        if is_inside and name in scores.values:
            found.setdefault(hops, {}).setdefault(f"i_{left}", []).append(PERCENT * scores.values[name])
    for hops in sorted(found.keys() | failed.keys()):
        own = found.get(hops, {})
        means = {key: mean(values) for key, values in own.items()}
        yield MeasuredRow((curve, str(hops)), means, sum(map(len, own.values())), failed[hops])
