"""Dates that a program keeps of a record, as of when a note was created: they date the record, not what it tells of."""

from __future__ import annotations

import re

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span
from hopweave.text.table_rows import cells_of

_KEPT = (
    (
        lazy_pattern(r"(?:date |time )?(?:created?|creation)\b.*", re.IGNORECASE),
        lazy_pattern(
            r"\b(?:creat|open|add|enter|report|wr[io]t|noted?\b|fil(?:e|ed)\b|record|made|start|began|beg[iu]n)", re.IGNORECASE
        ),
    ),
    (
        lazy_pattern(r"(?:date |time |last )?(?:updated?|modified|changed|edited)\b.*", re.IGNORECASE),
        lazy_pattern(r"\b(?:updat|modif|chang|edit|revis|last\b|latest)", re.IGNORECASE),
    ),
    (
        lazy_pattern(r"(?:date |time )?(?:closed|resolved|completed)\b.*", re.IGNORECASE),
        lazy_pattern(r"\b(?:clos|resol|complet|finish|fix|solv|done|end|merg)", re.IGNORECASE),
    ),
    (
        lazy_pattern(r"due(?: (?:date|on|by|at))?|deadline|duedate", re.IGNORECASE),
        lazy_pattern(
            r"\b(?:due|deadline|until|till|by (?:when|what|which)|latest|last\b|finish|complet|ready|deliver|hand|submit"
            r"|pa(?:y|id)|expir|done|end|must|have to|has to|had to|need|should|respon|repl|return|renew|file)",
            re.IGNORECASE,
        ),
    ),
)
"""The names of such cells, and how a question asks for what they have."""
_HUMP = lazy_pattern(r"(?<=[a-z])(?=[A-Z])|_")


def is_date_of_a_record(query: str, row: str, focus: Span) -> bool:
    """Whether some words of a row are a date that a program keeps of the record, which a query does not ask for.

    Args:
        query: the query.
        row: the sentence that has the words.
        focus: their position in it.

    >>> row = "name: Order gearbox; assigned: Ada; due: 1 March 2024."
    >>> [is_date_of_a_record(one, row, Span(41, 53)) for one in ("When does the gearbox arrive?", "When is the order due?")]
    [True, False]
    """
    own = next((cell for cell in cells_of(row) if cell.span.start <= focus.start < cell.span.end), None)
    if own is None:
        return False
    name = " ".join(_HUMP.sub(" ", own.name).split())
    return any(kept.fullmatch(name) and not asked.search(query) for kept, asked in _KEPT)
