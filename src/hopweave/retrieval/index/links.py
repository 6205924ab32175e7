"""Links from passages to the documents they name: titles and the names in a text, as keys that an index can look up.

A text names a document if it contains the document's title, beginning with a capital or a digit, or written as the name of a
program or a module (`git-log(1)`, `the secrets module`); case, accents, punctuation and a suffix in brackets (`Sight (novel)`)
are ignored. In a script without capitals, a title of two words or more may begin with any word; in scripts without blanks, each
letter is a word here.

None of this is computed over all passages: an index stores for each passage its title's key and the `openings` of its text,
the possible beginnings of keys. So a new passage is linked, and a deleted one unlinked, as soon as it is added or
deleted.
"""

from __future__ import annotations

import itertools
import re
import string
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.content_words import is_named
from hopweave.text.page_names import MANUAL_SECTION, page_name
from hopweave.text.scripts import MARKS, RUN_TOGETHER, runs_together

MAX_KEY_WORDS = 12
"""Longer titles are not links: texts do not spell them out."""

_WORD = lazy_pattern(r"[^\W_]+")
_WORD_OR_LETTER = lazy_pattern(rf"[{RUN_TOGETHER}][{MARKS}]*|[^\W_{RUN_TOGETHER}]+")
_SUFFIX = lazy_pattern(r"\s*\([^()]*\)\s*$")
_KIND = (
    r"(?:modules?|packages?|library|libraries|commands?|programs?|utility|utilities|tools?|daemons?|scripts?|functions?"
    r"|directives?|extensions?|man(?:ual)? pages?)"
)
_CODE = lazy_pattern(
    rf"(?<![\w.+-])([a-z][\w.+-]*+)(?=\s?{MANUAL_SECTION}|\s++{_KIND}\b)|(?<![\w.+-]){_KIND}\s++([a-z])", re.ASCII
)
"""How a text names a page whose name is in small letters, so that it is no common word: `git-log(1)`, `the secrets module`."""

_KIND_NAMED = lazy_pattern(rf"{_KIND}\b", re.ASCII)
_PAGE_NAMED = lazy_pattern(MANUAL_SECTION, re.ASCII)
_LONGEST_CODE = 200
_WHITE = " \t\n\r\f\v"
_OF_CODE = f"{string.ascii_letters}{string.digits}_.+-"

_JOINED = lazy_pattern(r"(?<![^\W_])([A-Z]{2,8})(?=\d{3,6}(?![^\W_]))")
"""A name whose number some texts write beside its letters, and others apart: `[RFC7636]`, `RFC 7636`, `SHA-256`."""
_MAY_BE_JOINED = lazy_pattern(r"[A-Z]\d{3}")
_BETWEEN = lazy_pattern(r"[ \t]+")
_WORDS_ALONE = str.maketrans({chr(code): " " for code in range(128) if not chr(code).isalnum()})
"""Makes a blank of whatever is not of a word in a text of ASCII."""

_MAX_WORD_LENGTH = 60
_SMALL = frozenset(string.ascii_lowercase)


class Words(NamedTuple):
    """The words of a text, in order.

    Attributes:
        keys: in the form used in keys: without case and accents.
        written: as in the text.
    """

    keys: list[str]
    written: list[str]


class Mention(NamedTuple):
    """What a text names: the key of a title, and whether it is written as the name of a program or a module."""

    key: str
    is_code: bool


def title_key(title: str) -> str:
    """A title in the form in which it is looked up; empty if it has no words or too many.

    >>> title_key("Amélie (2001 film)"), title_key("glob — Names of files — Orla 3.1 documentation"), title_key("git-log(1)")
    ('amelie', 'glob', 'git log')
    >>> title_key("RFC7636")
    'rfc 7636'
    """
    keys = keys_of(with_numbers_apart(_SUFFIX.sub("", page_name(title)) or title))
    return " ".join(keys) if len(keys) <= MAX_KEY_WORDS else ""


def opening(key: str) -> str:
    """The opening of a key: its first two words, or its only one."""
    return " ".join(key.split(" ", 2)[:2])


def openings(text: str) -> set[str]:
    """Every word of a text that may begin a title, alone and with the following word: with a capital or a digit, or as code.

    In a script without capitals, every word.

    >>> sorted(openings("She met Lina Holt."))
    ['holt', 'lina', 'lina holt', 'she', 'she met']
    """
    text = with_numbers_apart(text)
    keys, written = words_of(text)
    first = [_may_begin(word) for word in written]
    for index in _code_mentions(text):
        first[index] = True
    found = set(itertools.compress(keys, first))
    found.update(f"{key} {after}" for key, after in itertools.compress(itertools.pairwise(keys), first))
    return found


