"""Several engines combined, fused by rank: bm25 for the words, dense for the meaning, or any others.

Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009): a passage scores the sum over the engines of
weight / (k + rank), with ranks from 1 and k = 60. Equal scores are ordered by passage id.

Calls of a model: none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar

from hopweave.core.errors import SearchError, SettingsError
from hopweave.core.indexing import Elsewhere, IndexTraits
from hopweave.core.options import Count, check_options
from hopweave.core.protocols import Retriever, WordSearcher
from hopweave.core.ranking import RRF_K, fused_by_rank
from hopweave.core.types import Hit
from hopweave.core.visibility import PUBLIC, Visible
from hopweave.retrieval.opened_engines import opened


@dataclass(eq=False)
class Hybrid:
    """Fuses the rankings of engines that ask no model, each over its own index of the same passages.

    Raises:
        SettingsError: for fewer than two engines, one that asks the model, or a different number of weights.
        DataError: if an index cannot be opened, with what to do.
        MissingExtra: if a library that an engine needs is not installed.
    """

    INDEX: ClassVar[IndexTraits] = IndexTraits(of="bm25")

    index: Annotated[Path, "folder of the bm25 index, which contains those of other engines under their names (INDEX/dense)"]
    engines: Annotated[tuple[str, ...], "two or more engines, such as bm25 and dense"] = ("bm25", "dense")
    indexes: Annotated[Mapping[str, Path], "folders of engines whose index is elsewhere, by their names"] = field(
        default_factory=dict
    )
    weights: Annotated[tuple[float, ...], "the weight of each engine, in the order of engines; none: all the same"] = ()
    k: Annotated[Count, "the larger, the smaller the advantage of the first ranks over later ones"] = RRF_K
    depth: Annotated[Count, "hits requested from each engine, or the number of results if that is larger"] = 100
    engine_options: Annotated[Mapping[str, Mapping[str, Any]], "options of the engines, by name; as in retrievers.NAME"] = (
        field(default_factory=dict)
    )
    visible: Annotated[Visible, "which passages may be shown; from the settings access and where"] = PUBLIC

    def __post_init__(self) -> None:
        check_options(self)
        if len(set(self.engines)) < max(2, len(self.engines)):
            raise SettingsError(f"hybrid engines must be two or more different ones, not {', '.join(self.engines) or 'none'}")
        if self.weights and (len(self.weights) != len(self.engines) or not all(0 < one < 1e6 for one in self.weights)):
            raise SettingsError(f"hybrid weights must be {len(self.engines)} numbers above 0, one for each engine")
        self.index = Path(self.index)
        places = {name: Path(self.indexes.get(name, self.index)) for name in self.engines}
        self._engines: tuple[Retriever, ...] | None = tuple(
            opened(name, place, self.engine_options, "retrievers.hybrid", self.visible) for name, place in places.items()
        )
        named = " + ".join(engine.identity for engine in self._engines)
        self.identity = f"hybrid k={self.k} weights={self._weights} depth={self.depth} over {named}"

    @property
    def elsewhere(self) -> Elsewhere | None:
        """See `core.indexing.OpensElsewhere`."""
        return Elsewhere.of(self, parts=self._engines or ())

    def search(self, queries: Sequence[str], max_hits: int) -> list[list[Hit]]:
        """See `core.protocols.Retriever`. A passage that several engines find gets a share of its score from each."""
        if self._engines is None:
            raise SearchError(f"the hybrid retriever on {self.index} is closed")
        if max_hits < 1:
            return [[] for _ in queries]
        found = [engine.search(queries, max(self.depth, max_hits)) for engine in self._engines]
        return [fused_by_rank(lists, self._weights, self.k, max_hits) for lists in zip(*found, strict=True)]

    def has_terms(self, query: str) -> bool:
        """Whether one of the engines can search for it; see `core.protocols.WordSearcher`."""
        return any(not isinstance(engine, WordSearcher) or engine.has_terms(query) for engine in self._engines or ())

    def close(self) -> None:
        """Closes the engines."""
        for engine in self._engines or ():
            engine.close()
        self._engines = None

    @property
    def _weights(self) -> tuple[float, ...]:
        return self.weights or (1.0,) * len(self.engines)
