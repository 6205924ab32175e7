"""Elasticsearch or OpenSearch: BM25 of Lucene, and vectors, over HTTP.

The terms are those of `bm25`, sent as a text that the server only splits at blanks (the analyzer `whitespace`). Title and text
together are one field, the title another, both scored by Lucene with its defaults, k1 = 1.2 and b = 0.75:

    bm25(title and text) + title_weight * bm25(title)

Document frequencies are those of each shard. Only the standard library is used, since the official client of Elasticsearch
refuses to talk to OpenSearch, and vice versa.
"""

from __future__ import annotations

import base64
import http.client
import json
import ssl
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from hopweave.core.indexing import AddressForm
from hopweave.core.visibility import FIELDS
from hopweave.retrieval.servers.server import STATES, Server, Shown
from hopweave.retrieval.servers.server_address import ServerAddress
from hopweave.retrieval.servers.server_engine import ServerEngine
from hopweave.retrieval.servers.server_rows import Found, Row, State

__all__ = ["Elasticsearch"]

_PAGE = 1000
_TEMPORARY = frozenset({408, 429, 500, 502, 503, 504})
_MAX_SAID = 200


@dataclass(eq=False, repr=False)
class Elasticsearch(ServerEngine):
    """Finds passages in Elasticsearch or OpenSearch by words or by vectors.

    The address is `elasticsearch://HOST:PORT#COLLECTION`, for both.
    """

    ADDRESS: ClassVar[AddressForm] = AddressForm("elasticsearch", "elasticsearch://HOST:9200#COLLECTION")

    password_env: Annotated[str, "environment variable with the password, or the API key if there is no user"] = (
        "ELASTICSEARCH_API_KEY"  # noqa: S105 - the name of a variable
    )

    def _connect(self, at: ServerAddress, password: str) -> Server:
        port = at.port or 9200
        if self._uses_tls:
            trusted = ssl.create_default_context(cafile=str(self.ca_certificate) if self.ca_certificate is not None else None)
            line: http.client.HTTPConnection = http.client.HTTPSConnection(
                at.host, port, timeout=self.timeout_seconds, context=trusted
            )
        else:
            line = http.client.HTTPConnection(at.host, port, timeout=self.timeout_seconds)
        header = {}
        if password:
            login = base64.b64encode(f"{at.user}:{password}".encode()).decode()
            header = {"Authorization": f"Basic {login}" if at.user else f"ApiKey {password}"}
        return _Connection(line, f"/{at.path}".rstrip("/"), header)

    def _is_temporary(self, error: Exception) -> bool:
        if isinstance(error, _Refused):
            return error.status in _TEMPORARY
        return isinstance(error, OSError | http.client.HTTPException) and not isinstance(error, ssl.SSLCertVerificationError)


class _Refused(Exception):
    """A response that is an error.

    Attributes:
        status: the HTTP status, or that of a part of the response.
    """

    def __init__(self, status: int, said: object) -> None:
        text = said if isinstance(said, str) else json.dumps(said)
        super().__init__(f"status {status}: {text[:_MAX_SAID]}")
        self.status = status


