"""How `linear_rag` gets from the entities of a query to passages: entities activate entities, and PageRank ranks the passages.

LinearRAG (Zhuang et al., 2025, arXiv 2510.10114), with words in place of vectors. First, *semantic bridging*: an entity
activates the others that its sentences mention, if these sentences resemble the query. Second, *global importance*:
personalised PageRank over passages and entities, starting from the active entities and from the passages' own relevance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hopweave.retrieval.index.arrays import Floats, Integers
from hopweave.retrieval.index.entity_graph import EntityGraph, hash_of

CUTOFF = 1e-6
"""A node passes on nothing if it has less than this share of all, so that a query does not visit the whole graph."""

NOWHERE = -1


class Active(NamedTuple):
    """An active entity.

    Attributes:
        score: how strongly, from 0 to 1.
        round: in which round it was activated; those of the query are of round 1.
        sentence: the sentence that activated it; `NOWHERE` for those of the query.
    """

    score: float
    round: int
    sentence: int = NOWHERE


@dataclass(frozen=True, slots=True)
class QueryWords:
    """The words of a query.

    Attributes:
        hashes: of their terms, ascending.
        weights: for each of them, the square of its idf.
    """

    hashes: Integers
    weights: Floats

    @classmethod
    def of(cls, idf: Mapping[str, float]) -> QueryWords:
        """From the idf of each term."""
        squares = {hash_of(term): weight**2 for term, weight in idf.items()}
        hashes = sorted(squares)
        return cls(np.array(hashes, dtype=np.uint32), np.array([squares[one] for one in hashes], dtype=np.float64))

    def similarities(self, graph: EntityGraph, sentences: Integers) -> Floats:
        """How similar sentences are to the query, from 0 to 1.

        The cosine, by idf, of the query and that part of it which the sentence contains: a sentence that answers one half of a
        question is no less similar because it says other things as well.
        """
        total = float(self.weights.sum())
        shared = graph.shared_weights(sentences, self.hashes, self.weights)
        return np.sqrt(shared / total) if total else shared


@dataclass(frozen=True, slots=True)
class Spreading:
    """How far activation spreads.

    Attributes:
        rounds: rounds, of which the entities of the query are the first.
        threshold: an entity with less activation is not activated, and passes none on.
        num_sentences: through how many sentences an entity activates others: those most similar to the query.
    """

    rounds: int
    threshold: float
    num_sentences: int

    def active(self, graph: EntityGraph, seeds: Mapping[int, float], words: QueryWords) -> dict[int, Active]:
        """All active entities.

        A sentence is used once; an entity keeps the activation of the round in which it was first active, and if several
        sentences activate it there, the highest. Of entities with the same score, the first by key goes first: numbers depend
        on what the index held before.

        Args:
            graph: the graph.
            seeds: the entities of the query, with their scores.
            words: the words of the query.
        """
        active = {entity: Active(score, 1) for entity, score in seeds.items()}
        used: set[int] = set()
        front = active
        for number in range(2, self.rounds + 1):
            reached: dict[int, Active] = {}
            for entity, one in sorted(front.items(), key=lambda item: (-item[1].score, graph.keys.key(item[0]))):
                for sentence, similarity in self._sentences(graph, entity, words, used):
                    used.add(sentence)
                    score = one.score * similarity
                    for other in graph.entities_in(sentence).tolist() if score >= self.threshold else ():
                        if other not in active and (other not in reached or score > reached[other].score):
                            reached[other] = Active(score, number, sentence)
            active |= reached
            front = reached
        return active

    def _sentences(self, graph: EntityGraph, entity: int, words: QueryWords, used: set[int]) -> list[tuple[int, float]]:
        """The sentences through which an entity activates others, with their similarity to the query, best first.

        Equally similar ones are ordered by their words: their places depend on the order in which passages were added.
        """
        sentences = graph.sentences_with(entity)
        if used:
            sentences = sentences[~np.isin(sentences, list(used))]
        similarities = words.similarities(graph, sentences)
        if len(sentences) > self.num_sentences:
            least = np.partition(similarities, -self.num_sentences)[-self.num_sentences]
            sentences, similarities = sentences[similarities >= least], similarities[similarities >= least]
        found = zip(map(int, sentences), map(float, similarities), strict=True)
        return sorted(found, key=lambda one: (-one[1], graph.words_of(one[0]), one[0]))[: self.num_sentences]


def entity_bonus(graph: EntityGraph, active: Mapping[int, Active]) -> Floats:
    """For each passage, the sum over its active entities of score x ln(1 + mentions) / round."""
    bonus = np.zeros(len(graph.numbers))
    for entity, one in active.items():
        rows, counts = graph.rows_with(entity)
        bonus[rows] += one.score * np.log1p(counts) / one.round
    return bonus


def pagerank(graph: EntityGraph, entities: Mapping[int, float], passages: Floats, damping: float) -> Floats:
    """Personalised PageRank of the passages, over the graph of passages and entities.

    Computed as a sum over the lengths of walks, each of which starts at a node with the probability that it is given here, and
    goes on with the probability `damping`.

    Args:
        graph: the graph.
        entities: where walks start, and how often: entities.
        passages: for each passage, how often walks start there; of the same scale.
        damping: above 0 and below 1.
    """
    total = math.fsum(entities.values()) + float(passages.sum())
    scores = np.zeros(len(passages))
    if not total:
        return scores
    at_entities = np.zeros(graph.num_entities)
    at_entities[list(entities)] = list(entities.values())
    at_entities *= (1 - damping) / total
    at_passages = passages * ((1 - damping) / total)
    while True:
        scores += at_passages
        from_entities, from_passages = (np.flatnonzero(mass > CUTOFF) for mass in (at_entities, at_passages))
        if not len(from_entities) and not len(from_passages):
            return scores
        at_passages, at_entities = (
            damping * graph.to_passages(from_entities, at_entities[from_entities]),
            damping * graph.to_entities(from_passages, at_passages[from_passages]),
        )
