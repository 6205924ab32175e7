"""Passages cut into paragraphs of a few sentences, and how near each is to a question (TF-IDF)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hopweave.parse.sentences import sentence_spans
from hopweave.types import Hit

_WORD = re.compile(r"\w+")
_LEAST = 1e-6  # cosine of a paragraph that shares no word with the question, so that its logarithm is finite


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Some sentences of a passage in a row.

    Attributes:
        hit: the passage.
        text: of the sentences, as it stands in the passage.
        p_ret: p(paragraph | question): its cosine over that of all paragraphs that were kept.
    """

    hit: Hit
    text: str
    p_ret: float


def best_paragraphs(question: str, hits: Sequence[Hit], *, num_sentences: int, num_paragraphs: int) -> list[Paragraph]:
    """The paragraphs that are nearest to the question, best first; of equals the one found first.

    Args:
        question: what is asked.
        hits: passages, best first; each is cut from its beginning, so that its last paragraph may be shorter.
        num_sentences: of a paragraph.
        num_paragraphs: kept at most.
    """
    pieces = [(hit, text) for hit in hits for text in paragraphs_of(hit.passage.text, num_sentences)]
    cosines = [max(cosine, _LEAST) for cosine in cosines_with(question, [text for _, text in pieces])]
    kept = sorted(range(len(pieces)), key=lambda index: -cosines[index])[:num_paragraphs]
    total = sum(cosines[index] for index in kept)
    return [Paragraph(pieces[index][0], pieces[index][1], cosines[index] / total) for index in kept]


def paragraphs_of(text: str, num_sentences: int) -> list[str]:
    """A text cut into runs of so many sentences.

    >>> paragraphs_of("It is old. It has a wall. It has a port.", 2)
    ['It is old. It has a wall.', 'It has a port.']
    """
    spans = sentence_spans(text)
    groups = [spans[start : start + num_sentences] for start in range(0, len(spans), num_sentences)]
    return [text[group[0].start : group[-1].end] for group in groups]


def cosines_with(question: str, texts: Sequence[str]) -> list[float]:
    """The cosine of each text with a question, 0 to 1.

    A word weighs its count times ln((1 + n) / (1 + df)) + 1, where df of the n texts have it. Words are runs of letters and
    digits in lower case; those of the question that no text has are left out.

    >>> [round(value, 3) for value in cosines_with("a port", ["a port", "port port", "wall"])]
    [1.0, 0.605, 0.0]
    """
    tallies = [_tally(text) for text in texts]
    num_with = Counter(word for tally in tallies for word in tally)
    idf = {word: math.log((1 + len(texts)) / (1 + number)) + 1 for word, number in num_with.items()}
    query = _weighed({word: count for word, count in _tally(question).items() if word in idf}, idf)
    return [sum(query.get(word, 0.0) * weight for word, weight in _weighed(tally, idf).items()) for tally in tallies]


def _weighed(tally: Mapping[str, int], idf: Mapping[str, float]) -> dict[str, float]:
    """The weights of the words of a text, as a vector of length 1."""
    weights = {word: count * idf[word] for word, count in tally.items()}
    length = math.hypot(*weights.values())
    return {word: weight / length for word, weight in weights.items()}


def _tally(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.lower()))
