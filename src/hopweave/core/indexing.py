"""Optional features of a retriever besides searching: an index that it builds, an address, information about its corpus.

Each is a protocol. A retriever class implements those whose members it has; nothing is registered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable

from hopweave.core.catalog import load
from hopweave.core.errors import DataError
from hopweave.core.protocols import Retriever
from hopweave.core.types import Passage


def how_to_rebuild(place: object) -> str:
    """What a message says about an index that cannot be used as it is.

    Args:
        place: the folder or address of the index.

    >>> how_to_rebuild("towns")
    'rebuild it with: hopweave index PATH... --to towns'
    """
    return f"rebuild it with: hopweave index PATH... --to {place}"


@dataclass(frozen=True, slots=True)
class IndexSummary:
    """The effect of a write to an index, and the resulting state.

    Attributes:
        num_passages: passages in the index.
        num_added: passages written, including replacements.
        num_deleted: passages removed, including replaced ones.
        num_bytes: size on disk; 0 on a server.
        fingerprint: that of the corpus.
    """

    num_passages: int
    num_added: int
    num_deleted: int
    num_bytes: int
    fingerprint: str


@dataclass(frozen=True, slots=True)
class IndexTraits:
    """What a retriever class declares about the index that it searches.

    Attributes:
        of: the engine that builds the index that `--corpus` names; empty if the retriever builds it itself. An engine that
            also builds its own index keeps it in a folder inside that one, under its own name.
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
    """The form of the addresses of an engine on a server.

    Attributes:
        scheme: what comes before `://`: the engine's name.
        example: shown when an address is invalid.
        has_socket: whether `?host=FOLDER` names the folder of a Unix socket.
    """

    scheme: str
    example: str
    has_socket: bool = False


@runtime_checkable
class IndexedRetriever(Protocol):
    """A retriever class that builds, updates and checks index folders: `hopweave index --engine NAME`."""

    def build(self, folder: Path, passages: Iterable[Passage], **more: Any) -> IndexSummary:
        """Builds an index. An existing one in the same place stays in use until the new one is complete, and is then replaced.

        Args:
            folder: the index.
            passages: read once, in order.
            more: `on_passage`, called with the number of passages so far; what `IndexTraits.options` describes.

        Raises:
            DataError: for a repeated id, no passages, or a folder that is not an index; nothing is changed.
        """

    def update(self, folder: Path, **more: Any) -> IndexSummary:
        """Deletes passages, then adds and replaces passages.

        Args:
            folder: the index.
            more: `upsert`, `delete`, `missing_ok`, `on_passage` as in `BM25.update`; what `IndexTraits.options` describes.

        Raises:
            DataError: if an id to delete, or the index, does not exist; nothing is changed.
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
    """A retriever class whose corpus is on a server, at an address that `--corpus` and `--to` accept."""

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
        """The number of all passages, including those that are hidden from some users."""


@runtime_checkable
class ListsPassages(Protocol):
    """A retriever that can go through its corpus."""

    def all_passages(self) -> Iterator[Passage]:
        """Yields all passages, including hidden ones, in a fixed order and in constant memory."""


@runtime_checkable
class NoticesChanges(Protocol):
    """A retriever that detects changes to its corpus by another process."""

    is_outdated: bool
    """Whether the retriever has to be reopened."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """How another process opens a retriever: it searches the same files, in the same state, with the same options.

    Attributes:
        kind: its class, which the other process imports.
        options: what it is made with.
        state: what its results depend on besides that, such as the manifest of its index.
    """

    kind: type[Any]
    options: Mapping[str, Any]
    state: tuple[Any, ...]

    @classmethod
    def of(cls, retriever: Any, *state: Any, parts: Sequence[object] = ()) -> Elsewhere | None:
        """How to open a retriever that is a dataclass; `None` if other processes cannot open one of its parts.

        Args:
            retriever: the retriever.
            state: as above.
            parts: other retrievers that it searches with.
        """
        inner = [part.elsewhere if isinstance(part, OpensElsewhere) else None for part in parts]
        states = [one.state for one in inner if one is not None]
        if len(states) < len(inner):
            return None
        options = {option.name: getattr(retriever, option.name) for option in fields(retriever) if option.init}
        return cls(type(retriever), options, (*state, *states))

    def opened(self) -> Retriever:
        """The retriever.

        Raises:
            DataError: if its index has changed.
        """
        retriever: Retriever = self.kind(**self.options)
        there = retriever.elsewhere if isinstance(retriever, OpensElsewhere) else None
        if there is None or there.state != self.state:
            retriever.close()
            raise DataError("its index has changed since it was opened")
        return retriever


@runtime_checkable
class OpensElsewhere(Protocol):
    """A retriever that worker processes can search for this one; see `retrieval.workers`.

    For one that needs a model or a server there is nothing to gain: it has no such property.
    """

    @property
    def elsewhere(self) -> Elsewhere | None:
        """How another process opens it; `None` if none can."""


def traits_of(retriever: str) -> IndexTraits:
    """What a retriever's class declares about its index. Raises the errors of `core.catalog.load`."""
    part = load("retrievers", retriever)
    return part.INDEX if isinstance(part, DescribesIndex) else IndexTraits()
