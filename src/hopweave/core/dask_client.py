"""Connects to a Dask cluster, to run work on its workers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from hopweave.core.catalog import require
from hopweave.core.errors import DataError

CONNECT_SECONDS = 10.0
WORKER_SECONDS = 60
"""How long to wait for the first worker."""
RETRIES = 2
"""For a task that raised an error in a worker; Dask's settings decide how often the task of a lost worker is rescheduled."""


@asynccontextmanager
async def connected(address: str) -> AsyncIterator[Any]:
    """An asynchronous client of a cluster that has workers.

    Args:
        address: of its scheduler, such as `tcp://HOST:8786`.

    Raises:
        DataError: if there is no scheduler, or no worker.
        MissingExtra: without dask and distributed.
    """
    library = require("distributed", "cluster")
    try:
        client = await library.Client(address, asynchronous=True, set_as_default=False, timeout=CONNECT_SECONDS)
    except (OSError, ValueError, ImportError) as error:
        raise _no_scheduler(address, error) from None
    try:
        try:
            await client.wait_for_workers(1, timeout=WORKER_SECONDS)
        except TimeoutError:
            raise _no_worker(address) from None
        yield client
    finally:
        await client.close()


@contextmanager
def connected_now(address: str) -> Iterator[Any]:
    """`connected` for synchronous code.

    Raises:
        DataError, MissingExtra: as in `connected`.
    """
    library = require("distributed", "cluster")
    try:
        client = library.Client(address, set_as_default=False, timeout=CONNECT_SECONDS)
    except (OSError, ValueError, ImportError) as error:
        raise _no_scheduler(address, error) from None
    try:
        try:
            client.wait_for_workers(1, timeout=WORKER_SECONDS)
        except TimeoutError:
            raise _no_worker(address) from None
        yield client
    finally:
        client.close()


def broken(what: str, error: Exception, client: Any) -> DataError:
    """The error for a task that failed on the cluster."""
    said = " ".join(str(error).split())[:300]
    return DataError(
        f"the cluster could not {what} ({type(error).__name__}: {said}); look at its dashboard ({client.dashboard_link}), and "
        "run the same command again"
    )


def _no_scheduler(address: str, error: Exception) -> DataError:
    said = " ".join(str(error).split())[:200]
    return DataError(f"no Dask scheduler answers at {address} ({said}); start one with `dask scheduler`, or check the address")


def _no_worker(address: str) -> DataError:
    return DataError(f"the cluster at {address} has no worker; start some with: dask worker {address}")
