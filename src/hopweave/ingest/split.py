"""Splits long texts into passages: at sections where these are long enough, and between sentences."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Span
from hopweave.ingest.captions import Captions
from hopweave.ingest.document import Heading, Part
from hopweave.text.scripts import NO_BLANKS, WORD_SIZED, lacks_blanks
from hopweave.text.sentences import sentence_spans_of_long

# A run of 100 characters without a space counts as a word, so that text without spaces is split too.
_WORD = lazy_pattern(r"\S{1,100}")
_SHORTEST_SHARE = 4
"""A passage that ends with its section has at least the maximum number of words divided by this."""
_WORD_OR_PIECE = lazy_pattern(rf"{WORD_SIZED}|[^\s{NO_BLANKS}]{{1,100}}")


class Cut(NamedTuple):
    """A passage within a part of a document: where it is, and the headings that all of its text stands under.

    If it begins within a table, what stands above that is one of them.
    """

    span: Span
    sections: tuple[str, ...] = ()


def cut_part(part: Part, max_words: int) -> Iterator[Cut]:
    """The passages of a part, in order, each with as many whole sentences as fit into `max_words`.

    A passage ends where a section ends, unless it would be shorter than a quarter of `max_words`; then it goes on into the
    next, but not beyond a section whose heading is before the passage, as all its text is to be read with that. A sentence that
    is too long is split at word boundaries. Only white space is dropped between passages.

    Args:
        part: with its text and headings.
        max_words: words are separated by white space, or counted by `scripts.num_words` in text without it; 0 for no limit.
    """
    sections = _sections(part)
    if fits(part.text, max_words):
        if part.text.strip():
            yield Cut(Span(0, len(part.text)), _shared(sections))
        return
    captions = Captions({heading.start for heading in part.headings})
    for first, last, span in _spans(part.text, max_words, sections):
        above = captions.above(part.text, span.start, span.end)
        yield Cut(span, (*_shared(sections[first : last + 1]), *above))


class _Section(NamedTuple):
    """A section of a part.

    Attributes:
        start: where it starts.
        headings: that it stands under, its own included.
        has_text: whether it has text of its own.
        end: the number of the first section that does not stand under its heading; 0 for none.
        end_of_outer: the number of the first section that does not stand under the heading above its own; 0 for none.
    """

    start: int
    headings: tuple[str, ...]
    has_text: bool
    end: int = 0
    end_of_outer: int = 0


def _sections(part: Part) -> list[_Section]:
    """The sections of a part, in order; the first one starts at 0."""
    above: list[Heading] = []
    ends = [*(heading.start for heading in part.headings), len(part.text)]
    found = [_Section(0, part.within, bool(part.text[: ends[0]].strip()))]
    closing = _ends([heading.level for heading in part.headings])
    for heading, end, (own, outer) in zip(part.headings, ends[1:], closing, strict=True):
        above = [*(one for one in above if one.level < heading.level), heading]
        has_text = " ".join(part.text[heading.start : end].split()) not in {"", heading.text}
        found.append(_Section(heading.start, (*part.within, *(one.text for one in above)), has_text, own, outer))
    return found


def _ends(levels: Sequence[int]) -> list[tuple[int, int]]:
    """Of the sections with headings of some levels, the numbers of the sections where they and the next outer ones end.

    Sections are numbered from 1, and 0 stands for the end of all.

    >>> _ends([1, 2, 2, 1])
    [(4, 0), (3, 4), (4, 4), (0, 0)]
    """
    ends, outer = [0] * (len(levels) + 1), [0] * (len(levels) + 1)
    opened: list[int] = []
    for number, level in enumerate(levels, start=1):
        while opened and levels[opened[-1] - 1] >= level:
            ends[opened.pop()] = number
        outer[number] = opened[-1] if opened else 0
        opened.append(number)
    return [(ends[number], ends[outer[number]]) for number in range(1, len(levels) + 1)]


def _shared(sections: Sequence[_Section]) -> tuple[str, ...]:
    """The headings that all of some sections stand under; a heading without text of its own is above what follows."""
    with_text = [section.headings for section in sections if section.has_text]
    levels = zip(*(with_text or [sections[-1].headings]), strict=False)
    return tuple(level[0] for level in takewhile(lambda level: len(set(level)) == 1, levels))


def _spans(text: str, max_words: int, sections: Sequence[_Section]) -> Iterator[tuple[int, int, Span]]:
    """The spans of passages, each with the numbers of the first and the last section that it has text of."""
    starts = [section.start for section in sections]
    start, end, num_words, last = 0, 0, 0, 0
    first = section = 0
    for piece, num_piece_words in _pieces(text, max_words, starts):
        now = section
        while now + 1 < len(starts) and starts[now + 1] <= piece.start:
            now += 1
        is_long_enough = now > section and num_words * _SHORTEST_SHARE >= max_words
        if num_words and (is_long_enough or 0 < last <= now or num_words + num_piece_words > max_words):
            yield first, section, Span(start, end)
            num_words = 0
        section = now
        if not num_words:
            start, first = piece.start, section
            own = sections[section]
            last = own.end_of_outer if piece.start <= own.start else own.end
        end = piece.end
        num_words += num_piece_words
    if num_words:
        yield first, section, Span(start, end)


def fits(text: str, max_words: int) -> bool:
    """Whether a text is within the limit; 0 means no limit."""
    # A word takes at least two characters with its space, if there is one: most passages need no counting.
    if max_words == 0 or len(text) < max_words or (len(text) < 2 * max_words and not lacks_blanks(text)):
        return True
    return sum(1 for _ in _words_in(text).finditer(text)) <= max_words


def _words_in(text: str) -> re.Pattern[str]:
    return _WORD_OR_PIECE if lacks_blanks(text) else _WORD


def _pieces(text: str, max_words: int, starts: Sequence[int]) -> Iterator[tuple[Span, int]]:
    """Sentences with their numbers of words; those that are too long, or go on after a heading, are split."""
    word = _words_in(text)
    for sentence in sentence_spans_of_long(text):
        for begin, end in pairwise([sentence.start, *_within(starts, sentence), sentence.end]):
            words = [match.span() for match in word.finditer(text, begin, end)]
            for first in range(0, len(words), max_words):
                part = words[first : first + max_words]
                yield Span(part[0][0], part[-1][1]), len(part)


def _within(starts: Sequence[int], span: Span) -> Sequence[int]:
    """The starts that are inside a span."""
    return starts[bisect_right(starts, span.start) : bisect_left(starts, span.end)]
