"""Citations and passages as plain values, the same for every framework and protocol."""

from __future__ import annotations

from typing import Any

from hopweave.core.types import Citation, Passage, Verdict


def citation_values(citation: Citation, passage: Passage) -> dict[str, Any]:
    """A citation with its position, its words, and the title and source of its passage."""
    return {
        "mark": citation.mark,
        "passage_id": citation.passage_id,
        "start": citation.start,
        "end": citation.end,
        "quote": citation.quote,
        "title": passage.title,
        "source": passage.source,
    }


def verdict_values(verdict: Verdict) -> dict[str, Any]:
    """How an answer stands, and its confidence, 0 to 1, or `None` if that was not estimated."""
    return {"support": verdict.support, "standing": verdict.standing, "confidence": verdict.confidence}


def passage_metadata(passage: Passage, **more: Any) -> dict[str, Any]:
    """The metadata of a passage, with its id, title, sections, source and offsets, and more values."""
    own = {"passage_id": passage.id, "title": passage.title, "source": passage.source}
    offsets = {} if passage.start is None else {"start": passage.start, "end": passage.end}
    sections = {"sections": list(passage.sections)} if passage.sections else {}
    return {**passage.metadata, **own, **sections, **offsets, **more}
