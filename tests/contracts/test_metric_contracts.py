"""What every metric must keep to, whoever wrote it, on records of every method."""

import asyncio
import dataclasses
import doctest
import importlib
import inspect
import math
import re
from collections import Counter
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.bench import Bench, chain
from support.parts import METHODS, names_of
from support.three_hops import ANSWER, HOPS, PASSAGES, QUESTION
from support.tiers import first_of
from support.worked import worked

from hopweave.core.catalog import entries, load
from hopweave.core.errors import ModelError
from hopweave.core.types import Column, Example, Gold, GoldSentence, Question
from hopweave.evaluation import metrics
from hopweave.evaluation.metric import Combining, Metric, Selective
from hopweave.models.llms.scripted import Line
from hopweave.record import Record

METRICS = names_of("metrics")
MODULES = sorted(path.stem for path in Path(metrics.__path__[0]).glob("*.py"))
FORMS = [
    Question("short", QUESTION),
    Question("label", "Is the light of Carrow Head lit?", "label", ("Yes", "No")),
    Question("long", "Why was the light of Carrow Head built?", "long"),
]
GOLDS = {
    "short": Gold(
        (ANSWER, "Teel"),
        tuple(passage.id for passage in PASSAGES),
        ("a market town", "Teel, crossed"),
        sentences=tuple(GoldSentence(passage.id, 0, len(passage.text)) for passage in PASSAGES),
    ),
    "label": Gold(("Yes",), ("carrow",)),
    "long": Gold(("It was built because ships were lost. It was lit in 1871.",)),
}
NEEDS = {"cost": {"prices": "prices.toml"}}


@pytest.fixture(autouse=True)
def a_folder_with_prices(tmp_path, monkeypatch):
    (tmp_path / "prices.toml").write_text('[[prices]]\nmodel = "*"\nprompt = 1.0\ncompletion = 2.0\n')
    monkeypatch.chdir(tmp_path)


def made(name):
    return load("metrics", name)(**NEEDS.get(name, {}))


@cache
def records():
    """Records of every method: as it goes its usual way, on every form of question, and failed."""

    async def all_of_them():
        final = "[Final Content]: Marlow Cross [2] is on the Teel [3]. So the final answer is the Teel."
        chains = [chain(*HOPS[:2], (HOPS[2][0], None)), chain(*HOPS), final]
        passages = {query: passage for (query, _), passage in zip(HOPS, PASSAGES, strict=True)}
        read = {query: (answer, 4.0) for query, answer in HOPS}
        found = [(await Bench(chains, passages, read).ask(FORMS[0], "searchain"), GOLDS["short"])]
        for method in METHODS:
            if find_spec(f"support.hops.{method}"):
                case = importlib.import_module(f"support.hops.{method}").CASE
                bench = Bench(case.says, case.found, case.read, prefill=case.prefill)
                found.append((await bench.ask(FORMS[0], method, **case.options), GOLDS["short"]))
            for question in FORMS:
                passages = {question.text: PASSAGES}
                saying = [("", "So the final answer is yes, Ines Halloran.")]
                found.append((await Bench(saying, passages).ask(question, method), GOLDS[question.form]))
                gone = Bench([("", Line(error=ModelError("the endpoint is gone")))], passages)
                found.append((await gone.ask(question, method), GOLDS[question.form]))
        return found

    return [(record, Example(record.question, gold)) for record, gold in asyncio.run(all_of_them())]


def scored(name, *, failed):
    metric = made(name)
    return [
        (metric, record, example, metric.score(record, example))
        for record, example in records()
        if (record.error is not None) == failed
    ]


@pytest.fixture(autouse=True)
def own_folders(monkeypatch, tmp_path_factory):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.getbasetemp() / "config"))


def test_the_records_are_of_every_method_and_of_every_outcome():
    kinds = Counter((record.setup.method, record.error is None) for record, _ in records())
    assert all(kinds[method, True] >= 3 and kinds[method, False] == 3 for method in METHODS), kinds
    assert any(record.answer.citations for record, _ in records() if record.answer is not None)


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_is_a_frozen_dataclass_that_plays_its_role(name):
    metric = made(name)
    assert isinstance(metric, Metric)
    assert type(metric).__dataclass_params__.frozen
    assert not hasattr(metric, "__dict__"), "not slotted"
    assert isinstance(metric.counts_failures, bool)
    assert hasattr(metric, "combined") == isinstance(metric, Combining)
    assert list(inspect.signature(metric.score).parameters) == ["record", "example"]
    for option in dataclasses.fields(metric):
        assert option.default is not dataclasses.MISSING, f"{option.name} has no default"


