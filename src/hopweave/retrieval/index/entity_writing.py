"""Writes the graph of passages, sentences and entities, together with the BM25 index of the same passages.

An update finds the entities of new passages only; what is stored of the others is copied.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopweave.core.types import Passage
from hopweave.retrieval.index.analysis import Analysis
from hopweave.retrieval.index.arrays import column
from hopweave.retrieval.index.entities import sentences_of
from hopweave.retrieval.index.entity_graph import ENGINE, KEYS, Columns, hash_of
from hopweave.retrieval.index.entity_keys import EntityKeys
from hopweave.retrieval.index.index_writing import Staging

_COLUMNS: Mapping[str, type[Any]] = {
    "numbers": np.int64,
    "sentences": np.int64,
    "mentions": np.int64,
    "mentioned": np.int32,
    "sure": np.uint8,
    "words": np.int64,
    "hashes": np.uint32,
}
"""As in `entity_graph.Columns`, but with the length of each list in place of its end, so that parts can be joined."""

_Parts = Mapping[str, NDArray[Any]]
"""Columns by name."""


@contextmanager
def writing_entities(staging: Staging) -> Iterator[EntityWriting]:
    """Opens the graph of a new state of an index for writing.

    Args:
        staging: of the new state.
    """
    with ExitStack() as stack:
        yield EntityWriting(staging, stack)


class EntityWriting:
    """Writes the graph of one new state of an index; see `bm25_index.Companion`.

    Args:
        staging: of the new state.
        stack: closes the files.
    """

    engine = ENGINE
    modified = frozenset({KEYS})

    def __init__(self, staging: Staging, stack: ExitStack) -> None:
        self._staging = staging
        self._stack = stack
        self._gone: list[int] = []

    def add(self, number: int, passage: Passage, analysis: Analysis) -> None:
        """Notes a passage that was added."""
        sentences = list(sentences_of(passage))
        mentions = [one for sentence in sentences for one in sentence.mentions]
        words = [{hash_of(term) for term in analysis.terms_of(sentence.text)} for sentence in sentences]
        self._new["numbers"].add([number])
        self._new["sentences"].add([len(sentences)])
        self._new["mentions"].add([len(sentence.mentions) for sentence in sentences])
        self._new["mentioned"].add([self._keys.numbered(one.key) for one in mentions])
        self._new["sure"].add([one.is_sure for one in mentions])
        self._new["words"].add([len(of_one) for of_one in words])
        self._new["hashes"].add([one for of_one in words for one in sorted(of_one)])

    def remove(self, number: int) -> None:
        """Notes the number of a passage of the previous state that was removed or replaced."""
        self._gone.append(number)

    def finish(self) -> None:
        """Writes the files of the new state."""
        stay, gone = self._previous()
        new = {name: one.read() for name, one in self._new.items()}
        parts = {name: np.concatenate([stay[name], new[name]]) if stay else new[name] for name in _COLUMNS}
        self._keys.remove(np.setdiff1d(gone, parts["mentioned"]))
        _write(self._staging.data, parts)
        _write_derived(self._staging.data, parts)
        del parts, new
        for one in self._new.values():
            one.remove()
        self._keys.keep()
        self._keys.close()

    def _previous(self) -> tuple[_Parts, NDArray[Any]]:
        """The columns of the passages that stay, and the entities of those that do not."""
        if self._staging.previous is None:
            return {}, np.zeros(0, dtype=np.int32)
        columns = Columns.of(self._staging.folder / self._staging.previous.data)
        stays = ~np.isin(columns.numbers, self._gone)
        of_passages, of_mentions, of_words = (
            np.diff(ends, prepend=0) for ends in (columns.sentences, columns.mentions.ends, columns.words.ends)
        )
        sentences = np.repeat(stays, of_passages)
        mentions = np.repeat(sentences, of_mentions)
        parts = {
            "numbers": columns.numbers[stays],
            "sentences": of_passages[stays],
            "mentions": of_mentions[sentences],
            "mentioned": columns.mentions.values[mentions],
            "sure": columns.is_sure[mentions],
            "words": of_words[sentences],
            "hashes": columns.words.values[np.repeat(sentences, of_words)],
        }
        return parts, columns.mentions.values[~mentions]

    @cached_property
    def _new(self) -> dict[str, _Spool]:
        spools = {name: _Spool(self._staging.data / f"new-{name}", kind) for name, kind in _COLUMNS.items()}
        for one in spools.values():
            self._stack.callback(one.close)
        return spools

    @cached_property
    def _keys(self) -> EntityKeys:
        keys = EntityKeys.writing(self._staging.data / KEYS)
        self._stack.callback(keys.close)
        return keys


class _Spool:
    """A column of new passages in a file, so that memory does not grow with them."""

    def __init__(self, path: Path, kind: type[Any]) -> None:
        self._path = path
        self._kind = np.dtype(kind).newbyteorder("<")
        self._file = path.open("wb")

    def add(self, values: Iterable[int]) -> None:
        self._file.write(np.array(values, dtype=self._kind).tobytes())

    def read(self) -> NDArray[Any]:
        self._file.flush()
        return column(self._path, self._kind.type)

    def close(self) -> None:
        self._file.close()

    def remove(self) -> None:
        self.close()
        self._path.unlink()


def _write(data: Path, parts: _Parts) -> None:
    _replace(data / "numbers.i64", parts["numbers"], np.int64)
    for name in ("sentences", "mentions", "words"):
        _replace(data / f"{name}.i64", np.cumsum(parts[name]), np.int64)
    _replace(data / "mentions.i32", parts["mentioned"], np.int32)
    _replace(data / "sure.u8", parts["sure"], np.uint8)
    _replace(data / "words.u32", parts["hashes"], np.uint32)


def _write_derived(data: Path, parts: _Parts) -> None:
    """Writes the mentions in the order of entities, and the weights of passages."""
    mentioned, num_passages = parts["mentioned"], len(parts["numbers"])
    sentences = np.repeat(np.arange(len(parts["mentions"]), dtype=np.int32), parts["mentions"])
    is_sure = np.bincount(mentioned[parts["sure"] > 0], minlength=int(mentioned.max(initial=0)) + 1) > 0
    names = np.flatnonzero(is_sure[mentioned])
    in_order = names[np.argsort(mentioned[names], kind="stable")]
    _replace(data / "mentioning.i64", np.cumsum(np.bincount(mentioned[names], minlength=len(is_sure))), np.int64)
    _replace(data / "mentioning.i32", sentences[in_order], np.int32)
    rows = np.repeat(np.arange(num_passages, dtype=np.int32), parts["sentences"])
    counts = np.bincount(rows[sentences[names]], minlength=num_passages)
    _replace(data / "shares.f32", np.divide(1, counts, out=np.zeros(num_passages), where=counts > 0), np.float32)


def _replace(path: Path, values: NDArray[Any], kind: type[Any]) -> None:
    """Replaces a file, since in an update the existing one may be shared with the previous state."""
    path.unlink(missing_ok=True)
    path.write_bytes(np.ascontiguousarray(values, dtype=np.dtype(kind).newbyteorder("<")).tobytes())
