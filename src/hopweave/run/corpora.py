"""The corpora of a server: each is opened on first use, once for each set of labels and each filter.

An index that was replaced or updated on disk is reopened; running questions continue with the one that they started with. An
update of a corpus on a database server is detected by the next search in it, which fails; the search after that reopens it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from hopweave.core.indexing import NoticesChanges
from hopweave.core.types import Passage
from hopweave.retrieval.index.index_folder import MANIFEST
from hopweave.run.components import Components
from hopweave.run.opening import STARTER, engine_of, looks_up, open_retriever
from hopweave.run.settings import Settings, server_of

MAX_OPEN = 64
"""How many engines stay open; beyond that, the least recently used are closed, unless they are in use."""

Filter = Mapping[str, tuple[str, ...]]


@dataclass
class _Opened:
    """Components that are open or being opened, and the number of their users."""

    parts: asyncio.Task[Components]
    num_users: int = 0


class Corpora:
    """The corpora of a server, and the engines that are open for them.

    Args:
        settings: the choice of retriever, with its options.
        indexes: the index of each corpus, by name.
        parts: the model and the other components that all corpora share; they stay open.
    """

    def __init__(self, settings: Settings, indexes: Mapping[str, str], parts: Components) -> None:
        # If no retriever is chosen, a corpus on a server is searched by that server's engine, so each corpus has its settings.
        self._settings = {name: settings.with_changes({"corpus": index}) for name, index in indexes.items()}
        self._parts = parts
        self._opened: dict[str, _Opened] = {}
        self._closing: set[asyncio.Task[None]] = set()

    def settings_of(self, name: str, access: tuple[str, ...], where: Filter) -> Settings:
        """The settings with which a corpus is opened."""
        return self._settings[name].model_copy(update={"access": access, "where": dict(where)})

    @asynccontextmanager
    async def opened(
        self, name: str, access: tuple[str, ...] = (), where: Filter | None = None, *, retriever: str = ""
    ) -> AsyncIterator[Components]:
        """The components that answer questions over a corpus; they stay open while they are in use.

        Args:
            name: the name of the corpus.
            access: the labels of the user.
            where: the values of metadata to filter by.
            retriever: the retriever to use instead of the one in the settings.

        Raises:
            DataError, SettingsError, MissingExtra: if it cannot be opened.
        """
        settings = self.settings_of(name, access, where or {})
        if retriever:
            settings = settings.model_copy(update={"retriever": retriever})
        key = json.dumps([name, settings.retriever, access, settings.where, _state_of(settings.corpus)])
        one = self._opened.pop(key, None)
        if one is not None and _is_outdated(one):
            self._let_go(one)
            one = None
        if one is None or (one.parts.done() and (one.parts.cancelled() or one.parts.exception() is not None)):
            one = _Opened(asyncio.create_task(self._open(settings)))
        self._opened[key] = one  # in order of use: the most recently used one is last
        one.num_users += 1
        try:
            yield await asyncio.shield(one.parts)
        finally:
            one.num_users -= 1
            self._close_the_oldest()

    async def passage(self, name: str, access: tuple[str, ...], where: Filter, passage_id: str) -> Passage | None:
        """The passage with an id; `None` if it does not exist or may not be shown.

        Args:
            name: the name of the corpus.
            access: the labels of the user.
            where: the values of metadata to filter by.
            passage_id: the id of the passage, not of its document.

        Raises:
            SearchError: when the engine fails.
            DataError, SettingsError, MissingExtra: if the corpus cannot be opened.
        """
        async with self.by_id(name, access, where) as parts:
            return await parts.passage(passage_id)

    @asynccontextmanager
    async def by_id(self, name: str, access: tuple[str, ...], where: Filter) -> AsyncIterator[Components]:
        """The components that look passages up by their ids. Same arguments and errors as `opened`."""
        settings = self.settings_of(name, access, where)
        by_id = looks_up(settings)
        # If the same engine searches the corpus, its components are used here, too, since it may lock its files.
        retriever = by_id if by_id != engine_of(settings) else ""
        async with self.opened(name, access, where, retriever=retriever) as parts:
            yield parts

    async def close(self) -> None:
        """Closes everything that was opened here."""
        for one in self._opened.values():
            self._let_go(one)
        self._opened.clear()
        await asyncio.gather(*self._closing, return_exceptions=True)

    async def _open(self, settings: Settings) -> Components:
        retriever, engine = await asyncio.to_thread(open_retriever, settings)
        return self._parts.over(retriever, engine)

    def _close_the_oldest(self) -> None:
        unused = [key for key, one in self._opened.items() if not one.num_users]
        for key in unused[: max(0, len(self._opened) - MAX_OPEN)]:
            self._let_go(self._opened.pop(key))

    def _let_go(self, one: _Opened) -> None:
        async def close() -> None:
            with suppress(Exception):  # if it could not be opened, there is nothing to close, and the caller got the error
                await (await one.parts).close_engine()

        task = asyncio.create_task(close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


def _is_outdated(one: _Opened) -> bool:
    is_open = one.parts.done() and not one.parts.cancelled() and one.parts.exception() is None
    engine: object = one.parts.result().engine if is_open else None
    return isinstance(engine, NoticesChanges) and engine.is_outdated


def _state_of(index: str) -> list[int]:
    """A state that changes when an index folder is replaced or updated; empty for any other corpus."""
    if index == STARTER or server_of(index):
        return []
    try:
        found = (Path(index) / MANIFEST).stat()
    except OSError:
        return []
    return [found.st_ino, found.st_mtime_ns, found.st_size]
