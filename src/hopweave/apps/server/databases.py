"""Whether the databases of a server are available: they are polled in the background, so that no request waits for a check."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from hopweave.core.errors import DataError
from hopweave.core.postgres_connection import Database, is_address

_EVERY_SECONDS = 5.0
_SOON_SECONDS = 3.0
"""A database that takes longer to reply is unavailable."""


class Databases:
    """Polls some databases.

    Args:
        places: where answers and replies are kept; only the databases among them are polled.

    Raises:
        SettingsError: for an invalid address, or one that contains a password.
        MissingExtra: without psycopg.

    Attributes:
        why_not_ready: what is wrong; empty if nothing is.
    """

    def __init__(self, places: Iterable[Path | str]) -> None:
        addresses = dict.fromkeys(str(place) for place in places if is_address(place))
        self._databases = [Database(address, "the database") for address in addresses]
        self.why_not_ready = ""

    async def watch(self) -> None:
        """Polls them until it is cancelled."""
        while self._databases:
            asking = asyncio.create_task(asyncio.to_thread(self._ask))
            try:
                await asyncio.wait_for(asyncio.shield(asking), _SOON_SECONDS)
                self.why_not_ready = ""
            except TimeoutError:
                self.why_not_ready = "the database does not answer"
                with suppress(DataError):
                    await asking  # it ends in time, and until then another query would wait as well
            except DataError:
                self.why_not_ready = "the database cannot be reached; the server's log says why"
            await asyncio.sleep(_EVERY_SECONDS)

    def close(self) -> None:
        """Closes the connections."""
        for one in self._databases:
            one.close()

    def _ask(self) -> None:
        for one in self._databases:
            one.run("SELECT 1")
