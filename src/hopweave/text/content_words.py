"""Content words, names and numbers of a text, and which of its sentences state a fact.

In scripts without spaces, such as Japanese, each letter counts as a word; content words are pairs of them
(`text.scripts.content_apart`).
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence, Set
from functools import lru_cache

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.text.key_terms import FUNCTION_WORDS, stem_of_key
from hopweave.text.languages import is_foreign, small_words
from hopweave.text.scripts import apart, content_apart, runs_together
from hopweave.text.values import DAY_NAMES, MONTH_NAMES

WORD = lazy_pattern(r"[^\W_]+(?:['’.,-][^\W_]+)*")
BYTES_PER_TOKEN = 4
_SMALL_WORDS = """
a an and are as at be been but by did do does for from had has have he her his in is it its of on or she so than that the their
there they this thus to was were what when where which who whom whose with how why"""
_SMALL = frozenset(_SMALL_WORDS.split())

_LETTERS = lazy_pattern(r"[^\W_]+")
_TOKEN = lazy_pattern(r"\d[\d.,]*\d|[^\W_](?:[\w'’.-]*\w)?(?:(?<=[A-Z])(?<!\w\w)\.)?")
_JOIN_A_NAME = "of the de la le du des del di da dos van von der den und y e al el bin ibn"
_OPEN_A_SENTENCE = (
    "a an the in on at of as it its he his him she her they them their this that these those there both all each of one two "
    "thus so therefore hence since because when while where who which what after before during until by for from with to "
    "and but or no not yes according also however then if i we you how why whose whom did does do is are was were has have "
    "had can could under within through among into upon without please tell give name list once unless although though "
    "whenever wherever assuming suppose supposing provided given going unlike besides apart instead per between across "
    "around behind below beneath beyond despite regarding concerning following including our my your should would must "
    "shall will some any every either neither most"
)
_SAY_NOTHING = "that this these those there their they them were with from which what when where have been being does whose"
_CONNECTORS, _OPENERS, _NOT_CONTENT = (frozenset(words.split()) for words in (_JOIN_A_NAME, _OPEN_A_SENTENCE, _SAY_NOTHING))
_FEWEST_LETTERS, _FEWEST_LETTERS_OF_FEW = 4, 3
_FEW = 2
"""A sentence with fewer longer content words has short ones as well: `Why did the job fail?`"""
_SHORT_WORDS = "not nor all any one two six ten new old out off per via yes too now own few let get got ago yet"
_SHORT = frozenset(_SHORT_WORDS.split())
"""Short words that do not say what a sentence is about, besides function words."""

_REASONING = lazy_pattern(r"\s*(?:thus[ ,]|so[ ,]|that is,|therefore|hence)", re.IGNORECASE)
_EQUATION = lazy_pattern(r"\d\s*[+-]\s*[\d.,]+\s*=\s*[\d.,]")
_WHEN = lazy_pattern(rf"{DAY_NAMES}|{MONTH_NAMES}|\d.*")
_ORDINAL = lazy_pattern(r"(\d)(?:st|nd|rd|th)$")
_ELISION = lazy_pattern(
    r"(?<![^\W_])(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quelqu|un|all|dell|nell|sull)['’](?=[^\W_])", re.IGNORECASE
)


def estimated_tokens(text: str) -> int:
    """A rough estimate of the number of tokens in a text: one for every 4 bytes of UTF-8.

    >>> estimated_tokens("Who composed The Planets?"), estimated_tokens("")
    (7, 0)
    """
    return math.ceil(len(text.encode("utf-8", "surrogatepass")) / BYTES_PER_TOKEN)


def words_of(text: str) -> list[str]:
    """The content words of a text, in lower case."""
    return [word for word in map(str.casefold, WORD.findall(apart(text))) if word not in _SMALL]


def _composed(text: str) -> str:
    """A text with each accented letter as one character: an accent of its own would end a word."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def is_named(word: str) -> bool:
    """Whether a word looks like a name or a number: it begins with a capital or a digit."""
    return word[0].isupper() or word[0].isdigit()


@remembered
def keys_of(text: str) -> frozenset[str]:
    """The content words of a text, normalised for comparison.

    Case, accents, a possessive `'s`, the ending of an ordinal and the commas of a large number are removed. If a text consists
    only of function words, such as the name of the band `The Who`, these are its keys.

    >>> sorted(keys_of("Gödel's 12th book sold 1,000 copies"))
    ['1000', '12', 'book', 'copies', 'godel', 'sold']
    """
    words = list(map(str.casefold, WORD.findall(apart(_composed(text)))))
    said = [word for word in words if word not in _SMALL]
    return frozenset(map(_key, said or words))


def named_keys(text: str) -> set[str]:
    """The keys of words that look like names or numbers; the first word is included only if the text is not a sentence."""
    return {key for name in anchors(text) for key in keys_of(name)}


