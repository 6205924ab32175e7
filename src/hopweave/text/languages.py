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
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import chain

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
    ("uk", "\u0454\u0454\u0456\u0457\u0490\u0491"),
    ("ru", "\u0400\u04ff"),
)
"""The language of a text in other letters than Latin, if its small words tell nothing: the first that has a letter of it. Given
are the first and the last letter of each range."""

_OWN_LETTERS = {
    "es": frozenset("ñ"),
    "pl": frozenset("ąćęłńśźż"),
    "pt": frozenset("ãõ"),
    "cs": frozenset("čďěňřšťůž"),
    "hu": frozenset("őű"),
    "tr": frozenset("ğış"),
    "ro": frozenset("ășț"),
    "da": frozenset("æø"),
    "ru": frozenset("ыэъё"),
    "uk": frozenset("іїєґ"),
}
"""Letters that hardly any other language has."""

_NO_LETTERS, _ASCII = frozenset[str](), frozenset(map(chr, range(128)))
_SHARED_LETTERS = {
    "de": frozenset("äöüß"),
    "fr": frozenset("àâæçéèêëîïôœùûüÿ"),
    "es": frozenset("áéíóúü"),
    "it": frozenset("àèéìîòù"),
    "pt": frozenset("áâàçéêíóôú"),
    "nl": frozenset("áéèëíïóöúü"),
    "sv": frozenset("åäöéü"),
    "da": frozenset("åäöé"),
    "pl": frozenset("ó"),
    "cs": frozenset("áéíóúý"),
    "fi": frozenset("åäö"),
    "hu": frozenset("áéíóöúü"),
    "tr": frozenset("çöüâ"),
    "ro": frozenset("âî"),
}
"""The other letters with accents, in Latin script."""
_LETTERS = {code: letters | _OWN_LETTERS.get(code, _NO_LETTERS) for code, letters in _SHARED_LETTERS.items()}
"""Of languages that have as many of the small words, one that has all letters of a text is the likeliest."""

_BY_ACCENTS = (
    *((code, letters) for code, letters in _OWN_LETTERS.items() if code not in {"ru", "uk"}),
    ("sv", frozenset("å")),
    ("de", frozenset("äöüß")),
    ("fr", frozenset("àáâèéêëìíîïòóôùúûýÿçœ")),
)
"""The language of a text in Latin letters, if its small words tell nothing: the first that fits, so what several languages have
is taken for the likeliest."""

