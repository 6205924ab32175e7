"""Splits long texts into passages at sentence boundaries."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hopweave.core.types import Span
from hopweave.text.scripts import NO_BLANKS, WORD_SIZED, lacks_blanks
from hopweave.text.sentences import sentence_spans_of_long

# A run of 100 characters without a space counts as a word, so that text without spaces is split too.
_WORD = re.compile(r"\S{1,100}")
_WORD_OR_PIECE = re.compile(rf"{WORD_SIZED}|[^\s{NO_BLANKS}]{{1,100}}")


def split_spans(text: str, max_words: int) -> Iterator[Span]:
    """Spans of the passages of a text, in order: each has as many whole sentences as fit into `max_words`.

    A sentence that is too long is split at word boundaries. Only white space is dropped between passages.

    Args:
        text: the text of a document.
        max_words: above 0; words are separated by white space, or counted by `scripts.num_words` in text without it.
    """
    start, end, num_words = 0, 0, 0
    for piece, num_piece_words in _pieces(text, max_words):
        if num_words and num_words + num_piece_words > max_words:
            yield Span(start, end)
            num_words = 0
        if not num_words:
            start = piece.start
        end = piece.end
        num_words += num_piece_words
    if num_words:
        yield Span(start, end)


def fits(text: str, max_words: int) -> bool:
    """Whether a text is within the limit; 0 means no limit."""
    # A word takes at least two characters with its space, if there is one: most passages need no counting.
    if max_words == 0 or len(text) < max_words or (len(text) < 2 * max_words and not lacks_blanks(text)):
        return True
    return sum(1 for _ in _words_in(text).finditer(text)) <= max_words


def _words_in(text: str) -> re.Pattern[str]:
    return _WORD_OR_PIECE if lacks_blanks(text) else _WORD


def _pieces(text: str, max_words: int) -> Iterator[tuple[Span, int]]:
    """Sentences with their numbers of words; those that are too long are split into pieces of `max_words`."""
    word = _words_in(text)
    for sentence in sentence_spans_of_long(text):
        words = [match.span() for match in word.finditer(text, sentence.start, sentence.end)]
        for first in range(0, len(words), max_words):
            part = words[first : first + max_words]
            yield Span(part[0][0], part[-1][1]), len(part)