def numbers_of(keys: Set[str]) -> set[str]:
    """Those keys that are numbers."""
    return {key for key in keys if key[0].isdigit()}


@remembered
def stems_of(text: str) -> frozenset[str]:
    """The stems of all words of a text, which are the same for inflected forms of a word."""
    text = _composed(text)
    spaced = f"{apart(text)} {content_apart(text)}" if runs_together(text) else text
    return frozenset(map(stem, _LETTERS.findall(spaced)))


@lru_cache(8192)
def stem(word: str) -> str:
    """The stem of a word, as in `stems_of`."""
    return stem_of_key(_key(word))


def anchors(sentence: str) -> list[str]:
    """The names (runs of capitalised words) and numbers of a sentence, in order.

    >>> anchors("The Planets was composed by Gustav Holst, Duke of Nowhere, in 1914.")
    ['Planets', 'Gustav Holst', 'Duke of Nowhere', '1914']
    >>> anchors("I think he fought in World War I, and on Monday I asked.")
    ['World War I', 'Monday']
    """
    return list(_anchors(sentence))


@remembered
def _anchors(sentence: str) -> tuple[str, ...]:
    found: list[str] = []
    sentence, openers, connectors = apart(_composed(sentence)), _OPENERS, _CONNECTORS
    if is_foreign(sentence):
        sentence = _ELISION.sub(lambda elision: f"{elision[0][:-1]} ", sentence)
        openers, connectors = _OPENERS | small_words(), frozenset[str]()  # which join any two nouns there
    start = end = -1
    tokens = list(_TOKEN.finditer(sentence))
    for index, token in enumerate(tokens):
        word = token[0]
        is_opener = index == 0 and word.lower() in openers
        is_pronoun = word == "I" and (start < 0 or not _is_numbered(sentence[start:end], sentence[end : token.start()]))
        if (word[0].isupper() or word[0].isdigit()) and not is_opener and not is_pronoun:
            if start >= 0 and not _are_joined(sentence[end : token.start()], connectors):
                found.append(sentence[start:end])
                start = -1
            start, end = (token.start() if start < 0 else start), token.end()
    if start >= 0:
        found.append(sentence[start:end])
    return tuple(dict.fromkeys(re.sub(r"['’]s$", "", name) for name in found))


def _is_numbered(name: str, between: str) -> bool:
    """Whether an `I` that follows a name at once, but for this text, is a numeral: `World War I`, unlike `On Monday I ...`."""
    return between.isspace() and _WHEN.fullmatch(name.rpartition(" ")[2]) is None


def content_of(sentence: str, names: Sequence[str]) -> list[str]:
    """The content words of a sentence other than its names, in lower case: those of four letters, and others if these are few.

    >>> content_of("Why did the job fail?", ()), content_of("Why did the night job fail?", ())
    (['job', 'fail'], ['night', 'fail'])
    """
    return list(_content_of(sentence, tuple(names)))


@remembered
def _content_of(sentence: str, names: tuple[str, ...]) -> tuple[str, ...]:
    sentence = _composed(sentence)
    for name in sorted(names, key=len, reverse=True):
        sentence = sentence.replace(name, " ")
    without = _NOT_CONTENT | small_words() if is_foreign(sentence) else _NOT_CONTENT
    words = [word.lower() for word in re.findall(r"[^\W\d_]+", content_apart(sentence))]
    found = tuple(word for word in words if (len(word) >= _FEWEST_LETTERS or runs_together(word)) and word not in without)
    if len(found) >= _FEW or is_foreign(sentence):
        return found
    without = _NOT_CONTENT | _SMALL | _SHORT | FUNCTION_WORDS
    return tuple(word for word in words if (len(word) >= _FEWEST_LETTERS_OF_FEW or runs_together(word)) and word not in without)


def is_reasoning(sentence: str) -> bool:
    """Whether a sentence draws a conclusion (it begins with `thus`, `so`, ..., or contains a sum) and states no new fact."""
    return _REASONING.match(sentence) is not None or _EQUATION.search(sentence) is not None


def _are_joined(between: str, connectors: Set[str]) -> bool:
    """Whether two capitalised words with this text between them form one name."""
    return not between.strip() or (
        re.fullmatch(r"[\s\w]+", between) is not None and all(word in connectors for word in between.split())
    )


@lru_cache(8192)
def _key(word: str) -> str:
    letters = unicodedata.normalize("NFKD", word.casefold().replace("’", "'").removesuffix("'s"))
    plain = "".join(letter for letter in letters if unicodedata.category(letter) != "Mn")
    plain = plain.replace(",", "") if plain[:1].isdigit() else plain
    return _ORDINAL.sub(r"\1", plain) or word
