"""Examples in docstrings show what the code gives."""

import doctest
import importlib
from pathlib import Path

import pytest

import hopweave

ROOT = Path(hopweave.__file__).parent
WITH_EXAMPLES = [path.relative_to(ROOT.parent) for path in sorted(ROOT.rglob("*.py")) if ">>> " in path.read_text("utf-8")]


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=str)
def test_examples_in_docstrings_give_what_they_show(path):
    name = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    try:
        module = importlib.import_module(name)
    except hopweave.HopweaveError as error:  # an extra that is not installed
        pytest.skip(str(error))
    assert doctest.testmod(module).failed == 0
