"""Values that a question has itself: what is said of another value of their kind is not what it asks.

`Ida proposed to open until 20:00.` does not say who proposed to open until 22:00.
"""

from __future__ import annotations

from collections.abc import Iterator

from hopweave.citations.rules.bands import is_in_band, is_in_band_around
from hopweave.citations.rules.negation import root
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span
from hopweave.text.answer_kinds import kind_asked
from hopweave.text.content_words import words_of
from hopweave.text.languages import is_foreign_beside
from hopweave.text.table_rows import is_row
from hopweave.text.values import normalize_values
from hopweave.text.values_alike import NUMBER, value_at, values_in

_CLOCK = lazy_pattern(r"(?<![\d:])\d{1,2}:\d{2}(?::\d{2})?(?![\d:])")


def is_of_another_value(asking: str, sentence: str, around: str, focus: Span) -> bool:
    """Whether a sentence has another value of a kind than the question, and nothing around it has the question's.

    So it is if the sentence is a row of a table that has no word of the question.

    Dates are left out, since they may be those of a document; so are numbers that count nothing. To a question for yes or no,
    another value may be the reason.

    Args:
        asking: the question.
        sentence: the sentence.
        around: what it is read with, itself included.
        focus: the position of the answer in the sentence, which does not count.

    >>> told = "Ida proposed to open until 20:00."
    >>> is_of_another_value("Who proposed to open until 22:00?", told, told, Span(0, 3))
    True
    >>> is_of_another_value("Who proposed to open until 20:00?", told, told, Span(0, 3))
    False
    """
    if is_foreign_beside(sentence, asking) or kind_asked(asking) == "yes_no":
        return False
    if _is_row_of_nothing_asked(asking, sentence, focus):
        return True
    if is_in_band(asking, sentence) or is_in_band_around(asking, sentence, focus):
        return False
    own = value_at(focus, values_in(sentence))
    for kind, span in _values(asking):
        asked = normalize_values(asking[span.start : span.end])
        alike = [
            other for of, other in _values(sentence) if of == kind and not (other.start < focus.end and focus.start < other.end)
        ]
        if alike and (own is None or own.kind != kind) and f" {asked} " not in f" {normalize_values(around)} ":
            return True
    return False


def _values(text: str) -> Iterator[tuple[str, Span]]:
    times = [Span(*match.span()) for match in _CLOCK.finditer(text)]
    yield from (("clock", span) for span in times)
    for value in values_in(text):
        is_time = any(span.start <= value.span.start < span.end for span in times)
        if not is_time and value.kind not in {"date", NUMBER}:
            yield value.kind, value.span


def _is_row_of_nothing_asked(asking: str, row: str, focus: Span) -> bool:
    """Whether a row of a table has no word of a question, neither in its cells nor in the names of its columns.

    >>> row = "Task: order lamps; Owner: Ada."
    >>> [_is_row_of_nothing_asked(one, row, Span(26, 29)) for one in ("Who orders lamps?", "Who wants to open until nine?")]
    [False, True]
    """
    if not is_row(row):
        return False
    there = row[: focus.start] + " " + row[focus.end :]
    return not set(map(root, words_of(asking))) & set(map(root, words_of(there)))
