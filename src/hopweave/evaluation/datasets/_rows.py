"""Rows of dataset files: JSON lists, lists within an object, JSON lines; each row is checked and knows its location."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, ValidationError

from hopweave.core.characters import check_whole
from hopweave.core.errors import DataError
from hopweave.ingest.file_bytes import open_text
from hopweave.ingest.formats import CorpusFile, Limits
from hopweave.ingest.json_stream import JsonStream, fields_of, load_json


class Layout(BaseModel):
    """The fields of a row that are used; others are allowed.

    Attributes:
        marks: fields that distinguish this layout from others.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)
    marks: ClassVar[tuple[str, ...]] = ()


L = TypeVar("L", bound=Layout)
L_co = TypeVar("L_co", bound=Layout, covariant=True)


@dataclass(frozen=True, slots=True)
class Row(Generic[L_co]):
    """A row with a valid layout.

    Attributes:
        values: its fields.
        where: returns its location; called only on errors, since finding a line may take a while.
    """

    values: L_co
    where: Callable[[], str]

    def error(self, reason: str, remedy: str = "correct the row or remove it") -> DataError:
        """An error with the location of the row."""
        return DataError(f"{self.where()}: {reason}; {remedy}")


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty")
    return text


def _id_text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Text = Annotated[str, AfterValidator(_not_blank)]
"""A non-blank text."""

Id = Annotated[str, BeforeValidator(_id_text), AfterValidator(_not_blank)]
"""An identifier; numbers are converted to text."""


def read_rows(path: Path, layouts: Sequence[type[L]], under: Sequence[str] = ()) -> Iterator[Row[L]]:
    """The rows of a file in any of the supported forms, one at a time; `.gz` is decompressed.

    Args:
        path: the file.
        layouts: the possible layouts of a row; the first whose marks it has is used.
        under: keys under which the list of rows may be, if the file is one object.

    Raises:
        DataError: with the file, the line and the reason.
    """
    file = CorpusFile(path, path.as_posix(), path.name)
    for values, where in _items(file, under) if _is_list(file, under) else _lines(file):
        yield checked(values, where, layouts)


def read_members(path: Path, layout: type[L]) -> Iterator[tuple[str, Row[L]]]:
    """The keys and values of a file that is one large object. Same errors as in `read_rows`."""
    file = CorpusFile(path, path.as_posix(), path.name)
    with open_text(file, unit="row") as content:
        stream = JsonStream(content, file.source, Limits())
        if stream.first() != "{":
            raise DataError(f"{file.source} is not one object with a member per entry; check that it is the right file")
        for item in stream.members():
            key = item.key or ""
            place = f"{file.source}, member {key!r}"
            member = item.value if isinstance(item.value, Mapping) else {"value": item.value}
            yield key, checked(_whole(member, item.text, place), partial(str, place), (layout,))
        stream.end()


def checked(values: object, where: Callable[[], str], layouts: Sequence[type[L]]) -> Row[L]:
    """A row parsed with its layout.

    Raises:
        DataError: if it matches none of the layouts.
    """
    if not isinstance(values, Mapping):
        raise DataError(f"{where()} is not an object with fields; correct the row or remove it")
    fits = [layout for layout in layouts if all(mark in values for mark in layout.marks)]
    if not fits:
        wanted = " or ".join(", ".join(layout.marks) for layout in layouts)
        raise DataError(f"{where()} has no field {wanted} ({fields_of(values)}); check that it is a file of this dataset")
    try:
        return Row(fits[0].model_validate(values), where)
    except ValidationError as error:
        raise DataError(f"{where()}{_explained(error, values)}; correct the row or remove it") from None


def _explained(error: ValidationError, values: Mapping[str, Any]) -> str:
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] == "missing":
        return f" has no field {place} ({fields_of(values)})"
    if first["type"] == "string_type" and isinstance(first["input"], int | float):
        return f": {place} is {first['input']}, a number; put it in quotation marks"
    return f": {place}: {first['msg'].removeprefix('Value error, ')}"


def _lines(file: CorpusFile) -> Iterator[tuple[object, Callable[[], str]]]:
    with open_text(file) as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                place = f"{file.source}, line {number}"
                yield _whole(load_json(line, place), line, place), partial(str, place)


def _items(file: CorpusFile, under: Sequence[str]) -> Iterator[tuple[object, Callable[[], str]]]:
    with open_text(file, unit="row") as content:
        stream = JsonStream(content, file.source, Limits())
        for item in stream.rows() if stream.first() == "[" else stream.rows_under(under):
            place = f"{file.source}, line {item.line} (record {item.number})"
            yield _whole(item.value, item.text, place), partial(str, place)
        stream.end()


def _whole(values: Any, text: str, place: str) -> Any:
    """The values of a row, checked for valid characters.

    Raises:
        DataError: for an unpaired surrogate in its text.
    """
    if "\\ud" in text.lower():
        check_whole(json.dumps(values, ensure_ascii=False), place, "correct the row or remove it")
    return values


def _is_list(file: CorpusFile, under: Sequence[str]) -> bool:
    """Whether the rows are in a list; otherwise each line is one.

    Raises:
        DataError: for an empty file.
    """
    with open_text(file, unit="row") as content:
        stream = JsonStream(content, file.source, Limits())
        first = stream.first()
        if not first:
            raise DataError(f"{file.source} is empty; fetch the file again")
        if first != "{" or not under:
            return first == "["
        with suppress(DataError):  # reading line by line reports what is wrong
            return stream.has_list_under(under)
    return False
