"""ToQD figure 3: whether the model knows what it does not know, by template.

Each template (Direct, CoT, and RAG, which is direct retrieval) answers twice: plainly, and probed, that is asked whether it
can answer and to reply NO! if not. The verdict is that of the probed run, what is right that of the plain one:

    YES-accuracy = right / YES;  NO-accuracy = 1 - right / NO;  shares of YES and NO among questions that both runs have

and balanced accuracy and Cohen's kappa of the verdict as a judgement of the plain answer. The claim to test is that the share
of NO is the error rate. Nothing is a figure where there is no YES, or no NO. All in percent but kappa. The paper drew this
and printed no numbers. Right is judged by cover-EM, or by the rule of ToQD's released code with `match = "toqd"`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Literal

from hopweave.evaluation.papers._missing import how_to_evaluate
from hopweave.evaluation.papers._published import answered_cells, variant
from hopweave.evaluation.papers._quality import problems, quality, share
from hopweave.evaluation.reports.analysis_results import AnalysisResult, Draft, FigureColumn, MeasuredRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells, LoadedRuns
from hopweave.record import Decision

_TEMPLATES = {
    "Direct": ("direct", "direct_probe"),
    "CoT": ("cot", "cot_probe"),
    "RAG": ("direct_retrieval", "direct_retrieval_probe"),
}
_PROBING = ("probe", "read_first")
_HEADS = (
    FigureColumn("yes", "YES %"),
    FigureColumn("no", "NO %"),
    FigureColumn("yes_accuracy", "YES-acc. %"),
    FigureColumn("no_accuracy", "NO-acc. %"),
    FigureColumn("accuracy", "accuracy %"),
    FigureColumn("error", "error rate %"),
    FigureColumn("balanced", "balanced acc. %"),
    FigureColumn("kappa", "kappa"),
)


@dataclass(frozen=True, slots=True)
class ToQDFigure3:
    """Whether the model knows what it does not know, by template."""

    match: Annotated[Literal["cover", "toqd"], "what is right: cover-EM, or the rule of ToQD's released code"] = "cover"

    def result(self, runs: LoadedRuns) -> AnalysisResult:
        """See `reports.analysis.Analysis`."""
        draft = Draft()
        draft.notes.append("the paper drew this figure and printed no numbers")
        for dataset in runs.datasets:
            for template, keys in _TEMPLATES.items():
                found = [answered_cells(variant(key), dataset) for key in keys]
                draft.missing += [
                    how_to_evaluate(dataset, variant(key)) for key, cells in zip(keys, found, strict=True) if not cells
                ]
                if not all(found):
                    draft.rows.append(MeasuredRow((dataset.label, template)))
                    continue
                plain, probed = _fitting(*found)
                draft.rows.append(self._row(runs, dataset, template, plain, probed))
                draft.notes += problems(quality(runs, plain, match=self.match))
        title = "ToQD figure 3: whether the model knows what it does not know (probed: YES or NO; right: the plain answer)"
        labels = ("dataset", "template")
        return draft.made(title, labels, _HEADS)

    def _row(
        self, runs: LoadedRuns, dataset: DatasetCells, template: str, plain: AnsweredCell, probed: AnsweredCell
    ) -> MeasuredRow:
        scores = quality(runs, plain, match=self.match)
        says, failed = verdicts(probed)
        # A question that failed tells nothing of what the model knows: counted as wrong it would bear out every NO.
        pairs = {name: (says[name], value >= 1) for name, value in scores.answered.items() if name in says}
        failed |= scores.failed | scores.unscored
        every = plain.examples.keys() & (scores.values.keys() | scores.no_data | says.keys() | failed)
        num_failed = len(failed)
        return MeasuredRow(
            (dataset.label, template), figures(pairs), len(pairs), num_failed, len(every) - len(pairs) - num_failed
        )


def _fitting(plains: Sequence[AnsweredCell], probes: Sequence[AnsweredCell]) -> tuple[AnsweredCell, AnsweredCell]:
    """The first two that differ in nothing but the probe; if there are none, the first two."""
    for plain, probed in product(plains, probes):
        if all(probed.options.get(key) == value for key, value in plain.options.items() if key not in _PROBING):
            return plain, probed
    return plains[0], probes[0]


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
    """Cohen's kappa; `None` where agreement by chance is certain."""
    if not num or chance == num * num:
        return None
    agreed, by_chance = num_agreed / num, chance / (num * num)
    return (agreed - by_chance) / (1 - by_chance)
