"""A small stand-in for Elasticsearch, for tests: the few requests that we send, held to the documented API.

Nothing here was checked against a real cluster. A request that is not of a documented form gets status 400, as there. Scores
are those of Lucene's BM25Similarity, without its rounding of lengths.
"""

from __future__ import annotations

import json
import math
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


class Bad(Exception):
    """A request that Elasticsearch would refuse."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


@dataclass
class Failures:
    """How the next requests fail, and how many have."""

    kind: str = ""
    left: float = 0
    count: int = 0
    path: str = "_msearch"


@dataclass
class Index:
    """One index: what is stored at once, what searches see after a refresh, and the kinds of its fields."""

    properties: dict[str, Any]
    stored: dict[str, dict[str, Any]] = field(default_factory=dict)
    seen: dict[str, dict[str, Any]] = field(default_factory=dict)


class ElasticServer:
    """Runs in a thread; use it in a `with`."""

    def __init__(self) -> None:
        self.indices: dict[str, Index] = {}
        self.logins: list[str] = []
        self._failures = Failures()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one(self) -> None:
                outer.answer(self)

            do_GET = do_PUT = do_POST = do_DELETE = handle_one  # noqa: N815 - as the base class looks for them

            def log_message(self, *_: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.address = f"elasticsearch://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> ElasticServer:
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    @contextmanager
    def failing(self, kind: str, times: float = math.inf, path: str = "_msearch") -> Iterator[Failures]:
        """Lets searches, or what is asked for at another path, fail in a way."""
        self._failures = Failures(kind, times, path=path)
        try:
            yield self._failures
        finally:
            self._failures = Failures()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        content = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        self.logins.append(request.headers.get("Authorization", ""))
        url = urlsplit(request.path)
        try:
            lines = read_body(request, url.path, content)
            status, said = 200, self._answered(request.command, url.path.strip("/").split("/"), parse_qs(url.query), lines)
        except Bad as error:
            status, said = error.status, {"error": {"reason": str(error)}, "status": error.status}
        sent = json.dumps(said).encode()
        if self._failures.left > 0 and url.path.endswith(self._failures.path):
            self._failures.left -= 1
            self._failures.count += 1
            match self._failures.kind:
                case "503" | "429":
                    status = int(self._failures.kind)
                case "500 in part":
                    sent = json.dumps({"responses": [{"error": {"type": "broken"}, "status": 500}]}).encode()
                case "shard":
                    sent = json.dumps({"responses": [{"_shards": {"failed": 1}, "hits": {"hits": []}}]}).encode()
                case "late":
                    sent = json.dumps({"responses": [{"timed_out": True, "hits": {"hits": []}}]}).encode()
                case "cut":
                    request.connection.shutdown(socket.SHUT_RDWR)
                    return
                case "nonsense":
                    sent = b"<html>"
                case "echo":
                    status, sent = 400, f"not for {request.headers['Authorization']}".encode()
        request.send_response(status)
        request.send_header("Content-Length", str(len(sent)))
        request.end_headers()
        request.wfile.write(sent)

    def _answered(self, method: str, path: list[str], query: dict[str, list[str]], lines: list[Any]) -> Any:
        match method, path:
            case "GET", [""]:
                return {"version": {"number": "9.2.0"}}
            case "GET", [name, "_doc", key]:
                return {"_source": self._index(name).stored.get(key) or missing(key)}
            case "PUT", [name, "_doc", key] if query == {"refresh": ["true"]}:
                self.indices.setdefault(name, Index({})).stored[key] = lines[0]
                return {"result": "created"}
            case "PUT", [name]:
                return self._create(name, lines[0])
            case "DELETE", [name]:
                self._index(name)
                return {"acknowledged": bool(self.indices.pop(name))}
            case "POST", [name, "_refresh"]:
                index = self._index(name)
                index.seen = dict(index.stored)
                return {}
            case "GET", [name, "_count"]:
                return {"count": len(self._index(name).seen)}
            case "POST", [name, "_bulk"]:
                return self._bulk(self._index(name), lines)
            case "POST", [name, "_search"]:
                return self._search(self._index(name), lines[0])
            case "POST", [name, "_msearch"]:
                if any(head != {"allow_partial_search_results": False} for head in lines[::2]):
                    raise Bad(400, "a header of another form than expected")
                return {"responses": [self._search(self._index(name), body) for body in lines[1::2]]}
        raise Bad(400, f"no handler for {method} {path}")

    def _index(self, name: str) -> Index:
        return self.indices.get(name) or missing(name)

    def _create(self, name: str, body: dict[str, Any]) -> Any:
        if name in self.indices or name != name.lower():
            raise Bad(400, f"invalid_index_name_exception or resource_already_exists_exception: {name}")
        properties = body["mappings"]["properties"]
        known = {"keyword": {"index", "doc_values"}, "text": {"analyzer"}, "dense_vector": {"dims", "index", "similarity"}}
        for mapping in properties.values():
            if (
                not set(mapping) <= known.get(mapping["type"], set()) | {"type"}
                or mapping.get("analyzer", "whitespace") != "whitespace"
            ):
                raise Bad(400, f"mapper_parsing_exception: {mapping}")
            if mapping["type"] == "dense_vector" and not mapping["index"] and "similarity" in mapping:
                raise Bad(400, "similarity needs an index")
        self.indices[name] = Index(properties)
        return {"acknowledged": True}

    def _bulk(self, index: Index, lines: list[Any]) -> Any:
        items, left = [], iter(lines)
        for line in left:
            [(action, about)] = line.items()
            if action == "index":
                source = next(left)
                if unknown := set(source) - set(index.properties):
                    raise Bad(400, f"unknown fields {unknown}")
                index.stored[about["_id"]] = source
                items.append({action: {"status": 201}})
            elif action == "delete":
                items.append({action: {"status": 200 if index.stored.pop(about["_id"], None) else 404}})
            else:
                raise Bad(400, f"unknown action {action}")
        return {"errors": any(one["status"] >= 300 for item in items for one in item.values()), "items": items}

    def _search(self, index: Index, body: dict[str, Any]) -> Any:
        if unknown := set(body) - {"query", "size", "_source", "track_total_hits", "sort", "search_after"}:
            raise Bad(400, f"unknown keys {unknown}")
        scores = {key: score for key, score in scores_of(index, body["query"]).items() if score is not None}
        found = sorted(scores, key=lambda key: key if "sort" in body else (-scores[key], key))
        if "search_after" in body:
            found = [key for key in found if key > body["search_after"][0]]
        hits = [
            {"_score": scores[key], "_source": {name: index.seen[key][name] for name in body["_source"]}, "sort": [key]}
            for key in found[: body["size"]]
        ]
        return {"timed_out": False, "_shards": {"failed": 0}, "hits": {"hits": hits}}


def read_body(request: BaseHTTPRequestHandler, path: str, content: bytes) -> list[Any]:
    is_lines = path.endswith(("_bulk", "_msearch"))
    expected = "application/x-ndjson" if is_lines else "application/json"
    if content and request.headers.get("Content-Type") != expected:
        raise Bad(406, "another content type")
    if is_lines and not content.endswith(b"\n"):
        raise Bad(400, "the request must be terminated by a newline")
    return [json.loads(line) for line in (content.splitlines() if is_lines else [content]) if line]


def missing(name: str) -> Any:
    raise Bad(404, f"{name} is missing")


def scores_of(index: Index, query: dict[str, Any]) -> dict[str, float | None]:
    """The score of each row; `None` for one that a query does not match."""
    [(kind, about)] = query.items()
    match kind:
        case "match_all":
            return dict.fromkeys(index.seen, 1.0)
        case "bool":
            return scores_of_bool(index, about)
        case "terms":
            [(name, values)] = about.items()
            held = {key: one[name] if isinstance(one[name], list) else [one[name]] for key, one in index.seen.items()}
            return {key: 1.0 if set(of_one) & set(values) else None for key, of_one in held.items()}
        case "range":
            [(name, ends)] = about.items()
            return {key: 1.0 if ends["gte"] <= source[name] < ends["lt"] else None for key, source in index.seen.items()}
        case "term":
            [(name, asked)] = about.items()
            return {key: asked["boost"] * score if score else None for key, score in bm25(index, name, asked["value"]).items()}
        case "script_score":
            if about["script"]["source"] != "cosineSimilarity(params.vector, 'vector') + 1.0":
                raise Bad(400, "a script of another form than expected")
            asked, matched = about["script"]["params"]["vector"], scores_of(index, about["query"])
            return {
                key: cosine(asked, source["vector"]) + 1 if matched[key] is not None else None
                for key, source in index.seen.items()
            }
    raise Bad(400, f"unknown query [{kind}]")


def scores_of_bool(index: Index, about: dict[str, Any]) -> dict[str, float | None]:
    """Scores of a bool query: one clause that should match has to, unless there is a filter; filters do not score."""
    if unknown := set(about) - {"should", "filter", "minimum_should_match"}:
        raise Bad(400, f"unknown keys {unknown}")
    if len(about.get("should", ())) > 1024:
        raise Bad(400, "too_many_clauses")
    each = [scores_of(index, one) for one in about.get("should", ())]
    filters = [scores_of(index, one) for one in about.get("filter", ())]
    least = about.get("minimum_should_match", 0 if filters else 1)
    return {
        key: sum(one[key] or 0.0 for one in each)
        if sum(one[key] is not None for one in each) >= least and all(one[key] is not None for one in filters)
        else None
        for key in index.seen
    }


def bm25(index: Index, name: str, term: str) -> dict[str, float]:
    texts = {key: source[name].split() for key, source in index.seen.items()}
    holding = sum(term in text for text in texts.values())
    filled = sum(bool(text) for text in texts.values())
    mean = sum(map(len, texts.values())) / max(1, filled)
    idf = math.log(1 + (filled - holding + 0.5) / (holding + 0.5))
    counts = {key: text.count(term) for key, text in texts.items()}
    return {
        key: idf * number / (number + 1.2 * (0.25 + 0.75 * len(texts[key]) / mean)) if number else 0.0
        for key, number in counts.items()
    }


def cosine(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True)) / math.hypot(*one) / math.hypot(*other)
