"""Exact match and F1 of short answers, by the rules of SQuAD, HotpotQA and DROP."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.text.matching import normalize_answer

_CLOSED = frozenset({"yes", "no", "noanswer"})
_ARTICLES = lazy_pattern(r"\b(a|an|the)\b")
_PUNCTUATION = frozenset(string.punctuation)
_MAX_SPANS = 12


@dataclass(frozen=True, slots=True)
class Overlap:
    """The overlap of two answers: precision of the first, recall of the second, and their harmonic mean; each from 0 to 1."""

    precision: float
    recall: float
    f1: float


_NOTHING = Overlap(0.0, 0.0, 0.0)
_ALL = Overlap(1.0, 1.0, 1.0)


def squad_golds(golds: Sequence[str]) -> Sequence[str]:
    """The golds that count: those that are not empty once normalised; if all are, the empty answer."""
    return [gold for gold in golds if normalize_answer(gold)] or [""]


def squad_overlap(said: str, gold: str) -> Overlap:
    """Overlap of the bags of normalised words; two answers that normalise to nothing agree (SQuAD 2).

    >>> round(squad_overlap("U.S. National Book Award", "National Book Award").f1, 4)
    0.8571
    """
    left, right = normalize_answer(said).split(), normalize_answer(gold).split()
    if not left or not right:
        return _ALL if left == right else _NOTHING
    shared = (Counter(left) & Counter(right)).total()
    return _overlap(shared, len(left), len(right))


def hotpotqa_overlap(said: str, gold: str) -> Overlap:
    """As SQuAD's, but a yes, no or noanswer only overlaps with itself, and an empty answer with nothing.

    >>> hotpotqa_overlap("yes it is", "yes").f1, squad_overlap("yes it is", "yes").f1
    (0.0, 0.5)
    """
    left, right = normalize_answer(said), normalize_answer(gold)
    if left != right and not _CLOSED.isdisjoint((left, right)):
        return _NOTHING
    return squad_overlap(said, gold) if left else _NOTHING


def _overlap(shared: int, num_said: int, num_gold: int) -> Overlap:
    if not shared:
        return _NOTHING
    precision, recall = shared / num_said, shared / num_gold
    return Overlap(precision, recall, 2 * precision * recall / (precision + recall))


def drop_normalized(text: str) -> str:
    """DROP's normaliser: word by word, split at spaces and hyphens; a number becomes its float, and keeps its point.

    >>> drop_normalized("The 1,450 well-known miles of 2.50")
    '1450.0 well known miles of 2.5'
    """
    return " ".join(" ".join(filter(None, map(_drop_word, re.split(r"[ -]", text)))).split())


def _drop_word(word: str) -> str:
    word = word.lower()
    if not _is_number(word):
        word = "".join(character for character in word if character not in _PUNCTUATION)
    if _is_number(word):
        word = str(float(word))
    return " ".join(_ARTICLES.sub(" ", word).split())


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def drop_exact(said: Sequence[str], gold: Sequence[str]) -> bool:
    """Whether two lists of spans are equal once normalised, in any order."""
    left, right = [drop_normalized(span) for span in said], [drop_normalized(span) for span in gold]
    return set(left) == set(right) and len(left) == len(right)


def drop_f1(said: Sequence[str], gold: Sequence[str]) -> float:
    """F1 of two lists of spans: over sets of words, with the best one-to-one pairing of spans, to two decimals.

    A pair scores 0 if the gold span has numbers and shares none of them. Unpaired spans score 0.

    >>> drop_f1(["3 goals", "Ulm"], ["Ulm", "4 goals"])
    0.5
    """
    left = [frozenset(drop_normalized(span).split()) for span in said]
    right = [frozenset(drop_normalized(span).split()) for span in gold]
    size = max(len(left), len(right))
    table = tuple(tuple(_worth(one, other) for other in right) for one in left)
    return round(_best_pairing(table) / size, 2) if size else 1.0


def _worth(said: frozenset[str], gold: frozenset[str]) -> float:
    numbers = {word for word in gold if _is_number(word)}
    if numbers and not numbers & said:
        return 0.0
    shared = len(said & gold)
    precision = shared / len(said) if said else 1.0
    recall = shared / len(gold) if gold else 1.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _best_pairing(table: Sequence[Sequence[float]]) -> float:
    """The maximum sum of entries with no two in the same row or column; exact while one side has at most 12."""
    if not table or not table[0]:
        return 0.0
    rows = table if len(table[0]) <= len(table) else list(zip(*table, strict=True))
    if len(rows[0]) > _MAX_SPANS:
        return _greedy(rows)

    @lru_cache(None)
    def best(row: int, free: int) -> float:
        if row == len(rows):
            return 0.0
        choices = [best(row + 1, free)]
        choices += [
            worth + best(row + 1, free & ~(1 << column))
            for column, worth in enumerate(rows[row])
            if worth and free >> column & 1
        ]
        return max(choices)

    return best(0, (1 << len(rows[0])) - 1)


def _greedy(rows: Sequence[Sequence[float]]) -> float:
    places = sorted((-worth, row, column) for row, line in enumerate(rows) for column, worth in enumerate(line))
    total, taken_rows, taken_columns = 0.0, set(), set()
    for worth, row, column in places:
        if row not in taken_rows and column not in taken_columns:
            total -= worth
            taken_rows.add(row)
            taken_columns.add(column)
    return total
