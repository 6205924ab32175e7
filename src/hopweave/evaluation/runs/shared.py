"""The opened parts that the cells of a run share."""

from __future__ import annotations

from contextlib import AsyncExitStack, suppress
from pathlib import Path

from hopweave.core.errors import HopweaveError
from hopweave.core.indexing import SearchesFolder
from hopweave.core.redaction import public_address
from hopweave.evaluation.integrity import manifest as manifest_file
from hopweave.evaluation.runs.folder import RunFolder
from hopweave.evaluation.runs.limiter import Limited, Turns, limited
from hopweave.evaluation.runs.paths import base_of
from hopweave.evaluation.runs.prepare import Prepared
from hopweave.evaluation.runs.progress import Cell
from hopweave.run.components import Components
from hopweave.run.opening import open_retriever, search_workers
from hopweave.run.store.store import Store
from hopweave.run.store.stores import open_store
from hopweave.run.trust import PLAN
from hopweave.run.weaver import Weaver

DEFAULT_PARALLEL = 8
"""Concurrent calls where neither the endpoint nor the user gives a number."""


class SharedComponents:
    """The opened parts that the cells share: one model, one store, and a retriever for each corpus.

    Raises:
        SettingsError: for an unknown model or option, or an invalid value.
        MissingExtra: if a library that the model needs is not installed.
    """

    def __init__(self, prepared: Prepared) -> None:
        settings = prepared.settings
        model = settings.part("llms", settings.llm)
        self.prepared = prepared
        self.max_parallel: int | None = model.abilities.max_parallel
        self.llm: Limited = limited(model, Turns(self.max_parallel or DEFAULT_PARALLEL))
        self._shared = Components(self.llm)
        self.components: dict[str, Components] = {}
        self.weavers: dict[Cell, Weaver] = {}

    def open(self) -> None:
        """Opens everything but the store.

        Raises:
            SettingsError, DataError, MissingExtra: for anything that the user has to fix first, as in `Weaver`.
        """
        settings = self.prepared.settings
        self._shared = Components(
            self.llm,
            reader=settings.part("readers", settings.reader),
            duplicate_detector=settings.part("duplicate_detectors", settings.duplicate_detector),
            sampling=settings.make_sampling(),
            retries=settings.make_retries(),
            workers=search_workers(settings),
        )
        for cell in self.prepared.cells:
            own, corpus = self.prepared.settings_of(cell), self.prepared.corpus_of(cell.dataset)
            if corpus not in self.components:
                self.components[corpus] = self._shared.over(*open_retriever(own))
            components = self.components[corpus]
            has_seed = self.prepared.plan.methods[cell.method].seed is not None
            self.weavers[cell] = Weaver(own, components=components.sampled(own.make_sampling()) if has_seed else components)

    async def open_model(self) -> None:
        """Gets the model ready, so that no question's time includes it.

        Errors are left to the first call: there may be none, if the store has all replies.
        """
        if self.prepared.settings.store.mode != "replay":
            with suppress(HopweaveError):
                await self.llm.open()

    def keep_replies_in(self, folder: RunFolder) -> None:
        """Opens the store at `store_path`.

        Raises:
            SettingsError, DataError, MissingExtra: as in `open_store`.
        """
        self.use_store(open_store(self.store_path(folder), self.prepared.settings.store.mode))

    def use_store(self, store: Store) -> None:
        """Makes all cells keep their replies in a store."""
        for components in (*self.components.values(), *(weaver.components for weaver in self.weavers.values())):
            components.store = store

    @property
    def num_unreadable(self) -> int:
        """How many replies of the store could not be read."""
        store = next((components.store for components in self.components.values()), None)
        return 0 if store is None else store.num_unreadable

    async def close(self) -> None:
        """Releases everything."""
        async with AsyncExitStack() as stack:
            for components in (self._shared, *self.components.values()):
                stack.push_async_callback(components.close)

    def manifest(self, folder: RunFolder, known: manifest_file.Manifest | None) -> manifest_file.Manifest:
        """What the run depends on, as it is now; unchanged files keep their earlier hash.

        Indexes are listed under the names that the plan on disk has for them, whatever they are called in this session.
        """
        prepared, reader = self.prepared, self._shared.reader
        before = manifest_file.known_files(known, folder.path) if known is not None else {}
        names = {folder.corpus_of(label): prepared.corpus_of(label) for label in prepared.datasets}
        engines = {
            name: self.components[corpus] for name, corpus in names.items() if self.components[corpus].engine is not None
        }
        searched: dict[str, object] = {name: components.engine for name, components in engines.items()}

        def hashed(path: Path) -> manifest_file.Source:
            return manifest_file.hash_source(path, before.get(path.resolve()))

        return manifest_file.Manifest(
            plan=manifest_file.hash_file(folder.path / PLAN),
            datasets={
                label: manifest_file.DrawnExamples(
                    tuple(map(hashed, prepared.files_of(label))),
                    len(prepared.examples[label]),
                    manifest_file.hash_file(folder.examples_path(label)),
                    prepared.wholes.get(label) or _whole_of(known, label),
                )
                for label in prepared.datasets
            },
            indexes={name: hashed(engine.index) for name, engine in searched.items() if isinstance(engine, SearchesFolder)},
            llm=self.llm.identity,
            reader=reader.identity if reader is not None else "",
            retrievers={name: components.retriever_identity for name, components in engines.items()},
            methods={cell.method: weaver.setup(weaver.budget).options for cell, weaver in self.weavers.items()},
            settings=folder.plan.settings,
            base=base_of(folder.path),
        )

    def store_path(self, folder: RunFolder) -> Path | str:
        """Where this session keeps replies: the run's own store, unless the settings name one."""
        named = self.prepared.settings.store
        return named.path if "path" in named.model_fields_set else folder.store_path

    def store_of(self, folder: RunFolder) -> str | None:
        """Where this session keeps replies, as `manifest.RunSession.store` says."""
        named = self.prepared.settings.store
        if named.mode == "off":
            return None
        path = self.store_path(folder)
        return "" if path == folder.store_path else public_address(str(path))


def _whole_of(known: manifest_file.Manifest | None, label: str) -> str:
    """The examples that a shard's are a part of, as its manifest says."""
    drawn = known.datasets.get(label) if known is not None else None
    return drawn.whole if drawn is not None else ""
