"""What the fields of a record say beside its text, and what a record says that has no field of a known name for its text.

Short fields are a row, as of a table; sentences in longer ones are paragraphs. What is within a field, such as comments and the
items of a list, comes last. Programs export much that nobody reads, which is left out: addresses of their own interfaces,
identifiers, and the same text once more as HTML.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.visibility import ACCESS, METADATA, plain_value
from hopweave.ingest.deadline import Check
from hopweave.ingest.document import PARAGRAPH
from hopweave.ingest.messages import WHO, moment, person, said
from hopweave.ingest.row import COLUMN, ID_FIELDS, TEXT_FIELDS, is_list_of_objects, title_in
from hopweave.ingest.row_text import row_text
from hopweave.ingest.whole_texts import plain_text
from hopweave.text.scripts import num_words

_LONGEST_CELL, _MOST_ENTRIES = 300, 1_000
_FEWEST_WORDS, _FEWEST_OF_TITLE = 5, 2
"""Words of a text that is meant to be read; settings and keys of programs have fewer."""
_MOST_CELLS_OF_ITEM = 3
"""Cells of an item of a list; of one with more, such as the label of a ticket, the name says all."""
_DATE_PARTS = "date-parts"
"""What programs for references have as a day: `[[2024, 5, 1]]`."""
_OF_A_CASE = frozenset({"reporter", "assignee", "owner", "requester", "reported_by", "assigned_to"})
_ADDRESS = lazy_pattern(r"(?i).*[_a-z]url|(?:avatar|thumb|icon|image)[_\w]*")
"""Names of fields with an address for programs, such as `comments_url`."""
_FLAG = lazy_pattern(r"(?:is|has)(?=[A-Z_])")
"""Names of what is only worth saying where it holds, such as `isPinned`."""
_IDENTIFIER = lazy_pattern(r"(?=[^\s]*\d)[\w+/=-]{20,200}")
_OF_A_TIME = lazy_pattern(r"(?i).*(?:time|date|created|edited|updated|timestamp|_at)\w*")


def _is_case(values: Mapping[str, Any]) -> bool:
    """Whether a record is a case that somebody works on, such as a ticket."""
    return bool(_OF_A_CASE & values.keys())


def with_who(values: Mapping[str, Any], text: str, known: Collection[str], check: Check) -> str:
    """The text of a record with what its other fields say; as it is if none of them says who.

    Args:
        values: the fields of the record.
        text: its text.
        known: the fields whose values are shown elsewhere, such as the title.
        check: called while a text in HTML is read.

    Raises:
        DataError: as in `plain_text`.
    """
    if not _is_case(values) and not any(values.get(name) not in (None, "") for name in WHO):
        return text
    has_items = bool(title_in(values)) and any(map(is_list_of_objects, values.values()))
    if not _is_case(values) and not has_items and not _has_messages(values, check):
        return said(values, check, text) or text
    held_by = [name for name in TEXT_FIELDS if values.get(name) == text]
    return as_text(values, text, {*known, *held_by}, check)


def as_text(values: Mapping[str, Any], text: str, known: Collection[str], check: Check) -> str:
    """All that a record says: its short fields as a row, its text, its longer fields, and what is within others.

    Args:
        values: the fields of the record.
        text: its text; empty if it has none of a known name.
        known: the fields that are not shown again.
        check: called while a text in HTML is read.

    Raises:
        DataError: as in `plain_text`.
    """
    left_out = {*known, METADATA, ACCESS, *(name for name in values if name.startswith(COLUMN))}
    shown = _to_read({name: value for name, value in values.items() if name not in left_out}, check, text)
    cells: dict[str, str] = {}
    longer: dict[str, str] = {}
    within: list[str] = []
    for name, value in shown.items():
        if is_list_of_objects(value):
            if names := names_of(value, check):
                cells[name] = names
            else:
                within += list(_entries(name, value, check))
        elif cell := cell_of(name, value):
            (longer if len(cell) > _LONGEST_CELL or PARAGRAPH in cell or _is_prose(cell) else cells)[name] = cell
        elif isinstance(value, Mapping):
            within += [f"{path}: {words}" for path, words in _sentences(value, check, name)]
    is_conversation = not text and not _is_case(values) and _has_messages(values, check)
    row = row_text(list(cells), list(cells.values())) if cells and not is_conversation else ""
    is_alone = len(longer) == 1 and not text
    paragraphs = [cell if is_alone else f"{name}: {cell}" for name, cell in longer.items()]
    return PARAGRAPH.join(filter(None, [row, text.strip(), *paragraphs, *within]))


def _is_prose(cell: str) -> bool:
    """Whether the value of a field is a sentence or several."""
    return cell.endswith((".", "!", "?", "。")) and num_words(cell) >= _FEWEST_WORDS


def has_words(values: Mapping[str, Any], check: Check) -> bool:
    """Whether a record without a field of a known name for its text is meant to be read: it has a sentence, or messages.

    Raises:
        DataError: as in `plain_text`.
    """
    if num_words(title_in(values)) >= _FEWEST_OF_TITLE:
        return True
    return any(
        any(isinstance(entry.get(field), str) for field in TEXT_FIELDS for entry in islice(_entries_in(value), _MOST_ENTRIES))
        or next(_sentences({name: value}, check), None) is not None
        for name, value in values.items()
        if name not in {METADATA, ACCESS}
    )


def cell_of(name: str, value: object) -> str:
    """The value of a field as the text of a cell, also that of a list of texts or numbers; empty if there is none.

    Args:
        name: of the field; one of a time may have seconds since 1970.
        value: its value.
    """
    if isinstance(value, Mapping):
        dates = value.get(_DATE_PARTS)
        days = ["-".join(map(str, date)) for date in dates if isinstance(date, list)] if isinstance(dates, list) else []
        return person(value) or " to ".join(days)
    if isinstance(value, list):
        return ", ".join(filter(None, (cell_of(name, one) for one in value if isinstance(one, str | int | float))))
    if isinstance(value, int | float) and not isinstance(value, bool) and _OF_A_TIME.fullmatch(name) and (day := moment(value)):
        return day
    return value.strip() if isinstance(value, str) else plain_value(value) or ""


def _has_messages(values: Mapping[str, Any], check: Check) -> bool:
    return any(said(entry, check) for value in values.values() for entry in _entries_in(value))


def _entries_in(value: object) -> Iterator[Mapping[str, Any]]:
    if is_list_of_objects(value):
        yield from value


def names_of(items: Sequence[Mapping[str, Any]], check: Check) -> str:
    """The names of the items of a list, such as labels or authors, if these say all that there is to read; else empty.

    Raises:
        DataError: as in `plain_text`.
    """
    names = [person(one) for one in items]
    if not all(names) or any(said(one, check) for one in items):
        return ""
    are_all = all(_is_said_by_name(_cells_of(one, check), name) for one, name in zip(items, names, strict=True))
    return ", ".join(names) if are_all else ""


def _entries(name: str, items: Sequence[Mapping[str, Any]], check: Check) -> Iterator[str]:
    """The comments of a record, or its steps: each as a message if it is one, else as a row of a table; then what is within."""
    is_first = True
    for one in items[:_MOST_ENTRIES]:
        if message := said(one, check):
            yield message
            continue
        cells = _cells_of(one, check)
        texts = [cells.pop(key) for key in TEXT_FIELDS if num_words(cells.get(key, "")) >= _FEWEST_WORDS]
        if cells:
            yield _row_of(cells, name if is_first else "")
            is_first = False
        yield from texts
        within = {key: value for key, value in one.items() if _is_within(value)}
        yield from (f"{path}: {words}" for path, words in _sentences(within, check))


def _row_of(cells: Mapping[str, str], name: str) -> str:
    """An item of a list as a row, with the name of the list before that of its first cell; a text needs no name."""
    columns = [f"{name} {key}".strip() if not at else key for at, key in enumerate(cells)]
    return row_text(["" if key in TEXT_FIELDS else shown for key, shown in zip(cells, columns, strict=True)], [*cells.values()])


def _is_within(value: object) -> bool:
    """Whether a field has fields of its own that are no cell."""
    return is_list_of_objects(value) or (isinstance(value, Mapping) and not cell_of("", value))


def _cells_of(item: Mapping[str, Any], check: Check) -> dict[str, str]:
    """The fields of an item of a list as cells of a row."""
    shown = _to_read(item, check)
    return {key: cell for key, value in shown.items() if key not in ID_FIELDS and (cell := cell_of(key, value))}


def _is_said_by_name(cells: Mapping[str, str], name: str) -> bool:
    """Whether the name of an item says all that there is to read: it has nothing else, or much that is for programs."""
    return len(cells) > _MOST_CELLS_OF_ITEM or all(cell in name for cell in cells.values())


def _to_read(values: Mapping[str, Any], check: Check, text: str = "") -> dict[str, Any]:
    """The fields of a record that are meant to be read, without the markup of HTML.

    Args:
        values: the fields.
        check: called while a text in HTML is read.
        text: what is shown in any case; the same once more is left out.
    """
    plain = {name: plain_text(value, check) if isinstance(value, str) else value for name, value in values.items()}
    words = {name: " ".join(value.split()) for name, value in plain.items() if isinstance(value, str)}
    without_markup = {" ".join(text.split()), *(words[name] for name in words if plain[name] == values[name])}
    left_out = {
        name
        for name, value in values.items()
        if _ADDRESS.fullmatch(name)
        or (value is False and _FLAG.match(name))
        or (name in words and _IDENTIFIER.fullmatch(words[name]))
        or (name in words and plain[name] != value and words[name] in without_markup)
    }
    return {name: value for name, value in plain.items() if name not in left_out}


def _sentences(value: object, check: Check, path: str = "") -> Iterator[tuple[str, str]]:
    """The texts within a field that are meant to be read, each with the names that lead to it."""
    if isinstance(value, str):
        words = plain_text(value, check).strip()
        if num_words(words) >= _FEWEST_WORDS:
            yield path, words
    elif isinstance(value, Mapping):
        for name, one in value.items():
            is_again = path == name or path.endswith(f" {name}")
            yield from _sentences(one, check, path if is_again else f"{path} {name}".strip())
    elif isinstance(value, list):
        for one in value[:_MOST_ENTRIES]:
            yield from _sentences(one, check, path)
