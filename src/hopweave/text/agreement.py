"""Whether two short answers say the same in other words, to other precision, or one as a shorter list.

The rules look at words: dates, numbers and quantities, a country and its people, the items of a list, abbreviations and
initials. Only English is understood.
"""

from __future__ import annotations

import re

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.memoize import remembered
from hopweave.text.nations import is_only_nations, nations_in
from hopweave.text.quantities import are_equal
from hopweave.text.values import agree_by_value, normalize_values

_BETWEEN_ITEMS = lazy_pattern(r"\s*[,;/&]\s*(?:(?:and|or)\s+)?|\s+(?:and|or|as\s+well\s+as)\s+", re.IGNORECASE)
_WORD = lazy_pattern(r"[^\W_]+(?:['’-][^\W_]+)*\.?")
_FEWEST_INITIALS = 3
_INITIALS = lazy_pattern(r"(?:[A-Z]\.?){2,8}")
_ASKS_FOR_WORDS = lazy_pattern(
    r"\b[Ww]hat do(?:es)? (?:the )?(?:(?:abbreviation|acronym|letters|initials) )?(?P<short>(?:[A-Z]\.?){2,8})"
    r" (?:stand for|mean)\b"
)
_LEFT_OUT = frozenset({"a", "an", "the", "of", "for", "and", "in", "on", "de", "la", "du", "des", "at"})
_AROUND = frozenset({"a", "an", "by", "command", "flag", "in", "is", "option", "the", "to", "use", "using", "with"})
_MOST_CHARACTERS = 200  # longer texts are no short answers


@remembered
def agree(left: str, right: str) -> bool:
    """Whether two short answers do not differ: each could be given where the other is right.

    - One contains the other in complete words, after dates and numbers are normalised (`text.values`), and words that only say
      how it is used may differ: `with --no-ff`, `git merge --no-ff`.
    - One only names countries or their people, all of which the other names: `American`, `an actor from the United States`.
    - All items of one list are items of the other, in any order: `director, producer`, `producer, writer and director`.
    - They are the same quantity in different units: `5s`, `five seconds` (`text.quantities`).
    - One abbreviates the other: `WHO`, `World Health Organization`; `St. Louis`, `Saint Louis`; `I. Renn`, `Ida Renn`.

    >>> agree("American", "United States"), agree("producer, director", "director, producer and writer"), agree("Brno", "Graz")
    (True, True, False)
    """
    if agree_by_value(left, right):
        return True
    if max(len(left), len(right)) > _MOST_CHARACTERS:
        return False
    if are_equal(left, right) or agree_by_value(_bared(left), _bared(right)):
        return True
    if _share_nations(left, right) or _are_lists_of_the_same(left, right):
        return True
    return _abbreviates(left, right) or _abbreviates(right, left)


def _bared(text: str) -> str:
    """A text without the words around what it names; a capital behind others is no article (`Serie A`)."""
    words = [word.strip(".,:;`'\"") for word in text.split()]
    is_around = [(word if at and len(word) == 1 else word.casefold()) in _AROUND for at, word in enumerate(words)]
    return " ".join(word for word, is_one in zip(text.split(), is_around, strict=True) if not is_one)


def _share_nations(left: str, right: str) -> bool:
    one, other = nations_in(left), nations_in(right)
    is_one_within = bool(one) and one <= other and is_only_nations(left)
    return is_one_within or (bool(other) and other <= one and is_only_nations(right))


def _are_lists_of_the_same(left: str, right: str) -> bool:
    one, other = _items(left), _items(right)
    fewer, more = sorted((one, other), key=len)
    return len(fewer) > 1 and fewer <= more


def _items(text: str) -> frozenset[str]:
    """The items of a list, normalised; a country and its people are the same."""
    items = [item for item in _BETWEEN_ITEMS.split(text.strip().rstrip(".")) if item]
    return frozenset(filter(None, (_normalised(item) for item in items)))


def _normalised(item: str) -> str:
    return " ".join(sorted(nations_in(item))) if is_only_nations(item) else normalize_values(item)


def _abbreviates(short: str, long: str) -> bool:
    return _has_initials_of(short, long) or _shortens_words(short, long)


def _has_initials_of(short: str, long: str) -> bool:
    """Whether a text consists of the first letters of another, with or without its small words."""
    written = short.strip().strip("()")
    if _INITIALS.fullmatch(written) is None:
        return False
    letters = written.replace(".", "").casefold()
    words = [word.casefold() for word in _WORD.findall(long.replace("-", " "))]
    telling = [word for word in words if word not in _LEFT_OUT]
    return len(telling) > 1 and letters in {"".join(word[0] for word in words), "".join(word[0] for word in telling)}


def are_initials_in(short: str, text: str) -> bool:
    """Whether words of a text that follow each other, small ones aside, have the letters of an abbreviation of three or more.

    >>> are_initials_in("PKCE", "Proof Key for Code Exchange by Clients"), are_initials_in("KC", "Proof Key for Code Exchange")
    (True, False)
    """
    if len(short) < _FEWEST_INITIALS or not short.isalpha() or not short.isupper():
        return False
    words = map(str.casefold, _WORD.findall(text.replace("-", " ")))
    return short.casefold() in "".join(word[0] for word in words if word not in _LEFT_OUT)


def is_spelled_out(query: str, answer: str, sentence: str) -> bool:
    """Whether a query asks what an abbreviation stands for, and a sentence has it in brackets behind the answer, or before it.

    >>> told = "A one-time password (OTP) is used once."
    >>> [is_spelled_out("What does OTP stand for?", answer, told) for answer in ("one-time password", "once")]
    [True, False]
    """
    asked = _ASKS_FOR_WORDS.search(query)
    if asked is None or not _has_initials_of(asked["short"], answer):
        return False
    said, short, told = (" ".join(text.split()).casefold() for text in (answer, asked["short"], sentence))
    return f"{said} ({short}" in told or f"{short} ({said}" in told


def _shortens_words(short: str, long: str) -> bool:
    """Whether two names have as many words, each equal or an abbreviation of the other's: `St. Louis`, `J. R. Renn`."""
    one, other = _WORD.findall(short), _WORD.findall(long)
    if not 1 < len(one) == len(other):
        return False
    if len(one[-1]) == 1 and one[-1] != other[-1]:  # no initial, but a numeral or a letter: `World War I`, `Hepatitis A`
        return False
    pairs = list(zip(one, other, strict=True))
    alike = [_bare(left) == _bare(right) for left, right in pairs]
    return any(alike) and all(same or _is_short_for(*pair) for same, pair in zip(alike, pairs, strict=True))


def _is_short_for(short: str, word: str) -> bool:
    """Whether a word with a full stop, or a single capital, has letters of another in order, from its first on."""
    letters, whole = _bare(short), _bare(word)
    is_marked = short.endswith(".") or (len(short) == 1 and short.isupper())
    if not is_marked or not letters or len(letters) >= len(whole) or letters[0] != whole[0]:
        return False
    rest = iter(whole)
    return all(letter in rest for letter in letters)


def _bare(word: str) -> str:
    return word.rstrip(".").casefold()
