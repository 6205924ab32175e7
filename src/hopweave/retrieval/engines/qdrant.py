"""Qdrant: BM25 as sparse vectors, and dense vectors; a server, or a folder that this process opens itself.

Each term of `bm25` is one dimension of a sparse vector, numbered by a 32-bit hash; the terms of the title have additional
dimensions. The weight of a term in a passage is set at loading; its rarity is computed by Qdrant (`modifier=idf`) when
searching:

    bm25(title and text) + title_weight * bm25(title)          k1 = 1.2, b = 0.75

Lengths are relative to the mean of the first 500 passages, since the mean of all is not known while loading.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Annotated, Any, ClassVar
from uuid import UUID

from hopweave.core.catalog import require
from hopweave.core.indexing import AddressForm
from hopweave.core.visibility import FIELDS
from hopweave.retrieval.servers.server import STATES, Server, Shown
from hopweave.retrieval.servers.server_address import ServerAddress
from hopweave.retrieval.servers.server_engine import ServerEngine
from hopweave.retrieval.servers.server_rows import BATCH, Found, Row, State

__all__ = ["Qdrant"]

NEEDS_EXTRA = "qdrant"


@dataclass(eq=False, repr=False)
class Qdrant(ServerEngine):
    """Finds passages in Qdrant by words or by vectors.

    The address is `qdrant://HOST:PORT#COLLECTION`, or `qdrant:///FOLDER#COLLECTION` for the client's local mode, which reads
    all vectors for each query and is meant for up to 20,000 passages.
    """

    ADDRESS: ClassVar[AddressForm] = AddressForm("qdrant", "qdrant://HOST:6333#COLLECTION, or qdrant:///FOLDER#COLLECTION")

    password_env: Annotated[str, "environment variable that holds the API key"] = "QDRANT_API_KEY"  # noqa: S105 - the name of a variable

    def _connect(self, at: ServerAddress, password: str) -> Server:
        library = require("qdrant_client", NEEDS_EXTRA)
        if at.is_file:  # searches run in another thread than the one that opens it
            client = library.QdrantClient(path=at.path, force_disable_check_same_thread=True)
        else:
            host = f"[{at.host}]" if ":" in at.host else at.host
            client = library.QdrantClient(
                url=f"{'https' if self._uses_tls else 'http'}://{host}:{at.port or 6333}/{at.path}".rstrip("/"),
                api_key=password or None,
                timeout=max(1, round(self.timeout_seconds)),
                check_compatibility=False,
                **({"verify": str(self.ca_certificate)} if self.ca_certificate is not None else {}),
            )
        return _Connection(client, library.models, is_local=at.is_file)

    def _is_temporary(self, error: Exception) -> bool:
        errors = require("qdrant_client.http.exceptions", NEEDS_EXTRA)
        busy = require("qdrant_client.common.client_exceptions", NEEDS_EXTRA).ResourceExhaustedResponse
        if isinstance(error, errors.UnexpectedResponse):
            return error.status_code == 429 or (error.status_code or 0) >= 500
        return isinstance(error, errors.ResponseHandlingException | busy)


class _Connection:
    """A client; see `Server`."""

    def __init__(self, client: Any, models: Any, *, is_local: bool) -> None:
        self._client = client
        self._models = models
        self._is_local = is_local

    def state(self, collection: str) -> str | None:
        if not self._client.collection_exists(STATES):
            return None
        found = self._client.retrieve(STATES, [_point_of_state(collection)])
        return str(found[0].payload["state"]) if found else None

    def put_state(self, collection: str, state: str) -> None:
        if not self._client.collection_exists(STATES):
            self._client.create_collection(STATES, vectors_config={})
        point = self._models.PointStruct(id=_point_of_state(collection), vector={}, payload={"state": state})
        self._client.upsert(STATES, [point], wait=True)

    def create(self, state: State, *, exact: bool) -> None:
        del exact  # the index is always built, and an exact search does not use it
        self.drop(state)
        cosine = self._models.VectorParams(size=max(1, state.dimensions), distance=self._models.Distance.COSINE)
        rare = self._models.SparseVectorParams(modifier=self._models.Modifier.IDF)
        self._client.create_collection(
            state.data,
            vectors_config={"dense": cosine} if state.dimensions else {},
            sparse_vectors_config={"terms": rare},
        )
        for name in () if self._is_local else ("key", "document", *FIELDS):
            self._client.create_payload_index(state.data, name, self._models.PayloadSchemaType.KEYWORD, wait=True)

    def put(self, state: State, rows: Sequence[Row]) -> None:
        points = []
        for row in rows:
            vectors: dict[str, Any] = {"dense": list(row.vector)} if state.dimensions else {}
            if row.terms:
                vectors["terms"] = self._sparse(_weights(row, state))
            payload: dict[str, Any] = {"key": row.key, "document": row.document, "content": row.content}
            payload |= {name: list(values) for name, values in row.filters.items()}
            points.append(self._models.PointStruct(id=str(UUID(row.key)), vector=vectors, payload=payload))
        self._client.upsert(state.data, points, wait=True)

    def held(self, state: State, keys: Sequence[str], documents: Sequence[str]) -> list[str]:
        wanted = [("key", keys), ("document", documents)]
        conditions = [
            self._models.FieldCondition(key=name, match=self._models.MatchAny(any=list(values)))
            for name, values in wanted
            if values
        ]
        return list(self._scrolled(state, self._models.Filter(should=conditions)))

    def remove(self, state: State, keys: Sequence[str]) -> None:
        self._client.delete(state.data, [str(UUID(key)) for key in keys], wait=True)

    def finish(self, state: State) -> int:
        return int(self._client.count(state.data, exact=True).count)

    def drop(self, state: State) -> None:
        if self._client.collection_exists(state.data):
            self._client.delete_collection(state.data)

    def between(self, state: State, first: str, end: str) -> list[str]:
        # Points are scrolled through in the order of their ids, which are the keys.
        found: list[str] = []
        after = str(UUID(first.ljust(32, "0")))
        while True:
            points, following = self._client.scroll(state.data, limit=BATCH, offset=after, with_payload=True)
            found += [point.payload["content"] for point in points if first <= point.payload["key"] < end]
            if following is None or (points and points[-1].payload["key"] >= end):
                return found
            after = following

    def by_terms(
        self, state: State, queries: Sequence[Counter[str]], max_hits: int, title_weight: float, shown: Shown
    ) -> list[Found]:
        asked = []
        for terms in queries:
            weights = {_dimension("", term): float(number) for term, number in terms.items()}
            if title_weight > 0:
                weights |= {_dimension("title", term): title_weight * number for term, number in terms.items()}
            asked.append(self._request(self._sparse(weights), "terms", max_hits, shown))
        return self._found(state, asked)

    def by_vectors(
        self, state: State, vectors: Sequence[Sequence[float]], max_hits: int, shown: Shown, *, exact: bool
    ) -> list[Found]:
        # The local mode is always exact, and warns about parameters without effect.
        more = {} if self._is_local else {"params": self._models.SearchParams(exact=exact)}
        return self._found(state, [self._request(list(vector), "dense", max_hits, shown, **more) for vector in vectors])

    def close(self) -> None:
        self._client.close()

    def _request(self, query: Any, using: str, max_hits: int, shown: Shown, **more: Any) -> Any:
        conditions = [
            self._models.FieldCondition(key=name, match=self._models.MatchAny(any=list(values))) for name, values in shown
        ]
        more |= {"filter": self._models.Filter(must=conditions)} if conditions else {}
        return self._models.QueryRequest(query=query, using=using, limit=max_hits, with_payload=True, **more)

    def _found(self, state: State, requests: Sequence[Any]) -> list[Found]:
        responses = self._client.query_batch_points(state.data, requests)
        return [[(float(point.score), point.payload["content"]) for point in response.points] for response in responses]

    def _sparse(self, weights: Mapping[int, float]) -> Any:
        numbers = sorted(weights)
        return self._models.SparseVector(indices=numbers, values=[weights[number] for number in numbers])

    def _scrolled(self, state: State, wanted: Any) -> Iterator[str]:
        after = None
        while True:
            points, after = self._client.scroll(state.data, scroll_filter=wanted, limit=BATCH, offset=after, with_payload=True)
            yield from (point.payload["content"] for point in points)
            if after is None:
                return


def _weights(row: Row, state: State) -> dict[int, float]:
    """The weight of each dimension of a passage; terms with the same number are added up."""
    weights: dict[int, float] = {}
    for field, terms, usual in (("", row.terms, state.usual_length), ("title", row.title_terms, state.usual_title_length)):
        length = terms.total() / usual
        for term, number in terms.items():
            dimension = _dimension(field, term)
            weight = number * 2.2 / (number + 1.2 * (0.25 + 0.75 * length))
            weights[dimension] = weights.get(dimension, 0.0) + weight
    return weights


def _dimension(field: str, term: str) -> int:
    return int.from_bytes(blake2b(f"{field} {term}".encode(), digest_size=4).digest(), "big")


def _point_of_state(collection: str) -> str:
    return str(UUID(blake2b(collection.encode(), digest_size=16).hexdigest()))
