"""Hands the questions of a run to the workers of a Dask cluster, and takes their records back.

Dask decides which worker gets a question, what happens to the questions of a lost worker, and how often they are retried;
its dashboard shows it. Records are written by this process alone. Replies are kept where all workers can reach them, so a
question that starts again on another worker does not repeat calls that were already answered.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from math import ceil
from pathlib import Path
from typing import Any

from hopweave.core import dask_client
from hopweave.core.errors import SettingsError
from hopweave.core.postgres_connection import is_address
from hopweave.core.types import Question
from hopweave.evaluation.runs.progress import Cell
from hopweave.evaluation.runs.shared import SharedComponents
from hopweave.evaluation.runs.worker_session import Answered, Order, answer, facts_of, leave
from hopweave.record import Record
from hopweave.run.settings import Settings


class Cluster:
    """A connected cluster.

    Attributes:
        num_threads: of all workers: how many questions they answer concurrently.
        num_workers: how many there are now.
    """

    def __init__(self, client: Any, shared: SharedComponents, threads: Mapping[str, int], num_calls: int) -> None:
        self._client = client
        self.num_threads = sum(threads.values())
        self.num_workers = len(threads)
        prepared = shared.prepared
        self._order = Order(
            secrets.token_hex(8),
            prepared.plan,
            prepared.settings,
            prepared.cells,
            str(Path.cwd()),
            ceil(num_calls / self.num_workers),
            facts_of(shared),
        )

    async def answer(self, cell: Cell, question: Question) -> Record:
        """The record of a question.

        Raises:
            DataError: if no worker could answer it, or for a problem that the user has to fix.
        """
        key = f"hopweave-answer-{secrets.token_hex(8)}"
        future = self._client.submit(answer, self._order, cell, question, key=key, retries=dask_client.RETRIES, pure=False)
        try:
            answered: Answered = await future
        except Exception as error:  # noqa: BLE001 - whatever Dask or its transport raises ends the run with one line
            raise dask_client.broken(f"answer question {question.id!r}", error, self._client) from None
        finally:
            future.release()  # otherwise a caller that stops waiting leaves it in the queue
        return answered.as_record()

    async def leave(self) -> None:
        """Makes the workers close what they opened."""
        with suppress(Exception):  # a lost worker has already closed it
            await self._client.run(leave, self._order.name, on_error="ignore")


def check_settings(settings: Settings) -> None:
    """Checks that replies are kept where every worker can reach them.

    Raises:
        SettingsError: if not.
    """
    if settings.store.mode != "off" and not is_address(settings.store.path):
        raise SettingsError(
            "the workers of a cluster keep replies in one place: give --store postgres://HOST/DATABASE, or --set store.mode=off"
        )


@asynccontextmanager
async def connected(address: str, shared: SharedComponents, num_calls: int) -> AsyncIterator[Cluster]:
    """Connects to a cluster.

    Args:
        address: of its scheduler, such as `tcp://HOST:8786`.
        shared: the opened parts of the run in this process; those in a worker must match them.
        num_calls: the most calls of the model at a time, of all workers together.

    Raises:
        DataError: if there is no scheduler, or no worker.
        MissingExtra: without dask and distributed.
    """
    async with dask_client.connected(address) as client:
        cluster = Cluster(client, shared, await client.nthreads(), num_calls)
        try:
            yield cluster
        finally:
            await cluster.leave()
