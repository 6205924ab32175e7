"""What a query asks for, in words by which parts of a sentence, or sentences, are told apart."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.text.content_words import keys_of, stem
from hopweave.text.irregular_verbs import present_of

_NAMED_BY_LETTER = lazy_pattern(r"(?<=[a-z] )[A-Z](?![\w.]\w|\w)")

_WORDS_OF_DIMENSIONS = "deep depth, high height, tall height, wide width, broad width, heavy weight"
_DIMENSIONS = {stem(word): stem(name) for word, name in map(str.split, _WORDS_OF_DIMENSIONS.split(","))}
"""How a question asks for what a text names: `How deep is it?`"""
_WEEKDAYS = {
    day[:letters]: stem(day)
    for day in ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
    for letters in (3, 4, 5)
}
"""How days are abbreviated: `Sat`, `Thurs`."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for beside a value.

    Attributes:
        query: the query, or a statement that says what the value is.
        words: those of its words that count, as `content_stems` gives them.
        terms: the terms of a contract that it asks about, as keys. They are compared in full: `Employer`, `Employee`.
    """

    query: str
    words: Set[str]
    terms: Set[str] = frozenset()

    def among(self, text: str) -> set[str]:
        """What of it is in a text."""
        return {*(self.words & content_stems(text)), *(self.terms & keys_of(text))}

    def without(self, words: Set[str]) -> Wanted:
        """The rest of it, without some words."""
        return replace(self, words=self.words - words)


@remembered
def content_stems(text: str) -> frozenset[str]:
    """The stems of the content words of a text, and its letters that name something.

    >>> sorted(content_stems("the patients in group B"))
    ['B', 'b', 'group', 'patie']
    """
    return frozenset(stem_asked(part) for key in keys_of(text) for part in key.split("-")) | letters_in(text)


def stem_asked(word: str) -> str:
    """The stem of a word, the same for a day and its abbreviation, for `deep` and `depth`, and for `hears` and `heard`."""
    found = stem(present_of(word))
    return _WEEKDAYS.get(found, _DIMENSIONS.get(found, found))


def is_weekday(name: str) -> bool:
    """Whether a name is that of a day of the week: `Saturdays`.

    >>> is_weekday("Saturdays"), is_weekday("Wed"), is_weekday("Sats on Sea")
    (True, True, False)
    """
    stems = set(map(stem_asked, keys_of(name)))
    return len(stems) == 1 and stems <= set(_WEEKDAYS.values())


def letters_in(text: str) -> set[str]:
    """The capital letters of a text that stand alone and name something: `group B`."""
    return {match[0] for match in _NAMED_BY_LETTER.finditer(text)}