def mentions(
    text: str,
    *,
    is_title: Callable[[str], bool],
    num_titled: Callable[[str], int],
    num_opened: Callable[[str], int],
    any_case: bool = False,
) -> list[Mention]:
    """The titles that a text names, leftmost first, each as long as possible.

    Args:
        text: the text that may name them.
        any_case: accept titles of two words or more in small letters, too, as people type them.
        is_title: whether a key is that of a title to be linked.
        num_titled: how many passages have the title of a key, linked or not.
        num_opened: how many have a title that begins with given words.
    """
    text = with_numbers_apart(text)
    keys, written = words_of(text)
    coded = _code_mentions(text)
    found = []
    end = 0
    for index, word in enumerate(written):
        if index < end or not (any_case or _may_begin(word) or index in coded):
            continue
        ahead = keys[index : index + MAX_KEY_WORDS]
        longest = _longest(ahead, is_title, num_titled, num_opened)
        if longest > 1 or (longest and (is_named(word) or index in coded)):
            end = index + longest
            found.append(Mention(" ".join(keys[index:end]), index in coded))
    return found


def _longest(
    keys: Sequence[str],
    is_title: Callable[[str], bool],
    num_titled: Callable[[str], int],
    num_opened: Callable[[str], int],
) -> int:
    """The number of words of the longest title at the start of these words; 0 if there is none."""
    longest = 0
    left = num_opened(f"{keys[0]} {keys[1]}") if len(keys) > 1 else 0
    for length in range(2, len(keys) + 1):
        if not left:  # most titles are short, so most texts need not be compared further
            break
        key = " ".join(keys[:length])
        if num := num_titled(key):
            left -= num
            longest = length if is_title(key) else longest
    return longest or int(is_title(keys[0]))


def names(text: str) -> Iterator[str]:
    """The names in a text that need not be titles: two or more successive words that begin with a capital, by their openings.

    >>> list(names("In May Lina Holt of Kerrow Hall left."))
    ['in may', 'may lina', 'lina holt', 'kerrow hall']
    """
    for word, after in itertools.pairwise(_pattern_for(text).finditer(text)):
        if is_named(word[0]) and is_named(after[0]) and _BETWEEN.fullmatch(text, word.end(), after.start()):
            yield f"{_key_of(word[0])} {_key_of(after[0])}"


def with_numbers_apart(text: str) -> str:
    """A text with a blank between letters and a number that names have."""
    return _JOINED.sub(r"\1 ", text) if _MAY_BE_JOINED.search(text) else text  # in most texts there is nothing like it


def words_of(text: str) -> Words:
    """The words of a text, in the form used in keys and as written."""
    written = _written(text)
    return Words(_keys(written), written)


def keys_of(text: str) -> list[str]:
    """The words of a text, in the form used in keys."""
    return _keys(_written(text))


def _written(text: str) -> list[str]:
    """The words of a text, as written."""
    if text.isascii():  # twice as fast
        return text.translate(_WORDS_ALONE).split()
    return _pattern_for(text).findall(text)


def _keys(written: Sequence[str]) -> list[str]:
    """Words in the form used in keys."""
    together = " ".join(written)
    if not together.isascii():
        return [word.lower()[:_MAX_WORD_LENGTH] if word.isascii() else _key_of(word) for word in written]
    keys = together.lower().split()  # many times faster than word by word
    return keys if max(map(len, keys), default=0) <= _MAX_WORD_LENGTH else [key[:_MAX_WORD_LENGTH] for key in keys]


def _code_mentions(text: str) -> frozenset[int]:
    """The positions, among the words of a text, of those that begin the name of a program or a module."""
    found = set()
    pattern = _pattern_for(text)
    end = at = index = 0
    for start in sorted(_may_begin_code(text)):  # all places where `_CODE` may match, which searching for it finds too slowly
        match = _CODE.match(text, start) if start >= end else None
        if match is None:
            continue
        end, begin = match.end(), match.start(match.lastindex or 0)
        before = pattern.match(text, begin - 1) if begin else None
        if before is None or before.end() == begin:  # else it is within a word
            index, at = index + len(pattern.findall(text, at, begin)), begin
            found.add(index)
    return frozenset(found)


def _may_begin_code(text: str) -> set[int]:
    """Where a text may begin to name a program or a module: at a word for such, and before it or the section of a page."""
    found = set()
    for match in itertools.chain(_KIND_NAMED.finditer(text), _PAGE_NAMED.finditer(text)):
        first = max(0, match.start() - _LONGEST_CODE)
        before = text[first : match.start()].rstrip(_WHITE).rstrip(_OF_CODE)
        found |= {match.start(), first + len(before)}
    return found


def _pattern_for(text: str) -> re.Pattern[str]:
    return _WORD_OR_LETTER if runs_together(text) else _WORD


def _may_begin(word: str) -> bool:
    """Whether a word may be the first of a title: it is named, or its script has no capitals."""
    if word[0] in _SMALL:  # most do
        return False
    return is_named(word) or (not word[0].isascii() and word[0].lower() == word[0].upper())


def _key_of(word: str) -> str:
    if word.isascii():
        return word.lower()[:_MAX_WORD_LENGTH]
    plain = unicodedata.normalize("NFKD", word.casefold())
    return "".join(character for character in plain if not unicodedata.combining(character))[:_MAX_WORD_LENGTH]
