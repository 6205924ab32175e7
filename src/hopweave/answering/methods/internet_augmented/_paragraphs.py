"""Passages split into paragraphs of a few sentences, and their similarity to a question (TF-IDF)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hopweave.core.types import Hit
from hopweave.text.sentences import sentence_spans
from hopweave.text.tfidf import cosines_with

_LEAST = 1e-6  # the cosine used for a paragraph that shares no word with the question, so that its logarithm is finite


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Some consecutive sentences of a passage.

    Attributes:
        hit: the passage.
        text: the sentences, exactly as in the passage.
        p_ret: p(paragraph | question): its cosine divided by the sum for all paragraphs that were kept.
    """

    hit: Hit
    text: str
    p_ret: float


def best_paragraphs(question: str, hits: Sequence[Hit], *, num_sentences: int, num_paragraphs: int) -> list[Paragraph]:
    """The paragraphs most similar to the question, best first; among equals, the one found first.

    Args:
        question: the question.
        hits: passages, best first; each is split from its beginning, so its last paragraph may be shorter.
        num_sentences: the number of sentences of a paragraph.
        num_paragraphs: the maximum number of paragraphs.
    """
    pieces = [(hit, text) for hit in hits for text in paragraphs_of(hit.passage.text, num_sentences)]
    cosines = [max(cosine, _LEAST) for cosine in cosines_with(question, [text for _, text in pieces])]
    kept = sorted(range(len(pieces)), key=lambda index: -cosines[index])[:num_paragraphs]
    total = sum(cosines[index] for index in kept)
    return [Paragraph(pieces[index][0], pieces[index][1], cosines[index] / total) for index in kept]


def paragraphs_of(text: str, num_sentences: int) -> list[str]:
    """A text split into runs of `num_sentences` sentences.

    >>> paragraphs_of("It is old. It has a wall. It has a port.", 2)
    ['It is old. It has a wall.', 'It has a port.']
    """
    spans = sentence_spans(text)
    groups = [spans[start : start + num_sentences] for start in range(0, len(spans), num_sentences)]
    return [text[group[0].start : group[-1].end] for group in groups]
