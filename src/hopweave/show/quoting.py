"""Splits an answer at its marks and a passage at a quote, independently of how they are displayed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from hopweave.core.types import Answer, Citation, Passage
from hopweave.record import Record
from hopweave.show.plain import ELLIPSIS
from hopweave.text.citation_marks import single_marks

PieceRole = Literal["passage", "quote", "focus"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a passage: outside the quote, in it, or in the words within it that answer the query."""

    text: str
    role: PieceRole


@dataclass(frozen=True, slots=True)
class Source:
    """A citation with its passage.

    Attributes:
        citation: the citation.
        passage: the passage that it quotes, or `None` if the record does not contain it.
        anchor: a name that is unique among the sources of the answer.
    """

    citation: Citation
    passage: Passage | None
    anchor: str

    @property
    def title(self) -> str:
        """The passage's title and sections, or else its id."""
        return (self.passage.heading if self.passage else "") or self.citation.passage_id


def sources_of(record: Record, prefix: str = "cite") -> tuple[Source, ...]:
    """Each distinct citation of the answer once, in the order of the marks; their anchors start with the prefix."""
    if record.answer is None:
        return ()
    passages = {passage.id: passage for passage in record.passages}
    distinct = sorted(dict.fromkeys(record.answer.citations), key=lambda citation: citation.mark)
    sources = []
    for number, citation in enumerate(distinct):
        is_again = number > 0 and distinct[number - 1].mark == citation.mark
        anchor = f"{prefix}-{citation.mark}" + (f"-{number}" if is_again else "")
        sources.append(Source(citation, passages.get(citation.passage_id), anchor))
    return tuple(sources)


def contradictions_of(record: Record) -> tuple[tuple[int, Source], ...]:
    """For each contradicted claim its number, from 1, and the contradicting passage; their anchors start with `against`."""
    passages = {passage.id: passage for passage in record.passages}
    claims = record.answer.claims if record.answer is not None else ()
    return tuple(
        (number, Source(claim.contradicted_by, passages.get(claim.contradicted_by.passage_id), f"against-{number}"))
        for number, claim in enumerate(claims, start=1)
        if claim.contradicted_by is not None
    )


def split_at_marks(text: str, answer: Answer) -> Iterator[tuple[str, int | None]]:
    """Yields pieces of a text, each with its mark, or `None` if it is plain text. A mark without a citation is plain text."""
    done = 0
    for mark in single_marks(text, {citation.mark for citation in answer.citations}):
        if mark.start > done:
            yield text[done : mark.start], None
        yield text[mark.start : mark.end], mark.number
        done = mark.end
    if done < len(text):
        yield text[done:], None


def pieces_of(source: Source, max_around: int | None = None) -> Iterator[Piece]:
    """Yields the passage piece by piece.

    Args:
        source: the citation and its passage.
        max_around: the maximum number of characters of the passage before and after the quote; `None` shows all of it.
    """
    citation, passage = source.citation, source.passage
    if passage is None:
        yield Piece(citation.quote, "quote")
        return
    begin = _clamp(citation.start, 0, len(passage.text))
    end = _clamp(citation.end, begin, len(passage.text))
    focus = citation.focus
    focus_begin = _clamp(focus.start, begin, end) if focus else end
    focus_end = _clamp(focus.end, focus_begin, end) if focus else end
    text = passage.text
    yield from _filled(_tail(text[:begin], max_around), "passage")
    yield from _filled(text[begin:focus_begin], "quote")
    yield from _filled(text[focus_begin:focus_end], "focus")
    yield from _filled(text[focus_end:end], "quote")
    yield from _filled(_head(text[end:], max_around), "passage")


def _filled(text: str, role: PieceRole) -> Iterator[Piece]:
    if text:
        yield Piece(text, role)


def _clamp(value: int, low: int, high: int) -> int:
    return max(low, min(value, high))


def _head(text: str, max_characters: int | None) -> str:
    if max_characters is None or len(text) <= max_characters:
        return text
    kept = text[:max_characters]
    return kept[: kept.rfind(" ") + 1 or None] + ELLIPSIS


def _tail(text: str, max_characters: int | None) -> str:
    if max_characters is None or len(text) <= max_characters:
        return text
    kept = text[-max_characters:]
    return ELLIPSIS + kept[max(kept.find(" "), 0) :]
