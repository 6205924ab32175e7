"""The opened components that all questions of a run share; calls to an engine are collected into batches here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from copy import copy
from functools import partial
from threading import Lock, Thread
from typing import Any, TypeVar

from hopweave.core.errors import ReadError, SearchError, SettingsError
from hopweave.core.indexing import ListsPassages
from hopweave.core.memoize import Kept
from hopweave.core.protocols import DuplicateDetector, LanguageModel, ModelReader, ModelRetriever, Reader, Retriever
from hopweave.core.retries import Retries
from hopweave.core.types import Hit, Passage, Reading, Sampling
from hopweave.ingest.lookup import LooksUp
from hopweave.ingest.origin import KnowsOrigins, Origin
from hopweave.models.batching import Batcher
from hopweave.retrieval.workers.search_workers import SearchWorkers, SharedEngine
from hopweave.run.corpus_overview import Overview, overview_of
from hopweave.run.in_flight import InFlight, Once
from hopweave.run.store.store import Store, Stored
from hopweave.run.validation import lists_of_hits

Seen = TypeVar("Seen")


class Components:
    """The components that all questions of a run share: the opened model, engines and store, with their batchers.

    Args:
        llm: the language model.
        retriever: finds passages; not needed by every method.
        engine: the engine of a retriever that asks the model; any other retriever is its own engine.
        reader: extracts answers from passages.
        duplicate_detector: decides whether a query was asked before.
        store: the store of replies.
        sampling: the sampling that methods start from.
        retries: the retry policy for calls that may succeed later.
        workers: processes that search for this one.
        borrowed: those of the above that stay open when the others are closed.
    """

    def __init__(
        self,
        llm: LanguageModel,
        *,
        retriever: Retriever | ModelRetriever | None = None,
        engine: Retriever | None = None,
        reader: Reader | ModelReader | None = None,
        duplicate_detector: DuplicateDetector | None = None,
        store: Store | None = None,
        sampling: Sampling | None = None,
        retries: Retries | None = None,
        workers: SearchWorkers | None = None,
        borrowed: Sequence[object] = (),
    ) -> None:
        self.llm = llm
        self.retriever = retriever
        self.engine = engine if isinstance(retriever, ModelRetriever) else retriever
        self.reader = reader
        self.duplicate_detector = duplicate_detector
        self.store = store
        self.sampling = sampling or Sampling()
        self.retries = retries or Retries()
        self._borrowed = tuple(map(id, borrowed))
        self.in_flight: InFlight[Any] = InFlight()
        """Calls of the model in progress, by their key in the store."""
        self.offline_replies: dict[str, Stored] = {}
        """The outcomes of calls in offline stages, if there is no store to keep them."""
        self.written: Kept[tuple[Any, dict[str, str]]] = Kept()
        """Texts built from prompts for all questions, with those prompts; see `Workbench.written_once`."""
        self._offline_hits: Once[list[list[Hit]]] = Once()
        self._overview: Once[Overview | None] = Once()
        self._workers = workers
        self._search = Batcher(self._search_batch, "search", SearchError) if self.engine is not None else None
        self._shared = self._shared_out()
        self._look_up = Batcher(self._look_up_batch, "look-up", SearchError) if _looks_up(self.engine) else None
        self._asking_engine = Lock()
        self._read = Batcher(reader.read, "read", ReadError) if isinstance(reader, Reader) else None
        self._compare = Batcher(self._compare_batch, "duplicates") if duplicate_detector is not None else None

    @property
    def is_replay(self) -> bool:
        """Whether calls are answered only from the store."""
        return self.store is not None and self.store.mode == "replay"

    @property
    def retriever_identity(self) -> str:
        """Names the retriever and, if it asks the model, the underlying engine; empty if there is none."""
        named = (self.retriever, self.engine if self.engine is not self.retriever else None)
        return " over ".join(part.identity for part in named if part is not None)

    def over(self, retriever: Retriever | ModelRetriever | None, engine: Retriever | None) -> Components:
        """These components with another retriever and its engine. The others are shared: closing one closes it for both."""
        other = copy(self)
        other.retriever = retriever
        other.engine = engine if isinstance(retriever, ModelRetriever) else retriever
        other._offline_hits = Once()
        other._overview = Once()
        other._search = Batcher(other._search_batch, "search", SearchError) if other.engine is not None else None
        other._shared = other._shared_out()
        other._look_up = Batcher(other._look_up_batch, "look-up", SearchError) if _looks_up(other.engine) else None
        other._asking_engine = Lock()
        return other

    def sampled(self, sampling: Sampling) -> Components:
        """These components with another sampling to start from. The others are shared, as in `over`."""
        other = copy(self)
        other.sampling = sampling
        return other

    async def search(self, queries: Sequence[str], max_hits: int) -> list[list[Hit]]:
        """Hits of the engine for each query: from workers, or in one batch with concurrent requests.

        Raises:
            SearchError: if there is no engine, or it fails.
        """
        if self._search is None:
            raise SearchError("this method searches, but no corpus was given; name one with --corpus")
        if self._shared is not None:
            return await self._shared.search(queries, max_hits)
        return await self._search.ask([(query, max_hits) for query in queries])

    async def search_once(self, queries: Sequence[str], max_hits: int) -> list[list[Hit]]:
        """`search` for an offline stage: identical queries are sent only once for all questions."""
        found = await self._offline_hits.get((tuple(queries), max_hits), partial(self.search, queries, max_hits))
        return [list(hits) for hits in found]

    async def passage(self, passage_id: str) -> Passage | None:
        """The passage with an id, looked up in one batch with concurrent requests; `None` if the engine shows none.

        Raises:
            SearchError: if the engine cannot look passages up, or fails.
        """
        if self._look_up is None:
            raise SearchError("this retriever cannot look passages up by their ids; choose one that comes with hopweave")
        return (await self._look_up.ask([passage_id]))[0]

    async def origin(self, passage_id: str) -> Origin | None:
        """The file that a passage comes from, for a passage that exists; `None` if the engine does not know it.

        Raises:
            DataError: if the passage no longer exists, or the engine's data about its files is damaged.
        """
        return await asyncio.to_thread(self._origin, passage_id)

    async def overview(self) -> Overview | None:
        """How much the corpus holds, counted once; `None` if its engine cannot tell."""
        return await self._overview.get("", partial(asyncio.to_thread, self._counted))

    async def listed(self, look: Callable[[Iterator[Passage]], Seen]) -> Seen | None:
        """What a function makes of all passages, including hidden ones; `None` if the engine cannot list them."""
        return await asyncio.to_thread(self._listed, look)

    async def read(self, query: str, passage: Passage) -> Reading:
        """A reading by an engine, in one batch with concurrent requests.

        Raises:
            ReadError: if there is no reader that is an engine, or it fails.
        """
        if self._read is None:
            raise ReadError("this method reads passages, but no reader was given; name one with --reader")
        return (await self._read.ask([(query, passage)]))[0]

    async def duplicate_of(self, query: str, seen: Sequence[str]) -> int | None:
        """Position of the earlier query that this one repeats.

        Raises:
            SettingsError: if there is no duplicate detector.
        """
        if self._compare is None:
            raise SettingsError("no duplicate detector was given; set duplicate_detector = 'keywords'")
        return (await self._compare.ask([(query, tuple(seen))]))[0]

    async def close(self) -> None:
        """Closes everything that is not borrowed, even if one component fails to close."""
        async with AsyncExitStack() as stack:
            if id(self.llm) not in self._borrowed:
                stack.push_async_callback(self.llm.close)
            if self.store is not None and id(self.store) not in self._borrowed:
                stack.callback(self.store.close)
            if id(self.engine) not in self._borrowed:
                stack.callback(self._close_idle_engine)
            for batcher in (self._search, self._look_up, self._read, self._compare):
                if batcher is not None:
                    stack.push_async_callback(batcher.close)
            if self._workers is not None:
                stack.push_async_callback(self._workers.close)

    async def close_engine(self) -> None:
        """Closes only the engine, for components made with `over`, the rest of which is shared."""
        for batcher in (self._search, self._look_up):
            if batcher is not None:
                await batcher.close()
        if self._shared is not None:
            self._shared.close()
        self._close_idle_engine()

    def _close_idle_engine(self) -> None:
        """Closes the engine; while it is still busy with something that nobody waits for any more, a thread does it then."""
        if self.engine is None:
            return
        if self._asking_engine.acquire(blocking=False):
            try:
                self.engine.close()
            finally:
                self._asking_engine.release()
        else:
            Thread(target=self._close_engine_later, args=(self.engine,), name="close-engine").start()

    def _close_engine_later(self, engine: Retriever) -> None:
        with self._asking_engine:
            engine.close()

    def _shared_out(self) -> SharedEngine | None:
        """The engine as workers search it; `None` if they cannot, or there are none."""
        return self._workers.shared(self.engine, self._search.ask) if self._workers and self._search else None

    def _search_batch(self, items: Sequence[tuple[str, int]]) -> list[list[Hit]]:
        # One engine pass per depth: for approximate engines, the start of a longer list may differ from a shorter one.
        results: list[list[Hit]] = [[] for _ in items]
        for max_hits in sorted({depth for _, depth in items}):
            positions = [index for index, (_, depth) in enumerate(items) if depth == max_hits]
            with self._asking_engine:  # it serves one thread at a time
                queries = [items[index][0] for index in positions]
                found = lists_of_hits(self.engine.search(queries, max_hits), len(queries), self.engine) if self.engine else []
            for index, hits in zip(positions, found, strict=True):
                results[index] = hits
        return results

    def _look_up_batch(self, ids: Sequence[str]) -> list[Passage | None]:
        engine: Any = self.engine
        with self._asking_engine:
            found = engine.passages_of(ids, documents=False)
        by_id = {passage.id: passage for passage in found}
        return [by_id.get(one) for one in ids]

    def _origin(self, passage_id: str) -> Origin | None:
        engine: object = self.engine
        if not isinstance(engine, KnowsOrigins):
            return None
        with self._asking_engine:
            return engine.origin_of(passage_id)

    def _counted(self) -> Overview | None:
        with self._asking_engine:
            return overview_of(self.engine)

    def _listed(self, look: Callable[[Iterator[Passage]], Seen]) -> Seen | None:
        engine: object = self.engine
        if not isinstance(engine, ListsPassages):
            return None
        with self._asking_engine:
            return look(engine.all_passages())

    def _compare_batch(self, items: Sequence[tuple[str, tuple[str, ...]]]) -> list[int | None]:
        return [self.duplicate_detector.duplicate_of(query, seen) if self.duplicate_detector else None for query, seen in items]


def _looks_up(engine: object) -> bool:
    return isinstance(engine, LooksUp)
