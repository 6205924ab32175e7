"""A hub of the tests' own: it answers as the Hugging Face hub does, and lies if it is told to."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote


@dataclass
class HubState:
    """What the hub has, and what it was asked.

    Attributes:
        files: the content of each file, by OWNER/REPO@REVISION/FILE.
        refused: status and reason, by repository.
        renamed: new names of repositories.
        readers: the tokens that may read a gated repository, by repository.
        published: other sizes and checksums than the true ones, by file.
        broken_after: the number of bytes after which a download breaks off.
        has_checksums: whether headers tell checksums; the listing always does, if it `is_listed`.
        is_listed: whether the listing of files works.
        asked: method, path and token of each request; those of the servers that it redirects to begin with `/stored`.
        ranges: the byte ranges that were asked for.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    refused: dict[str, tuple[int, str]] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    readers: dict[str, set[str]] = field(default_factory=dict)
    published: dict[str, tuple[int, str]] = field(default_factory=dict)
    broken_after: int | None = None
    has_checksums: bool = True
    is_listed: bool = True
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    ranges: list[str] = field(default_factory=list)
    address: str = ""

    def facts(self, key: str) -> tuple[int, str]:
        """The size and the checksum that it publishes."""
        return self.published.get(key) or (len(self.files[key]), hashlib.sha256(self.files[key]).hexdigest())


class _Handler(BaseHTTPRequestHandler):
    state: HubState

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        path = unquote(self.path)
        self.state.asked.append((self.command, path, self.headers.get("Authorization", "")))
        steps = path.strip("/").split("/")
        if steps[0] == "stored":
            self._send_stored(path.removeprefix("/stored/"))
        elif steps[:2] == ["api", "models"]:
            self._send_listing("/".join(steps[2:4]), steps[5], "/".join(steps[6:]))
        else:
            self._redirect("/".join(steps[:2]), steps[3], "/".join(steps[4:]))

    def _redirect(self, repository: str, revision: str, file: str) -> None:
        key, state = f"{repository}@{revision}/{file}", self.state
        if repository in state.renamed:
            self._say(307, {"Location": f"/{state.renamed[repository]}/resolve/{revision}/{file}"})
        elif repository in state.refused:
            status, reason = state.refused[repository]
            self._say(status, {"X-Error-Code": reason} if reason else {})
        elif repository in state.readers and self._token() not in state.readers[repository]:
            self._say(403 if self._token() else 401, {"X-Error-Code": "GatedRepo"})
        elif not any(one.startswith(f"{repository}@") for one in state.files):
            self._say(401, {"X-Error-Code": "RepoNotFound"})
        elif not any(one.startswith(f"{repository}@{revision}/") for one in state.files):
            self._say(404, {"X-Error-Code": "RevisionNotFound"})
        elif key not in state.files:
            self._say(404, {"X-Error-Code": "EntryNotFound"})
        else:
            size, sha256 = state.facts(key)
            told = {"X-Linked-Etag": f'"{sha256}"', "X-Linked-Size": str(size)} if state.has_checksums else {}
            self._say(302, {"Location": f"{state.address.replace('127.0.0.1', 'localhost')}/stored/{key}", **told})

    def _send_stored(self, key: str) -> None:
        wanted = self.headers.get("Range", "")
        self.state.ranges.append(wanted)
        start = int(wanted[6:-1]) if wanted else 0
        content = self.state.files[key][start:]
        if wanted and not content:
            self._say(416, {})
            return
        self._say(206 if wanted else 200, {}, content[: self.state.broken_after], length=len(content))

    def _send_listing(self, repository: str, revision: str, folder: str) -> None:
        if not self.state.is_listed:
            self._say(500, {})
            return
        start = f"{repository}@{revision}/"
        entries: list[dict[str, Any]] = [{"type": "directory", "path": "old"}]
        for key in self.state.files:
            path = key.removeprefix(start)
            if key.startswith(start) and path.rpartition("/")[0] == folder:
                size, sha256 = self.state.facts(key)
                entries.append({"type": "file", "path": path, "size": size, "lfs": {"oid": sha256, "size": size}})
        self._say(200, {"Content-Type": "application/json"}, json.dumps(entries).encode())

    def _token(self) -> str:
        return self.headers.get("Authorization", "").removeprefix("Bearer ")

    def _say(self, status: int, headers: dict[str, str], content: bytes = b"", length: int | None = None) -> None:
        self.send_response(status)
        for name, told in headers.items():
            self.send_header(name, told)
        self.send_header("Content-Length", str(len(content) if length is None else length))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@contextmanager
def model_hub() -> Iterator[HubState]:
    """A hub that runs until the block ends. The servers that it redirects to have another host name, `localhost`."""
    state = HubState()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"state": state}))
    state.address = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
