"""What several parsers and methods need has one home: no pattern and no function is written twice, and no option many times."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import hopweave.answering

ROOM = Path(hopweave.answering.__file__).parent


def patterns_of(module: ast.Module) -> Iterator[str]:
    """The patterns of a module: those that are compiled, and the parts that are put into others."""
    for one in module.body:
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call | ast.Constant):
            is_pattern = "lazy_pattern" in ast.unparse(one.value) or "*+" in ast.unparse(one.value)
            if is_pattern and len(ast.unparse(one.value)) > 20:
                yield ast.unparse(one.value)


def functions_of(module: ast.Module) -> Iterator[str]:
    """The functions of a module, without their names and docstrings."""
    for one in module.body:
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = one.body[ast.get_docstring(one) is not None :]
            yield f"{ast.unparse(one.args)}\n" + "\n".join(map(ast.unparse, lines))


@pytest.mark.parametrize(("parts_of", "least"), [(patterns_of, 100), (functions_of, 300)])
def test_no_pattern_and_no_function_of_answering_is_written_twice(parts_of, least):
    homes = defaultdict(list)
    for path in sorted(ROOM.rglob("*.py")):
        for part in parts_of(ast.parse(path.read_text(encoding="utf-8"))):
            homes[part].append(path.relative_to(ROOM).as_posix())
    assert {part: paths for part, paths in homes.items() if len(paths) > 1} == {}
    assert len(homes) > least


def test_no_option_is_described_in_many_places():
    described = Counter(
        ast.unparse(one.annotation)
        for path in ROOM.rglob("*.py")
        for one in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(one, ast.AnnAssign) and "Annotated[" in ast.unparse(one.annotation)
    )
    assert [option for option, num in described.items() if num > 4] == []
    assert described.total() > 200
