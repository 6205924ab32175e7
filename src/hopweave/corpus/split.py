"""Cuts long texts into passages at sentence boundaries."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hopweave.text.sentences import sentence_spans
from hopweave.types import Span

# A run of 100 characters without a space counts as a word of its own, so that text without spaces is cut too.
_WORD = re.compile(r"\S{1,100}")


def split_spans(text: str, max_words: int) -> Iterator[Span]:
    """Spans of the passages of a text, in order: as many whole sentences each as fit into `max_words`.

    A sentence that is longer by itself is cut at word boundaries. Only white space is left out between passages.

    Args:
        text: the text of a document.
        max_words: above 0; words are what white space separates.
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
    """Whether a text is within the limit; 0 is no limit."""
    # A word takes two characters with the space behind it: most passages need no counting.
    return max_words == 0 or len(text) < 2 * max_words or sum(1 for _ in _WORD.finditer(text)) <= max_words


def _pieces(text: str, max_words: int) -> Iterator[tuple[Span, int]]:
    """Sentences with their numbers of words, those that are too long in parts of `max_words`."""
    for sentence in sentence_spans(text):
        words = [match.span() for match in _WORD.finditer(text, sentence.start, sentence.end)]
        for first in range(0, len(words), max_words):
            part = words[first : first + max_words]
            yield Span(part[0][0], part[-1][1]), len(part)
