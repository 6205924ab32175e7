"""Opens a store: a file, or a database."""

from __future__ import annotations

from pathlib import Path

from hopweave.core.postgres_connection import checked_address, is_address
from hopweave.run.store.postgres_store import PostgresStore
from hopweave.run.store.store import Mode, Store


def open_store(place: Path | str, mode: Mode = "on") -> Store:
    """The store in a file, or at an address such as `postgres://HOST/DATABASE`.

    Raises:
        SettingsError: for an invalid address, or one with a password.
        DataError, MissingExtra: as in the classes of stores.
    """
    if mode == "off" or not is_address(place):
        return Store(Path(place), mode)
    return PostgresStore(checked_address(str(place)), mode)
