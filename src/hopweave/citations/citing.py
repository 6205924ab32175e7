"""Ties claims to exact spans of passages."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Sequence
from functools import lru_cache

from hopweave.core.memoize import remembered
from hopweave.core.prompt import unescape
from hopweave.core.types import Citation, Passage, Span
from hopweave.text.citation_marks import settle_marks
from hopweave.text.final import short_form
from hopweave.text.quotation import PLAIN, QUOTATION_MARKS
from hopweave.text.scripts import MARKS, RUN_TOGETHER
from hopweave.text.sentences import sentence_around

NOT_IN_CORPUS = "not-in-corpus:"
"""Prefix of the id of a passage that the model wrote: it may appear in a ranking, but cannot support anything."""

_EDGES = f" \t\n{QUOTATION_MARKS}.,;:()[]。、，．！？：；（）《》"
_LETTER = rf"[^\W{RUN_TOGETHER}]"  # a letter of a script with spaces; the others may directly adjoin a word


def cite(mark: int, passage: Passage, focus: Span) -> Citation:
    """Cites the sentences of a passage around the words that answer the query."""
    quoted = sentence_around(passage.text, focus)
    return Citation(mark, passage.id, quoted.start, quoted.end, passage.text[quoted.start : quoted.end], focus)


def locate(words: str, text: str) -> Span | None:
    """The position in a text of words that a model copied.

    They must match exactly, or up to case, white space, accents, the style of quotation marks and dashes, invisible characters
    and the surrounding punctuation. The first exact match is preferred, then the first other one. Only complete words match,
    and no number inside a larger one. The span refers to the original text, so `text[span.start:span.end]` is always an exact
    quote.
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
        return text.translate(PLAIN).casefold(), range(len(text))
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

    In scripts without spaces, such as Japanese, any letters may precede and follow them.
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
    decomposed = unicodedata.normalize("NFKD", char.translate(PLAIN)).casefold()
    return "".join(letter for letter in decomposed if unicodedata.category(letter) not in {"Mn", "Cf"})


def on_one_line(text: str) -> str:
    """A query or an answer on one line, without its own marks."""
    return " ".join(settle_marks(text, ())[0].split())
