"""The graph of passages, sentences and entities: which sentence mentions which entities. It has no relations.

    numbers.i64          the number of each passage, ascending; the row of a passage is its place here
    sentences.i64        for each passage, the sentence after its last one
    mentions.i64         for each sentence, the mention after its last one
    mentions.i32         the entity of each mention
    sure.u8              for each mention, whether it shows by itself that it is a name; see `entities.Mention`
    words.i64            for each sentence, the word after its last one
    words.u32            the words of each sentence, each once, as `hash_of` their terms
    mentioning.i64       for each entity, the mention after its last one, in the order of entities
    mentioning.i32       the sentence of each mention, in that order; what no mention shows to be a name is left out
    shares.f32           for each passage, 1 over the number of its mentions of names
    entities.sqlite      the keys of the entities

These files lie next to those of a BM25 index and are written together with them; see `entity_writing`.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hopweave.retrieval.index.arrays import Flags, Floats, Integers, Lists, column, places, starts_of, summed
from hopweave.retrieval.index.entity_keys import EntityKeys
from hopweave.retrieval.index.index_folder import Manifest, damaged

ENGINE = "linear_rag"
KEYS = "entities.sqlite"


def hash_of(term: str) -> int:
    """The 32 bits that stand for a term in a sentence."""
    return zlib.crc32(term.encode("utf-8", "replace"))


@dataclass(frozen=True, slots=True)
class Columns:
    """What is stored of passages; all else is derived from it.

    Attributes:
        numbers: the number of each passage, ascending.
        sentences: for each passage, the sentence after its last one.
        mentions: the entities that each sentence mentions.
        is_sure: for each mention, whether it shows by itself that it is a name.
        words: the hashes of the terms of each sentence.
    """

    numbers: Integers
    sentences: Integers
    mentions: Lists
    is_sure: Integers
    words: Lists

    @classmethod
    def of(cls, data: Path) -> Columns:
        """Those in a data folder."""
        return cls(
            column(data / "numbers.i64", np.int64),
            column(data / "sentences.i64", np.int64),
            Lists(column(data / "mentions.i64", np.int64), column(data / "mentions.i32", np.int32)),
            column(data / "sure.u8", np.uint8),
            Lists(column(data / "words.i64", np.int64), column(data / "words.u32", np.uint32)),
        )

    @property
    def are_whole(self) -> bool:
        """Whether the columns belong together."""
        num_sentences = int(self.sentences[-1]) if len(self.sentences) else 0
        return (
            len(self.numbers) == len(self.sentences)
            and num_sentences == len(self.mentions.ends) == len(self.words.ends)
            and len(self.mentions.values) == len(self.is_sure)
            and self.mentions.are_whole
            and self.words.are_whole
        )

    def row_of_sentences(self) -> Integers:
        """For each sentence, the row of the passage that it is in."""
        counts = np.diff(self.sentences, prepend=0)
        return np.repeat(np.arange(len(counts), dtype=np.int32), counts)


class EntityGraph:
    """A graph opened for reading.

    Args:
        data: the data folder.
        manifest: of the index.

    Attributes:
        numbers: the number of the passage in each row, ascending.
        keys: the keys of the entities.

    Raises:
        DataError: if a file of it is damaged.
    """

    def __init__(self, data: Path, manifest: Manifest) -> None:
        columns = Columns.of(data)
        self.numbers = columns.numbers
        self._sentences, self._mentions, self._words = columns.sentences, columns.mentions, columns.words
        self._mentioning = Lists(column(data / "mentioning.i64", np.int64), column(data / "mentioning.i32", np.int32))
        self._shares = column(data / "shares.f32", np.float32)
        are_whole = columns.are_whole and self._mentioning.are_whole
        if not are_whole or not len(self.numbers) == len(self._shares) == manifest.num_passages:
            raise damaged(data.parent, manifest.data, f"does not hold the entities of {manifest.num_passages} passages")
        self._rows = columns.row_of_sentences()
        self._is_name: Flags = np.diff(self._mentioning.ends, prepend=0) > 0
        self._shown: Flags | None = None
        self.keys = EntityKeys.reading(data / KEYS)

    @property
    def num_entities(self) -> int:
        """One more than the highest number of an entity."""
        return len(self._mentioning.ends)

    def show_only(self, numbers: Integers) -> None:
        """Restricts the graph to the passages with these numbers: no other one is found, or leads anywhere."""
        self._shown = np.isin(self.numbers, numbers)

    def rows_of(self, numbers: Integers) -> Integers:
        """The rows of the passages with these numbers."""
        return np.searchsorted(self.numbers, numbers)

    def row_of_sentence(self, sentence: int) -> int:
        """The row of the passage that a sentence is in."""
        return int(self._rows[sentence])

    # -- sentences and entities -----------------------------------------------------------------------------------------------

    def entity(self, key: str) -> int | None:
        """The entity with a key; `None` if nothing mentions one."""
        entity = self.keys.entity(key)
        return entity if entity is not None and len(self.sentences_with(entity)) else None

    def has(self, key: str) -> bool:
        """See `entities.KnownEntities`."""
        return self.entity(key) is not None

    def num_beginning(self, words: str) -> int:
        """See `entities.KnownEntities`; it includes those that nothing mentions as a name, which costs time only."""
        return self.keys.num_beginning(words)

    def sentences_with(self, entity: int) -> Integers:
        """The sentences that mention an entity, each once, in order."""
        if entity >= self.num_entities:
            return np.zeros(0, dtype=np.int32)
        sentences = np.unique(self._mentioning.of(entity))
        return sentences if self._shown is None else sentences[self._shown[self._rows[sentences]]]

    def entities_in(self, sentence: int) -> Integers:
        """The entities that a sentence mentions, each once, in order."""
        return self._names(np.unique(self._mentions.of(sentence)))

    def entities_of(self, row: int) -> Integers:
        """The entities that a passage mentions, each once, in order."""
        return self._names(np.unique(self._mentions_of(np.array([row]))[0]))

    def words_of(self, sentence: int) -> list[int]:
        """The hashes of the words of a sentence, ascending."""
        return sorted(self._words.of(sentence).tolist())

    def shared_weights(self, sentences: Integers, hashes: Integers, weights: Floats) -> Floats:
        """For each of the sentences, the sum of the weights of those terms that it contains.

        Args:
            sentences: the sentences.
            hashes: of the terms, ascending.
            weights: of the terms.
        """
        if not len(hashes):
            return np.zeros(len(sentences))
        words, counts = self._words.of_all(sentences)
        at = np.minimum(np.searchsorted(hashes, words), len(hashes) - 1)
        shared = np.flatnonzero(hashes[at] == words)
        of_sentence = np.repeat(np.arange(len(sentences)), counts)[shared]
        return summed(of_sentence, weights[at[shared]], len(sentences))

    # -- passages and entities ------------------------------------------------------------------------------------------------

    def rows_with(self, entity: int) -> tuple[Integers, Integers]:
        """The rows of the passages that mention an entity, and how many mentions each has."""
        return np.unique(self._rows_with(np.array([entity]))[0], return_counts=True)

    def to_passages(self, entities: Integers, mass: Floats) -> Floats:
        """Distributes what entities have over the passages that mention them; returns what each row gets.

        An edge weighs as much as the entity's share of the passage's mentions.
        """
        rows, counts = self._rows_with(entities)
        weights = self._shares[rows].astype(np.float64)
        source = np.repeat(np.arange(len(entities)), counts)
        totals = summed(source, weights, len(entities))
        parts = np.divide(mass, totals, out=np.zeros(len(entities)), where=totals > 0)
        return summed(rows, weights * parts[source], len(self.numbers))

    def to_entities(self, rows: Integers, mass: Floats) -> Floats:
        """Distributes what passages have over the entities that they mention; returns what each entity gets."""
        entities, counts = self._mentions_of(rows)
        parts = np.repeat(mass * self._shares[rows], counts)
        is_name = self._is_name[entities]
        return summed(entities[is_name], parts[is_name], self.num_entities)

    def close(self) -> None:
        """Closes the files."""
        self.keys.close()

    def _names(self, entities: Integers) -> Integers:
        return entities[self._is_name[entities]]

    def _rows_with(self, entities: Integers) -> tuple[Integers, Integers]:
        """The rows of the passages that mention entities, once for each mention, and how many those are for each entity."""
        sentences, counts = self._mentioning.of_all(entities)
        rows = self._rows[sentences]
        if self._shown is None:
            return rows, counts
        is_shown = self._shown[rows]
        source = np.repeat(np.arange(len(entities)), counts)
        return rows[is_shown], np.bincount(source[is_shown], minlength=len(entities))

    def _mentions_of(self, rows: Integers) -> tuple[Integers, Integers]:
        """The entities of all mentions in passages, and how many mentions each passage has."""
        starts = starts_of(self._mentions.ends, starts_of(self._sentences, rows))
        counts = self._mentions.ends[self._sentences[rows] - 1] - starts
        return self._mentions.values[places(starts, counts)], counts
