"""Reads the PDF on standard input and tells of each page in a line of JSON: a program of its own, see `pages`.

A PDF is a program for drawing pages, and a malicious one can run without end, or ask for any amount of memory. So it is read
in a process that can be ended. Nothing of hopweave is imported here, which keeps its start short.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any

_MAX_MEMORY_BYTES = 4 << 30
_MAX_REASON = 200


def tell(**what: Any) -> None:
    """Writes a line of JSON."""
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def read(stream: Any) -> None:
    """Tells of the title and of each page in order; of the last page, that it ends there."""
    import pypdf

    reader = pypdf.PdfReader(stream)
    if reader.is_encrypted and not reader.decrypt(""):
        tell(error="is encrypted; save it without a password, or leave it out")
        return
    tell(title=_title(reader))
    for number, page in enumerate(reader.pages, start=1):
        try:
            text, reason = page.extract_text().encode("utf-8", "replace").decode(), ""
        except Exception as error:  # noqa: BLE001 - a page that is damaged, in any way, leaves the others readable
            text, reason = "", type(error).__name__
        tell(page=number, text=text, unread=bool(reason) or (not text.strip() and _has_image(page)))
    tell(end=True)


def _title(reader: Any) -> str:
    try:
        return str((reader.metadata.title if reader.metadata else "") or "").encode("utf-8", "replace").decode()
    except Exception:  # noqa: BLE001 - a title that is damaged is none
        return ""


def _has_image(page: Any) -> bool:
    try:
        drawn = page["/Resources"]["/XObject"].values()
        return any(one.get_object().get("/Subtype") in {"/Image", "/Form"} for one in drawn)
    except Exception:  # noqa: BLE001 - no resources, no image
        return False


def limit_memory() -> None:
    """Keeps this process to some memory, where the system can."""
    try:
        resource = import_module("resource")
        resource.setrlimit(resource.RLIMIT_AS, (_MAX_MEMORY_BYTES, _MAX_MEMORY_BYTES))
    except (ImportError, OSError, ValueError):
        pass


if __name__ == "__main__":
    limit_memory()
    try:
        read(sys.stdin.buffer)
    except Exception as error:  # noqa: BLE001 - whatever a damaged file leads to is told in one line
        said = " ".join(f"{type(error).__name__}: {error}".split()).encode("utf-8", "replace").decode()
        if type(error).__name__ == "DependencyError":
            tell(error="is encrypted; save it without encryption, or leave it out")
        else:
            tell(error=f"is damaged, or no PDF ({said[:_MAX_REASON]}); save it anew, or leave it out")
