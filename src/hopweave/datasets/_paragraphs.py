"""Rows with titled paragraphs as lists of sentences, as in HotpotQA and 2WikiMultiHopQA."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator

from hopweave.datasets._source import distinct, passage_of
from hopweave.types import Passage


def _rows_of_columns(value: Any) -> Any:
    """A table as rows: on the hub it is stored as an object of columns."""
    return list(zip(*value.values(), strict=True)) if isinstance(value, Mapping) else value


Paragraphs = Annotated[tuple[tuple[str, tuple[str, ...]], ...], BeforeValidator(_rows_of_columns)]
"""Titles with their sentences."""

SupportingFacts = Annotated[tuple[tuple[str, int], ...], BeforeValidator(_rows_of_columns)]
"""Titles with the number of a sentence, from 0."""

Evidences = Annotated[tuple[tuple[str, str, str], ...], BeforeValidator(_rows_of_columns)]
"""Triples of subject, relation and object."""


def passages_of(paragraphs: Sequence[tuple[str, Sequence[str]]]) -> list[Passage]:
    """The paragraphs as passages, with sentences joined by a space (a sentence may already start with one)."""
    return [passage_of(title, " ".join(sentences)) for title, sentences in paragraphs]


def gold_ids(passages: Sequence[Passage], facts: Sequence[tuple[str, int]]) -> tuple[str, ...]:
    """Ids of the paragraphs that the facts name; none unless all of them are present, since partial evidence misleads."""
    titles = {title for title, _ in facts}
    if not titles <= {passage.title for passage in passages}:
        return ()
    return distinct(passage.id for passage in passages if passage.title in titles)
