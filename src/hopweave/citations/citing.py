"""Ties claims to exact spans of passages, and the marks of an answer to these citations."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from hopweave.core.memoize import remembered
from hopweave.core.prompt import unescape
from hopweave.core.types import Citation, Passage, Span
from hopweave.text.final import short_form
from hopweave.text.scripts import MARKS, RUN_TOGETHER
from hopweave.text.sentences import sentence_around

NOT_IN_CORPUS = "not-in-corpus:"
"""Prefix of the id of a passage that the model wrote: it may appear in a ranking, but cannot support anything."""

# A mark is [1], [1, 2] or [1-3]; four digits in brackets are a year. The lookbehind for the start of the blanks keeps long runs
# of them linear.
_LIST = r"\[\d{1,3}(?:\s*+[,;–-]\s*+\d{1,3})*+\]"
_MARKS = re.compile(rf"(?P<before>(?<![ \t])[ \t]*+)(?P<marks>{_LIST}(?:[ \t]*+{_LIST})*+)(?P<after>[ \t]*+)")
_NUMBERS = re.compile(r"(\d+)(?:\s*+[–-]\s*+(\d+))?")
_EDGES = " \t\n\"'“”‘’.,;:()[]。、，．！？：；「」『』（）《》"
_LETTER = rf"[^\W{RUN_TOGETHER}]"  # one that a word of another script may stand next to
_LOOKALIKES = str.maketrans("‘’‚‛ʼ′`´“”„‟″‐‑‒–—―−", "''''''''\"\"\"\"\"-------")


def cite(mark: int, passage: Passage, focus: Span) -> Citation:
    """Cites the sentences of a passage around the words that answer the query."""
    quoted = sentence_around(passage.text, focus)
    return Citation(mark, passage.id, quoted.start, quoted.end, passage.text[quoted.start : quoted.end], focus)


def locate(words: str, text: str) -> Span | None:
    """The position in a text of words that a model copied.

    They must match exactly, or up to case, white space, accents, the style of quotation marks and dashes, invisible characters
    and the surrounding punctuation. The first exact match counts, then the first other one. Only whole words match, and no
    number inside a larger one. The span refers to the original text, so `text[span.start:span.end]` is always an exact quote.
    """
    for wanted in _wanted(words):
        span = _exact(wanted, text) or _alike(wanted, text)
        if span is not None:
            return span
    return None


@remembered
def _wanted(words: str) -> tuple[str, ...]:
    """The forms in which copied words are searched for, in order."""
    said = unescape(words)
    forms = dict.fromkeys((short_form(said), said.strip(_EDGES)))
    return tuple(form for form in forms if any(map(str.isalnum, form)))


def settle_marks(text: str, allowed: Iterable[int]) -> tuple[str, int]:
    """Removes every mark that resolves to no citation, and expands lists: `[1, 2]` and `[1-2]` become `[1] [2]`.

    Returns:
        The text with the valid marks, and the number of removed ones.
    """
    known = set(allowed)
    kept, removed = keep_marks(text, lambda number, _: number in known)
    return kept, len(removed)


def keep_marks(text: str, holds: Callable[[int, int], bool]) -> tuple[str, list[int]]:
    """Removes every invalid mark, and expands lists as `settle_marks` does.

    Args:
        text: an answer.
        holds: whether a mark is valid, given its number and its position in the text.

    Returns:
        The text with the valid marks, and the numbers of the removed ones.
    """
    removed: list[int] = []

    def keep(match: re.Match[str]) -> str:
        numbers = _numbers(match["marks"])
        held = [number for number in numbers if holds(number, match.start("marks"))]
        removed.extend(number for number in numbers if number not in held)
        if held:
            return match["before"] + " ".join(f"[{number}]" for number in held) + match["after"]
        is_first = match.start() == 0 or text[match.start() - 1] == "\n"
        return match["before"] if is_first else match["after"]

    return _MARKS.sub(keep, text), removed


def marks_in(text: str) -> list[tuple[int, int]]:
    """The number and the position of each mark in a text."""
    return [(number, match.start("marks")) for match in _MARKS.finditer(text) for number in _numbers(match["marks"])]


def _numbers(marks: str) -> list[int]:
    """The numbers of marks, with ranges expanded."""
    numbers: list[int] = []
    for match in _NUMBERS.finditer(marks):
        first, last = int(match[1]), int(match[2] or match[1])
        numbers += range(first, last + 1) if first <= last else (first, last)
    return numbers


@remembered
def without_marks(text: str) -> tuple[str, Sequence[int]]:
    """The text without marks, so that they split no sentence and no word, and the original position of each character."""
    kept: list[str] = []
    places = array("L")
    position = 0
    for match in _MARKS.finditer(text):
        kept.append(text[position : match.start()])
        places.extend(range(position, match.start()))
        position = match.end("marks")
    if not kept:
        return text, range(len(text))
    places.extend(range(position, len(text)))
    return "".join([*kept, text[position:]]), places


def _exact(wanted: str, text: str) -> Span | None:
    match = _first(wanted, text)
    return Span(match.start(), match.end()) if match else None


def _alike(wanted: str, text: str) -> Span | None:
    """The first match up to letter shapes, found in a folded copy of the text that remembers where each letter came from."""
    letters, _ = _folded_text(wanted)
    folded, places = _folded_text(text)
    match = _first(letters, folded) if letters.strip() else None
    if match is None:
        return None
    start, end = places[match.start()], places[match.end() - 1] + 1
    while end < len(text) and unicodedata.combining(text[end]):
        end += 1
    return Span(start, end)


@remembered
def _folded_text(text: str) -> tuple[str, Sequence[int]]:
    """The letters of a text as they are compared, and the position of the character that each came from."""
    if text.isascii():  # each character is one letter
        return text.translate(_LOOKALIKES).casefold(), range(len(text))
    folded = [_folded(char) for char in text]
    places = array("L", (place for place, letters in enumerate(folded) for _ in letters))
    return "".join(folded), places


def _first(wanted: str, text: str) -> re.Match[str] | None:
    """The first match of words in a text; a pattern is only built if the text contains each of them, which is a fast test."""
    for word in wanted.split():
        if word not in text:
            return None
    return _pattern(wanted).search(text)


def _pattern(wanted: str) -> re.Pattern[str]:
    """Matches words with any white space between them, not inside a longer word or number (nor before a combining accent).

    Where words run together, as in Japanese, any letters may stand around them.
    """
    before = rf"(?<!{_LETTER})" if re.match(_LETTER, wanted) else ""
    after = rf"(?!{_LETTER}|[{MARKS}])" if re.match(r"\w", wanted[-1]) else ""
    if re.match(f"[{RUN_TOGETHER}]", wanted[-1]):
        after = f"(?![{MARKS}])"
    if wanted[0].isdigit():
        before += r"(?<!\d[.,])"
    if wanted[-1].isdigit():
        after += r"(?![.,]\d)"
    return re.compile(before + r"\s++".join(map(re.escape, wanted.split())) + after)


@lru_cache(4096)
def _folded(char: str) -> str:
    decomposed = unicodedata.normalize("NFKD", char.translate(_LOOKALIKES)).casefold()
    return "".join(letter for letter in decomposed if unicodedata.category(letter) not in {"Mn", "Cf"})


def on_one_line(text: str) -> str:
    """A query or an answer on one line, without its own marks."""
    return " ".join(settle_marks(text, ())[0].split())
