"""The papers' figures, and whether a measured one can be compared with them."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from hopweave.core.catalog import key_of
from hopweave.evaluation.papers._profile_options import (
    WITHOUT_EFFECT,
    other_options,
    other_parts,
    other_sampling,
    sets_method,
    sets_sampling,
)
from hopweave.evaluation.reports.analysis_results import PublishedRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells
from hopweave.record import Setup

ALL = "all"
"""Denotes a mean over several datasets."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A method with the options that define the row of a table.

    Attributes:
        key: of the row; `title` as the papers print it.
        method: the file; `options` the required ones, the others are free.
        without: the key of its counterpart without retrieval; empty if it has none.
        is_ours: whether it is a variant of ours next to the row of the paper, which need not be evaluated.
    """

    key: str
    title: str
    method: str
    options: Mapping[str, Any] = field(default_factory=dict)
    without: str = ""
    is_ours: bool = False

    def is_of(self, cell: AnsweredCell) -> bool:
        """Whether a cell is of this variant; options that are not known (of a cell without records) are taken from the plan."""
        if cell.name != self.method:
            return False
        return self.has(cell.options or cell.run.plan.methods[cell.method].options)

    def has(self, options: Mapping[str, Any]) -> bool:
        """Whether options are those of this variant."""
        return all(options.get(name, value) == value for name, value in self.options.items())


def variant(key: str) -> Variant:
    """The variant with that key."""
    return Variant(key, **_data()["methods"][key])


def variants_of(method: str) -> list[Variant]:
    """The variants of a method."""
    return [one for one in map(variant, _data()["methods"]) if one.method == method]


def variants(*tables: str) -> list[Variant]:
    """The variants that are rows of these tables, in the order of the first that has them, each with ours."""
    keys = dict.fromkeys(key for table in tables for key in _rows(table))
    return [one for key in keys for one in with_ours(variant(key))]


def with_ours(one: Variant) -> list[Variant]:
    """A variant, followed by the same with our variants of its method, under the key of the same row.

    Without retrieval they behave like their method, and are left out.
    """
    found = _ours().items() if one.without else ()
    own = [(name, said["title"]) for name, said in found if said["of"] == one.method]
    return [one, *(replace(one, title=f"{one.title}, {title}", method=name, is_ours=True) for name, title in own)]


def passed_over(one: Variant, dataset: DatasetCells) -> list[str]:
    """A note for each of our variants of a method that a dataset has cells of, for a table that has no row for it."""
    methods = {each.method for each in with_ours(one) if each.is_ours} & {cell.name for cell in dataset.cells}
    return [f"{method} is in no row: it is a variant of ours; searchain_table1 and toqd_table1 have it" for method in methods]


def answered_cells(one: Variant, dataset: DatasetCells) -> list[AnsweredCell]:
    """Those of a variant on a dataset that have records."""
    return [cell for cell in dataset.cells if one.is_of(cell) and cell.setup is not None]


def datasets_of(table: str) -> list[str]:
    """The datasets in a table, by the names of their files."""
    return list(dict.fromkeys(name for by_dataset in _rows(table).values() for name in by_dataset))


def is_same_model(one: AnsweredCell, other: AnsweredCell) -> bool:
    """Whether two cells have records, by the same language model."""
    return one.setup is not None and other.setup is not None and one.setup.llm == other.setup.llm


def partner_of(cell: AnsweredCell, others: Iterable[AnsweredCell], *, both_search: bool = False) -> AnsweredCell | None:
    """The first of other cells that a cell can be compared with: by the same model, of the same run if there is one.

    Args:
        cell: to find a partner for.
        others: to choose from.
        both_search: whether both methods search, so that the retriever has to be the same too.
    """
    fitting = [
        other
        for other in others
        if is_same_model(cell, other) and (not both_search or _retriever_of(cell) == _retriever_of(other))
    ]
    own = [other for other in fitting if other.run.path == cell.run.path]
    return next(iter([*own, *fitting]), None)


def _retriever_of(cell: AnsweredCell) -> str:
    return cell.setup.retriever if cell.setup is not None else ""


def in_run_of(cell: AnsweredCell, dataset: DatasetCells) -> DatasetCells:
    """A dataset as the run of a cell has it, so that what the cell lacks is evaluated with the settings of that run."""
    return replace(dataset, run=cell.run, own_label=cell.dataset, plan=cell.run.plan.datasets[cell.dataset])


def setup_key(cell: AnsweredCell, *, passed_over: Collection[str] = ()) -> str:
    """What a cell of a method that searches was run with, apart from the corpus: equal for cells that may stand in one row.

    Args:
        cell: with records.
        passed_over: options of the method that may differ.
    """
    if cell.setup is None:
        return ""
    settings = cell.setup.settings
    options = {name: value for name, value in cell.options.items() if name not in passed_over}
    retriever = settings.get("retriever")
    given = settings.get("retrievers", {}).get(key_of("retrievers", retriever), {}) if retriever else {}
    of_retriever = {name: value for name, value in given.items() if name not in WITHOUT_EFFECT}
    parts = [retriever or cell.setup.retriever, of_retriever, cell.setup.reader, settings.get("duplicate_detector")]
    return json.dumps([cell.setup.llm, options, settings.get("sampling"), parts], sort_keys=True, default=str)


def counterparts(
    dataset: DatasetCells, one: Variant, baseline: str = "own"
) -> Iterator[tuple[AnsweredCell, AnsweredCell | None]]:
    """Each cell of a variant with its counterpart without retrieval (see `partner_of`), or `None` where the runs have none.

    Args:
        dataset: whose cells to look at.
        one: a variant with retrieval.
        baseline: `own` for its own counterpart, or the key of one for all.
    """
    found = answered_cells(variant(one.without if baseline == "own" else baseline), dataset)
    for cell in answered_cells(one, dataset):
        yield cell, partner_of(cell, found)


def published(
    table: str,
    row: str,
    dataset: str,
    setups: Iterable[Setup | None] = (),
    *,
    num: int | None = None,
    more: Iterable[str] = (),
    model: str = "",
) -> tuple[PublishedRow, ...]:
    """The published row of a table for a dataset; empty if there is none.

    Args:
        table: its key.
        row: the key of the variant.
        dataset: the name of its file, or `ALL`.
        setups: of the records that the measured row is made from; where there are none, nothing is compared.
        num: how many questions were scored; `None` if that is not compared.
        more: further reasons why the two cannot be compared.
        model: of a table with a row for each model, the model of the records.
    """
    data = _data()["tables"][table]
    name = _named_in(data["models"], model) if model else ""
    figures = data["models"].get(name) if model else _rows(table).get(row, {}).get(dataset)
    if figures is None:
        return ()
    paper = {**_data()["papers"][data["paper"]], **{key: data[key] for key in ("llm", "retriever", "corpus") if key in data}}
    paper |= {"llm": name} if name else {}
    measured = [setup for setup in setups if setup is not None]
    why = [reason for setup in measured for reason in _other_setup(paper, table, row, setup)]
    why += [*_other_questions(paper, dataset, num), *more] if measured else []
    values = dict(zip(data["columns"], figures, strict=True))
    return (PublishedRow(f"{paper['name']}, {data['where']}", values, tuple(dict.fromkeys(why))),)


def published_models(table: str) -> dict[str, dict[str, float]]:
    """The published figures of a table for each model, by the published name of the model and the key of the column."""
    data = _data()["tables"][table]
    return {model: dict(zip(data["columns"], values, strict=True)) for model, values in data["models"].items()}


def billions_of(model: str) -> float | None:
    """The size of a model in billions of parameters, by the longest published name in its own; `None` if it has none."""
    sizes: Mapping[str, float] = _data()["sizes"]
    return sizes.get(_named_in(sizes, model))


def is_named(published_name: str, model: str) -> bool:
    """Whether the published name of a model is in the name of a model, ignoring punctuation and case."""
    return _plain(published_name) in _plain(model)


def _named_in(names: Iterable[str], model: str) -> str:
    """The longest of published names that is in the name of a model; empty if none is."""
    return max((name for name in names if is_named(name, model)), key=len, default="")


def _other_setup(paper: Mapping[str, Any], table: str, row: str, setup: Setup) -> Iterator[str]:
    """What differs, or is not known to be the same, between the setup of records and that of the paper."""
    ours = _ours().get(setup.method)
    method = ours["of"] if ours else setup.method
    one = _variant_of(row, method, setup.options)
    searches = one is None or bool(one.without)
    if ours and searches:
        yield ours["why"]
    if _plain(paper["llm"]) not in _plain(setup.llm):
        yield f"the model is {setup.llm}, there {paper['llm']}"
    if searches and setup.retriever:
        if _plain(paper["retriever"]) not in _plain(setup.retriever):
            yield f"the retriever is {setup.settings.get('retriever') or setup.retriever}, there {paper['retriever']}"
        yield f"the corpus is {setup.settings.get('corpus', 'another')}, there {paper['corpus']}"
    found: dict[str, list[str]] = {}
    for profile in [name for name in paper["profiles"] if sets_method(name, method)][:1]:
        if searches:
            yield from other_parts(setup, profile, method)
        keys = [table, f"{table} {method}", *([one.key] if one is not None else [])]
        free = {name for key in keys for name in _data()["not_compared"].get(key, ())}
        free |= set(one.options) if one is not None else set()
        found[profile] = [*other_options(setup, profile, method, passed_over=free, searches=searches)]
    for profile in [*filter(sets_sampling, paper["profiles"]), *found][:1]:
        found.setdefault(profile, []).extend(other_sampling(setup, profile))
    title = setup.method if one is None or ours else one.title
    for profile, options in found.items():
        if options:
            yield f"{title} was run with options other than those of the profile {profile}: {', '.join(options)}"


def _variant_of(row: str, method: str, options: Mapping[str, Any]) -> Variant | None:
    """The variant that records are of: that of the row, or else the first that fits, as a row may be made from two cells."""
    fitting = [one for one in variants_of(method) if one.has(options)]
    return next((one for one in fitting if one.key == row), next(iter(fitting), None))


def _other_questions(paper: Mapping[str, Any], dataset: str, num: int | None) -> Iterator[str]:
    """What differs, or is not known to be the same, between the questions and those of the paper."""
    if dataset == ALL or num is None:
        return
    there = paper["questions"].get(dataset)
    if there is None:
        yield f"{num:,} questions; their number there is not known"
    elif num != there:
        yield f"{num:,} questions, there {there:,}"
    elif dataset in paper["subsets"]:
        yield f"other questions: which {there:,} were drawn there was not published"


def _rows(table: str) -> Mapping[str, Mapping[str, list[float]]]:
    data = _data()["tables"][table]
    in_order = {
        key: {name: [value] for name, value in zip(data["order"], values, strict=True)}
        for key, values in data.get("rows_in_order", {}).items()
    }
    return {**in_order, **data.get("rows", {})}


def _ours() -> Mapping[str, Mapping[str, str]]:
    """Our variants of the papers' methods, by name."""
    ours: Mapping[str, Mapping[str, str]] = _data()["ours"]
    return ours


def _plain(text: str) -> str:
    return "".join(char for char in text.lower() if char.isalnum())


@cache
def _data() -> Mapping[str, Any]:
    return tomllib.loads(Path(__file__).with_name("published.toml").read_text(encoding="utf-8"))
