"""Patterns of modules are compiled when they are needed, or while a model works, and otherwise are what `re.compile` makes."""

from __future__ import annotations

import copy
import pickle
import re
import subprocess
import sys

import pytest
from architecture.rooms import PACKAGE, modules

from hopweave.core import lazy_pattern as patterns
from hopweave.core.lazy_pattern import lazy_pattern


@pytest.fixture
def compiled(monkeypatch):
    """The expressions that have been compiled."""
    made: list[str | bytes] = []
    compile_it = re.compile

    def noted(expression, flags=0):
        made.append(expression)
        return compile_it(expression, flags)

    monkeypatch.setattr(patterns.re, "compile", noted)
    return made


def test_a_pattern_is_compiled_once_at_its_first_use(compiled):
    word = lazy_pattern(r"\bw(?P<rest>\w+)", re.IGNORECASE)
    assert word.pattern == r"\bw(?P<rest>\w+)"
    assert compiled == []
    for _ in range(2):
        assert word.search("Some Words").group("rest") == "ords"
        assert word.sub("x", "Some Words") == "Some x"
        assert (word.groups, dict(word.groupindex)) == (1, {"rest": 1})
    assert compiled == [word.pattern]


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
@pytest.mark.parametrize("is_used", [False, True])
def test_a_copy_finds_the_same(again, is_used):
    digits = lazy_pattern(rb"\d+")
    assert not is_used or digits.findall(b"1 22") == [b"1", b"22"]
    assert again(digits).findall(b"1 22") == [b"1", b"22"]


def test_what_is_no_expression_is_an_error_at_its_first_use_and_an_unknown_attribute_is_one():
    with pytest.raises(re.error, match="unterminated"):
        lazy_pattern("(").search("x")
    with pytest.raises(AttributeError, match="find"):
        lazy_pattern("x").find("x")


IMPORT = """
import re, sys
from importlib import import_module

at_once = []
compile_it = re.compile

def noted(expression, flags=0):
    name = sys._getframe(1).f_globals["__name__"]
    if name.startswith("hopweave."):
        at_once.append(f"{name}: {expression}")
    return compile_it(expression, flags)

re.compile = noted
"""


@pytest.fixture(scope="module")
def imported():
    """What importing every module leaves: patterns compiled meanwhile, how many wait, and how many modules lack an extra."""
    names = [f"hopweave.{name}" for name in modules() if name and not name.endswith("__main__")]
    script = f"""{IMPORT}
from hopweave.core import preparation
from hopweave.core.errors import MissingExtra

num_missing = 0
for name in sys.stdin.read().split():
    try:
        import_module(name)
    except (ImportError, MissingExtra):
        num_missing += 1
print(*at_once, sep="\\n", file=sys.stderr)
preparation._prepare()
print(len(preparation._WAITING), num_missing)
"""
    done = subprocess.run([sys.executable, "-c", script], input="\n".join(names), capture_output=True, text=True, check=True)
    return done.stderr.split("\n"), *map(int, done.stdout.split())


def test_importing_compiles_next_to_no_pattern_and_every_one_is_an_expression(imported):
    at_once, num_waiting, num_missing = imported
    assert [line for line in at_once if line and not line.startswith("hopweave.core.lazy_pattern: ")] == []
    assert len(at_once) <= 10
    in_source = sum(path.read_text(encoding="utf-8").count("= lazy_pattern(") for path in PACKAGE.rglob("*.py"))
    assert num_waiting > in_source / 2
    assert num_missing < len(modules()) / 10
