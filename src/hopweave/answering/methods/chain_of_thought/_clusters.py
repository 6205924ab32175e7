"""Clusters of similar questions: vectors of their words or from a sentence encoder, and k-means over these."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from functools import lru_cache

from hopweave.core.sentence_encoder import embeddings
from hopweave.text.tfidf import Vector, word_vectors

_NUM_STARTS = 10
_MAX_ROUNDS = 300


@lru_cache(maxsize=16)
def clusters(texts: tuple[str, ...], num: int, seed: int, model: str = "") -> tuple[tuple[int, ...], ...]:
    """Positions of the texts by cluster, those closest to the centroid of their cluster first.

    Args:
        texts: the texts; each gets one vector.
        num: number of clusters; at most one per text. A cluster can be empty.
        seed: equal seeds give equal clusters.
        model: the sentence-transformers model for the vectors; if empty, TF-IDF weights of the words are used.

    Raises:
        MissingExtra: if there is a model and its library is not installed.
    """
    vectors = _encoded(texts, model) if model else word_vectors(texts)
    num = min(num, len(vectors))
    if not num:
        return ()
    rng = random.Random(seed)  # noqa: S311 - for reproducibility, not secrecy
    runs = [_k_means(vectors, _spread(vectors, num, rng)) for _ in range(_NUM_STARTS)]
    nearest, distances = min(runs, key=lambda run: math.fsum(run[1]))
    members = [[index for index, cluster in enumerate(nearest) if cluster == number] for number in range(num)]
    return tuple(tuple(sorted(one, key=lambda index: (distances[index], index))) for one in members)


def _encoded(texts: Sequence[str], model: str) -> list[Vector]:
    return [{str(index): float(value) for index, value in enumerate(vector)} for vector in embeddings(texts, model)]


def _spread(vectors: Sequence[Vector], num: int, rng: random.Random) -> list[dict[str, float]]:
    """Initial centroids: each is drawn in proportion to the squared distance from the previous ones (k-means++)."""
    centroids = [dict(vectors[rng.randrange(len(vectors))])]
    while len(centroids) < num:
        distances = [_nearest(vector, centroids)[1] for vector in vectors]
        are_all_taken = not any(distances)
        [drawn] = rng.choices(vectors, None if are_all_taken else distances)
        centroids.append(dict(drawn))
    return centroids


def _k_means(vectors: Sequence[Vector], centroids: list[dict[str, float]]) -> tuple[list[int], list[float]]:
    """The cluster of each vector and its squared distance from the centroid. A centroid without vectors stays in place."""
    found = _assigned(vectors, centroids)
    for _ in range(_MAX_ROUNDS):
        before = found[0]
        centroids = [
            _mean([vector for vector, cluster in zip(vectors, before, strict=True) if cluster == number]) or centroid
            for number, centroid in enumerate(centroids)
        ]
        found = _assigned(vectors, centroids)
        if found[0] == before:
            break
    return found


def _assigned(vectors: Sequence[Vector], centroids: Sequence[Vector]) -> tuple[list[int], list[float]]:
    squares = [_square(centroid) for centroid in centroids]
    pairs = [_nearest(vector, centroids, squares) for vector in vectors]
    return [cluster for cluster, _ in pairs], [distance for _, distance in pairs]


def _nearest(vector: Vector, centroids: Sequence[Vector], squares: Sequence[float] = ()) -> tuple[int, float]:
    own = _square(vector)
    distances = [
        # Rounded, so that equal distances by the formula are numerically equal, and the first one wins.
        round(max(0.0, own + square - 2 * sum(value * centroid.get(index, 0.0) for index, value in vector.items())), 12)
        for centroid, square in zip(centroids, squares or map(_square, centroids), strict=True)
    ]
    best = min(range(len(distances)), key=distances.__getitem__)
    return best, distances[best]


def _square(vector: Vector) -> float:
    return sum(value * value for value in vector.values())


def _mean(vectors: Sequence[Vector]) -> dict[str, float]:
    total: dict[str, float] = {}
    for vector in vectors:
        for index, value in vector.items():
            total[index] = total.get(index, 0.0) + value / len(vectors)
    return total
