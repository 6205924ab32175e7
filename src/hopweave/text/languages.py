"""Which language a text is in, as far as rules that look at words depend on it, and the words that such rules need.

Most rules of this package look for English words. In a text of another language these are missing, or mean something else
(`was`, `die`, `on`), so a rule has to know. A language is told by its small words and its letters. The words by which several
rules tell something (a denial, a month, an answer) are in `languages.toml`; how a rule cuts the texts of a language is with it.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.core.preparation import prepared
from hopweave.text.scripts import runs_together

_ENGLISH = """
the and are which what who whom whose when where why how does did for with that this these those from than then there their they
them have been would should could shall might must your our into about if be being it its not a an is was were am in on as at by
of to or so he she we i you his her my me us had has do will can but no up only more also"""
_ENGLISH_ASKS = "is are was were did does do has have had can could will would should in"
_NAME_PARTS = "de la le du del di da do dos das van von der den y e al el della"
_IN_NAMES = frozenset(_NAME_PARTS.split())
"""Before a capital letter, these may be part of a name."""

_BY_LETTERS = (
    ("ja", "\u3041\u3096\u30a1\u30fa"),
    ("ko", "\uac00\ud7a3"),
    ("zh", "\u3400\u9fff"),
    ("th", "\u0e01\u0e4e"),
    ("el", "\u0370\u03ff"),
    ("he", "\u05d0\u05ea"),
    ("ar", "\u0620\u06ff"),
    ("ru", "\u0400\u04ff"),
)
"""The language of a text in other letters than Latin, if its small words tell nothing: the first that has a letter of it. Given
are the first and the last letter of each range."""

_BY_ACCENTS = (
    ("de", "äöüß"),
    ("es", "ñ"),
    ("pl", "ąćęłńśźż"),
    ("pt", "ãõ"),
    ("cs", "čďěňřšťůž"),
    ("hu", "őű"),
    ("tr", "ğış"),
    ("ro", "ășț"),
    ("da", "æø"),
    ("sv", "å"),
    ("fr", "àáâèéêëìíîïòóôùúûýÿçœ"),
)
"""The same for Latin letters: the first that fits, so what several languages have is taken for the likeliest."""

_TELLING = tuple(f" {word} " for word in ("the", "and", "which", "that", "with", "this", "from", "their"))
_ENOUGH = 60
"""A text of Latin letters with one of these words, which only English has, in so many letters is English."""

# Not within code: `os.path`, `non-reserved`, `-o`.
_WORD = lazy_pattern(r"(?<![\w.\-=/\\@&#:$%~+*<])[^\W\d_]+(?![\w\-=/\\@(\[]|[.:]\w)")
_PLAIN = lazy_pattern(r"(?<![^|\s])[^\W\d_]+(?![^|\s(])")  # a word of an expression that stands for itself
_MANY = 15
"""A text of so many words is not told by one of them alone, which may be the name of a variable."""

NOTHING = r"(?!)"
"""An expression that matches nothing."""
_FARTHEST = 400
"""How many characters of a text are looked at."""


def is_foreign(text: str) -> bool:
    """Whether a text is plainly in another language than English. Names alone are in none.

    >>> is_foreign("Wo liegt Brünn?"), is_foreign("Who wrote La vie en rose?"), is_foreign("Los Angeles"), is_foreign("東京")
    (True, False, False, True)
    """
    return language_of(text) not in {"", "en"}


@remembered
def language_of(text: str) -> str:
    """The ISO 639-1 code of the language of a text; empty if neither its small words nor its letters tell one.

    A word counts if it is written in lower case, or begins the text and asks, or precedes one in lower case: `Die Hard` is no
    German. A word that several languages have counts for each of them; if English has as many, it is English. A language that
    is not known here is taken for another one in the same letters.
    """
    start = text[:_FARTHEST] if text.isascii() else unicodedata.normalize("NFC", text[:_FARTHEST])
    if start.isascii() and _ENOUGH * sum(map(start.count, _TELLING)) >= len(start) > 0:  # most texts are
        return "en"
    words = _WORD.findall(start)
    counts = Counter[str]()
    small, asks = _small_words()
    for index, word in enumerate(words):
        written = word.casefold()
        codes = small.get(written)
        if not codes or (written in _IN_NAMES and words[index + 1 : index + 2] and words[index + 1][0].isupper()):
            continue
        is_followed = index == 0 and len(words) > 1 and words[1][0].islower()
        if word == written or is_followed or (index == 0 and written in asks):
            counts.update(codes)
    num_english = counts.pop("en", 0)
    num_others = 0 if start.isascii() else sum(map(_num_in_other_letters, start.split()))
    if num_others > num_english:
        return _by_letters(start, counts)
    if not counts and not num_english:
        return _by_accents(start)
    code, most = max(counts.items(), key=lambda one: one[1], default=("", 0))
    if most > num_english and (most > 1 or len(words) < _MANY):
        return code
    return "en" if num_english else ""


def language_beside(text: str, other: str) -> str:
    """The language of a text; that of another one beside it, such as a question, if its own words tell none.

    Two languages that are not English are taken for that of the other one, since a short text is easily mistaken.

    >>> language_beside("Keine Erbsen.", "Was isst er nicht?"), language_beside("Per nacht.", "Wat kost een hond?")
    ('de', 'nl')
    """
    own, others = language_of(text), language_of(other)
    return others if not own or (own != "en" and others not in {"", "en"}) else own


def is_foreign_beside(text: str, other: str) -> bool:
    """Whether a text is plainly in another language than English, or tells none, and one beside it is."""
    return language_beside(text, other) not in {"", "en"}


def words_for(code: str, what: str) -> str:
    """What `languages.toml` has of a language, such as its `denies`; empty if it has nothing."""
    return _table().get(code, {}).get(what, "")


@cache
def pattern_for(code: str, what: str) -> re.Pattern[str]:
    """The same as a pattern for whole words in any case, which matches nothing if the language has none."""
    return whole_words(words_for(code, what))


def whole_words(words: str) -> re.Pattern[str]:
    """A pattern for the words of an expression in any case, none of which is a part of a longer one; for none, nothing."""
    return re.compile(rf"(?<![\w-])(?:{words})(?![\w-])" if words else NOTHING, re.IGNORECASE)


def languages_with(what: str) -> list[str]:
    """The codes of the languages that have it."""
    return [code for code in _table() if words_for(code, what)]


def words_of_all(what: str) -> list[str]:
    """The same of each language that has it: regular expressions."""
    return [words_for(code, what) for code in languages_with(what)]


def all_words_for(what: str) -> str:
    """The same of all languages in one expression."""
    return "|".join(words_of_all(what))


@cache
def small_words() -> frozenset[str]:
    """The words of all languages but English that say nothing by themselves, in lower case."""
    return frozenset(word for code in _table() for word in words_for(code, "small").split())


@cache
def months() -> Mapping[str, int]:
    """The number of each month, from 1, by its names in all languages but English, in lower case."""
    named = [_months_of(code) for code in _table()]
    return {name: number for of in named for number, forms in enumerate(of, start=1) for name in forms}


def names_of_months(code: str) -> list[str]:
    """The names of the months in another language than English, in lower case, with all their forms."""
    return [name for forms in _months_of(code) for name in forms]


def _months_of(code: str) -> list[list[str]]:
    return [forms.split("/") for forms in words_for(code, "months").split()]


@prepared
@cache
def _small_words() -> tuple[Mapping[str, tuple[str, ...]], frozenset[str]]:
    """The languages that have each small word, and the words that may ask at the beginning."""
    of = {code: set(words_for(code, "small").split()) for code in _table()} | {"en": set(_ENGLISH.split())}
    for code in _table():
        telling = "|".join(words_for(code, what) for what in ("denies", "leaves_out", "if"))
        of[code].update(word for word in _PLAIN.findall(telling) if len(word) > 1)
    others = frozenset[str]().union(*(words for code, words in of.items() if code != "en"))
    every = others | of["en"]
    asks = set(_ENGLISH_ASKS.split()).union(every - others, *(words_for(code, "asks").split() for code in _table()))
    return {word: tuple(code for code in of if word in of[code]) for word in every}, frozenset(asks)


def _num_in_other_letters(piece: str) -> int:
    """How many words of a piece of text without spaces are in other letters than Latin; of a script without spaces, about."""
    letters = [letter for letter in piece if letter >= "\u0370" and letter.isalpha() and not "\u1e00" <= letter <= "\u1eff"]
    return max(1, len(letters) // 3 if runs_together(piece) else 1) if letters else 0


def _by_accents(text: str) -> str:
    """The language of a text without small words, by the accents of its words in lower case, which are no names."""
    if text.isascii():
        return ""
    written = "".join(word for word in _WORD.findall(text) if word[0].islower())
    return next((code for code, letters in _BY_ACCENTS if not set(letters).isdisjoint(written)), "")


def _by_letters(text: str, counts: Counter[str]) -> str:
    by_letters = next((code for code, ranges in _BY_LETTERS if any(_is_within(letter, ranges) for letter in text)), "other")
    spaced = [(counts[code], code) for code in ("el", "he", "ar", "ru", "uk") if counts[code]]
    return max(spaced)[1] if spaced and by_letters in {"el", "he", "ar", "ru"} else by_letters


def _is_within(letter: str, ranges: str) -> bool:
    return any(first <= letter <= last for first, last in zip(ranges[::2], ranges[1::2], strict=True))


@cache
def _table() -> Mapping[str, Mapping[str, str]]:
    table = tomllib.loads((files(__package__) / "languages.toml").read_text("utf-8"))
    return {
        code: {what: words.replace("\n", " " if what in _LISTS else "") for what, words in of.items()}
        for code, of in table.items()
    }


_LISTS = frozenset({"small", "asks", "if", "begins", "governed", "pronouns", "months", "numbers", "joins", "generic"})
