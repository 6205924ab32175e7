"""A record as it is read from its file, and the names by which its text and its title are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any, TypeGuard

from hopweave.core.errors import DataError
from hopweave.core.visibility import METADATA
from hopweave.ingest.office_tables import MAX_COLUMNS

TEXT_FIELDS = ("text", "contents", "content", "body", "passage", "paragraph_text")
"""The fields that hold the text of a record, unless another one is named."""

ID_FIELDS = ("id", "_id", "pid", "docid", "passage_id")
"""The fields that hold the id of a record, unless another one is named."""

TITLE_FIELDS = ("title", "name")
"""The fields that hold the title of a record, unless another one is named."""

COLUMN = f"{METADATA}."
"""What the name of a column begins with that is metadata."""


@dataclass(frozen=True, slots=True)
class Row:
    """A record as read from its file.

    Attributes:
        place: names it within its file, such as `line 3`.
        values: by the names of the fields.
        is_table: whether it is a row of a table whose columns have names, as far as can be told: those that the first lines
            of a CSV file give; in JSON, the fields of flat records, if the first one is flat and has no text.
        titles: what stands above it: the title of its table, or of the object around the list that it is from.
        is_in_list: whether it is from such a list.
        is_beside_texts: whether other records at the beginning of its file have words.
        num_records: how many records of the file it is; see `messages.conversations`.
    """

    place: str
    values: Mapping[str, Any]
    is_table: bool = False
    titles: tuple[str, ...] = ()
    is_in_list: bool = False
    is_beside_texts: bool = False
    num_records: int = 1


def is_list_of_objects(value: object) -> TypeGuard[list[Mapping[str, Any]]]:
    """Whether a field of a record is a list of records, such as comments."""
    return isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) for one in value)


def text_in(values: Mapping[str, Any], names: Sequence[str] = TEXT_FIELDS) -> str:
    """The text of a record in a field of one of some names; empty if it has none."""
    return next((value for name in names if isinstance(value := values.get(name), str) and value.strip()), "")


def title_in(values: Mapping[str, Any]) -> str:
    """The title of a record in a field that is known; empty if it has none."""
    return next((value.strip() for name in TITLE_FIELDS if isinstance(value := values.get(name), str)), "")


def too_wide(where: str, fields: Sized, what: str, remedy: str) -> DataError:
    """The error for a record, or a row of a table, of more than `MAX_COLUMNS`.

    Args:
        where: it is.
        fields: that it has.
        what: they are called.
        remedy: what to do.
    """
    return DataError(f"{where} has {len(fields):,} {what}, more than {MAX_COLUMNS:,}; {remedy}")
