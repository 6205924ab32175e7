"""ROUGE-L as KILT's evaluator computes it, by the summary-level formula of the Python package `rouge`."""

from __future__ import annotations

from collections.abc import Sequence

_EPSILON = 1e-8


def rouge_l_kilt(said: str, gold: str) -> float:
    """F over the union of longest common subsequences of the pieces between full stops, as sets of words; case-sensitive.

    L is the number of distinct words in the union, over all pairs of pieces, of one longest common subsequence each; with m
    distinct words in the gold and n in the answer, R = L / m, P = L / n, F = 2 P R / (P + R + 1e-8). A text without words
    scores 0 (the package raises an error).

    >>> round(rouge_l_kilt("the cat sat on the mat", "the cat lay on the mat"), 4)
    0.8
    """
    left, right = _pieces(said), _pieces(gold)
    if not any(filter(None, left)) or not any(filter(None, right)):
        return 0.0
    words_said = {word for piece in left for word in _words(piece)}
    words_gold = {word for piece in right for word in _words(piece)}
    union: set[str] = set()
    for reference in right:
        for piece in left:
            union |= _common(_words(reference), _words(piece))
    precision, recall = len(union) / len(words_said), len(union) / len(words_gold)
    return 2 * precision * recall / (precision + recall + _EPSILON)


def _pieces(text: str) -> list[str]:
    return [" ".join(piece.split()) for piece in text.split(".") if piece]


def _words(piece: str) -> list[str]:
    # Not `split()`: a blank piece has one word, the empty one, which the package counts.
    return piece.split(" ")


def _common(left: Sequence[str], right: Sequence[str]) -> set[str]:
    """The words of the longest common subsequence found by backtracking from the ends, preferably along the second text."""
    lengths = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for row, word in enumerate(left, start=1):
        for column, other in enumerate(right, start=1):
            lengths[row][column] = (
                lengths[row - 1][column - 1] + 1 if word == other else max(lengths[row - 1][column], lengths[row][column - 1])
            )
    found: set[str] = set()
    row, column = len(left), len(right)
    while row and column:
        if left[row - 1] == right[column - 1]:
            found.add(left[row - 1])
            row, column = row - 1, column - 1
        elif lengths[row - 1][column] > lengths[row][column - 1]:
            row -= 1
        else:
            column -= 1
    return found
