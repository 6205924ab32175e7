"""Words that carry a text's meaning: the words that one text adds to another, and those that two texts share."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.types import Span
from hopweave.text.scripts import RUN_TOGETHER, runs_together

_WORD = lazy_pattern(r"\d++(?:[.,]\d++)*+(?![^\W\d_])|[^\W_]+(?:['’][^\W_]+)*")
_WORD_OR_LETTER = lazy_pattern(
    rf"[{RUN_TOGETHER}]|\d++(?:[.,]\d++)*+(?![^\W\d_{RUN_TOGETHER}])|[^\W_{RUN_TOGETHER}]+(?:['’][^\W_{RUN_TOGETHER}]+)*"
)
_STEM = 5
_SHORT_PLURAL = lazy_pattern(r"[a-z]{2}[a-hj-rtv-z]s")
"""Of a word, or the third person of a verb: longer ones differ from the rest of their forms after the stem."""
_SENTENCE_BREAK = lazy_pattern(r"[.!?;:\n]\s")
_ABBREVIATED = lazy_pattern(r"(?<![^\W_])[^\W_]{1,2}$")

_FUNCTION_WORDS = """
a an the this that these those there here it its he him his she her hers they them their theirs i me my we us our you your
am is are was were be been being do does did has have had can could will would shall should may might must
of in on at to for with as and or but if then than so thus also by from into about which who whom whose what when where why
how"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""English words without a meaning in themselves. `not`, `before` and the like are not among them."""


class Word(NamedTuple):
    """A word of a text: normalised (without case, accents and a possessive `'s`), as it is written, and its position."""

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
        """The part that it shares with its inflections; see `stem_of_key`."""
        return stem_of_key(self.key)

    @property
    def is_named(self) -> bool:
        """Whether it looks like a name or a number."""
        return self.written[0].isupper() or self.written[0].isdigit()


def stem_of_key(key: str) -> str:
    """The part that a normalised word shares with its inflections: its first five letters, without the `s` of a short word.

    >>> [stem_of_key(key) for key in ("costs", "cost", "fees", "lamps", "wicked", "glass", "bus")]
    ['cost', 'cost', 'fee', 'lamp', 'wicke', 'glass', 'bus']
    """
    is_inflected = len(key) <= _STEM and key[-1:] == "s" and _SHORT_PLURAL.fullmatch(key, len(key) - 4) is not None
    return key[:-1] if is_inflected else key[:_STEM]


def words_in(text: str) -> list[Word]:
    """The words of a text, in order. A number with its decimals is one word; so is each letter of a script without spaces.

    >>> [word.key for word in words_in("The WL-12S has 3.5 GB, not 10GB.")]
    ['the', 'wl', '12s', 'has', '3.5', 'gb', 'not', '10gb']
    """
    return list(_words_in(text))


@remembered
def _words_in(text: str) -> tuple[Word, ...]:
    pattern = _WORD_OR_LETTER if runs_together(text) else _WORD
    return tuple(Word(_key(match[0]), match[0], match.start(), match.end()) for match in pattern.finditer(text))


@remembered
def only_repeats(words: str, query: str) -> bool:
    """Whether words add nothing to the query that they should answer.

    Function words add nothing, unless there is nothing else and the query lacks them, as in the title `It`. The capitals of a
    name of several words distinguish it from the query's function words.

    >>> only_repeats("the city of Brno", "In which city is Brno?"), only_repeats("House of Brno", "Which house is in Brno?")
    (True, False)
    """
    said, asked = words_in(words), words_in(query)
    keys, names = {word.key for word in asked}, {word.key for word in asked if word.is_named}
    is_cased = any(word.is_named for word in asked[1:]) and sum(word.says_something for word in said) > 1
    beyond = [word for word in said if word.key not in keys or (is_cased and word.is_named and word.key not in names)]
    return bool(said) and not any(word.says_something for word in beyond) and len(beyond) < len(said)


def longest_shared_run(said: str, text: str, query: str) -> Span | None:
    """The position in `text` of the longest run of words that both texts share and the query lacks.

    Words of the query and function words may occur inside a run, but not at its ends. Its length is the number of content words
    that the query lacks; among equally long runs, the first in `said` is returned. A single short word that is not a name is no
    run, since it may occur by chance.
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
    """Yields the longest runs of the text's words, each within a sentence, that also occur in `said`, in its order."""
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
    """Whether the sentence continues after a word; a full stop after an initial or a short abbreviation does not end it."""
    between = text[words[index].end : words[index + 1].start]
    is_abbreviated = between.startswith(".") and "\n" not in between and _ABBREVIATED.search(words[index].written) is not None
    return is_abbreviated or _SENTENCE_BREAK.search(between) is None


@lru_cache(8192)
def _key(word: str) -> str:
    plain = unicodedata.normalize("NFKD", word.casefold().replace("’", "'").removesuffix("'s"))
    return "".join(letter for letter in plain if unicodedata.category(letter) not in {"Mn", "Cf"}) or word
