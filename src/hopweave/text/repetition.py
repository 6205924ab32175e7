"""Which sentences of passages tell a reader nothing that the others do not: stubs, and sentences that another one repeats.

A stub is a sentence without a fact: the lead-in of a disambiguation page ("Dinner at Eight may refer to:"), the entries of its
list, and fragments: what only repeats the title of its passage, one or two words among real sentences ("Say what?"), and
questions, such as those of the list of contents of an FAQ.

A sentence repeats another one of a passage with the same title if it has the same words, or if they occur within the other
one, in order. "He was born in Wales" in passages with different titles is not one fact but two, each about the subject of its
passage. So such sentences are compared only if each begins with the name of its subject, and only with the beginning of a
longer one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.text.content_words import WORD, anchors, keys_of, words_of
from hopweave.text.scripts import apart

_LEAD_IN = lazy_pattern(
    r"\b(?:may|can|could|might)\s+(?:(?:also|commonly|either|variously)\s+){0,3}"
    r"(?:refer\s+to\b[^.!?:]{0,80}|stand\s+for\s*|mean\s*|be\s*):|\brefers?\s+to\s*[:.]?\s*\Z",
    re.IGNORECASE,
)
_CLOSING = "\"'”’)] "
"""May follow the mark that ends a sentence."""
_FEWEST_WORDS = 3
"""Fewer words, without a digit and a full stop, are a fragment."""

_FEWEST_WITHIN = 5
"""Fewer words may occur in a longer sentence without being what it says: `he left` in `years before he left Rome`."""

_LETTERS_OF_SMALL_WORDS = 40

_MOST_COMPARED = 200
"""The number of sentences with which one is compared at most, so that time grows with the text and not with its square."""

_IN_BRACKETS = lazy_pattern(r"\([^()]*\)")
_THE_THING = lazy_pattern(r"\W*[Tt]he\s+[a-z]")
_OPENING = " \"'“‘([«"


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of a passage.

    Attributes:
        text: the sentence.
        title: the title of its document, with what tells it from others of that title; empty if it has none.
        passage: identifies its passage.
        is_part: whether it is only a part of a long sentence; parts are neither stubs nor compared.
    """

    text: str
    title: str
    passage: str
    is_part: bool = False

    @property
    def stands_alone(self) -> bool:
        """Whether it begins with the name of what it is about."""
        if not self.title:
            first = anchors(self.text)[:1]
            return bool(first) and self.text.lstrip(_OPENING).startswith(first[0])
        words = words_of(self.text)
        return (
            bool(words) and keys_of(words[0]) <= keys_of(_IN_BRACKETS.sub("", self.title)) and not _THE_THING.match(self.text)
        )


