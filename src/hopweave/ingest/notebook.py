"""Notebooks (nbformat 4 and 3): their Markdown, their code, and what the code wrote as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hopweave.core.errors import DataError
from hopweave.core.lazy_pattern import lazy_pattern
from hopweave.ingest.deadline import Check
from hopweave.ingest.document import Blocks
from hopweave.ingest.json_stream import load_json

_TERMINAL = lazy_pattern(r"\x1b\[[0-9;?]*[A-Za-z]")
_BLANK_LINES = lazy_pattern(r"\n[ \t]*(?:\n[ \t]*)+")


def read_cells(content: str, source: str, check: Check) -> Iterator[tuple[str, str]]:
    """The cells of a notebook in order, each as its kind (`markdown`, or any other) and its text.

    Raises:
        DataError: if it is not a notebook.
    """
    found = load_json(content, source)
    sheets = found.get("worksheets") if isinstance(found, Mapping) else None  # nbformat 3
    holder = sheets[0] if isinstance(sheets, list) and sheets else found
    cells = holder.get("cells") if isinstance(holder, Mapping) else None
    if not isinstance(cells, list):
        raise DataError(f"{source} is not a notebook: it has no list of cells; save it again, or leave it out")
    for cell in cells:
        check()
        if isinstance(cell, Mapping):
            yield str(cell.get("cell_type")), _text(cell.get("source", cell.get("input")))
            for output in _list(cell.get("outputs")):
                yield "output", _output(output)


def add_code(blocks: Blocks, text: str) -> None:
    """Adds code, or output, as one paragraph."""
    blocks.add(_BLANK_LINES.sub("\n", text))


def _output(output: object) -> str:
    """The text of an output; images, HTML and errors have none."""
    if not isinstance(output, Mapping) or output.get("output_type") in {"error", "pyerr"}:
        return ""
    data = output.get("data")
    text = data.get("text/plain") if isinstance(data, Mapping) else output.get("text")
    return _TERMINAL.sub("", _text(text))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: object) -> str:
    """A text that is given whole or line by line, without characters that are none."""
    lines = value if isinstance(value, list) else [value]
    return "".join(line for line in lines if isinstance(line, str)).encode("utf-8", "replace").decode()
