"""Whether two sentences deny the same things: words that match say nothing if one of the sentences has a "not" before them."""

from __future__ import annotations

import re
from typing import NamedTuple

from hopweave.core.memoize import remembered
from hopweave.text.content_words import stem, words_of

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_OF_VERBS = frozenset({"not", "never", "nor", "neither", "cannot", "nobody", "nothing"})
_OF_NOUNS = frozenset({"no", "without"})
_NO_DENIAL = frozenset({"only", "just", "merely", "least", "sooner"})
"""After these, `not` and `no` deny nothing: `not only`, `no sooner`."""

_WITHIN = 3
"""A word is denied in one sentence if it is among so many after a `not`, since an adverb may come between."""


class _Denied(NamedTuple):
    """Roots of the words of a sentence.

    Attributes:
        there: all that say something.
        first: the first after each `not`.
        nouns: the first after each `no`: `no files are removed` denies the removal, so it may be said with `not` as well.
        soon: the first few after each of both.
    """

    there: frozenset[str]
    first: frozenset[str]
    nouns: frozenset[str]
    soon: frozenset[str]


def deny_alike(left: str, right: str) -> bool:
    """Whether what one sentence denies is denied by the other as well, if that has the word at all.

    >>> deny_alike("The bridge was not built in 1848.", "The bridge was built in 1848 by Ada Finch.")
    False
    >>> deny_alike("It doesn't remove files.", "Files are never really removed.")
    True
    """
    one, other = _denied(left), _denied(right)
    return not _is_said(one, other) and not _is_said(other, one)


def _is_said(one: _Denied, other: _Denied) -> bool:
    """Whether one sentence denies what the other says."""
    denied = one.first if other.soon else one.first | one.nouns
    return bool(denied & other.there - other.soon)


@remembered
def _denied(sentence: str) -> _Denied:
    words = [match[0].casefold() for match in _WORD.finditer(sentence)]
    first, nouns, soon = set[str](), set[str](), set[str]()
    for index, word in enumerate(words[:-1]):
        is_of_verb = word in _OF_VERBS or word.endswith(("n't", "n’t"))
        if (is_of_verb or word in _OF_NOUNS) and words[index + 1] not in _NO_DENIAL:
            after = [root(one) for one in words[index + 1 :] if words_of(one) and not one.endswith("ly")][:_WITHIN]
            (first if is_of_verb else nouns).update(after[:1])
            soon.update(after)
    return _Denied(
        frozenset(root(word) for word in words if words_of(word)), frozenset(first), frozenset(nouns), frozenset(soon)
    )


def root(word: str) -> str:
    """The stem of a word, the same for its plural and its third person."""
    return re.sub("ie$|y$", "i", stem(word).removesuffix("s"))