class Repetitions:
    """Which of some sentences are stubs, and which say what others say.

    Args:
        sentences: of all passages, those of each passage in order. They are known by their positions here.
    """

    def __init__(self, sentences: Sequence[Said]) -> None:
        self._sentences = sentences
        self._fragments = _fragments_among(sentences)
        self._stubs = _meanings_among(sentences) | self._fragments
        self._wording = [_NO_WORDS if one.is_part else _wording(one.text) for one in sentences]
        self._same = self._first_of_each()
        self._different = [n for n, same in enumerate(self._same) if n == same and n not in self._stubs]
        self._num_with = Counter(chain.from_iterable(self._wording[number].distinct for number in self._different))
        self._with_word: dict[str, list[int]] = {}

    def _first_of_each(self) -> list[int]:
        """For each sentence the first that says the same, one that is no stub if possible."""
        same = list(range(len(self._sentences)))
        first: dict[tuple[str, str], int] = {}
        for number in sorted(same, key=self._stubs.__contains__):
            one = self._sentences[number]
            if not one.is_part:
                same[number] = first.setdefault((one.title or one.passage, self._wording[number].flat), number)
        return same

    def is_stub(self, number: int) -> bool:
        """Whether a sentence states no fact."""
        return number in self._stubs

    def is_fragment(self, number: int) -> bool:
        """Whether a sentence is a stub that is part of the text around it, which reads better with it."""
        return number in self._fragments

    def same(self, number: int) -> int:
        """The first sentence with the words of one, in a passage with the same title; usually itself."""
        return self._same[number]

    def saying_as_much(self, number: int) -> list[int]:
        """The other sentences that say all that one says and are no stubs, the longest first; of equal ones, the first."""
        words = self._wording[number].words
        if not words:
            return []
        # Of its words, the one that the fewest sentences have leads to the few that can contain all of them.
        rarest = min(words, key=self._num_with.__getitem__)
        same = self._same[number]
        if self._num_with[rarest] == 1 and same not in self._stubs:  # only this one has it, as of most sentences
            return []
        found = [other for other in self._holding(rarest) if other != same and self._says_as_much(other, number)]
        return sorted(found, key=lambda other: -len(self._wording[other].words))

    def _holding(self, word: str) -> list[int]:
        """The first sentences that have a word, as many as are compared."""
        if word not in self._with_word:
            having = (number for number in self._different if word in self._wording[number].distinct)
            self._with_word[word] = list(islice(having, _MOST_COMPARED))
        return self._with_word[word]

    def _says_as_much(self, number: int, other: int) -> bool:
        longer, shorter = self._wording[number], self._wording[other]
        if longer.words != shorter.words and (len(shorter.words) < _FEWEST_WITHIN or shorter.flat not in longer.flat):
            return False
        one, two = self._sentences[number], self._sentences[other]
        if one.title and one.title == two.title:
            return True
        # `Galloo Island is in Lake Ontario` is not what `Little Galloo Island is in Lake Ontario` says.
        return longer.flat.startswith(shorter.flat) and one.stands_alone and two.stands_alone


def lists_meanings(text: str) -> bool:
    """Whether a sentence introduces the list of a disambiguation page.

    >>> lists_meanings("Dinner at Eight may refer to:"), lists_meanings("The name may refer to a river in Wales.")
    (True, False)
    """
    return (":" in text or "refer" in text.casefold()) and _LEAD_IN.search(text) is not None


def _meanings_among(sentences: Sequence[Said]) -> frozenset[int]:
    """The lead-ins of disambiguation pages, and what follows each in its passage."""
    lists: set[str] = set()
    meanings: set[int] = set()
    for number, one in enumerate(sentences):
        if not one.is_part and lists_meanings(one.text):
            lists.add(one.passage)
        if not one.is_part and one.passage in lists:
            meanings.add(number)
    return frozenset(meanings)


def _fragments_among(sentences: Sequence[Said]) -> frozenset[int]:
    num_of = Counter(one.passage for one in sentences)
    return frozenset(
        number
        for number, one in enumerate(sentences)
        if not one.is_part
        and (_only_repeats(one.text, one.title) or (num_of[one.passage] > 1 and (_is_short(one.text) or _asks(one.text))))
    )


def _only_repeats(text: str, title: str) -> bool:
    is_short = len(text) <= 2 * len(title) + _LETTERS_OF_SMALL_WORDS  # which is found out faster than the keys
    return is_short and bool(title) and keys_of(text) <= keys_of(title)


def _asks(text: str) -> bool:
    """Whether a sentence asks, as the headings of an FAQ do: what it has of a question's words says nothing of the answer."""
    return text.rstrip(_CLOSING).endswith(("?", "？"))


def _is_short(text: str) -> bool:
    is_short = len(_wording(text).words) < _FEWEST_WORDS
    return is_short and not text.rstrip(_CLOSING).endswith(".") and not any(map(str.isdigit, text))


class _Wording(NamedTuple):
    """The words of a sentence, the same in a row with a space around each, and as a set."""

    words: tuple[str, ...]
    flat: str
    distinct: frozenset[str]


_NO_WORDS = _Wording((), "  ", frozenset())


@remembered
def _wording(text: str) -> _Wording:
    words = tuple(map(str.casefold, WORD.findall(apart(text))))
    return _Wording(words, f" {' '.join(words)} ", frozenset(words))
