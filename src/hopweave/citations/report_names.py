"""Names of a query that a table has in another form: a date, and the one whose report it is."""

from __future__ import annotations

from collections.abc import Sequence

from hopweave.citations.places import Place
from hopweave.citations.rules.table_cells import words_asked, words_of_cells
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Passage
from hopweave.text.content_words import keys_of, words_of
from hopweave.text.document_names import are_of_one_document, names_the_document
from hopweave.text.table_rows import is_row
from hopweave.text.values import MONTHS
from hopweave.text.wanted import content_stems, is_weekday

_NUMBER_OR_SPACE = lazy_pattern(r"[\d\s.,:/-]+")
_MONTHS = frozenset(month[:3] for month in MONTHS)


def is_dated(name: str, told: str) -> bool:
    """Whether a name is a date, a month of a year or a day of the week, and a text has it in whatever form: `Jan` below `2024`.

    >>> is_dated("6 May 2024", "Time: 2024-05-06 08:00"), is_dated("January 2024", "Use of 2024; Jan: 5")
    (True, True)
    >>> is_dated("6 May 2024", "Time: 2024-05-07 08:00"), is_dated("Unit 6", "Unit 6")
    (False, False)
    >>> is_dated("Saturdays", "Mon-Fri 9-12, Sat 9-11"), is_dated("Saturdays", "Mon-Fri 9-12")
    (True, False)
    """
    if is_weekday(name):
        return content_stems(name) <= content_stems(told)
    words = words_of_cells(name)
    letters = [word for word in words if not _NUMBER_OR_SPACE.fullmatch(word)]
    is_date = len(letters) < len(words) and all(word[:3] in _MONTHS for word in letters)
    return is_date and words_asked(words, told) == words


def is_of_its_document(name: str, place: Place, others: Sequence[Passage]) -> bool:
    """Whether the table of a place is in a document about what is named: its title or file has the first word of the name, and
    another passage all of it.

    Rows seldom name a company: its full name stands above one sheet, and often only its first word in the name of the file.

    Args:
        name: of several words. Of `Hall A of Orlau Works`, the first part is looked for in the place.
        place: where an answer stands.
        others: all passages that were found.
    """
    if not is_row(place.sentence):
        return False
    part, of, whole = name.rpartition(" of ")
    if of and keys_of(part) <= keys_of(place.words) and is_of_its_document(whole, place, others):
        return True
    words, passage = words_of(name), place.passage
    if len(words) < 2 or words[0] not in keys_of(names_the_document(passage)):
        return False
    known = (one for one in others if are_of_one_document(passage, one))
    return any(keys_of(name) <= keys_of("\n".join([one.heading, one.text])) for one in known)
