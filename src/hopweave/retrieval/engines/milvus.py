"""Milvus: its own BM25 function, and vectors; a cluster, or a file that this process opens itself (Milvus Lite).

The terms are those of `bm25`, sent as a text that Milvus only splits at blanks. Title and text together are one field, the
title another; Milvus scores each with k1 = 1.2 and b = 0.75. A search takes the best 100 passages (or 4 for each requested
hit) of both fields, and adds up:

    bm25(title and text) + title_weight * bm25(title)

A passage that is among the best of only one field gets no score for the other. Milvus counts terms by segment, so scores can
depend on the distribution of passages over segments.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Annotated, Any, ClassVar

from hopweave.core.catalog import require
from hopweave.core.errors import DataError
from hopweave.core.indexing import AddressForm
from hopweave.core.visibility import FIELDS
from hopweave.retrieval.servers.server import STATES, Server, Shown
from hopweave.retrieval.servers.server_address import ServerAddress
from hopweave.retrieval.servers.server_engine import ServerEngine
from hopweave.retrieval.servers.server_rows import Found, Row, State

__all__ = ["Milvus"]

NEEDS_EXTRA = "milvus"

_MAX_BYTES = 65_535
_MAX_HITS = 16_384
_MIN_DEPTH, _DEPTH_PER_HIT = 100, 4
_FIELDS = ("terms", "title_terms")
_MAX_FILTER_VALUES, _MAX_FILTER_BYTES = 1024, 8192
_MOST_TEMPORARY_CODE = 99
"""Error codes up to this one mean that the service is not ready, overloaded, or unavailable."""


@dataclass(eq=False, repr=False)
class Milvus(ServerEngine):
    """Finds passages in Milvus by words or by vectors.

    The address is `milvus://HOST:PORT/DATABASE#COLLECTION`, or `milvus:///FILE.db#COLLECTION` for Milvus Lite, which one
    process at a time can open.
    """

    ADDRESS: ClassVar[AddressForm] = AddressForm(
        "milvus", "milvus://HOST:19530/DATABASE#COLLECTION, or milvus:///FILE.db#COLLECTION"
    )

    password_env: Annotated[str, "environment variable with the password, or the token if there is no user"] = "MILVUS_TOKEN"  # noqa: S105 - the name of a variable

    def _connect(self, at: ServerAddress, password: str) -> Server:
        library = require("pymilvus", NEEDS_EXTRA)
        if at.is_file:
            require("milvus_lite", NEEDS_EXTRA)
            return _Connection(library, library.MilvusClient(at.path), self.timeout_seconds)
        host = f"[{at.host}]" if ":" in at.host else at.host
        login = {"user": at.user, "password": password} if at.user else {"token": password}
        client = library.MilvusClient(
            f"{'https' if self._uses_tls else 'http'}://{host}:{at.port or 19530}",
            db_name=at.path,
            timeout=self.timeout_seconds,
            **login,
            **({"server_pem_path": str(self.ca_certificate)} if self.ca_certificate is not None else {}),
        )
        return _Connection(library, client, self.timeout_seconds)

    def _is_temporary(self, error: Exception) -> bool:
        library = require("pymilvus", NEEDS_EXTRA)
        grpc = require("grpc", NEEDS_EXTRA)
        if isinstance(error, library.MilvusException):
            return bool(error.code <= _MOST_TEMPORARY_CODE)
        return isinstance(error, grpc.RpcError | TimeoutError | ConnectionError)


class _Connection:
    """A client; see `Server`."""

    def __init__(self, library: Any, client: Any, seconds: float) -> None:
        self._library = library
        self._client = client
        self._seconds = seconds
        self._loaded: set[str] = set()

    def state(self, collection: str) -> str | None:
        if not self._client.has_collection(STATES, timeout=self._seconds):
            return None
        found = self._query(STATES, f'name == "{collection}"', "state")
        return found[0] if found else None

    def put_state(self, collection: str, state: str) -> None:
        if not self._client.has_collection(STATES, timeout=self._seconds):
            schema, index = self._new_schema("name")
            self._add_texts(schema, "state")
            # Every collection needs a vector field.
            schema.add_field("unused", self._library.DataType.FLOAT_VECTOR, dim=2)
            index.add_index("unused", index_type="FLAT", metric_type="L2")
            self._create(STATES, schema, index)
        self._client.upsert(STATES, [{"name": collection, "state": state, "unused": [0.0, 0.0]}], timeout=self._seconds)

    def create(self, state: State, *, exact: bool) -> None:
        self.drop(state)
        library = self._library
        schema, index = self._new_schema("key")
        self._add_texts(schema, "document", "content")
        for name in FIELDS:
            kinds = {"datatype": library.DataType.ARRAY, "element_type": library.DataType.VARCHAR}
            schema.add_field(name, max_capacity=_MAX_FILTER_VALUES, max_length=_MAX_FILTER_BYTES, **kinds)
        for name in _FIELDS:
            schema.add_field(
                name,
                library.DataType.VARCHAR,
                max_length=_MAX_BYTES,
                enable_analyzer=True,
                analyzer_params={"tokenizer": "standard"},
            )
            schema.add_field(f"{name}_bm25", library.DataType.SPARSE_FLOAT_VECTOR)
            function = library.Function(
                name=f"{name}_function",
                function_type=library.FunctionType.BM25,
                input_field_names=[name],
                output_field_names=[f"{name}_bm25"],
            )
            schema.add_function(function)
            values = {"bm25_k1": 1.2, "bm25_b": 0.75}
            index.add_index(f"{name}_bm25", index_type="SPARSE_INVERTED_INDEX", metric_type="BM25", params=values)
        if state.dimensions:
            schema.add_field("vector", library.DataType.FLOAT_VECTOR, dim=state.dimensions)
            index.add_index("vector", index_type="FLAT" if exact else "HNSW", metric_type="COSINE")
        self._create(state.data, schema, index)

    def put(self, state: State, rows: Sequence[Row]) -> None:
        values = [self._values(row, state) for row in rows]
        self._client.upsert(state.data, values, timeout=self._seconds)

    def held(self, state: State, keys: Sequence[str], documents: Sequence[str]) -> list[str]:
        wanted = [("key", keys), ("document", documents)]
        # Keys are hexadecimal, so nothing in them needs quoting.
        return self._query(
            state.data, " or ".join(f"{name} in {list(values)!r}" for name, values in wanted if values), "content"
        )

    def remove(self, state: State, keys: Sequence[str]) -> None:
        self._client.delete(state.data, ids=list(keys), timeout=self._seconds)

    def finish(self, state: State) -> int:
        self._client.flush(state.data)
        self._load(state.data)
        [counted] = self._client.query(state.data, filter="", output_fields=["count(*)"], timeout=self._seconds)
        return int(counted["count(*)"])

    def drop(self, state: State) -> None:
        self._loaded.discard(state.data)
        if self._client.has_collection(state.data, timeout=self._seconds):
            self._client.drop_collection(state.data, timeout=self._seconds)

    def between(self, state: State, first: str, end: str) -> list[str]:
        return self._query(state.data, f'key >= "{first}" and key < "{end}"', "content")

    def by_terms(
        self, state: State, queries: Sequence[Counter[str]], max_hits: int, title_weight: float, shown: Shown
    ) -> list[Found]:
        texts = [" ".join(terms.elements()) for terms in queries]
        depth = min(_MAX_HITS, max(_MIN_DEPTH, _DEPTH_PER_HIT * max_hits))
        sums: list[dict[str, float]] = [defaultdict(float) for _ in queries]
        contents: dict[str, str] = {}
        for name, weight in zip(_FIELDS, (1.0, title_weight), strict=True):
            found = self._search(state, texts, f"{name}_bm25", depth, shown) if weight else ()
            for scores, hits in zip(sums, found, strict=False):
                for hit in hits:  # Milvus Lite reports the score with a minus
                    scores[hit["key"]] += weight * abs(hit["distance"])
                    contents[hit["key"]] = hit["entity"]["content"]
        best = [sorted(((-score, key) for key, score in scores.items()))[:max_hits] for scores in sums]
        return [[(-negated, contents[key]) for negated, key in of_one] for of_one in best]

    def by_vectors(
        self, state: State, vectors: Sequence[Sequence[float]], max_hits: int, shown: Shown, *, exact: bool
    ) -> list[Found]:
        del exact  # the collection's index determines that
        found = self._search(state, [list(vector) for vector in vectors], "vector", min(_MAX_HITS, max_hits), shown)
        return [[(float(hit["distance"]), hit["entity"]["content"]) for hit in hits] for hits in found]

    def close(self) -> None:
        self._client.close()

    def _values(self, row: Row, state: State) -> dict[str, Any]:
        values: dict[str, Any] = {
            "key": row.key,
            "document": row.document,
            "content": row.content,
            "terms": " ".join(row.terms.elements()),
            "title_terms": " ".join(row.title_terms.elements()),
        }
        longest = max(len(text.encode()) for text in values.values())
        if longest > _MAX_BYTES:
            raise DataError(
                f"a passage of {longest:,} bytes is too long for Milvus, which takes {_MAX_BYTES:,}; "
                "cut the texts with --max-words"
            )
        values |= {name: list(row.filters[name]) for name in FIELDS} if state.has_filters else {}
        return values | ({"vector": list(row.vector)} if state.dimensions else {})

    def _new_schema(self, key: str) -> tuple[Any, Any]:
        schema = self._client.create_schema(auto_id=False)
        schema.add_field(key, self._library.DataType.VARCHAR, is_primary=True, max_length=64)
        return schema, self._client.prepare_index_params()

    def _add_texts(self, schema: Any, *names: str) -> None:
        for name in names:
            schema.add_field(name, self._library.DataType.VARCHAR, max_length=_MAX_BYTES)

    def _create(self, name: str, schema: Any, index: Any) -> None:
        self._client.create_collection(
            name, schema=schema, index_params=index, consistency_level="Strong", timeout=self._seconds
        )

    def _load(self, name: str) -> None:
        if name not in self._loaded:
            self._client.load_collection(name, timeout=self._seconds)
            self._loaded.add(name)

    def _query(self, name: str, wanted: str, field: str) -> list[str]:
        self._load(name)
        rows = self._client.query(name, filter=wanted, output_fields=[field], limit=_MAX_HITS, timeout=self._seconds)
        if len(rows) == _MAX_HITS:  # there may be more, which are fetched in parts
            parts = self._client.query_iterator(
                name, filter=wanted, output_fields=[field], batch_size=_MAX_HITS, timeout=self._seconds
            )
            rows = list(chain.from_iterable(iter(parts.next, [])))
            parts.close()
        return [row[field] for row in rows]

    def _search(self, state: State, data: list[Any], field: str, max_hits: int, shown: Shown) -> Any:
        self._load(state.data)
        wanted = " and ".join(f"array_contains_any({name}, {json.dumps(values, ensure_ascii=False)})" for name, values in shown)
        more = {"filter": wanted, "output_fields": ["content"], "timeout": self._seconds}
        return self._client.search(state.data, data=data, anns_field=field, limit=max_hits, **more)
