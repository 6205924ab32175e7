"""Reads documents that are not text, such as PDFs, in the workers of a Dask cluster that have them under the same path."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from hopweave.core import dask_client
from hopweave.core.errors import DataError
from hopweave.ingest.document import Document
from hopweave.ingest.formats import CorpusFile, Limits
from hopweave.ingest.pages import read_pages

_PER_THREAD = 2
"""Files in progress for each thread of a worker: one that is being read, and one that waits."""


class ClusterBooks:
    """Reads files in the workers of a cluster; see `hopweave.ingest.read.Books`.

    Args:
        client: of the cluster.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._begun: dict[Path, Any] = {}
        self.num_ahead = _PER_THREAD * sum(client.nthreads().values())

    def begin(self, file: CorpusFile, limits: Limits) -> None:
        """See `Books`."""
        if file.content is None and file.path not in self._begun:
            sent = replace(file, path=file.path.absolute())
            given = (sent, file.num_bytes, limits)
            self._begun[file.path] = self._client.submit(read_here, *given, pure=False, retries=dask_client.RETRIES)

    def read(self, file: CorpusFile, limits: Limits) -> Document | None:
        """See `Books`."""
        future = self._begun.pop(file.path, None) if file.content is None else None
        if future is None:
            return None
        try:
            pages, error = future.result()
        except Exception as broken:  # noqa: BLE001 - whatever Dask or its transport raises ends the work with one line
            raise dask_client.broken(f"read {file.source}", broken, self._client) from None
        if error is not None:
            raise error
        found: Document | None = pages
        return found


def read_here(file: CorpusFile, num_bytes: int, limits: Limits) -> tuple[Document | None, DataError | None]:
    """The content of a file, read in a worker, or why it cannot be read; nothing if the worker does not have that file."""
    try:
        if file.path.stat().st_size != num_bytes:
            return None, None
        return read_pages(file, limits), None
    except OSError:
        return None, None
    except DataError as error:
        return None, error
