"""Model files from the Hugging Face hub or a mirror.

    HEAD OWNER/REPO/resolve/REVISION/FILE     x-linked-etag: the file's SHA-256, x-linked-size: its length
    GET  api/models/OWNER/REPO/tree/REVISION  the files of a folder, each with path, size and lfs.oid (its SHA-256)

A refusal has a reason in `x-error-code`: `RepoNotFound`, `RevisionNotFound`, `EntryNotFound` or `GatedRepo`. The hub says
`RepoNotFound` of a private repository, too. A token (`HF_TOKEN`) is sent to the hub alone, not to the servers that it redirects
to, and over plain HTTP only to this machine.
"""

from __future__ import annotations

import os
import threading
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from http.client import HTTPException
from typing import Any, TypeVar
from urllib.error import HTTPError
from urllib.parse import quote, urljoin, urlsplit

from hopweave.core.errors import suggest
from hopweave.core.files import read_json
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.models.weights.download import Download, SourceFailed, SourceRefused, check_space
from hopweave.models.weights.hub_names import HubFile
from hopweave.models.weights.known import KnownModel

_SHA256 = lazy_pattern(r"[0-9a-f]{64}")
_PROBE_SECONDS = 5.0
_STALL_SECONDS = 20.0
_MAX_HOPS = 5
_MAX_LISTING_BYTES = 1 << 23
_MAX_NAMED = 8
_LOOPBACK = lazy_pattern(r"localhost|127(\.\d+){3}|::1")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class _Published:
    """What the hub says about a file: where it is, its size in bytes (0 if it does not say), and its SHA-256 (or empty)."""

    url: str
    num_bytes: int
    sha256: str


def hub_address(hub: HubFile) -> str:
    """The address of a file's repository, on the hub or the mirror that `HF_ENDPOINT` names."""
    return f"{_endpoint()}/{hub.repository}"


def from_hub(download: Download) -> None:
    """Downloads a model's file from the hub, resuming an earlier download.

    Raises:
        SourceFailed: if the hub is unreachable or disabled, has a different file, or the connection breaks.
        SourceRefused: if there is no such file, or it is not for everyone.
        DataError: if the disk is full.
    """
    download.on_note(f"asking {hub_address(download.known.hub)}")
    download.known, url = _located(download.known)
    known = download.known
    download.on_note(f"downloading {known.num_bytes / 1e6:,.0f} MB from {url}")
    if download.resume().get("sha256") != known.sha256:
        download.discard()
    check_space(download.partial.parent, known.num_bytes - download.num_bytes)
    download.vouch(sha256=known.sha256)
    try:
        _receive(url, download)
    except HTTPError as error:
        error.close()
        if error.code != 416:
            raise _refusal(error, known.hub) from None
        download.discard()
        raise SourceFailed(
            f"has fewer than the {known.num_bytes:,} bytes that it publishes; the download was deleted"
        ) from None
    except (OSError, HTTPException) as error:
        raise SourceFailed(f"the download broke off ({error}); the bytes so far are kept") from None


def look_up(known: KnownModel) -> KnownModel:
    """A model with the size and the SHA-256 that the hub publishes, if it has none of its own.

    Raises:
        SourceFailed, SourceRefused: as in `from_hub`.
    """
    return _located(known)[0]


def _located(known: KnownModel) -> tuple[KnownModel, str]:
    """The model, with what the hub publishes where nothing is known, and the address of its file.

    Raises:
        SourceFailed: also if the hub publishes another size or checksum than those known; downloading it would be pointless.
    """
    if not _endpoint().startswith(("https://", "http://")):
        raise SourceFailed("HF_ENDPOINT is not an http address")
    if os.environ.get("HF_HUB_OFFLINE", "0").upper() in ("1", "ON", "YES", "TRUE"):
        raise SourceFailed("HF_HUB_OFFLINE is set")
    found = _probe(known.hub)
    if not known.sha256:
        return _as_published(known, found), found.url
    if found.sha256 not in ("", known.sha256):
        raise SourceFailed(f"has another file: it publishes the SHA-256 {found.sha256}, expected {known.sha256}")
    if found.num_bytes not in (0, known.num_bytes):
        raise SourceFailed(f"has another file: one of {found.num_bytes} bytes, expected {known.num_bytes}")
    return known, found.url


