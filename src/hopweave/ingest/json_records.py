"""Records of JSON files: a list of them, one by one in lines, an object of them, around a list of them, or one alone.

What programs export is an object around several lists as well, whose records refer to each other by their ids (the cards of a
board to its columns), or a record whose messages are a tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from hopweave.core.errors import DataError
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.visibility import ACCESS, METADATA
from hopweave.ingest.deadline import Check
from hopweave.ingest.file_bytes import open_text
from hopweave.ingest.formats import CorpusFile, Limits, OnBytes
from hopweave.ingest.json_stream import Item, JsonStream, load_json
from hopweave.ingest.messages import person, said, where_said
from hopweave.ingest.office_tables import MAX_COLUMNS
from hopweave.ingest.record_fields import has_words
from hopweave.ingest.record_labels import Around, said_around, with_labels
from hopweave.ingest.row import TEXT_FIELDS, TITLE_FIELDS, Row, is_list_of_objects, text_in, title_in, too_wide
from hopweave.ingest.whole_texts import with_whole_text

_FEWEST_CELLS = 2
_LONGEST_VALUE = 300
"""Characters of a text that is a cell of a table; a longer one is most likely the text of its record."""
_MOST_LOOKED_AT = 30
"""Records by which is told whether those of a file are meant to be read, if the first one has no words."""
_NOTHING = Around()
_REFERS = lazy_pattern(r"ids?|\w+(?:Ids?|_ids?|ID|IDs)|ids?[A-Z]\w*")
"""Names of fields that refer to other records by their ids."""


def read_json_lines(file: CorpusFile, on_bytes: OnBytes, limits: Limits, check: Check) -> Iterator[Row]:
    """The records of a file with one in each line.

    Args:
        file: the file.
        on_bytes: see `open_text`.
        limits: on its length and that of its lines.
        check: called for every piece of the file.

    Raises:
        DataError: for a line that is no record.
    """
    return _told(_lines(file, on_bytes, limits, check), check)


def read_json(file: CorpusFile, on_bytes: OnBytes, limits: Limits, check: Check) -> Iterator[Row]:
    """The records of a JSON file.

    Args:
        file: the file.
        on_bytes: see `open_text`.
        limits: on its length and that of its records.
        check: called for every piece of the file.

    Raises:
        DataError: for invalid JSON, or something other than objects.
    """
    return _told(_values(file, on_bytes, limits, check), check)


def _told(rows: Iterator[Row], check: Check) -> Iterator[Row]:
    """Rows of JSON, told whether they are those of a table, and whether there are texts among them."""
    first = next(rows, None)
    if first is None:
        return
    held, failure = [first], None
    is_table = _is_flat(first.values) and not any(first.values.get(name) is not None for name in TEXT_FIELDS)
    if not is_table and not _has_text(first, check):
        try:
            held += islice(rows, _MOST_LOOKED_AT)
        except DataError as error:  # the records before it come first
            failure = error
    has_texts = any(_has_text(row, check) for row in held)
    for row in chain(held, () if failure else rows):
        yield replace(row, is_table=is_table and _has_cells(row.values), is_beside_texts=has_texts)
    if failure is not None:
        raise failure


def _has_text(row: Row, check: Check) -> bool:
    return bool(text_in(row.values)) or has_words(row.values, check)


def _is_flat(values: Mapping[str, Any]) -> bool:
    """Whether a record has fields as a row of a table has cells: several, short, and none with fields of its own."""
    cells = _cells(values)
    is_short = all(isinstance(cell, int | float) or (isinstance(cell, str) and len(cell) <= _LONGEST_VALUE) for cell in cells)
    return len(cells) >= _FEWEST_CELLS and is_short


def _has_cells(values: Mapping[str, Any]) -> bool:
    """Whether a record has nothing but what can be a cell of a table, lists of such included, and more than an id."""
    cells = _cells(values)
    parts = chain.from_iterable(cell if isinstance(cell, list) else [cell] for cell in cells)
    return len(cells) >= _FEWEST_CELLS and all(isinstance(part, str | int | float) for part in parts)


def _cells(values: Mapping[str, Any]) -> list[Any]:
    return [value for name, value in values.items() if name not in {METADATA, ACCESS} and value is not None]


def _lines(file: CorpusFile, on_bytes: OnBytes, limits: Limits, check: Check) -> Iterator[Row]:
    with open_text(file, on_bytes, limits, check=check) as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield _row(file, f"line {number}", load_json(line, f"{file.source}, line {number}"))


def _values(file: CorpusFile, on_bytes: OnBytes, limits: Limits, check: Check) -> Iterator[Row]:
    with open_text(file, on_bytes, limits, unit="row", check=check) as content:
        stream = JsonStream(content, file.source, limits)
        match stream.first():
            case "[":
                for item in stream.rows():
                    yield _row(file, f"record {item.number}", item.value)
            case "{":
                yield from _of_object(file, stream, limits, check)
            case "":
                return
            case _:
                raise DataError(f"{file.source} is neither a list nor an object; give a list of objects with a text each")
        stream.end()


def _of_object(file: CorpusFile, stream: JsonStream, limits: Limits, check: Check) -> Iterator[Row]:
    """The rows of a JSON object: each member by its key, or the object itself, or those of the lists that it is around."""
    held: list[Item] = []
    length, is_record = 0, False
    members = stream.members()
    for item in members:
        held.append(item)
        length += len(item.text)
        is_record = is_record or not isinstance(item.value, Mapping)
        if length > limits.max_row_mib << 20:
            break
    if not is_record:
        for item in chain(held, members):
            yield _row(file, f"record {item.key!r}", item.value, item.key)
        return
    if length > limits.max_row_mib << 20:
        raise limits.too_long(f"the record of {file.source}", "max_row_mib")
    yield from _in_lists(file, {item.key: item.value for item in held if item.key is not None}, check)


def _in_lists(file: CorpusFile, values: Mapping[str, Any], check: Check) -> Iterator[Row]:
    """The rows of the lists that an object is around, after the object itself if it says something; else the object alone."""
    values = {key: [*map(with_whole_text, one)] if is_list_of_objects(one) else one for key, one in values.items()}
    lists = {} if text_in(values) else _lists_to_read(values, check)
    if not lists:
        yield _row(file, "the record", values)
        return
    own = {name: value for name, value in values.items() if not is_list_of_objects(value)}
    title = title_in(values) or where_said(values)
    if has_words({name: value for name, value in own.items() if name not in TITLE_FIELDS}, check):
        yield _row(file, "the record", own)
    names = _names_by_id(values)
    around = said_around({name: value for name, value in values.items() if name not in lists}, f"{file.source}, the record")
    for key, rows in lists.items():
        above = tuple(filter(None, (title, key if len(lists) > 1 else "")))
        for number, record in enumerate(rows, start=1):
            shown = _with_names(record, names) if names else record
            row = _row(file, f"record {number} of {key!r}", shown, around=around)
            yield replace(row, titles=above, is_in_list=True)


def _lists_to_read(values: Mapping[str, Any], check: Check) -> dict[str, Sequence[Mapping[str, Any]]]:
    """The lists of records within an object that are meant to be read; none if they are parts of a text with a title."""
    lists: dict[str, Sequence[Mapping[str, Any]]] = {key: one for key, one in values.items() if is_list_of_objects(one)}
    with_words = {key: rows for key, rows in lists.items() if any(text_in(row) or _says_more(row, check) for row in rows)}
    found = with_words or {key: rows for key, rows in lists.items() if all(map(_is_flat, rows))}
    are_items = title_in(values) and all(_is_item(row, check) for row in chain.from_iterable(found.values()))
    return {} if are_items else found


def _says_more(record: Mapping[str, Any], check: Check) -> bool:
    """Whether a record without a text has words besides its title, or a list of things."""
    others = {name: value for name, value in record.items() if name not in TITLE_FIELDS}
    return any(map(is_list_of_objects, others.values())) or has_words(others, check)


def _is_item(record: Mapping[str, Any], check: Check) -> bool:
    """Whether a record is a part of a text, such as a paragraph or a step, without a title, an id or an author of its own."""
    return bool(text_in(record)) and "id" not in record and not title_in(record) and not said(record, check)


def _names_by_id(values: Mapping[str, Any]) -> dict[str, str]:
    """The names of the records in all lists within an object, by their ids."""
    records = chain.from_iterable(value for value in values.values() if is_list_of_objects(value))
    return {one["id"]: name for one in records if isinstance(one.get("id"), str) and (name := person(one) or title_in(one))}


def _with_names(record: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """A record with the names of those that it refers to by their ids."""

    def named(value: object) -> object:
        return names.get(value, value) if isinstance(value, str) else value

    return {
        field: ([named(one) for one in value] if isinstance(value, list) else named(value))
        if field != "id" and _REFERS.fullmatch(field)
        else value
        for field, value in record.items()
    }


def _row(file: CorpusFile, place: str, values: object, key: str | None = None, around: Around = _NOTHING) -> Row:
    if not isinstance(values, Mapping):
        raise DataError(f"{file.source}, {place} is {_kind(values)}, not an object; each record must be an object with a text")
    for what, fields in (("fields", values), ("values of metadata", values.get(METADATA))):
        if isinstance(fields, Mapping) and len(fields) > MAX_COLUMNS:
            raise too_wide(f"{file.source}, {place}", fields, what, "leave out fields that hold no text, or split the record")
    labelled = with_labels(values if key is None else {"id": key, **values}, around, f"{file.source}, {place}")
    return Row(place, with_whole_text(labelled))


def _kind(value: object) -> str:
    names = {str: "a text", list: "a list", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")