@pytest.mark.parametrize("name", METRICS)
def test_every_column_says_what_it_means_and_where_it_lies(name):
    metric = made(name)
    combined = getattr(metric, "combined", {})
    assert metric.columns
    assert not metric.columns.keys() & combined.keys()
    for column_name, column in {**metric.columns, **combined}.items():
        assert re.fullmatch(r"[a-z][a-z0-9_]*", column_name)
        assert isinstance(column, Column)
        assert len(column.meaning) > 5
        assert column.better in ("higher", "lower", "")
        assert column.low < column.high


def test_no_two_metrics_have_a_column_of_the_same_name():
    names = Counter(column for name in METRICS for column in (*made(name).columns, *getattr(made(name), "combined", {})))
    assert [name for name, number in names.items() if number > 1] == []


@pytest.mark.parametrize("name", METRICS)
def test_every_file_gives_definition_range_direction_and_a_worked_example(name):
    text = inspect.getdoc(importlib.import_module(f"hopweave.evaluation.metrics.{name}"))
    for part in ("Definition. ", "Range 0", "is better", ">>> "):
        assert part in text, f"{name} does not say {part!r}"
    assert len(entries("metrics")[name].summary) > 20


@pytest.mark.parametrize("module", MODULES)
def test_every_worked_example_comes_out_as_written(module):
    assert doctest.testmod(importlib.import_module(f"hopweave.evaluation.metrics.{module}")).failed == 0


@pytest.mark.parametrize("name", METRICS)
def test_every_value_is_of_a_documented_column_finite_and_in_its_range(name):
    num_values = 0
    for metric, record, _, values in [*scored(name, failed=False), *scored(name, failed=True)]:
        assert values.keys() <= metric.columns.keys()
        for column_name, value in values.items():
            column = metric.columns[column_name]
            assert type(value) is float, (record.setup.method, column_name)
            assert math.isfinite(value)
            assert column.low <= value <= column.high, (record.setup.method, column_name, value)
            num_values += 1
    assert num_values, "no record has a value"


@pytest.mark.parametrize("name", METRICS)
def test_a_failed_record_has_values_only_of_what_was_spent(name):
    for metric, _, _, values in scored(name, failed=True):
        assert metric.counts_failures or values == {}


@pytest.mark.parametrize("name", first_of(METRICS, 4))
def test_the_same_record_always_has_the_same_values(name):
    for metric, record, example, values in scored(name, failed=False):
        before = record.to_json()
        assert metric.score(record, example) == values == made(name).score(Record.from_json(before), example)
        assert record.to_json() == before


@pytest.mark.parametrize("name", METRICS)
def test_without_gold_nothing_is_right_or_wrong(name):
    metric = made(name)
    bare = [(record, dataclasses.replace(example, gold=Gold(()))) for record, example in records()]
    applies = [not isinstance(metric, Selective) or metric.applies_to(example) for _, example in bare]
    has_values = [bool(metric.score(record, example)) for record, example in bare]
    assert not any(told and not applied for told, applied in zip(has_values, applies, strict=True))
    assert any(has_values) == any(applies), "there is no value without gold data, which the method `applies_to` must say"


@pytest.mark.parametrize("name", METRICS)
def test_an_empty_answer_and_an_answer_of_nothing_but_marks_have_values_in_range(name):
    for short in ("", ".", "[1]", "\ud800", "the"):
        metric = made(name)
        for form in ("short", "long"):
            values = metric.score(*worked(short, ["Ulm", "", "the", "."], form=form, text=f"[3] {short} [1]"))
            assert all(metric.columns[column].low <= value <= metric.columns[column].high for column, value in values.items())


@pytest.mark.parametrize("name", [name for name in METRICS if isinstance(made(name), Combining)])
def test_figures_of_a_cell_are_documented_finite_and_absent_where_there_is_no_data(name):
    metric = made(name)
    figures = metric.combine([values for _, _, _, values in scored(name, failed=False)])
    assert figures
    assert figures.keys() <= metric.combined.keys()
    for column_name, value in figures.items():
        assert metric.combined[column_name].low <= value <= metric.combined[column_name].high
    assert metric.combine([]) == metric.combine([{}, {}]) == {}
