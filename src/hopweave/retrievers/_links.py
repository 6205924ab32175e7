"""Which passage names which document: titles and the names in a text, as keys that an index can look up.

A text names a document where the document's title stands in it, beginning with a capital or a digit; case, accents,
punctuation and a suffix in brackets (`Sight (novel)`) do not count. In a script without capitals, a title of two words or more
may begin with any word; where words run together, each letter is a word here.

Nothing of this is worked out for all passages together: an index keeps for each passage its title's key and the `openings` of
its text, which is what a key can begin with. So a new passage is linked, and a deleted one unlinked, as soon as it is added or
deleted.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import NamedTuple

from hopweave.memoize import remembered
from hopweave.text.scripts import MARKS, RUN_TOGETHER, runs_together

MAX_KEY_WORDS = 12
"""A longer title is no link: nobody writes it out."""

_WORD = re.compile(r"[^\W_]+")
_WORD_OR_LETTER = re.compile(rf"[{RUN_TOGETHER}][{MARKS}]*|[^\W_{RUN_TOGETHER}]+")
_SUFFIX = re.compile(r"\s*\([^()]*\)\s*$")
_BETWEEN = re.compile(r"[ \t]+")
_MAX_WORD_LENGTH = 60


class Word(NamedTuple):
    """A word of a text.

    Attributes:
        key: as keys have it.
        start: where it stands (code points).
        end: where it ends.
        is_named: it begins with a capital or a digit.
        has_no_case: its script has no capitals.
    """

    key: str
    start: int
    end: int
    is_named: bool
    has_no_case: bool

    @property
    def may_begin(self) -> bool:
        """Whether it may be the first word of a title."""
        return self.is_named or self.has_no_case


class Mention(NamedTuple):
    """A key that a text names, and where it stands (code points)."""

    key: str
    start: int
    end: int


def title_key(title: str) -> str:
    """A title as it is looked up; empty where it holds no word or too many.

    >>> title_key("Amélie (2001 film)")
    'amelie'
    """
    words = [word.key for word in key_words(_SUFFIX.sub("", title) or title)]
    return " ".join(words) if len(words) <= MAX_KEY_WORDS else ""


def opening(key: str) -> str:
    """What a key begins with: its first two words, or the one it has."""
    return " ".join(key.split(" ", 2)[:2])


def openings(text: str) -> set[str]:
    """Every word of a text that begins with a capital or a digit, alone and with the word behind it.

    In a script without capitals, every word.

    >>> sorted(openings("She met Lina Holt."))
    ['holt', 'lina', 'lina holt', 'she', 'she met']
    """
    words = key_words(text)
    found = {word.key for word in words if word.may_begin}
    found.update(f"{word.key} {after.key}" for word, after in itertools.pairwise(words) if word.may_begin)
    return found


def mentions(
    text: str, *, is_title: Callable[[str], bool], opens_title: Callable[[str], bool], any_case: bool = False
) -> list[Mention]:
    """The titles that a text names, leftmost first and as long as they can be.

    Args:
        text: that may name them.
        any_case: take titles of two words or more in small letters, too, as people type them.
        is_title: whether a key is that of a title.
        opens_title: whether a title of two words or more begins with these two.
    """
    words = key_words(text)
    found = []
    index = 0
    while index < len(words):
        is_named = words[index].is_named
        is_tried = any_case or words[index].may_begin
        longest = _longest(words, index, is_title, opens_title) if is_tried else 0
        longest = longest if is_named or longest > 1 else 0
        if longest:
            key = " ".join(word.key for word in words[index : index + longest])
            found.append(Mention(key, words[index].start, words[index + longest - 1].end))
        index += max(1, longest)
    return found


def _longest(words: tuple[Word, ...], index: int, is_title: Callable[[str], bool], opens_title: Callable[[str], bool]) -> int:
    """How many words the longest title has that stands at a place; 0 if none does."""
    most = min(MAX_KEY_WORDS, len(words) - index)
    if most > 1 and opens_title(f"{words[index].key} {words[index + 1].key}"):
        for length in range(most, 1, -1):
            if is_title(" ".join(word.key for word in words[index : index + length])):
                return length
    return int(is_title(words[index].key))


def names(text: str) -> Iterator[Mention]:
    """The names in a text that need no title: two words or more in a row that begin with a capital, by their openings.

    >>> [name.key for name in names("In May Lina Holt of Kerrow Hall left.")]
    ['in may', 'may lina', 'lina holt', 'kerrow hall']
    """
    for word, after in zip(key_words(text), key_words(text)[1:], strict=False):
        if word.is_named and after.is_named and _BETWEEN.fullmatch(text, word.end, after.start):
            yield Mention(f"{word.key} {after.key}", word.start, after.end)


@remembered
def key_words(text: str) -> tuple[Word, ...]:
    """The words of a text as keys have them: without case and accents."""
    lower = text.lower() if text.isascii() else ""  # many times as fast as word by word
    words = []
    for found in (_WORD_OR_LETTER if runs_together(text) else _WORD).finditer(text):
        start, end = found.span()
        key = lower[start:end] if lower else _folded(found[0])
        first = text[start]
        is_named = first.isupper() or first.isdigit()
        has_no_case = not is_named and not first.isascii() and first.lower() == first.upper()
        words.append(Word(key[:_MAX_WORD_LENGTH], start, end, is_named, has_no_case))
    return tuple(words)


def _folded(word: str) -> str:
    if word.isascii():
        return word.lower()
    plain = unicodedata.normalize("NFKD", word.casefold())
    return "".join(character for character in plain if not unicodedata.combining(character))
