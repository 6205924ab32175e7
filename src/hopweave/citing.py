"""Ties claims to exact spans of passages, and the marks of an answer to those ties."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from hopweave.matching import is_contained
from hopweave.parse.sentences import sentence_around, sentence_spans
from hopweave.prompt import unblunt
from hopweave.types import Citation, Passage, Reading, Span

_MARK = re.compile(r"[ \t]*\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]")
_SPLIT = re.compile(r"\s*[,;]\s*")
_EDGES = " \t\n\"'“”‘’.,;:()[]"


def cite(mark: int, passage: Passage, focus: Span) -> Citation:
    """Cites the sentences of a passage around the words that answer the query."""
    quoted = sentence_around(passage.text, focus)
    return Citation(mark, passage.id, quoted.start, quoted.end, passage.text[quoted.start : quoted.end], focus)


def cite_reading(mark: int, passage: Passage, reading: Reading) -> tuple[Citation, ...]:
    """The citation of a reading: one, or none if it found no span."""
    return (cite(mark, passage, reading.span),) if reading.span is not None else ()


def locate(words: str, text: str) -> Span | None:
    """Where words that a model copied stand in a text: exactly, or but for case, white space and surrounding punctuation.

    The span is of the text as it is, so `text[span.start:span.end]` is always a true quote. Whole words only.
    """
    wanted = unblunt(words).strip(_EDGES)
    if not wanted:
        return None
    pattern = r"\s+".join(re.escape(part) for part in wanted.split())
    for flags in (0, re.IGNORECASE):
        match = re.search(rf"(?<!\w){pattern}(?!\w)", text, flags)
        if match:
            return Span(match.start(), match.end())
    return None


def settle_marks(text: str, allowed: Iterable[int]) -> tuple[str, int]:
    """Takes out every mark that resolves to no citation.

    Returns:
        The text with the marks that hold, and how many were taken out.
    """
    known = set(allowed)
    removed = 0

    def keep(match: re.Match[str]) -> str:
        nonlocal removed
        numbers = [int(number) for number in _SPLIT.split(match[1])]
        held = [number for number in numbers if number in known]
        removed += len(numbers) - len(held)
        return "".join(f" [{number}]" for number in held) if held else ""

    return _MARK.sub(keep, text), removed


def add_marks(text: str, answers: Mapping[int, str]) -> tuple[str, int]:
    """Marks the first sentence that states a cited answer, where the model forgot to.

    Args:
        text: an answer, with or without marks.
        answers: the cited answers by mark; those whose mark is in the text already are left alone.

    Returns:
        The text, and how many marks were added.
    """
    present = {int(number) for match in _MARK.finditer(text) for number in _SPLIT.split(match[1])}
    missing = {mark: answer for mark, answer in answers.items() if mark not in present}
    pieces: list[str] = []
    position = added = 0
    for span in sentence_spans(text):
        sentence = text[span.start : span.end]
        here = sorted(mark for mark, answer in missing.items() if is_contained(answer, sentence))
        for mark in here:
            del missing[mark]
        added += len(here)
        pieces += [text[position : span.start], _marked(sentence, here)]
        position = span.end
    return "".join(pieces) + text[position:], added


def _marked(sentence: str, marks: Iterable[int]) -> str:
    body = sentence.rstrip(".!?")
    return body + "".join(f" [{mark}]" for mark in marks) + sentence[len(body) :]
