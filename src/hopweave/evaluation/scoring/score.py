"""Scores the records of a run: every metric on every record, a line each, without calling any model.

    RUN/scores.jsonl    dataset, method, question, metric, the outcome of the record, and the values of the metric's columns
    RUN/scores.json     which metrics with which options, of which records, and the tables that `summary` makes of them

A metric that raises has failed on that record: its line holds the error instead of values, and the other metrics continue. A
failed question has neither: `counted` defines its counted value.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from hopweave.citations.marking import says_unknown
from hopweave.core.building import build
from hopweave.core.catalog import entries, full_name, key_of, load
from hopweave.core.errors import DataError, MissingExtra, SettingsError, suggest
from hopweave.core.files import read_lines, sha256_of
from hopweave.core.part_files import part_file
from hopweave.core.protocols import OfficiallyScored
from hopweave.core.types import AnswerForm, Column, Example
from hopweave.evaluation.metric import Combining, Metric, Selective
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.runs.writing import write_file
from hopweave.record import Failure, ParseFailure, Record

LINES = "scores.jsonl"

Became = Literal["answered", "unparsed", "abstained", "failed"]
"""The outcome of a question: an answer; a reply without a readable answer; the answer that it is not known; an error."""

_FORMS: Mapping[str, frozenset[AnswerForm]] = {
    "cover_em": frozenset({"short", "label"}),
    "exact_match": frozenset({"short"}),
    "f1": frozenset({"short"}),
    "label_accuracy": frozenset({"label"}),
    "rouge_l": frozenset({"long"}),
}
_NEEDS: Mapping[str, str] = {"cost": "prices"}
PRIMARY: Mapping[AnswerForm, str] = {"short": "cover_em", "label": "label_accuracy", "long": "rouge_l"}
"""The column that methods are compared by, for each form of answer."""


@dataclass(frozen=True, slots=True)
class Score:
    """The score of a record by a metric.

    Attributes:
        record: the outcome of the question.
        values: by column; `None` where the question failed, or the metric did (then `error` is set). They are empty where the
            metric does not apply to the question.
    """

    dataset: str
    method: str
    question: str
    metric: str
    record: Became
    values: Mapping[str, float] | None
    error: Failure | None = None

    def to_json(self) -> str:
        """The score as one line of JSON."""
        values = dataclasses.asdict(self)
        return json.dumps(values if self.error is not None else values | {"error": None}, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class OpenMetric:
    """A metric in use.

    Attributes:
        name: of its file.
        options: those that differ from its defaults.
        forms: of the questions that it applies to; empty for all.
        metric: `None` if it could not be created; then `error` says why, and it fails on every record.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    forms: frozenset[AnswerForm] = frozenset()
    metric: Metric | None = None
    error: Failure | None = None

    @property
    def columns(self) -> Mapping[str, Column]:
        """Those that have a mean; a column without a direction only serves the figures of a whole cell."""
        if self.metric is None:
            return {}
        has_figures = isinstance(self.metric, Combining) and bool(self.metric.combined)
        return {name: column for name, column in self.metric.columns.items() if column.better or not has_figures}


def for_dataset(opened: OpenMetric, dataset: str) -> OpenMetric:
    """The metric as the official script of a dataset computes it, where that differs; given options override it.

    Args:
        opened: as requested.
        dataset: the name of the dataset's file.

    Raises:
        SettingsError: for options that the metric does not take together.
        MissingExtra: if a library that the metric or the dataset needs is not installed.
    """
    more = {key: value for key, value in official_options(dataset, opened.name).items() if key not in opened.options}
    if not more or opened.metric is None:
        return opened
    metric = build(load("metrics", opened.name), {**more, **opened.options}, f"metrics.{key_of('metrics', opened.name)}")
    return dataclasses.replace(opened, metric=metric)


def official_options(dataset: str, metric: str) -> Mapping[str, Any]:
    """The options of a metric by which the official script of a dataset scores; none if they are the metric's own defaults.

    Raises:
        SettingsError, MissingExtra: as in `core.catalog.load`.
    """
    if dataset not in entries("datasets"):
        return {}
    part: object = load("datasets", dataset)
    return part.OFFICIAL.get(metric, {}) if isinstance(part, OfficiallyScored) else {}


def open_metrics(
    names: Sequence[str] = (), options: Mapping[str, Mapping[str, Any]] | None = None
) -> tuple[list[OpenMetric], dict[str, str]]:
    """Creates metrics.

    Args:
        names: of the metrics; none takes all, each for the forms of answer that it is meant for. The path of a file is allowed.
        options: by name of the metric; of one in a file, by its class or its full name.

    Returns:
        The metrics, and those that were left out, with the reason: they were not requested by name, and a library or an
        option that they need is missing, or another package claims their name.

    Raises:
        SettingsError: for an unknown name or option.
        MissingExtra: if a requested metric needs a library that is not installed.
    """
    options, known = options or {}, dict(sorted(entries("metrics").items(), key=lambda item: item[0] not in _FORMS))
    keys = {full_name("metrics", name): key_of("metrics", name) for name in names if part_file(name) is not None}
    for name in [*names, *options]:
        if name not in known and part_file(name) is None and name not in keys.values():
            raise SettingsError(f"{name!r} is not one of the metrics; {suggest(name, known)}")
    opened, left_out = [], {}
    for name in dict.fromkeys([full_name("metrics", name) for name in names] or known):
        if not names and known[name].clash:
            left_out[name] = f"{known[name].clash} has the same name; rename its entry point, or uninstall its package"
            continue
        given = options.get(keys.get(name, name), options.get(name, {}))
        if not names and name in _NEEDS and _NEEDS[name] not in given:
            left_out[name] = f"it needs to be told: --set metrics.{name}.{_NEEDS[name]}=..."
            continue
        forms: frozenset[AnswerForm] = frozenset() if names else forms_of(name)
        try:
            metric = build(load("metrics", name), given, f"metrics.{keys.get(name, name)}")
        except MissingExtra as error:
            if names:
                raise
            left_out[name] = str(error)
        except SettingsError:
            raise
        except Exception as error:  # noqa: BLE001 - a metric that is broken must not take the others along
            opened.append(OpenMetric(name, given, forms, error=Failure.of(error)))
        else:
            opened.append(OpenMetric(name, given, forms, metric))
    return opened, left_out