class _Connection:
    """A connection to a cluster; see `Server`."""

    def __init__(self, line: http.client.HTTPConnection, prefix: str, headers: Mapping[str, str]) -> None:
        self._line = line
        self._prefix = prefix
        self._headers = dict(headers)
        self._opensearch: bool | None = None

    def state(self, collection: str) -> str | None:
        found = self._ask("GET", f"/{STATES}/_doc/{collection}", missing_ok=True)
        return str(found["_source"]["state"]) if found is not None else None

    def put_state(self, collection: str, state: str) -> None:
        self._ask("PUT", f"/{STATES}/_doc/{collection}?refresh=true", {"state": state})

    def create(self, state: State, *, exact: bool) -> None:
        self.drop(state)
        stored = {"type": "keyword", "index": False, "doc_values": False}
        properties: dict[str, Any] = {
            "key": {"type": "keyword"},
            "document": {"type": "keyword"},
            "content": stored,
            "terms": {"type": "text", "analyzer": "whitespace"},
            "title_terms": {"type": "text", "analyzer": "whitespace"},
            **{name: {"type": "keyword"} for name in FIELDS},
        }
        settings: dict[str, Any] = {}
        if state.dimensions and self._is_opensearch():
            method = {"name": "hnsw", "space_type": "cosinesimil", "engine": "lucene"}
            properties["vector"] = {"type": "knn_vector", "dimension": state.dimensions}
            properties["vector"] |= {} if exact else {"method": method}
            settings = {} if exact else {"settings": {"index": {"knn": True}}}
        elif state.dimensions:
            similarity = {} if exact else {"similarity": "cosine"}
            properties["vector"] = {"type": "dense_vector", "dims": state.dimensions, "index": not exact} | similarity
        self._ask("PUT", f"/{state.data}", settings | {"mappings": {"dynamic": False, "properties": properties}})

    def put(self, state: State, rows: Sequence[Row]) -> None:
        lines: list[Any] = []
        for row in rows:
            source: dict[str, Any] = {
                "key": row.key,
                "document": row.document,
                "content": row.content,
                "terms": " ".join(row.terms.elements()),
                "title_terms": " ".join(row.title_terms.elements()),
            }
            source |= {name: list(row.filters[name]) for name in FIELDS} if state.has_filters else {}
            lines += [{"index": {"_id": row.key}}, source | ({"vector": list(row.vector)} if state.dimensions else {})]
        self._bulk(state, lines)

    def held(self, state: State, keys: Sequence[str], documents: Sequence[str]) -> list[str]:
        if not state.is_ready:  # otherwise it was refreshed when it was finished, and a reader may not have permission
            self._ask("POST", f"/{state.data}/_refresh")
        either = [{"terms": {"key": list(keys)}}, {"terms": {"document": list(documents)}}]
        return self._all(state, {"bool": {"should": either}})

    def remove(self, state: State, keys: Sequence[str]) -> None:
        self._bulk(state, [{"delete": {"_id": key}} for key in keys])

    def finish(self, state: State) -> int:
        self._ask("POST", f"/{state.data}/_refresh")
        return int(self._ask("GET", f"/{state.data}/_count")["count"])

    def drop(self, state: State) -> None:
        self._ask("DELETE", f"/{state.data}", missing_ok=True)

    def between(self, state: State, first: str, end: str) -> list[str]:
        return self._all(state, {"range": {"key": {"gte": first, "lt": end}}})

    def by_terms(
        self, state: State, queries: Sequence[Counter[str]], max_hits: int, title_weight: float, shown: Shown
    ) -> list[Found]:
        weights = [(name, weight) for name, weight in (("terms", 1.0), ("title_terms", title_weight)) if weight > 0]
        asked = []
        for terms in queries:
            either = [
                {"term": {name: {"value": term, "boost": weight * number}}}
                for name, weight in weights
                for term, number in terms.items()
            ]
            # With a filter, no `should` clause has to match unless `minimum_should_match` is set.
            more = {"minimum_should_match": 1, "filter": _filters(shown)} if shown else {}
            asked.append({"query": {"bool": {"should": either, **more}}})
        return self._searched(state, asked, max_hits)

    def by_vectors(
        self, state: State, vectors: Sequence[Sequence[float]], max_hits: int, shown: Shown, *, exact: bool
    ) -> list[Found]:
        asked = [self._near(list(vector), max_hits, shown, exact=exact) for vector in vectors]
        # Both add 1 to an exact cosine, and also halve an approximate one, since scores cannot be negative.
        factor = 1 if exact else 2
        return [[(factor * score - 1, content) for score, content in found] for found in self._searched(state, asked, max_hits)]

    def close(self) -> None:
        self._line.close()

    def _near(self, vector: list[float], max_hits: int, shown: Shown, *, exact: bool) -> dict[str, Any]:
        among: dict[str, Any] = {"bool": {"filter": _filters(shown)}} if shown else {"match_all": {}}
        only = {"filter": among} if shown else {}
        if self._is_opensearch():
            if not exact:
                return {"query": {"knn": {"vector": {"vector": vector, "k": max_hits, **only}}}}
            values = {"field": "vector", "query_value": vector, "space_type": "cosinesimil"}
            script = {"source": "knn_score", "lang": "knn", "params": values}
        elif not exact:
            near = {"field": "vector", "query_vector": vector, "k": max_hits, "num_candidates": 10 * max_hits}
            return {"knn": {**near, **only}}
        else:
            script = {"source": "cosineSimilarity(params.vector, 'vector') + 1.0", "params": {"vector": vector}}
        return {"query": {"script_score": {"query": among, "script": script}}}

    def _searched(self, state: State, queries: Iterable[Mapping[str, Any]], max_hits: int) -> list[Found]:
        more = {"size": max_hits, "_source": ["content"], "track_total_hits": False}
        # With a missing shard, less would be found, which has to be an error.
        lines = [line for query in queries for line in ({"allow_partial_search_results": False}, {**query, **more})]
        return [
            [(float(hit["_score"]), hit["_source"]["content"]) for hit in _whole(response)["hits"]["hits"]]
            for response in self._ask("POST", f"/{state.data}/_msearch", lines)["responses"]
        ]

    def _all(self, state: State, query: Mapping[str, Any]) -> list[str]:
        found: list[str] = []
        after: dict[str, Any] = {}
        while True:
            body = {"query": query, "size": _PAGE, "_source": ["content"], "sort": [{"key": "asc"}], **after}
            hits = _whole(self._ask("POST", f"/{state.data}/_search?allow_partial_search_results=false", body))["hits"]["hits"]
            found += [hit["_source"]["content"] for hit in hits]
            if len(hits) < _PAGE:
                return found
            after = {"search_after": hits[-1]["sort"]}

    def _bulk(self, state: State, lines: Sequence[Any]) -> None:
        response = self._ask("POST", f"/{state.data}/_bulk", list(lines))
        for item in response["items"] if response["errors"] else ():
            for action, outcome in item.items():
                if outcome["status"] >= 300 and not (action == "delete" and outcome["status"] == 404):
                    raise _Refused(outcome["status"], outcome.get("error", ""))

    def _is_opensearch(self) -> bool:
        if self._opensearch is None:
            self._opensearch = self._ask("GET", "/")["version"].get("distribution") == "opensearch"
        return self._opensearch

    def _ask(self, method: str, path: str, body: Any = None, *, missing_ok: bool = False) -> Any:
        """The JSON of a response; a list is sent as lines.

        Raises:
            _Refused: if it is an error; if something is missing that may be, the result is `None`.
        """
        is_lines = isinstance(body, list)
        content = b"" if body is None else json.dumps(body).encode()
        if is_lines:
            content = "".join(f"{json.dumps(line)}\n" for line in body).encode()
        kind = "application/x-ndjson" if is_lines else "application/json"
        headers = self._headers | ({"Content-Type": kind} if body is not None else {})
        self._line.request(method, f"{self._prefix}{path}", content or None, headers)
        with self._line.getresponse() as response:
            said = response.read()
        if missing_ok and response.status == 404:
            return None
        if not 200 <= response.status < 300:
            raise _Refused(response.status, said.decode(errors="replace"))
        return json.loads(said)


def _filters(shown: Shown) -> list[dict[str, Any]]:
    return [{"terms": {name: list(values)}} for name, values in shown]


def _whole(response: Any) -> Any:
    """A response to a search, if it is complete.

    Raises:
        _Refused: if it is an error, timed out, or lacks the hits of a shard.
    """
    if "error" in response:
        raise _Refused(int(response.get("status", 500)), response["error"])
    if response.get("timed_out"):
        raise _Refused(504, "the search timed out")
    failed = response.get("_shards", {}).get("failed", 0)
    if failed:
        raise _Refused(503, f"{failed} shards failed")
    return response
