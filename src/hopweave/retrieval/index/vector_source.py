"""The sources of vectors for an index being written: an encoder, or a file of vectors made elsewhere."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from hopweave.core.errors import DataError, SearchError
from hopweave.core.files import write_whole
from hopweave.core.types import Passage
from hopweave.retrieval.encoders.cluster_encoding import ClusterEncoder, EncodesAhead, EncodesTexts
from hopweave.retrieval.encoders.encoders import Vectors
from hopweave.text.document_names import full_heading

GIVEN = "given"
"""Used as the encoder's name for vectors made elsewhere by an unnamed model."""

Arrays = Mapping[str, NDArray[Any]]
Encoded = TypeVar("Encoded", bound=Sequence[Vectors] | Vectors)
Options = TypeVar("Options", bound=Any)


@dataclass(frozen=True, slots=True)
class VectorKind(Generic[Options, Encoded]):
    """The engine-specific properties of sources.

    Attributes:
        options: the class of the options that name an encoder, or vectors made elsewhere.
        encoder_of: opens the encoder named by the options.
        given: reads vectors made elsewhere, by id.
        stored: the stored form of the vectors of passages, from either source.
    """

    options: Callable[[], Options]
    encoder_of: Callable[[Options], EncodesTexts[Encoded]]
    given: Callable[[Path], Mapping[str, Vectors]]
    stored: Callable[[Encoded | list[Vectors]], Arrays]

    def source(
        self, folder: Path, options: Options | None, encoder: EncodesTexts[Encoded] | None = None, cluster: Any = None
    ) -> VectorSource:
        """Opens the source.

        Args:
            folder: the index.
            options: name a model, or a file made elsewhere; `None`: the defaults.
            encoder: encodes instead of the model.
            cluster: a client of a Dask cluster, whose workers encode.

        Raises:
            SettingsError: if the options name no encoder, or one that cannot be used.
            DataError: for vectors that cannot be read.
            MissingExtra: if a library that the encoder needs is not installed.
        """
        options = options or self.options()
        if options.vectors is not None:
            known = encoder or (self.encoder_of(options) if options.model else None)
            return GivenPassages(options.vectors, self, known.identity if known is not None else GIVEN)
        if cluster is not None and encoder is None and options.model:
            encoder = ClusterEncoder(cluster, self.encoder_of, options)
        return EncodedPassages(encoder or self.encoder_of(options), self, folder)


class VectorSource(Protocol):
    """Where the vectors of passages come from."""

    @property
    def identity(self) -> str:
        """Names the model."""

    @property
    def num_ahead(self) -> int:
        """The preferred number of pieces to start before they are requested."""

    def begin(self, passages: Sequence[Passage]) -> None:
        """Announces a piece that will be requested unchanged, after those that were begun before."""

    def arrays_of(self, passages: Sequence[Passage]) -> Arrays:
        """The stored form of passages; see `VectorKind`."""

    def forget(self) -> None:
        """Deletes what was kept in case of a kill."""


class EncodedPassages(Generic[Encoded]):
    """Encodes passages in pieces, each of which is kept until the index is complete, so that a killed build can be resumed.

    Args:
        encoder: makes the vectors.
        kind: of the engine.
        folder: the index. The pieces are stored next to it.
    """

    def __init__(self, encoder: EncodesTexts[Encoded], kind: VectorKind[Any, Encoded], folder: Path) -> None:
        self._encoder = encoder
        self._stored = kind.stored
        self.identity = encoder.identity
        self._kept = _Kept(folder, encoder.identity)

    @property
    def num_ahead(self) -> int:
        """See `VectorSource`."""
        return self._encoder.num_ahead if isinstance(self._encoder, EncodesAhead) else 0

    def begin(self, passages: Sequence[Passage]) -> None:
        """See `VectorSource`. What was kept is not encoded again."""
        if isinstance(self._encoder, EncodesAhead):
            texts = [encoded_text(passage) for passage in passages]
            if not self._kept.has(texts):
                self._encoder.begin(texts)

    def arrays_of(self, passages: Sequence[Passage]) -> Arrays:
        """See `VectorSource`."""
        texts = [encoded_text(passage) for passage in passages]
        return self._kept.arrays(texts, self._encoded)

    def forget(self) -> None:
        """See `VectorSource`."""
        self._kept.forget()

    def _encoded(self, texts: Sequence[str]) -> Arrays:
        found = self._encoder.encode(texts, "passage")
        if len(found) != len(texts):
            raise SearchError(f"the encoder returned vectors of {len(found)} texts, not of {len(texts)}; check the model")
        return self._stored(found)


class GivenPassages:
    """Reads vectors of passages that were made elsewhere, by id.

    Args:
        path: of the file.
        kind: of the engine.
        identity: the name of the model that made them, if known.
    """

    def __init__(self, path: Path, kind: VectorKind[Any, Any], identity: str = GIVEN) -> None:
        self._path = path
        self._vectors = kind.given(path)
        self._stored = kind.stored
        self.identity = identity

    @property
    def num_ahead(self) -> int:
        """See `VectorSource`."""
        return 0

    def begin(self, passages: Sequence[Passage]) -> None:
        """See `VectorSource`."""

    def arrays_of(self, passages: Sequence[Passage]) -> Arrays:
        """See `VectorSource`.

        Raises:
            DataError: for a passage without a vector, or one with NaN or infinity.
        """
        keys = [" ".join(passage.id.split()) for passage in passages]
        missing = next((one.id for one, key in zip(passages, keys, strict=True) if key not in self._vectors), None)
        if missing is not None:
            raise DataError(f"{self._path} has no vector of passage {missing!r}; add it, with its id in the .txt next to it")
        rows = [self._vectors[key] for key in keys]
        if not all(np.isfinite(one).all() for one in rows):
            raise DataError(f"{self._path} contains NaN or infinity; regenerate the vectors")
        return self._stored(rows)

    def forget(self) -> None:
        """See `VectorSource`."""


def encoded_text(passage: Passage) -> str:
    """The encoded text of a passage: its title and sections (`text.document_names.full_heading`), a full stop, its text."""
    heading = full_heading(passage)
    return f"{heading}. {passage.text}" if heading else passage.text


class _Kept:
    """Results computed for pieces of a corpus, kept until the index is complete, so that a killed build can be resumed.

    Args:
        folder: the index. The pieces are stored next to it.
        identity: of the model used.
    """

    def __init__(self, folder: Path, identity: str) -> None:
        self._folder = folder.with_name(f".{folder.name}.encoding")
        self._identity = identity

    def arrays(self, texts: Sequence[str], compute: Callable[[Sequence[str]], Arrays]) -> Arrays:
        """The result of `compute` for some texts, or the one kept from before."""
        path = self._path(texts)
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
                return {name: kept[name] for name in kept.files}
        except (OSError, ValueError, EOFError, zipfile.BadZipFile):  # it is missing, or was truncated by a power failure
            pass
        computed = compute(texts)
        self._folder.mkdir(parents=True, exist_ok=True)
        content_of_file = io.BytesIO()
        np.savez(content_of_file, **computed)  # type: ignore[arg-type]
        write_whole(path, content_of_file.getvalue())
        return computed

    def has(self, texts: Sequence[str]) -> bool:
        """Whether a result was kept for some texts."""
        return self._path(texts).exists()

    def forget(self) -> None:
        """Deletes them."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _path(self, texts: Sequence[str]) -> Path:
        content = json.dumps([self._identity, texts]).encode()
        return self._folder / f"{hashlib.blake2b(content, digest_size=16).hexdigest()}.npz"
