"""Sources of datasets, and what all datasets guarantee: unique ids, and no row dropped silently."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, ClassVar

from hopweave.core.errors import DataError, SettingsError
from hopweave.core.options import check_options
from hopweave.core.types import Example, Passage
from hopweave.evaluation.datasets._hub import HubAddress, hub_rows
from hopweave.evaluation.datasets._rows import L, Row, read_rows
from hopweave.ingest.lookup import content_id


@dataclass(frozen=True, slots=True)
class Source:
    """A dataset in a file or on a hub.

    Raises:
        SettingsError: unless exactly one of `path` and `hub` is given, or for an option out of its bounds.
    """

    HUB: ClassVar[HubAddress]

    path: Annotated[Path | None, "the file, in its official format; .gz also works"] = None
    hub: Annotated[bool, "load through the datasets library instead of from path (extra: data)"] = False
    split: Annotated[str, "which split, with hub"] = "validation"

    def __post_init__(self) -> None:
        check_options(self)
        if self.hub == (self.path is not None):
            what = "both path and hub are given" if self.hub else "there is nothing to read"
            raise SettingsError(f"{type(self).__name__}: {what}; give either path = FILE or hub = true")

    def rows(self, *layouts: type[L], under: Sequence[str] = (), hub: HubAddress | None = None) -> Iterator[Row[L]]:
        """The rows of the file or of the split. Same errors as in `read_rows` and `hub_rows`.

        Args:
            layouts: the possible layouts of a row.
            under: see `read_rows`.
            hub: overrides the dataset's own address.
        """
        if self.path is None:
            return hub_rows(hub or self.HUB, self.split, layouts)
        return read_rows(self.path, layouts, under)


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A dataset in a file that has no address on a hub."""

    path: Annotated[Path, "the file; .gz also works"]

    def rows(self, *layouts: type[L], under: Sequence[str] = ()) -> Iterator[Row[L]]:
        """The rows of the file. Same arguments and errors as in `read_rows`."""
        return read_rows(self.path, layouts, under)


def examples_of(rows: Iterable[Row[L]], make: Callable[[Row[L]], Iterable[Example]]) -> Iterator[Example]:
    """The examples of rows, in order.

    Args:
        rows: the rows of the dataset.
        make: returns the examples of a row; none, if the dataset's docstring says that such rows are left out. A question
            without an id gets one from its text: 16 hexadecimal digits, with `~2` and so on for repetitions.

    Raises:
        DataError: for a duplicate id, or if there are no examples at all.
    """
    places: dict[str, Callable[[], str]] = {}
    named: Counter[str] = Counter()
    for row in rows:
        for made in make(row):
            example = made if made.question.id else _named(made, named)
            key = example.question.id
            if key in places:
                raise row.error(f"its id {key!r} is also that of {places[key]()}", "give each row its own id")
            places[key] = row.where
            yield example
    if not places:
        raise DataError("the dataset has no question that can be asked with these options; check its file and its options")


def _named(example: Example, seen: Counter[str]) -> Example:
    name = hashlib.blake2b(example.question.text.encode(), digest_size=8).hexdigest()
    seen[name] += 1
    key = name if seen[name] == 1 else f"{name}~{seen[name]}"
    return replace(example, question=replace(example.question, id=key))


def passage_of(title: str, text: str) -> Passage:
    """A passage with an id derived from its content, so that equal passages of two rows are the same."""
    return Passage(content_id(title, text), text, title)


def distinct(values: Iterable[str]) -> tuple[str, ...]:
    """The values that are not blank, each once, in order."""
    return tuple(dict.fromkeys(value for value in values if value.strip()))


def required(path: Path | None, option: str, what: str) -> Path:
    """The file that an option names.

    Raises:
        SettingsError: if it is not set.
    """
    if path is None:
        raise SettingsError(f"{what} are in a separate file; give {option} = FILE")
    return path
