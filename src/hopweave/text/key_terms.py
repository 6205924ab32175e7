"""Words that carry a text's meaning: what one text says beyond another, and which words two texts share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from hopweave.core.memoize import remembered
from hopweave.core.types import Span
from hopweave.text.scripts import RUN_TOGETHER, runs_together

_WORD = re.compile(r"\d+(?:[.,]\d+)*(?![^\W\d_])|[^\W_]+(?:['’][^\W_]+)*")
_WORD_OR_LETTER = re.compile(
    rf"[{RUN_TOGETHER}]|\d+(?:[.,]\d+)*(?![^\W\d_{RUN_TOGETHER}])|[^\W_{RUN_TOGETHER}]+(?:['’][^\W_{RUN_TOGETHER}]+)*"
)
_STEM = 5
_SENTENCE_BREAK = re.compile(r"[.!?;:\n]\s")
_ABBREVIATED = re.compile(r"(?<![^\W_])[^\W_]{1,2}$")

_FUNCTION_WORDS = """
a an the this that these those there here it its he him his she her hers they them their theirs i me my we us our you your
am is are was were be been being do does did has have had can could will would shall should may might must
of in on at to for with as and or but if then than so thus also by from into about which who whom whose what when where why
how"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""English words that say nothing by themselves. `not`, `before` and the like are none of them."""


class Word(NamedTuple):
    """A word of a text: without case, accents and a possessive `'s`; as it is written; and where it stands."""

    key: str
    written: str
    start: int
    end: int

    @property
    def says_something(self) -> bool:
        """Whether it is more than a function word."""
        return self.key not in FUNCTION_WORDS

    @property
    def stem(self) -> str:
        """What it has in common with its inflections: its first five letters."""
        return self.key[:_STEM]

    @property
    def is_named(self) -> bool:
        """Whether it looks like a name or a number."""
        return self.written[0].isupper() or self.written[0].isdigit()


def words_in(text: str) -> list[Word]:
    """The words of a text, in order; a number is one word with its decimals, and so is a letter where words run together."""
    return list(_words_in(text))


@remembered
def _words_in(text: str) -> tuple[Word, ...]:
    pattern = _WORD_OR_LETTER if runs_together(text) else _WORD
    return tuple(Word(_key(match[0]), match[0], match.start(), match.end()) for match in pattern.finditer(text))


@remembered
def only_repeats(words: str, query: str) -> bool:
    """Whether words say nothing beyond the query that they are to answer.

    Function words say nothing, unless there is nothing else and the query does not have them, as in the title `It`. A name of
    several words is told from the query's small words by its capitals.

    >>> only_repeats("the city of Brno", "In which city is Brno?"), only_repeats("House of Brno", "Which house is in Brno?")
    (True, False)
    """
    said, asked = words_in(words), words_in(query)
    keys, names = {word.key for word in asked}, {word.key for word in asked if word.is_named}
    is_cased = any(word.is_named for word in asked[1:]) and sum(word.says_something for word in said) > 1
    beyond = [word for word in said if word.key not in keys or (is_cased and word.is_named and word.key not in names)]
    return bool(said) and not any(word.says_something for word in beyond) and len(beyond) < len(said)


def longest_shared_run(said: str, text: str, query: str) -> Span | None:
    """Where the longest run of words that both texts have, and that is not the query's, stands in `text`.

    Words of the query and function words may stand within a run, not at its ends. It counts by the words that say something
    beyond the query; the first in `said` of equal ones is taken. One small word of no name is no run: it would be chance.
    """
    asked = {word.key for word in words_in(query)}
    best, most = None, 0
    for run in _shared_runs(words_in(said), words_in(text), text):
        counted = [word for word in run if word.says_something and word.key not in asked]
        if len(counted) < 2 and not any(word.is_named for word in counted):
            continue
        if len(counted) > most:
            best, most = Span(counted[0].start, counted[-1].end), len(counted)
    return best


def _shared_runs(said: Sequence[Word], words: Sequence[Word], text: str) -> Iterator[Sequence[Word]]:
    """Yields the longest runs of the text's words, each within a sentence, that stand in `said`, too, by their place there."""
    places: dict[str, list[int]] = {}
    for index, word in enumerate(words):
        places.setdefault(word.key, []).append(index)
    for first, word in enumerate(said):
        for start in places.get(word.key, ()):
            if first and start and said[first - 1].key == words[start - 1].key and _goes_on(words, start - 1, text):
                continue  # it is part of a longer run
            end = start + 1
            while (
                end < len(words)
                and first + end - start < len(said)
                and said[first + end - start].key == words[end].key
                and _goes_on(words, end - 1, text)
            ):
                end += 1
            yield words[start:end]


def _goes_on(words: Sequence[Word], index: int, text: str) -> bool:
    """Whether the sentence goes on behind a word; a full stop behind an initial or a short abbreviation does not end it."""
    between = text[words[index].end : words[index + 1].start]
    is_abbreviated = between.startswith(".") and "\n" not in between and _ABBREVIATED.search(words[index].written) is not None
    return is_abbreviated or _SENTENCE_BREAK.search(between) is None


@lru_cache(8192)
def _key(word: str) -> str:
    plain = unicodedata.normalize("NFKD", word.casefold().replace("’", "'").removesuffix("'s"))
    return "".join(letter for letter in plain if unicodedata.category(letter) not in {"Mn", "Cf"}) or word
