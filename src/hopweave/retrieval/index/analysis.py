"""Turns text into terms: words in lower case, without stop words and endings, by the rules of a language.

Scripts without blanks between words are cut into overlapping pairs of letters, whatever the language.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import tantivy

from hopweave.core.characters import encodable
from hopweave.core.errors import DataError, SettingsError
from hopweave.core.indexing import how_to_rebuild
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.scripts import in_pairs

_VERSION = 1
"""Increases whenever an analysis changes; an index with another number has to be rebuilt."""

CODES = {
    "arabic": "ar",
    "danish": "da",
    "dutch": "nl",
    "english": "en",
    "finnish": "fi",
    "french": "fr",
    "german": "de",
    "greek": "el",
    "hungarian": "hu",
    "italian": "it",
    "norwegian": "no",
    "portuguese": "pt",
    "romanian": "ro",
    "russian": "ru",
    "spanish": "es",
    "swedish": "sv",
    "tamil": "ta",
    "turkish": "tr",
    "chinese": "zh",
    "japanese": "ja",
    "korean": "ko",
    "thai": "th",
    "lao": "lo",
    "khmer": "km",
    "burmese": "my",
    "other": "",
}
"""The ISO 639-1 code of each language; `other` leaves words unchanged."""

_UNSTEMMED = frozenset({"chinese", "japanese", "korean", "thai", "lao", "khmer", "burmese", "other"})
_NO_STOP_WORDS = _UNSTEMMED | {"arabic", "greek", "romanian", "tamil", "turkish"}  # the engine has no list for these
_ENGLISH_STOP_WORDS = (
    "a an and are as at be but by for if in into is it no not of on or such "
    "that the their then there these they this to was will with"
)
_TURKISH_CAPITALS = str.maketrans({"I": "ı", "İ": "i"})
_POSSESSIVE = lazy_pattern(r"['\u2019\uff07][sS]\b")
_MAX_TERM_BYTES = 255
_BETWEEN = "hopweave0between0texts"
"""A word that no text has, unless somebody means harm: then texts are analysed one by one."""
_IN_PAIRS = "+pairs"


def language_of(name: str) -> str:
    """A language by its English name or its ISO 639-1 code, in any case.

    Raises:
        SettingsError: for any other name; it lists them.
    """
    wanted = name.strip().casefold()
    for language, code in CODES.items():
        if wanted and wanted in (language, code):
            return language
    raise SettingsError(f"no analyzer for the language {name!r}; choose one of: {', '.join(sorted(CODES))}")


@dataclass(frozen=True, slots=True)
class Analysis:
    """How an index turns text into terms.

    Attributes:
        language: one of `CODES`.
        cuts: whether scripts without blanks are cut into pairs. Indexes of earlier versions have each run as one term.
    """

    language: str = "english"
    cuts: bool = True

    @property
    def tokenizer(self) -> str:
        """The engine's name for it."""
        return f"{self.language}-{_VERSION}"

    def name(self, num_cut: int) -> str:
        """Its identifier for a corpus, given how many passages have something to cut; without any, cutting changes nothing."""
        return self.tokenizer + (_IN_PAIRS if self.cuts and num_cut else "")

    def searchable(self, text: str) -> str:
        """Text as the engine gets it: composed characters, no possessive `s`, pairs in scripts without blanks."""
        text = _POSSESSIVE.sub("", unicodedata.normalize("NFC", text))
        if self.language == "turkish":
            text = text.translate(_TURKISH_CAPITALS)
        return in_pairs(text) if self.cuts else text

    def terms_of(self, text: str) -> list[str]:
        """The terms of any text, in order."""
        # The engine does not accept half of a surrogate pair, which is not a character.
        return analyzer(self.language).analyze(self.searchable(encodable(text)))

    def terms_of_each(self, texts: Sequence[str]) -> list[list[str]]:
        """The terms of each of some texts; several times as fast as one after the other."""
        between = _between(self)
        found: list[list[str]] = [[]]
        for term in self.terms_of(f"\n{_BETWEEN}\n".join(texts)):
            if term == between:
                found.append([])
            else:
                found[-1].append(term)
        return found if len(found) == len(texts) else list(map(self.terms_of, texts))


@cache
def _between(analysis: Analysis) -> str:
    """The term of what stands between two texts."""
    [term] = analysis.terms_of(_BETWEEN)
    return term


ENGLISH = Analysis()


def analysis_of(name: str, *, cuts: bool, place: str) -> Analysis:
    """The analysis that an index was built with.

    Args:
        name: as in its manifest.
        cuts: whether it cuts scripts without blanks.
        place: path of the index, for the error.

    Raises:
        DataError: if this version has no analyzer of that name.
    """
    found = replace(ENGLISH, language=name.removesuffix(_IN_PAIRS).rpartition("-")[0], cuts=cuts)
    if found.language not in CODES or name.removesuffix(_IN_PAIRS) != found.tokenizer:
        raise DataError(
            f"index {place} was built with the analyzer {name}, which this hopweave does not have; {how_to_rebuild(place)}"
        )
    return found


def agreed(found: Analysis, language: str | None, place: str) -> Analysis:
    """The analysis of an index that is updated.

    Raises:
        SettingsError: if the requested language is not the one that it was built for.
    """
    if language is not None and language_of(language) != found.language:
        wanted = language_of(language)
        raise SettingsError(
            f"index {place} was built for the language {found.language}, and an index has only one; "
            f"{how_to_rebuild(place)} --language {wanted}"
        )
    return found


@cache
def analyzer(language: str) -> tantivy.TextAnalyzer:
    """The analyzer that turns `searchable` text into terms."""
    filters = [tantivy.Filter.remove_long(_MAX_TERM_BYTES), tantivy.Filter.lowercase()]
    if language == "english":
        filters.append(tantivy.Filter.custom_stopword(_ENGLISH_STOP_WORDS.split()))
    elif language not in _NO_STOP_WORDS:
        filters.append(tantivy.Filter.stopword(language))
    if language not in _UNSTEMMED:
        filters.append(tantivy.Filter.stemmer(language))
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    for one in filters:
        builder = builder.filter(one)
    return builder.build()
