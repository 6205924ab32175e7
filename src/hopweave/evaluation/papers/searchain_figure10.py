"""SearChain figure 10: accuracy by how much of the knowledge stands in the prompt.

Of a question with n parts the first n - i stand in the prompt and the last i are left to the model. (a) with their answers,
on S_i: questions of which the model knows the last i parts. (b) control: without their answers, on S_all: questions of which
it knows all. The paper's curves fall as i grows, and (b) is below (a); it printed no numbers. Questions and prompts come from
the dataset `gold_steps` (forms `given` and `listed`), made from the examples of a run. Accuracy is that of the model alone,
in percent. (The arXiv version has this as figure 22.)
"""

from __future__ import annotations

from dataclasses import dataclass

from hopweave.evaluation.papers._missing import NO_HOPS, how_to_evaluate
from hopweave.evaluation.papers._parts import Known, closed_book, has_steps, known_parts, plan_of
from hopweave.evaluation.papers._published import variant
from hopweave.evaluation.papers._quality import PERCENT, mean, problems, quality
from hopweave.evaluation.reports.analysis_results import AnalysisResult, Draft, FigureColumn, MeasuredRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, LoadedRuns

_CURVES = {"given": "(a) with answers, on S_i", "listed": "(b) without answers, on S_all"}


@dataclass(frozen=True, slots=True)
class SearChainFigure10:
    """Accuracy by how much of the knowledge stands in the prompt."""

    def result(self, runs: LoadedRuns) -> AnalysisResult:
        """See `reports.analysis.Analysis`."""
        known = known_parts(runs)
        draft = Draft()
        draft.notes.append("the paper drew these curves and printed no numbers")
        lacking = [] if known else ["parts"]
        for form, curve in _CURVES.items():
            cells = list(closed_book(runs, form))
            for cell in cells if known else ():
                draft.rows += _rows(runs, cell, known, curve, form)
                draft.notes += problems(quality(runs, cell))
            if not cells:
                lacking.append(form)
            if not cells or not known:
                draft.rows.append(MeasuredRow((curve, "-")))
        one = variant("direct")
        draft.missing += [
            how_to_evaluate(dataset, one, plan=plan_of(dataset, form), suffix=form)
            for dataset in filter(has_steps, runs.datasets)
            for form in lacking
        ]
        if lacking and not draft.missing:
            draft.missing.append(NO_HOPS)
        most = max([4, *(int(key.removeprefix("i_")) for row in draft.rows for key in row.values if key.startswith("i_"))])
        heads = tuple(FigureColumn(f"i_{number}", f"i = {number} %", 1) for number in range(1, most + 1))
        title = "SearChain figure 10: accuracy with the last i parts left to the model, the others in the prompt"
        return draft.made(title, ("curve", "hops"), heads, "answers")


def _rows(runs: LoadedRuns, cell: AnsweredCell, known: dict[str, Known], curve: str, form: str) -> list[MeasuredRow]:
    scores = quality(runs, cell)
    found: dict[int, dict[str, list[float]]] = {}
    failed: dict[int, int] = {}
    for name, example in cell.examples.items():
        of_question = known.get(str(example.traits["whole"]))
        if of_question is None:
            continue
        left, hops = int(example.traits["left"]), of_question.num_parts
        is_inside = of_question.knows_last(left if form == "given" else hops)
        if is_inside is None or (is_inside and name in scores.failed):
            failed[hops] = failed.get(hops, 0) + 1
        if is_inside and name in scores.values:
            found.setdefault(hops, {}).setdefault(f"i_{left}", []).append(PERCENT * scores.values[name])
    return [
        MeasuredRow(
            (curve, str(hops)),
            {key: mean(values) for key, values in found.get(hops, {}).items()},
            sum(map(len, found.get(hops, {}).values())),
            failed.get(hops, 0),
        )
        for hops in sorted(found.keys() | failed.keys())
    ]
