"""Reads documents that are not text, such as PDFs, in the workers of a Dask cluster that have them under the same path."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from hopweave.core import dask_client
from hopweave.core.errors import DataError
from hopweave.ingest.formats import BOOK_SUFFIXES, CorpusFile, Limits
from hopweave.ingest.whole_document import WholeDocument, read_whole

_PER_THREAD = 2
"""Files in progress for each thread of a worker: one that is being read, and one that waits."""


class ClusterReading:
    """Reads files in the workers of a cluster; see `whole_document.ReadsElsewhere`.

    Args:
        client: of the cluster.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._begun: dict[Path, Any] = {}
        self.num_ahead = _PER_THREAD * sum(client.nthreads().values())

    def begin(self, file: CorpusFile, limits: Limits, max_words: int) -> None:
        """See `ReadsElsewhere`. Text is read here: to send it to a worker and back takes as long."""
        is_sent = file.suffix in BOOK_SUFFIXES and not file.compression and file.content is None
        if is_sent and file.path not in self._begun:
            sent = replace(file, path=file.path.absolute())
            given = (sent, file.num_bytes, limits, max_words)
            self._begun[file.path] = self._client.submit(read_here, *given, pure=False, retries=dask_client.RETRIES)

    def read(self, file: CorpusFile) -> WholeDocument | None:
        """See `ReadsElsewhere`."""
        future = self._begun.pop(file.path, None) if file.content is None else None
        if future is None:
            return None
        try:
            whole, error = future.result()
        except Exception as broken:  # noqa: BLE001 - whatever Dask or its transport raises ends the work with one line
            raise dask_client.broken(f"read {file.source}", broken, self._client) from None
        if error is not None:
            raise error
        found: WholeDocument | None = whole
        return found


def read_here(
    file: CorpusFile, num_bytes: int, limits: Limits, max_words: int
) -> tuple[WholeDocument | None, DataError | None]:
    """A document, read in a worker, or why it cannot be read; nothing if the worker does not have that file."""
    try:
        if file.path.stat().st_size != num_bytes:
            return None, None
        return read_whole(file, limits, max_words, check=limits.deadline(file).check), None
    except OSError:
        return None, None
    except DataError as error:
        return None, error
