"""The number of parameters of a model in a folder, from the headers of its weights.

    eight bytes: the length of the header; the header: a JSON object of {"dtype", "shape", "data_offsets"} by tensor

The format: https://huggingface.co/docs/safetensors.
"""

from __future__ import annotations

import math
from pathlib import Path

from hopweave.core.files import open_regular, read_json

_MAX_HEADER_BYTES = 1 << 26
_MAX_FILES = 1000


def parameters_in(folder: Path) -> int | None:
    """The number of parameters of all safetensors files in a folder; `None` if there are none, or one cannot be read."""
    try:
        files = sorted(folder.glob("*.safetensors"))[:_MAX_FILES]
        return sum(map(_parameters, files)) or None
    except (OSError, ValueError, TypeError, AttributeError, KeyError, OverflowError):
        return None


def _parameters(path: Path) -> int:
    with open_regular(path) as file:
        length = int.from_bytes(file.read(8), "little")
        header = read_json(file.read(length) if length <= _MAX_HEADER_BYTES else b"")
    return sum(math.prod(tensor["shape"]) for name, tensor in header.items() if name != "__metadata__")
