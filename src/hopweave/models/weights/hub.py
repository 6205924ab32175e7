"""Model files from the Hugging Face hub or a mirror."""

from __future__ import annotations

import os
import re
import threading
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any

from hopweave.models.weights.download import Download, SourceFailed, check_space
from hopweave.models.weights.known import KnownModel

_SHA256 = re.compile(r"[0-9a-f]{64}")
_PROBE_SECONDS = 5.0
_STALL_SECONDS = 20.0


def hub_address(known: KnownModel) -> str:
    """The address of a model's repository, on the hub or the mirror that `HF_ENDPOINT` names."""
    return f"{os.environ.get('HF_ENDPOINT', 'https://huggingface.co').rstrip('/')}/{known.hub.repository}"


def from_hub(download: Download) -> None:
    """Downloads a model's file from the hub, resuming an earlier download.

    Raises:
        SourceFailed: if the hub is unreachable or disabled, has a different file, or the connection breaks.
        DataError: if the disk is full.
    """
    known, address = download.known, hub_address(download.known)
    url = f"{address}/resolve/{known.hub.revision}/{known.hub.file_name}"
    if not url.startswith(("https://", "http://")):
        raise SourceFailed("HF_ENDPOINT is not an http address")
    if os.environ.get("HF_HUB_OFFLINE", "0").upper() in ("1", "ON", "YES", "TRUE"):
        raise SourceFailed("HF_HUB_OFFLINE is set")
    download.on_note(f"asking {address}")
    _probe(url, known)
    download.on_note(f"downloading {known.num_bytes / 1e6:,.0f} MB from {url}")
    if download.resume().get("sha256") != known.sha256:
        download.discard()
    check_space(download.partial.parent, known.num_bytes - download.num_bytes)
    download.vouch(sha256=known.sha256)
    try:
        _receive(url, download)
    except (OSError, HTTPException) as error:
        raise SourceFailed(f"the download broke off ({error}); the bytes so far are kept") from None


def _probe(url: str, known: KnownModel) -> None:
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
        raise SourceFailed(f"cannot be fetched from there: {getattr(said, 'reason', said)}")
    sha256 = said.get("x-linked-etag", "").removeprefix("W/").strip('"').lower()
    if _SHA256.fullmatch(sha256) and sha256 != known.sha256:
        raise SourceFailed(f"has another file: it publishes the SHA-256 {sha256}, expected {known.sha256}")
    length = said.get("x-linked-size") or said.get("content-length") or ""
    if length.isascii() and length.isdigit() and int(length[:20]) not in (0, known.num_bytes):
        raise SourceFailed(f"has another file: one of {length[:20]} bytes, expected {known.num_bytes}")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Takes a redirect for the answer: the hub's own headers are on it, not on its target."""

    def http_error_302(self, req: Any, fp: Any, code: int, msg: str, headers: Any) -> Any:
        return fp

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def _head(url: str) -> Mapping[str, str]:
    request = urllib.request.Request(url, method="HEAD")  # noqa: S310 - the scheme was checked
    with urllib.request.build_opener(_NoRedirect).open(request, timeout=_PROBE_SECONDS) as response:
        headers = {name.lower(): value for name, value in response.headers.items()}
        if response.status != 200:
            headers.pop("content-length", None)  # of the redirect itself
        return headers


def _receive(url: str, download: Download) -> None:
    """Downloads the rest of the file."""
    have, num_bytes = download.num_bytes, download.known.num_bytes
    if have >= num_bytes:
        return
    headers = {"Range": f"bytes={have}-"} if have else {}
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - the scheme was checked
    with urllib.request.urlopen(request, timeout=_STALL_SECONDS) as response:  # noqa: S310
        if response.status != 206:
            download.discard()
            download.vouch(sha256=download.known.sha256)
        download.append(response)
    if download.num_bytes < num_bytes:
        raise ConnectionError(f"{download.num_bytes:,} of {num_bytes:,} bytes arrived")
