"""Links the names in a query to the entities of an index: to those of the same key, or else to the most similar one."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection

from hopweave.retrieval.index.entities import names_in
from hopweave.retrieval.index.entity_graph import EntityGraph

MAX_COMPARED = 1000
"""How many entities a name is compared with: those with its rarest word."""

Weight = Callable[[str], float]
"""How much a word of a key weighs: its idf."""


def linked(query: str, graph: EntityGraph, weight: Weight, least: float) -> dict[int, float]:
    """The entities that a query names, with the similarity of the names, from 0 to 1.

    Args:
        query: any text.
        graph: the entities.
        weight: of a word.
        least: a similarity, from 0 to 1; names that are less similar to every entity, or not at all, are not linked.
    """
    names = names_in(query, graph)
    found = {entity: 1.0 for key in names.known if (entity := graph.entity(key)) is not None}
    for key in names.others:
        score, entity = _most_similar(key, graph, weight)
        if score > 0 and score >= least:
            found[entity] = max(score, found.get(entity, 0.0))
    return found


def _most_similar(key: str, graph: EntityGraph, weight: Weight) -> tuple[float, int]:
    """The entity whose key is most similar, after its similarity; of several, the one that most sentences mention.

    Only entities with the rarest word of the key are compared; if there are none, those with the next one.
    """
    words = set(key.split())
    for word in sorted(words, key=lambda word: (-weight(word), word)):
        compared = [
            (similarity(words, set(other.split()), weight), num, other, entity)
            for entity, other in graph.keys.with_word(word, MAX_COMPARED)
            if (num := len(graph.sentences_with(entity)))
        ]
        if compared:
            best, _, _, entity = max(compared)
            return best, entity
    return 0.0, 0


def similarity(one: Collection[str], other: Collection[str], weight: Weight) -> float:
    """The cosine of two sets of words, each of which has its weight."""
    lengths = [math.fsum(weight(word) ** 2 for word in words) for words in (one, other)]
    shared = math.fsum(weight(word) ** 2 for word in set(one) & set(other))
    return shared / math.sqrt(lengths[0] * lengths[1]) if shared else 0.0