def _as_published(known: KnownModel, found: _Published) -> KnownModel:
    if not found.sha256 or not found.num_bytes:
        found = _from_listing(known.hub, found)
    if not found.sha256 or not found.num_bytes:
        raise SourceRefused(
            "publishes no SHA-256 of this file, so it cannot be checked; unset HF_ENDPOINT if it names a mirror, or download "
            f"{found.url} yourself and run: hopweave models fetch {known.name} --from FILE"
        )
    return replace(known, num_bytes=found.num_bytes, sha256=found.sha256)


def _endpoint() -> str:
    return os.environ.get("HF_ENDPOINT", "https://huggingface.co").rstrip("/")


def _url(hub: HubFile) -> str:
    return f"{hub_address(hub)}/resolve/{quote(hub.revision, safe='')}/{quote(hub.file_name)}"


def _probe(hub: HubFile) -> _Published:
    """Asks the hub for a file, and in vain for one that it has in other letters: publishers rename, and users mistype."""
    try:
        return _published(_url(hub))
    except HTTPError as error:
        if _reason_of(error) != "EntryNotFound":
            raise _refusal(error, hub) from None
    listed = _listing(hub)
    alike = [path for path in listed if path.lower() == hub.file_name.lower()]
    if len(alike) != 1:
        raise _no_such_file(hub, listed)
    try:
        return _published(_url(replace(hub, file_name=alike[0])))
    except HTTPError as error:
        raise _refusal(error, hub) from None


def _published(url: str) -> _Published:
    where, said = _within(_PROBE_SECONDS, lambda: _head(url))
    sha256 = said.get("x-linked-etag", "").removeprefix("W/").strip('"').lower()
    return _Published(
        where,
        _length(said.get("x-linked-size") or said.get("content-length") or ""),
        sha256 if _SHA256.fullmatch(sha256) else "",
    )


def _length(text: str) -> int:
    return int(text[:20]) if text.isascii() and text.isdigit() else 0


def _within(seconds: float, ask: Callable[[], _T]) -> _T:
    """What a request returns. A DNS lookup cannot be interrupted, so it runs in a thread that may be abandoned.

    Raises:
        HTTPError: if the server refuses.
        SourceFailed: if there is no answer.
    """
    answers: list[_T] = []
    errors: list[Exception] = []

    def run() -> None:
        try:
            answers.append(ask())
        except (OSError, HTTPException, ValueError) as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if answers:
        return answers[0]
    error = errors[0] if errors else TimeoutError(f"no answer within {seconds:g} s")
    if isinstance(error, HTTPError):
        error.close()
        raise error
    raise SourceFailed(f"cannot be fetched from there: {getattr(error, 'reason', error)}")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Takes a redirect for the answer: the hub's own headers are on it, not on its target."""

    def http_error_302(self, req: Any, fp: Any, code: int, msg: str, headers: Any) -> Any:
        return fp

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def _head(url: str) -> tuple[str, Mapping[str, str]]:
    """The hub's headers for a file, and where it has them: a renamed repository redirects within the hub."""
    opener = urllib.request.build_opener(_NoRedirect)
    headers: dict[str, str] = {}
    for _ in range(_MAX_HOPS):
        with opener.open(_request(url, method="HEAD"), timeout=_PROBE_SECONDS) as response:
            headers = {name.lower(): value for name, value in response.headers.items()}
            status = response.status
        if status == 200:
            break
        headers.pop("content-length", None)  # of the redirect itself
        target = urljoin(url, headers.get("location", url))
        if "x-linked-etag" in headers or target == url or urlsplit(target)[:2] != urlsplit(url)[:2]:
            break
        url = target
    return url, headers


def _request(url: str, *, method: str = "GET", headers: Mapping[str, str] | None = None) -> urllib.request.Request:
    request = urllib.request.Request(url, method=method, headers=dict(headers or {}))  # noqa: S310 - the scheme was checked
    token = os.environ.get("HF_TOKEN", "").strip()
    parts = urlsplit(url)
    is_safe = parts.scheme == "https" or _LOOPBACK.fullmatch(parts.hostname or "")
    if token and is_safe and token.isascii() and token.isprintable():
        request.add_unredirected_header("Authorization", f"Bearer {token}")
    return request


