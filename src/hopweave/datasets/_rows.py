"""Rows of dataset files: JSON lists, lists within an object, JSON lines; each row checked and able to say where it stands."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, ValidationError

from hopweave.corpus.files import CorpusFile, open_bytes, open_text
from hopweave.corpus.records import first_byte
from hopweave.errors import DataError

_FEED_BYTES = 1 << 16
_INSIDE = frozenset({"map_key", "end_map", "end_array"})


class Layout(BaseModel):
    """The fields of a row that are used; others may be there.

    Attributes:
        marks: fields by which a row of this layout is told from one of another.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)
    marks: ClassVar[tuple[str, ...]] = ()


L = TypeVar("L", bound=Layout)
L_co = TypeVar("L_co", bound=Layout, covariant=True)


@dataclass(frozen=True, slots=True)
class Row(Generic[L_co]):
    """A row that has the layout.

    Attributes:
        values: its fields.
        where: says its place; it is asked only when something is wrong, since finding a line may take a while.
    """

    values: L_co
    where: Callable[[], str]

    def error(self, reason: str, remedy: str = "correct the row or remove it") -> DataError:
        """An error that names the place of the row."""
        return DataError(f"{self.where()}: {reason}; {remedy}")


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty")
    return text


def _id_text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Text = Annotated[str, AfterValidator(_not_blank)]
"""A text with something in it."""

Id = Annotated[str, BeforeValidator(_id_text), AfterValidator(_not_blank)]
"""An identifier; numbers are taken as text."""


def read_rows(path: Path, layouts: Sequence[type[L]], under: Sequence[str] = ()) -> Iterator[Row[L]]:
    """The rows of a file, one at a time, whichever of the forms it has; `.gz` is unzipped.

    Args:
        path: the file.
        layouts: what a row may look like; the first whose marks it has counts.
        under: keys under one of which the list of rows stands, where the file is one object.

    Raises:
        DataError: names the file, the line and the reason.
    """
    file = CorpusFile(path, path.as_posix(), path.name)
    prefix = _prefix_of_list(file, under)
    for values, where in _lines(file) if prefix is None else _items(file, prefix):
        yield checked(values, where, layouts)


def read_members(path: Path, layout: type[L]) -> Iterator[tuple[str, Row[L]]]:
    """The keys and values of a file that is one large object. Same errors as `read_rows`."""
    import ijson

    file = CorpusFile(path, path.as_posix(), path.name)
    with open_bytes(file) as stream:
        if first_byte(stream) != b"{":
            raise DataError(f"{file.source} is not one object with a member for each entry; check that it is the right file")
        try:
            for key, values in ijson.kvitems(stream, "", use_float=True):
                member = values if isinstance(values, Mapping) else {"value": values}
                yield key, checked(member, partial(str, f"{file.source}, member {key!r}"), (layout,))
        except ijson.JSONError as error:
            raise DataError(f"{file.source} is not JSON: {_first_line(error)}; fetch the file again") from None


def checked(values: object, where: Callable[[], str], layouts: Sequence[type[L]]) -> Row[L]:
    """A row with its layout.

    Raises:
        DataError: if it has none of the layouts.
    """
    if not isinstance(values, Mapping):
        raise DataError(f"{where()} is not an object with fields; correct the row or remove it")
    fits = [layout for layout in layouts if all(mark in values for mark in layout.marks)]
    if not fits:
        wanted = " or ".join(", ".join(layout.marks) for layout in layouts)
        raise DataError(f"{where()} has no field {wanted} ({_fields(values)}); check that it is a file of this dataset")
    try:
        return Row(fits[0].model_validate(values), where)
    except ValidationError as error:
        raise DataError(f"{where()}{_explained(error, values)}; correct the row or remove it") from None


def _explained(error: ValidationError, values: Mapping[str, Any]) -> str:
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] == "missing":
        return f" has no field {place} ({_fields(values)})"
    return f": {place}: {first['msg'].removeprefix('Value error, ')}"


def _fields(values: Mapping[str, Any]) -> str:
    return f"its fields: {', '.join(map(str, values)) or 'none at all'}"


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0].rstrip(".")


def _lines(file: CorpusFile) -> Iterator[tuple[object, Callable[[], str]]]:
    with open_text(file) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            place = f"{file.source}, line {number}"
            try:
                values = json.loads(line)
            except json.JSONDecodeError as error:
                what = f"{error.msg} (column {error.colno})"
                raise DataError(f"{place} is not JSON: {what}; correct the row or remove it") from None
            except RecursionError:
                raise DataError(f"{place} nests too deeply; flatten the row or remove it") from None
            if "\\ud" in line.lower() and not _is_text(values):
                raise DataError(f"{place} holds half of a surrogate pair, which is no character; correct the row or remove it")
            yield values, partial(str, place)


def _is_text(values: object) -> bool:
    try:
        json.dumps(values, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _items(file: CorpusFile, prefix: str) -> Iterator[tuple[object, Callable[[], str]]]:
    import ijson

    number = 0
    with open_bytes(file) as stream:
        first_byte(stream)
        try:
            for number, values in enumerate(ijson.items(stream, prefix, use_float=True), start=1):
                yield values, partial(_place, file, prefix, number)
        except ijson.JSONError as error:
            what = _first_line(error)
            raise DataError(f"{_place(file, prefix, number + 1)} is not JSON: {what}; fetch or correct the file") from None


def _prefix_of_list(file: CorpusFile, under: Sequence[str]) -> str | None:
    """Where the list of rows stands, as ijson says it; nothing for JSON lines."""
    import ijson

    with open_bytes(file) as stream:
        first = first_byte(stream)
        if not first:
            raise DataError(f"{file.source} is empty; fetch the file again")
        if first == b"[":
            return "item"
        if not under:
            return None
        depth = 0
        try:
            for event, value in ijson.basic_parse(stream, multiple_values=True):
                depth += event.startswith("start_") - event.startswith("end_")
                if depth == 1 and event == "map_key" and value in under:
                    return f"{value}.item"
                if depth == 0:
                    return None
        except ijson.JSONError:
            return None
    return None


def _place(file: CorpusFile, prefix: str, number: int) -> str:
    return f"{file.source}, line {_line_of(file, prefix, number)} (record {number})"


def _line_of(file: CorpusFile, prefix: str, number: int) -> int:
    """The line on which a record begins, or on which the file stops being JSON: it is read again, line by line."""
    import ijson

    events = ijson.sendable_list()
    parser = ijson.parse_coro(events)
    line, seen = 1, 0
    with open_bytes(file) as stream:
        first_byte(stream)
        try:
            while piece := stream.readline(_FEED_BYTES):
                parser.send(piece)
                seen += sum(at == prefix and event not in _INSIDE for at, event, _ in events)
                if seen >= number:
                    return line
                del events[:]
                line += piece.endswith(b"\n")
        except ijson.JSONError:
            pass
    return line
