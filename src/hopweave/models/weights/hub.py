"""Model files from the Hugging Face hub or a mirror."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any

from hopweave.core.files import OnProgress
from hopweave.models.weights.download import (
    Download,
    OnNote,
    SourceFailed,
    appending,
    check_space,
    checked_sha256,
    digest_so_far,
    disk_full,
    pour,
    size_of,
)
from hopweave.models.weights.known import KnownModel

_SHA256 = re.compile(r"[0-9a-f]{64}")
_PROBE_SECONDS = 5.0
_STALL_SECONDS = 20.0


def from_hub(known: KnownModel, download: Download, on_progress: OnProgress, on_note: OnNote) -> str:
    """Downloads a model's file from the hub, resuming an earlier download; returns its SHA-256.

    Raises:
        SourceFailed: if the hub is unreachable or disabled, has a different file, or the connection breaks.
        DataError: if the disk is full.
    """
    base = os.environ.get("HF_ENDPOINT", "https://huggingface.co").rstrip("/")
    hub = known.hub
    source = f"{base}/{hub.repository}"
    url = f"{base}/{hub.repository}/resolve/{hub.revision}/{hub.file_name}"
    if not url.startswith(("https://", "http://")):
        raise SourceFailed(source, "HF_ENDPOINT is not an http address")
    if os.environ.get("HF_HUB_OFFLINE", "0").upper() in ("1", "ON", "YES", "TRUE"):
        raise SourceFailed(source, "HF_HUB_OFFLINE is set")
    on_note(f"asking {source}")
    _probe(source, url, known)
    on_note(f"downloading {known.num_bytes / 1e6:,.0f} MB from {url}")
    if download.resume().get("sha256") != known.sha256:
        download.discard()
    check_space(download.partial.parent, known.num_bytes - size_of(download.partial))
    download.vouch(sha256=known.sha256)
    try:
        digest = _receive(url, download, known, on_progress, source)
    except (OSError, HTTPException) as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            raise disk_full(download) from None
        raise SourceFailed(source, f"the download broke off ({error}); the bytes so far are kept") from None
    return checked_sha256(digest, known, download, source)


def _probe(source: str, url: str, known: KnownModel) -> None:
    """Asks whether the hub has the file; if it publishes another checksum or length, downloading it would be pointless.

    A DNS lookup cannot be interrupted, so the request runs in a thread that may be abandoned.
    """
    answer: list[Mapping[str, str] | Exception] = []

    def ask() -> None:
        try:
            answer.append(_head(url))
        except (OSError, HTTPException) as error:
            answer.append(error)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(_PROBE_SECONDS)
    said = answer[0] if answer else TimeoutError(f"no answer within {_PROBE_SECONDS:g} s")
    if isinstance(said, Exception):
        raise SourceFailed(source, f"cannot be fetched from there: {getattr(said, 'reason', said)}")
    sha256 = said.get("x-linked-etag", "").removeprefix("W/").strip('"').lower()
    if _SHA256.fullmatch(sha256) and sha256 != known.sha256:
        raise SourceFailed(source, f"has another file: it publishes the SHA-256 {sha256}, expected {known.sha256}")
    length = said.get("x-linked-size") or said.get("content-length") or ""
    if length.isascii() and length.isdigit() and int(length[:20]) not in (0, known.num_bytes):
        raise SourceFailed(source, f"has another file: one of {length[:20]} bytes, expected {known.num_bytes}")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Stops at a redirect: the hub's own headers are on it, not on its target."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _head(url: str) -> Mapping[str, str]:
    request = urllib.request.Request(url, method="HEAD")  # noqa: S310 - the scheme was checked
    opener = urllib.request.build_opener(_NoRedirect)
    try:
        with opener.open(request, timeout=_PROBE_SECONDS) as response:
            return {name.lower(): value for name, value in response.headers.items()}
    except urllib.error.HTTPError as error:
        with error:
            if error.code in (301, 302, 303, 307, 308):
                headers = {name.lower(): value for name, value in error.headers.items()}
                headers.pop("content-length", None)  # of the redirect itself
                return headers
            raise


def _receive(url: str, download: Download, known: KnownModel, on_progress: OnProgress, source: str) -> hashlib._Hash:
    """Downloads the rest of the file; returns the hash of the whole."""
    have, num_bytes = size_of(download.partial), known.num_bytes
    digest = digest_so_far(download.partial)
    if have >= num_bytes:
        return digest
    headers = {"Range": f"bytes={have}-"} if have else {}
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - the scheme was checked
    with urllib.request.urlopen(request, timeout=_STALL_SECONDS) as response:  # noqa: S310
        is_rest = response.status == 206
        if not is_rest:
            download.partial.unlink(missing_ok=True)
            digest = hashlib.sha256()
        with appending(download, digest, known, source) as file:
            pour(response, file, have if is_rest else 0, num_bytes, on_progress)
    if size_of(download.partial) < num_bytes:
        raise ConnectionError(f"{size_of(download.partial):,} of {num_bytes:,} bytes arrived")
    return digest
