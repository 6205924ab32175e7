"""Rows of the files that hold many records: JSON, JSON lines, tab or comma separated."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from hopweave.corpus.files import CorpusFile, open_bytes, open_text
from hopweave.errors import DataError

OnBytes = Callable[[int], None] | None

_MAX_CELL_CHARACTERS = 1 << 24
_FEED_BYTES = 1 << 16
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Row:
    """A record as it was read; `place` names it within its file, such as `line 3`."""

    place: str
    values: Mapping[str, Any]


def read_rows(file: CorpusFile, on_bytes: OnBytes) -> Iterator[Row]:
    """The rows of a file, one at a time.

    Raises:
        DataError: for a file that cannot be read, is not of its format, or holds something else than objects.
    """
    if file.suffix == ".json":
        return _read_json(file, on_bytes)
    if file.suffix in {".tsv", ".csv"}:
        return _read_table(file, on_bytes)
    return _read_json_lines(file, on_bytes)


def _read_json_lines(file: CorpusFile, on_bytes: OnBytes) -> Iterator[Row]:
    with open_text(file, on_bytes) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                values = json.loads(line)
            except json.JSONDecodeError as error:
                what = f"{error.msg} (column {error.colno})"
                raise DataError(f"{file.source}, line {number} is not JSON: {what}; correct the line or remove it") from None
            except RecursionError:
                raise DataError(f"{file.source}, line {number} nests too deeply; flatten the record or remove it") from None
            yield _row(file, f"line {number}", values)


def _read_json(file: CorpusFile, on_bytes: OnBytes) -> Iterator[Row]:
    import ijson

    with open_bytes(file, on_bytes) as stream:
        num_read = 0
        try:
            for row in _json_rows(file, stream):
                yield row
                num_read += 1
        except ijson.JSONError as error:
            raise _json_error(file, num_read + 1, str(error)) from None


def _json_rows(file: CorpusFile, stream: BinaryIO) -> Iterator[Row]:
    import ijson

    first = first_byte(stream)
    if first == b"[":
        for number, values in enumerate(ijson.items(stream, "item"), start=1):
            yield _row(file, f"record {number}", values)
    elif first == b"{":
        for key, values in ijson.kvitems(stream, ""):
            yield _row(file, f"record {key!r}", values, key)
    elif first:
        raise DataError(f"{file.source} holds neither a list nor an object; give a list of objects with a text each")


def first_byte(stream: BinaryIO) -> bytes:
    """The first byte that is not white space, left in the stream; a byte order mark is taken out."""
    buffered = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(stream)  # type: ignore[type-var]
    if buffered.peek(3)[:3] == _BYTE_ORDER_MARK:
        buffered.read(3)
    while (byte := buffered.peek(1)[:1]) and byte.isspace():
        buffered.read(1)
    return byte


def _json_error(file: CorpusFile, number: int, reason: str) -> DataError:
    where = f"{file.source}, line {_line_of_json_error(file)} (record {number})"
    what = reason.strip().split("\n", 1)[0].rstrip(".")
    if "trailing garbage" in what or "dditional data" in what:
        return DataError(f"{where}: more follows after the end ({what}); if each line is an object, name the file .jsonl")
    return DataError(f"{where} is not JSON: {what}; correct the file")


def _line_of_json_error(file: CorpusFile) -> int:
    """Reads the file again, line by line: the parser itself does not say where it stands."""
    import ijson

    events = ijson.sendable_list()
    parser = ijson.basic_parse_coro(events)
    line = 1
    with open_bytes(file) as stream:
        first_byte(stream)
        try:
            while piece := stream.readline(_FEED_BYTES):
                parser.send(piece)
                del events[:]
                line += piece.endswith(b"\n")
            parser.close()
        except ijson.JSONError:
            pass
    return line


def _row(file: CorpusFile, place: str, values: object, key: str | None = None) -> Row:
    if not isinstance(values, Mapping):
        raise DataError(f"{file.source}, {place} is {_kind(values)}, not an object; each record must be an object with a text")
    return Row(place, values if key is None else {"id": key, **values})


def _kind(value: object) -> str:
    names = {str: "a text", list: "a list", bool: "a truth value", type(None): "null"}
    return names.get(type(value), "a number")


def _read_table(file: CorpusFile, on_bytes: OnBytes) -> Iterator[Row]:
    # The limit is one for the whole process; it is only ever raised. It ends a quote that was opened by mistake.
    csv.field_size_limit(max(_MAX_CELL_CHARACTERS, csv.field_size_limit()))
    with open_text(file, on_bytes) as lines:
        reader = csv.reader(lines, delimiter="\t" if file.suffix == ".tsv" else ",", strict=True)
        header: list[str] | None = None
        try:
            for cells in reader:
                if not cells:
                    continue
                if header is None:
                    header = [name.strip() for name in cells]
                    continue
                if len(cells) != len(header):
                    raise DataError(
                        f"{file.source}, line {reader.line_num} has {len(cells)} columns and the header has {len(header)}; "
                        "correct the line, or quote a text that holds the separator"
                    )
                yield Row(f"line {reader.line_num}", dict(zip(header, cells, strict=True)))
        except csv.Error as error:
            what = f"{file.source}, line {reader.line_num} cannot be split into columns: {error}"
            raise DataError(f"{what}; a text that holds a quotation mark must be quoted, its own marks doubled") from None