_SCRIPTS = {"ja": "zh", "uk": "ru"} | {code: code for code in ("ko", "zh", "th", "el", "he", "ar", "ru")}
"""The letters of languages that are not written in Latin ones, by one that has them."""
_PLAINLY_MORE = 2

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
_FEW_ACCENTS = 2
"""So many words with accents are no English, where every small word is one of another language as well."""


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
    German. A word that several languages have counts for each of them; if English has as many, it is English, unless accents
    say otherwise. A language that is not known here is taken for another one in the same letters.

    >>> language_of("Kira her daire için 900 TL değildir."), language_of("A havi bérleti díj 900 forint.") == "en"
    ('tr', False)
    """
    start = text[:_FARTHEST] if text.isascii() else unicodedata.normalize("NFC", text[:_FARTHEST])
    if start.isascii() and _ENOUGH * sum(map(start.count, _TELLING)) >= len(start) > 0:  # most texts are
        return "en"
    words = _WORD.findall(start)
    counted = _counted(words)
    counts = Counter(chain.from_iterable(map(_small_words()[0].__getitem__, counted)))
    num_english = counts.pop("en", 0)
    num_others = 0 if start.isascii() else sum(map(_num_in_other_letters, start.split()))
    if num_others > num_english:
        return _by_letters(start, counts)
    if not counts and not num_english:
        return _by_accents(words)
    accented = [] if start.isascii() else _accented(words)
    code = _likeliest(counts, accented)
    if num_english > counts[code] or (num_english == counts[code] and not _is_accented(code, counted, accented)):
        return "en"
    if counts[code] > 1 or len(words) < _MANY:
        return code
    return "en" if num_english else _by_accents(words)


def _counted(words: Sequence[str]) -> list[str]:
    """Those words of a text that tell its language, in lower case."""
    small, asks = _small_words()
    counted: list[str] = []
    for index, word in enumerate(words):
        if (written := word.casefold()) not in small:
            continue
        if written in _IN_NAMES and words[index + 1 : index + 2] and words[index + 1][0].isupper():
            continue
        is_followed = index == 0 and len(words) > 1 and words[1][0].islower()
        if word == written or is_followed or (index == 0 and written in asks):
            counted.append(written)
    return counted


def _accented(words: Sequence[str]) -> list[str]:
    """The words that have accents, but for names."""
    return [word for word in words if not word.isascii() and word[0].islower()]


def _likeliest(counts: Counter[str], accented: Sequence[str]) -> str:
    """The language that has the most small words of a text, and the letters of its words with accents; empty without any."""
    if not accented:
        return max(counts, key=counts.__getitem__, default="")
    letters = _accents_of(accented)
    scores = {code: (num + _has_own(code, letters), letters <= _LETTERS.get(code, _NO_LETTERS)) for code, num in counts.items()}
    return max(scores, key=lambda code: scores[code], default="")


def _is_accented(code: str, counted: Sequence[str], accented: Sequence[str]) -> bool:
    """Whether a text with as many small words of English as of another language is in that, by its words with accents."""
    if not code or not accented:
        return False
    return _has_own(code, _accents_of(accented)) or (len(set(accented)) >= _FEW_ACCENTS and _has_all(code, counted))


def _accents_of(words: Iterable[str]) -> frozenset[str]:
    return frozenset("".join(words)) - _ASCII


def _has_own(code: str, letters: frozenset[str]) -> bool:
    return not _OWN_LETTERS.get(code, _NO_LETTERS).isdisjoint(letters)


def _has_all(code: str, counted: Iterable[str]) -> bool:
    """Whether a language has all those words that English has."""
    small, _ = _small_words()
    return all(code in small[word] for word in counted if "en" in small[word])


def language_beside(text: str, *others: str) -> str:
    """The language of a text that stands beside others, such as a sentence in its passage, to which a question is asked.

    It is that of the next one unless its own words plainly tell another: a short text is easily mistaken, or tells none. It
    keeps its own if this is in other letters, or has two more of its small words. It is English if one of them is a word that
    the language of the next one lacks.

    Args:
        text: the text.
        others: those beside it, the nearest first; each of them is told with the next one.

    >>> language_beside("Keine Erbsen.", "Was isst er nicht?"), language_beside("Per nacht.", "Wat kost een hond?")
    ('de', 'nl')
    >>> language_beside("Vuokra on 650 euroa.", "Mikä on vuokra?"), language_beside("The rent is 650.", "Mikä on vuokra?")
    ('fi', 'en')
    >>> told = "Takuuvuokra: 5 000 euroa. Vuokra on 650 euroa."
    >>> language_beside("Takuuvuokra: 5 000 euroa.", told, "Mikä on vuokra?"), language_beside("Wo ist er?", "Who is it?")
    ('fi', 'de')
    """
    code = ""
    for one in reversed((text, *others)):
        code = _language_within(one, code)
    return code


@remembered
def _language_within(text: str, around: str) -> str:
    """The language of a text in one of another language, given by its code."""
    own = language_of(text)
    if not own or around in {"", "en", own}:
        return own or around
    counted = _counted_in(text)
    if own == "en":
        return around if _has_all(around, counted) else own
    small, _ = _small_words()
    num = Counter(chain.from_iterable(map(small.__getitem__, counted)))
    is_plain = _SCRIPTS.get(own) != _SCRIPTS.get(around) or num[own] >= num[around] + _PLAINLY_MORE
    return own if is_plain else around


@remembered
def _counted_in(text: str) -> tuple[str, ...]:
    return tuple(_counted(_WORD.findall(unicodedata.normalize("NFC", text[:_FARTHEST]))))


def is_foreign_beside(text: str, *others: str) -> bool:
    """Whether a text is plainly in another language than English, or tells none, and the next of those beside it is."""
    return language_beside(text, *others) not in {"", "en"}


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
        of[code].update(word for word in words_for(code, "hedges").split("|") if len(word) > 1 and word.isalpha())
    others = frozenset[str]().union(*(words for code, words in of.items() if code != "en"))
    every = others | of["en"]
    asks = set(_ENGLISH_ASKS.split()).union(every - others, *(words_for(code, "asks").split() for code in _table()))
    return {word: tuple(code for code in of if word in of[code]) for word in every}, frozenset(asks)


def _num_in_other_letters(piece: str) -> int:
    """How many words of a piece of text without spaces are in other letters than Latin; of a script without spaces, about."""
    if piece.isascii():
        return 0
    letters = [letter for letter in piece if letter >= "\u0370" and letter.isalpha() and not "\u1e00" <= letter <= "\u1eff"]
    return max(1, len(letters) // 3 if runs_together(piece) else 1) if letters else 0


def _by_accents(words: Sequence[str]) -> str:
    """The language of words of which none is a small one, by the accents of those in lower case, which are no names."""
    letters = _accents_of(_accented(words))
    return next((code for code, own in _BY_ACCENTS if not own.isdisjoint(letters)), "")


def _by_letters(text: str, counts: Counter[str]) -> str:
    by_letters = next((code for code, ranges in _BY_LETTERS if any(_is_within(letter, ranges) for letter in text)), "other")
    spaced = [code for code in ("el", "he", "ar", "ru", "uk") if counts[code]]
    if not spaced or by_letters not in {"el", "he", "ar", "ru", "uk"}:
        return by_letters
    return max(spaced, key=lambda code: (counts[code], _has_own(code, frozenset(text))))


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
