"""Recognises the text of pictures and scanned pages, and reports each page in a line of JSON: a separate program, see `pages`.

Standard input is a picture or, if numbers of pages are given, a PDF. Pictures come from strangers, and recognising them takes
long: so it happens in a process that can be killed. It imports little of hopweave, so it starts quickly.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Iterator
from typing import Any

from hopweave.ingest.memory_limit import limit_memory

_MAX_MEMORY_BYTES = 4 << 30
_MAX_PIXELS = 100_000_000
_MAX_REASON = 200
_MAX_FRAMES = 1_000
_LONG_SIDE = 2_000
"""Pixels of the longer side of a page that is drawn for recognition, as many as the library uses."""
_GAP = 0.8
"""Gap between two lines that belong to different paragraphs, in heights of a line."""


def tell(**what: Any) -> None:
    """Writes a line of JSON."""
    os.write(_REPORT, (json.dumps(what) + "\n").encode())


def recognise(images: Iterator[tuple[int, Any]]) -> None:
    """Reports the text of each picture with the number of its page, and at last that these were all."""
    import numpy
    from rapidocr import RapidOCR

    engine = RapidOCR(params={"Global.log_level": "critical"})
    for number, image in images:
        found = engine(numpy.asarray(image.convert("RGB"))[:, :, ::-1])
        tell(page=number, text=_text(found.txts or (), [] if found.boxes is None else found.boxes))
    tell(end=True)


def _text(lines: tuple[str, ...], boxes: Any) -> str:
    """Recognised lines, a blank one where there is a gap between them."""
    pieces: list[str] = []
    last_bottom = None
    for line, box in zip(lines, boxes, strict=True):
        top, bottom = float(min(box[:, 1])), float(max(box[:, 1]))
        if last_bottom is not None:
            pieces.append("\n\n" if top - last_bottom > _GAP * (bottom - top) else "\n")
        pieces.append(line)
        last_bottom = bottom
    return "".join(pieces)


def frames(stream: Any) -> Iterator[tuple[int, Any]]:
    """The pages of a picture; only TIFF has several.

    Raises:
        ValueError: for a page with too many pixels.
    """
    from PIL import Image, ImageOps

    Image.MAX_IMAGE_PIXELS = _MAX_PIXELS
    picture = Image.open(stream, formats=("PNG", "JPEG", "TIFF", "WEBP"))
    num_frames = getattr(picture, "n_frames", 1) if picture.format == "TIFF" else 1
    for number in range(min(num_frames, _MAX_FRAMES)):
        picture.seek(number)
        if picture.width * picture.height > _MAX_PIXELS:
            raise ValueError(f"more than {_MAX_PIXELS:,} pixels")
        yield number + 1, ImageOps.exif_transpose(picture)


def pages(stream: Any, numbers: list[int]) -> Iterator[tuple[int, Any]]:
    """Pages of a PDF, drawn."""
    import pypdfium2

    document = pypdfium2.PdfDocument(stream)
    for number in numbers:
        page = document[number - 1]
        width, height = page.get_size()
        yield number, page.render(scale=_LONG_SIDE / max(width, height, 1)).to_pil()


if __name__ == "__main__":
    _REPORT = os.dup(1)
    os.dup2(2, 1)  # what libraries print is not part of the report
    logging.disable(logging.CRITICAL)
    limit_memory(_MAX_MEMORY_BYTES)
    try:
        asked = [int(number) for number in sys.argv[1:]]
        recognise(pages(sys.stdin.buffer, asked) if asked else frames(sys.stdin.buffer))
    except Exception as error:  # noqa: BLE001 - whatever a damaged file leads to is told in one line
        said = " ".join(f"{type(error).__name__}: {error}".split()).encode("utf-8", "replace").decode()
        tell(error=f"is damaged, or cannot be recognised ({said[:_MAX_REASON]}); save it again, or leave it out")
