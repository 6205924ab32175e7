"""The explorer: pages made only of our own files, and a kept answer as a file to download.

Nothing is loaded from elsewhere, and the browser enforces it: only scripts and styles from files of this server run, none from
within a page, and no text can become markup (`require-trusted-types-for`).
"""

from __future__ import annotations

import asyncio
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response

from hopweave.apps.server.refusals import Refused
from hopweave.apps.server.routes._given import BEARER, TheCaller, TheService
from hopweave.apps.server.routes.answers import AnswerId, entry_of, record_line_of
from hopweave.apps.server.schemas import REFUSALS
from hopweave.apps.server.telling import Telling
from hopweave.citations.shortfalls import IN_WORDS
from hopweave.record import Record, failures_in_words
from hopweave.show.browser import support_summary
from hopweave.show.legend import AFTER, CONFIDENCE, FROM_STORE, LABELS, MARK, ORIGINS, PROBABILITY, SUPPORT
from hopweave.show.mermaid import draw_mermaid
from hopweave.show.outline import SIGNS, TONES
from hopweave.show.plain import plain_json
from hopweave.show.record_html import draw_page

router = APIRouter(tags=["explorer"])

_FOLDER = Path(__file__).parent / "static"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_SAFE = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
_EXPORTS = {"html": "text/html", "mermaid": "text/plain", "json": "application/json"}
_SUFFIXES = {"html": ".html", "mermaid": ".mmd", "json": ".json"}


@router.get("/", include_in_schema=False)
async def page() -> Response:
    """The explorer."""
    return _file("index.html")


@router.get("/static/legend.json", include_in_schema=False)
async def legend() -> Response:
    """What the words and signs of the drawings mean, the same as in every other drawing."""
    signs = [PROBABILITY, CONFIDENCE, AFTER, FROM_STORE, MARK]
    marks = {"signs": SIGNS, "tones": TONES, "words": dict(signs)}
    said = {
        "support": SUPPORT,
        "shortfalls": IN_WORDS,
        "origins": ORIGINS,
        "labels": LABELS,
        "failures": failures_in_words(),
        **marks,
    }
    return JSONResponse(said, headers=_SAFE)


@router.get("/static/{name}", include_in_schema=False)
async def static(name: str) -> Response:
    """A file of the explorer."""
    return _file(name)


@router.get("/v1/answers/{answer_id}/summary", dependencies=[BEARER], responses=REFUSALS)
async def summary(answer_id: AnswerId, service: TheService, caller: TheCaller) -> dict[str, Any]:
    """How far a kept answer is supported, in words, what it cost, where its marks are, and its steps as they are drawn."""
    kept = await _record(answer_id, service, caller)
    return {**support_summary(Telling(caller).record(kept)), "fingerprint": kept.fingerprint}


@router.get("/v1/answers/{answer_id}/export", dependencies=[BEARER], response_class=Response, responses=REFUSALS)
async def export(
    answer_id: AnswerId,
    service: TheService,
    caller: TheCaller,
    view: Annotated[
        Literal["html", "mermaid", "json"], Query(alias="as", description="One of the forms of `hopweave show --as`.")
    ] = "html",
) -> Response:
    """A kept answer as a file: a page that can be opened anywhere, a Mermaid flowchart, or the record."""
    record = Telling(caller).record(await _record(answer_id, service, caller))
    draw = {"html": draw_page, "mermaid": draw_mermaid, "json": lambda one: plain_json(one.to_json()) + "\n"}[view]
    text = await asyncio.to_thread(draw, record)
    named = f'attachment; filename="hopweave-{answer_id}{_SUFFIXES[view]}"'
    # Opened from here it could do nothing either: the page forbids scripts itself, and is put into a sandbox besides.
    headers = {"Content-Disposition": named, "Content-Security-Policy": "sandbox"}
    return Response(text, media_type=f"{_EXPORTS[view]}; charset=utf-8", headers=headers)


async def _record(answer_id: str, service: TheService, caller: TheCaller) -> Record:
    entry = await entry_of(service, caller, answer_id)
    return Record.from_json(await record_line_of(service, caller, entry.id))


def _file(name: str) -> Response:
    found = _files().get(name)
    if found is None:
        raise Refused(404, "not_found", "there is no such file")
    content, media_type = found
    return Response(content, media_type=media_type, headers=_SAFE)


@cache
def _files() -> dict[str, tuple[bytes, str]]:
    """The files of the explorer by name: no path leads to anything else."""
    return {path.name: (path.read_bytes(), _TYPES[path.suffix]) for path in _FOLDER.iterdir() if path.suffix in _TYPES}
