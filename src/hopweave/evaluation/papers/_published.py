"""The papers' figures, and whether a measured one can be compared with them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from hopweave.evaluation.reports.analysis_results import PublishedRow
from hopweave.evaluation.scoring.loaded_runs import AnsweredCell, DatasetCells
from hopweave.trace import Setup

ALL = "all"
"""Stands for a mean over several datasets."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A method with the options that make it the row of a table.

    Attributes:
        key: of the row; `title` as the papers print it.
        method: the file; `options` those that must be so, the others are free.
        without: the key of its counterpart without retrieval; empty if it has none.
    """

    key: str
    title: str
    method: str
    options: Mapping[str, Any] = field(default_factory=dict)
    without: str = ""

    def is_of(self, cell: AnsweredCell) -> bool:
        """Whether a cell is of this variant; options that are not known (of a cell without records) are taken from the plan."""
        if cell.name != self.method:
            return False
        known = cell.options or cell.run.plan.methods[cell.method].options
        return all(known.get(name, value) == value for name, value in self.options.items())


def variant(key: str) -> Variant:
    """The variant of that key."""
    return Variant(key, **_data()["methods"][key])


def variants(*tables: str) -> list[Variant]:
    """The variants that are rows of these tables, in the order of the first that has them."""
    return [variant(key) for key in dict.fromkeys(key for table in tables for key in _rows(table))]


def cells_of(one: Variant, cells: Iterable[AnsweredCell]) -> list[AnsweredCell]:
    """Those of a variant."""
    return [cell for cell in cells if one.is_of(cell)]


def answered_cells(one: Variant, dataset: DatasetCells) -> list[AnsweredCell]:
    """Those of a variant on a dataset that have records."""
    return [cell for cell in cells_of(one, dataset.cells) if cell.setup is not None]


def datasets_of(table: str) -> list[str]:
    """The datasets that a table has, by the names of their files."""
    return list(dict.fromkeys(name for by_dataset in _rows(table).values() for name in by_dataset))


def published(
    table: str,
    row: str,
    dataset: str,
    *,
    setup: Setup | None,
    num: int | None = None,
    searches: bool = True,
    columns: Iterable[str] = (),
    more: Iterable[str] = (),
) -> tuple[PublishedRow, ...]:
    """What a table printed in a row for a dataset; nothing if it did not.

    Args:
        table: its key.
        row: the key of the variant.
        dataset: the name of its file, or `ALL`.
        setup: of the measured records; `None` if there are none, so that nothing is compared.
        num: how many questions were scored; `None` where that is not to be compared.
        searches: whether the method searches, so that retriever and corpus count.
        columns: which of the table's columns; by default all.
        more: further reasons why the two cannot be compared.
    """
    figures = _rows(table).get(row, {}).get(dataset)
    if figures is None:
        return ()
    return (_row_of(table, figures, dataset, setup, num, columns, more, searches=searches),)


def published_model(table: str, model: str, *, setup: Setup | None, num: int | None, dataset: str) -> tuple[PublishedRow, ...]:
    """What a table printed for the model whose published name stands in the name of a model; the longest such name counts."""
    models: Mapping[str, list[float]] = _data()["tables"][table]["models"]
    named = sorted((name for name in models if is_named(name, model)), key=len)
    if not named:
        return ()
    return (_row_of(table, models[named[-1]], dataset, setup, num, (), (), searches=True, llm=named[-1]),)


def published_models(table: str) -> dict[str, dict[str, float]]:
    """What a table printed for each model, by the published name of the model and the key of the column."""
    data = _data()["tables"][table]
    return {model: dict(zip(data["columns"], values, strict=True)) for model, values in data["models"].items()}


def billions_of(model: str) -> float | None:
    """The size of a model in billions of parameters, by the longest published name in its own; `None` if it has none."""
    sizes: Mapping[str, float] = _data()["sizes"]
    named = [name for name in sizes if is_named(name, model)]
    return sizes[max(named, key=len)] if named else None


def is_named(published_name: str, model: str) -> bool:
    """Whether the published name of a model stands in the name of a model, signs and capitals aside."""
    return _plain(published_name) in _plain(model)


def _row_of(
    table: str,
    figures: Iterable[float],
    dataset: str,
    setup: Setup | None,
    num: int | None,
    columns: Iterable[str],
    more: Iterable[str],
    *,
    searches: bool,
    llm: str = "",
) -> PublishedRow:
    data = _data()["tables"][table]
    paper = {**_data()["papers"][data["paper"]], **{key: data[key] for key in ("llm", "retriever", "corpus") if key in data}}
    if llm:
        paper["llm"] = llm
    wanted = set(columns) or set(data["columns"])
    values = {key: value for key, value in zip(data["columns"], figures, strict=True) if key in wanted}
    why = [*_why_not(paper, dataset, setup, num, searches=searches), *more] if setup is not None else []
    return PublishedRow(f"{paper['name']}, {data['where']}", values, tuple(why))


def _why_not(paper: Mapping[str, Any], dataset: str, setup: Setup, num: int | None, *, searches: bool) -> Iterator[str]:
    """What differs, or is not known to be the same, between what was run and what the paper ran."""
    if _plain(paper["llm"]) not in _plain(setup.llm):
        yield f"the model is {setup.llm}, there {paper['llm']}"
    if searches and setup.retriever:
        if _plain(paper["retriever"]) not in _plain(setup.retriever):
            yield f"the retriever is {setup.settings.get('retriever') or setup.retriever}, there {paper['retriever']}"
        yield f"the corpus is {setup.settings.get('corpus', 'another')}, there {paper['corpus']}"
    if dataset == ALL or num is None:
        return
    there = paper["questions"].get(dataset)
    if there is None:
        yield f"{num:,} questions; how many there is not known"
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


def _plain(text: str) -> str:
    return "".join(char for char in text.lower() if char.isalnum())


@cache
def _data() -> Mapping[str, Any]:
    return tomllib.loads(Path(__file__).with_name("published.toml").read_text(encoding="utf-8"))
