"""Pages of PDFs as images: drawn when they are first asked for, a few at a time, and kept for a while.

Each is drawn in a separate process: the drawing library is not thread-safe, and a PDF may be malicious.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass

from hopweave.apps.server.drawn_page import DrawnPage, draw_page
from hopweave.apps.server.refusals import Refused
from hopweave.core.errors import DataError
from hopweave.ingest.origin import Origin

_AT_A_TIME = 2
_MAX_WAITING = 16
_MAX_KEPT = 64
_MAX_KEPT_BYTES = 64 << 20
_MAX_FILE_BYTES = 512 << 20

_Key = tuple[Origin, int]


@dataclass(frozen=True, slots=True)
class _Kept:
    """A drawn page, or why it cannot be drawn, with the state of its file at that time."""

    seen: tuple[int, ...]
    page: DrawnPage | None
    why: str = ""

    @property
    def num_bytes(self) -> int:
        return 0 if self.page is None else len(self.page.image) + 200 * len(self.page.boxes)


class PageImages:
    """Pages that were drawn."""

    def __init__(self) -> None:
        self._kept: OrderedDict[_Key, _Kept] = OrderedDict()
        self._drawing: dict[_Key, asyncio.Task[_Kept]] = {}
        self._turns = asyncio.Semaphore(_AT_A_TIME)

    async def page(self, origin: Origin, number: int, source: str) -> DrawnPage:
        """A page of a file, which must still be the one that was indexed.

        Args:
            origin: the file.
            number: of the page, from 1.
            source: how messages name the file.

        Raises:
            DataError: if the file has changed, or the page cannot be drawn.
            Refused: if too many pages are waiting to be drawn.
        """
        key = origin, number
        seen = await asyncio.to_thread(lambda: origin.seen)
        kept = self._kept.get(key)
        if kept is None or kept.seen != seen or not seen:
            kept = await self._drawn(key, source)
        else:
            self._kept.move_to_end(key)
        if kept.page is None:
            raise DataError(kept.why)
        return kept.page

    async def close(self) -> None:
        """Cancels drawing, and waits until it has ended."""
        for task in self._drawing.values():
            task.cancel()
        await asyncio.gather(*self._drawing.values(), return_exceptions=True)

    async def _drawn(self, key: _Key, source: str) -> _Kept:
        """Draws a page; concurrent requests for it share one drawing."""
        task = self._drawing.get(key)
        if task is None:
            if len(self._drawing) >= _MAX_WAITING:
                said = "too many pages are waiting to be drawn; ask again in 1 s"
                raise Refused(503, "busy", said, headers={"Retry-After": "1"})
            task = self._drawing[key] = asyncio.create_task(self._draw(key, source))
            task.add_done_callback(lambda _: self._drawing.pop(key, None))
        return await asyncio.shield(task)

    async def _draw(self, key: _Key, source: str) -> _Kept:
        async with self._turns:
            kept = await asyncio.to_thread(_draw, *key, source)
        if kept.seen:
            self._kept[key] = kept
        while len(self._kept) > _MAX_KEPT or sum(one.num_bytes for one in self._kept.values()) > _MAX_KEPT_BYTES:
            self._kept.popitem(last=False)
        return kept


def _draw(origin: Origin, number: int, source: str) -> _Kept:
    seen = origin.seen
    if origin.size > _MAX_FILE_BYTES:
        return _Kept(seen, None, f"{source} is larger than {_MAX_FILE_BYTES >> 20} MiB; open the file itself")
    try:
        with origin.opened() as raw:
            page = draw_page(raw, number, source)
    except DataError as error:
        return _Kept(seen, None, str(error))
    if origin.seen != seen:  # it was written to while it was drawn
        return _Kept((), None, "the file has changed since it was indexed; index it again, with --sync")
    return _Kept(seen, page)
