"""What a retriever may offer besides searching: an index that it builds, an address, and what it knows of its corpus.

Each protocol is optional. A retriever class plays the ones whose members it has; nothing is registered.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable

from hopweave.core.catalog import load
from hopweave.core.types import Passage


@dataclass(frozen=True, slots=True)
class IndexSummary:
    """What a write did, and the resulting state.

    Attributes:
        num_passages: passages in the index.
        num_added: passages written, including replacements.
        num_deleted: passages removed, including replaced ones.
        num_bytes: size on disk; 0 on a server.
        fingerprint: of the corpus.
    """

    num_passages: int
    num_added: int
    num_deleted: int
    num_bytes: int
    fingerprint: str


@dataclass(frozen=True, slots=True)
class IndexTraits:
    """What a retriever class says of the index that it searches.

    Attributes:
        of: the engine that builds the index that `--corpus` names; empty if the retriever builds it itself. An engine that
            also builds an index of its own keeps it inside that one, under its own name.
        options: the class of the options that its index depends on, which `build` and `update` take as `options`; `None` if
            it depends on no settings. Such an engine can also encode on a Dask cluster (`cluster`).
        has_language: whether `build` and `update` take a `language`, as for an index of words.
        averages: whether one query may hold several texts, with `core.ranking.APART` between them, whose vectors are averaged.
    """

    of: str = ""
    options: type[Any] | None = None
    has_language: bool = False
    averages: bool = False


@dataclass(frozen=True, slots=True)
class AddressForm:
    """What an address of an engine on a server looks like.

    Attributes:
        scheme: what it begins with, before `://`: the engine's name.
        example: shown where an address is not one.
        has_socket: whether `?host=FOLDER` names the folder of a Unix socket.
    """

    scheme: str
    example: str
    has_socket: bool = False


@runtime_checkable
class IndexedRetriever(Protocol):
    """A retriever class that builds, updates and checks index folders: `hopweave index --engine NAME`."""

    def build(self, folder: Path, passages: Iterable[Passage], **more: Any) -> IndexSummary:
        """Builds an index in place of any that is there, which stays in use until the new one is complete.

        Args:
            folder: the index.
            passages: read once, in order.
            more: `on_passage`, called with the number of passages so far; what `IndexTraits.options` describes.

        Raises:
            DataError: for an id that occurs twice, no passages, or a folder that is something else; nothing is changed.
        """

    def update(self, folder: Path, **more: Any) -> IndexSummary:
        """Deletes passages, then adds and replaces passages.

        Args:
            folder: the index.
            more: `upsert`, `delete`, `missing_ok`, `on_passage` as in `BM25.update`; what `IndexTraits.options` describes.

        Raises:
            DataError: for an id to delete that is not there, or no index; nothing is changed.
        """

    def check(self, folder: Path) -> IndexSummary:
        """Verifies every byte of an index.

        Raises:
            DataError: names what is damaged.
        """


class IndexWriter(Protocol):
    """Builds, updates and checks one index: a folder (`run.opening.FolderWriter`) or a collection on a server."""

    @property
    def has_language(self) -> bool:
        """Whether `build` and `update` take a `language`, as an index of words does."""

    def build(self, passages: Iterable[Passage], **more: Any) -> IndexSummary:
        """See `IndexedRetriever.build`."""

    def update(self, **more: Any) -> IndexSummary:
        """See `IndexedRetriever.update`."""

    def check(self) -> IndexSummary:
        """See `IndexedRetriever.check`."""


@runtime_checkable
class DescribesIndex(Protocol):
    """A retriever class that searches an index folder and says more about it than the defaults of `IndexTraits`."""

    INDEX: ClassVar[IndexTraits]


@runtime_checkable
class OnServer(Protocol):
    """A retriever class whose corpus lies on a server, at an address that `--corpus` and `--to` take."""

    ADDRESS: ClassVar[AddressForm]


@runtime_checkable
class SearchesFolder(Protocol):
    """A retriever over an index folder; a run keeps the hashes of its files."""

    @property
    def index(self) -> Path:
        """The folder."""


@runtime_checkable
class CountsPassages(Protocol):
    """A retriever that knows the size of its corpus."""

    @property
    def num_passages(self) -> int:
        """All passages, regardless of who may see them."""


@runtime_checkable
class NoticesChanges(Protocol):
    """A retriever that notices that its corpus was changed by someone else."""

    is_outdated: bool
    """Whether it has to be opened again."""


def traits_of(retriever: str) -> IndexTraits:
    """What a retriever's class says of its index. Errors as in `core.catalog.load`."""
    part = load("retrievers", retriever)
    return part.INDEX if isinstance(part, DescribesIndex) else IndexTraits()
