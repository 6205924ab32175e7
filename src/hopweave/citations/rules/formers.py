"""Values that sentences of other languages than English call former or rejected, by the words of `languages.toml`.

Such a word speaks of what follows it in its part of the sentence, or, in a table, of its column; of the rejected, of what is
before it. Languages that have no such words tell nothing.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span
from hopweave.text.languages import language_beside, language_of, pattern_for
from hopweave.text.table_rows import cell_at, cells_of

_BREAK = lazy_pattern(r",(?!\d)|(?<=\w{4})[.!?](?=\s)|[;()\[\]]")
_ENDS = lazy_pattern(r"[;!?](?=\s)|[()]|\.(?=\s+(?P<next>[^\W_]))")
_APPOSED = lazy_pattern(r",\s+(?:(?:der|die|das|le|la|el|il|lo|o|a|de|het)\s)?|,\s+l['’]")
"""Before what says of a name who that is: `Otto Lind, ehemaliger Leiter`."""
_REACH = 80
"""Characters behind a value in which it may be said that this was rejected."""


class _Words(NamedTuple):
    """The words of a language, as patterns; `languages.toml` says what each is for."""

    former: re.Pattern[str]
    now: re.Pattern[str]
    past: re.Pattern[str]
    rejected: re.Pattern[str]


def is_given_up_elsewhere(asking: str, sentence: str, focus: Span) -> bool:
    """Whether a sentence of another language than English says of some words that they hold no longer, or never did.

    It does not if what asks for them has such a word itself; nor, of words without a number, if that asks for the past.

    Args:
        asking: the question, or a statement.
        sentence: the sentence.
        focus: the position of the words in it.

    >>> told = "Die Gebühr beträgt 5 Euro (bisher 4 Euro)."
    >>> [is_given_up_elsewhere("Wie hoch ist die Gebühr?", told, Span(start, start + 6)) for start in (19, 34)]
    [False, True]
    """
    words = _words(language_beside(sentence, asking))
    asked = _words(language_of(asking))
    if asked.former.search(asking) or asked.rejected.search(asking):
        return False
    if asked.past.search(asking) and not any(map(str.isdigit, sentence[focus.start : focus.end])):
        return _is_rejected(words, sentence, focus)
    return _is_former(words, sentence, focus) or _is_old_column(words, sentence, focus) or _is_rejected(words, sentence, focus)


def _is_former(words: _Words, sentence: str, focus: Span) -> bool:
    opened, closed = sentence.rfind("(", 0, focus.start), sentence.find(")", focus.end)
    is_inside = opened >= 0 and ")" not in sentence[opened : focus.start] and closed >= 0
    behind = words.former.search(sentence, focus.end, closed) if is_inside else None
    if behind is not None and _BREAK.search(sentence, focus.end, behind.start()) is None:
        return True
    apposed = _APPOSED.match(sentence, focus.end)
    said_of_it = words.former.match(sentence, apposed.end()) if apposed is not None else None
    if said_of_it is not None and said_of_it[0].isalpha():
        return True
    said = list(words.former.finditer(sentence, 0, focus.start))
    if not said:
        return False
    between = sentence[said[-1].end() : focus.start].lstrip(" ,:\n")
    return _BREAK.search(between) is None and words.now.search(between) is None


def _is_old_column(words: _Words, sentence: str, focus: Span) -> bool:
    """Whether some words stand in a column whose name has such a word, in a row that has another column as well."""
    cells = cells_of(sentence)
    own = cell_at(cells, focus.start)
    if own is None or not words.former.search(own.name):
        return False
    return any(cell is not own and words.now.search(cell.name) for cell in cells)


def _is_rejected(words: _Words, sentence: str, focus: Span) -> bool:
    said = words.rejected.search(sentence, focus.end, focus.end + _REACH)
    return said is not None and not any(map(_is_end, _ENDS.finditer(sentence, focus.end, said.end())))


def _is_end(match: re.Match[str]) -> bool:
    """Whether a mark ends a clause: after the full stop of an abbreviation, a sentence goes on in lower case."""
    return match["next"] is None or not match["next"].islower()


@cache
def _words(code: str) -> _Words:
    return _Words(*(pattern_for(code, what) for what in _Words._fields))
