"""Encoders in the workers of a Dask cluster. Each encodes complete pieces, so the vectors are the same as in one process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from hopweave.core import dask_client
from hopweave.core.errors import DataError, HopweaveError
from hopweave.retrieval.encoders.encoders import Kind

_PER_THREAD = 2
"""Pieces in progress for each thread of a worker: one that is being encoded, and one that waits."""

Vectors_co = TypeVar("Vectors_co", covariant=True)
Options = TypeVar("Options", bound=Any)


class EncodesTexts(Protocol[Vectors_co]):
    """Makes a vector of each text, or of each of its tokens."""

    @property
    def identity(self) -> str:
        """Names the model."""

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors_co:
        """The vectors of the texts, in order."""


@runtime_checkable
class EncodesAhead(Protocol):
    """An encoder that can work on texts in advance.

    Attributes:
        num_ahead: the preferred number of pieces in progress.
    """

    num_ahead: int

    def begin(self, texts: Sequence[str]) -> None:
        """Starts to encode passages that will be requested later in exactly this batch."""


class ClusterEncoder(Generic[Vectors_co]):
    """Encodes in the workers of a cluster.

    Args:
        client: the client of the cluster.
        make: creates the encoder from the options, in a worker.
        options: the options; a folder in them must have the same path on each worker.

    Raises:
        SettingsError, MissingExtra: as `make`.
    """

    def __init__(self, client: Any, make: Callable[[Options], EncodesTexts[Vectors_co]], options: Options) -> None:
        self._client = client
        self._make = make
        is_here = Path(options.model).exists()
        self._options = replace(options, model=str(Path(options.model).resolve())) if is_here else options
        self._expected = make(self._options).identity
        self._begun: dict[tuple[str, ...], Any] = {}
        self.identity = make(options).identity
        self.num_ahead = _PER_THREAD * sum(client.nthreads().values())

    def begin(self, texts: Sequence[str]) -> None:
        """See `EncodesAhead`."""
        if tuple(texts) not in self._begun:
            self._begun[tuple(texts)] = self._sent(texts, "passage")

    def encode(self, texts: Sequence[str], kind: Kind) -> Vectors_co:
        """See `Encoder`.

        Raises:
            DataError: if no worker could encode them, or for a problem that the user has to fix.
        """
        future = self._begun.pop(tuple(texts), None) if kind == "passage" else None
        if future is None:
            future = self._sent(texts, kind)
        try:
            vectors, error = future.result()
        except Exception as broken:  # noqa: BLE001 - whatever Dask or its transport raises ends the work with one line
            raise dask_client.broken("encode", broken, self._client) from None
        if error:
            raise DataError(error)
        found: Vectors_co = vectors
        return found

    def _sent(self, texts: Sequence[str], kind: Kind) -> Any:
        given = (self._make, self._options, self._expected, list(texts), kind)
        return self._client.submit(encoded, *given, pure=False, retries=dask_client.RETRIES)


def encoded(
    make: Callable[[Options], EncodesTexts[Any]], options: Options, expected: str, texts: Sequence[str], kind: Kind
) -> tuple[Any, str]:
    """The vectors of texts, in a worker; or the problem that the user has to fix."""
    try:
        encoder = _encoder_of(make, options)
        if encoder.identity != expected:
            return None, f"a worker encodes with {encoder.identity}, not {expected}; give all workers the same model"
        return encoder.encode(texts, kind), ""
    except HopweaveError as error:  # as text, since not every error survives being sent
        return None, str(error)


_opened: dict[str, EncodesTexts[Any]] = {}
_opening = Lock()


def _encoder_of(make: Callable[[Options], EncodesTexts[Any]], options: Options) -> EncodesTexts[Any]:
    """The encoder of this process; a model is loaded once."""
    with _opening:
        name = f"{make.__qualname__} {options!r}"
        if name not in _opened:
            _opened[name] = make(options)
        return _opened[name]
