"""The pages of PDFs that passages are from, as images, and where words of the passage are on them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import StringConstraints

from hopweave.apps.server.drawn_page import Box, DrawnPage, find_on_page
from hopweave.apps.server.refusals import Refused, unusable
from hopweave.apps.server.routes._given import BEARER, TheCaller, TheService
from hopweave.apps.server.routes.corpora import Name, PassageId, seen
from hopweave.apps.server.schemas import REFUSALS, BoxReply, MarkedReply, PageReply
from hopweave.apps.server.service import Service
from hopweave.core.errors import DataError
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.core.types import Passage, Span
from hopweave.ingest.origin import Origin

router = APIRouter(tags=["corpora"], dependencies=[BEARER], responses=REFUSALS)

_PAGED = lazy_pattern(r"(.+)#page=([1-9]\d{0,6})", re.DOTALL)
_SPAN = "^[0-9]{1,9}-[0-9]{1,9}$"
_NO_PDF = "the passage is not from a page of a PDF"
_OFF = "the server shows no images of pages; its operator allows them with page_images = true"
_NOT_KNOWN = "the index does not know the file; index it again, with --sync"
_IMAGE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"image/png": {"schema": {"type": "string", "format": "binary"}}}, "description": "The page."}
}
_SAFE = {"Cache-Control": "no-store", "Content-Security-Policy": "default-src 'none'; sandbox"}

Spans = Annotated[
    list[Annotated[str, StringConstraints(pattern=_SPAN)]],
    Query(
        default_factory=list,
        alias="span",
        description="Words of the passage to look for on the page, as START-END in characters of its text; may be repeated.",
        max_length=50,
        examples=[["0-14"]],
    ),
]


@router.get("/v1/corpora/{name}/pages/{passage_id:path}")
async def page(name: Name, passage_id: PassageId, service: TheService, caller: TheCaller, span: Spans) -> PageReply:
    """The page of a PDF that a passage is from, and where some of its words are on it.

    If there is no image of it, `why` says why: the file is gone or has changed, it cannot be drawn, or pages are not shown.
    """
    passage, origin = await seen(name, passage_id, service, caller, with_origin=True)
    spans = [_span(one, passage) for one in span]
    paged = _PAGED.fullmatch(passage.source)
    number = int(paged[2]) if paged is not None else None
    try:
        drawn = await _drawn(passage, origin, service)
    except DataError as error:
        marked = [_marked(passage, one, ()) for one in spans]
        return PageReply(source=passage.source, page=number, spans=marked, why=str(error))
    found = await asyncio.to_thread(find_on_page, passage.text, spans, drawn)
    return PageReply(
        source=passage.source,
        page=number,
        num_pages=drawn.num_pages,
        width=drawn.width,
        height=drawn.height,
        spans=[_marked(passage, one, boxes) for one, boxes in zip(spans, found, strict=True)],
    )


@router.get("/v1/corpora/{name}/page-images/{passage_id:path}", response_class=Response, responses=_IMAGE)
async def page_image(name: Name, passage_id: PassageId, service: TheService, caller: TheCaller) -> Response:
    """The page of a PDF that a passage is from, as PNG."""
    passage, origin = await seen(name, passage_id, service, caller, with_origin=True)
    try:
        drawn = await _drawn(passage, origin, service)
    except DataError as error:
        raise Refused(404, "no_page_image", str(error)) from None
    return Response(drawn.image, media_type="image/png", headers=_SAFE)


async def _drawn(passage: Passage, origin: Origin | None, service: Service) -> DrawnPage:
    """The page of a passage.

    Raises:
        DataError: why it cannot be shown.
        Refused: if too many pages are waiting to be drawn.
    """
    paged = _PAGED.fullmatch(passage.source)
    if paged is None:
        raise DataError(_NO_PDF)
    if not service.server.shows_pages:
        raise DataError(_OFF)
    if origin is None or origin.path.suffix.lower() != ".pdf":
        raise DataError(_NOT_KNOWN)
    return await service.page_images.page(origin, int(paged[2]), paged[1])


def _span(given: str, passage: Passage) -> Span:
    start, _, end = given.partition("-")
    span = Span(int(start), int(end))
    if not span.start < span.end <= len(passage.text):
        raise unusable(ValueError(f"span: {given} is not within the passage's {len(passage.text)} characters"))
    return span


def _marked(passage: Passage, span: Span, boxes: Sequence[Box]) -> MarkedReply:
    return MarkedReply(
        start=span.start,
        end=span.end,
        text=passage.text[span.start : span.end],
        boxes=[BoxReply(**asdict(box)) for box in boxes],
    )
