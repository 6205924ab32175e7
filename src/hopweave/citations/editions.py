"""Editions of one document, such as the price lists of two years: what one of them says is not what another one says.

Their names (title, first section, file) have most words in common, and each has a year, a version or a number of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hopweave.citations.places import Place
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.types import Passage
from hopweave.text.document_names import are_of_one_document, file_name_of

_YEAR = lazy_pattern(r"(?<!\d)(?P<first>(?:19|20)\d\d)(?:\s?[/–-]\s?(?P<second>(?:19|20)?\d\d))?(?!\d)")
_NUMBERED = lazy_pattern(
    r"(?<![^\W\d_])(?P<what>[^\W\d_]++)(?:\.?[\s_-]{0,2}|\s(?:no|nr|n°|№)\.?\s?)(?P<number>\d{1,3}(?:\.\d{1,3})*)(?![\d/]|\.\d)"
)
_VERSION = lazy_pattern(
    r"v|ver|vers|versi(?:on|ón|one|oon)|verze|wersja|версия|версии|issue|edition|release|rev|revision", re.IGNORECASE
)
_FOUR_DIGITS = lazy_pattern(r"(?:19|20)\d\d")
_WORD = lazy_pattern(r"[^\W\d_]{2,}")
_SHARED = 0.5
"""Of the words of the shorter of two names."""


def is_of_another_edition(query: str, place: Place, passages: Sequence[Passage]) -> bool:
    """Whether a query names the edition of a document by its year or version, and a place is in another one.

    It is if another document that was found has this in its name, and is an edition of the same; and neither the place nor the
    name of its own document has it. So it is if its document has only earlier years in its name than the query has; or only
    later ones, and its passage is silent about those of the query.

    Args:
        query: the query.
        place: the place.
        passages: all that were found.
    """
    asked = _marks(query)
    if not asked:
        return False
    own = _name_of(place.passage)
    missing = asked - _marks("\n".join([own, place.words, place.item]))
    if _are_years_before(_marks(own), missing) or _are_years_before(missing - _marks(place.passage.text), _marks(own)):
        return True
    return bool(missing) and any(
        missing & _marks(other) and _are_editions(own, other)
        for one in passages
        if not are_of_one_document(place.passage, one) and (other := _name_of(one)) != own
    )


def _are_years_before(known: frozenset[str], asked: frozenset[str]) -> bool:
    """Whether some marks have years, all of them before those of others."""
    ours, theirs = _years(known), _years(asked)
    return bool(ours and theirs) and max(ours) < min(theirs)


def _years(marks: frozenset[str]) -> list[int]:
    """The years among some marks: of `2023/24` both."""
    found = [(int(year[0]), mark) for mark in marks if (year := _FOUR_DIGITS.match(mark))]
    return [year + later for year, mark in found for later in range(1 + ("/" in mark))]


def _name_of(passage: Passage) -> str:
    """What the document of a passage is called: its title, the section that all of it may be in, and its file."""
    name = file_name_of(passage.source).replace("_", " ").rpartition(".")[0]
    return "\n".join([passage.title, *passage.sections[:1], name])


@remembered
def _marks(text: str) -> frozenset[str]:
    """The years of a text, the numbers of its versions, and others with the word before them: `2023/24`, `v 3.2`, `hc 25`."""
    marks = set()
    for year in _YEAR.finditer(text):
        is_span = year["second"] is not None and int(year["second"][-2:]) == (int(year["first"]) + 1) % 100
        marks.add(f"{year['first']}/{year['second'][-2:]}" if is_span else year["first"])
    for one in _NUMBERED.finditer(text):
        what = "v" if _VERSION.fullmatch(one["what"]) else one["what"].casefold()
        marks.add(f"{what} {one['number']}")
    return frozenset(marks)


def _are_editions(one: str, other: str) -> bool:
    ours, theirs = ({word.casefold() for word in _WORD.findall(name)} for name in (one, other))
    return bool(ours and theirs) and len(ours & theirs) >= _SHARED * min(len(ours), len(theirs))
