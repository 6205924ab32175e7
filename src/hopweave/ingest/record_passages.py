"""The passage of a record: which of its fields are its id, title and text, and what its other fields say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from hopweave.core.characters import check_whole
from hopweave.core.errors import DataError
from hopweave.core.types import Passage
from hopweave.core.visibility import ACCESS, METADATA, is_key, labels_in, plain_value
from hopweave.ingest.deadline import Check
from hopweave.ingest.formats import CorpusFile
from hopweave.ingest.json_stream import fields_of
from hopweave.ingest.lookup import MAX_DOCUMENT_ID_BYTES
from hopweave.ingest.reasons import Reason, Unreadable
from hopweave.ingest.record_fields import as_text, cell_of, has_words, with_who
from hopweave.ingest.record_labels import metadata_of
from hopweave.ingest.row import COLUMN, ID_FIELDS, TEXT_FIELDS, TITLE_FIELDS, Row, text_in
from hopweave.ingest.row_text import row_text
from hopweave.ingest.whole_texts import plain_text

DESCRIBING_FIELDS = ("abstract", "description", "summary")
"""The fields that hold the text of a record that has none of `TEXT_FIELDS` and is no row of a table."""
_LONGEST_CELL_TITLE = 100
"""Characters of a cell that may be the title of its row; a longer one is text."""


class Fields(NamedTuple):
    """The names that were given for the fields of records.

    Attributes:
        id: of the id; `None` for the first of `ID_FIELDS` that a record has.
        title: the same for the title, with `TITLE_FIELDS`.
        text: the same for the text, with `TEXT_FIELDS`.
    """

    id: str | None
    title: str | None
    text: str | None


def passage_of_record(
    file: CorpusFile, row: Row, fields: Fields, access: tuple[str, ...], no_metadata: Counter[str], check: Check
) -> Passage:
    """The passage of a record, with an empty id if it has none.

    The passage of a row of a table without a text column has each cell with the name of its column.

    Args:
        file: that has the record.
        row: the record.
        fields: that were named.
        access: the labels of a record that has none.
        no_metadata: metadata that cannot be used are counted there, by key.
        check: called while a text in HTML is read.

    Raises:
        DataError: if a field that was named is missing, or one has a value that it cannot have.
    """
    place = f"{file.source}, {row.place}"
    text = _pick(row.values, fields.text, TEXT_FIELDS)
    if text is None and row.is_table and fields.text is None:
        passage = _of_cells(file, row, fields, place)
    elif text is None and fields.text is None and (told := _told(row, fields, check)):
        passage = _of_text(file, row, fields, place, told)
    elif text is None:
        wanted = fields.text or " or ".join(TEXT_FIELDS)
        raise Unreadable(_no_field(place, row.values, wanted, "--text-field"), Reason.NO_TEXT_FIELD)
    else:
        words = plain_text(_text(text, "text", place), check)
        words = with_who(row.values, words, _shown_elsewhere(row.values, fields), check)
        passage = _of_text(file, row, fields, place, words)
    return _with_labels(passage, row, place, access, no_metadata)


def _of_text(file: CorpusFile, row: Row, fields: Fields, place: str, text: str) -> Passage:
    title = _text(_pick(row.values, fields.title, TITLE_FIELDS) or "", "title", place).strip()
    record_id = _pick(row.values, fields.id, ID_FIELDS)
    if record_id is None and fields.id is not None:
        raise DataError(_no_field(place, row.values, fields.id, "--id-field"))
    return Passage(
        _id_text(record_id, place), _text(text, "text", place), title, file.source, sections=_above(file, row, place)
    )


def _shown_elsewhere(values: Mapping[str, Any], fields: Fields) -> list[str]:
    """The fields whose value is the title."""
    title = _pick(values, fields.title, TITLE_FIELDS)
    return [name for name, value in values.items() if value is not None and value == title]


def _told(row: Row, fields: Fields, check: Check) -> str:
    """What a record says that has no text: its other fields, around its description; empty if it is not meant to be read."""
    text = text_in(row.values, DESCRIBING_FIELDS)
    might_have_one = row.is_beside_texts and any(name in row.values for name in (*TEXT_FIELDS, *TITLE_FIELDS))
    if not text and not might_have_one and not has_words(row.values, check):
        return ""
    described = [name for name in DESCRIBING_FIELDS if row.values.get(name) == text]
    known = {*ID_FIELDS, *_shown_elsewhere(row.values, fields), *described}
    return as_text(row.values, plain_text(text, check), known, check)


def _of_cells(file: CorpusFile, row: Row, fields: Fields, place: str) -> Passage:
    chosen = (fields.id, fields.title)
    missing = next((name for name in chosen if name is not None and name not in row.values), None)
    if missing is not None:
        raise DataError(_no_field(place, row.values, missing, "--id-field" if missing == chosen[0] else "--title-field"))
    record_id = _pick(row.values, fields.id, ID_FIELDS)
    named = {name: cell for name, value in row.values.items() if (cell := cell_of(name, value))}
    cells = {name: cell for name, cell in named.items() if name not in {ACCESS, METADATA} and not name.startswith(COLUMN)}
    title = _pick(row.values, fields.title, TITLE_FIELDS)
    if title is None:
        own_id = cell_of("", record_id)
        title = next((cell for cell in cells.values() if cell != own_id and len(cell) <= _LONGEST_CELL_TITLE), "")
    text = _text(row_text(list(cells), list(cells.values())), "text", place)
    sections = _above(file, row, place)
    return Passage(_id_text(record_id, place), text, _text(title, "title", place), file.source, sections=sections)


def _above(file: CorpusFile, row: Row, place: str) -> tuple[str, ...]:
    """The headings above a record."""
    return (*file.within, *(_text(title, "heading", place) for title in row.titles))


def _with_labels(passage: Passage, row: Row, place: str, access: tuple[str, ...], no_metadata: Counter[str]) -> Passage:
    """The passage with the metadata and labels of its record."""
    metadata = {}
    for key, value in metadata_of(row.values):
        text = plain_value(value)
        if text is not None and is_key(key):
            metadata[key] = text
        elif value not in (None, ""):
            no_metadata[key] += 1
    return replace(passage, metadata=metadata, access=labels_in(row.values.get(ACCESS), place) or access)


def _pick(values: Mapping[str, Any], chosen: str | None, names: Sequence[str]) -> object:
    for name in names if chosen is None else (chosen,):
        if values.get(name) is not None:
            return values[name]
    return None


def _no_field(place: str, values: Mapping[str, Any], wanted: str, option: str) -> str:
    return f"{place} has no field {wanted} ({fields_of(values)}); name the right one with {option}"


def _text(value: object, what: str, place: str) -> str:
    if not isinstance(value, str):
        raise DataError(f"{place}: its {what} is of type {type(value).__name__}; make it a single text")
    check_whole(value, f"{place}: its {what}")
    return value


def _id_text(value: object, place: str) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    text = _text("" if value is None else value, "id", place)
    if (num_bytes := len(text.encode())) > MAX_DOCUMENT_ID_BYTES:
        raise DataError(f"{place}: its id has {num_bytes:,} bytes, more than {MAX_DOCUMENT_ID_BYTES:,}; give it a shorter one")
    return text
