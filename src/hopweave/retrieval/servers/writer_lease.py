"""Prevents concurrent writers of one collection on a server: a row next to its state says who is writing, and until when.

Not every engine can claim such a row atomically, so a writer also checks, before each batch, whether the row is still its own:
of two that start at the same moment, one ends with an error. The row is renewed during the work, and a writer that was killed
keeps others out for at most `LEASE_SECONDS`.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from math import ceil, inf
from typing import Any

from hopweave.core.errors import DataError

LEASE_SECONDS = 60.0


class WriterLease:
    """The right to write to a collection.

    Args:
        read: returns the row; `None` if there is none.
        write: stores the row.
        shown: the collection, for messages.
    """

    def __init__(self, read: Callable[[], str | None], write: Callable[[str], None], shown: str) -> None:
        self._read = read
        self._write = write
        self._shown = shown
        self._token = secrets.token_hex(8)
        self._renewed = -inf

    def take(self) -> None:
        """Claims the right to write.

        Raises:
            DataError: if another process is writing.
        """
        holder = self._holder()
        seconds_left = holder.get("until", 0.0) - time.time()
        if seconds_left > 0:
            raise DataError(
                f"{self._shown} is being written to by {holder.get('by')}; wait until that is done, or, if it was killed, "
                f"{ceil(min(seconds_left, LEASE_SECONDS))} s"
            )
        self._renew()

    def keep(self) -> None:
        """Renews the claim.

        Raises:
            DataError: if another process has begun to write.
        """
        if self._holder().get("token") != self._token:
            raise DataError(f"another process began to write to {self._shown}; build it again, with one process at a time")
        if time.monotonic() - self._renewed > LEASE_SECONDS / 4:
            self._renew()

    def release(self) -> None:
        """Releases the claim."""
        with suppress(DataError):  # it expires anyway
            if self._holder().get("token") == self._token:
                self._write("{}")

    def _renew(self) -> None:
        by = f"process {os.getpid()} on {socket.gethostname()}"
        self._write(json.dumps({"token": self._token, "by": by, "until": time.time() + LEASE_SECONDS}))
        self._renewed = time.monotonic()

    def _holder(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._read() or "{}")
        return found
