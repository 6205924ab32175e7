"""Parses a text whose sentences name, in marks such as `[2]`, the passages that they rest on."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.citation_marks import marks_in, without_marks
from hopweave.text.list_marks import BEFORE_WORDS
from hopweave.text.no_statements import states_nothing
from hopweave.text.sentences import sentence_spans
from hopweave.text.written_lists import table_lines

_LINE_END = lazy_pattern("\n")


@dataclass(frozen=True, slots=True)
class MarkedSentence:
    """A sentence without its marks, and their numbers, each once, in order."""

    text: str
    numbers: tuple[int, ...] = ()


def marked_sentences(text: str) -> list[MarkedSentence]:
    r"""The sentences of a text, in order. Any text is accepted.

    A line is at least one sentence; the bullet or number of a list before it is left out, and so is emphasis. A mark at the
    beginning of a line belongs to the sentence after it, any other mark to the sentence before it. A row of a table is one,
    with the names of its columns; its header is none, nor is a sentence that states nothing ("Facts:").

    >>> marked_sentences("Facts:\n- It was built in 1902 [2].\n- Mara Lind designed it. [1, 3] She sang.")[1]
    MarkedSentence(text='Mara Lind designed it.', numbers=(1, 3))
    """
    text = text.replace("**", "")
    plain, places = without_marks(text)
    rows = {line.span.start: line.said for line in table_lines(plain)}
    spans = _spans(plain, rows)
    lines = [0, *(match.end() for match in _LINE_END.finditer(text))]
    numbers: list[list[int]] = [[] for _ in spans]
    known: dict[int, int] = {}
    for number, place in marks_in(text) if spans else ():
        if place not in known:
            begins_line = BEFORE_WORDS.fullmatch(text, lines[bisect_right(lines, place) - 1], place) is not None
            known[place] = _sentence_at(bisect_left(places, place), spans, plain, begins_line=begins_line)
        numbers[known[place]].append(number)
    found = [
        MarkedSentence(rows.get(start) or plain[start:end], tuple(dict.fromkeys(marks)))
        for (start, end), marks in zip(spans, numbers, strict=True)
    ]
    return [one for one in found if one.numbers or not states_nothing(one.text)]


def _spans(plain: str, rows: Mapping[int, str]) -> list[tuple[int, int]]:
    """The places of sentences.

    Args:
        plain: a text without marks.
        rows: what the lines of its tables say, by where they begin.
    """
    spans: list[tuple[int, int]] = []
    line_start = 0
    for line in plain.splitlines(keepends=True):
        start = line_start + len(line) - len(line.lstrip())
        if start in rows and line.strip():
            spans += [(start, line_start + len(line.rstrip()))] if any(map(str.isalnum, rows[start])) else []
            line_start += len(line)
            continue
        begin = BEFORE_WORDS.match(line).end()  # type: ignore[union-attr]  # it also matches an empty text
        inside = ((line_start + begin + one.start, line_start + begin + one.end) for one in sentence_spans(line[begin:]))
        spans += [one for one in inside if any(map(str.isalnum, plain[slice(*one)]))]
        line_start += len(line)
    return spans


def _sentence_at(place: int, spans: list[tuple[int, int]], plain: str, *, begins_line: bool) -> int:
    """The number of the sentence that a mark at a place of the text without marks belongs to."""
    after = bisect_left(spans, (place,))
    if begins_line and after < len(spans) and "\n" not in plain[place : spans[after][0]]:
        return after
    return max(0, after - 1)
