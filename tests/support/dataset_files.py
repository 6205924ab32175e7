"""Small files for the loaders of datasets, and the real ones where they are."""

import json
from pathlib import Path

import pytest

REAL = Path(__file__).parents[3] / "shared" / "data"


def json_list(path, *rows):
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def json_lines(path, *rows):
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def real(name):
    """A real file beside the checkout, or a skip that says that it is not there."""
    path = REAL / name
    if not path.is_file():
        pytest.skip(f"{name} is not in {REAL}")
    return path
