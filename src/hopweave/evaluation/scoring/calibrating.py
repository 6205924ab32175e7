"""Fits the confidence of answers on labelled ones, and chooses the threshold of a tick.

The probability that an answer is right is a logistic regression on the signals of its record (`hopweave.record.signals`), with
a ridge penalty, so that few labels suffice. Everything that is reported of it, and the threshold, comes from predictions for
answers that were left out of the fit: the questions are divided into folds, and each fold is predicted from the others.

The threshold is the lowest for which the share of right answers above it can be said to be as high as wanted. Thresholds are
tried from the highest down, with exact one-sided intervals, until the first that fails: so the level holds for the one that is
chosen (fixed-sequence testing; Angelopoulos et al. 2021, "Learn then test", section 2.2).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hopweave.core.errors import DataError
from hopweave.evaluation.metrics._covering import is_right
from hopweave.evaluation.metrics._reliability import Scored, brier_score, expected_calibration_error
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.scoring.statistics import least_share
from hopweave.record.confidence import SCHEMA, Calibration, Guarantee, Weight, probability_of
from hopweave.record.signals import CHECKED, SIGNALS, signals_of

WANTED = 0.85
LEVEL = 0.95
NUM_FOLDS = 10
FEWEST = 30
"""The fewest labelled answers that a calibration is fitted on, with a right and a wrong one among them."""

RIDGE = 10.0
"""The penalty, on half of each squared weight.

