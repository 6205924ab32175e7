"""Lists of plain text in columns without names, such as `HUP    finish the file` above `TERM   stop at once`."""

from __future__ import annotations

from collections.abc import Sequence

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.placed_tables import is_of_code
from hopweave.ingest.row_text import row_text
from hopweave.ingest.table_heads import are_names, is_value

_ENTRY = lazy_pattern(r"\s*(?P<term>\S+(?: \S+){0,9}) {2,}(?P<said>\S+(?: \S+)*)(?P<note>\s+\(.+\))?\s*")
_CELL = lazy_pattern(r"\S+(?: \S+)*")
_FEWEST_IN_A_ROW = 2
_LONGEST_TERM = 40
_FEWEST = 3
_IS_MARKER = lazy_pattern(r"[-*+•·–—o]|\(?\w{1,3}[.)]")
"""What begins an item of a list, and is no term."""
_ENDS = (".", "!", "?", ";")


def terms_in(lines: Sequence[str]) -> list[str]:
    """The entries of a list in two columns, each as `term: what it says.`; none if lines are no such list.

    In all entries, what is said begins at the same place, where lines that go on begin as well. A line before the first
    entry may be a title; those behind the last one are text if they are less indented.

    >>> terms_in(["Signals", "  USR1  print progress", "  HUP   finish the file,", "        then exit", "  TERM  stop at once"])
    ['Signals', 'USR1: print progress.', 'HUP: finish the file, then exit.', 'TERM: stop at once.']
    """
    if sum("  " in line.strip() for line in lines) < _FEWEST:
        return []
    first = next((number for number, line in enumerate(lines) if _ENTRY.fullmatch(line.expandtabs())), 0)
    entries: list[list[str]] = []
    place = (-1, -1)
    behind: list[str] = []
    for number, line in enumerate((line.expandtabs() for line in lines[first:]), start=first):
        entry = _ENTRY.fullmatch(line)
        if entry is None:
            indent = len(line) - len(line.lstrip())
            if entries and indent < place[0] and not any("  " in other.strip() for other in lines[number:]):
                behind = ["\n".join(lines[number:])]
                break
            if not entries or indent != place[1] or "  " in line.strip():
                return []
            entries[-1].append(line.strip())
            continue
        own = (entry.start("term"), entry.start("said"))
        if entries and own != place:
            return []
        place = own
        entries.append([entry["term"], " ".join([entry["said"], *(entry["note"] or "").split()])])
    if len(entries) < _FEWEST or first > 1 or not all(map(_is_entry, entries)):
        return []
    title = [line.strip() for line in lines[:first]]
    if _has_names(entries):
        [names, *rows] = entries
        return [*title, *(row_text(names, row) for row in rows), *behind]
    return [*title, *map(_told, entries), *behind]


def rows_without_names(lines: Sequence[str]) -> list[str]:
    """The rows of a list in three columns or more without names, as `first: second; third.`; none if lines are no such list.

    In all rows the second column begins at the same place, with a letter. What stands below it alone goes on the row above.

    >>> rows_without_names(["  Manager   Ida Renn    ext. 10", "  Desk      Ada Finch   ext. 12", "  Pier      Tom Carey"])
    ['Manager: Ida Renn; ext. 10.', 'Desk: Ada Finch; ext. 12.', 'Pier: Tom Carey.']
    """
    rows: list[list[str]] = []
    places = set[int]()
    for line in lines:
        cells = list(_CELL.finditer(line))
        if len(cells) == 1 and rows and cells[0].start() >= min(places):
            rows[-1][-1] = f"{rows[-1][-1]} {cells[0][0]}"
            continue
        if (
            len(cells) < _FEWEST_IN_A_ROW
            or "\t" in line
            or cells[1][0][0].isdigit()
            or any(len(cell[0]) > _LONGEST_TERM or is_of_code(cell[0]) for cell in cells)
        ):
            return []
        places.add(cells[1].start())
        rows.append([cell[0] for cell in cells])
    is_list = len(rows) >= _FEWEST and len(places) == 1 and max(map(len, rows)) > _FEWEST_IN_A_ROW
    if not is_list or any(_IS_MARKER.fullmatch(row[0]) or is_value(row[0]) for row in rows):
        return []
    return [_told([row[0], "; ".join(row[1:])]) for row in rows]


def _has_names(entries: Sequence[Sequence[str]]) -> bool:
    """Whether the first entry names the columns: it is of words, and what all others say is a number."""
    return are_names(entries[0]) and not is_value(entries[0][1]) and all(is_value(" ".join(said)) for _, *said in entries[1:])


def _is_entry(entry: Sequence[str]) -> bool:
    term, said = entry[0], entry[1]
    is_term = len(term) <= _LONGEST_TERM and not _IS_MARKER.fullmatch(term)
    return is_term and not is_of_code(term) and not is_of_code(said)


def _told(entry: Sequence[str]) -> str:
    said = " ".join(entry[1:])
    return f"{entry[0].rstrip(':')}: {said}{'' if said.endswith(_ENDS) else '.'}"