def _listing(hub: HubFile) -> dict[str, tuple[int, str]]:
    """The files in the folder of a file, each with its size and its SHA-256; empty if the hub does not list them."""
    folder = hub.file_name.rpartition("/")[0]
    url = f"{_endpoint()}/api/models/{hub.repository}/tree/{quote(hub.revision, safe='')}/{quote(folder)}".rstrip("/")

    def ask() -> Any:
        with urllib.request.urlopen(_request(url), timeout=_PROBE_SECONDS) as response:  # noqa: S310
            return read_json(response.read(_MAX_LISTING_BYTES))

    try:
        return dict(map(_listed, _within(_PROBE_SECONDS, ask)))
    except (HTTPError, SourceFailed, TypeError, KeyError, ValueError, AttributeError):
        return {}


def _listed(entry: Mapping[str, Any]) -> tuple[str, tuple[int, str]]:
    linked = entry.get("lfs") or {}
    sha256 = str(linked.get("oid", "")).lower()
    return str(entry["path"]), (_length(str(linked.get("size", ""))), sha256 if _SHA256.fullmatch(sha256) else "")


def _from_listing(hub: HubFile, found: _Published) -> _Published:
    num_bytes, sha256 = _listing(hub).get(hub.file_name, (0, ""))
    return replace(found, num_bytes=found.num_bytes or num_bytes, sha256=found.sha256 or sha256)


def _reason_of(error: HTTPError) -> str:
    """The hub's own word for it, or what the status means if there is none."""
    usual = {401: "RepoNotFound", 403: "GatedRepo", 404: "EntryNotFound"}.get(error.code, "")
    return error.headers.get("x-error-code") or usual


def _refusal(error: HTTPError, hub: HubFile) -> SourceFailed:
    has_token = bool(os.environ.get("HF_TOKEN", "").strip())
    reason = _reason_of(error)
    if reason == "RepoNotFound":
        advice = "set HF_TOKEN to a token that may read it" if not has_token else "check that HF_TOKEN may read it"
        return SourceRefused(f"there is no such repository, or it is private; check the name, or {advice}")
    if reason == "GatedRepo":
        advice = (
            "then set HF_TOKEN to a token of your account" if not has_token else "with the account that HF_TOKEN belongs to"
        )
        return SourceRefused(f"it is gated; accept its terms at {hub_address(hub)}, {advice}")
    if reason == "RevisionNotFound":
        return SourceRefused(f"it has no branch, tag or commit {hub.revision!r}; check the name")
    if error.code == 429:
        return SourceFailed("it asks to wait, after too many requests (429); fetch again later, or set HF_TOKEN")
    return SourceFailed(f"cannot be fetched from there: status {error.code} {error.reason}")


def _no_such_file(hub: HubFile, listed: Mapping[str, object]) -> SourceRefused:
    models = sorted(path for path in listed if path.lower().endswith(".gguf"))
    if not models:
        return SourceRefused(f"it has no file {hub.file_name!r} at {hub.revision!r}; check the name")
    near = suggest(hub.file_name, models)
    if not near.startswith("did"):
        more = ", ..." if len(models) > _MAX_NAMED else ""
        near = f"choose one of: {', '.join(models[:_MAX_NAMED])}{more}"
    return SourceRefused(f"it has no file {hub.file_name!r}; {near}")


def _receive(url: str, download: Download) -> None:
    """Downloads the rest of the file."""
    have, num_bytes = download.num_bytes, download.known.num_bytes
    if have >= num_bytes:
        return
    request = _request(url, headers={"Range": f"bytes={have}-"} if have else None)
    with urllib.request.urlopen(request, timeout=_STALL_SECONDS) as response:  # noqa: S310
        if response.status != 206:
            download.discard()
            download.vouch(sha256=download.known.sha256)
        download.append(response)
    if download.num_bytes < num_bytes:
        raise ConnectionError(f"{download.num_bytes:,} of {num_bytes:,} bytes arrived")