def forms_of(name: str) -> frozenset[AnswerForm]:
    """The forms of answer that a metric is computed on unless it is named; empty for all."""
    return _FORMS.get(name, frozenset())


def score_run(run: RunFolder, metrics: Sequence[OpenMetric]) -> list[Score]:
    """Scores all records of a run, in the order of the plan and of the examples.

    Raises:
        DataError: for a record that cannot be read, or belongs to no example of the run.
        SettingsError, MissingExtra: as in `for_dataset`.
    """
    scores: list[Score] = []
    for dataset in run.plan.datasets:
        examples = {example.question.id: example for example in run.examples(dataset)}
        own = [for_dataset(metric, run.plan.datasets[dataset].name) for metric in metrics]
        for method in run.plan.methods:
            of_question: dict[str, list[Score]] = {}
            for record in run.records(dataset, method):
                asked = record.question.id
                if asked not in examples:
                    raise DataError(
                        f"{run.records_path(dataset, method)} has a record of question {asked!r}, which is not among the "
                        f"examples of {dataset!r}; see what else differs with: hopweave verify {run.path}"
                    )
                of_question[asked] = list(scores_of(dataset, method, record, examples[asked], own))
            scores += [score for asked in examples for score in of_question.get(asked, ())]
    return scores


def scores_of(dataset: str, method: str, record: Record, example: Example, metrics: Iterable[OpenMetric]) -> Iterator[Score]:
    """Yields the score of a record by each metric for the question's form. Errors of metrics are never raised."""
    state = became(record)
    for opened in metrics:
        if opened.forms and example.question.form not in opened.forms:
            continue
        values, error = None, opened.error
        if error is None:
            try:
                values = _values(opened, record, example)
            except Exception as raised:  # noqa: BLE001 - any error of a metric is counted, and the others continue
                error = Failure.of(raised)
        yield Score(dataset, method, record.question.id, opened.name, state, values, error)


def became(record: Record) -> Became:
    """The outcome of a question; a refusal counts as one even without a marker. "None" is an answer if a passage has it."""
    answer = record.answer
    if answer is None:
        return "failed"
    if says_unknown(answer):
        return "abstained"
    # A method that asks for the bare answer alone takes the whole reply as it; one that found no answer says so in the trace.
    is_unread = any(isinstance(step, ParseFailure) and step.parser == "final" for step in record.own_steps)
    is_guess = answer.how == "full" and record.question.form != "long" and is_unread
    return "unparsed" if is_guess or answer.how == "empty" or not answer.short else "answered"


def write_scores(run: RunFolder, scores: Iterable[Score]) -> None:
    """Writes `scores.jsonl` atomically.

    Raises:
        DataError: if it cannot be written.
    """
    write_file(run.path / LINES, "".join(f"{score.to_json()}\n" for score in scores))


def read_scores(run: RunFolder) -> list[Score]:
    """Reads `scores.jsonl` back.

    Raises:
        DataError: if it is missing, or a line cannot be read.
    """
    place, found = run.path / LINES, []
    try:
        for number, line in enumerate(read_lines(place), start=1):
            try:
                found.append(_score_adapter().validate_json(line))
            except ValidationError as error:
                what = error.errors()[0]["msg"]
                raise DataError(
                    f"{place}, line {number} is not a score: {what}; make them again with: hopweave score {run.path}"
                ) from None
    except FileNotFoundError:
        raise DataError(f"{place} is missing; make it with: hopweave score {run.path}") from None
    except OSError as error:
        raise DataError(f"cannot read {place}: {error.strerror}; make it again with: hopweave score {run.path}") from None
    return found


def records_hashes(run: RunFolder) -> dict[str, str]:
    """The SHA-256 of each file of records, by `DATASET/METHOD`, and of each file of examples, by `DATASET`."""
    places = {dataset: run.examples_path(dataset) for dataset in run.plan.datasets}
    places |= {
        f"{dataset}/{method}": run.records_path(dataset, method) for dataset in run.plan.datasets for method in run.plan.methods
    }
    return {name: sha256_of(place) for name, place in places.items() if place.exists()}


def _values(opened: OpenMetric, record: Record, example: Example) -> dict[str, float] | None:
    metric = opened.metric
    if metric is None or (record.answer is None and not metric.counts_failures):
        applies = metric is None or not isinstance(metric, Selective) or metric.applies_to(example)
        return None if applies else {}
    return _checked(metric.score(record, example), metric)


def _checked(values: Mapping[str, float], metric: Metric) -> dict[str, float]:
    checked = {}
    for name, value in values.items():
        column = metric.columns.get(name)
        if column is None:
            raise ValueError(f"it gave a value for {name!r}, which is none of its columns ({', '.join(metric.columns)})")
        number = float(value)
        if not (math.isfinite(number) and column.low <= number <= column.high):
            raise ValueError(f"its {name} is {number}, outside of {column.low:g} to {column.high:g}")
        checked[name] = number
    return {name: checked[name] for name in metric.columns if name in checked}


@cache
def _score_adapter() -> TypeAdapter[Score]:
    return TypeAdapter(Score)
