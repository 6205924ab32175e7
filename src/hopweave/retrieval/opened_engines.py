"""Opens the engines that a retriever is built on: where their indexes are, and how they are opened."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hopweave.core.building import build
from hopweave.core.catalog import asks_the_model, key_of, load
from hopweave.core.errors import DataError, SettingsError
from hopweave.core.indexing import IndexedRetriever
from hopweave.core.protocols import Retriever
from hopweave.core.visibility import OPTION, PUBLIC, Visible, cannot_filter
from hopweave.retrieval.index.index_folder import is_index, read_manifest

Options = Mapping[str, Mapping[str, Any]]


def index_for(folder: Path, engine: str) -> Path:
    """The index of an engine: the folder itself, or the one of the engine's name inside an index of another engine.

    Raises:
        DataError: if the folder is an index of another engine without this one inside, with the command that builds it.
    """
    if not is_index(folder):
        return folder
    built_by = read_manifest(folder).engine
    inside = folder / engine
    if built_by == engine or is_index(inside):
        return folder if built_by == engine else inside
    raise DataError(
        f"index {folder} was built by {built_by}, and there is no index of {engine} in {inside}; make one with: "
        f"hopweave index PATH... --engine {engine} --to {inside}, or name one with --set retrievers.{engine}.index=FOLDER"
    )


def opened(name: str, index: Path, options: Options, of: str, visible: Visible = PUBLIC) -> Retriever:
    """An engine with its options over an index folder, unless its options name another.

    Args:
        name: the name of the engine.
        index: the folder, or one that contains the engine's.
        options: the options of engines, by name.
        of: the retriever that uses it, for messages.
        visible: the passages that it may show.

    Raises:
        SettingsError: if it asks the language model, for an invalid option, or if it cannot hide passages but has to.
        DataError: if its index cannot be opened.
        MissingExtra: if a library that it needs is not installed.
    """
    part = load("retrievers", name)
    if asks_the_model(name):
        raise SettingsError(f"{of} cannot use {name!r}, which asks the language model; name an engine such as 'bm25'")
    key = key_of("retrievers", name)
    known = {one.name for one in dataclasses.fields(part) if one.init}
    own = dict(options.get(key, {}))
    if isinstance(part, IndexedRetriever) and "index" not in own:
        index = index_for(index, key)
    given = {"index": index, "engine_options": {other: of_other for other, of_other in options.items() if other != key}}
    if visible != PUBLIC and OPTION not in known:
        raise cannot_filter(name)
    values = {option: value for option, value in given.items() if option in known} | own
    values |= {OPTION: visible} if OPTION in known else {}
    engine: Retriever = build(part, values, f"retrievers.{key}")
    return engine