Chosen from 1 to 100 by the Brier score of answers left out, on the 150 answers that the shipped calibration is fitted on. 20
did as well, but holds back a fit on 40 answers.
"""
_NUM_BINS = 10
_STEP = 1.1
"""How many times as many answers are above a threshold as above the one tried before."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """An answer of which it is known whether it is right.

    Attributes:
        question: identifies the question: answers to the same one are in the same fold.
        signals: of its record.
        is_right: by cover-EM.
        llm: the identity of the model that gave it.
        method: the name of the method that did.
    """

    question: str
    signals: Mapping[str, float]
    is_right: bool
    llm: str = ""
    method: str = ""


def labelled_in(run: RunFolder, methods: Sequence[str] = ()) -> Iterator[Labelled]:
    """Yields the answers of a run, with whether they are right; a question without an answer or a gold one is left out.

    Args:
        run: the run.
        methods: the labels of the methods whose answers are wanted; none for all.

    Raises:
        DataError: as in `RunFolder.records`.
    """
    for dataset in run.plan.datasets:
        examples = {example.question.id: example for example in run.examples(dataset)}
        for method in methods or run.plan.methods:
            for record in run.records(dataset, method):
                example = examples.get(record.question.id)
                signals = signals_of(record)
                if not signals or record.answer is None or example is None:
                    continue
                judged = is_right(record.answer.short, example)
                if judged is not None:
                    setup = record.setup
                    yield Labelled(f"{dataset} {record.question.id}", signals, judged, setup.llm, setup.method)


def fitted(labelled: Sequence[Labelled], *, llm: str, methods: Sequence[str], wanted: float = WANTED) -> Calibration:
    """A calibration, fitted on labelled answers; what it aims at holds with the probability `LEVEL`.

    Args:
        labelled: the answers.
        llm: the identity of the model that gave them.
        methods: the methods that did.
        wanted: the share of right answers among those with a tick that is aimed at, 0 to 1.

    Raises:
        DataError: for fewer answers than `FEWEST`, or if all are right, or all wrong.
    """
    num_right = sum(one.is_right for one in labelled)
    if len(labelled) < FEWEST or not 0 < num_right < len(labelled):
        raise DataError(_why_not(len(labelled), num_right))
    names = fitted_signals(labelled)
    left_out = list(predicted_without(labelled, names))
    scored = [(confidence, one.is_right) for confidence, one in left_out]
    sure = [(confidence, one.is_right) for confidence, one in left_out if _may_have_tick(one.signals)]
    threshold, guarantee = chosen_threshold(sure, wanted, LEVEL)
    intercept, weights = _regression(labelled, names)
    return Calibration(
        schema=SCHEMA,
        llm=llm,
        methods=tuple(methods),
        num_labels=len(labelled),
        num_right=num_right,
        intercept=intercept,
        weights=weights,
        threshold=threshold,
        wanted=wanted,
        guarantee=guarantee,
        ece=expected_calibration_error(scored, _NUM_BINS),
        brier=brier_score(scored),
    )


def _may_have_tick(signals: Mapping[str, float]) -> bool:
    """Whether an answer gets a tick if it is likely enough; see `Verdict.has_tick`. Unknown outcomes are no numbers."""
    return bool(signals["supported"]) and signals.get("agrees_at_once") != 0


def _why_not(num: int, num_right: int) -> str:
    """Why no calibration can be fitted on so many answers, and what to do."""
    if num < FEWEST:
        return (
            f"answers with which to calibrate: {num}; at least {FEWEST} are needed, and 60 are better: ask more questions with "
            "known answers"
        )
    if num_right:
        return f"all {num} answers are right, so nothing tells a wrong one: ask more questions with known answers, harder ones"
    return (
        f"none of {num} answers is right, so nothing tells a right one: ask more questions with known answers, easier ones, or "
        "correct the known answers if they are written otherwise (docs/datasets.md)"
    )


def chosen_threshold(sure: Sequence[Scored], wanted: float, level: float) -> tuple[float, Guarantee]:
    """The threshold of a tick, and what is known about answers above it.

    If no threshold reaches what is wanted, it is the one whose lower end is highest.

    Args:
        sure: the confidence of each answer that the support rule accepts, and whether it is right.
        wanted: see `fitted`.
        level: the probability with which it is to hold.
    """
    ranked = sorted(sure, reverse=True)
    tried = []
    num = _fewest_with_one_wrong(wanted, level)
    while num <= len(ranked):
        num = sum(confidence >= ranked[num - 1][0] for confidence, _ in ranked)  # the threshold lets in all that are alike
        right = sum(is_right for _, is_right in ranked[:num])
        tried.append((ranked[num - 1][0], Guarantee(num, right, least_share(right, num, 1 - level), level)))
        if tried[-1][1].at_least < wanted and len(tried) > 1 and tried[0][1].at_least >= wanted:
            break
        num = max(num + 1, math.floor(num * _STEP))
    if not tried:
        right = sum(is_right for _, is_right in ranked)
        return (ranked[-1][0] if ranked else 1.0), Guarantee(
            len(ranked), right, least_share(right, len(ranked), 1 - level), level
        )
    passed = []
    for one in tried:
        if one[1].at_least < wanted:
            break
        passed.append(one)
    return passed[-1] if passed else max(tried, key=lambda one: one[1].at_least)


def _fewest_with_one_wrong(wanted: float, level: float) -> int:
    """The fewest answers of which one may be wrong: so many are above the first threshold that is tried."""
    num = 2
    while least_share(num - 1, num, 1 - level) < wanted and num < 1000:
        num += 1
    return num


def fitted_signals(labelled: Sequence[Labelled]) -> list[str]:
    """The signals that get a weight: the outcome of a check only if every answer was to be checked, and some were."""
    were_to_be = [name for name in CHECKED if all(name in one.signals for one in labelled)]
    return [*SIGNALS, *(name for name in were_to_be if not all(math.isnan(one.signals[name]) for one in labelled))]


def predicted_without(labelled: Sequence[Labelled], names: Sequence[str]) -> Iterator[tuple[float, Labelled]]:
    """Yields each answer after the confidence that a fit without its fold gives it; answers to one question share a fold.

    Args:
        labelled: the answers.
        names: the signals that are fitted.
    """
    questions = sorted({one.question for one in labelled}, key=lambda name: hashlib.sha256(name.encode()).hexdigest())
    fold_of = {name: place % NUM_FOLDS for place, name in enumerate(questions)}
    for fold in range(NUM_FOLDS):
        held = [one for one in labelled if fold_of[one.question] == fold]
        others = [one for one in labelled if fold_of[one.question] != fold]
        if held and others:
            intercept, weights = _regression(others, names)
            yield from ((probability_of(one.signals, intercept, weights), one) for one in held)


def _regression(labelled: Sequence[Labelled], names: Sequence[str]) -> tuple[float, dict[str, Weight]]:
    """The intercept and the weights of a logistic regression with a ridge penalty, by Newton's method.

    An outcome that is NaN, since the check could not be made, is set to the mean of the others.
    """
    import numpy as np

    raw = np.array([[one.signals[name] for name in names] for one in labelled])
    right = np.array([float(one.is_right) for one in labelled])
    is_open = np.isnan(raw)
    means = np.where(is_open, 0.0, raw).sum(axis=0) / np.maximum(1, (~is_open).sum(axis=0))
    raw = np.where(is_open, means, raw)
    scales = raw.std(axis=0)
    scales = np.where(scales > 1e-9, scales, 1.0)
    rows = np.column_stack([np.ones(len(labelled)), (raw - means) / scales])
    penalty = np.diag([1e-6] + [RIDGE] * len(names))
    beta = np.zeros(rows.shape[1])
    for _ in range(100):
        fit = 1 / (1 + np.exp(-np.clip(rows @ beta, -30, 30)))
        slope = rows.T @ (fit - right) + penalty @ beta
        curve = (rows * (fit * (1 - fit))[:, None]).T @ rows + penalty
        step = np.linalg.solve(curve, slope)
        beta -= step
        if float(np.abs(step).max()) < 1e-9:
            break
    found = zip(names, means, scales, beta[1:], strict=True)
    return float(beta[0]), {name: Weight(float(mean), float(scale), float(weight)) for name, mean, scale, weight in found}
