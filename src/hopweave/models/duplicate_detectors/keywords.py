"""Two queries are the same if they ask the same kind of thing with the same keywords, ignoring inflection."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

from hopweave.core.characters import encodable
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.key_terms import Word, words_in
from hopweave.text.matching import normalize_answer

_ARTICLES = frozenset(["a", "an", "the"])
_STOP_WORDS = """
a an the that there am is are was were be been being do does did has have had can could will would shall should may might must
of in on at which who whom whose what when where why how and please name names person people exactly precisely actually
currently current"""
_STOP = frozenset(_STOP_WORDS.split())
_REQUESTS = frozenset(["find", "identify", "determine", "state", "give", "tell"])
_HELPERS = frozenset(["do", "does", "did"])
_YES_OR_NO = lazy_pattern(
    r"(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should|may|might|must)(?:n['’]t)?$", re.IGNORECASE
)
# What is asked for: the first question word with the noun after it. Persons and things need not be distinguished.
_KINDS = (
    (
        "when",
        lazy_pattern(r"\bwhen\b|\b(?:what|which)\s+(?:\w+\s+)?(?:date|year|day|time)\b|\b(?:date|year)\s+of\b", re.IGNORECASE),
    ),
    ("where", lazy_pattern(r"\bwhere\b|\b(?:what|which)\s+(?:place|location)\b|\b(?:place|location)\s+of\b", re.IGNORECASE)),
    ("why", lazy_pattern(r"\bwhy\b|\bfor\s+what\s+reason\b", re.IGNORECASE)),
    ("how", lazy_pattern(r"\bhow\b", re.IGNORECASE)),
)
_NOUNS = {"when": {"date", "year", "day", "time"}, "where": {"place", "location"}}
"""Words already implied by the kind."""


@dataclass(frozen=True, slots=True)
class KeyWords:
    """The light detector: no model, and no detection of paraphrases.

    Keywords are what remains after removing stop words, compared by their stems (Porter 2) in order; names may change places
    with the words around them ("the mayor of Orlau", "Orlau's mayor"). Names and numbers are compared whole, so two queries
    that differ in one are never the same; nor are two that ask when and where, yes or no and who, or that swap subject and
    object ("Who killed Brutus?", "Whom did Brutus kill?").
    """

    def duplicate_of(self, query: str, seen: Sequence[str]) -> int | None:
        wanted = _asked(query)
        return next((index for index, other in enumerate(seen) if _are_same(wanted, _asked(other))), None)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query in the form in which it is compared.

    Attributes:
        normal: its words, ignoring case, punctuation and articles.
        kind: what it asks for.
        words: the keywords, in order.
        has_helper: whether a form of `do` inverts it.
        by: whether it names the agent with "by".
    """

    normal: str
    kind: str
    words: tuple[Word, ...]
    has_helper: bool
    by: bool


@lru_cache(4096)
def _asked(query: str) -> _Asked:
    words = words_in(query)
    keys = [word.key for word in words]
    kind = _kind(query, keys)
    # When capitals do not indicate a name: in the first word, or if everything is in capitals.
    cased = [
        word._replace(written=word.written.lower()) if query.isupper() or not index else word
        for index, word in enumerate(words)
    ]
    first = 1 if keys and keys[0] in _REQUESTS else 0
    kept = [word for word in cased[first:] if not _is_left_out(word, kind)]
    after_by = [key for before, key in pairwise(keys) if before == "by"]
    return _Asked(
        normalize_answer(query),
        kind,
        tuple(word for word in kept if word.key != "by"),
        not _HELPERS.isdisjoint(keys),
        any(key not in {"whom", "who", "which", "what"} for key in after_by),
    )


def _is_left_out(word: Word, kind: str) -> bool:
    """Whether it is a stop word. A capitalised stop word, such as the film `It` or the month `May`, is a name."""
    if word.key in _STOP:
        return not word.is_named or word.key in _ARTICLES
    return word.key in _NOUNS.get(kind, ())


def _kind(query: str, keys: Sequence[str]) -> str:
    if keys and _YES_OR_NO.match(keys[0]):
        return "whether"
    return next((kind for kind, pattern in _KINDS if pattern.search(query)), "which")


def _are_same(one: _Asked, other: _Asked) -> bool:
    if one.normal == other.normal:
        return bool(one.normal)
    if not one.words or len(one.words) != len(other.words) or (one.kind, one.by) != (other.kind, other.by):
        return False
    if _are_alike(one.words, other.words):
        return True
    if one.has_helper != other.has_helper:
        return False
    named = {word.key for word in (*one.words, *other.words) if word.is_named}
    parts = [
        [[word for word in asked.words if (word.key in named) is is_named] for is_named in (True, False)]
        for asked in (one, other)
    ]
    return all(_are_alike(left, right) for left, right in zip(*parts, strict=True))


def _are_alike(left: Sequence[Word], right: Sequence[Word]) -> bool:
    """Whether words are the same in the same order; names and numbers by their full spelling, other words by their stem."""
    return len(left) == len(right) and all(
        one.key == other.key or (not one.is_named and not other.is_named and _stem(one.key) == _stem(other.key))
        for one, other in zip(left, right, strict=True)
    )


@lru_cache(8192)
def _stem(word: str) -> str:
    found = _stemmer().analyze(encodable(word))
    return found[0] if len(found) == 1 else word


@cache
def _stemmer() -> Any:
    import tantivy

    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.raw()).filter(tantivy.Filter.stemmer("english")).build()
