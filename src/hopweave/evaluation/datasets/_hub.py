"""Access to a hub of datasets through the `datasets` library, imported only when needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from hopweave.core.catalog import require
from hopweave.core.errors import DataError
from hopweave.evaluation.datasets._rows import L, Row, checked


@dataclass(frozen=True, slots=True)
class HubAddress:
    """The location of a dataset on the hub: its name there, and the configuration if it has several."""

    name: str
    config: str | None = None


def hub_rows(address: HubAddress, split: str, layouts: Sequence[type[L]]) -> Iterator[Row[L]]:
    """The rows of a split.

    Raises:
        MissingExtra: if the library is not installed.
        DataError: if the hub or the dataset cannot be reached, or a row matches none of the layouts.
    """
    library = require("datasets", "data")
    name = f"{address.name}{f' ({address.config})' if address.config else ''}, split {split}"
    try:
        table = library.load_dataset(address.name, address.config, split=split)
    except (OSError, ValueError, RuntimeError) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise DataError(f"cannot load {name} from the hub: {reason}; fetch its file and give its path instead") from error
    for number, values in enumerate(table, start=1):
        yield checked(values, partial(str, f"{name}, row {number}"), layouts)
