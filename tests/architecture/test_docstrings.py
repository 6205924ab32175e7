"""What docstrings name exists: a module that was renamed or moved is named by its new name everywhere."""

import ast
import re
from functools import cache

import pytest
from architecture.rooms import PACKAGE, ROOMS, modules, tree

import hopweave

NAME = re.compile(r"`([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)`")
FOLDER = re.compile(r"\bhopweave(?:/\w+)++(?![\w.*])")
FILE_ENDINGS = {"csv", "json", "jsonl", "md", "py", "toml", "txt"}
OF_VALUES_AND_SETTINGS = {"llms.ollama", "record.answer", "record.error", "sampling.thinking"}
"""Fields of values, and tables of settings, that begin as a module does."""


@cache
def docstrings(path):
    """Every text that stands alone in a file: the docstrings of modules, classes, functions and constants."""
    waiting, found = [tree(path)], []
    while waiting:  # statements only, since none is within an expression
        node = waiting.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            found.append(node.value.value)
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            waiting += getattr(node, block, ())
    return found


@cache
def defined_in(path):
    """The names that are defined, imported or used in a file, those of attributes among them."""
    found = set()
    for node in ast.walk(tree(path)):
        match node:
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name) | ast.Name(name) | ast.arg(name):
                found.add(name)
            case ast.Attribute(_, name):
                found.add(name)
            case ast.alias(name, renamed):
                found.add(renamed or name)
    return found


@cache
def parts_of_names() -> frozenset[str]:
    """What the names of all modules are made of, and that of the package."""
    return frozenset({"hopweave", *(part for module in modules() for part in module.split("."))})


def could_name_a_module(name: str) -> bool:
    """Whether a name in backticks begins as a module does, or is private: `links.Mention`, `hopweave.text`, `_learnt`."""
    first, _, rest = name.partition(".")
    if not rest:
        return re.fullmatch(r"_[a-z][a-z0-9_]*", name) is not None
    return first in parts_of_names() and name.rpartition(".")[2] not in FILE_ENDINGS


@cache
def modules_ending_in(stem: str) -> tuple[str, ...]:
    """The modules whose names end in some parts: `text.final` in `final`."""
    return tuple(module for module in modules() if f".{module}".endswith(f".{stem}"))


def exists(name: str, named_in: str) -> bool:
    """Whether a name is a module or what a module defines: from the top if it begins with a room, else from anywhere.

    A private name may also be one of the file that it is in.
    """
    if name.startswith("_") and name in defined_in(modules()[named_in]):
        return True
    from_top = name.startswith("hopweave.") or name.partition(".")[0] in ROOMS
    parts = name.removeprefix("hopweave.").split(".")
    for length in range(len(parts), 0, -1):
        stem, rest = ".".join(parts[:length]), set(parts[length:])
        for module in (stem,) if from_top else modules_ending_in(stem):
            if module in modules() and (not rest or rest <= defined_in(modules()[module])):
                return True
    return name.removeprefix("hopweave.") in hopweave.__all__


def test_modules_that_docstrings_name_exist():
    missing = [
        f"{module}: {name}"
        for module, path in modules().items()
        for text in docstrings(path)
        for name in NAME.findall(text)
        if could_name_a_module(name) and name not in OF_VALUES_AND_SETTINGS and not exists(name, module)
    ]
    assert missing == []


def test_folders_of_the_package_that_docstrings_name_exist():
    missing = [
        f"{module}: {folder}"
        for module, path in modules().items()
        for text in docstrings(path)
        for folder in FOLDER.findall(text)
        if not (PACKAGE.parent / folder).exists()
    ]
    assert missing == []


@pytest.mark.parametrize(
    ("name", "is_there"),
    [
        ("hopweave.core.protocols", True),
        ("core.protocols.Retriever", True),
        ("index_folder.MANIFEST", True),
        ("_learnt", True),
        ("_vector_index", False),
        ("run.evaluate", False),
        ("hopweave.datasets", False),
        ("index_folder.Nothing", False),
    ],
)
def test_a_name_exists_if_a_module_has_it(name, is_there):
    assert could_name_a_module(name)
    assert exists(name, "core.files") is is_there
