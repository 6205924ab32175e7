"""`import hopweave`: the public names, and nothing heavy."""

import ast
import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import hopweave
from hopweave.core.errors import HopweaveError

HEAVY = ("pydantic", "aiohttp", "rich", "numpy", "tantivy", "typer", "asyncio", "sqlite3", "torch", "stamina")


def imported_by(code: str) -> set[str]:
    """The top-level modules that a new interpreter has after some code."""
    code += "\nimport json, sys; print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_importing_the_package_imports_nothing_heavy():
    assert imported_by("import hopweave").isdisjoint(HEAVY)


def test_plain_types_and_errors_import_nothing_heavy():
    assert imported_by("from hopweave import Answer, HopweaveError, Question; import hopweave.core.protocols").isdisjoint(HEAVY)


def test_the_help_of_the_command_line_imports_no_engine():
    code = "from typer.testing import CliRunner; from hopweave.apps.cli import app; CliRunner().invoke(app, ['--help'])"
    assert imported_by(code).isdisjoint({"pydantic", "aiohttp", "numpy", "tantivy", "sqlite3", "stamina", "rich"})


@pytest.mark.slow
def test_a_run_over_an_index_imports_nothing_that_reads_documents_or_downloads_models():
    code = "import sys, hopweave.run.weaver, hopweave.retrieval.engines.bm25, hopweave.models.llms.openai_compatible"
    unused = {"hopweave.ingest.documents", "hopweave.ingest.html_page", "hopweave.models.weights.fetching", "pathspec"}
    assert imported_by(f"{code}; assert not {unused} & set(sys.modules), {unused} & set(sys.modules)")


def test_every_public_name_is_there_and_has_a_docstring():
    for name in hopweave.__all__:
        if name not in ("Ask", "OnText"):  # types of functions, which have neither a name nor a docstring of their own
            assert getattr(hopweave, name).__doc__
            assert getattr(hopweave, name).__name__ == name
    assert dir(hopweave) == sorted(hopweave.__all__) == hopweave.__all__


def test_type_checkers_know_every_public_name_where_it_is():
    tree = ast.parse(Path(hopweave.__file__).read_text(encoding="utf-8"))
    [checked] = [node for node in tree.body if isinstance(node, ast.If)]
    told = {name.name: node.module for node in checked.body if isinstance(node, ast.ImportFrom) for name in node.names}
    assert told == {name: f"hopweave.{module}" for name, module in hopweave._HOME.items()}
    assert sorted(told) == hopweave.__all__


def test_all_of_it_can_be_taken_at_once():
    names = {}
    exec("from hopweave import *", names)
    assert set(hopweave.__all__) <= names.keys()


def test_a_name_that_is_none_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'hopweave' has no attribute 'reply'"):
        _ = hopweave.reply


def test_every_error_is_of_one_family():
    import hopweave.core.errors as errors

    kinds = [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, Exception)]
    assert len(kinds) >= 12
    assert all(issubclass(kind, HopweaveError) for kind in kinds)
    assert all(f"`{kind.__name__}`" in errors.__doc__ for kind in kinds)


def test_the_version_is_that_of_the_installed_package():
    assert hopweave.__version__ == version("hopweave")
