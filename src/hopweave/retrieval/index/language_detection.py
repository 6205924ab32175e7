"""Detects the language of a new index from its first passages, with the `py3langid` library."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Passage
from hopweave.retrieval.index.analysis import CODES

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

SAMPLE_PASSAGES = 500
SAMPLE_CHARACTERS = 500_000

_CHARACTERS_OF_A_PASSAGE = 500
_FEWEST_CHARACTERS = 200
"""Shorter texts are joined first: a language is hard to detect from a few words."""

_ENGLISH_ALONE = frozenset(["and", "are", "that", "the", "their", "then", "there", "these", "they", "this", "to", "with"])
_PLAINLY_ENGLISH = 0.08
"""The share of those words from which the language is certain: HotpotQA has 0.125, other languages at most 0.02."""

_SURE = 0.5
_NAMES = {code: name for name, code in CODES.items() if code} | {
    "nb": "norwegian",
    "nn": "norwegian",
    "ary": "arabic",
    "arz": "arabic",
    "yue": "chinese",
    "wuu": "chinese",
    "sco": "english",
}
_UNKNOWN = "zxx"  # no language at all, such as numbers
_WORD = lazy_pattern(r"[^\W\d_]+")


class Sample:
    """The first passages of a corpus, as many as are needed to detect the language."""

    def __init__(self) -> None:
        self.passages: list[Passage] = []
        self._num_characters = 0

    def add(self, passage: Passage) -> bool:
        """Adds a passage; returns whether there are enough."""
        self.passages.append(passage)
        self._num_characters += len(passage.text)
        return len(self.passages) >= SAMPLE_PASSAGES or self._num_characters >= SAMPLE_CHARACTERS

    @property
    def language(self) -> str:
        """The language of most of the sample; see `detected`."""
        return detected(passage.text for passage in self.passages)


def with_language(passages: Iterable[Passage]) -> tuple[str, Iterator[Passage]]:
    """The language of passages, and the passages, with only a sample held in memory."""
    sample, left = Sample(), iter(passages)
    for passage in left:
        if sample.add(passage):
            break
    return sample.language, chain(sample.passages, left)


def detected(texts: Iterable[str]) -> str:
    """The language that most of the texts are in, of `CODES`.

    `english` if it cannot be detected, and `other` for a language without an analyzer.

    >>> detected(["Der Fluss entspringt in den Alpen und fließt nach Norden, wo er in das Meer mündet."])
    'german'
    """
    beginnings = [text[:_CHARACTERS_OF_A_PASSAGE] for text in texts]
    words = [word.lower() for beginning in beginnings for word in _WORD.findall(beginning)]
    if sum(word in _ENGLISH_ALONE for word in words) >= _PLAINLY_ENGLISH * len(words):
        return "english"  # without the library's model, which takes a second to load
    votes: Counter[str] = Counter()
    for piece in _pieces(beginnings):
        language = _language_of_piece(piece)
        if language is not None:
            votes[language] += len(piece)
    [(language, num_characters)] = votes.most_common(1) or [("english", 0)]
    return language if 2 * num_characters > votes.total() else "english"


def _language_of_piece(piece: str) -> str | None:
    """The language of a text; `None` if that is uncertain. Probabilities of dialects are added up."""
    likely: dict[str, float] = defaultdict(float)
    for code, probability in _identifier().rank(piece):
        likely[_NAMES.get(code, code)] += float(probability)
    name = max(likely, key=likely.__getitem__)
    if likely[name] < _SURE or name == _UNKNOWN:
        return None
    return name if name in CODES else "other"


def _pieces(texts: Iterable[str]) -> Iterator[str]:
    """The texts, with short ones joined."""
    piece = ""
    for text in texts:
        piece = f"{piece}\n{text}" if piece else text
        if len(piece) >= _FEWEST_CHARACTERS:
            yield piece
            piece = ""
    if piece:
        yield piece


@cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
