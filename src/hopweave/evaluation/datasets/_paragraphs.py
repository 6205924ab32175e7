"""Rows with titled paragraphs as lists of sentences, as in HotpotQA and 2WikiMultiHopQA."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator

from hopweave.core.types import GoldSentence, Passage, Span
from hopweave.evaluation.datasets._source import distinct, passage_of


def _rows_of_columns(value: Any) -> Any:
    """A table as rows: on the hub it is stored as an object of columns. Anything else is left as it is, to be refused."""
    is_columns = isinstance(value, Mapping) and all(isinstance(column, list) for column in value.values())
    return list(zip(*value.values(), strict=True)) if is_columns else value


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


def gold_sentences(
    passages: Sequence[Passage], paragraphs: Sequence[tuple[str, Sequence[str]]], facts: Sequence[tuple[str, int]]
) -> tuple[GoldSentence, ...]:
    """The sentences that the facts name, each once, without surrounding white space; none unless all paragraphs are present.

    A fact that names a sentence that its paragraph does not have (HotpotQA has a few) is an empty span at its end: the official
    script counts it as missed by every answer. If two paragraphs have the same title, the first is meant.

    Args:
        passages: the paragraphs as passages (`passages_of`).
        paragraphs: titles with their sentences, in the same order.
        facts: titles with the number of a sentence, from 0.
    """
    places = {title: place for place, (title, _) in reversed(list(enumerate(paragraphs)))}
    if any(title not in places for title, _ in facts):
        return ()
    found = []
    for title, number in dict.fromkeys(facts):
        place = places[title]
        span = _sentence_span(paragraphs[place][1], number)
        found.append(GoldSentence(passages[place].id, span.start, span.end))
    return tuple(found)


def _sentence_span(sentences: Sequence[str], number: int) -> Span:
    """The position of a sentence in the passage that `passages_of` makes of its paragraph."""
    if not 0 <= number < len(sentences):
        end = len(" ".join(sentences))
        return Span(end, end)
    sentence = sentences[number]
    before = sum(len(one) + 1 for one in sentences[:number])
    start = before + len(sentence) - len(sentence.lstrip())
    return Span(start, start + len(sentence.strip()))
