"""ToQD figure 3: whether the model knows what it does not know, by template.

Each template (Direct, CoT, and RAG, which is direct retrieval) answers twice: plainly, and probed, that is, asked whether it
can answer and to reply NO! if not. The verdict is from the probed run, rightness from the plain one:

    YES-accuracy = right / YES;  NO-accuracy = 1 - right / NO;  shares of YES and NO among questions that both runs have

and balanced accuracy and Cohen's kappa of the verdict as a judgement of the plain answer. The claim to test is that the share
of NO is the error rate. Figures that need a YES or a NO have no data without one. All in percent except kappa. The paper drew
this and printed no numbers. Right is judged by cover-EM, or by the rule of ToQD's released code with `match = "toqd"`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Literal

from hopweave.evaluation.papers._published import answered_cells, in_run_of, partner_of, variant
from hopweave.evaluation.papers._scores import quality, share
from hopweave.evaluation.papers._table import Draft, Table
from hopweave.evaluation.reports.analysis_results import FigureColumn, MeasuredRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell
from hopweave.record import Decision

_TEMPLATES = {"Direct": "direct", "CoT": "cot", "RAG": "direct_retrieval"}
_PROBING = ("probe", "read_first")


@dataclass(frozen=True, slots=True)
class ToQDFigure3(Table):
    """Whether the model knows what it does not know, by template."""

    title = "ToQD figure 3: whether the model knows what it does not know (probed: YES or NO; right: the plain answer)"
    notes = ("the paper drew this figure and printed no numbers",)
    labels = ("dataset", "template")
    heads = (
        FigureColumn("yes", "YES %"),
        FigureColumn("no", "NO %"),
        FigureColumn("yes_accuracy", "YES-acc. %"),
        FigureColumn("no_accuracy", "NO-acc. %"),
        FigureColumn("accuracy", "accuracy %"),
        FigureColumn("error", "error rate %"),
        FigureColumn("balanced", "balanced acc. %"),
        FigureColumn("kappa", "kappa"),
    )

    match: Annotated[Literal["cover", "toqd"], "what counts as right: cover-EM, or the rule of ToQD's released code"] = "cover"

    def fill(self, draft: Draft) -> None:
        for dataset, (template, key) in product(draft.runs.datasets, _TEMPLATES.items()):
            ones = variant(key), variant(f"{key}_probe")
            plains, probes = (answered_cells(one, dataset) for one in ones)
            for run in dict.fromkeys(cell.run.path for cell in probes) if plains else ():
                own = [cell for cell in probes if cell.run.path == run]
                labels = (dataset.label, f"{template} ({own[0].further})" if own[0].further else template)
                pair = _fitting(plains, own, both_search=key == "direct_retrieval")
                if pair is not None:
                    draft.rows.append(self._row(draft, labels, *pair))
                else:
                    draft.lacks(in_run_of(own[0], dataset), ones[0])
                    draft.rows.append(MeasuredRow(labels))
            if not (plains and probes):
                draft.lacks(dataset, *(one for one, cells in zip(ones, (plains, probes), strict=True) if not cells))
                draft.rows.append(MeasuredRow((dataset.label, template)))

    def _row(self, draft: Draft, labels: tuple[str, str], plain: AnsweredCell, probed: AnsweredCell) -> MeasuredRow:
        scores = quality(draft.runs, plain, match=self.match)
        draft.scored(scores)
        says, failed = verdicts(probed)
        # A failed question says nothing about what the model knows: as a wrong answer it would confirm every NO.
        pairs = {name: (says[name], value >= 1) for name, value in scores.answered.items() if name in says}
        failed |= scores.failed | scores.unscored
        every = plain.examples.keys() & (scores.values.keys() | scores.no_data | says.keys() | failed)
        return MeasuredRow(labels, figures(pairs), len(pairs), len(failed), len(every) - len(pairs) - len(failed))


def _fitting(
    plains: Sequence[AnsweredCell], probes: Sequence[AnsweredCell], *, both_search: bool
) -> tuple[AnsweredCell, AnsweredCell] | None:
    """The first two that differ only in the probe (see `partner_of`); if there are none, the first two with other options."""
    others: list[tuple[AnsweredCell, AnsweredCell]] = []
    for probed in probes:
        same = [plain for plain in plains if _differ_in_probe(plain, probed)]
        if (plain := partner_of(probed, same, both_search=both_search)) is not None:
            return plain, probed
        if (plain := partner_of(probed, plains, both_search=both_search)) is not None:
            others.append((plain, probed))
    return next(iter(others), None)


def _differ_in_probe(plain: AnsweredCell, probed: AnsweredCell) -> bool:
    """Whether two cells have the same options apart from the probe."""
    return all(probed.options.get(key) == value for key, value in plain.options.items() if key not in _PROBING)


def verdicts(cell: AnsweredCell) -> tuple[dict[str, bool], set[str]]:
    """Whether the model says that it can answer, by question, and the questions that failed."""
    says: dict[str, bool] = {}
    failed: set[str] = set()
    for record, _ in cell.pairs():
        if record.error is not None:
            failed.add(record.question.id)
        for step in record.steps:
            if isinstance(step, Decision) and step.label == "probe":
                says[record.question.id] = step.text == "YES"
    return says, failed


def figures(pairs: Mapping[str, tuple[bool, bool]]) -> dict[str, float | None]:
    """The figures of pairs of verdict (YES is true) and rightness."""
    num = len(pairs)
    yes_right = sum(says and right for says, right in pairs.values())
    yes_wrong = sum(says and not right for says, right in pairs.values())
    no_right = sum(not says and right for says, right in pairs.values())
    no_wrong = num - yes_right - yes_wrong - no_right
    num_yes, num_right = yes_right + yes_wrong, yes_right + no_right
    num_no, num_wrong = num - num_yes, num - num_right
    of_right, of_wrong = share(yes_right, num_right), share(no_wrong, num_wrong)
    return {
        "yes": share(num_yes, num),
        "no": share(num_no, num),
        "yes_accuracy": share(yes_right, num_yes),
        "no_accuracy": share(no_wrong, num_no),
        "accuracy": share(num_right, num),
        "error": share(num_wrong, num),
        "balanced": None if of_right is None or of_wrong is None else (of_right + of_wrong) / 2,
        "kappa": _kappa(yes_right + no_wrong, num_yes * num_right + num_no * num_wrong, num),
    }


def _kappa(num_agreed: int, chance: int, num: int) -> float | None:
    """Cohen's kappa; `None` if agreement by chance is certain."""
    if not num or chance == num * num:
        return None
    agreed, by_chance = num_agreed / num, chance / (num * num)
    return (agreed - by_chance) / (1 - by_chance)
